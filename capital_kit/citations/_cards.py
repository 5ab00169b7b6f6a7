"""Cards of verdicts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from capital_kit._core.html import Html, badge, bullets, card, details, facts, join, table, tag
from capital_kit._core.labels import tr
from capital_kit._core.numbers import show

if TYPE_CHECKING:
    from capital_kit.citations._report import CitationVerdict, ReportVerdict

_MOST_ROWS = 40
_MARK = "background:rgba(255,213,79,.45);color:inherit;padding:0 1px;border-radius:2px;"
_CODE = "font-family:ui-monospace,Menlo,Consolas,monospace;font-size:.92em;overflow-wrap:anywhere;"
_PROSE = "min-width:16em;overflow-wrap:anywhere;"
_MISSING = (
    "display:inline-block;margin:0 4px 3px 0;padding:0 6px;border-radius:3px;font-weight:600;"
    "border:1px solid rgba(214,69,65,.45);background:rgba(214,69,65,.10);"
)
_EXCERPT = (
    "margin:4px 0 10px;padding:2px 12px;white-space:pre-wrap;"
    "border-left:3px solid var(--jp-border-color2, rgba(128,128,128,.35));"
)


def verdict_card(verdict: ReportVerdict) -> Html:
    """Return the card of a report's verdict: the badge, the figures, the claims, the source texts."""
    passed = (
        tr("citations.card.passed") if verdict.ok else tr("citations.card.blocked", n=len(verdict.findings))
    )
    shown = _worst_first(verdict.citations)[:_MOST_ROWS]
    parts: list[object] = [facts(figures(verdict))]
    if shown:
        parts.append(_claims(shown))
        if len(shown) < len(verdict.citations):
            parts.append(
                tag(
                    "div",
                    tr("citations.card.more", n=len(verdict.citations) - len(shown)),
                    style="opacity:.7;",
                )
            )
        with_text = [item for item in shown if item.source_excerpt]
        if with_text:
            parts.append(details(tr("citations.card.excerpts", n=len(with_text)), *map(_excerpt, with_text)))
    else:
        parts.append(tag("p", tr("citations.card.none"), style="opacity:.75;"))
    parts += _lists(verdict)
    return card(
        tr("citations.card.title"), *parts, subtitle=tr("citations.card.subtitle"),
        badges=[badge(passed, "ok" if verdict.ok else "bad")],
    )  # fmt: skip


def _worst_first(citations: Sequence[CitationVerdict]) -> list[CitationVerdict]:
    return sorted(citations, key=lambda item: (item.verified, item.position))


def figures(verdict: ReportVerdict) -> list[tuple[str, object]]:
    """Return the counts of a verdict with their names."""
    stats = verdict.stats
    coverage = stats["coverage"]
    return [
        (tr("citations.card.citations"), show(stats["anchors"])),
        (tr("citations.card.verified"), show(stats["verified"])),
        (tr("citations.card.sources"), show(stats["sources"])),
        (tr("citations.card.coverage"), "—" if coverage is None else f"{coverage:.0%}"),
        (tr("citations.card.uncited"), show(stats["uncited_claims"])),
        (tr("citations.card.waived"), show(stats["waived"])),
        (tr("citations.card.near_misses"), show(stats["near_misses"])),
    ]


def _claims(items: Sequence[CitationVerdict]) -> Html:
    headers = [tr(f"citations.card.{name}") for name in ("result", "claim", "reason")]
    return table(headers, [
        [tag("span", _sign(item), style="white-space:nowrap;"), _said(item), _finding(item)]
        for item in items
    ])  # fmt: skip


def _said(item: CitationVerdict) -> Html:
    """Return the claim over its anchor."""
    anchor = tag("div", tag("code", item.anchor_str, style=_CODE), style="margin-top:3px;opacity:.75;")
    return join([tag("div", item.claim_text or "—", style=_PROSE), anchor])


def _sign(item: CitationVerdict) -> Html:
    if item.verified:
        return badge(tr("citations.card.verified"), "ok")
    return badge(tr("citations.card.unverified"), "bad")


def _finding(item: CitationVerdict) -> Html:
    """Return what is missing if words are, else the reason; then the remarks."""
    lines: list[object] = []
    if item.code == "missing":
        words = join(tag("span", word, style=_MISSING) for word in item.missing_keywords)
        lines.append(tag("div", tag("span", tr("citations.card.missing"), style="opacity:.7;"), " ", words))
    elif not item.verified:
        lines.append(tag("div", item.message))
    lines += [tag("div", notice.message, style="opacity:.75;font-size:.92em;") for notice in item.warnings]
    return tag("div", *lines or ["—"], style="min-width:14em;overflow-wrap:anywhere;")


def _excerpt(item: CitationVerdict) -> Html:
    head = tag(
        "div",
        tag("code", item.anchor_str, style=_CODE),
        " ",
        tag("span", item.source_path or "", style="opacity:.7;"),
    )
    return tag(
        "div", head, tag("blockquote", marked(item.source_excerpt, item.excerpt_spans), style=_EXCERPT)
    )


def marked(text: str, spans: Sequence[tuple[int, int]], *, style: str | None = _MARK) -> Html:
    """Return the text with its spans marked; overlapping spans become one."""
    parts: list[object] = []
    at = 0
    for start, end in sorted(spans):
        if end <= at:
            continue
        start = max(start, at)
        parts += (text[at:start], tag("mark", text[start:end], style=style))
        at = end
    return join([*parts, text[at:]])


def _lists(verdict: ReportVerdict) -> list[Html]:
    lists = []
    if verdict.uncited:
        title = tr("citations.card.uncited_list", n=len(verdict.uncited))
        lists.append(
            details(title, bullets(claim.text for claim in verdict.uncited[:_MOST_ROWS]), open_=True)
        )
    if verdict.near_misses:
        title = tr("citations.card.near_list", n=len(verdict.near_misses))
        entries = [
            f"{miss.raw} → {miss.suggestion}"
            if miss.suggestion
            else f"{miss.raw} — {tr(f'citations.near.{miss.code}')}"
            for miss in verdict.near_misses[:_MOST_ROWS]
        ]
        lists.append(details(title, bullets(entries), open_=True))
    return lists
