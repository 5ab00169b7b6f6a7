"""Sources: from a citation to the bytes of one file, and to nothing else.

Ids come from reports and folders from whoever fetched the sources; both are taken as hostile.
Whatever goes wrong is a :class:`Refused` with a code; a file that is absent is never replaced.
"""

from __future__ import annotations

import codecs
import hashlib
import json
import os
import re
import stat
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from capital_kit.citations._anchor import Citation
from capital_kit.citations._grammar import STORED_TYPE

MEGABYTE = 1 << 20
LIMITS = {".pdf": 64 * MEGABYTE, ".toc.json": 2 * MEGABYTE}
LIMIT = 32 * MEGABYTE
# Folder under sources_dir and suffixes in the order they are tried. Evidence ids carry theirs.
PLACES: dict[str, tuple[str, tuple[str, ...]]] = {
    "guideline": ("guidelines", (".txt", ".md", ".html", ".pdf")),
    "pmid": ("pubmed", (".json",)),
    "nct": ("trials", (".json",)),
    "aact": ("aact", (".json",)),
    "europepmc": ("europepmc", (".json",)),
    "bioc": ("bioc", (".json",)),
    "evidence": ("../evidence", ("",)),
    "nmpa-page": ("nmpa", (".html", ".json")),
}
_CHARSET = re.compile(rb"<meta[^>]{0,200}?charset\s*=\s*[\"']?\s*([A-Za-z0-9_-]{2,40})", re.IGNORECASE)


class Refused(Exception):  # noqa: N818 - a refusal is an answer, not a failure
    """A source that cannot be used; ``code`` says why."""

    def __init__(self, code: str) -> None:
        super().__init__(code)
        self.code = code


@dataclass(frozen=True, slots=True)
class SourceFile:
    """The bytes of one source, with its path relative to ``sources_dir``.

    ``toc`` is the table of contents beside a guideline; ``digest`` tells both apart from others.
    """

    path: str
    suffix: str
    data: bytes
    sha256: str
    toc: dict[str, Any] | None = None
    toc_sha256: str = ""

    @property
    def digest(self) -> tuple[str, str, str]:
        """What the text of the source hangs on."""
        return self.sha256, self.suffix, self.toc_sha256


def open_source(citation: Citation, sources_dir: Path) -> SourceFile:
    """Return the file that a citation names.

    Raises
    ------
    Refused
        ``no_file``, ``bad_id``, ``too_large``, ``unreadable``; for its table of contents also
        ``undecodable``, ``unsupported_layout``.
    """
    folder, suffixes = PLACES[citation.source_type]
    for suffix in suffixes:
        name = citation.source_id + suffix
        if citation.source_type == "evidence" and not name.lower().endswith((".md", ".txt")):
            raise Refused("bad_id")
        data = _read(sources_dir, folder, name)
        if data is not None:
            own = suffix or Path(name).suffix.lower()
            toc = _toc(citation, sources_dir) if citation.source_type == "guideline" else (None, "")
            return SourceFile(f"{folder}/{name}", own, data, hashlib.sha256(data).hexdigest(), *toc)
    raise Refused("no_file")


def place_of(citation: Citation) -> str:
    """Return where the file of a citation is looked for, relative to the sources folder or the workspace."""
    if citation.source_type == STORED_TYPE:
        return f"queries/{citation.locator}.json"
    folder, suffixes = PLACES[citation.source_type]
    return f"{folder}/{citation.source_id}{suffixes[0]}" + "".join(f" | {other}" for other in suffixes[1:])


def _toc(citation: Citation, sources_dir: Path) -> tuple[dict[str, Any] | None, str]:
    """Return the table of contents beside a guideline and its digest."""
    data = _read(sources_dir, PLACES["guideline"][0], citation.source_id + ".toc.json")
    if data is None:
        return None, ""
    toc = read_json(data)
    if not isinstance(toc, dict):
        raise Refused("unsupported_layout")
    return toc, hashlib.sha256(data).hexdigest()


