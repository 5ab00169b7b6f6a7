"""The check of a report: every Markdown text against the sources, and what keeps it from being final."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capital_kit._core.html import Html, badge, card, facts, table
from capital_kit._core.labels import tr
from capital_kit._core.records import plain
from capital_kit.reports._reading import checked as readable
from capital_kit.reports._reading import cleaned
from capital_kit.workspace import Workspace

if TYPE_CHECKING:
    import pandas as pd

    from capital_kit.citations._anchor import NearMiss
    from capital_kit.citations._report import CitationVerdict, ReportVerdict
    from capital_kit.citations._store import SourceStore

_SHOWN = 20
_CHOSEN = re.compile(r"\{kw:[^{}\r\n]{1,500}\}[ \t]*\Z")
# The month of a date is a word in some languages.
_FIGURE = re.compile(r"(?<![A-Za-z0-9])[0-9][0-9,]*(?:\.[0-9]+)?(?![0-9]|[ ]?月)")


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One reason why a report may not be final.

    Attributes
    ----------
    code : str
        A verdict's code (``missing``, ``no_file`` …), ``uncited``, ``near_miss``, ``no_sources``,
        ``figure_not_checked`` (keywords chosen by the author leave a figure out), ``not_read`` or
        ``outside_text`` (an anchor that is shown where no check reads it).
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
    waived_claims : tuple of str
        The sentences that the author marked as needing no citation.
    chosen : frozenset of int
        Numbers of the citations for which only keywords chosen by the author (``{kw: …}``) were
        looked for.
    """

    verdicts: tuple[ReportVerdict, ...] = ()
    findings: tuple[Finding, ...] = ()
    waived_claims: tuple[str, ...] = ()
    chosen: frozenset[int] = frozenset()

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
            "waived_claims": self.waived_claims, "chosen": self.chosen, "findings": self.findings,
            "verdicts": self.verdicts,
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
    texts: Sequence[str],
    sources: Path | None,
    verdicts: Iterable[ReportVerdict] = (),
    outside: Iterable[str] = (),
    workspace: Workspace | None = None,
) -> ReportCheck:
    """Return the check of ``texts``.

    ``verdicts`` that stand in the report must have passed too, and ``outside`` its texts may no
    anchor stand, for nobody would check it. Query results are looked for in ``workspace``.
    """
    from capital_kit.citations._store import SourceStore

    store = SourceStore()
    # Without a folder nothing resolves, but anchors and uncited facts are found all the same.
    folder = sources if sources is not None else Path(os.devnull) / "none"
    home = workspace or Workspace()
    checked = tuple(_verdict(text, folder, store, home) for text in texts)
    findings: list[Finding] = []
    waived: list[str] = []
    chosen: set[int] = set()
    before = 0
    for text, verdict in zip(texts, checked, strict=True):
        found = _of_text(verdict, before)
        lacking = _lacking(sources)
        findings += (_without_sources(finding, lacking) for finding in found) if lacking else found
        by_author = _chosen(text, verdict, before)
        findings += [*_skipped_figures(by_author), *_not_read(text, verdict)]
        chosen |= by_author.keys()
        before += len(verdict.citations)
        if verdict.stats["waived"]:
            bare = _verdict(text, folder, store, home, waivers=False)
            known = {claim.position for claim in verdict.uncited}
            waived += [claim.text for claim in bare.uncited if claim.position not in known]
    for verdict in verdicts:
        if not verdict.ok:
            findings += [replace(finding, citation=None) for finding in _of_text(verdict, 0)]
    findings += _outside(outside)
    return ReportCheck(
        verdicts=checked, findings=tuple(findings), waived_claims=tuple(waived), chosen=frozenset(chosen)
    )


def _verdict(
    text: str, folder: Path, store: SourceStore, workspace: Workspace, *, waivers: bool = True
) -> ReportVerdict:
    from capital_kit.citations._report import check_text

    return check_text(readable(text, waivers=waivers), folder, "markdown", store=store,
                      workspace=workspace)  # fmt: skip


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
    return [*near, *unverified, *uncited]


def _chosen(text: str, verdict: ReportVerdict, before: int) -> dict[int, CitationVerdict]:
    """Return the citations that were checked by keywords of their author, by number."""
    groups = {
        c.group for c in verdict.citations if _CHOSEN.search(text[max(0, c.position - 520) : c.position])
    }
    return {n: c for n, c in enumerate(verdict.citations, before + 1) if c.group in groups}


def _skipped_figures(chosen: Mapping[int, CitationVerdict]) -> Iterator[Finding]:
    """Find figures of a claim that the keywords chosen by its author leave out."""
    held: dict[int, set[float]] = {}
    for citation in chosen.values():
        words = " ".join(citation.matched_keywords + citation.missing_keywords)
        held.setdefault(citation.group, set()).update(_figures(words))
    for number, citation in chosen.items():
        left = sorted(_figures(citation.claim_text) - held[citation.group])
        if citation.verified and left:
            message = tr("reports.finding.figure_not_checked", figures=", ".join(f"{x:.12g}" for x in left))
            yield Finding(code="figure_not_checked", message=message, claim=citation.claim_text,
                          anchor=citation.anchor_str, citation=number)  # fmt: skip


def _figures(text: str) -> set[float]:
    return {float(figure.replace(",", "")) for figure in _FIGURE.findall(cleaned(text))}


def _not_read(text: str, verdict: ReportVerdict) -> Iterator[Finding]:
    """Find anchors that a reader sees and the check did not, as code or for a hidden character."""
    from capital_kit.citations._anchor import ANCHOR_OR_STORED
    from capital_kit.reports._markdown import words_left

    near = {cleaned(miss.raw) for miss in verdict.near_misses}
    words = cleaned(words_left(text, [(c.position, c.end) for c in verdict.citations]))
    for match in ANCHOR_OR_STORED.finditer(words):
        if match[0] not in near:
            yield Finding(code="not_read", message=tr("reports.finding.not_read"), anchor=match[0])


def _outside(words: Iterable[str]) -> Iterator[Finding]:
    from capital_kit.citations._anchor import ANCHOR_OR_STORED

    for text in words:
        for match in ANCHOR_OR_STORED.finditer(cleaned(text)):
            yield Finding(code="outside_text", message=tr("reports.finding.outside_text"), anchor=match[0])


def reason_of(citation: CitationVerdict) -> str:
    """Return why a citation was not verified, in the reader's language."""
    if citation.code != "missing":
        return citation.message
    missing = list(citation.missing_keywords)
    return tr("reports.finding.missing", missing=missing) + citation.advice


def _spelling(miss: NearMiss) -> str:
    if miss.suggestion:
        return tr("reports.finding.near_miss_suggestion", suggestion=miss.suggestion)
    return tr("reports.finding.near_miss")


def _lacking(sources: Path | None) -> str:
    """Say what keeps any source from being opened; nothing if the folder is there."""
    if sources is None:
        return tr("reports.finding.no_sources")
    return "" if sources.is_dir() else tr("reports.finding.sources_missing", name=sources.name)


def _without_sources(finding: Finding, reason: str) -> Finding:
    # A query result lies in the workspace, whatever folder there is.
    other = finding.citation is None or finding.anchor.startswith("[dataset:")
    return finding if other else replace(finding, code="no_sources", message=reason)
