"""The check of a whole report: every anchor, every claim, every claim without an anchor."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from capital_kit._core.html import Html
from capital_kit._core.notices import Notice
from capital_kit._core.records import plain
from capital_kit.citations._anchor import Citation, NearMiss
from capital_kit.citations._blocks import Format
from capital_kit.citations._claims import Claim, Parsed, near_misses, parse_report
from capital_kit.citations._match import Found
from capital_kit.citations._report_file import read_report
from capital_kit.citations._sources import Refused, place_of
from capital_kit.citations._store import Section, SourceStore
from capital_kit.citations._uncited import Coverage, UncitedClaim, find_uncited
from capital_kit.citations._verify import Outcome, Scope, as_requirement, claim_keywords, judge
from capital_kit.errors import CitationError

if TYPE_CHECKING:
    import pandas as pd

MOST_ANCHORS = 50_000


@dataclass(frozen=True, slots=True, kw_only=True)
class CitationVerdict:
    """What became of one anchor of a report.

    Attributes
    ----------
    verified : bool
        Whether its source holds the claim; with anchors side by side, whether they do together
        and this one holds a part.
    code, reason : str
        Why, as a stable code and as the sentence of the requirement document.
    source_excerpt : str
        The place of the source where most of the claim stands; ``excerpt_spans`` are the matched
        words in it.
    """

    anchor_str: str
    citation: Citation
    claim_text: str
    position: int
    end: int
    claim_span: tuple[int, int]
    verified: bool
    code: str
    reason: str
    matched_keywords: tuple[str, ...]
    missing_keywords: tuple[str, ...]
    source_excerpt: str
    excerpt_spans: tuple[tuple[int, int], ...]
    warnings: tuple[Notice, ...]
    source_path: str | None
    source_sha256: str | None
    group: int

    @property
    def message(self) -> str:
        """The reason in ``options.language``."""
        if self.code == "no_file" and self.citation is not None:
            return Notice("citations", "no_file_at", place=place_of(self.citation)).message
        return Notice("citations", self.code).message

    @property
    def advice(self) -> str:
        """What would help where the words were not found, in brackets; empty where nothing is known."""
        found = [notice.message for notice in self.warnings if notice.code == "cross_language"]
        return Notice("citations", "advice", text=found[0]).message if found else ""

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as strict JSON."""
        names = (name for name in self.__slots__ if name != "source_sha256")
        record: dict[str, Any] = plain({name: getattr(self, name) for name in (*names, "source_sha256")})
        return record


@dataclass(frozen=True, kw_only=True, repr=False)
class ReportVerdict:
    """What became of a report.

    Attributes
    ----------
    citations : tuple of CitationVerdict
        One entry an anchor, in the order of the report.
    uncited : tuple of UncitedClaim
        Factual claims without a citation.
    near_misses : tuple of NearMiss
        What looks like an anchor and is none.
    stats : mapping
        Counts: anchors, resolved, verified, sources, factual_claims, cited_claims, waived, coverage, by_code.
    """

    citations: tuple[CitationVerdict, ...]
    uncited: tuple[UncitedClaim, ...]
    near_misses: tuple[NearMiss, ...]
    stats: Mapping[str, Any]

    @property
    def ok(self) -> bool:
        """Whether the report may pass: no finding."""
        return not self.findings

    @cached_property
    def findings(self) -> tuple[Notice, ...]:
        """Everything that keeps the report from passing."""
        bad = [_unverified(verdict) for verdict in self.citations if not verdict.verified]
        bare = [
            Notice("citations", "uncited_claim", text=_short(claim.text), position=claim.position)
            for claim in self.uncited
        ]
        return (*map(_near_miss, self.near_misses), *bad, *bare)

    def to_dict(self) -> dict[str, Any]:
        """Return the verdict as strict JSON."""
        record: dict[str, Any] = plain({
            "ok": self.ok, "stats": dict(self.stats), "citations": self.citations, "uncited": self.uncited,
            "near_misses": self.near_misses, "findings": self.findings,
        })  # fmt: skip
        return record

    def to_frame(self) -> pd.DataFrame:
        """Return one row an anchor."""
        import pandas as pd

        columns = [
            "anchor_str", "claim_text", "verified", "code", "reason", "matched_keywords", "missing_keywords",
            "source_excerpt", "source_path", "warnings", "position", "end", "group",
        ]  # fmt: skip
        rows = [{name: getattr(verdict, name) for name in columns} for verdict in self.citations]
        for row in rows:
            row["warnings"] = tuple(notice.code for notice in row["warnings"])
        return pd.DataFrame(rows, columns=columns)

    def to_html(self) -> str:
        """Return the verdict as a page of its own."""
        from capital_kit.citations._cards import verdict_page

        return verdict_page(self)

    def __repr__(self) -> str:
        sign = "ok" if self.ok else f"{len(self.findings)} findings"
        return f"ReportVerdict({sign}, {self.stats['verified']} of {self.stats['anchors']} anchors verified)"

    def _repr_html_(self) -> str:
        return str(self._card())

    def _card(self) -> Html:
        from capital_kit.citations._cards import verdict_card

        return verdict_card(self)


