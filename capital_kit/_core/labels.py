"""The catalogue: everything a person reads at run time, in Chinese and English.

One TOML file per area lies in ``catalogue/``; each entry holds both languages side by side,
``rows = { zh = "{n} 行", en = "{n} rows" }``, so that a missing translation is seen at once.
"""

from __future__ import annotations

import tomllib
from functools import cache
from pathlib import Path
from typing import Any

from capital_kit._core.options import options

_FOLDER = Path(__file__).with_name("catalogue")
_COMMA = {"zh": "、", "en": ", "}


def tr(key: str, /, **values: Any) -> str:
    """Return the text of ``key`` (``area.section.name``) in ``options.language``, filled in.

    Lists among the values are written with commas, an empty one as "—".

    Raises
    ------
    KeyError
        The catalogue has no such entry; a test holds the code against the catalogue.
    """
    text = catalogue()[key][options.language]
    return text.format(**{name: _written(value) for name, value in values.items()}) if values else text


def _written(value: Any) -> Any:
    if isinstance(value, list | tuple):
        return _COMMA[options.language].join(map(str, value)) or "—"
    return value


@cache
def catalogue() -> dict[str, dict[str, str]]:
    """Return all entries, ``{"area.section.name": {"zh": …, "en": …}}``."""
    entries: dict[str, dict[str, str]] = {}
    for path in sorted(_FOLDER.glob("*.toml")):
        with path.open("rb") as file:
            _flatten(path.stem, tomllib.load(file), entries)
    return entries


def _flatten(prefix: str, node: dict[str, Any], entries: dict[str, dict[str, str]]) -> None:
    if node and all(isinstance(value, str) for value in node.values()):
        entries[prefix] = node
        return
    for name, child in node.items():
        _flatten(f"{prefix}.{name}", child, entries)
