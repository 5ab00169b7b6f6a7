"""The four commands; each loads what it needs when it runs and returns its exit code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capital_kit._core.labels import tr
from capital_kit.cli._lines import (
    chart_line,
    check_lines,
    column_lines,
    data_lines,
    gate_lines,
    size_of,
    verdict_lines,
)
from capital_kit.cli._output import put, put_json
from capital_kit.errors import ReportError

if TYPE_CHECKING:
    from capital_kit.charts import VisualizationSummary
    from capital_kit.citations import ReportVerdict
    from capital_kit.datasets import Description
    from capital_kit.reports import Report, ReportCheck

FINE, FINDINGS = 0, 1
FAIL_ON = ("unverified", "unresolved", "uncited", "near-miss")


def describe(arguments: argparse.Namespace) -> int:
    """Describe a data file."""
    from capital_kit.datasets import describe_dataset, read_dataset

    described = describe_dataset(read_dataset(arguments.file), time_column=arguments.time_column)
    if arguments.json:
        put_json(described.to_dict())
        return FINE
    _say([*data_lines(described), "", *column_lines(described)])
    return FINE


def chart(arguments: argparse.Namespace) -> int:
    """Draw a data file."""
    from capital_kit import charts
    from capital_kit.datasets import read_dataset
    from capital_kit.reports import Report

    data = read_dataset(arguments.file)
    left: list[str] = []
    if arguments.kind:
        drawn = charts.chart(data, kind=arguments.kind, title=arguments.title)
        path, titles = Path(drawn.save(arguments.output)), [drawn.title]
    else:
        summary = charts.visualize(data, question=arguments.question, chart_requested=True)
        if not summary.charts:
            reasons = " ".join(notice.message for notice in summary.gate.reasons)
            raise ReportError.of("nothing_drawn", name=data.source.label, reasons=reasons)
        titles = [item.title for item in summary.charts]
        if _is_page(arguments.output):
            title = arguments.title or Path(arguments.file).stem
            path = Report(title).add(summary).save(arguments.output)
        else:
            path, titles, left = Path(summary.charts[0].save(arguments.output)), titles[:1], titles[1:]
    unused = ["--title"] if arguments.title and not arguments.kind and not _is_page(path) else []
    if arguments.json:
        put_json({"written": path.name, "bytes": path.stat().st_size, "charts": titles, "left_out": left,
                  "not_used": unused})  # fmt: skip
        return FINE
    _say([chart_line(titles), tr("cli.line.file_written", path=path, size=size_of(path))])
    if left:
        put(tr("cli.line.charts_left", charts=" | ".join(left), suffix=path.suffix))
    if unused:
        put(tr("cli.line.title_left"))
    return FINE


def _is_page(path: str | Path) -> bool:
    return Path(path).suffix.lower() == ".html"


def verify(arguments: argparse.Namespace) -> int:
    """Check the citations of a report."""
    from capital_kit.citations import verify_report
    from capital_kit.workspace import Workspace

    verdict = verify_report(Path(arguments.paper), arguments.sources, workspace=Workspace())
    counts = _counts(verdict)
    failing = sum(counts[name] for name in arguments.fail_on)
    if arguments.html:
        _write(Path(arguments.html), verdict.to_html())
    if arguments.json:
        put_json({**verdict.to_dict(), "fail_on": list(arguments.fail_on), "failing": failing})
        return FINDINGS if failing else FINE
    _say(verdict_lines(verdict, failing))
    return FINDINGS if failing else FINE


def _counts(verdict: ReportVerdict) -> dict[str, int]:
    bad = [citation for citation in verdict.citations if not citation.verified]
    unresolved = sum(citation.source_path is None for citation in bad)
    counts = (len(bad) - unresolved, unresolved, len(verdict.uncited), len(verdict.near_misses))
    return dict(zip(FAIL_ON, counts, strict=True))


def report(arguments: argparse.Namespace) -> int:
    """Read data, draw them, check the text, write the report."""
    from capital_kit.charts import visualize
    from capital_kit.citations._report import require_sources
    from capital_kit.datasets import describe_dataset, read_dataset
    from capital_kit.reports import Report
    from capital_kit.reports._items import read_text
    from capital_kit.reports._markdown import first_title

    say: Callable[[Iterable[str]], None] = _silent if arguments.json else _say
    text = read_text(Path(arguments.text))
    require_sources(Path(arguments.sources))
    described = describe_dataset(read_dataset(arguments.file))
    say(data_lines(described))
    summary = visualize(described, question=arguments.question)
    say(gate_lines(summary))
    title = arguments.title or first_title(text) or Path(arguments.text).stem
    report = Report(title, sources=arguments.sources, author=arguments.author, created=arguments.date)
    report.add(text, summary, described)
    check = report.check()
    say(check_lines(check))
    path = _save_report(report, arguments)
    if arguments.json:
        put_json(_report_record(described, summary, check, path))
    elif path is None:
        put(tr("cli.line.blocked", count=len(check.findings)))
    else:
        key = "draft_written" if arguments.draft else "written"
        put(tr(f"cli.line.{key}", path=path, size=size_of(path), count=len(check.findings)))
    return FINE if check.ok else FINDINGS


def _save_report(report: Report, arguments: argparse.Namespace) -> Path | None:
    try:
        path = report.save(arguments.output, draft=arguments.draft)
    except ReportError as error:
        if error.code != "report_blocked":
            raise
        put(error, to=sys.stderr)
        return None
    return path


def _report_record(
    described: Description, summary: VisualizationSummary, check: ReportCheck, path: Path | None
) -> dict[str, Any]:
    return {
        "ok": check.ok,
        "written": path.name if path else None,
        "bytes": path.stat().st_size if path else None,
        "description": described.to_dict(),
        "visualization": summary.to_dict(),
        "check": check.to_dict(),
    }


def _say(lines: Iterable[str]) -> None:
    for line in lines:
        put(line)


def _silent(_lines: Iterable[str]) -> None:
    """Say nothing: standard output is for the JSON document."""


def _write(path: Path, text: str) -> None:
    from capital_kit.reports._file import write_whole

    try:
        write_whole(path, text.encode())
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise ReportError.of("report_not_writable", name=path.name, reason=reason) from None
