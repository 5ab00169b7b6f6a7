"""The annotated report: its text with every anchor marked, and what the sources say beside it."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby, pairwise
from pathlib import Path
from typing import TYPE_CHECKING

from capital_kit._core.html import Html, badge, facts, join, tag
from capital_kit._core.labels import tr
from capital_kit._core.page import page
from capital_kit.citations._anchor import ANCHOR_OR_STORED
from capital_kit.citations._blocks import Block
from capital_kit.citations._cards import figures, marked
from capital_kit.citations._claims import report_blocks

if TYPE_CHECKING:
    from capital_kit.citations._report import CitationVerdict, ReportVerdict

_STYLE = Path(__file__).with_name("annotated.css")
_DEEPEST = 5

Numbered = tuple[int, "CitationVerdict"]


@dataclass(slots=True)
class _Line:
    """A block of the report with what is drawn into it, at places of its text.

    ``styles`` are spans with their class; ``chips`` take the place of a span; ``entries`` stand
    beside the block.
    """

    block: Block
    styles: list[tuple[int, int, str]] = field(default_factory=list)
    chips: dict[tuple[int, int], list[Html]] = field(default_factory=dict)
    entries: list[Numbered] = field(default_factory=list)

    def place(self, start: int, end: int) -> tuple[int, int]:
        """Return where a span of the report stands in the block."""
        starts = self.block.body.starts
        return bisect_left(starts, start), bisect_left(starts, end)


def annotated_page(verdict: ReportVerdict) -> str:
    """Return the report as a page of its own, with its verdicts."""
    title = tr("citations.card.page_title")
    passed = (
        tr("citations.card.passed") if verdict.ok else tr("citations.card.blocked", n=len(verdict.findings))
    )
    head = join([
        tag("h1", title), tag("p", tr("citations.card.subtitle"), class_="ck-lead"),
        badge(passed, "ok" if verdict.ok else "bad"), facts(figures(verdict)), _todo(verdict),
    ])  # fmt: skip
    rows = groupby(_lines(verdict), key=lambda line: line.block.kind == "row")
    body = join(
        _table(list(group)) if is_row else join(map(_row, group)) for is_row, group in rows
    )  # fmt: skip
    sheet = tag("article", body, class_="ck-sheet", aria_label=tr("citations.page.report"))
    return page(title, join([head, sheet]), styles=_STYLE.read_text(encoding="utf-8"))


def _todo(verdict: ReportVerdict) -> Html:
    """Return the list of what keeps the report from passing, each with a link to its place."""
    if verdict.ok:
        return Html("")
    bad = [number for number, item in enumerate(verdict.citations, 1) if not item.verified]
    links = [f"#n-{number}" for number in range(1, len(verdict.near_misses) + 1)]
    links += [f"#c-{number}" for number in bad]
    links += [f"#u-{number}" for number in range(1, len(verdict.uncited) + 1)]
    items = [
        tag("li", tag("a", notice.message, href=link))
        for notice, link in zip(verdict.findings, links, strict=True)
    ]
    return tag("section", tag("h2", tr("citations.page.findings")), tag("ul", *items), class_="ck-todo")


def _lines(verdict: ReportVerdict) -> list[_Line]:
    lines = [_Line(block) for block in report_blocks(verdict.text, verdict.format) if block.body.starts]
    begins = [line.block.body.starts[0] for line in lines]

    def at(position: int) -> _Line:
        return lines[max(0, bisect_right(begins, position) - 1)]

    for number, item in enumerate(verdict.citations, 1):
        home = at(item.position)
        home.entries.append((number, item))
        home.chips.setdefault(home.place(item.position, item.end), []).append(_chip(number, item))
        said = at(item.claim_span[0])
        said.styles += _words(said, item)
    for number, claim in enumerate(verdict.uncited, 1):
        home = at(claim.position)
        start, end = home.place(claim.position, claim.end)
        home.styles.append((start, end, "ck-bare"))
        home.chips.setdefault((end, end), []).append(_label(f"u-{number}", tr("citations.page.uncited")))
    for number, miss in enumerate(verdict.near_misses, 1):
        home = at(miss.position)
        end = home.place(miss.position, miss.end)[1]
        home.chips.setdefault((end, end), []).append(_label(f"n-{number}", tr("citations.page.near_miss")))
    return lines


def _chip(number: int, item: CitationVerdict) -> Html:
    """Return the mark of an anchor: its number, a sign, a word and the anchor itself."""
    return tag(
        "a", f"[{number}] {_state(item)} ", tag("code", item.anchor_str), href=f"#v-{number}",
        id=f"c-{number}", class_=f"ck-anchor {_tone(item)}",
    )  # fmt: skip


def _label(name: str, text: str) -> Html:
    return tag("span", f"! {text}", id=name, class_="ck-anchor ck-warn")


def _state(item: CitationVerdict) -> str:
    return f"✓ {tr('citations.card.verified')}" if item.verified else f"✗ {tr('citations.card.unverified')}"


def _tone(item: CitationVerdict) -> str:
    return "ck-ok" if item.verified else "ck-bad"


def _words(line: _Line, item: CitationVerdict) -> Iterator[tuple[int, int, str]]:
    """Yield where the matched words of a claim stand in it, and the missing ones."""
    start, end = line.place(*item.claim_span)
    text = ANCHOR_OR_STORED.sub(lambda anchor: " " * len(anchor[0]), line.block.text[start:end])
    for words, name in ((item.matched_keywords, "ck-hit"), (item.missing_keywords, "ck-lack")):
        for word in words:
            at = _find(text, word)
            if at >= 0:
                yield start + at, start + at + len(word), name


def _find(text: str, word: str) -> int:
    """Return where a word stands that is no part of a longer word or number; -1 if nowhere."""
    at = text.find(word)
    while at >= 0:
        before, after = text[max(0, at - 1) : at], text[at + len(word) : at + len(word) + 1]
        opens = _is_latin(word[:1]) and (_is_latin(before) or before == ".")
        if not opens and not (_is_latin(word[-1:]) and _is_latin(after)):
            return at
        at = text.find(word, at + 1)
    return -1


def _is_latin(char: str) -> bool:
    return char.isascii() and char.isalnum()


def _drawn(line: _Line, first: int, last: int) -> Html:
    """Return ``text[first:last]`` of a block with its marks; a chip stands in place of its anchor."""
    parts: list[Html] = []
    runs = _runs(line, first, last)
    ends = [end for _, end, _ in runs]

    def put(start: int, end: int) -> None:
        for index in range(bisect_right(ends, start), len(runs)):
            left, right, names = runs[index]
            if left >= end:
                break
            parts.append(_styled(line.block.text[max(left, start) : min(right, end)], names))

    at = first
    for start, end in sorted(span for span in line.chips if first <= span[0] and span[1] <= last):
        put(at, start)
        parts += line.chips[(start, end)]
        at = max(at, end)
    put(at, last)
    return join(parts)


def _runs(line: _Line, first: int, last: int) -> list[tuple[int, int, set[str]]]:
    """Cut a stretch of a block into runs of one look: start, end and the classes on them."""
    changes: dict[int, Counter[str]] = {first: Counter(), last: Counter()}
    for start, end, name in line.styles:
        left, right = max(start, first), min(end, last)
        if left < right:
            changes.setdefault(left, Counter())[name] += 1
            changes.setdefault(right, Counter())[name] -= 1
    active: Counter[str] = Counter()
    runs = []
    for left, right in pairwise(sorted(changes)):
        active.update(changes[left])
        runs.append((left, right, {name for name, count in active.items() if count > 0}))
    return runs


def _styled(text: str, names: set[str]) -> Html:
    if "ck-hit" in names:
        return tag("mark", text)
    if "ck-lack" in names:
        return tag("mark", text, class_="ck-lack", title=tr("citations.card.missing"))
    return tag("span", text, class_="ck-bare") if names else join([text])


def _row(line: _Line) -> Html:
    block = line.block
    words = _drawn(line, 0, len(block.text))
    if block.kind == "heading":
        said = tag(f"h{min(_DEEPEST, max(1, block.level) + 1)}", words)
    elif block.kind == "item":
        said = tag("ul", tag("li", words))
    else:
        said = tag("pre" if block.kind == "code" else "p", words)
    return _beside(said, line.entries)


def _table(lines: Sequence[_Line]) -> Html:
    rows = [
        tag(
            "tr",
            *(tag("th" if line.block.header else "td", _drawn(line, *cell)) for cell in line.block.cells),
        )
        for line in lines
    ]
    table = tag("div", tag("table", tag("tbody", *rows)), class_="ck-scroll", tabindex="0")
    return _beside(table, [entry for line in lines for entry in line.entries])


def _beside(said: Html, entries: Sequence[Numbered]) -> Html:
    left = tag("div", said, class_="ck-said")
    if not entries:
        return tag("div", left, class_="ck-line")
    return tag("div", left, tag("aside", *map(_entry, entries)), class_="ck-line ck-beside")


def _entry(numbered: Numbered) -> Html:
    number, item = numbered
    back = tag("a", f"[{number}]", href=f"#c-{number}")
    parts: list[Html] = [
        tag("header", back, tag("b", _state(item)), tag("code", item.anchor_str)),
    ]
    if item.code == "missing":
        chips = [tag("span", word, class_="ck-lost") for word in item.missing_keywords]
        parts.append(tag("p", f"{tr('citations.card.missing')} ", *chips))
    elif not item.verified:
        parts.append(tag("p", item.message, class_="ck-reason"))
    parts += [tag("p", "! ", notice.message, class_="ck-from") for notice in item.warnings]
    if item.source_excerpt:
        parts.append(tag("blockquote", marked(item.source_excerpt, item.excerpt_spans, style=None)))
        parts.append(tag("p", item.source_path or "", class_="ck-from"))
    return tag("section", *parts, id=f"v-{number}", class_=f"ck-entry {_tone(item)}")
