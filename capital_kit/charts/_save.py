"""Saving a chart as a page, a table or an image."""

from __future__ import annotations

import secrets
from pathlib import Path
from typing import TYPE_CHECKING

from capital_kit._core.html import join, tag
from capital_kit._core.labels import tr
from capital_kit._core.page import page
from capital_kit.charts._embed import figure_html, page_scripts
from capital_kit.charts._panes import figure_height
from capital_kit.charts._theme import WIDTH
from capital_kit.errors import ChartError

if TYPE_CHECKING:
    from capital_kit.charts._chart import Chart

FORMATS = (".html", ".csv", ".png", ".svg")
ELEMENT = "chart"


def save_chart(chart: Chart, path: Path) -> Path:
    """Write a chart in the format of the suffix; return the path."""
    suffix = path.suffix.lower()
    if suffix not in FORMATS:
        raise ChartError.of("chart_spec_invalid", "format", format=suffix or path.name, allowed=list(FORMATS))
    if suffix == ".html":
        data = chart_page(chart)
    elif suffix == ".csv":
        data = chart.to_frame().to_csv(index=False, lineterminator="\n").encode("utf-8-sig")
    else:
        data = _image(chart, suffix[1:])
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        _replace(path, data)
    except OSError as error:
        raise ChartError.of(
            "chart_write_failed", "file", name=path.name, reason=error.strerror or type(error).__name__
        ) from None  # fmt: skip
    return path


def chart_page(chart: Chart) -> bytes:
    """Return the chart as one offline page; the same chart gives the same bytes."""
    body = join([
        tag("h1", chart.title),
        figure_html(chart, ELEMENT, heading=False),
        tag("footer", tr("charts.card.about")),
    ])  # fmt: skip
    return page(chart.title, body, scripts=page_scripts([(ELEMENT, chart)])).encode()


def _image(chart: Chart, kind: str) -> bytes:
    figure = chart.figure if chart.theme != "auto" else chart.original("light")
    height = figure_height(chart.view)
    try:
        import kaleido  # type: ignore[import-not-found]  # noqa: F401  (Plotly's own error names no remedy)

        image: bytes = figure.to_image(format=kind, width=WIDTH, height=height, scale=2)
    except Exception as error:  # noqa: BLE001  (kaleido raises what its browser raises)
        reason = str(error).strip().splitlines()[0][:200] if str(error).strip() else type(error).__name__
        raise ChartError.of("chart_runtime_unavailable", format=kind, reason=reason) from None
    return image


def _replace(path: Path, data: bytes) -> None:
    # Not a tempfile: that one would be readable by its owner only, and the page is made to be sent on.
    draft = path.with_name(f".tmp-{secrets.token_hex(8)}")
    try:
        draft.write_bytes(data)
        draft.replace(path)
    except BaseException:
        draft.unlink(missing_ok=True)
        raise
