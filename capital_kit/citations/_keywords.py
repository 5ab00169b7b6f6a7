"""Keywords: the units of a text that are compared. Claim and source are read by the same rules."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from typing import Literal

from capital_kit._core.normalise import HAN, LETTER, Normalised, normalise
from capital_kit.citations._grammar import (
    HAN_FUNCTION,
    HAN_MAGNITUDES,
    HAN_MEASURES,
    HAN_SIZES,
    MAGNITUDE_WORDS,
    MONEY_SIZES,
    RANGE_WORDS,
    STOP_WORDS,
    UNIT_WORDS,
)

KeywordKind = Literal["quote", "id", "num", "word", "han", "given"]

_L = LETTER
_TOKEN = re.compile(
    rf"(?P<id>[0-9]{{4}}[-/][0-9]{{1,2}}[-/][0-9]{{1,2}}(?![0-9{_L}])"
    r"|(?<![0-9.])[0-9]+(?:\.[0-9]+){2,}"
    rf"|(?<![{_L}0-9])[{_L}]+-?[0-9][{_L}0-9]*(?:[-._][{_L}0-9]+)*)"
    r"|(?P<num>(?P<lex>[0-9]+(?:\.[0-9]+)?(?:x10\^[-+]?[0-9]+|\^[-+]?[0-9]+"
    rf"|e[-+]?[0-9]{{1,3}}(?![{_L}0-9]))?))"
    rf"|(?P<word>[{_L}]+(?:'(?!s\b)[{_L}]+)?)"
    rf"|(?P<han>[{HAN}]+)",
)
_QUOTE = re.compile(
    r"\"([^\"\x1e]{2,80})\"|「([^「」\x1e]{2,80})」|『([^『』\x1e]{2,80})』|《([^《》\x1e]{2,80})》"
)
_HEAD = re.compile(rf"(<=|>=|[<>=])? ?((?:(?<![{_L}0-9])[a-z]{{1,3}})?[$€£¥])? ?(±|[-+])?$")
_PERCENT = re.compile(r"%|‰|°[cf]?")


def _either(words: Sequence[str]) -> str:
    return "|".join(sorted(words, key=len, reverse=True))


_HAN_UNIT = re.compile(f"(?:{_either(HAN_SIZES)})?千?(?:{_either(HAN_MEASURES)})|{_either(HAN_SIZES)}")
_LATIN_UNIT = re.compile(
    rf"(?P<gap>[ -]?)(?P<unit>/?(?:[{_L}]+[0-9]?|10\^[0-9]+)(?:[/·*][{_L}0-9.^]*[{_L}0-9])*)"
    rf"(?![{_L}0-9]|-[0-9])",
)
_HAN_CHAR = re.compile(f"[{HAN}]")
_ORDINARY_UNIT = re.compile(rf"[{_L}]{{1,4}}|[kcmdnμ]?m[23]")
_RATIO = re.compile(r"(?<![0-9.:/^])[0-9]+(?:\.[0-9]+)?([:/])[0-9]+(?:\.[0-9]+)?(?![0-9:/^]|\.[0-9])")
LONGEST_TWO_SHARE = 6
_SHORT_NAME = 4


@dataclass(frozen=True, slots=True)
class Number:
    """A number as it is written: comparator, currency, sign, digits and unit.

    ``start`` and ``end`` span digits and signs; ``tail`` is where the unit begins, ``stop``
    where it ends. In a range the unit of the second number belongs to both.
    """

    digits: str
    start: int
    end: int
    comparator: str = ""
    currency: str = ""
    sign: str = ""
    unit: str = ""
    tail: int = 0
    stop: int = 0

    @property
    def magnitude(self) -> bool:
        """Whether the unit changes the size of the number, as 万 and million do."""
        if self.unit and _HAN_CHAR.match(self.unit):
            return self.unit[0] in HAN_MAGNITUDES
        return self.unit in MAGNITUDE_WORDS or (bool(self.currency) and self.unit in MONEY_SIZES)


@dataclass(frozen=True, slots=True)
class Token:
    """An id, word or Han run of a normalised text, or a number."""

    kind: Literal["id", "num", "word", "han"]
    text: str
    start: int
    end: int
    number: Number | None = None


@dataclass(frozen=True, slots=True)
class Keyword:
    """One unit of a claim that must stand in the source.

    ``text`` is the spelling of the claim, ``norm`` the normalised one.
    """

    kind: KeywordKind
    text: str
    norm: str
    number: Number | None = None


@dataclass(frozen=True)
class Reading:
    """A sentence as it is written, normalised and taken apart."""

    written: str

    @cached_property
    def norm(self) -> Normalised:
        """The normalised sentence with its map."""
        return normalise(self.written)

    @cached_property
    def tokens(self) -> tuple[Token, ...]:
        """The tokens of the normalised sentence."""
        return tuple(tokens(self.norm.text))


@lru_cache(maxsize=64)
def reading(written: str) -> Reading:
    """Return the reading of a sentence; one is asked for its keywords, negators and figures in turn."""
    return Reading(written)


def tokens(text: str) -> Iterator[Token]:
    """Yield the tokens of a normalised text in order; units are part of their number."""
    held: Number | None = None
    for token in _raw_tokens(text):
        number = token.number
        if number is None or token.kind != "num":
            if held is not None and token.text in RANGE_WORDS and _joins(text, held, token.end):
                continue
            if held is not None:
                yield _number_token(held)
                held = None
            yield token
            continue
        if held is not None:
            between = text[held.stop : number.start].strip()
            if between in RANGE_WORDS and not held.unit and number.unit:
                held = _with_unit(held, number)
            yield _number_token(held)
        held = number
    if held is not None:
        yield _number_token(held)


def _raw_tokens(text: str) -> Iterator[Token]:
    at, stop = 0, -1
    while match := _TOKEN.search(text, at):
        kind = match.lastgroup if match.lastgroup != "lex" else "num"
        if kind == "num":
            number = _number(text, match, stop)
            stop = at = number.stop
            yield Token("num", match[0], number.start, number.stop, number)
        else:
            at = match.end()
            yield Token(kind, match[0], match.start(), match.end())  # type: ignore[arg-type]


def _number(text: str, match: re.Match[str], previous: int) -> Number:
    start, end = match.span()
    head = _HEAD.search(text, max(0, previous, start - 9), start)
    comparator, currency, sign = (head[1] or "", head[2] or "", head[3] or "") if head else ("", "", "")
    if sign and head is not None:
        at = head.start(3)
        before = text[at - 1 : at]
        bound = at <= previous or (before and re.match(rf"[{_L}0-9)\]%.]", before))
        if sign != "±" and bound:
            sign = comparator = currency = ""
    first = head.start() if head and (comparator or currency or sign) else start
    unit, tail, stop = _unit(text, end)
    return Number(
        match[0], first, end, comparator, currency, sign if sign in {"-", "±"} else "", unit, tail, stop
    )


def _unit(text: str, at: int) -> tuple[str, int, int]:
    percent = _PERCENT.match(text, at)
    if percent:
        return percent[0], at, percent.end()
    han = _HAN_UNIT.match(text, at) or _HAN_CHAR.match(text, at)
    if han:
        return (han[0], at, han.end()) if han[0] not in HAN_FUNCTION | {"至", "到"} else ("", at, at)
    latin = _LATIN_UNIT.match(text, at)
    if latin and _is_unit(latin["unit"], latin["gap"]):
        return singular(latin["unit"]), latin.start("unit"), latin.end()
    return "", at, at


def _is_unit(word: str, gap: str) -> bool:
    if word in STOP_WORDS or word.partition("/")[0] in STOP_WORDS:
        return False
    if gap == "-":
        return singular(word) in UNIT_WORDS
    return (
        bool(_ORDINARY_UNIT.fullmatch(word))
        or any(mark in word for mark in "/·^")
        or singular(word) in UNIT_WORDS
    )


def singular(word: str) -> str:
    """Return the singular of a unit word of the grammar; other words as they are."""
    return word[:-1] if word.endswith("s") and word[:-1] in UNIT_WORDS else word


def _joins(text: str, held: Number, at: int) -> bool:
    return bool(re.match(r" ?[0-9]", text[at : at + 2])) and at - held.stop <= 6


def _with_unit(held: Number, other: Number) -> Number:
    return replace(held, unit=other.unit, tail=other.tail)


def _number_token(number: Number) -> Token:
    return Token("num", number.digits, number.start, number.stop, number)


def keywords_of(claim: Reading) -> list[Keyword]:
    """Return the keywords of a claim in order, each once."""
    found: dict[tuple[str, ...], Keyword] = {}
    text = rest = claim.norm.text
    for match in _QUOTE.finditer(text):
        inner = next(group for group in match.groups() if group is not None).strip()
        if re.search(rf"[{_L}0-9{HAN}]", inner):
            start, end = match.span()
            found.setdefault(("quote", inner), Keyword("quote", _spelling(claim, start, end), inner))
            rest = rest[:start] + "\x1e" * (end - start) + rest[end:]
    for token in claim.tokens if rest is text else tokens(rest):
        keyword = _keyword(token, claim)
        if keyword is not None:
            number = keyword.number
            extra = (number.comparator, number.currency, number.sign, number.unit) if number else ()
            found.setdefault((keyword.kind, keyword.norm, *extra), keyword)
    for match in _RATIO.finditer(rest):
        # The two numbers of a ratio or a time also stand in it in this order.
        found.setdefault(("id", match[0]), Keyword("id", _spelling(claim, *match.span()), match[0]))
    return list(found.values())


def _spelling(claim: Reading, start: int, end: int) -> str:
    return claim.written[slice(*claim.norm.span(start, end))]


def _keyword(token: Token, claim: Reading) -> Keyword | None:
    text = claim.norm.text
    start, end, norm = token.start, token.end, token.text
    if token.kind == "han":
        while start < end and text[start] in HAN_FUNCTION:
            start += 1
        while end > start and text[end - 1] in HAN_FUNCTION:
            end -= 1
        norm = text[start:end]
        if not norm:
            return None
    if token.kind == "word" and norm in STOP_WORDS and not _beside_han(text, start, end):
        return None
    kind: KeywordKind = token.kind
    if has_charge(token, text):
        kind, norm, end = "id", text[start : end + 1], end + 1
    return Keyword(kind, _spelling(claim, start, end).strip(), norm, token.number)


def has_charge(token: Token, text: str) -> bool:
    """Whether a plus or minus closes a short name, as in "ER+": it is half of what is said."""
    if token.kind != "id" and not (token.kind == "word" and len(token.text) <= _SHORT_NAME):
        return False
    after = text[token.end : token.end + 2]
    return after[:1] in {"+", "-"} and not re.match(rf"[{_L}0-9-]", after[1:])


def _beside_han(text: str, start: int, end: int) -> bool:
    # "a" and "i" before Han letters are grades and groups, no words of English.
    return end - start == 1 and bool(_HAN_CHAR.match(text, end))


def given_keywords(words: Sequence[str], normalised: Sequence[Normalised]) -> list[Keyword]:
    """Return the caller's own keywords: a single token as its kind, all else word for word."""
    found = []
    for word, norm in zip(words, normalised, strict=True):
        text = norm.text.strip()
        if not text:
            continue
        parts = list(tokens(text))
        single = parts[0] if len(parts) == 1 and (parts[0].start, parts[0].end) == (0, len(text)) else None
        if single is not None and single.kind != "han":
            found.append(Keyword(single.kind, word, single.text, single.number))
        else:
            found.append(Keyword("given", word, text))
    return found
