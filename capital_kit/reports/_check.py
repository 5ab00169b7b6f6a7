"""The check of a report: every Markdown text against the sources, and what keeps it from being final."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capital_kit._core.html import Html, badge, card, facts, table
from capital_kit._core.labels import tr
from capital_kit._core.records import plain

if TYPE_CHECKING:
    import pandas as pd

    from capital_kit.citations._anchor import NearMiss
    from capital_kit.citations._report import CitationVerdict, ReportVerdict

_SHOWN = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One reason why a report may not be final.

    Attributes
    ----------
    code : str
        A verdict's code (``missing``, ``no_file`` …), ``uncited``, ``near_miss`` or ``no_sources``.
    message : str
        The reason in the reader's language.
    claim : str
        The words in question.
    anchor : str
        The anchor as written; empty where there is none.
    citation : int or None
        Position of the citation among all citations of the report, from 1.
    """

    code: str
    message: str
    claim: str = ""
    anchor: str = ""
    citation: int | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"code", "message", "claim", "anchor"}``."""
        return {"code": self.code, "message": self.message, "claim": self.claim, "anchor": self.anchor}


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class ReportCheck:
    """What the check of all texts of a report found.

    Attributes
    ----------
    verdicts : tuple of ReportVerdict
        One for each Markdown text, in the report's order.
    findings : tuple of Finding
        What keeps the report from being final; empty when it is ``ok``.
    """

    verdicts: tuple[ReportVerdict, ...] = ()
    findings: tuple[Finding, ...] = ()

    @property
    def ok(self) -> bool:
        """Whether the report may be written as final."""
        return not self.findings

    @property
    def citations(self) -> tuple[CitationVerdict, ...]:
        """The verdicts on all citations, in the report's order."""
        return tuple(citation for verdict in self.verdicts for citation in verdict.citations)

    @property
    def total(self) -> int:
        """The number of citations."""
        return len(self.citations)

    @property
    def verified(self) -> int:
        """The number of citations whose claim was found in the source."""
        return sum(citation.verified for citation in self.citations)

    @property
    def waived(self) -> int:
        """The number of sentences that the author marked as needing no citation."""
        return sum(int(verdict.stats["waived"]) for verdict in self.verdicts)

    def to_dict(self) -> dict[str, Any]:
        """Return the check as strict JSON."""
        record: dict[str, Any] = plain({
            "ok": self.ok, "citations": self.total, "verified": self.verified, "waived": self.waived,
            "findings": self.findings, "verdicts": self.verdicts,
        })  # fmt: skip
        return record

    def to_frame(self) -> pd.DataFrame:
        """Return one row a finding."""
        import pandas as pd

        columns = ["code", "message", "claim", "anchor"]
        return pd.DataFrame([finding.to_dict() for finding in self.findings], columns=columns)

    def __repr__(self) -> str:
        return f"ReportCheck({self.verified}/{self.total} verified, {len(self.findings)} findings)"

    def _repr_html_(self) -> str:
        return str(self._card())

    def _card(self) -> Html:
        counted = tr("reports.page.verified", verified=self.verified, total=self.total)
        body = (findings_table(self.findings),) if self.findings else ()
        return card(tr("reports.card.check"), facts([(tr("reports.card.citations"), counted)]), *body,
                    badges=[readiness(self)])  # fmt: skip


def readiness(check: ReportCheck) -> Html:
    """Return the badge that says whether the report may be final."""
    if check.ok:
        return badge(tr("reports.card.ready"), "ok")
    return badge(tr("reports.card.blocked", count=len(check.findings)), "bad")


def findings_table(findings: Sequence[Finding], limit: int = _SHOWN) -> Html:
    """Return the findings as a table, bounded, and say how many are not listed."""
    headers = [tr(f"reports.card.{name}") for name in ("code", "message", "claim", "anchor")]
    rows = [(f.code, f.message, f.claim, f.anchor) for f in findings[:limit]]
    left = len(findings) - limit
    return table(headers, rows, caption=tr("reports.card.more", n=left) if left > 0 else "")


def check_report(
    texts: Sequence[str], sources: Path | None, verdicts: Iterable[ReportVerdict] = ()
) -> ReportCheck:
    """Return the check of ``texts``; ``verdicts`` that stand in the report must have passed too."""
    from capital_kit.citations import verify_report

    # Without a folder nothing resolves, but anchors and uncited facts are found all the same.
    folder = sources if sources is not None else Path("no-sources-given")
    # The line break keeps a text such as "see note.md" from being taken for a file's name.
    checked = tuple(verify_report(f"{text}\n", folder, format="markdown") for text in texts)
    findings: list[Finding] = []
    before = 0
    for verdict in checked:
        found = _of_text(verdict, before)
        findings += found if sources is not None else map(_without_sources, found)
        before += len(verdict.citations)
    for verdict in verdicts:
        if not verdict.ok:
            findings += [replace(finding, citation=None) for finding in _of_text(verdict, 0)]
    return ReportCheck(verdicts=checked, findings=tuple(findings))


def _of_text(verdict: ReportVerdict, before: int) -> list[Finding]:
    unverified = [
        Finding(code=citation.code, message=reason_of(citation), claim=citation.claim_text,
                anchor=citation.anchor_str, citation=number)
        for number, citation in enumerate(verdict.citations, before + 1)
        if not citation.verified
    ]  # fmt: skip
    uncited = [
        Finding(code="uncited", message=tr("reports.finding.uncited"), claim=claim.text)
        for claim in verdict.uncited
    ]
    near = [
        Finding(code="near_miss", message=_spelling(miss), anchor=miss.raw) for miss in verdict.near_misses
    ]
    return [*unverified, *uncited, *near]


def reason_of(citation: CitationVerdict) -> str:
    """Return why a citation was not verified, in the reader's language."""
    if citation.code != "missing":
        return citation.message
    return tr("reports.finding.missing", missing=", ".join(citation.missing_keywords))


def _spelling(miss: NearMiss) -> str:
    if miss.suggestion:
        return tr("reports.finding.near_miss_suggestion", suggestion=miss.suggestion)
    return tr("reports.finding.near_miss")


def _without_sources(finding: Finding) -> Finding:
    if finding.citation is None:
        return finding
    return replace(finding, code="no_sources", message=tr("reports.finding.no_sources"))
