"""The style sheets of a report, beyond that of the page."""

from __future__ import annotations

from pathlib import Path

from capital_kit._core.labels import tr

_FOLDER = Path(__file__).parent


def styles(*, draft: bool) -> str:
    """Return the rules of a report; a draft is marked on every page, on screen and in print."""
    report = (_FOLDER / "report.css").read_text(encoding="utf-8")
    if not draft:
        return report
    marks = (_FOLDER / "draft.css").read_text(encoding="utf-8")
    return report + marks.replace("%DRAFT%", tr("reports.page.draft_strip"))
