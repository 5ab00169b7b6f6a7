"""The text of PDF sources: read within limits, held to a gate of quality, kept by its digest."""

from __future__ import annotations

import io
import json
import logging
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any

from capital_kit.citations._sources import Refused, SourceFile
from capital_kit.errors import WorkspaceError

if TYPE_CHECKING:
    from capital_kit.workspace import Workspace

PdfReader = Callable[[bytes], Sequence[str]]
MOST_PAGES = 1500
_SECONDS = 60.0
_CACHE = ("cache", "pdf-text")


def pdf_pages(file: SourceFile, reader: PdfReader | None = None) -> tuple[str, ...]:
    """Return the text of a PDF by pages.

    Parameters
    ----------
    file : SourceFile
        The PDF.
    reader : callable, optional
        Takes the bytes of a PDF and returns the text of its pages, in place of pypdf.

    Raises
    ------
    Refused
        ``no_pdf_reader``, ``pdf_unreadable``, ``too_large``.
    """
    pages = _read_by(reader, file.data) if reader is not None else _kept_pages(file)
    if len(pages) > MOST_PAGES:
        raise Refused("too_large")
    if not _is_readable(pages):
        raise Refused("pdf_unreadable")
    return pages


def _read_by(reader: PdfReader, data: bytes) -> tuple[str, ...]:
    try:
        pages = tuple(reader(data))
    except Exception as error:
        raise Refused("pdf_unreadable") from error
    if not all(isinstance(page, str) for page in pages):
        raise TypeError("pdf_reader must return the text of the pages as a sequence of str")
    return pages


def _kept_pages(file: SourceFile) -> tuple[str, ...]:
    """Read with pypdf; what was read before is found under its digest and the reader's version."""
    try:
        import pypdf
    except ImportError as error:
        raise Refused("no_pdf_reader") from error
    from capital_kit.workspace import Workspace

    workspace = Workspace()
    name = f"{file.sha256}-pypdf-{pypdf.__version__}.json"
    kept = _kept(workspace, name)
    if kept is not None:
        return kept
    pages = _read(pypdf, file.data)
    # A workspace that cannot be written costs time, never the answer.
    with suppress(WorkspaceError):
        workspace.write(*_CACHE, name, data=json.dumps(pages).encode())
    return pages


def _kept(workspace: Workspace, name: str) -> tuple[str, ...] | None:
    try:
        pages = json.loads(workspace.file(*_CACHE, name).read_bytes())
    except (OSError, ValueError, WorkspaceError):
        return None
    sound = isinstance(pages, list) and all(isinstance(page, str) for page in pages)
    return tuple(pages) if sound else None


def _read(pypdf: Any, data: bytes) -> tuple[str, ...]:
    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    stop = time.monotonic() + _SECONDS
    pages: list[str] = []
    try:
        document = pypdf.PdfReader(io.BytesIO(data))
        if len(document.pages) > MOST_PAGES:
            raise Refused("too_large")
        for page in document.pages:
            if time.monotonic() > stop:
                raise Refused("too_large")
            pages.append((page.extract_text() or "").encode("utf-8", "replace").decode())
    except Refused:
        raise
    except Exception as error:
        raise Refused("pdf_unreadable") from error
    return tuple(pages)


def _is_readable(pages: Sequence[str]) -> bool:
    text = "".join(pages)
    if not pages or len(text) / len(pages) < 20:
        return False
    odd = sum(
        1 for char in text
        if "\ue000" <= char <= "\uf8ff" or char == "\ufffd" or (char < " " and char not in "\t\n\r\f\x02")
    )  # fmt: skip
    return odd <= len(text) * 0.05
