"""What the commands say to people: one line a fact, tables set by the width of their characters."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capital_kit._core.labels import tr
from capital_kit._core.numbers import show

if TYPE_CHECKING:
    from capital_kit.charts import VisualizationSummary
    from capital_kit.citations import ReportVerdict
    from capital_kit.datasets import Description
    from capital_kit.reports import ReportCheck

_COLUMNS = ("name", "kind", "role", "unit", "count", "nulls", "min", "max", "latest")
_WIDEST = 24


def data_lines(described: Description) -> Iterator[str]:
    """Say what the data are: rows, period, roles, warnings."""
    label, rows, columns = described.source.label, f"{described.rows:,}", len(described.columns)
    yield tr("cli.line.data", label=label, rows=rows, columns=columns)
    axis = described.time_axis
    if axis is None:
        yield tr("cli.line.no_period")
    else:
        often, points = tr(f"describe.frequency.{axis.frequency}"), f"{axis.points:,}"
        yield tr("cli.line.period", start=axis.start, end=axis.end, frequency=often, points=points)
    roles = [f"{tr(f'describe.role.{facts.role}')}={facts.name}" for facts in described.columns if facts.role]
    if roles:
        yield tr("cli.line.roles", roles="  ".join(roles))
    for notice in described.warnings:
        yield tr("cli.line.warning", message=notice.message)


def gate_lines(summary: VisualizationSummary) -> Iterator[str]:
    """Say what was decided and drawn."""
    decision = f"{tr(f'gate.decision.{summary.decision}')} [{summary.decision}]"
    yield tr("cli.line.decision", decision=decision)
    for notice in summary.gate.reasons:
        yield tr("cli.line.reason", message=notice.message)
    for notice in summary.gate.warnings:
        yield tr("cli.line.warning", message=notice.message)
    for failure in summary.failures:
        yield tr("cli.line.finding", code=failure.code, message=failure.detail)
    yield chart_line([chart.title for chart in summary.charts])


def chart_line(titles: Sequence[str]) -> str:
    """Say which charts were drawn."""
    return tr("cli.line.charts", charts=" | ".join(titles)) if titles else tr("cli.line.no_charts")


def check_lines(check: ReportCheck) -> Iterator[str]:
    """Say how many citations were verified, and every finding."""
    yield tr("cli.line.claims", verified=check.verified, total=check.total)
    for finding in check.findings:
        yield tr("cli.line.finding", code=finding.code, message=finding.message)
        where = " ".join(part for part in (finding.claim, finding.anchor) if part)
        if where:
            yield tr("cli.line.finding_where", where=where)
    if check.waived:
        yield tr("cli.line.waived", count=check.waived)


def verdict_lines(verdict: ReportVerdict, failing: int) -> Iterator[str]:
    """Say how many citations were verified, every finding, and whether the report passes."""
    yield tr("cli.line.claims", verified=verdict.stats["verified"], total=verdict.stats["anchors"])
    for notice in verdict.findings:
        yield tr("cli.line.finding", code=notice.code, message=notice.message)
    tolerated = len(verdict.findings) - failing
    if tolerated:
        yield tr("cli.line.tolerated", count=tolerated)
    yield tr("cli.line.failed", count=failing) if failing else tr("cli.line.passed")


def column_lines(described: Description) -> Iterator[str]:
    """Set the columns of the data as a table."""
    rows = [[tr(f"cli.column.{name}") for name in _COLUMNS]]
    rows += [[_cell(name, getattr(facts, name)) for name in _COLUMNS] for facts in described.columns]
    widths = [max(_width(row[at]) for row in rows) for at in range(len(_COLUMNS))]
    for row in rows:
        cells = (text + " " * (wide - _width(text)) for text, wide in zip(row, widths, strict=True))
        yield "  ".join(cells).rstrip()


def size_of(path: Path) -> str:
    """Return the size of a file in kB or MB."""
    size = path.stat().st_size
    return f"{size / 1e6:.2f} MB" if size >= 1e6 else f"{size / 1e3:.0f} kB"


def _cell(name: str, value: Any) -> str:
    if name in ("kind", "role") and value:
        return tr(f"describe.{name}.{value}")
    if isinstance(value, int | float) and not isinstance(value, bool):
        return show(value)
    text = "" if value is None else " ".join(str(value).split())
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 1]}…"


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(char) in "WF" else 1 for char in text)
