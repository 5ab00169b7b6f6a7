"""The check of a whole report: every anchor, every claim, every claim without an anchor."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, cast

from capital_kit._core.html import Html
from capital_kit._core.notices import Notice
from capital_kit._core.records import plain
from capital_kit.citations._anchor import Citation, NearMiss, read_anchor
from capital_kit.citations._blocks import Format, guess_format
from capital_kit.citations._check import Check, Grouping, Rules
from capital_kit.citations._claims import Claim, near_misses, parse_report
from capital_kit.citations._report_file import read_report
from capital_kit.citations._sources import place_of
from capital_kit.citations._store import SourceFolder, SourceStore
from capital_kit.citations._uncited import Coverage, UncitedClaim, find_uncited
from capital_kit.citations._verify import (
    Outcome,
    Scope,
    as_requirement,
    given_words,
    sources_folder,
    workspace_of,
)
from capital_kit.errors import CitationError
from capital_kit.workspace import Workspace

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
    text, format : str
        The report as it was read.
    """

    citations: tuple[CitationVerdict, ...]
    uncited: tuple[UncitedClaim, ...]
    near_misses: tuple[NearMiss, ...]
    stats: Mapping[str, Any]
    text: str = ""
    format: Format = "markdown"

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
        """Return the report as a page of its own: anchors and words marked, the sources beside them."""
        from capital_kit.citations._annotated import annotated_page

        return annotated_page(self)

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
    group: Grouping = "adjacent",
    keywords: Mapping[str, Sequence[str]] | None = None,
    fact_patterns: Sequence[str] = (),
    store: SourceStore | None = None,
    workspace: Workspace | str | Path | None = None,
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
    group : {"adjacent", "each"}
        Whether anchors side by side hold their claim together, or each must hold all of it.
    keywords : mapping of str to sequence of str, optional
        By anchor: the words to check in place of the claim's own, for a source in another language.
        Inline keywords of the report go first.
    fact_patterns : sequence of str
        Regular expressions: a sentence that one of them finds also is a factual claim.
    store : SourceStore, optional
        Sections read before, for many reports over the same sources.
    workspace : Workspace or path, optional
        Where query results are stored: then ``[dataset:<dataset_id>:<query_id>]`` is a type too.

    Raises
    ------
    CitationError
        ``report_not_found``, ``report_unreadable``, ``report_undecodable``, ``report_too_large``,
        ``sources_not_found``, ``anchor_not_in_report``, ``fact_pattern_invalid``.
    """
    folder = sources_folder(sources_dir)
    rules = read_rules(scope=scope, group=group, keywords=keywords, stored=workspace is not None)
    patterns = read_patterns(fact_patterns)
    text, kind = read_report(text_or_path, format)
    require_sources(folder)
    verdict = check_text(text, folder, kind, rules=rules, patterns=patterns, store=store,
                         workspace=workspace_of(workspace))  # fmt: skip
    require_anchors(rules, [verdict])
    return verdict


def read_rules(
    *, scope: str = "section", group: str = "adjacent", keywords: Mapping[str, Sequence[str]] | None = None,
    stored: bool = False,
) -> Rules:  # fmt: skip
    """Return the rules that a caller asks for; raises ``TypeError`` for what is none."""
    if scope not in {"section", "near"}:
        raise TypeError(f"scope must be 'section' or 'near', not {scope!r}")
    if group not in {"adjacent", "each"}:
        raise TypeError(f"group must be 'adjacent' or 'each', not {group!r}")
    given = {}
    for anchor, words in (keywords or {}).items():
        citation = read_anchor(anchor, stored=stored)
        if isinstance(citation, str):
            raise CitationError.of("anchor_not_in_report", anchor=anchor)
        given[citation.anchor_str] = given_words(words) or []
    return Rules(scope=cast("Scope", scope), group=cast("Grouping", group), keywords=given)


def read_patterns(patterns: Sequence[str]) -> tuple[re.Pattern[str], ...]:
    """Return the compiled patterns; raises ``fact_pattern_invalid``."""
    if isinstance(patterns, str):
        raise TypeError("fact_patterns must be a sequence of str, not one str")
    try:
        return tuple(re.compile(pattern) for pattern in patterns)
    except re.error as error:
        raise CitationError.of("fact_pattern_invalid", pattern=error.pattern, reason=error.msg) from error


def require_sources(folder: Path) -> None:
    """Raise ``sources_not_found`` unless the folder of the sources is one."""
    if not folder.is_dir():
        raise CitationError.of("sources_not_found", name=folder.name)


def require_anchors(rules: Rules, verdicts: Sequence[ReportVerdict]) -> None:
    """Raise ``anchor_not_in_report`` for keywords of an anchor that no report holds."""
    held = {citation.anchor_str for verdict in verdicts for citation in verdict.citations}
    unused = rules.keywords.keys() - held
    if unused:
        raise CitationError.of("anchor_not_in_report", anchor=min(unused))


def check_text(
    text: str, sources_dir: Path, kind: Format | Literal["auto"], *, rules: Rules | None = None,
    patterns: Sequence[re.Pattern[str]] = (), store: SourceStore | None = None,
    workspace: Workspace | None = None,
) -> ReportVerdict:  # fmt: skip
    """Check a text; in a folder that is none, no citation resolves."""
    stored = workspace is not None
    known = guess_format(text) if kind == "auto" else kind
    parsed = parse_report(text, known, stored=stored)
    if len(parsed.claims) > MOST_ANCHORS:
        raise CitationError.of("report_too_large", "anchors", count=len(parsed.claims), limit=MOST_ANCHORS)
    run = Check(SourceFolder(sources_dir, workspace), store or SourceStore(), rules or Rules())
    found = [_verdict(claim, outcome) for claim, outcome in run.outcomes(parsed)]
    verdicts = tuple(sorted(found, key=lambda verdict: (verdict.position, verdict.end, verdict.claim_span)))
    coverage = find_uncited(parsed, text, run.factual, patterns)
    misses = tuple(near_misses(text, parsed.blocks, stored=stored))
    stats = _stats(verdicts, coverage, misses)
    return ReportVerdict(
        citations=verdicts, uncited=coverage.uncited, near_misses=misses, stats=stats, text=text, format=known
    )


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
