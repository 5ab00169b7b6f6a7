"""The public names are a promise; changing this list is a decision."""

import capital_kit

NAMES = [
    "Chart", "ChartError", "ChartSource", "ChartSpec", "Citation", "CitationError", "CitationVerdict",
    "Dataset", "DatasetError", "Description", "GateDecision", "GatePolicy", "Inspection", "KitError",
    "OptionError", "QueryError", "QueryResult", "Report", "ReportError", "ReportVerdict",
    "VisualizationSummary", "Workspace", "WorkspaceError", "chart", "check_provenance",
    "decide_visualization", "describe_dataset", "explain_citation", "find_query", "inspect_dataset",
    "lint_anchors", "options", "normal_code", "parse_citations_in_text", "parse_number", "parse_time",
    "prepare_chart_source", "profile_dataset", "query_dataset", "read_dataset", "render_chart",
    "resolve_citation", "resolve_data_time_range", "verify_claim_against_source", "verify_report",
    "verify_reports", "visualize", "write_toc",
]  # fmt: skip


def test_public_names_are_pinned():
    assert sorted(capital_kit.__all__) == sorted(NAMES)


def test_every_public_name_can_be_had_and_says_what_it_is():
    for name in NAMES:
        value = getattr(capital_kit, name)
        if name != "options":
            assert value.__doc__, name


def test_names_show_before_they_are_used():
    assert set(NAMES) <= set(dir(capital_kit))


def test_unknown_name_is_an_attribute_error():
    assert not hasattr(capital_kit, "no_such_name")
