"""A tokenizer for HTML: one pass, linear in time, with the place of every token.

The standard library's parser is quadratic on hostile input in some point releases and changed how
it reads comments and scripts in others; a check that others must be able to repeat needs neither.
"""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from capital_kit.citations._grammar import HTML_TAGS, RAW_TAGS

_TAG_NAME = re.compile(r"<(/?)([A-Za-z][A-Za-z0-9-]{0,40})(?=[\s/>])")
_SPACE = re.compile(r"[\s/]*")
_ATTRIBUTE = re.compile(r"[^\s/>][^\s/>=]*")
_EQUALS = re.compile(r"\s*=\s*")
_UNQUOTED = re.compile(r"[^\s>]*")
_ENTITY = re.compile(r"&(?:#[0-9]{1,7}|#[xX][0-9a-fA-F]{1,6}|[A-Za-z][A-Za-z0-9]{1,31});?")
_CLOSERS = {name: re.compile(rf"</{name}(?=[\s/>])", re.IGNORECASE) for name in RAW_TAGS}


@dataclass(frozen=True, slots=True)
class Token:
    """One piece of a page: text between ``start`` and ``end``, or a tag, or a comment."""

    kind: Literal["text", "open", "close", "comment"]
    start: int
    end: int
    name: str = ""
    attributes: dict[str, str] = field(default_factory=dict)


def tokens(page: str, *, only_html: bool = False) -> Iterator[Token]:
    """Yield the tokens of ``page`` in order.

    ``only_html`` leaves ``<`` as text unless it opens an element that HTML has: for fragments
    inside JSON, where "a <b" may be mathematics.
    """
    at = text_start = 0
    while (at := page.find("<", at)) >= 0:
        token = _markup(page, at, only_html=only_html)
        if token is None:
            at += 1
            continue
        if at > text_start:
            yield Token("text", text_start, at)
        yield token
        at = text_start = token.end
        if token.kind == "open" and token.name in RAW_TAGS:
            closer = _CLOSERS[token.name].search(page, at)
            at = closer.start() if closer else len(page)
            if at > text_start:
                yield Token("text", text_start, at)
            text_start = at
    if text_start < len(page):
        yield Token("text", text_start, len(page))


def _markup(page: str, at: int, *, only_html: bool) -> Token | None:
    if page.startswith("<!--", at):
        end = page.find("-->", at + 4)
        return Token("comment", at, end + 3 if end >= 0 else len(page))
    if not only_html and page.startswith(("<!", "<?"), at):
        end = page.find(">", at)
        return Token("comment", at, end + 1 if end >= 0 else len(page))
    match = _TAG_NAME.match(page, at)
    if match is None or (only_html and not _is_html(page, at, match[2])):
        return None
    end, attributes = _attributes(page, match.end())
    return Token("close" if match[1] else "open", at, end, match[2].lower(), attributes)


def _is_html(page: str, at: int, name: str) -> bool:
    end = page.find(">", at, at + 400)
    return name.lower() in HTML_TAGS and end >= 0 and "<" not in page[at + 1 : end]


def _attributes(page: str, at: int) -> tuple[int, dict[str, str]]:
    """Return where the tag ends and what it carries; an unfinished tag takes the rest of the page."""
    found: dict[str, str] = {}
    while at < len(page):
        space = _SPACE.match(page, at)
        at = space.end() if space else at
        if page.startswith(">", at):
            return at + 1, found
        name = _ATTRIBUTE.match(page, at)
        if name is None:
            break
        at = name.end()
        equals = _EQUALS.match(page, at)
        if equals is None:
            found.setdefault(name[0].lower(), "")
            continue
        at = equals.end()
        quote = page[at : at + 1]
        if quote in {'"', "'"}:
            end = page.find(quote, at + 1)
            if end < 0:
                break
            value, at = page[at + 1 : end], end + 1
        else:
            plain = _UNQUOTED.match(page, at)
            value = plain[0] if plain else ""
            at += len(value)
        found.setdefault(name[0].lower(), html.unescape(value))
    return len(page), found


def decoded(page: str, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Yield the text between ``start`` and ``end`` with its entities decoded: text, start, end."""
    at = start
    for match in _ENTITY.finditer(page, start, end):
        plain = html.unescape(match[0])
        if plain == match[0]:
            continue
        if match.start() > at:
            yield page[at : match.start()], at, match.start()
        yield plain, match.start(), match.end()
        at = match.end()
    if at < end:
        yield page[at:end], at, end
