"""What was drawn, as columns and as text."""

from __future__ import annotations

from typing import Any

from capital_kit._core.labels import tr
from capital_kit._core.numbers import show
from capital_kit.charts._axis import decimals_of
from capital_kit.charts._payload import Series
from capital_kit.charts._sample import Floats
from capital_kit.charts._spec import OHLC_FIELDS
from capital_kit.charts._studies import Study
from capital_kit.charts._view import View


def frame_columns(view: View) -> dict[str, Any]:
    """Return the points as columns: times as they are, values unrounded."""
    spec = view.payload.spec
    head = spec.x or "row"
    first: Any = view.times if view.period is None and view.times is not None else list(view.texts)
    columns: dict[str, Any] = {head: first}
    if view.bars is not None:
        columns |= dict(zip(OHLC_FIELDS, view.bars, strict=True))
    for series in view.series:
        columns[_free(columns, series.label)] = series.values
    for study in view.studies:
        for line in study.lines:
            columns[_free(columns, line_name(study, line))] = line.values
    if view.volume is not None and len(view.volume.values) == view.points:
        columns[_free(columns, "volume" if view.bars is not None else view.volume.label)] = view.volume.values
    return columns


def text_rows(view: View, limit: int) -> tuple[list[str], list[list[str]]]:
    """Return headers and rows as text: the last points in time, or the first categories."""
    headers = [
        tr("charts.label.time")
        if view.payload.axis == "time"
        else view.payload.spec.x or tr("charts.label.row")
    ]
    values: list[tuple[Floats, int]] = []
    if view.bars is not None:
        places = decimals_of(view.bars, 2)
        headers += [tr(f"charts.label.{name}_field") for name in OHLC_FIELDS]
        values += [(array, places) for array in view.bars]
    for series in view.series:
        unit = "%" if series.percent else series.unit
        headers.append(tr("charts.label.with_unit", name=series.label, unit=unit) if unit else series.label)
        values.append((series.values, decimals_of([series.values])))
    if view.volume is not None and len(view.volume.values) == view.points:
        unit = view.volume.unit
        headers.append(
            tr("charts.label.with_unit", name=view.volume.label, unit=unit) if unit else view.volume.label
        )
        values.append((view.volume.values, decimals_of([view.volume.values])))
    start = max(view.points - limit, 0) if view.payload.axis == "time" else 0
    shown = range(start, min(start + limit, view.points))
    rows = [[view.texts[i], *(show(float(array[i]), places) for array, places in values)] for i in shown]
    return headers, rows


def table_caption(view: View, shown: int) -> str:
    """Return which part of the points a table shows."""
    if shown >= view.points:
        return tr("charts.card.table_whole", total=f"{view.points:,}")
    key = "table_last" if view.payload.axis == "time" else "table_first"
    return tr(f"charts.card.{key}", shown=shown, total=f"{view.points:,}")


def line_name(study: Study, line: Series) -> str:
    """Return what a line of an indicator is called outside its pane: BOLL(20,2) UPPER."""
    return study.label if len(study.lines) == 1 else f"{study.label} {line.label}"


def _free(columns: dict[str, Any], name: str) -> str:
    while name in columns:
        name += "_"
    return name
