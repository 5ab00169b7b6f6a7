"""Provenance: whether the raw bytes of a source are still those that its sidecar vouches for."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from capital_kit._core.notices import Notice
from capital_kit.citations._sources import PLACES, Refused, read_below, read_json
from capital_kit.citations._verify import sources_folder
from capital_kit.errors import CitationError

_SIDECAR = ".provenance.json"
_MARK = "sha256:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Provenance:
    """One sidecar and what became of its promise.

    Attributes
    ----------
    path : str
        The sidecar, relative to the sources folder.
    code : str
        ``ok``, ``checksum_differs``, ``raw_missing``, ``sidecar_unreadable`` or ``no_checksum``.
    raw_path, checksum, fetched_at, endpoint : str or None
        What the sidecar says.
    """

    path: str
    code: str
    raw_path: str | None = None
    checksum: str | None = None
    fetched_at: str | None = None
    endpoint: str | None = None

    @property
    def message(self) -> str:
        """What the code says, in ``options.language``."""
        return Notice("citations", f"provenance_{self.code}").message

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dict."""
        return {**asdict(self), "message": self.message}


def check_provenance(sources_dir: str | PathLike[str]) -> list[Provenance]:
    """Compare the raw bytes of every source that has a sidecar with the digest in it.

    Parameters
    ----------
    sources_dir : path
        The folder of the source files; sidecars are called ``<id>.provenance.json``.

    Returns
    -------
    list of Provenance
        One entry a sidecar, in the order of their names.

    Raises
    ------
    CitationError
        ``sources_not_found``.
    """
    folder = sources_folder(sources_dir)
    if not folder.is_dir():
        raise CitationError.of("sources_not_found", name=folder.name)
    return [_checked(folder, name) for name in _sidecars(folder)]


def _sidecars(folder: Path) -> Iterator[str]:
    for place in sorted(name for name, _ in PLACES.values() if not name.startswith("..")):
        if (folder / place).is_dir():
            yield from sorted(f"{place}/{path.name}" for path in (folder / place).glob(f"*{_SIDECAR}"))


def _checked(folder: Path, name: str) -> Provenance:
    try:
        record = read_json(read_below(folder, name) or b"")
    except Refused:
        record = None
    if not isinstance(record, dict):
        return Provenance(path=name, code="sidecar_unreadable")
    said = {key: record.get(key) for key in ("raw_path", "checksum", "fetched_at", "endpoint")}
    said = {key: value if isinstance(value, str) else None for key, value in said.items()}
    return Provenance(path=name, code=_code(folder, said["raw_path"], said["checksum"]), **said)


def _code(folder: Path, raw: str | None, checksum: str | None) -> str:
    if not checksum or not checksum.startswith(_MARK) or not raw:
        return "no_checksum"
    try:
        data = read_below(folder, raw)
    except Refused:
        data = None
    if data is None:
        return "raw_missing"
    same = hashlib.sha256(data).hexdigest() == checksum.removeprefix(_MARK).strip().lower()
    return "ok" if same else "checksum_differs"
