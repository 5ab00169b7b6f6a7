"""The one HTML builder.

What it makes must read in light and dark themes, trusted and untrusted notebooks and without
JavaScript: semantic tags, inline styles, no literal text colours, accents through ``--jp-*``
variables that a notebook or our report page defines, and nothing that breaks when they vanish.
"""

from __future__ import annotations

import html
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

Tone = Literal["ok", "warn", "bad", "info", "muted"]

BORDER = "var(--jp-border-color2, rgba(128,128,128,.35))"
_ACCENT: dict[Tone, str] = {
    "ok": "var(--jp-success-color1, #2e7d32)",
    "warn": "var(--jp-warn-color1, #b26a00)",
    "bad": "var(--jp-error-color1, #c62828)",
    "info": "var(--jp-brand-color1, #1f5fbf)",
    "muted": BORDER,
}
_SIGN: dict[Tone, str] = {"ok": "✓ ", "warn": "! ", "bad": "✗ ", "info": "", "muted": ""}
_CELL = "padding:3px 10px 3px 0;vertical-align:top;border:0;"


class Html(str):
    """Markup that is safe to put into a page as it stands."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def tag(name: str, *children: object, **attributes: object) -> Html:
    """Return one element; children that are not :class:`Html` are escaped.

    Attribute names take a trailing underscore where Python reserves the word, and underscores
    for hyphens: ``class_``, ``aria_label``. A value of None leaves the attribute out.
    """
    head = "".join(
        f' {key.rstrip("_").replace("_", "-")}="{html.escape(str(value), quote=True)}"'
        for key, value in attributes.items()
        if value is not None
    )
    return Html(f"<{name}{head}>{join(children)}</{name}>")


def join(parts: Iterable[object]) -> Html:
    """Return the parts one after the other, each escaped unless it is :class:`Html`."""
    return Html("".join(part if isinstance(part, Html) else html.escape(str(part)) for part in parts))


def badge(text: str, tone: Tone = "info") -> Html:
    """Return a small framed word; its sign, not only its colour, tells the tone."""
    style = (
        f"display:inline-block;border:1px solid {_ACCENT[tone]};border-left-width:4px;"
        "border-radius:4px;padding:0 8px;margin:0 6px 2px 0;font-size:.86em;line-height:1.6;"
    )
    return tag("span", f"{_SIGN[tone]}{text}", style=style, class_=f"ck-badge ck-{tone}")


def card(title: str, *body: object, subtitle: str = "", badges: Sequence[Html] = ()) -> Html:
    """Return the frame that every result object wears."""
    style = (
        f"border:1px solid {BORDER};border-radius:8px;padding:12px 16px;margin:6px 0;"
        "max-width:980px;line-height:1.5;overflow-x:auto;font-variant-numeric:tabular-nums;"
    )
    head = tag("div", title, style="font-weight:600;font-size:1.08em;")
    sub = tag("div", subtitle, style="opacity:.75;font-size:.9em;") if subtitle else Html("")
    row = tag("div", join(badges), style="margin:6px 0 2px;") if badges else Html("")
    return tag("section", head, sub, row, *body, style=style, class_="ck-card", aria_label=title)


def table(
    headers: Sequence[object],
    rows: Iterable[Sequence[object]],
    *,
    caption: str = "",
    numeric: Iterable[int] = (),
) -> Html:
    """Return a table with real headers; ``numeric`` names the columns to set flush right."""
    right = set(numeric)

    def cell(name: str, index: int, content: object, **extra: object) -> Html:
        align = "right" if index in right else "left"
        weight = "font-weight:600;" if name == "th" else ""
        return tag(name, content, style=f"{_CELL}text-align:{align};{weight}", **extra)

    head = tag("tr", join(cell("th", i, h, scope="col") for i, h in enumerate(headers)))
    body = join(
        tag(
            "tr",
            join(cell("td", i, value) for i, value in enumerate(row)),
            style=f"border-top:1px solid {BORDER};",
        )
        for row in rows
    )
    return table_frame(head, body, caption=caption)


def table_frame(head: Html, body: Html, *, caption: str = "", look: str = "ck-table") -> Html:
    """Return a table of rows that are made already: ``tr`` elements for its head and its body.

    ``look`` is the class under which the page of a report styles the table.
    """
    title = tag("caption", caption, style="text-align:left;opacity:.75;") if caption else Html("")
    whole = tag(
        "table", title, tag("thead", head), tag("tbody", body),
        style="border-collapse:collapse;margin:8px 0 2px;font-size:.92em;", class_=look,
    )  # fmt: skip
    # A narrow page scrolls the table and leaves the words around it in place.
    return tag("div", whole, style="overflow-x:auto;", class_="ck-scroll", tabindex="0")


def facts(pairs: Mapping[str, Any] | Iterable[tuple[str, object]]) -> Html:
    """Return name and value pairs in one wrapping line."""
    items = pairs.items() if isinstance(pairs, Mapping) else pairs
    return tag(
        "div",
        join(
            tag(
                "span", tag("span", f"{name} ", style="opacity:.7;"), tag("b", value),
                style="display:inline-block;margin:2px 18px 2px 0;",
            )
            for name, value in items
        ),
        style="margin:6px 0;", class_="ck-facts",
    )  # fmt: skip


def bullets(items: Iterable[object]) -> Html:
    """Return a list; empty markup for no items."""
    entries = [tag("li", item) for item in items]
    return tag("ul", *entries, style="margin:4px 0;padding-left:20px;") if entries else Html("")


def details(summary: object, *body: object, open_: bool = False) -> Html:
    """Return a part that opens on click, without a script."""
    attributes: dict[str, object] = {"style": "margin:6px 0;"}
    if open_:
        attributes["open"] = "open"
    return tag("details", tag("summary", summary, style="cursor:pointer;"), *body, **attributes)
