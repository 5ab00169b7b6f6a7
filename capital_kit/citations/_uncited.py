"""Factual claims without a citation: sentences with figures that no anchor stands for."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from capital_kit._core.normalise import HAN, LETTER
from capital_kit.citations._blocks import Block
from capital_kit.citations._claims import Parsed, Sentence
from capital_kit.citations._grammar import (
    HAN_MAGNITUDES,
    HAN_NUMERALS,
    LABEL_WORDS,
    REFERENCE_HEADINGS,
    REPORT_PARTS,
    REPORT_UNITS,
    SOURCE_LABELS,
)
from capital_kit.citations._keywords import Reading, Token, reading

_DATE_UNITS = frozenset({"年", "月", "日", "号", "季度"})
_LATIN_LABELS = "|".join(re.escape(word) for word in LABEL_WORDS if word.isascii())
_HAN_LABELS = "|".join(re.escape(word) for word in LABEL_WORDS if not word.isascii())
_LABELLED = re.compile(rf"(?:(?<![{LETTER}])(?:{_LATIN_LABELS})|{_HAN_LABELS})[ .]{{0,2}}$")
_DATE = re.compile(r"[0-9]{4}[-/.][0-9]{1,2}(?:[-/.][0-9]{1,2})?")
_REGISTERED = re.compile(r"[0-9]{5}")
_FOOTNOTE = re.compile(r"\s*\[\^[^\]\s]{1,40}\]:")
_ADDRESS = re.compile(r"https?://[^\s，。；（）]+|[\w.+-]{1,64}@[\w.-]{1,253}")
_SOURCE_LINE = re.compile(rf"\s*(?:{'|'.join(SOURCE_LABELS)})\s?[:：]", re.IGNORECASE)
_REPORT_PART = re.compile(f"个?(?:{'|'.join(REPORT_PARTS)})")
# A numbered line that is no sentence: "3.2 Methods".
_NUMBERED = re.compile(rf"\s*[0-9]{{1,2}}(?:\.[0-9]{{1,2}}){{1,3}}[ \t\u3000]+[{HAN}A-Z][^。！？；.!?;]*$")
_GENERATION = re.compile(r"[0-9]{1,2}[A-Z]")
_HAN_FIGURE = re.compile(
    "百分之[〇零一二三四五六七八九十百点]+|[一二两三四五六七八九十][一二三四五六七八九十百千]{0,6}"
    "(?:成(?![为本功立熟员分不])|[万亿倍])"
)
_NUMERALS = re.compile(rf"\d|[\u2070-\u2189\u2460-\u249b{HAN_NUMERALS}]")
_MONTH = re.compile(r" ?[0-9]{1,2}月")
_DATE_WORDS = re.compile(rf"[^{HAN}{LETTER}]|[0-9]+[年月日号]?")
_STOPS = ("。", "！", "？", ".", "!", "?", "；", "”", '"')
_STATEMENT = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class UncitedClaim:
    """A sentence or row with figures and no citation, and where it stands in the report."""

    text: str
    position: int
    end: int

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dict."""
        return {"text": self.text, "position": self.position, "end": self.end}


@dataclass(frozen=True, slots=True)
class Coverage:
    """What the search found: factual sentences, those with a citation, those waived, the rest."""

    factual: int
    cited: int
    waived: int
    uncited: tuple[UncitedClaim, ...]


def find_uncited(
    parsed: Parsed, text: str, known: Mapping[str, bool], patterns: Sequence[re.Pattern[str]] = (),
) -> Coverage:  # fmt: skip
    """Search a report for factual claims without a citation.

    ``known`` tells of sentences that were read before whether they are factual; what one of the
    caller's ``patterns`` finds is factual too.
    """
    order = sorted(parsed.sentences, key=lambda sentence: sentence.start)
    waived = _waived(order, parsed.waivers)
    factual = [
        (index, sentence) for index, sentence in enumerate(_in_body(order, text)) if sentence is not None
        and (
            (known[sentence.text] if sentence.text in known else is_factual(sentence.text))
            or any(pattern.search(sentence.text) for pattern in patterns)
        )
    ]  # fmt: skip
    cited = [index for index, sentence in factual if sentence.cited]
    excused = [index for index, sentence in factual if not sentence.cited and index in waived]
    uncited = tuple(
        UncitedClaim(text=sentence.text, position=sentence.start, end=sentence.end)
        for index, sentence in factual
        if not sentence.cited and index not in waived
    )
    return Coverage(len(factual), len(cited), len(excused), uncited)


def _in_body(order: Sequence[Sentence], text: str) -> Iterator[Sentence | None]:
    """Yield the sentences that may make claims; None for headings, headers and reference lists."""
    references = 0
    for sentence in order:
        block = sentence.block
        if block.kind == "heading":
            level = block.level or 1
            if sentence.text.strip(" :：0123456789.、").casefold() in REFERENCE_HEADINGS:
                references = level
            elif references and level <= references:
                references = 0
            yield None
        elif references or block.header or _is_footnote(block, text):
            yield None
        else:
            yield sentence


def _is_footnote(block: Block, text: str) -> bool:
    start = block.body.starts[0] if block.body.starts else 0
    line = text[max(text.rfind("\n", 0, start), text.rfind("\r", 0, start), start - 60, -1) + 1 : start]
    return block.kind == "item" and bool(_FOOTNOTE.match(line))


def is_factual(text: str) -> bool:
    """Whether a sentence holds a figure with unit, comparator, or decimals, or a registry number."""
    if not _NUMERALS.search(text):
        return False
    written = _ADDRESS.sub(" ", text)
    if _SOURCE_LINE.match(written):
        return False
    sentence = reading(written)
    plain = sentence.norm.text
    if any(_is_figure(token, sentence) for token in sentence.tokens) or _HAN_FIGURE.search(plain):
        return True
    # A day or month alone is a label; in a statement it says when something happened.
    dated = any(_is_dated(token, plain) for token in sentence.tokens)
    return dated and written.rstrip().endswith(_STOPS) and len(_DATE_WORDS.sub("", plain)) >= _STATEMENT


def _is_figure(token: Token, sentence: Reading) -> bool:
    text, written = sentence.norm.text, sentence.written
    if token.kind == "id":
        return bool(_REGISTERED.search(token.text)) and not _DATE.fullmatch(token.text)
    number = token.number
    if number is None:
        return False
    label = _LABELLED.search(text[max(0, number.start - 12) : number.start])
    sized = number.unit in {"%", "‰"} or (number.unit[:1] or " ") in HAN_MAGNITUDES
    if label and (label[0].startswith("第") or not sized):
        return False
    if not sized and not text[: number.start].strip() and _NUMBERED.match(written):
        return False
    if number.unit in _DATE_UNITS | REPORT_UNITS or _REPORT_PART.match(text, number.tail):
        return False
    if _GENERATION.fullmatch(written[slice(*sentence.norm.span(number.start, number.stop))]):
        return False
    if number.unit or number.comparator or number.currency:
        return True
    return "." in number.digits


def _is_dated(token: Token, text: str) -> bool:
    if token.kind == "id":
        return bool(_DATE.fullmatch(token.text))
    number = token.number
    return number is not None and number.unit == "年" and bool(_MONTH.match(text, number.stop))


def _waived(order: Sequence[Sentence], waivers: Sequence[tuple[int, str]]) -> set[int]:
    """Return the sentences that a waiver stands behind."""
    starts = [sentence.start for sentence in order]
    return {bisect_right(starts, position) - 1 for position, _ in waivers if starts}
