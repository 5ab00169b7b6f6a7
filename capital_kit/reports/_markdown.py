"""Markdown of an analyst as HTML: no markup of its own, no images, only safe links."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from markdown_it.renderer import RendererHTML
from markdown_it.token import Token

from capital_kit._core.html import Html, join, tag
from capital_kit._core.labels import tr
from capital_kit.reports._reading import parse, parser, shown, visible

_INLINE_KEYWORDS = re.compile(r"\{kw:[^{}\n]*\}[ \t]*(?=⟦\uFDD0)")
# The brackets keep the anchor's place among the punctuation, which decides what `**…**` means;
# the noncharacter cannot come from outside, ``shown`` takes it out of every text.
_PLACE = re.compile("⟦\ufdd0(\\d+)\ufdd0⟧")
_SCROLL_OPEN, _SCROLL_CLOSE = '<div class="ck-scroll" tabindex="0">', "</div>"


@dataclass(frozen=True, slots=True)
class Part:
    """A run of rendered blocks under one heading.

    ``title`` is the heading's words, empty before the first heading; ``heading`` its markup.
    """

    title: str
    heading: Html
    body: Html


def render(
    text: str, spans: Sequence[tuple[int, int]], marks: Sequence[Html], *, title: str = ""
) -> tuple[Part, ...]:
    """Return the text part by part, with ``marks[i]`` in place of the anchor at ``spans[i]``.

    A part begins at each heading of the text's highest level; deeper headings stay in its body.
    A first heading that only repeats ``title`` is left out.
    """
    originals = [text[start:end] for start, end in spans]
    tokens = parse(_with_places(shown(text), spans))
    _restore_code(tokens, originals)
    if title and len(tokens) > 1 and tokens[0].type == "heading_open" and _words(tokens[1]) == title:
        del tokens[:3]
    level = min((depth for depth, _ in _headings(tokens)), default=0)
    return tuple(_part(heading, level, body, marks) for heading, body in _split(tokens, level))


def first_title(text: str) -> str:
    """Return the words of the text's only heading of the first level, else an empty string."""
    titles = [words for depth, words in _headings(parse(shown(text))) if depth == 1]
    return titles[0] if len(titles) == 1 else ""


def words_left(text: str, spans: Sequence[tuple[int, int]]) -> str:
    """Return what a reader sees outside code where the anchors at ``spans`` have become marks."""
    tokens = parse(_with_places(shown(text), spans))
    return "\n\n".join(_PLACE.sub(" ", words) for words in visible(tokens))


def _headings(tokens: Sequence[Token]) -> list[tuple[int, str]]:
    return [
        (int(a.tag[1]), _words(b)) for a, b in pairwise(tokens) if a.type == "heading_open" and a.level == 0
    ]


def _with_places(text: str, spans: Sequence[tuple[int, int]]) -> str:
    pieces, at = [], 0
    for number, (start, end) in enumerate(spans):
        pieces += [text[at:start], f"⟦\ufdd0{number}\ufdd0⟧"]
        at = end
    return _INLINE_KEYWORDS.sub("", "".join([*pieces, text[at:]]))


def _restore_code(tokens: Sequence[Token], originals: Sequence[str]) -> None:
    for token in tokens:
        if token.type in {"code_inline", "code_block", "fence"}:
            token.content = _PLACE.sub(lambda match: originals[int(match[1])], token.content)
        token.attrs = {
            key: _PLACE.sub("", value) if isinstance(value, str) else value
            for key, value in token.attrs.items()
        }
        _restore_code(token.children or (), originals)


def _split(tokens: Sequence[Token], level: int) -> list[tuple[Token | None, list[Token]]]:
    parts: list[tuple[Token | None, list[Token]]] = [(None, [])]
    index = 0
    while index < len(tokens):
        token = tokens[index]
        if token.type == "heading_open" and token.tag == f"h{level}" and token.level == 0:
            parts.append((tokens[index + 1], []))
            index += 3
        else:
            parts[-1][1].append(token)
            index += 1
    return [(heading, body) for heading, body in parts if heading or body]


def _words(inline: Token) -> str:
    texts = (t.content if t.type in {"text", "code_inline"} else " " for t in inline.children or ())
    return " ".join(_PLACE.sub("", "".join(texts)).split())


def _part(heading: Token | None, level: int, tokens: list[Token], marks: Sequence[Html]) -> Part:
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(int(token.tag[1]) - level + 2, 6)}"
    settings = parser().options
    renderer = RendererHTML()
    renderer.rules.update(_rules(marks))
    title = _words(heading) if heading else ""
    markup = renderer.render([heading], settings, {}) if heading else ""
    body = renderer.render(tokens, settings, {})
    return Part(title, Html(markup.strip()), Html(body.strip()))


def _rules(marks: Sequence[Html]) -> dict[str, Any]:
    def text(tokens: Sequence[Token], index: int, *_: Any) -> str:
        pieces = _PLACE.split(tokens[index].content)
        last = len(pieces) - 1
        return join(
            marks[int(piece)] if turn % 2 else (piece.rstrip(" ") if turn < last else piece)
            for turn, piece in enumerate(pieces)
        )

    def soft_break(tokens: Sequence[Token], index: int, *_: Any) -> str:
        before = _PLACE.sub("", tokens[index - 1].content)[-1:] if index else ""
        after = _PLACE.sub("", tokens[index + 1].content)[:1] if index + 1 < len(tokens) else ""
        # Chinese has no blank between lines; a browser would put one there.
        return "" if _is_wide(before) and _is_wide(after) else "\n"

    def image(tokens: Sequence[Token], index: int, *_: Any) -> str:
        alt = _PLACE.sub("", tokens[index].content)
        return tag("span", tr("reports.text.image_left_out", alt=alt), class_="ck-sub")

    def link(tokens: Sequence[Token], index: int, *_: Any) -> str:
        href = str(tokens[index].attrGet("href") or "")
        return tag("a", href=href, rel="noreferrer noopener", target="_blank").removesuffix("</a>")

    return {
        "text": text,
        "image": image,
        "softbreak": soft_break,
        "link_open": link,
        "table_open": lambda *_: _SCROLL_OPEN + '<table class="ck-grid">',
        "table_close": lambda *_: "</table>" + _SCROLL_CLOSE,
    }


def _is_wide(char: str) -> bool:
    return bool(char) and unicodedata.east_asian_width(char) in "WF"
