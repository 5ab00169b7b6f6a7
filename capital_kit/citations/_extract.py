"""Extraction: from the bytes of a text source to its text, with the hard separators in it."""

from __future__ import annotations

from dataclasses import dataclass, field

from capital_kit._core.normalise import SEPARATOR
from capital_kit.citations._blocks import Block, blocks_of, lines_of
from capital_kit.citations._pages import plain_fragment
from capital_kit.citations._pdf import PdfReader, pdf_pages
from capital_kit.citations._sources import SourceFile, decode_text


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


def read_text_source(file: SourceFile, pdf_reader: PdfReader | None = None) -> TextSource:
    """Return the text of a txt, md, html or pdf source.

    Raises
    ------
    Refused
        ``undecodable``, ``no_pdf_reader``, ``pdf_unreadable``, ``too_large``.
    """
    if file.suffix == ".pdf":
        pages = pdf_pages(file, pdf_reader)
        raw = "\n".join(pages)
        return TextSource("pdf", raw, pages, lines_of(raw))
    raw = decode_text(file.data, html=file.suffix == ".html")
    kind = {".md": "markdown", ".html": "html"}.get(file.suffix, "text")
    return TextSource(kind, raw, (), lines_of(raw))
