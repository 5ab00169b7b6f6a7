"""Blocks: a text cut into paragraphs, items, headings and rows, with the place of every character.

Reports and sources go through the same cut, so that markup is taken off on both sides alike.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Literal

from capital_kit._core.normalise import SEPARATOR, Normalised, rewrite, unchanged
from capital_kit.citations._anchor import ANCHOR
from capital_kit.citations._grammar import BLOCK_TAGS

Span = tuple[int, int]
Format = Literal["text", "markdown", "html"]
BlockKind = Literal["paragraph", "item", "heading", "row", "code"]

_LINE = re.compile(r"[^\r\n]*(?:\r\n|\n|\r|$)")
_FENCE = re.compile(r"[ ]{0,3}(`{3,}|~{3,})")
_HEADING = re.compile(r"[ ]{0,3}(#{1,6})[ \t]+")
_ITEM = re.compile(
    r"[ \t]*(?:[-*+•·●▪◦][ \t]+|[0-9]{1,3}[.)、][ \t]+|[（(][0-9]{1,3}[)）][ \t]*"
    r"|\[\^(?P<note>[^\]\s]{1,40})\]:[ \t]*)"
)
_QUOTE = re.compile(r"[ ]{0,3}(?:>[ ]?)+")
_RULE = re.compile(r"[ \t]*(?:[-*_=][ \t]*){3,}$")
_TABLE_RULE = re.compile(r"[ \t]*\|?[ \t]*:?-{2,}:?[ \t]*(?:\|[ \t]*:?-{1,}:?[ \t]*)*\|?[ \t]*$")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_CODE_SPAN = re.compile(r"(?<!`)(`{1,3})(?!`)([^`\r\n]{1,400})\1(?!`)")
_INLINE = re.compile(
    ANCHOR.pattern.replace("?P<type>", "").replace("?P<id>", "").replace("?P<locator>", "?:")
    + r"|(?P<off>!?\[(?=[^\[\]]{0,500}\]\()"  # a link before its text
    + r'|\]\([^()\s]{0,1000}(?:[ \t]"[^"\r\n]{0,200}")?\)'  # and after it
    + r"|(?<=\])\((?:https?://|#)[^()\s]{0,1000}\)"  # the address of a linked anchor
    + r"|\\(?=[!-/:-@\[-`{-~])|`|\*{1,3}(?=\S)|(?<=\S)\*{1,3}|~~"
    + r"|(?<![^\W_])_{1,3}(?=[^\W_])|(?<=[^\W_])_{1,3}(?![\w.]))",
)


@dataclass(frozen=True, slots=True)
class Block:
    """One block of a text.

    ``body`` holds the visible text with its map to the original; ``cells`` the spans of a row's
    cells in it, ``code`` the spans of inline code. ``level`` is that of a heading, ``note`` the
    name of the footnote that the block is.
    """

    kind: BlockKind
    body: Normalised
    level: int = 0
    cells: tuple[tuple[int, int], ...] = ()
    code: tuple[tuple[int, int], ...] = ()
    header: bool = False
    note: str = ""

    @property
    def text(self) -> str:
        """The visible text."""
        return self.body.text


def guess_format(text: str) -> Format:
    """Return ``html`` for a text that opens with an element of a page, else ``markdown``."""
    for match in re.finditer(
        r"<(?:!doctype\b|/?([a-zA-Z][a-zA-Z0-9]{0,12})(?=[\s/>]))", text[:2048], re.IGNORECASE
    ):
        if match[1] is None or match[1].lower() in BLOCK_TAGS | {"span", "br"}:
            return "html"
    return "markdown"


def blocks_of(text: str, kind: Format, *, notes: bool = False) -> list[Block]:
    """Return the blocks of ``text`` in order; ``notes`` writes a page's note marks as ``[^name]``."""
    if kind == "html":
        from capital_kit.citations._pages import page_blocks

        return page_blocks(text, notes=notes)
    return list(_line_blocks(text, markdown=kind == "markdown"))


def lines_of(text: str) -> list[tuple[int, int]]:
    """Return the spans of the lines, without their ends; only CR and LF end a line."""
    spans = []
    for match in _LINE.finditer(text):
        if match.start() == len(text) and match.start() > 0 and text[-1] not in "\r\n":
            break
        start, end = match.span()
        while end > start and text[end - 1] in "\r\n":
            end -= 1
        spans.append((start, end))
    if len(spans) > 1 and spans[-1][0] == spans[-1][1] == len(text):
        spans.pop()
    return spans


def _line_blocks(text: str, *, markdown: bool) -> Iterator[Block]:
    """Cut by lines: a blank line, a mark at the head of a line or a table ends a block."""
    masked = _COMMENT.sub(lambda m: re.sub(r"[^\r\n]", " ", m[0]), text)
    return _Cutter(masked, markdown=markdown).blocks()


