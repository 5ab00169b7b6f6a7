"""Matching: does every keyword of a claim stand in the section? Substrings with boundaries, no more."""

from __future__ import annotations

import re
from array import array
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

from capital_kit._core.normalise import HAN, LETTER, SEPARATOR, Normalised, normalise
from capital_kit.citations._grammar import HAN_FUNCTION, HAN_MAGNITUDES, HAN_NEGATORS, HAN_NUMERALS, NEGATORS
from capital_kit.citations._keywords import LONGEST_TWO_SHARE, Keyword, Number, has_charge, tokens

Span = tuple[int, int]
NEAR = 400
BESIDE = 16
_MOST_PLACES = 1000
_MOST_TRIES = 100_000
_LONGEST_RUN = 600
_WORDISH = re.compile(rf"[{LETTER}0-9]")
_HAN = re.compile(f"[{HAN}]")
_CLAUSE_END = re.compile(rf"[.,;:!?。(){SEPARATOR}]")
_LATIN_WORD = re.compile(rf"[{LETTER}']+")
_PARTS = re.compile(f"[{LETTER}]+")
_NUMERAL = re.compile(f"[{HAN_NUMERALS}]")


@dataclass(frozen=True, slots=True)
class Piece:
    """A matched piece of a keyword with all its places in the normalised section."""

    text: str
    places: tuple[Span, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What became of one keyword: its matched pieces and what is missing of it."""

    keyword: Keyword
    pieces: tuple[Piece, ...]
    missing: tuple[str, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether all of the keyword stands in the section."""
        return not self.missing


@dataclass(frozen=True)
class Index:
    """A section made ready for matching; built once, used for every claim that cites it.

    ``rows`` are the units of a section that has them: a claim takes its words from one of these,
    and from what stands before the first.
    """

    source: str
    loose_words: bool = False
    rows: tuple[Span, ...] = ()

    @cached_property
    def norm(self) -> Normalised:
        """The normalised section with its map."""
        return normalise(self.source)

    @cached_property
    def text(self) -> str:
        """The normalised section."""
        return self.norm.text

    @cached_property
    def _tokens(self) -> tuple[dict[str, list[Number]], dict[str, array[int]]]:
        numbers: dict[str, list[Number]] = {}
        words: defaultdict[str, array[int]] = defaultdict(lambda: array("I"))
        for token in tokens(self.text):
            if token.number is not None:
                numbers.setdefault(token.number.digits, []).append(token.number)
                # A unit is also a word of the text: "26 years" speaks of years.
                unit = self.text[token.number.tail : token.number.stop]
                if unit and not _HAN.match(unit):
                    words[unit].append(token.number.tail)
                    for part in _PARTS.finditer(unit) if "/" in unit else ():
                        words[part[0]].append(token.number.tail + part.start())
            elif token.kind == "word" and not has_charge(token, self.text):
                words[token.text].append(token.start)
        return numbers, dict(words)

    @property
    def numbers(self) -> dict[str, list[Number]]:
        """The numbers of the section by their digits."""
        return self._tokens[0]

    @property
    def words(self) -> dict[str, array[int]]:
        """The words of the section, and where each begins."""
        return self._tokens[1]

    @cached_property
    def compact(self) -> tuple[str, list[int]]:
        """The normalised section without blanks, and where each character stood."""
        kept = [at for at, char in enumerate(self.text) if char != " "]
        return "".join(self.text[at] for at in kept), kept

    def in_one_row(self, found: Sequence[Found]) -> tuple[Found, ...] | None:
        """Return what was found with the places of the first row that holds all of it; None if none does."""
        pieces = [piece for item in found for piece in item.pieces]
        held = [{self._row(place) for place in piece.places} for piece in pieces]
        common = set(range(len(self.rows)))
        for rows in held:
            common &= rows if -1 not in rows else common
        if not common:
            return None
        kept = {min(common), -1}
        return tuple(
            replace(item, pieces=tuple(
                Piece(piece.text, tuple(place for place in piece.places if self._row(place) in kept))
                for piece in item.pieces
            ))
            for item in found
        )  # fmt: skip

    def _row(self, place: Span) -> int:
        return bisect_right(self.rows, (self.norm.span(*place)[0], len(self.source))) - 1

    def find(self, keyword: Keyword) -> Found:
        """Look for one keyword."""
        if keyword.kind == "han":
            return _find_han(self.text, keyword)
        places = tuple(self._places(keyword))
        if not places:
            return Found(keyword, (), (keyword.text,))
        return Found(keyword, (Piece(keyword.text, places),))

    def _places(self, keyword: Keyword) -> list[Span]:
        if keyword.number is not None and keyword.kind == "num":
            return [
                (number.start, number.stop)
                for number in self.numbers.get(keyword.norm, ())[:_MOST_PLACES]
                if _same_number(keyword.number, number)
            ]
        if keyword.kind == "word":
            starts, size = self.words.get(keyword.norm), len(keyword.norm)
            if starts is None:
                return self._loose(keyword.norm)
            return [(start, start + size) for start in starts[:_MOST_PLACES]]
        if keyword.kind == "id":
            return list(_bounded(self.text, keyword.norm))
        return self._contiguous(keyword.norm)

    def _loose(self, word: str) -> list[Span]:
        """Find a long word that a PDF reader broke with blanks; never numbers or ids."""
        return self._contiguous(word) if self.loose_words and len(word) >= 6 and word.isalpha() else []

    def _contiguous(self, phrase: str) -> list[Span]:
        compact, kept = self.compact
        wanted = phrase.replace(" ", "")
        found: list[Span] = []
        tries = 0
        at = compact.find(wanted)
        while at >= 0 and len(found) < _MOST_PLACES and tries < _MOST_TRIES:
            tries += 1
            start, end = kept[at], kept[at + len(wanted) - 1] + 1
            if _is_bounded(self.text, start, end):
                found.append((start, end))
            at = compact.find(wanted, at + 1)
        return found


def _same_number(claim: Number, source: Number) -> bool:
    if (claim.sign, source.sign) != ("", "±") and claim.sign != source.sign:
        return False
    if claim.currency and claim.currency not in {source.currency, source.currency.removeprefix("us")}:
        return False
    if claim.comparator == "=":
        if source.comparator not in {"", "="}:
            return False
    elif claim.comparator and claim.comparator != source.comparator:
        return False
    if not claim.unit:
        return not source.magnitude
    if not _HAN.match(claim.unit):
        return claim.unit == source.unit
    # A size may stand without its measure, 3万 for 3万元; but it is not found in 3万亿.
    return claim.unit == source.unit or (
        claim.unit[-1] in "万亿" and source.unit.startswith(claim.unit)
        and source.unit[len(claim.unit)] not in HAN_MAGNITUDES
    )  # fmt: skip


def _bounded(text: str, wanted: str) -> Iterator[Span]:
    count = tries = 0
    at = text.find(wanted)
    while at >= 0 and count < _MOST_PLACES and tries < _MOST_TRIES:
        tries += 1
        if _is_bounded(text, at, at + len(wanted)):
            count += 1
            yield at, at + len(wanted)
        at = text.find(wanted, at + 1)


def _is_bounded(text: str, start: int, end: int) -> bool:
    """Whether no letter or digit and no decimals touch the span; Han letters are no boundary matter."""
    first, last = text[start], text[end - 1]
    if _WORDISH.match(first):
        before = text[max(0, start - 2) : start]
        if before and _WORDISH.match(before[-1]):
            return False
        if first.isdigit() and (before[-1:] == "^" or (before[-1:] == "." and before[:1].isdigit())):
            return False
    if _WORDISH.match(last):
        after = text[end : end + 2]
        if after and _WORDISH.match(after[0]):
            return False
        if last.isdigit() and len(after) == 2 and after[0] == "." and after[1].isdigit():
            return False
    return True


def _find_han(text: str, keyword: Keyword) -> Found:
    run = keyword.norm
    places = _han_places(text, run)
    if places:
        return Found(keyword, (Piece(run, places),))
    if len(run) <= 3 or len(run) > _LONGEST_RUN:
        return Found(keyword, (), (run,))
    cover, uncovered = _cover(text, run)
    pieces = [Piece(run[a:b], _han_places(text, run[a:b])) for a, b in cover]
    missing = [run[a:b] for a, b in uncovered] + [piece.text for piece in pieces if not piece.places]
    pieces = [piece for piece in pieces if piece.places]
    short = [piece for piece in pieces if len(piece.text) == 2]
    if not missing:
        lone = short if len(short) > len(run) // LONGEST_TWO_SHARE else _astray(short, pieces)
        missing = [piece.text for piece in lone]
    return Found(keyword, tuple(pieces), tuple(missing))


def _astray(short: Sequence[Piece], pieces: Sequence[Piece]) -> list[Piece]:
    """Return the pairs that never stand beside a longer piece: a common word is found anywhere."""
    longer = [piece for piece in pieces if len(piece.text) > 2]
    return [pair for pair in short if not any(_is_beside(pair, piece) for piece in longer)]


def _is_beside(pair: Piece, piece: Piece) -> bool:
    back, size = BESIDE + len(piece.text), BESIDE + len(pair.text)
    return any(
        bisect_left(piece.places, (at - back, 0)) < bisect_left(piece.places, (at + size + 1, 0))
        for at, _ in pair.places
    )


def _cover(text: str, run: str) -> tuple[list[Span], list[Span]]:
    """Cover a run with pieces that stand in the text: fewest letters left out, then fewest pairs."""
    count = len(run)
    reach = _reaches(text, run)
    best: list[tuple[int, int, int]] = [(0, 0, 0)] * (count + 1)
    step = [1] * count
    for at in range(count - 1, -1, -1):
        left, pairs, parts = best[at + 1]
        choice, length = (left + (run[at] not in HAN_FUNCTION), pairs, parts), 1
        for size in range(2, reach[at] + 1):
            left, pairs, parts = best[at + size]
            other = (left, pairs + (size == 2), parts + 1)
            if other < choice or (other == choice and length > 1):
                choice, length = other, size
        best[at], step[at] = choice, length
    cover: list[Span] = []
    uncovered: list[Span] = []
    at = 0
    while at < count:
        end = at + step[at]
        if step[at] > 1:
            cover.append((at, end))
        elif run[at] not in HAN_FUNCTION:
            if uncovered and uncovered[-1][1] == at:
                uncovered[-1] = (uncovered[-1][0], end)
            else:
                uncovered.append((at, end))
        at = end
    return cover, uncovered


def _reaches(text: str, run: str) -> list[int]:
    """Return for each place of the run how long a piece from there stands in the text."""
    reach, end = [], 0
    for at in range(len(run)):
        end = max(end, at)
        while end < len(run) and run[at : end + 1] in text:
            end += 1
        reach.append(end - at)
    return reach


def _han_places(text: str, piece: str) -> tuple[Span, ...]:
    """Return where a piece stands; a numeral at its edge is not a part of a longer one there."""
    opens, closes = _NUMERAL.match(piece), _NUMERAL.match(piece[-1])
    places: list[Span] = []
    tries = 0
    at = text.find(piece)
    while at >= 0 and len(places) < _MOST_PLACES and tries < _MOST_TRIES:
        tries += 1
        end = at + len(piece)
        if not (opens and _NUMERAL.match(text[at - 1 : at])) and not (closes and _NUMERAL.match(text, end)):
            places.append((at, end))
        at = text.find(piece, at + 1)
    return tuple(places)


def best_window(found: Sequence[Found], width: int) -> tuple[int, Span] | None:
    """Return how many pieces the fullest window holds, and its span; the first of equals."""
    pieces = [piece.places for item in found for piece in item.pieces]
    if not pieces:
        return None
    # A window that holds all pieces holds the rarest: mostly one look around its places is enough.
    rarest = min(pieces, key=len)
    around = [places if places is rarest else tuple(_close(places, rarest, width)) for places in pieces]
    best = _fullest(around, width)
    return best if best[0] == len(pieces) else _fullest(pieces, width)


def _close(places: Sequence[Span], rarest: Sequence[Span], width: int) -> Iterator[Span]:
    """Yield the places that begin within ``width`` of one of the rarest; both are in order."""
    at = 0
    for start, end in rarest:
        at = bisect_left(places, (start - width, 0), at)
        last = bisect_left(places, (end + width, 0), at)
        yield from places[at:last]
        at = last


def _fullest(pieces: Sequence[Sequence[Span]], width: int) -> tuple[int, Span]:
    events = sorted((place, index) for index, places in enumerate(pieces) for place in places)
    inside = [0] * len(pieces)
    count = best = left = 0
    span = events[0][0]
    for now, ((_, end), index) in enumerate(events):
        count += not inside[index]
        inside[index] += 1
        while left < now and events[left][0][0] < end - width:
            gone = events[left][1]
            inside[gone] -= 1
            count -= not inside[gone]
            left += 1
        if count > best:
            best, span = count, (events[left][0][0], end)
    return best, span


def all_near(found: Sequence[Found], width: int = NEAR) -> bool:
    """Whether one window holds every piece."""
    wanted = sum(len(item.pieces) for item in found)
    window = best_window(found, width)
    return window is not None and window[0] == wanted


def negated(found: Sequence[Found], text: str, claim: str) -> str:
    """Return the negator that stands before every place of a matched piece and not in the claim."""
    for item in found:
        if item.keyword.kind not in {"han", "word"}:
            continue
        for piece in item.pieces:
            first = ""
            for start, _ in piece.places:
                word = _negator(text, start, claim)
                if not word:
                    break
                first = first or word
            else:
                if first:
                    return first
    return ""


def _negator(text: str, start: int, claim: str) -> str:
    window = _CLAUSE_END.split(text[max(0, start - 40) : start])[-1]
    for char in window[-4:]:
        if char in HAN_NEGATORS and char not in claim:
            return char
    words: list[str] = _LATIN_WORD.findall(window)
    for word in words[-2:]:
        if (word in NEGATORS or word.endswith("n't")) and word not in _LATIN_WORD.findall(claim):
            return word
    return ""
