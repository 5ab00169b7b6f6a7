"""Pages: the visible text of HTML as blocks, and the plain text of fragments inside JSON."""

from __future__ import annotations

import re
from array import array
from dataclasses import dataclass, field

from capital_kit._core.normalise import SEPARATOR, Normalised
from capital_kit.citations._blocks import Block, BlockKind, row_block
from capital_kit.citations._grammar import BLOCK_TAGS, HIDDEN_TAGS, VOID_TAGS
from capital_kit.citations._html import Token, decoded, tokens

_HIDING = re.compile(r"(?:display\s*:\s*none|visibility\s*:\s*hidden)", re.IGNORECASE)
_NOTE = re.compile(r"#([^\]\s]{1,40})")
_SMALL = re.compile(r"[0-9+\-−]+")
_RAISED = {
    "sup": str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻"),
    "sub": str.maketrans("0123456789", "₀₁₂₃₄₅₆₇₈₉"),
}
_HEADINGS = {f"h{level}": level for level in range(1, 7)}


@dataclass(slots=True)
class _Reader:
    """What is open while a page is read."""

    page: str
    blocks: list[Block] = field(default_factory=list)
    pieces: list[str] = field(default_factory=list)
    starts: array[int] = field(default_factory=lambda: array("I"))
    ends: array[int] = field(default_factory=lambda: array("I"))
    kind: BlockKind = "paragraph"
    level: int = 0
    cells: list[Normalised] | None = None
    header: bool = True
    notes: bool = False
    note: str = ""
    code: list[tuple[int, int]] = field(default_factory=list)
    raised: list[str] = field(default_factory=list)
    in_code: int = 0
    in_pre: int = 0
    hidden: tuple[str, int] | None = None

    def put(self, text: str, start: int, end: int) -> None:
        self.pieces.append(text)
        if len(text) == end - start:
            self.starts.extend(range(start, end))
            self.ends.extend(range(start + 1, end + 1))
        else:
            self.starts.extend([start] * len(text))
            self.ends.extend([end] * len(text))

    def taken(self) -> Normalised:
        part = Normalised("".join(self.pieces), self.starts, self.ends)
        self.pieces, self.starts, self.ends = [], array("I"), array("I")
        return part

    def flush(self) -> None:
        if self.cells is not None:
            self.end_cell()
            if any(cell.text.strip() for cell in self.cells):
                self.blocks.append(row_block(self.cells, header=self.header))
            self.cells = None
        else:
            part = self.taken()
            if part.text.strip():
                self.blocks.append(Block(self.kind, part, self.level, code=tuple(self.code), note=self.note))
                self.note = ""
        self.kind, self.level, self.code = ("code" if self.in_pre else "paragraph"), 0, []

    def end_cell(self) -> None:
        part = self.taken()
        if self.cells is not None and (part.text.strip() or self.cells):
            self.cells.append(part)


def page_blocks(page: str, *, only_html: bool = False, notes: bool = False) -> list[Block]:
    """Return the visible blocks of a page; what a reader does not see is left out."""
    reader = _Reader(page, notes=notes)
    for token in tokens(page, only_html=only_html):
        if reader.hidden is not None:
            _skip(reader, token)
        elif token.kind == "text":
            _text(reader, token)
        elif token.kind == "open":
            _open(reader, token)
        elif token.kind == "close":
            _close(reader, token)
    reader.flush()
    return reader.blocks


def plain_fragment(text: str) -> str:
    """Return a fragment with its elements and entities resolved; mathematics keeps its ``<``."""
    if "<" not in text and "&" not in text:
        return text
    return SEPARATOR.join(block.text.strip() for block in page_blocks(text, only_html=True))


def _skip(reader: _Reader, token: Token) -> None:
    if reader.hidden is None or token.name != reader.hidden[0]:
        return
    depth = reader.hidden[1] + {"open": 1, "close": -1}.get(token.kind, 0)
    reader.hidden = (token.name, depth) if depth else None


def _text(reader: _Reader, token: Token) -> None:
    first = len(reader.starts)
    for text, start, end in decoded(reader.page, token.start, token.end):
        table = _RAISED.get(reader.raised[-1]) if reader.raised else None
        small = table is not None and _SMALL.fullmatch(text.strip())
        reader.put(text.translate(table) if small and table else text, start, end)
    if reader.in_code and reader.cells is None:
        reader.code.append((first, len(reader.starts)))


def _open(reader: _Reader, token: Token) -> None:
    name = token.name
    if name in VOID_TAGS:
        if name in {"br", "hr"}:
            reader.put("\n", token.start, token.end)
        return
    if (
        name in HIDDEN_TAGS
        or "hidden" in token.attributes
        or _HIDING.search(token.attributes.get("style", ""))
    ):
        reader.hidden = (name, 1)
    elif name == "a" and reader.notes and (note := _note_mark(reader, token)):
        reader.put(f"[^{note}]", token.start, token.end)
        reader.hidden = (name, 1)
    elif name in {"sup", "sub"}:
        reader.raised.append(name)
    elif name in {"code", "kbd", "samp"}:
        reader.in_code += 1
    elif name == "tr":
        reader.flush()
        reader.cells, reader.header = [], True
    elif name in {"td", "th"} and reader.cells is not None:
        reader.end_cell()
        reader.header = reader.header and name == "th"
    elif name in BLOCK_TAGS:
        _open_block(reader, token)


def _note_mark(reader: _Reader, token: Token) -> str:
    """Return the name of the note that a link marks: one that is raised or says what it is."""
    target = _NOTE.fullmatch(token.attributes.get("href", ""))
    said = f"{token.attributes.get('class', '')} {token.attributes.get('role', '')}".lower()
    raised = "sup" in reader.raised or "footnote" in said or "noteref" in said
    return target[1] if target and raised else ""


def _open_block(reader: _Reader, token: Token) -> None:
    if reader.cells is not None and token.name != "table":
        if reader.pieces:
            reader.put("\n", token.start, token.end)
        return
    reader.flush()
    reader.note = token.attributes.get("id", reader.note)
    if token.name == "pre":
        reader.in_pre += 1
        reader.kind = "code"
    elif token.name in _HEADINGS:
        reader.kind, reader.level = "heading", _HEADINGS[token.name]
    elif token.name == "title":
        reader.kind = "heading"
    elif token.name in {"li", "dt", "dd"}:
        reader.kind = "item"


def _close(reader: _Reader, token: Token) -> None:
    name = token.name
    if name in {"sup", "sub"}:
        if reader.raised:
            reader.raised.pop()
    elif name in {"code", "kbd", "samp"}:
        reader.in_code = max(0, reader.in_code - 1)
    elif name == "pre":
        reader.in_pre = max(0, reader.in_pre - 1)
        reader.flush()
    elif name in {"tr", "table"}:
        reader.flush()
    elif name in BLOCK_TAGS and name not in {"td", "th"}:
        if reader.cells is None:
            reader.flush()
        elif reader.pieces:
            reader.put("\n", token.start, token.end)
