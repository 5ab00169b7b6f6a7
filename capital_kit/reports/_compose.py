"""The whole page of a report: title block, contents, sections, verification, sources, footer."""

from __future__ import annotations

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from capital_kit import __version__
from capital_kit._core.html import Html, join, tag
from capital_kit._core.labels import tr
from capital_kit._core.page import page
from capital_kit.reports._annotate import appendix, source_name
from capital_kit.reports._check import ReportCheck
from capital_kit.reports._items import Item
from capital_kit.reports._sections import Section, Sections, grid
from capital_kit.reports._style import styles


@dataclass(frozen=True, slots=True, kw_only=True)
class Front:
    """What stands in the title block."""

    title: str
    subtitle: str
    author: str
    created: dt.date


def compose(front: Front, items: Sequence[Item], check: ReportCheck, *, draft: bool) -> str:
    """Return the page; the same input gives the same bytes."""
    sections = Sections(front.title, check)
    for item in items:
        sections.add(item)
    datasets = _datasets(items)
    numbered = [_numbered(n, section) for n, section in enumerate(sections.all, 1)]
    back = _back_matter(check, items, datasets)
    contents = [(f"s-{n}", f"{n}", s) for n, s in enumerate(sections.all, 1)]
    body = tag(
        "div",
        _draft_marks(check) if draft else "",
        _head(front, check, sections, datasets, draft=draft),
        _contents(contents, back),
        tag("div", join(numbered), join(_section(key, title, content) for key, title, content in back),
            _footer(datasets), class_="ck-body"),
        class_="ck-report",
    )  # fmt: skip
    title = tr("reports.page.draft_title", title=front.title) if draft else front.title
    return page(title, body, styles=styles(draft=draft), scripts=_scripts(sections.figures))


def _scripts(figures: Sequence[tuple[str, Any]]) -> list[str]:
    if not figures:
        return []
    from capital_kit.charts._embed import page_scripts

    return list(page_scripts(figures))


def _datasets(items: Sequence[Item]) -> list[Any]:
    found = {dataset.fingerprint: dataset for item in items for dataset in item.datasets}
    return list(found.values())


def _head(
    front: Front, check: ReportCheck, sections: Sections, datasets: Sequence[Any], *, draft: bool
) -> Html:
    author = f"{tr('reports.page.author')} {front.author}" if front.author else ""
    meta = [tag("span", text) for text in (author, front.created.isoformat()) if text]
    waived = tag("span", tr("reports.page.waived", n=check.waived)) if check.waived else ""
    return tag(
        "header",
        tag("p", tr("reports.page.eyebrow"), class_="ck-eyebrow"),
        tag("h1", front.title),
        tag("p", front.subtitle, class_="ck-subtitle") if front.subtitle else "",
        tag("p", *meta, _status(check, draft=draft), waived, class_="ck-meta"),
        _tiles(check, sections, datasets),
        class_="ck-head",
    )


def _status(check: ReportCheck, *, draft: bool) -> Html:
    count = len(check.findings)
    if draft:
        text = tr("reports.page.draft_status" if count else "reports.page.draft_clean", count=count)
        return tag("span", text, class_="ck-status ck-bad")
    if not check.total:
        return tag("span", tr("reports.page.no_citations"), class_="ck-status")
    text = tr("reports.page.verified", verified=check.verified, total=check.total)
    return tag("span", f"✓ {text}", class_="ck-status ck-ok")


def _tiles(check: ReportCheck, sections: Sections, datasets: Sequence[Any]) -> Html:
    files = {source_name(citation) for citation in check.citations} - {""}
    tiles = [
        ("citations", f"{check.verified}/{check.total}", check.total),
        ("sources", f"{len(files)}", len(files)),
        ("figures", f"{len(sections.figures)}", len(sections.figures)),
        ("rows", f"{sum(d.rows for d in datasets):,}", len(datasets)),
    ]
    shown = [
        tag("li", tag("b", value), tag("span", tr(f"reports.page.tile_{name}")))
        for name, value, present in tiles
        if present
    ]
    return tag("ul", *shown, class_="ck-tiles") if shown else Html("")


