"""Locators of text sources: toc keys, headings, lines. A locator that is not there is not there."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from capital_kit._core.normalise import SEPARATOR
from capital_kit.citations._blocks import blocks_of
from capital_kit.citations._extract import TextSource
from capital_kit.citations._sources import Refused

_LINES = re.compile(r"line:([0-9]{1,9})(?:-([0-9]{1,9}))?")
_LEADERS = re.compile(r"(?:\.{3,}|…{1,20}|·{3,}|．{3,})[ .…·]{0,200}[0-9]{1,5}\s*$")
_NUMBER = re.compile(r"[0-9A-Za-z]{1,12}(?:[.\-][0-9A-Za-z]{1,8}){0,8}")
_HEAD = re.compile(
    rf"[ \t]{{0,8}}(?P<marks>#{{1,6}})?[ \t]{{0,8}}(?P<sign>§)?[ \t]{{0,3}}"
    rf"(?P<number>{_NUMBER.pattern})\.?(?P<after>.?)"
)
# A marked heading is never ended by one with a weaker mark.
_RANK = {"h": 0, "#": 0, "§": 1, "bare": 2}


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of a source: its number, its rank, and where its line begins and ends."""

    number: str
    level: int
    style: str
    start: int


def locate_evidence(source: TextSource, locator: str) -> str:
    """Return the lines that an evidence locator names, or the whole text."""
    if not locator:
        return source.text_of(0, len(source.raw))
    return _by_lines(source, locator)


def locate_guideline(source: TextSource, locator: str, toc: Mapping[str, Any] | None) -> str:
    """Return the section of a guideline.

    Raises
    ------
    Refused
        ``locator_not_found``.
    """
    if not locator:
        return source.text_of(0, len(source.raw))
    if toc is not None and locator in toc:
        return _by_toc(source, toc, locator)
    if _LINES.fullmatch(locator):
        if source.kind == "pdf":
            raise Refused("locator_not_found")
        return _by_lines(source, locator)
    if toc is not None:
        raise Refused("locator_not_found")
    return _by_heading(source, locator)


def _by_lines(source: TextSource, locator: str) -> str:
    match = _LINES.fullmatch(locator)
    if match is None:
        raise Refused("locator_not_found")
    first = int(match[1])
    return _lines(source, first, int(match[2]) if match[2] else first)


def _lines(source: TextSource, first: int, last: int) -> str:
    if not 1 <= first <= last <= len(source.lines):
        raise Refused("locator_not_found")
    return source.text_of(source.lines[first - 1][0], source.lines[last - 1][1])


def _by_toc(source: TextSource, toc: Mapping[str, Any], key: str) -> str:
    unit = "page" if source.kind == "pdf" else "line"
    count = len(source.pages) if unit == "page" else len(source.lines)
    first = _place(toc[key], f"start_{unit}")
    last = _place(toc[key], f"end_{unit}") if isinstance(toc[key], Mapping) else None
    if first is None or (isinstance(toc[key], Mapping) and last is None and f"end_{unit}" in toc[key]):
        raise Refused("locator_not_found")
    if last is None:
        starts = [
            start for value in toc.values() if (start := _place(value, f"start_{unit}")) and start > first
        ]
        last = min(starts) - 1 if starts else count
    if unit == "line":
        return _lines(source, first, last)
    if not 1 <= first <= last <= count:
        raise Refused("locator_not_found")
    return "\n".join(source.pages[first - 1 : last])


def _place(value: Any, name: str) -> int | None:
    text = value.get(name) if isinstance(value, Mapping) else value
    return int(text) if isinstance(text, str) and re.fullmatch(r"[0-9]{1,9}", text) else None


def guideline_places(source: TextSource, toc: Mapping[str, Any] | None) -> list[str]:
    """Return the locators that a guideline has: the keys of its toc, else its numbered headings."""
    if toc is not None:
        return list(toc)
    numbers = Counter(heading.number for heading in headings_of(source) if heading.number)
    return [f"§{number}" for number, count in numbers.items() if count == 1]


def headings_of(source: TextSource) -> list[Heading]:
    """Return the headings of a source in order; those without a number end sections all the same."""
    return _page_headings(source) if source.kind == "html" else _line_headings(source)


def _by_heading(source: TextSource, locator: str) -> str:
    wanted = locator.removeprefix("§").strip()
    if not _NUMBER.fullmatch(wanted):
        raise Refused("locator_not_found")
    headings = headings_of(source)
    found = [index for index, heading in enumerate(headings) if heading.number == wanted]
    if len(found) != 1:
        raise Refused("locator_not_found")
    return source.text_of(headings[found[0]].start, section_end(source, headings, found[0]))


def section_end(source: TextSource, headings: Sequence[Heading], index: int) -> int:
    """Return where the section of a heading ends: at the next one that is not inside it."""
    target = headings[index]
    for heading in headings[index + 1 :]:
        inner = heading.number.startswith(target.number + ".")
        above = _RANK[heading.style] < _RANK[target.style]
        if above or (heading.style == target.style and heading.level <= target.level and not inner):
            return heading.start
    return len(source.raw)


def _line_headings(source: TextSource) -> list[Heading]:
    found: list[Heading] = []
    fenced = False
    for start, end in source.lines:
        line = source.raw[start : min(end, start + 300)]
        if source.kind == "markdown" and line.lstrip().startswith(("```", "~~~")):
            fenced = not fenced
        match = None if fenced else _HEAD.match(line)
        if match is None or _LEADERS.search(line):
            if (
                not fenced
                and source.kind == "markdown"
                and (marks := re.match(r"[ ]{0,3}(#{1,6})[ \t]", line))
            ):
                found.append(Heading("", len(marks[1]), "#", start))
            continue
        heading = _heading(match, line, start, markdown=source.kind == "markdown")
        if heading is not None:
            found.append(heading)
    return found


def _heading(match: re.Match[str], line: str, start: int, *, markdown: bool) -> Heading | None:
    number, after = match["number"], match["after"]
    apart = not after or not (after.isascii() and (after.isalnum() or after in "%/-_"))
    dots = number.count(".") + 1
    if match["marks"] and markdown:
        return Heading(number if apart else "", len(match["marks"]), "#", start)
    if not apart:
        return None
    if match["sign"]:
        return Heading(number, dots, "§", start)
    # Without a mark only "5.2 Title": dotted, short, and no sentence.
    plain = re.fullmatch(r"[0-9]{1,3}(?:\.[0-9]{1,3}){1,6}", number) and after in {" ", "\t", "\u3000"}
    title = line[match.end("number") :].strip()
    if (
        plain
        and 1 < len(title) <= 60
        and not re.search(r"[。；，,;]|\.$", title)
        and not re.match(r"[%a-zμ±~–-]", title)
    ):
        return Heading(number, dots, "bare", start)
    return None


def _page_headings(source: TextSource) -> list[Heading]:
    found = []
    for block in blocks_of(source.raw, "html"):
        if block.kind == "heading" and block.level:
            match = _HEAD.match(block.text.strip())
            number = (
                match["number"]
                if match and not (match["after"].isascii() and match["after"].isalnum())
                else ""
            )
            found.append(Heading(number, block.level, "h", block.body.starts[0]))
    return found


def shown(text: str) -> str:
    """Return a section as people read it; each character keeps its place."""
    return text.replace(SEPARATOR, "\n")
