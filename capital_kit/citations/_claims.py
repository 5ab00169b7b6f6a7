"""Claims: which words of a report an anchor stands for."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Literal

from capital_kit._core.normalise import SEPARATOR
from capital_kit.citations._anchor import Citation, NearMiss, anchors, citation_of, find_near_misses
from capital_kit.citations._blocks import Block, Format, blocks_of, guess_format
from capital_kit.citations._grammar import CLOSERS, OPENING, SOURCE_LABELS
from capital_kit.citations._sentences import Span, sentences

LONGEST_CLAIM = 600
_BETWEEN = re.compile(r"[\s、,;，；\u00a0]*(?:(?:以及|和|及|与|and)[\s、,;，；\u00a0]*)?")
_BARE = {stored: re.sub(r"\?P<\w+>", "?:", anchors(stored=stored).pattern) for stored in (False, True)}
_ANCHORS = {key: re.compile(rf"{one}(?:{_BETWEEN.pattern}{one})*") for key, one in _BARE.items()}
_INLINE_KEYWORDS = re.compile(r"\{kw:([^{}\r\n]{1,500})\}[ \t]*")
_NOTE_MARK = re.compile(r"\[\^([^\]\s]{1,40})\](?!:)")
_WAIVER = re.compile(r"<!--\s{0,9}cite:none\b([^>]{0,500}?)-->")
_SUBSTANCE = re.compile(
    r"[0-9]|[\u3400-\u9fff](?:[^\u3400-\u9fff]*[\u3400-\u9fff]){3}|[A-Za-z]{2,}\W+[A-Za-z]{2,}"
)

_LABEL = rf"(?:{'|'.join(sorted(SOURCE_LABELS, key=len, reverse=True))})\s{{0,3}}[.:：]?"
_EDGE = rf"[\s{re.escape(OPENING + CLOSERS)}]"
_EMPTY_EDGE = re.compile(rf"{_EDGE}*(?:{_LABEL})?{_EDGE}*", re.IGNORECASE)
_LONGEST_EDGE = 64
_EMPTY_BRACKETS = re.compile(rf"[(（\[【]\s{{0,9}}(?:{_LABEL})?[\s、,;，；]{{0,20}}[)）\]】]", re.IGNORECASE)
_LABEL_ONLY = re.compile(rf"^[\s{re.escape(OPENING)}]*{_LABEL}(?=\W|$)", re.IGNORECASE)

Context = Literal["sentence", "row", "item", "heading"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """One anchor of a report and the words it stands for.

    ``position`` and ``end`` are the anchor's place in the report, ``claim_span`` that of the
    claim. Anchors with the same ``group`` stand side by side and share their claim.
    """

    citation: Citation
    position: int
    end: int
    raw: str
    claim_sentence: str
    claim_text: str
    claim_span: Span
    group: int
    context: Context
    keywords: tuple[str, ...] = ()


@dataclass(slots=True, kw_only=True)
class Sentence:
    """A sentence or row of a report, for the search of claims without a citation."""

    text: str
    start: int
    end: int
    block: Block
    cited: bool


@dataclass(frozen=True, slots=True)
class Parsed:
    """A report, read: its claims, its sentences and its waivers."""

    claims: list[Claim]
    sentences: list[Sentence]
    waivers: list[tuple[int, str]]
    blocks: list[Block]


@dataclass(slots=True)
class _Mark:
    """An anchor inside a block; that of a footnote stands where the mark of the note does.

    ``place`` is where the anchor itself stands in the report.
    """

    start: int
    end: int
    citation: Citation
    place: Span
    keywords: tuple[str, ...] = ()


@dataclass(slots=True)
class _State:
    notes: dict[str, list[_Mark]]
    stored: bool = False
    claims: list[Claim] = field(default_factory=list)
    sentences: list[Sentence] = field(default_factory=list)
    groups: int = 0
    last: tuple[Block, Span, Sentence] | None = None


def parse_report(
    text: str, report_format: Format | Literal["auto"] = "auto", *, stored: bool = False
) -> Parsed:
    """Read a report; ``stored`` admits the anchors of stored query results."""
    blocks = report_blocks(text, report_format)
    state = _State(_notes(blocks, stored=stored), stored)
    for block in blocks:
        if block.kind == "code" or block.note in state.notes:
            continue
        marks = _marks(block, state.notes, stored=stored)
        (_read_row if block.kind == "row" else _read_sentences)(state, block, marks, text)
    waivers = [(m.start(), m[1].strip()) for m in _WAIVER.finditer(text) if m[1].strip()]
    return Parsed(state.claims, state.sentences, waivers, blocks)


def report_blocks(text: str, report_format: Format | Literal["auto"]) -> list[Block]:
    """Return the blocks of a report."""
    kind = guess_format(text) if report_format == "auto" else report_format
    return blocks_of(text, kind, notes=True)


def near_misses(text: str, blocks: list[Block], *, stored: bool = False) -> list[NearMiss]:
    """Return the near misses of a report's blocks, outside its code."""
    found = []
    for block in blocks:
        for miss in find_near_misses(block.text, stored=stored) if block.kind != "code" else ():
            if any(start <= miss.position < end for start, end in block.code):
                continue
            position, end = block.body.span(miss.position, miss.end)
            found.append(replace(miss, raw=text[position:end], position=position, end=end))
    return found