def _contents(sections: Sequence[tuple[str, str, Section]], back: Sequence[tuple[str, str, Html]]) -> Html:
    entries = [
        tag("li", tag("a", tag("span", "" if s.is_numbered else n, class_="ck-no"), s.title, href=f"#{key}"))
        for key, n, s in sections
    ]
    entries += [
        tag("li", tag("a", tag("span", "", class_="ck-no"), title, href=f"#{key}")) for key, title, _ in back
    ]
    label = tr("reports.page.contents")
    return tag("nav", tag("p", label), tag("ol", *entries), class_="ck-toc", aria_label=label)


def _numbered(n: int, section: Section) -> Html:
    number = "" if section.is_numbered else tag("span", f"{n}", class_="ck-no")
    return tag("section", tag("h2", number, section.heading), join(section.parts), id=f"s-{n}")


def _section(key: str, title: str, content: Html) -> Html:
    return tag("section", tag("h2", title), content, id=key, class_="ck-back-matter")


def _back_matter(
    check: ReportCheck, items: Sequence[Item], datasets: Sequence[Any]
) -> list[tuple[str, str, Html]]:
    parts: list[tuple[str, str, Html]] = []
    if check.total or check.findings or check.waived:
        parts.append(("verification", tr("reports.appendix.title"), appendix(check)))
    if check.total or datasets:
        content = join([_cited(check), _data(datasets), _warnings(items)])
        parts.append(("sources", tr("reports.sources.title"), content))
    return parts


def _cited(check: ReportCheck) -> Html:
    found = [c for c in check.citations if c.source_path]
    if not found:
        return tag("p", tr("reports.sources.none"), class_="ck-sub")
    digests = {source_name(c): c.source_sha256 or "" for c in found}
    cited = Counter(source_name(c) for c in found)
    verified = Counter(source_name(c) for c in found if c.verified)
    rows = [(name, cited[name], verified[name], tag("code", digests[name][:16])) for name in sorted(cited)]
    headers = [tr(f"reports.sources.{name}") for name in ("file", "citations", "verified", "digest")]
    return _table("files", headers, rows, {1, 2})


def _data(datasets: Sequence[Any]) -> Html:
    if not datasets:
        return Html("")
    names = ("dataset", "rows", "columns", "fingerprint")
    rows = [
        (d.source.label, f"{d.rows:,}", len(d.columns), tag("code", d.fingerprint[:16])) for d in datasets
    ]
    return _table("data", [tr(f"reports.sources.{name}") for name in names], rows, {1, 2})


def _table(name: str, headers: Sequence[str], rows: Sequence[Sequence[object]], right: set[int]) -> Html:
    table = tag("div", grid(headers, rows, right), class_="ck-scroll", tabindex="0")
    return join([tag("h3", tr(f"reports.sources.{name}")), table])


def _warnings(items: Sequence[Item]) -> Html:
    seen: dict[str, None] = {}
    for item in items:
        if item.datasets:
            described = (
                getattr(item.value, "description", item.value) if item.kind == "summary" else item.value
            )
            notices = (*getattr(item.datasets[0], "warnings", ()), *getattr(described, "warnings", ()))
            seen.update(dict.fromkeys(notice.message for notice in notices))
    if not seen:
        return Html("")
    entries = [tag("li", message) for message in seen]
    return join([tag("h3", tr("reports.sources.warnings")), tag("ul", *entries)])


def _footer(datasets: Sequence[Any]) -> Html:
    made = [tr("reports.footer.made", version=__version__)]
    made += [tr("reports.footer.data", fingerprint=d.fingerprint[:16]) for d in datasets]
    return tag("footer", tag("p", tr("reports.footer.advice")), tag("p", " · ".join(made)))


def _draft_marks(check: ReportCheck) -> Html:
    count = len(check.findings)
    key = "draft_banner" if count else "draft_banner_clean"
    banner = tag("p", tr(f"reports.page.{key}", count=count), class_="ck-draft-banner", role="note")
    strip = tag("div", tr("reports.page.draft_strip"), class_="ck-draft-strip", aria_hidden="true")
    water = tag("div", tr("reports.page.draft"), class_="ck-watermark", aria_hidden="true")
    return join([water, strip, banner])
