"""The time axis: frequency, order, duplicates and gaps, measured from the distinct times."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from capital_kit.datasets._description import TimeAxis
from capital_kit.datasets._facts._kernel import Measured, time_name
from capital_kit.datasets._facts._rows import NO_REPEATS, Repeats, dense
from capital_kit.datasets._facts._windows import sessions, windows
from capital_kit.datasets._model import Kind

Array = npt.NDArray[Any]

_SECOND = 1_000_000
_DAY = 86_400 * _SECOND
_CALENDAR: dict[str, tuple[float, float, float, float]] = {
    # frequency: bounds of the median step in days, bounds that most single steps keep
    "week": (6, 8, 4, 10),
    "month": (28, 31, 25, 35),
    "quarter": (89, 93, 80, 100),
    "year": (364, 367, 350, 380),
}
_REGULAR = 0.8
_NO_ENTITY = 0
BUSINESS_GAP = 11
"""Calendar days: the longest market holidays are shorter."""


@dataclass(frozen=True, slots=True)
class RowOrder:
    """The rows that state a time, in the order of one entity after the other.

    ``rows`` are row numbers, by entity and time; None if all rows stand like that already.
    ``starts`` says where another entity begins, ``repeats`` what ``key``, the names of entity and
    time or of the time alone, says.
    """

    rows: Array | None
    starts: Array
    sorted: str
    key: tuple[str, ...] = ()
    repeats: Repeats = NO_REPEATS

    def of(self, cells: Array) -> Array:
        """Return a column in this order, without a copy where the file has it."""
        return cells if self.rows is None else cells[self.rows]


class Steps(NamedTuple):
    """The distances between the distinct times, and what they make of the axis."""

    frequency: str
    natural: float
    times: Array
    """Days, or microseconds for an intraday axis."""
    intraday: bool


def order_rows(time: Measured, entity: Measured | None) -> RowOrder:
    """Return the rows by entity and time, and how the file itself orders them."""
    rows = None if time.valid is None else np.flatnonzero(time.valid)
    values = time.values if rows is None else time.values[rows]
    groups = np.zeros(len(values), np.uint8) if entity is None else _group_codes(entity, rows)
    if (groups[1:] < groups[:-1]).any():
        order = np.argsort(groups, kind="stable")
        rows, values, groups = order if rows is None else rows[order], values[order], groups[order]
    inside = groups[1:] == groups[:-1]
    starts = np.append(True, ~inside)[: len(values)]
    direction = "ascending"
    if (inside & (values[1:] < values[:-1])).any():
        direction = "no" if (inside & (values[1:] > values[:-1])).any() else "descending"
        order = np.lexsort((values, groups))
        rows, values = order if rows is None else rows[order], values[order]
    again = inside & (values[1:] == values[:-1])
    missing = len(time.values) - len(values)
    if entity is not None and entity.valid is not None:
        again &= groups[1:] != _NO_ENTITY
        missing = int(np.count_nonzero(~(time.mask() & entity.valid)))
    keys = np.count_nonzero(again[:1]) + np.count_nonzero(again[1:] & ~again[:-1])
    return RowOrder(
        rows, starts, direction,
        key=(time.facts.name,) if entity is None else (entity.facts.name, time.facts.name),
        repeats=Repeats(int(np.count_nonzero(again)), int(keys), missing),
    )  # fmt: skip


def _group_codes(entity: Measured, rows: Array | None) -> Array:
    codes = entity.values if entity.words is not None else dense(entity.values)[0]
    if entity.valid is not None:
        codes = np.where(entity.valid, codes + 1, _NO_ENTITY)
    codes = codes if rows is None else codes[rows]
    # 16 bits sort by radix, several times faster.
    return codes.astype(np.uint16) if len(codes) and codes.max() < 2**16 else codes


def time_axis(time: Measured, order: RowOrder, *, timezone: str | None) -> TimeAxis:
    """Return the facts about the time column; it holds at least one time.

    ``duplicates`` counts the times that occur more than once, or the pairs of entity and time.
    """
    facts, distinct = time.facts, time.times
    assert distinct is not None
    steps = measure_steps(distinct, facts.kind)
    median = float(np.median(np.diff(steps.times))) if len(distinct) > 1 else None
    if steps.intraday:
        median = steps.natural
    gaps = find_gaps(steps)
    bars = steps.intraday and steps.frequency != "irregular"
    spans, bars_per_day = sessions(distinct, steps.natural) if bars else (None, None)
    return TimeAxis(
        column=facts.name,
        kind=facts.kind,
        frequency=steps.frequency,
        sorted=order.sorted,
        duplicates=order.repeats.keys,
        points=len(distinct),
        nulls=facts.nulls,
        start=time_name(int(distinct[0]), facts.kind),
        end=time_name(int(distinct[-1]), facts.kind),
        median_step_days=None if steps.intraday else median,
        median_step_seconds=median if steps.intraday else None,
        timezone=timezone,
        gaps=len(gaps),
        largest_gap=_largest(gaps, distinct, facts.kind),
        windows=windows(distinct, facts.kind, steps.frequency, None if steps.intraday else median),
        sessions=spans,
        bars_per_day=bars_per_day,
    )


def measure_steps(distinct: Array, kind: Kind) -> Steps:
    """Return the frequency of sorted distinct times and the natural step between them."""
    if kind != "datetime":
        frequency, natural = _day_frequency(distinct, kind)
        return Steps(frequency, natural, distinct, intraday=False)
    days = distinct // _DAY
    step, same_day = np.diff(distinct), np.diff(days) == 0
    if not same_day.any():
        frequency, natural = _day_frequency(days, kind)
        return Steps(frequency, natural, days, intraday=False)
    inside = step[same_day] / _SECOND
    natural = float(np.median(inside))
    # Bars fill their days; events that now and then share one have no frequency.
    regular = float(np.mean(np.isclose(inside, natural))) >= 0.6 and float(np.mean(same_day)) >= 0.4
    frequency = "minute" if natural < 3600 else "hour"
    if not regular or natural < 60:
        frequency = "irregular"
    return Steps(frequency, natural, distinct, intraday=True)


def _day_frequency(days: Array, kind: Kind) -> tuple[str, float]:
    if len(days) < 2:
        return (kind if kind in ("month", "quarter", "year") else "irregular"), 0.0
    steps = np.diff(days)
    median = float(np.median(steps))
    if median == 1:
        weekend = float(np.mean((days + 3) % 7 >= 5))  # day 0 was a Thursday
        if float(np.mean(steps <= 4)) < _REGULAR:
            return "irregular", median
        return ("day" if weekend >= 0.01 else "business-day"), 1.0
    for name, (least, most, low, high) in _CALENDAR.items():
        if least <= median <= most and float(np.mean((steps >= low) & (steps <= high))) >= _REGULAR:
            return name, median
    return "irregular", median


def find_gaps(steps: Steps) -> Array:
    """Return the places after which the next time is further away than the frequency allows.

    Business days: more than 11 calendar days. Intraday: within one day, unless the same break
    returns on most days or is known from the mainland and Hong Kong exchanges.
    """
    width = np.diff(steps.times)
    if steps.frequency == "irregular" or len(width) == 0:
        return np.empty(0, np.int64)
    if not steps.intraday:
        limit = BUSINESS_GAP if steps.frequency == "business-day" else 1.5 * steps.natural
        return np.flatnonzero(width > limit)
    days = steps.times // _DAY
    wide = np.flatnonzero((np.diff(days) == 0) & (width > 1.5 * steps.natural * _SECOND))
    if len(wide) == 0:
        return wide
    begin, end = steps.times[wide] % _DAY // _SECOND, steps.times[wide + 1] % _DAY // _SECOND
    _, which, count = np.unique(begin * 86_400 + end, return_inverse=True, return_counts=True)
    total = int(np.count_nonzero(np.diff(days))) + 1
    returns = (count[which] >= 2) & (2 * count[which] >= total)
    return wide[~(returns | _is_known_break(begin, end, steps.natural))]


def _is_known_break(begin: Array, end: Array, step: float) -> Array:
    """Tell which breaks, in seconds of the day, are the lunch or the closing auction in China."""
    noon = (begin >= 11.5 * 3600 - step) & (begin <= 12 * 3600)
    lunch = noon & (end >= 13 * 3600) & (end <= 13 * 3600 + step)
    auction = (begin >= 14.95 * 3600 - 60) & (end == 15 * 3600)
    result: Array = lunch | auction
    return result


def _largest(gaps: Array, distinct: Array, kind: Kind) -> tuple[str, str] | None:
    if len(gaps) == 0:
        return None
    place = int(gaps[np.argmax(distinct[gaps + 1] - distinct[gaps])])
    return time_name(int(distinct[place]), kind), time_name(int(distinct[place + 1]), kind)