def _notes(blocks: list[Block], *, stored: bool) -> dict[str, list[_Mark]]:
    """Return the anchors of the footnotes that are marked somewhere, by the names of the notes."""
    marked = {match[1] for block in blocks if "[^" in block.text for match in _NOTE_MARK.finditer(block.text)}
    notes: dict[str, list[_Mark]] = {}
    for block in blocks:
        if block.note in marked and block.note not in notes and (found := _marks(block, {}, stored=stored)):
            notes[block.note] = found
    return notes


def _marks(block: Block, notes: Mapping[str, list[_Mark]], *, stored: bool) -> list[_Mark]:
    """Return the anchors of a block in order, those of its footnotes among them."""
    hints = {m.end(): m for m in _INLINE_KEYWORDS.finditer(block.text)} if "{" in block.text else {}
    found = []
    for match in anchors(stored=stored).finditer(block.text):
        if not _is_code(block, match.start()):
            hint = hints.get(match.start())
            words = tuple(part.strip() for part in hint[1].split(";") if part.strip()) if hint else ()
            place = _origin(block, match.start()), _origin_end(block, match.end())
            found.append(_Mark(match.start(), match.end(), citation_of(match), place, words))
    if notes and "[^" in block.text:
        for match in _NOTE_MARK.finditer(block.text):
            if match[1] in notes and not _is_code(block, match.start()):
                found += [replace(mark, start=match.start(), end=match.end()) for mark in notes[match[1]]]
        found.sort(key=lambda mark: mark.start)
    return found


def _is_code(block: Block, at: int) -> bool:
    if not block.code:
        return False
    index = bisect_right(block.code, at, key=lambda span: span[0]) - 1
    return index >= 0 and at < block.code[index][1]


def _grouped(block: Block, marks: list[_Mark]) -> list[list[_Mark]]:
    if len(marks) == 1:
        return [marks]
    groups: list[list[_Mark]] = []
    for mark in marks:
        between = block.text[groups[-1][-1].end : mark.start] if groups else ""
        if groups and _BETWEEN.fullmatch(_without_hints(between)):
            groups[-1].append(mark)
        else:
            groups.append([mark])
    return groups


def _read_row(state: _State, block: Block, marks: list[_Mark], text: str) -> None:
    edges = [cell[0] for cell in block.cells]
    holders = {bisect_right(edges, mark.start) for mark in marks}
    for group in _grouped(block, marks):
        own = block.cells[max(0, bisect_right(edges, group[0].start) - 1)]
        if len(holders) > 1:
            first = block.cells[0]
            pieces = (own,) if own == first else (first, own)
        else:
            own = (0, len(block.text))
            pieces = (own,)
        _emit(state, text, block, group, own, pieces, "row")
    row = _sentence(state, block, (0, len(block.text)), cited=bool(marks))
    state.sentences.append(row)
    if not _only_marks(block, marks):
        state.last = (block, (0, len(block.text)), row)


def _read_sentences(state: _State, block: Block, marks: list[_Mark], text: str) -> None:
    context: Context = {"heading": "heading", "item": "item"}.get(block.kind, "sentence")  # type: ignore[assignment]
    groups = _grouped(block, marks)
    if marks and _only_marks(block, marks) and state.last is not None:
        # Anchors that fill a block of their own belong to what was said just before.
        owner, span, sentence = state.last
        sentence.cited = True
        for group in groups:
            _emit(state, text, block, group, span, (span,), context, owner=owner)
        return
    spans = sentences(block.text, sorted({(m.start, m.end) for m in marks}))
    found = [_sentence(state, block, span) for span in spans]
    owned: dict[int, list[list[_Mark]]] = {}
    for group in groups:
        owned.setdefault(_owner(block, spans, group, marks), []).append(group)
    for index, members in sorted(owned.items()):
        found[index].cited = True
        for group, piece in zip(members, _shares(state, block, spans[index], members), strict=True):
            said = found[index].text if piece == spans[index] else None
            _emit(state, text, block, group, piece, (piece,), context, said=said)
    state.claims.sort(key=lambda claim: claim.position) if len(owned) > 1 else None
    state.sentences += found
    if block.kind != "heading" and spans:
        index = max((i for i, s in enumerate(found) if s.text.strip()), default=len(spans) - 1)
        state.last = (block, spans[index], found[index])


def _sentence(state: _State, block: Block, span: Span, *, cited: bool = False) -> Sentence:
    start, end = _place(block, span)
    said = _plain(block, (span,), stored=state.stored)
    return Sentence(text=said, start=start, end=end, block=block, cited=cited)


def _place(block: Block, span: Span) -> Span:
    """Return where a span stands in the report, without the blanks around it."""
    start, end = span
    while start < end and block.text[start].isspace():
        start += 1
    while end > start and block.text[end - 1].isspace():
        end -= 1
    return _origin(block, start), _origin_end(block, end)


