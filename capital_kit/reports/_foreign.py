"""Markup that another library made, cut down to what is inert."""

from __future__ import annotations

import html
import re
from collections.abc import Iterator
from html.parser import HTMLParser

from capital_kit._core.html import Html, join, tag
from capital_kit._core.labels import tr

_TAGS = frozenset({
    "a", "abbr", "b", "blockquote", "br", "caption", "code", "col", "colgroup", "dd", "del", "details", "div",
    "dl",
    "dt", "em", "h3", "h4", "h5", "h6", "hr", "i", "ins", "kbd", "li", "mark", "ol", "p",
    "pre", "s", "samp", "section", "small", "span", "strong", "sub", "summary", "sup", "table", "tbody", "td",
    "tfoot",
    "th", "thead", "tr", "u", "ul",
})  # fmt: skip
_RENAMED = {"h1": "h3", "h2": "h3"}
_SKIPPED = frozenset({"script", "style", "iframe", "object", "template", "noscript", "svg", "math", "head"})
_VOID = frozenset({"br", "hr", "col"})
_ATTRIBUTES = frozenset({"title", "lang", "dir", "colspan", "rowspan", "span", "scope", "open", "aria-label"})
# What sets text in a table; nothing that moves, covers, hides or loads.
_PROPERTY = re.compile(
    r"(?:text-align|vertical-align|text-decoration|white-space|color|background-color|opacity"
    r"|font-(?:weight|style|family|size|variant-numeric)|border(?:-[a-z]+)*|padding(?:-[a-z]+)?|(?:max-|min-)?width)"
)
_VALUE = re.compile(r"(?:[\w\s.,%#'-]|rgba?\([\d\s.,%/]{1,40}\)){1,120}", re.ASCII)


def inert(markup: str) -> Html:
    """Return ``markup`` with allowed elements and attributes only, and a note on what was cut."""
    reader = _Inert()
    reader.feed(markup)
    reader.close()
    return reader.result()


class _Inert(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self._pieces: list[str] = []
        self._open: list[str] = []
        self._skipping: list[str] = []
        self._left_out = 0

    def handle_starttag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        name = _RENAMED.get(name, name)
        if name in _SKIPPED:
            self._left_out += not self._skipping
            self._skipping.append(name)
        elif name in _TAGS and not self._skipping:
            kept = "".join(f' {key}="{html.escape(value)}"' for key, value in _safe(attributes))
            self._pieces.append(f"<{name}{kept}>")
            if name not in _VOID:
                self._open.append(name)
        elif not self._skipping:
            self._left_out += 1

    def handle_startendtag(self, name: str, attributes: list[tuple[str, str | None]]) -> None:
        if name in _VOID:
            self.handle_starttag(name, attributes)
        else:
            self._left_out += name not in _TAGS and not self._skipping

    def handle_endtag(self, name: str) -> None:
        name = _RENAMED.get(name, name)
        if self._skipping:
            if name == self._skipping[-1]:
                self._skipping.pop()
        elif name in self._open:
            while self._open:
                last = self._open.pop()
                self._pieces.append(f"</{last}>")
                if last == name:
                    break

    def handle_data(self, data: str) -> None:
        if not self._skipping:
            self._pieces.append(html.escape(data))

    def result(self) -> Html:
        closing = "".join(f"</{name}>" for name in reversed(self._open))
        body = Html("".join(self._pieces) + closing)
        note = tr("reports.text.foreign_left_out", n=self._left_out)
        return join([body, tag("p", note, class_="ck-sub")]) if self._left_out else body


def _safe(attributes: list[tuple[str, str | None]]) -> Iterator[tuple[str, str]]:
    for key, value in attributes:
        if key == "style":
            if kept := _style(value or ""):
                yield key, kept
        elif key in _ATTRIBUTES:
            yield key, value or ""


def _style(text: str) -> str:
    pairs = (declaration.partition(":") for declaration in text.split(";"))
    kept = ((name.strip().lower(), value.strip()) for name, _, value in pairs)
    return ";".join(f"{n}:{v}" for n, v in kept if _PROPERTY.fullmatch(n) and _VALUE.fullmatch(v))
