"""Reports as files: read once, bounded, decoded strictly."""

from __future__ import annotations

import os
import stat
from os import PathLike
from pathlib import Path
from typing import Literal

from capital_kit.citations._blocks import Format
from capital_kit.citations._sources import Refused, decode_text
from capital_kit.errors import CitationError

LIMIT = 20 << 20
_FORMATS: dict[str, Format] = {".md": "markdown", ".txt": "text", ".html": "html"}
AnyFormat = Format | Literal["auto"]


def read_report(text_or_path: str | PathLike[str], report_format: AnyFormat) -> tuple[str, AnyFormat]:
    """Return the text of a report and its format, which a file's suffix tells."""
    if report_format not in {"auto", *_FORMATS.values()}:
        raise TypeError(f"format must be 'auto', 'text', 'markdown' or 'html', not {report_format!r}")
    if isinstance(text_or_path, PathLike) or (isinstance(text_or_path, str) and _is_file_name(text_or_path)):
        path = Path(text_or_path)
        suffix = path.suffix.lower()
        data = _read(path)
        try:
            text = decode_text(data, html=suffix == ".html")
        except Refused as refusal:
            raise CitationError.of("report_undecodable", name=path.name) from refusal
        return text, _FORMATS.get(suffix, "auto") if report_format == "auto" else report_format
    if not isinstance(text_or_path, str):
        raise TypeError(f"text_or_path must be str or Path, not {type(text_or_path).__name__}")
    if len(text_or_path) > LIMIT:
        raise CitationError.of(
            "report_too_large", size=f"{len(text_or_path) >> 20} MB", limit=f"{LIMIT >> 20} MB"
        )
    return text_or_path, report_format


def _is_file_name(text: str) -> bool:
    # One line that ends like a file is one; a mistyped name must not pass as a report without claims.
    return len(text) < 1024 and "\n" not in text and text.lower().endswith(tuple(_FORMATS))


def _read(path: Path) -> bytes:
    try:
        handle = os.open(path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0))
        with os.fdopen(handle, "rb") as file:
            state = os.fstat(file.fileno())
            if not stat.S_ISREG(state.st_mode):
                raise CitationError.of("report_unreadable", name=path.name, reason="not a regular file")
            data = file.read(LIMIT + 1)
    except (FileNotFoundError, NotADirectoryError) as error:
        raise CitationError.of("report_not_found", name=path.name) from error
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise CitationError.of("report_unreadable", name=path.name, reason=reason) from error
    if len(data) > LIMIT:
        raise CitationError.of(
            "report_too_large", size=f"{state.st_size >> 20} MB", limit=f"{LIMIT >> 20} MB"
        )
    return data
