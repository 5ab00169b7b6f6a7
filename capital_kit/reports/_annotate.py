"""Citations in a report: the small mark in the text and the entry in the appendix."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from capital_kit._core.html import Html, join, tag
from capital_kit._core.labels import tr
from capital_kit.reports._check import Finding, ReportCheck, reason_of

if TYPE_CHECKING:
    from capital_kit.citations._report import CitationVerdict

_SHOWN_WORDS = 40


def mark(number: int, verdict: CitationVerdict) -> Html:
    """Return the link that stands in the text in place of an anchor."""
    key = "ok" if verdict.verified else "bad"
    label = tr(f"reports.page.mark_{key}", n=number, source=verdict.anchor_str)
    link = tag(
        "a", f"[{number}]", sign(ok=verdict.verified), href=f"#v-{number}", id=f"c-{number}",
        title=label, aria_label=label,
    )  # fmt: skip
    # The word joiner keeps the mark on the line of the word it belongs to.
    return join(["\u2060", tag("sup", link, class_=f"ck-cite ck-{key}")])


def sign(*, ok: bool) -> Html:
    """Return the tick or the cross."""
    return tag("span", "✓" if ok else "✗", class_="ck-sign")


def appendix(check: ReportCheck) -> Html:
    """Return one entry a citation, then the findings that belong to no citation."""
    entries = join(_entry(number, verdict, by_author=number in check.chosen)
                   for number, verdict in enumerate(check.citations, 1))  # fmt: skip
    others = [finding for finding in check.findings if finding.citation is None]
    intro = tag("p", tr("reports.appendix.intro"), class_="ck-sub") if check.total else ""
    return join([intro, entries, _others(others), _waived(check)])


def _waived(check: ReportCheck) -> Html:
    if not check.waived:
        return Html("")
    items = [tag("li", tag("q", claim)) for claim in check.waived_claims]
    title = tag("h3", tr("reports.appendix.waived", n=check.waived))
    return join([title, tag("ul", *items, class_="ck-others")])


def _entry(number: int, verdict: CitationVerdict, *, by_author: bool) -> Html:
    key = "ok" if verdict.verified else "bad"
    head = tag(
        "header",
        tag("span", f"[{number}]", class_="ck-no"),
        tag("span", sign(ok=verdict.verified), " ", tr(f"reports.appendix.{key}"), class_="ck-state"),
        tag("code", verdict.anchor_str),
        tag("a", "↩", href=f"#c-{number}", title=tr("reports.appendix.back"),
            aria_label=tr("reports.appendix.back"), class_="ck-back"),
    )  # fmt: skip
    rows = [
        ("claim", tag("q", verdict.claim_text)),
        ("matched", _words(verdict.matched_keywords, "ck-found")),
        ("missing", _words(verdict.missing_keywords, "ck-lost")),
    ]
    pairs = join(
        join([tag("dt", tr(f"reports.appendix.{name}")), tag("dd", value)]) for name, value in rows if value
    )
    reason = "" if verdict.verified else tag("p", reason_of(verdict), class_="ck-reason")
    told = [notice.message for notice in verdict.warnings]
    told += [tr("reports.appendix.chosen")] if by_author else []
    notes = join(tag("p", "! ", message, class_="ck-note") for message in told)
    return tag("article", head, reason, tag("dl", pairs), notes, _excerpt(verdict), id=f"v-{number}",
               class_=f"ck-entry ck-{key}")  # fmt: skip


def _words(words: Sequence[str], class_: str) -> Html:
    chips = [tag("span", word, class_=class_) for word in words[:_SHOWN_WORDS]]
    left = len(words) - _SHOWN_WORDS
    return join([*chips, tag("span", f"+{left}", class_="ck-sub")] if left > 0 else chips)


def _excerpt(verdict: CitationVerdict) -> Html:
    if not verdict.source_excerpt:
        return tag("p", tr("reports.appendix.no_excerpt"), class_="ck-sub")
    quote = tag("blockquote", marked(verdict.source_excerpt, verdict.excerpt_spans), class_="ck-excerpt")
    digest = (verdict.source_sha256 or "")[:16]
    origin = [tag("span", source_name(verdict), class_="ck-file"), tag("code", digest)]
    return tag("div", quote, tag("p", *origin, class_="ck-origin"))


def marked(text: str, spans: Iterable[tuple[int, int]]) -> Html:
    """Return ``text`` escaped, with ``<mark>`` around every span; spans may overlap."""
    pieces: list[object] = []
    at = 0
    for start, end in sorted(spans):
        first = max(start, at)
        if end > first:
            pieces += [text[at:first], tag("mark", text[first:end])]
            at = end
    return join([*pieces, text[at:]])


def source_name(verdict: CitationVerdict) -> str:
    """Return the source file's name, without its folder; empty where there is none."""
    return Path(verdict.source_path).name if verdict.source_path else ""


def _others(findings: Sequence[Finding]) -> Html:
    if not findings:
        return Html("")
    items = [
        tag("li", tag("b", finding.message), " ", tag("q", finding.claim) if finding.claim else "",
            tag("code", finding.anchor) if finding.anchor else "")
        for finding in findings
    ]  # fmt: skip
    return join([tag("h3", tr("reports.appendix.other")), tag("ul", *items, class_="ck-others")])
