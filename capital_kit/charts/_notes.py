"""The sentences of a chart: subtitle, footnote, summary. Every number in them comes from the data."""

from __future__ import annotations

import numpy as np

from capital_kit._core.labels import tr
from capital_kit._core.numbers import show, show_short
from capital_kit.charts._axis import bounds, decimals_of, period_text, short, text_width
from capital_kit.charts._payload import Payload, Series
from capital_kit.charts._sample import DAY, Floats, Period, Rows, typical_step
from capital_kit.charts._scale import MAGNITUDES, scaled
from capital_kit.charts._theme import FOOT, convention
from capital_kit.charts._view import View

LINE_WIDTH = 640
TALKED_SERIES = 6
LONG_FORM = 2


def subtitle(view: View) -> str:
    """Return the range and the number of rows, and what one bar stands for."""
    payload = view.payload
    rows = tr("charts.note.rows", n=f"{payload.rows:,}")
    if payload.axis != "time":
        return rows
    span = tr("charts.note.span", first=payload.text(0), last=payload.text(payload.rows - 1))
    parts = [span, rows]
    if view.period is not None:
        parts.append(tr("charts.note.period", period=period_text(view.period)))
    return " · ".join(parts)


def footnote(view: View) -> list[str]:
    """Return the footnote, broken into lines."""
    payload = view.payload
    parts = [tr("charts.note.source", source=payload.source_label)]
    if payload.axis == "time":
        parts.append(tr("charts.note.as_of", time=payload.text(payload.rows - 1)))
    if view.method != "none":
        parts.append(points_text(view))
    if view.studies and view.period is not None:
        parts.append(tr("charts.note.studies", before=_base_period(payload)))
    if payload.rebased:
        parts.append(
            tr("charts.note.rebased", time=payload.text(0), n=f"{payload.rows:,}", left_out=payload.left_out)
        )
    if view.bars is not None:
        parts.append(tr(convention()))
    lines = [parts[0]]
    for part in parts[1:]:
        joined = f"{lines[-1]} | {part}"
        if text_width(joined, FOOT) <= LINE_WIDTH:
            lines[-1] = joined
        else:
            lines.append(part)
    return lines


def points_text(view: View) -> str:
    """Return how many points stand for how many rows, and by which method."""
    counts = {"points": f"{view.points:,}", "rows": f"{view.payload.rows:,}"}
    if view.period is None:
        return tr("charts.note.points_m4", **counts)
    before = _base_period(view.payload)
    return tr(
        "charts.note.points_bars", before=before, after=period_text(view.period), **counts
    )  # fmt: skip


def _base_period(payload: Payload) -> str:
    assert payload.times is not None
    step = typical_step(payload.times)
    if step < DAY:
        return period_text(Period(step, "second"))
    unit = next(
        name
        for limit, name in ((3, "day"), (20, "week"), (60, "month"), (10**9, "quarter"))
        if step <= limit * DAY
    )
    return tr(f"charts.period.{unit}")


def volume_name(view: View, volume: Series) -> str:
    """Return what a volume bar shows: under sampled lines the sum of a pixel column, not a row."""
    name = short(volume.label, 24)
    return tr("charts.label.summed", name=name) if view.method == "m4" else name


def pane_label(view: View, volume: Series) -> str:
    """Return the heading of the volume pane with its unit: 成交量(万手)."""
    name = volume_name(view, volume)
    low, high = bounds([volume.values])
    unit = f"{scaled(max(abs(low), abs(high)), volume.unit)[1]}{volume.unit or ''}"
    return tr("charts.label.with_unit", name=name, unit=unit) if unit else name


def summary(view: View) -> str:
    """Return what the chart shows, in a sentence."""
    payload = view.payload
    if payload.bars is not None:
        _, highs, lows, closes = payload.bars
        body = _price_text(payload, closes, highs, lows, decimals_of(payload.bars, 2))
    elif payload.axis == "time":
        body = _lines_text(payload)
    else:
        body = _columns_text(payload)
    count = points_text(view) if view.method != "none" else tr("charts.note.points", n=f"{view.points:,}")
    return tr("charts.note.sentence", body=body, points=count)


def _price_text(payload: Payload, closes: Floats, highs: Floats, lows: Floats, places: int) -> str:
    top, bottom = int(np.argmax(highs)), int(np.argmin(lows))
    return tr(
        "charts.note.price", first=payload.text(0), last=payload.text(payload.rows - 1),
        close=show(float(closes[-1]), places), change=_change(closes),
        high=show(float(highs[top]), places), high_at=payload.text(top),
        low=show(float(lows[bottom]), places), low_at=payload.text(bottom),
    )  # fmt: skip


def _lines_text(payload: Payload) -> str:
    span = tr("charts.note.span", first=payload.text(0), last=payload.text(payload.rows - 1))
    told = []
    for series in payload.series[:TALKED_SERIES]:
        known = np.flatnonzero(~np.isnan(series.values))
        if len(known) == 0:
            continue
        values = series.values[known]
        top, bottom = int(np.argmax(values)), int(np.argmin(values))
        if len(payload.series) > LONG_FORM:
            change = _change(values) if not series.percent else ""
            last = _last_text(payload, series, known)
            told.append(tr("charts.note.line_short", label=series.label, last=last, change=change))
            continue
        told.append(
            tr(
                "charts.note.line", label=series.label, last=_last_text(payload, series, known),
                change=_change(values) if not series.percent else "",
                high=value_text(series, float(values[top])), high_at=payload.text(int(known[top])),
                low=value_text(series, float(values[bottom])), low_at=payload.text(int(known[bottom])),
            )
        )  # fmt: skip
    return tr("charts.note.joined", span=span, parts=tr("charts.note.semicolon").join(told))


def _last_text(payload: Payload, series: Series, known: Rows) -> str:
    """Return the last value, with its time where the axis goes on without one."""
    row = int(known[-1])
    text = value_text(series, float(series.values[row]))
    at = payload.text(row)
    return text if row == payload.rows - 1 else tr("charts.note.last_at", value=text, at=at)


def _columns_text(payload: Payload) -> str:
    told = []
    for series in payload.series[:TALKED_SERIES]:
        known = np.flatnonzero(~np.isnan(series.values))
        if len(known) == 0:
            continue
        values = series.values[known]
        top, bottom = int(np.argmax(values)), int(np.argmin(values))
        told.append(
            tr(
                "charts.note.column", label=series.label,
                high=value_text(series, float(values[top])), high_at=payload.text(int(known[top])),
                low=value_text(series, float(values[bottom])), low_at=payload.text(int(known[bottom])),
            )
        )  # fmt: skip
    return tr("charts.note.semicolon").join(told)


def value_text(series: Series, value: float) -> str:
    """Return one value of a series with its unit."""
    if series.percent:
        return f"{show(value, 2)}%"
    text = (
        show_short(value) if abs(value) >= 1e6 and (series.unit or "")[:1] not in MAGNITUDES else show(value)
    )
    return f"{text}{series.unit or ''}"


def _change(values: Floats) -> str:
    if len(values) < 2 or values[0] <= 0:
        return ""
    return tr("charts.note.change", change=f"{values[-1] / values[0] - 1:+.2%}")
