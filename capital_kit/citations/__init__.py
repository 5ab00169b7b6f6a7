"""Citations: anchors in reports, resolved and checked against the files they name.

The Iron Law: only the source files answer. What is not in the source is not verified; an anchor
that leads to no file leads to None. There is no list of what is known, and no other answer.
"""

from capital_kit.citations._anchor import Citation, NearMiss
from capital_kit.citations._parse import lint_anchors, parse_citations_in_text
from capital_kit.citations._report import CitationVerdict, ReportVerdict, verify_report
from capital_kit.citations._store import SourceStore
from capital_kit.citations._uncited import UncitedClaim
from capital_kit.citations._verify import explain_citation, resolve_citation, verify_claim_against_source

__all__ = [
    "Citation",
    "CitationVerdict",
    "NearMiss",
    "ReportVerdict",
    "SourceStore",
    "UncitedClaim",
    "explain_citation",
    "lint_anchors",
    "parse_citations_in_text",
    "resolve_citation",
    "verify_claim_against_source",
    "verify_report",
]
