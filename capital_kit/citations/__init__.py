"""Citations: anchors in reports, resolved and checked against the files they name.

The Iron Law: only the source files answer. What is not in the source is not verified; an anchor
that leads to no file leads to None. There is no list of what is known, and no other answer.
"""

from capital_kit.citations._anchor import Citation, NearMiss
from capital_kit.citations._explain import explain_citation
from capital_kit.citations._many import verify_reports
from capital_kit.citations._parse import lint_anchors, parse_citations_in_text
from capital_kit.citations._provenance import Provenance, check_provenance
from capital_kit.citations._report import CitationVerdict, ReportVerdict, verify_report
from capital_kit.citations._store import SourceStore
from capital_kit.citations._toc import Toc, write_toc
from capital_kit.citations._uncited import UncitedClaim
from capital_kit.citations._verify import resolve_citation, verify_claim_against_source

__all__ = [
    "Citation",
    "CitationVerdict",
    "NearMiss",
    "Provenance",
    "ReportVerdict",
    "SourceStore",
    "Toc",
    "UncitedClaim",
    "check_provenance",
    "explain_citation",
    "lint_anchors",
    "parse_citations_in_text",
    "resolve_citation",
    "verify_claim_against_source",
    "verify_report",
    "verify_reports",
    "write_toc",
]
