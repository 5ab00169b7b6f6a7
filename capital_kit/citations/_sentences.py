"""Sentences of a block: where one ends and the next begins."""

from __future__ import annotations

import re
from collections.abc import Sequence

from capital_kit.citations._grammar import ABBREVIATIONS, CLOSERS, CLOSING, OPENING, TERMINALS

_LONGEST_PROTECTED = 400
_TRAIL = TERMINALS + CLOSERS
_STOP = re.compile(f"[.{TERMINALS}]")
_BRACKET = re.compile(f'["{re.escape(OPENING + CLOSING)}]')
_TAIL = re.compile(r"((?:[A-Za-z]\.){1,6}[A-Za-z]|[A-Za-z]{1,12})$")

Span = tuple[int, int]


def sentences(text: str, masked: Sequence[Span] = ()) -> list[Span]:
    """Return the spans of the sentences; they touch and cover the whole text.

    Parameters
    ----------
    text : str
        The visible text of one block.
    masked : sequence of (start, end)
        Anchors: their characters end no sentence and open no bracket.
    """
    plain = _blanked(text, masked)
    shielded = _shielded(plain)
    anchor_starts = {start for start, _ in masked}
    spans: list[Span] = []
    start = end = 0
    for match in _STOP.finditer(plain):
        at = match.start()
        if at < end or (match[0] == "." and not _ends_sentence(plain, at, start, anchor_starts)):
            continue
        end = at + 1
        while end < len(plain) and plain[end] in _TRAIL and not _opens_quote(plain, end):
            end += 1
        # A bracket or quote that closes right after its sentence ends it outside too.
        leaves = end > at + 1 and (end == len(plain) or not shielded[end])
        apart = end == len(plain) or plain[end].isspace()
        if not shielded[at] or (leaves and apart):
            spans.append((start, end))
            start = end
    if plain[start:].strip() or not spans:
        spans.append((start, len(plain)))
    else:
        spans[-1] = (spans[-1][0], len(plain))
    return spans


def _blanked(text: str, masked: Sequence[Span]) -> str:
    pieces: list[str] = []
    at = 0
    for start, end in masked:
        pieces += (text[at:start], "\u00a0" * (end - start))
        at = end
    return "".join([*pieces, text[at:]])


def _opens_quote(text: str, at: int) -> bool:
    # A straight quote after a blank-less terminal closes; before a letter with no blank it opens.
    return text[at] in "\"'" and text[at + 1 : at + 2].isalnum()


def _shielded(text: str) -> list[bool]:
    """Mark what lies inside closed brackets or quotes of moderate length."""
    marks = [False] * len(text)
    stack: list[tuple[str, int]] = []
    straight = -1
    for match in _BRACKET.finditer(text):
        at, char = match.start(), match[0]
        if char in OPENING:
            stack.append((char, at))
        elif char in CLOSING and stack and OPENING.index(stack[-1][0]) == CLOSING.index(char):
            _, opened = stack.pop()
            if not stack and at - opened <= _LONGEST_PROTECTED:
                marks[opened + 1 : at + 1] = [True] * (at - opened)
        elif char == '"':
            if straight >= 0 and at - straight <= _LONGEST_PROTECTED:
                marks[straight + 1 : at + 1] = [True] * (at - straight)
                straight = -1
            else:
                straight = at
    return marks


def _ends_sentence(text: str, at: int, start: int, anchors: set[int]) -> bool:
    after = text[at + 1 : at + 2]
    if after and not after.isspace() and after not in CLOSERS and at + 1 not in anchors:
        return False
    tail = _TAIL.search(text, max(start, at - 16), at)
    word = tail[1] if tail else ""
    if len(word) == 1 and word.isupper() and after and not after.isspace():
        return False
    if len(word) == 1 and word.isupper() and not text[max(0, at - 2) : at - 1].isdigit():
        # "J. Smith", but "hepatitis B." at the end of a text ends it.
        return not re.match(r"\s+[A-Z][a-z]", text[at + 1 : at + 12]) and not _initials(text, at)
    if word.lower() in ABBREVIATIONS:
        return not text[at + 1 :].strip()
    head = text[start:at].strip()
    return not (head.isdigit() and len(head) <= 3)


def _initials(text: str, at: int) -> bool:
    return text[at + 1 : at + 2] == "." or text[max(0, at - 2) : at - 1] == "."
