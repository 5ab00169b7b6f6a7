"""Cards of charts and chart sources."""

from __future__ import annotations

from typing import TYPE_CHECKING

from capital_kit._core.html import Html, badge, bullets, card, details, facts, table, tag
from capital_kit._core.labels import tr

if TYPE_CHECKING:
    from capital_kit.charts._chart import Chart
    from capital_kit.charts._source import ChartSource

CARD_ROWS = 12


def chart_card(chart: Chart) -> Html:
    """Return what is shown where Plotly is not: the summary and a table."""
    meta = chart.meta
    points = f"{meta['points']:,}" + (f" / {meta['original_points']:,}" if meta["downsampled"] else "")
    return card(
        chart.title,
        tag("p", chart.summary, style="margin:6px 0;"),
        facts({
            tr("charts.card.kind"): tr(f"charts.kind.{chart.spec.kind}"),
            tr("charts.card.points"): points,
            tr("charts.card.source"): meta["source_label"],
        }),
        data_details(chart, CARD_ROWS, open_=True),
        remarks(chart),
        badges=_badges(chart),
    )  # fmt: skip


def data_details(chart: Chart, limit: int, *, open_: bool = False) -> Html:
    """Return the data table of a chart, to open and close."""
    from capital_kit.charts._table import table_caption

    headers, rows = chart.data_table(limit)
    numbers = table(
        headers, rows, caption=table_caption(chart.view, len(rows)), numeric=range(1, len(headers))
    )
    scroll = tag("div", numbers, class_="ck-scroll", style="overflow-x:auto;", tabindex="0")
    return details(tr("charts.card.table"), scroll, open_=open_)


def remarks(chart: Chart) -> Html:
    """Return the warnings of a chart as a list to open."""
    if not chart.warnings:
        return Html("")
    told = bullets(notice.message for notice in chart.warnings)
    return details(tr("charts.card.warnings", n=len(chart.warnings)), told)


def source_card(source: ChartSource) -> Html:
    """Return the card of a chart source."""
    return card(
        tr("charts.card.source_title"),
        facts([(tr("charts.card.dataset"), source.dataset_id)]),
        tag("p", tr("charts.card.lifetime"), style="margin:4px 0;opacity:.8;"),
    )  # fmt: skip


def _badges(chart: Chart) -> list[Html]:
    return [badge(tr("charts.card.warnings", n=len(chart.warnings)), "warn")] if chart.warnings else []