def _owner(block: Block, spans: list[Span], group: list[_Mark], marks: list[_Mark]) -> int:
    """Return the sentence a group speaks of: its own, or the one before when nothing precedes it."""
    at = max(0, bisect_right(spans, group[0].start, key=lambda span: span[0]) - 1)
    start, end = spans[at]
    if at > 0 and _is_edge(_outside(block.text, start, group[0].start, marks)):
        return at - 1
    ignored = CLOSERS + " \t\r\n\u00a0\u3000.。"
    bare = not any(part.strip(ignored) for part in _outside(block.text, start, end, marks))
    return at + 1 if bare and at + 1 < len(spans) else at


def _is_edge(parts: Iterator[str]) -> bool:
    """Whether nothing is said: blanks, brackets, "source:". Looks no further than it must."""
    edge = ""
    for part in parts:
        edge += part
        if len(edge) > _LONGEST_EDGE:
            return False
    return _EMPTY_EDGE.fullmatch(edge) is not None


def _shares(state: _State, block: Block, sentence: Span, groups: list[list[_Mark]]) -> list[Span]:
    """Divide a sentence among its groups: each takes the words since the group before it."""
    inside = [g for g in groups if sentence[0] <= g[0].start < sentence[1]]
    if len(groups) == 1 or len(inside) < len(groups):
        return [_capped(sentence, group[0]) for group in groups]
    edges = [sentence[0], *(group[-1].end for group in groups[:-1]), sentence[1]]
    shares = []
    for group, start, end in zip(groups, edges, edges[1:], strict=False):
        share = (start, end)
        if not _SUBSTANCE.search(_plain(block, (share,), stored=state.stored)):
            share = sentence
        shares.append(_capped(share, group[0]))
    return shares


def _capped(span: Span, mark: _Mark) -> Span:
    start, end = span
    if end - start <= LONGEST_CLAIM:
        return span
    if start <= mark.start < end:
        start = max(start, min(mark.start, end) - LONGEST_CLAIM)
        return start, min(end, max(mark.end, start + LONGEST_CLAIM))
    return (end - LONGEST_CLAIM, end) if mark.start >= end else (start, start + LONGEST_CLAIM)


def _emit(
    state: _State, text: str, block: Block, group: list[_Mark], span: Span, pieces: tuple[Span, ...],
    context: Context, owner: Block | None = None, said: str | None = None,
) -> None:  # fmt: skip
    home = owner or block
    state.groups += 1
    hints = tuple(word for mark in group for word in mark.keywords)
    sentence = " | ".join(home.text[a:b].replace(SEPARATOR, " | ").strip() for a, b in pieces)
    claim_text = _plain(home, pieces, stored=state.stored) if said is None else said
    for mark in group:
        position, end = mark.place
        state.claims.append(Claim(
            citation=mark.citation, position=position, end=end, raw=text[position:end],
            claim_sentence=sentence, claim_text=claim_text,
            claim_span=_place(home, span), group=state.groups, context=context, keywords=hints,
        ))  # fmt: skip


def _plain(block: Block, pieces: tuple[Span, ...], *, stored: bool) -> str:
    """Return the words of the pieces without anchors and inline keywords, blanks in one."""
    parts = []
    for start, end in pieces:
        whole = block.text[start:end]
        bare = _without_hints(whole)
        bare = _ANCHORS[stored].sub(" ", _NOTE_MARK.sub("", bare)) if "[" in bare else bare
        bare = _EMPTY_BRACKETS.sub(" ", bare) if bare != whole else bare
        parts += [" ".join(part.split()) for part in bare.split(SEPARATOR)]
    joined = " | ".join(part for part in parts if part)
    return re.sub(r" +(?=[。！？；，、.!?;,])", "", joined).lstrip(" ，,、;；").rstrip(" ，,、")


def _outside(text: str, start: int, end: int, marks: list[_Mark]) -> Iterator[str]:
    """Yield what stands between the anchors, without inline keywords."""
    at = start
    for index in range(bisect_left(marks, start, key=lambda mark: mark.start), len(marks)):
        mark = marks[index]
        if mark.start >= end or mark.end > end:
            break
        yield _without_hints(text[at : max(at, mark.start)])
        at = max(at, mark.end)
    yield _without_hints(text[at:end])


def _without_hints(text: str) -> str:
    return _INLINE_KEYWORDS.sub("", text) if "{" in text else text


def _only_marks(block: Block, marks: list[_Mark]) -> bool:
    rest = "".join(_outside(block.text, 0, len(block.text), marks))
    return not _LABEL_ONLY.sub("", rest).strip(
        OPENING + CLOSERS + " \t\r\n\u00a0\u3000。.、,，;；" + SEPARATOR
    )


def _origin(block: Block, at: int) -> int:
    return block.body.span(at, at + 1)[0] if at < len(block.text) else block.body.span(at, at)[0]


def _origin_end(block: Block, at: int) -> int:
    return block.body.ends[at - 1] if at > 0 else 0