def _read(sources_dir: Path, folder: str, name: str) -> bytes | None:
    """Read a regular file that lies in its folder under its exact name; None if there is none."""
    if not name or name in {".", ".."} or any(char in name for char in "/\\\0"):
        raise Refused("bad_id")
    try:
        root = sources_dir.resolve()
        if not root.is_dir():
            return None
        home = root.parent if folder.startswith("../") else root
        place = (sources_dir / folder).resolve()
        if place != home / folder.removeprefix("../"):
            raise Refused("bad_id")
        if not _holds(place, name):
            return None
        target = (place / name).resolve()
        if not target.is_relative_to(place):
            raise Refused("bad_id")
        return read_bytes(target, LIMITS.get(_limit_key(name), LIMIT))
    except FileNotFoundError:
        return None
    except (OSError, RuntimeError, ValueError) as error:
        raise Refused("unreadable") from error


def read_below(sources_dir: Path, name: str) -> bytes | None:
    """Read a file that a sidecar names by its path below the folder; None if there is none.

    Raises
    ------
    Refused
        ``bad_id`` for what leads out of the folder, ``too_large``, ``unreadable``.
    """
    parts = name.split("/")
    if any(part in {"", ".", ".."} or any(char in part for char in "\\:\0") for part in parts):
        raise Refused("bad_id")
    try:
        root = sources_dir.resolve()
        target = root.joinpath(*parts).resolve()
        if not target.is_relative_to(root):
            raise Refused("bad_id")
        return read_bytes(target, LIMITS[".pdf"])
    except (FileNotFoundError, NotADirectoryError):
        return None
    except (OSError, RuntimeError, ValueError) as error:
        raise Refused("unreadable") from error


def _holds(place: Path, name: str) -> bool:
    """Tell whether a folder has an entry of exactly this name, also where case makes no difference."""
    if not os.path.lexists(place / name):
        return False
    other = name.swapcase()
    if other == name or not os.path.lexists(place / other):
        return True
    return any(entry.name == name for entry in place.iterdir())


def _limit_key(name: str) -> str:
    return ".toc.json" if name.endswith(".toc.json") else Path(name).suffix.lower()


def read_bytes(path: Path, limit: int) -> bytes:
    """Read a regular file; raises ``OSError``, or ``Refused`` for what is none or too large."""
    # Opened without waiting and looked at before reading: a pipe or a device is no source.
    flags = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)
    flags |= getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
    handle = os.open(path, flags)
    with os.fdopen(handle, "rb") as file:
        state = os.fstat(file.fileno())
        if not stat.S_ISREG(state.st_mode):
            raise Refused("bad_id")
        if state.st_size > limit:
            raise Refused("too_large")
        data = file.read(limit + 1)
    if len(data) > limit:
        raise Refused("too_large")
    return data


def read_json(data: bytes) -> Any:
    """Parse JSON with numbers left as they are written: 0.50 stays 0.50.

    Raises
    ------
    Refused
        ``undecodable`` for what is no JSON, ``too_large`` for what is nested too deeply.
    """
    try:
        text = data.decode(json.detect_encoding(data))
        return json.loads(text.lstrip("\ufeff"), parse_float=str, parse_int=str, parse_constant=str)
    except RecursionError as error:
        raise Refused("too_large") from error
    except (UnicodeError, ValueError) as error:
        raise Refused("undecodable") from error


def decode_text(data: bytes, *, html: bool = False) -> str:
    """Decode text strictly: byte order mark, declared charset, UTF-8, GB 18030.

    Raises
    ------
    Refused
        ``undecodable``.
    """
    for mark, encoding in (
        (codecs.BOM_UTF8, "utf-8-sig"),
        (codecs.BOM_UTF16_LE, "utf-16"),
        (codecs.BOM_UTF16_BE, "utf-16"),
    ):
        if data.startswith(mark):
            return _strict(data, encoding)
    declared = _CHARSET.search(data[:4096]) if html else None
    names = [declared[1].decode("ascii").lower()] if declared else []
    names = ["gb18030" if name in {"gb2312", "gbk", "x-gbk"} else name for name in names]
    for encoding in [*names, "utf-8", "gb18030"]:
        try:
            return _strict(data, encoding)
        except Refused:
            continue
    raise Refused("undecodable")


def _strict(data: bytes, encoding: str) -> str:
    try:
        if not codecs.lookup(encoding)._is_text_encoding:
            raise Refused("undecodable")
        return data.decode(encoding)
    except (LookupError, UnicodeError, ValueError) as error:
        raise Refused("undecodable") from error