def verify_report(
    text_or_path: str | PathLike[str],
    sources_dir: str | PathLike[str],
    *,
    format: Format | Literal["auto"] = "auto",  # noqa: A002 - the contract's word
    scope: Scope = "section",
    store: SourceStore | None = None,
) -> ReportVerdict:
    """Check every citation of a report against its source, and every figure for a citation.

    Parameters
    ----------
    text_or_path : str or path
        The report: its text, or a file (.md, .txt, .html).
    sources_dir : path
        The folder of the source files. Nothing outside it (and ``../evidence``) is read.
    format : {"auto", "text", "markdown", "html"}
        How the report is written.
    scope : {"section", "near"}
        ``near`` asks that the keywords of a claim stand near to each other.
    store : SourceStore, optional
        Sections read before, for many reports over the same sources.

    Raises
    ------
    CitationError
        ``report_not_found``, ``report_unreadable``, ``report_undecodable``, ``report_too_large``,
        ``sources_not_found``.
    """
    if scope not in {"section", "near"}:
        raise TypeError(f"scope must be 'section' or 'near', not {scope!r}")
    if not isinstance(sources_dir, str | PathLike):
        raise TypeError(f"sources_dir must be str or Path, not {type(sources_dir).__name__}")
    text, kind = read_report(text_or_path, format)
    require_sources(Path(sources_dir))
    return check_text(text, Path(sources_dir), kind, scope=scope, store=store)


def require_sources(folder: Path) -> None:
    """Raise ``sources_not_found`` unless the folder of the sources is one."""
    if not folder.is_dir():
        raise CitationError.of("sources_not_found", name=folder.name)


def check_text(
    text: str, sources_dir: Path, kind: Format | Literal["auto"], *, scope: Scope = "section",
    store: SourceStore | None = None,
) -> ReportVerdict:  # fmt: skip
    """Check a text; in a folder that is none, no citation resolves."""
    parsed = parse_report(text, kind)
    if len(parsed.claims) > MOST_ANCHORS:
        raise CitationError.of("report_too_large", "anchors", count=len(parsed.claims), limit=MOST_ANCHORS)
    verdicts = _Check(sources_dir, store or SourceStore(), scope).verdicts(parsed)
    coverage = find_uncited(parsed, text)
    misses = tuple(near_misses(text, parsed.blocks))
    stats = _stats(verdicts, coverage, misses)
    return ReportVerdict(citations=verdicts, uncited=coverage.uncited, near_misses=misses, stats=stats)


