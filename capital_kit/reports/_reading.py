"""A text as it is shown and as it is checked: what a reader sees is what is compared with the sources.

Both keep the length of the text, so that a place in one is the same place in the other.
"""

from __future__ import annotations

import html
import re
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.token import Token

_COMMENT = re.compile(r"<!--.*?-->", re.DOTALL)
_WAIVER = re.compile(r"<!--\s*cite:none\b")
_FRONT_LINE = r"(?:[A-Za-z_][\w-]*:(?:[ \t][^\r\n]*)?|[ \t]+\S[^\r\n]*|- [^\r\n]*)\r?\n"
_FRONT_MATTER = re.compile(rf"---[ \t]*\r?\n(?:{_FRONT_LINE})+---[ \t]*(?=[\r\n]|\Z)")
# Controls of direction would let a line read otherwise than it is written.
_UNFIT = re.compile("[\ufdd0\ufdd1\u202a-\u202e\u2066-\u2069]")
_TAIL = re.compile("[ \t]*\ufdd1[\ufdd1 \t]*")
_LINE = re.compile(r"[^\r\n]*(?:\r\n|\r|\n|\Z)")
_FENCE = re.compile(r"[ ]{0,3}(?:`{3,}|~{3,})")
_ENTITY = re.compile(r"&(?:#[xX][0-9a-fA-F]{1,6}|#[0-9]{1,7}|[A-Za-z][A-Za-z0-9]{1,31});")
_SAFE_LINK = re.compile(r"(?:https?://|mailto:)", re.IGNORECASE)


def parser() -> MarkdownIt:
    """Return the reader of Markdown: no markup of its own, only safe links."""
    from markdown_it import MarkdownIt

    made = MarkdownIt("commonmark", {"html": False, "typographer": False})
    made.enable(["table", "strikethrough"])
    made.validateLink = lambda url: bool(_SAFE_LINK.match(url.strip()))  # type: ignore[method-assign]
    return made


def shown(text: str) -> str:
    """Return the text without comments and front matter, which no reader sees."""
    clean = _UNFIT.sub("\ufffd", text)
    front = _FRONT_MATTER.match(clean)
    if front:
        clean = _blank(front[0]) + clean[front.end() :]
    return _COMMENT.sub(_hidden, clean)


def parse(text: str) -> list[Token]:
    """Return the tokens of a text that :func:`shown` made."""
    return parser().parse(_TAIL.sub("", text))


def checked(text: str, *, waivers: bool = True) -> str:
    """Return the text for the check: no code block, and nothing that only looks like code or a comment.

    The check of citations reads Markdown by lines; where that differs from what a browser shows,
    the text is changed so that all that is shown outside code blocks is read.
    """
    seen = shown(text)
    lines = [match[0] for match in _LINE.finditer(seen)]
    for token in parse(seen):
        if token.type == "fence" and token.map:
            for at in range(token.map[0], min(token.map[1], len(lines))):
                lines[at] = _blank(lines[at])
    lines = [_FENCE.sub(lambda match: " " * len(match[0]), line, count=1) for line in map(_text_line, lines)]
    if lines[0].rstrip() == "---":
        lines[0] = _blank(lines[0])
    read = "".join(lines).replace("\ufdd1", " ").replace("<!--", "    ")
    for match in _COMMENT.finditer(text) if waivers else ():
        if _WAIVER.match(match[0]):
            read = read[: match.start()] + match[0] + read[match.end() :]
    return read


def cleaned(text: str) -> str:
    """Return the text as an eye takes it: one width, nothing invisible."""
    return "".join(char for char in unicodedata.normalize("NFKC", text) if unicodedata.category(char) != "Cf")


def visible(tokens: list[Token]) -> Iterator[str]:
    """Yield the words of every paragraph, heading and cell, without code."""
    for token in tokens:
        if token.type == "inline":
            yield "".join(_word(child) for child in token.children or ())


def _word(token: Token) -> str:
    if token.type in {"text", "image"}:
        return token.content
    if token.type in {"softbreak", "hardbreak"}:
        return "\n"
    return "\ufffc" if token.type == "code_inline" else ""


def _text_line(line: str) -> str:
    body = line.rstrip("\r\n")
    decoded = _ENTITY.sub(_character, body)
    # A backslash at the end of a line is a line break and no word.
    return (f"{decoded[:-1]} " if decoded.endswith("\\") else decoded) + line[len(body) :]


def _character(match: re.Match[str]) -> str:
    text = html.unescape(match[0])
    printed = text if text.isprintable() else " " * len(text)
    # Zero-width spaces keep the length and part no word.
    return printed + "\u200b" * (len(match[0]) - len(text))


def _hidden(match: re.Match[str]) -> str:
    text, start, end = match.string, match.start(), match.end()
    line = text[max(text.rfind("\n", 0, start), text.rfind("\r", 0, start)) + 1 : start]
    rest = re.match(r"[ \t]*(?=[\r\n]|\Z)", text[end : end + 80])
    if line.strip() and rest and not re.search(r"[\r\n]", match[0]):
        # Blanks at the end of a line would be read as a line break.
        return "\ufdd1" * len(match[0])
    return _blank(match[0])


def _blank(text: str) -> str:
    return re.sub(r"[^\r\n]", " ", text)
