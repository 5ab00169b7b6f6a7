"""What a time axis looks like seen from its last time: the windows that end there, and its day."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import numpy.typing as npt

from capital_kit.datasets._cells._periods import resolve_period
from capital_kit.datasets._description import TimeWindow
from capital_kit.datasets._facts._kernel import time_name
from capital_kit.datasets._model import Kind

Array = npt.NDArray[Any]

WINDOWS = ("last_1_month", "last_3_months", "last_1_year", "ytd")
PERIODS = ("month", "quarter", "year")
SESSIONS_MAX = 8

_MICROSECONDS = 86_400_000_000
_MINUTE = 60_000_000
# The longest break, in days, that a frequency makes by itself: over a weekend with one holiday, or
# from one period to the next.
_STEP = {
    "day": 1, "business-day": 4, "minute": 4, "hour": 4, "week": 10, "month": 31, "quarter": 92, "year": 366,
}  # fmt: skip
_EPOCH = dt.date(1970, 1, 1)
_FIRST, _LAST = (dt.date.min - _EPOCH).days, (dt.date.max - _EPOCH).days


def windows(distinct: Array, kind: Kind, frequency: str, step: float | None) -> tuple[TimeWindow, ...]:
    """Return the last month, three months and year and the year to date of an axis.

    Parameters
    ----------
    distinct : array
        The sorted distinct times, days or microseconds since 1970; at least one.
    kind : Kind
        What the times are.
    frequency : str
        The frequency of the axis.
    step : float or None
        The median step in days, which an irregular axis is allowed to begin late by.

    Returns
    -------
    tuple of TimeWindow
        Each ends with the exact last time and never reaches past it; a month, quarter or year is
        meant as a whole. A window is complete unless the data begin more than :func:`days_late`
        days later than its first day.
    """
    days = distinct // _MICROSECONDS if kind == "datetime" else distinct
    if not _FIRST <= days[0] <= days[-1] <= _LAST:
        return ()
    anchor = _EPOCH + dt.timedelta(int(days[-1]))
    late = days_late(kind, frequency, step)
    found = []
    for name in WINDOWS:
        period = resolve_period(name, anchor, kind)
        start = (period.start - _EPOCH).days
        first = int(np.searchsorted(days, start, "left"))
        found.append(
            TimeWindow(
                name=name,
                start=period.start.isoformat(),
                end=period.end.isoformat(),
                data_from=time_name(int(distinct[first]), kind),
                data_to=time_name(int(distinct[-1]), kind),
                points=len(distinct) - first,
                complete=bool(days[0] - start <= late),
            )
        )
    return tuple(found)


def days_late(kind: Kind, frequency: str, step: float | None) -> float:
    """Return by how many days data may begin later than a window and still fill it.

    It is what the frequency explains: 1 day for days, 4 for business days and bars within them, 10
    for weeks, one period for months, quarters and years, the median step otherwise. Where times
    stand for whole periods, a window begins with the first day of one.
    """
    return max(_STEP.get(frequency, step or 0) - (_STEP[kind] if kind in PERIODS else 0), 0)


def sessions(distinct: Array, natural: float) -> tuple[tuple[tuple[str, str], ...] | None, float]:
    """Return the spans of the day that bars fill, and the median number of bars a day.

    Parameters
    ----------
    distinct : array
        The sorted distinct times in microseconds since 1970.
    natural : float
        The natural step between two bars, in seconds.

    Returns
    -------
    tuple
        The spans, from the clock times that at least half of the days have; a new one begins after
        a break of more than one and a half steps that is longer than ten minutes. None where they
        would be more than eight: such times have no sessions. Then the bars a day.
    """
    days, bars = np.unique(distinct // _MICROSECONDS, return_counts=True)
    clock, seen = np.unique(distinct % _MICROSECONDS, return_counts=True)
    usual = clock[2 * seen >= len(days)]
    middle = float(np.median(bars))
    if len(usual) == 0:
        return None, middle
    breaks = np.flatnonzero(np.diff(usual) > max(1.5 * natural * 1e6, 10 * _MINUTE))
    first, last = usual[np.concatenate(([0], breaks + 1))], usual[np.concatenate((breaks, [-1]))]
    if len(first) > SESSIONS_MAX:
        return None, middle
    return tuple((_clock(begin), _clock(end)) for begin, end in zip(first, last, strict=True)), middle


def _clock(microseconds: int) -> str:
    minutes = int(microseconds) // _MINUTE
    return f"{minutes // 60:02}:{minutes % 60:02}"