class _Cutter:
    """Walks over the lines of a text and holds the block that is being read."""

    def __init__(self, text: str, *, markdown: bool) -> None:
        self.text = text
        self.markdown = markdown
        self.lines = lines_of(text)
        self.held: list[Span] = []
        self.kind: BlockKind = "paragraph"
        self.note = ""
        self.fence = ""
        self.table = False

    def blocks(self) -> Iterator[Block]:
        for number, (start, end) in enumerate(self.lines):
            line = self.text[start:end]
            if self.fence:
                yield from self._code(line, start)
            elif number == 0 and self._opens_front_matter(line):
                self.fence = "---"
            else:
                yield from self._line(number, line, _read_line(line, markdown=self.markdown))
        yield from self._release()

    def _opens_front_matter(self, line: str) -> bool:
        if not self.markdown or line.rstrip() != "---":
            return False
        return any(self.text[start:end].rstrip() == "---" for start, end in self.lines[1:60])

    def _code(self, line: str, start: int) -> Iterator[Block]:
        closing = line.strip()
        if closing.startswith(self.fence) and not closing.strip(self.fence[0]):
            self.fence = ""
        else:
            yield Block("code", unchanged(line, start))

    def _line(self, number: int, line: str, step: _Step) -> Iterator[Block]:
        start, end = self.lines[number]
        if step.kind == "table-rule":
            if len(self.held) == 1 and "|" in self.text[slice(*self.held[0])]:
                yield _row(self.text, self.held.pop(), header=True)
                self.table = True
            return
        if self.table and step.kind == "more" and "|" in line:
            step = _Step("row", 0)
        if step.kind != "more":
            yield from self._release()
        self.table = self.table and step.kind == "row"
        if step.kind in {"more", "item"}:
            if not self.held:
                self.kind, self.note = "item" if step.kind == "item" else "paragraph", step.note
            self.held.append((start + step.skip, end))
        elif step.kind == "fence":
            self.fence = step.fence
        elif step.kind == "row":
            yield _row(self.text, (start, end), header=self._is_header(number))
        elif step.kind == "heading":
            span = (start + step.skip, end)
            yield _text_block(self.text, [span], "heading", markdown=True, level=step.level)

    def _is_header(self, number: int) -> bool:
        following = self.text[slice(*self.lines[number + 1])] if number + 1 < len(self.lines) else ""
        header = bool(_TABLE_RULE.match(following)) and "|" in following
        self.table = self.table or header
        return header

    def _release(self) -> Iterator[Block]:
        if self.held:
            block = _text_block(self.text, self.held, self.kind, markdown=self.markdown)
            yield replace(block, note=self.note) if self.note else block
            self.held = []


@dataclass(frozen=True, slots=True)
class _Step:
    kind: Literal["more", "item", "heading", "row", "table-rule", "blank", "fence"]
    skip: int
    level: int = 0
    fence: str = ""
    note: str = ""


def _read_line(line: str, *, markdown: bool) -> _Step:
    """Say what a line begins, and how many characters of marks it begins with."""
    if not line.strip():
        return _Step("blank", 0)
    skip = 0
    if markdown:
        fence = _FENCE.match(line)
        if fence:
            return _Step("fence", 0, fence=fence[1])
        quote = _QUOTE.match(line)
        skip = quote.end() if quote else 0
        heading = _HEADING.match(line, skip)
        if heading:
            return _Step("heading", heading.end(), level=len(heading[1]))
        if _TABLE_RULE.match(line) and "|" in line:
            return _Step("table-rule", 0)
        if line.lstrip().startswith("|"):
            return _Step("row", 0)
    if _RULE.match(line):
        return _Step("blank", 0)
    item = _ITEM.match(line, skip)
    return _Step("item", item.end(), note=item["note"] or "") if item else _Step("more", skip)


def _text_block(
    text: str, spans: list[tuple[int, int]], kind: BlockKind, *, markdown: bool, level: int = 0,
) -> Block:  # fmt: skip
    body = joined([unchanged(text[start:end], start) for start, end in spans], "\n")
    return _finished(body, kind, markdown=markdown, level=level)


def _finished(body: Normalised, kind: BlockKind, *, markdown: bool, level: int = 0) -> Block:
    if not markdown:
        return Block(kind, body, level)
    found = _CODE_SPAN.finditer(body.text) if "`" in body.text else ()
    quoted = [(body.starts[m.start(2)], body.ends[m.end(2) - 1]) for m in found]
    plain = rewrite(body, _INLINE, lambda m: "" if m["off"] is not None else m[0])
    return Block(kind, plain, level, code=tuple(_inside(plain, quoted)))


def _inside(body: Normalised, spans: Iterable[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """Translate spans of the original into spans of ``body``."""
    at = 0
    for start, end in spans:
        while at < len(body.text) and body.starts[at] < start:
            at += 1
        first = at
        while at < len(body.text) and body.starts[at] < end:
            at += 1
        yield first, at


def _row(text: str, span: tuple[int, int], *, header: bool) -> Block:
    start, end = span
    line = text[start:end]
    bounds = [m.start() for m in re.finditer(r"(?<!\\)\|", line)]
    edges = [-1, *bounds, len(line)]
    parts, code = [], []
    for left, right in pairwise(edges):
        if line[left + 1 : right].strip() or 0 < left < right < len(line):
            cell = _finished(unchanged(line[left + 1 : right], start + left + 1), "row", markdown=True)
            parts.append(cell.body)
            code.append(cell.code)
    return row_block(parts, header=header, code=code)


def row_block(
    parts: list[Normalised], *, header: bool, code: list[tuple[tuple[int, int], ...]] | None = None,
) -> Block:  # fmt: skip
    """Return the row whose cells are ``parts``."""
    cells, spans, at = [], [], 0
    for index, part in enumerate(parts):
        cells.append((at, at + len(part.text)))
        spans += [(at + first, at + last) for first, last in (code[index] if code else ())]
        at += len(part.text) + 1
    return Block("row", joined(parts, SEPARATOR), cells=tuple(cells), code=tuple(spans), header=header)


def joined(parts: list[Normalised], between: str) -> Normalised:
    """Return the parts as one text with ``between`` (one character) between them."""
    if len(parts) == 1:
        return parts[0]
    whole = unchanged("")
    pieces = []
    for index, part in enumerate(parts):
        if index:
            edge = whole.ends[-1] if whole.ends else (part.starts[0] if part.starts else 0)
            pieces.append(between)
            whole.starts.append(edge)
            whole.ends.append(edge)
        pieces.append(part.text)
        whole.starts.extend(part.starts)
        whole.ends.extend(part.ends)
    return Normalised("".join(pieces), whole.starts, whole.ends)
