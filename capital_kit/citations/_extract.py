"""Extraction: from the bytes of a text source to its text, with the hard separators in it."""

from __future__ import annotations

import logging
import time
from dataclasses import dataclass, field
from typing import Any

from capital_kit._core.normalise import SEPARATOR
from capital_kit.citations._blocks import Block, blocks_of, lines_of
from capital_kit.citations._pages import plain_fragment
from capital_kit.citations._sources import Refused, SourceFile, decode_text

_MOST_PAGES = 1500
_SECONDS = 60.0


@dataclass(frozen=True, slots=True)
class TextSource:
    """A text source, read: ``raw`` as it stands in the file, ``pages`` only for PDF."""

    kind: str
    raw: str
    pages: tuple[str, ...] = ()
    lines: list[tuple[int, int]] = field(default_factory=list)

    def text_of(self, start: int, end: int) -> str:
        """Return the plain text of ``raw[start:end]``: markup off, blocks kept apart."""
        if self.kind == "html":
            inside = (_cut(block, start, end) for block in blocks_of(self.raw, "html"))
            return SEPARATOR.join(part for part in inside if part)
        if self.kind == "markdown":
            blocks = blocks_of(self.raw[start:end], "markdown")
            return plain_fragment(SEPARATOR.join(b.text.strip() for b in blocks if b.text.strip()))
        return self.raw[start:end]


def _cut(block: Block, start: int, end: int) -> str:
    body = block.body
    first = next((at for at, place in enumerate(body.starts) if place >= start), len(body.text))
    last = next((at for at in range(len(body.text), first, -1) if body.starts[at - 1] < end), first)
    return body.text[first:last].strip()


def read_text_source(file: SourceFile) -> TextSource:
    """Return the text of a txt, md, html or pdf source.

    Raises
    ------
    Refused
        ``undecodable``, ``no_pdf_reader``, ``pdf_unreadable``, ``too_large``.
    """
    if file.suffix == ".pdf":
        pages = _pdf_pages(file.data)
        raw = "\n".join(pages)
        return TextSource("pdf", raw, tuple(pages), lines_of(raw))
    raw = decode_text(file.data, html=file.suffix == ".html")
    kind = {".md": "markdown", ".html": "html"}.get(file.suffix, "text")
    return TextSource(kind, raw, (), lines_of(raw))


def _pdf_pages(data: bytes) -> list[str]:
    try:
        import pypdf
    except ImportError as error:
        raise Refused("no_pdf_reader") from error
    import io

    logging.getLogger("pypdf").setLevel(logging.CRITICAL)
    stop = time.monotonic() + _SECONDS
    pages: list[str] = []
    try:
        reader: Any = pypdf.PdfReader(io.BytesIO(data))
        if len(reader.pages) > _MOST_PAGES:
            raise Refused("too_large")
        for page in reader.pages:
            if time.monotonic() > stop:
                raise Refused("too_large")
            pages.append(page.extract_text() or "")
    except Refused:
        raise
    except Exception as error:
        raise Refused("pdf_unreadable") from error
    if not _is_readable(pages):
        raise Refused("pdf_unreadable")
    return pages


def _is_readable(pages: list[str]) -> bool:
    text = "".join(pages)
    if not pages or len(text) / len(pages) < 20:
        return False
    odd = sum(
        1 for char in text
        if "\ue000" <= char <= "\uf8ff" or char == "\ufffd" or (char < " " and char not in "\t\n\r\f\x02")
    )  # fmt: skip
    return odd <= len(text) * 0.05
