"""Factual claims without a citation: sentences with figures that no anchor stands for."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from capital_kit._core.normalise import HAN, LETTER, normalise
from capital_kit.citations._blocks import Block
from capital_kit.citations._claims import Parsed, Sentence
from capital_kit.citations._grammar import LABEL_WORDS, REFERENCE_HEADINGS
from capital_kit.citations._keywords import Token, tokens

_DATE_UNITS = frozenset({"年", "月", "日", "号", "季度"})
_LABELLED = re.compile(rf"(?:{'|'.join(map(re.escape, LABEL_WORDS))})[ .]?$")
_DATE = re.compile(r"[0-9]{4}[-/.][0-9]{1,2}(?:[-/.][0-9]{1,2})?")
_REGISTERED = re.compile(r"[0-9]{5}")
_FOOTNOTE = re.compile(r"\s*\[\^[^\]\s]{1,40}\]:")
_BARE_DATE = 12


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


def find_uncited(parsed: Parsed, text: str) -> Coverage:
    """Search a report for factual claims without a citation."""
    order = sorted(parsed.sentences, key=lambda sentence: sentence.start)
    waived = _waived(order, parsed.waivers)
    factual = [
        (index, sentence) for index, sentence in enumerate(_in_body(order, text)) if sentence is not None
        and is_factual(sentence.text)
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
    """Whether a sentence holds a figure with unit, comparator or magnitude, or a registry number."""
    plain = normalise(text).text
    figures = [token for token in tokens(plain) if _is_figure(token, plain)]
    if not figures:
        return False
    if all(_is_date(token) for token in figures):
        rest = re.sub(rf"[^{HAN}{LETTER}]", "", plain)
        return len(rest) > _BARE_DATE
    return True


def _is_figure(token: Token, text: str) -> bool:
    if token.kind == "id":
        return bool(_REGISTERED.search(token.text)) or bool(_DATE.fullmatch(token.text))
    number = token.number
    if number is None or _LABELLED.search(text[max(0, number.start - 12) : number.start]):
        return False
    return bool(number.unit or number.comparator or number.currency)


def _is_date(token: Token) -> bool:
    if token.kind == "id":
        return bool(_DATE.fullmatch(token.text))
    return token.number is not None and token.number.unit in _DATE_UNITS


def _waived(order: Sequence[Sentence], waivers: Sequence[tuple[int, str]]) -> set[int]:
    """Return the sentences that a waiver stands behind."""
    starts = [sentence.start for sentence in order]
    return {bisect_right(starts, position) - 1 for position, _ in waivers if starts}
