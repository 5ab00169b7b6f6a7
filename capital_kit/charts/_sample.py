"""Fewer points that show the same picture: OHLC buckets and M4. Pure functions on numpy arrays.

Lines keep, of every pixel column, the first, the last, the lowest and the highest row (M4), so no
extreme is lost and the drawn pixels stay the same. Bars are summed up into buckets of a natural
period: open first, high greatest, low least, close last, volume summed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Rows = NDArray[np.int64]
Times = NDArray[np.datetime64]
Bars = tuple[Floats, Floats, Floats, Floats]
Unit = Literal["second", "day", "week", "month", "quarter", "year", "rows"]

CANDLES = 800
LINE_POINTS = 2000
PIXEL_COLUMNS = 800
KEPT_POINTS = 6400
DAY = 86_400
HALF_HOUR = 1800


@dataclass(frozen=True, slots=True)
class Period:
    """A natural period: ``Period(5 * 60, "second")`` is five minutes, ``Period(1, "week")`` a week."""

    count: int
    unit: Unit


LADDER = (
    *(Period(seconds, "second") for seconds in (1, 5, 15, 30, 60, 300, 900, 1800, 3600, 7200, 14400)),
    Period(1, "day"), Period(1, "week"), Period(1, "month"), Period(1, "quarter"), Period(1, "year"),
)  # fmt: skip


# ------------------------------------------------------------------------------------------- bars
def bucket_bars(bars: Bars, starts: Rows, volume: Floats | None = None) -> tuple[Bars, Floats | None]:
    """Sum up rows of open, high, low and close into buckets that begin at ``starts``.

    Missing volumes count as nothing; a bucket without any volume has none.
    """
    opens, highs, lows, closes = bars
    ends = np.append(starts[1:], len(opens)) - 1
    summed = (
        opens[starts],
        np.maximum.reduceat(highs, starts),
        np.minimum.reduceat(lows, starts),
        closes[ends],
    )
    return summed, None if volume is None else bucket_sum(volume, starts)


def bucket_sum(values: Floats, starts: Rows) -> Floats:
    """Sum buckets, leaving missing values out; a bucket of missing values is missing."""
    known = ~np.isnan(values)
    total = np.add.reduceat(np.where(known, values, 0.0), starts)
    return np.where(np.add.reduceat(known, starts), total, np.nan)


def every(n: int, k: int) -> Rows:
    """Return the starts of buckets of ``k`` rows each."""
    return np.arange(0, n, k, dtype=np.int64)


def period_starts(times: Times, period: Period) -> Rows:
    """Return where a new period begins; no bucket crosses a trading session or a day.

    Intraday bars are counted from the session's own clock: where bars carry the time of their
    end (09:31 is the first of the day), 09:31 to 09:35 are one bucket of five minutes.
    """
    if period.unit != "second":
        return _changes([_calendar_key(times, period)])
    seconds = times.astype("datetime64[s]").astype(np.int64)
    step = typical_step(times)
    sessions = session_starts(times)
    shift = step if stamped_at_end(times) else 0
    session = np.zeros(len(times), dtype=np.int64)
    session[sessions] = 1
    session = np.cumsum(session)
    # Hours are counted from the half hour in which the session opens: 09:30 to 10:30.
    opening = (seconds[sessions] - shift) // HALF_HOUR * HALF_HOUR
    key = (seconds - shift - opening[session - 1]) // period.count
    return _changes([key, session])


def choose_period(times: Times, limit: int = CANDLES) -> tuple[Period, Rows]:
    """Return the finest natural period with at most ``limit`` buckets, and the bucket starts."""
    step = typical_step(times)
    for period in LADDER:
        if period.unit == "second" and (period.count <= step or step >= DAY):
            continue
        starts = period_starts(times, period)
        if len(starts) <= limit:
            return period, starts
    k = -(-len(times) // limit)
    return Period(k, "rows"), every(len(times), k)


def typical_step(times: Times) -> int:
    """Return the median distance of neighbouring rows, in seconds; at least one."""
    if len(times) < 2:
        return DAY
    return max(1, int(np.median(np.diff(times.astype("datetime64[s]").astype(np.int64)))))


def session_starts(times: Times) -> Rows:
    """Return the rows that begin a session: a new day, or more than 1.5 steps after the last row."""
    seconds = times.astype("datetime64[s]").astype(np.int64)
    step = typical_step(times)
    late = np.diff(seconds) > 1.5 * step
    new_day = np.diff(seconds // DAY) > 0
    return np.concatenate([[0], np.flatnonzero(late | new_day) + 1]).astype(np.int64)


def stamped_at_end(times: Times) -> bool:
    """Tell whether bars carry the time of their end: sessions begin at 09:31, not at 09:30."""
    step = typical_step(times)
    first = times[session_starts(times)].astype("datetime64[s]").astype(np.int64)
    span = 300 if step < 300 else HALF_HOUR
    return bool(np.mean(first % span == step % span) > 0.5)


def _calendar_key(times: Times, period: Period) -> NDArray[np.int64]:
    if period.unit == "day":
        return times.astype("datetime64[D]").astype(np.int64)
    if period.unit == "week":
        return (times.astype("datetime64[D]").astype(np.int64) + 3) // 7
    months = times.astype("datetime64[M]").astype(np.int64)
    return months // {"month": 1, "quarter": 3, "year": 12}[period.unit]


def _changes(keys: Iterable[NDArray[np.int64]]) -> Rows:
    changed = np.logical_or.reduce([np.diff(key) != 0 for key in keys])
    return np.concatenate([[0], np.flatnonzero(changed) + 1]).astype(np.int64)


# ------------------------------------------------------------------------------------------ lines
def m4_rows(series: Sequence[Floats], columns: int, forced: Iterable[int] = ()) -> Rows:
    """Return the rows to keep, in order: M4 of every series, gap edges, and ``forced``.

    All series of a chart share one set of rows, or one hover box would mix different times.
    """
    n = len(series[0])
    column = np.arange(n, dtype=np.int64) * columns // n
    starts = _changes([column])
    kept = [starts, np.append(starts[1:], n) - 1, np.asarray(list(forced), dtype=np.int64)]
    for values in series:
        kept += [_extreme(values, column, starts, np.fmin), _extreme(values, column, starts, np.fmax)]
        kept.append(_gap_edges(values, n, columns))
    return np.unique(np.concatenate(kept))


def line_columns(series: int) -> int:
    """Return into how many pixel columns to divide, so that the kept points stay few."""
    return min(PIXEL_COLUMNS, KEPT_POINTS // (4 * max(series, 1)))


def even_positions(rows: Rows, n: int, columns: int) -> tuple[NDArray[np.int32], int]:
    """Return whole-number positions that give every pixel column the same width, and the slots.

    Consecutive numbers would squeeze columns that kept few rows, and so bend the time axis.
    """
    column = rows * columns // n
    starts = _changes([column])
    counts = np.diff(np.append(starts, len(rows)))
    slots = int(counts.max())
    order = np.arange(len(rows)) - np.repeat(starts, counts)
    room = np.repeat(np.maximum(counts - 1, 1), counts)
    return (column * slots + order * (slots - 1) // room).astype(np.int32), slots


def _extreme(values: Floats, column: Rows, starts: Rows, reduce: Any) -> Rows:
    best = reduce.reduceat(values, starts)
    hits = np.flatnonzero(values == np.repeat(best, np.diff(np.append(starts, len(values)))))
    _, first = np.unique(column[hits], return_index=True)
    return np.asarray(hits[first], dtype=np.int64)


def _gap_edges(values: Floats, n: int, columns: int) -> Rows:
    missing = np.isnan(values)
    turns = np.flatnonzero(np.diff(missing))
    edges = np.unique(np.concatenate([turns, turns + 1]))
    if len(edges) > 4 * columns:
        # Gaps narrower than a pixel cannot be seen; keeping them all would keep every row.
        wide = np.diff(turns, append=n) > n // columns
        edges = np.unique(np.concatenate([turns[wide], turns[wide] + 1]))
    return edges.astype(np.int64)
