"""Options of the package, one object for all: ``ck.options``."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

Language = Literal["zh", "en"]
UpColor = Literal["red", "green"]
Palette = Literal["standard", "cvd"]

_ALLOWED: dict[str, tuple[str, ...]] = {
    "language": ("zh", "en"),
    "up_color": ("red", "green"),
    "palette": ("standard", "cvd"),
}


class Options:
    """What holds for the whole session; read when a text or a picture is made.

    Attributes
    ----------
    language : {"zh", "en"}
        Language of cards, reasons, messages and reports. Starts from ``CAPITAL_KIT_LANG``.
    up_color : {"red", "green"}
        Colour of rising prices. Red is the convention of Chinese markets.
    palette : {"standard", "cvd"}
        ``cvd`` is an orange and blue pair for colour-blind readers.
    """

    language: Language
    up_color: UpColor
    palette: Palette

    def __init__(self) -> None:
        language = os.environ.get("CAPITAL_KIT_LANG", "zh")
        object.__setattr__(self, "language", language if language in _ALLOWED["language"] else "zh")
        object.__setattr__(self, "up_color", "red")
        object.__setattr__(self, "palette", "standard")

    def __setattr__(self, name: str, value: Any) -> None:
        from capital_kit.errors import OptionError

        if name not in _ALLOWED:
            raise OptionError.of("option_invalid", "name", name=name, allowed=list(_ALLOWED))
        if value not in _ALLOWED[name]:
            raise OptionError.of("option_invalid", name=name, value=repr(value), allowed=list(_ALLOWED[name]))
        object.__setattr__(self, name, value)

    @contextmanager
    def override(self, **values: Any) -> Iterator[Options]:
        """Set options for the length of a ``with`` block."""
        before = {name: getattr(self, name) for name in values}
        try:
            for name, value in values.items():
                setattr(self, name, value)
            yield self
        finally:
            for name, value in before.items():
                setattr(self, name, value)

    def __repr__(self) -> str:
        return f"Options({', '.join(f'{name}={getattr(self, name)!r}' for name in _ALLOWED)})"


options = Options()
