"""What is seen: the payload reduced to as many points as a screen shows, and how that was done."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from capital_kit.charts._payload import Payload, Series, moment
from capital_kit.charts._sample import (
    CANDLES,
    LINE_POINTS,
    Bars,
    Floats,
    Period,
    Rows,
    Times,
    bucket_bars,
    bucket_sum,
    choose_period,
    even_positions,
    line_columns,
    m4_rows,
    stamped_at_end,
)  # fmt: skip
from capital_kit.charts._sides import sides
from capital_kit.charts._studies import Study
from capital_kit.datasets import time_text

Ints = NDArray[np.int32]


@dataclass(frozen=True, kw_only=True)
class View:
    """The points of a chart.

    Attributes
    ----------
    x : int array
        Where each point lies on the axis ``0 … size-1``; without sampling simply its number.
    first, last : int arrays
        The first and the last row of the payload that each point stands for.
    volume_x, volume_width
        The volume bars have their own places where lines are sampled.
    period : Period or None
        What one bar stands for, after re-bucketing.
    method : {"none", "ohlc_buckets", "m4"}
        How points were reduced.
    """

    payload: Payload
    x: Ints
    size: int
    first: Rows
    last: Rows
    texts: tuple[str, ...]
    series: tuple[Series, ...]
    bars: Bars | None
    volume: Series | None
    studies: tuple[Study, ...] = ()
    volume_x: Floats | None = None
    volume_width: float = 1.0
    period: Period | None = None
    method: str = "none"
    marker_x: tuple[int, ...] = ()

    @property
    def points(self) -> int:
        """How many points are drawn."""
        return len(self.x)

    @property
    def times(self) -> Times | None:
        """The time of each point."""
        return None if self.payload.times is None else self.payload.times[self.last]

    @cached_property
    def sides(self) -> tuple[int, ...]:
        """The axis of every series: 0 left, 1 right; candles keep all on theirs."""
        return (0,) * len(self.series) if self.bars is not None else sides(self.payload.series)

    @property
    def panes(self) -> tuple[Study, ...]:
        """The indicators below the prices."""
        return tuple(study for study in self.studies if not study.overlay)

    @property
    def overlays(self) -> tuple[Study, ...]:
        """The indicators over the prices."""
        return tuple(study for study in self.studies if study.overlay)

    def on(self, side: int) -> tuple[Series, ...]:
        """Return the series of one axis."""
        return tuple(item for item, own in zip(self.series, self.sides, strict=True) if own == side)

    @cached_property
    def axis_texts(self) -> tuple[str, ...]:
        """The texts as short as they may be: no year where all points share it."""
        years = {text[:4] for text in self.texts}
        if self.payload.time_kind == "datetime" and len(years) == 1 and len(self.texts[0]) > 10:
            return tuple(text[5:] for text in self.texts)
        return self.texts

    @cached_property
    def previous_close(self) -> Floats | None:
        """The close before each bar; NaN for the first, unless a range left its forerunner out."""
        if self.bars is None:
            return None
        return np.concatenate([[self.payload.close_before], self.bars[3][:-1]])


def build_view(payload: Payload) -> View:
    """Reduce a payload to what a screen can show."""
    if payload.bars is not None and payload.rows > CANDLES:
        return _bucketed(payload)
    if payload.bars is None and payload.rows > LINE_POINTS and payload.series:
        return _sampled(payload)
    rows = np.arange(payload.rows, dtype=np.int64)
    return View(
        payload=payload, x=rows.astype(np.int32), size=payload.rows, first=rows, last=rows,
        texts=_texts(payload, rows), series=payload.series, bars=payload.bars, volume=payload.volume,
        studies=payload.studies, volume_x=rows.astype(np.float64),
        marker_x=tuple(point.row for point in payload.markers),
    )  # fmt: skip


def _bucketed(payload: Payload) -> View:
    assert payload.times is not None
    assert payload.bars is not None
    period, starts = choose_period(payload.times)
    last = np.append(starts[1:], payload.rows) - 1
    volume = payload.volume
    bars, summed = bucket_bars(payload.bars, starts, None if volume is None else volume.values)
    x = np.arange(len(starts), dtype=np.int32)
    # A bucket wears the time of its first or its last row, as the rows themselves do.
    intraday = period.unit == "second"
    stamped = starts if intraday and not stamped_at_end(payload.times) else last
    places = np.searchsorted(starts, [point.row for point in payload.markers], side="right") - 1
    return View(
        payload=payload, x=x, size=len(x), first=starts, last=last,
        texts=_texts(payload, stamped, period),
        series=tuple(replace(series, values=series.values[last]) for series in payload.series),
        bars=bars, volume=replace(volume, values=summed) if volume and summed is not None else None,
        studies=tuple(study.rows(last) for study in payload.studies),
        volume_x=x.astype(np.float64), period=period, method="ohlc_buckets",
        marker_x=tuple(int(place) for place in places),
    )  # fmt: skip


def _sampled(payload: Payload) -> View:
    lines = [*payload.series, *(line for study in payload.studies for line in study.lines)]
    columns = line_columns(len(lines))
    forced = [point.row for point in payload.markers]
    rows = m4_rows([line.values for line in lines], columns, forced)
    x, slots = even_positions(rows, payload.rows, columns)
    view = View(
        payload=payload, x=x, size=columns * slots, first=rows, last=rows, texts=_texts(payload, rows),
        series=tuple(replace(series, values=series.values[rows]) for series in payload.series),
        bars=None, volume=None, studies=tuple(study.rows(rows) for study in payload.studies), method="m4",
        marker_x=tuple(int(x[np.searchsorted(rows, row)]) for row in forced),
    )  # fmt: skip
    if payload.volume is None:
        return view
    starts = np.searchsorted(np.arange(payload.rows) * columns // payload.rows, np.arange(columns))
    return replace(
        view,
        volume=replace(payload.volume, values=bucket_sum(payload.volume.values, starts)),
        volume_x=np.arange(columns, dtype=np.float64) * slots + (slots - 1) / 2,
        volume_width=float(slots),
    )


def _texts(payload: Payload, rows: Rows, period: Period | None = None) -> tuple[str, ...]:
    if payload.times is None:
        return tuple(payload.categories[row] for row in rows)
    kind = payload.time_kind or "date"
    if period is not None and period.unit != "second" and period.unit != "rows":
        kind = period.unit if period.unit in ("month", "quarter", "year") else "date"
    return tuple(time_text(moment(time), kind) for time in payload.times[rows])