class _Check:
    """One run over a report; each section is opened once, so that all claims see the same files."""

    def __init__(self, sources_dir: Path, store: SourceStore, scope: Scope) -> None:
        self._sources_dir = sources_dir
        self._store = store
        self._scope = scope
        self._sections: dict[Citation, Section | str] = {}

    def verdicts(self, parsed: Parsed) -> tuple[CitationVerdict, ...]:
        groups: dict[int, list[Claim]] = {}
        for claim in parsed.claims:
            groups.setdefault(claim.group, []).append(claim)
        found = [verdict for group in groups.values() for verdict in self._group(group)]
        return tuple(sorted(found, key=lambda verdict: (verdict.position, verdict.end)))

    def _section(self, citation: Citation) -> Section | str:
        if citation not in self._sections:
            try:
                self._sections[citation] = self._store.section(citation, self._sources_dir)
            except Refused as refusal:
                self._sections[citation] = refusal.code
        return self._sections[citation]

    def _group(self, claims: Sequence[Claim]) -> list[CitationVerdict]:
        """Check anchors that stand side by side: a keyword may come from any of them."""
        first = claims[0]
        wanted = claim_keywords(first.claim_text, first.keywords or None)
        if wanted is None:
            return [_verdict(claim, Outcome("claim_too_long", verified=False)) for claim in claims]
        sections = [self._section(claim.citation) for claim in claims]
        tables = [
            tuple(section.index.find(keyword) for keyword in wanted) if isinstance(section, Section) else None
            for section in sections
        ]
        together = [any(table is not None and table[i].ok for table in tables) for i in range(len(wanted))]
        verdicts = []
        for claim, section, table in zip(claims, sections, tables, strict=True):
            if not isinstance(section, Section) or table is None:
                unchecked = tuple(Found(keyword, (), (keyword.text,)) for keyword in wanted)
                code = section if isinstance(section, str) else "no_file"
                verdicts.append(_verdict(claim, Outcome(code, verified=False, found=unchecked)))
                continue
            own = _own_part(table, together)
            outcome = judge(
                own, section, claim.claim_text, scope=self._scope, located=bool(claim.citation.locator)
            )
            if len(claims) > 1 and wanted and not any(item.ok for item in table):
                outcome = Outcome("idle_anchor", verified=False, found=table, section=section,
                                  excerpt=outcome.excerpt, excerpt_start=outcome.excerpt_start)  # fmt: skip
            verdicts.append(_verdict(claim, outcome))
        return verdicts


def _own_part(table: tuple[Found, ...], together: Sequence[bool]) -> tuple[Found, ...]:
    """Leave out what this source lacks and another of the group has."""
    return tuple(item for item, held in zip(table, together, strict=True) if item.ok or not held)


def _verdict(claim: Claim, outcome: Outcome) -> CitationVerdict:
    words = as_requirement(outcome, claim.citation)
    return CitationVerdict(
        anchor_str=claim.citation.anchor_str, citation=claim.citation, claim_text=claim.claim_text,
        position=claim.position, end=claim.end, claim_span=claim.claim_span, verified=outcome.verified,
        code=outcome.code, reason=words["reason"], matched_keywords=tuple(words["matched_keywords"]),
        missing_keywords=tuple(words["missing_keywords"]), source_excerpt=outcome.excerpt,
        excerpt_spans=tuple((start, end) for _, start, end in outcome.spans), warnings=outcome.warnings,
        source_path=outcome.section.path if outcome.section else None,
        source_sha256=outcome.section.sha256 if outcome.section else None, group=claim.group,
    )  # fmt: skip


def _stats(
    verdicts: Sequence[CitationVerdict], coverage: Coverage, misses: Sequence[NearMiss]
) -> dict[str, Any]:
    return {
        "anchors": len(verdicts),
        "resolved": sum(verdict.source_path is not None for verdict in verdicts),
        "verified": sum(verdict.verified for verdict in verdicts),
        "sources": len({verdict.source_path for verdict in verdicts if verdict.source_path}),
        "factual_claims": coverage.factual,
        "cited_claims": coverage.cited,
        "uncited_claims": len(coverage.uncited),
        "waived": coverage.waived,
        "near_misses": len(misses),
        "coverage": coverage.cited / coverage.factual if coverage.factual else None,
        "by_code": dict(sorted(Counter(verdict.code for verdict in verdicts).items())),
    }


def _unverified(verdict: CitationVerdict) -> Notice:
    details = {"anchor": verdict.anchor_str, "position": verdict.position, "cause": verdict.code}
    if verdict.code == "missing":
        missing = list(verdict.missing_keywords)
        return Notice(
            "citations", "claim_not_verified_missing", missing=missing, advice=verdict.advice, **details
        )
    return Notice("citations", "claim_not_verified", reason=verdict.message, **details)


def _near_miss(miss: NearMiss) -> Notice:
    from capital_kit._core.labels import tr

    if miss.suggestion:
        return Notice(
            "citations",
            "near_miss_suggestion",
            raw=miss.raw,
            suggestion=miss.suggestion,
            position=miss.position,
        )
    return Notice(
        "citations",
        "near_miss",
        raw=miss.raw,
        reason=tr(f"citations.near.{miss.code}"),
        position=miss.position,
    )


def _short(text: str) -> str:
    return text if len(text) <= 80 else f"{text[:79]}…"
