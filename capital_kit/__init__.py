"""From a price file to a checked report: describe, chart, cite and verify.

The analyst's names are all here; each is loaded when it is first used, so that importing the
package costs next to nothing.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from capital_kit._core.lazy import lazy
from capital_kit._core.options import options
from capital_kit.errors import (
    ChartError,
    CitationError,
    DatasetError,
    KitError,
    OptionError,
    QueryError,
    ReportError,
    WorkspaceError,
)
from capital_kit.workspace import Workspace

if TYPE_CHECKING:
    from capital_kit.charts import (
        Chart,
        ChartSource,
        ChartSpec,
        GateDecision,
        GatePolicy,
        VisualizationSummary,
        chart,
        decide_visualization,
        prepare_chart_source,
        render_chart,
        visualize,
    )
    from capital_kit.citations import (
        Citation,
        CitationVerdict,
        ReportVerdict,
        check_provenance,
        explain_citation,
        lint_anchors,
        parse_citations_in_text,
        resolve_citation,
        verify_claim_against_source,
        verify_report,
        verify_reports,
        write_toc,
    )
    from capital_kit.datasets import (
        Dataset,
        Description,
        Inspection,
        QueryResult,
        describe_dataset,
        find_query,
        inspect_dataset,
        normal_code,
        parse_number,
        parse_time,
        profile_dataset,
        query_dataset,
        read_dataset,
        resolve_data_time_range,
    )
    from capital_kit.reports import Report

__version__ = "0.1.0"

__all__ = [
    "Chart",
    "ChartError",
    "ChartSource",
    "ChartSpec",
    "Citation",
    "CitationError",
    "CitationVerdict",
    "Dataset",
    "DatasetError",
    "Description",
    "GateDecision",
    "GatePolicy",
    "Inspection",
    "KitError",
    "OptionError",
    "QueryError",
    "QueryResult",
    "Report",
    "ReportError",
    "ReportVerdict",
    "VisualizationSummary",
    "Workspace",
    "WorkspaceError",
    "chart",
    "check_provenance",
    "decide_visualization",
    "describe_dataset",
    "explain_citation",
    "find_query",
    "inspect_dataset",
    "lint_anchors",
    "normal_code",
    "options",
    "parse_citations_in_text",
    "parse_number",
    "parse_time",
    "prepare_chart_source",
    "profile_dataset",
    "query_dataset",
    "read_dataset",
    "render_chart",
    "resolve_citation",
    "resolve_data_time_range",
    "verify_claim_against_source",
    "verify_report",
    "verify_reports",
    "visualize",
    "write_toc",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "charts": [
            "Chart", "ChartSource", "ChartSpec", "GateDecision", "GatePolicy", "VisualizationSummary",
            "chart", "decide_visualization", "prepare_chart_source", "render_chart", "visualize",
        ],
        "citations": [
            "Citation", "CitationVerdict", "ReportVerdict", "check_provenance", "explain_citation",
            "lint_anchors", "parse_citations_in_text", "resolve_citation", "verify_claim_against_source",
            "verify_report", "verify_reports", "write_toc",
        ],
        "datasets": [
            "Dataset", "Description", "Inspection", "QueryResult", "describe_dataset", "find_query",
            "inspect_dataset", "normal_code", "parse_number", "parse_time", "profile_dataset",
            "query_dataset", "read_dataset", "resolve_data_time_range",
        ],
        "reports": ["Report"],
    },
)  # fmt: skip
