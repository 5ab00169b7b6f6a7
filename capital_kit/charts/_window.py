"""The window a question asks for, as the days of a chart's range."""

from __future__ import annotations

import calendar
import datetime as dt
import re

from capital_kit.datasets import TimePoint, parse_time

_LAST = re.compile(r"last_(\d+)_(day|week|month|year)s?")

_MONTHS = {"month": 1, "quarter": 3, "year": 12}
# Before any data: a window that reaches back further takes all there are.
_EARLIEST = dt.date(1900, 1, 1)


def window_range(window: str | None, end: str) -> dict[str, str] | None:
    """Return the range of a window on data that end at ``end``.

    Parameters
    ----------
    window : str or None
        ``last_N_days`` and the like, ``ytd``, ``previous_year``, ``2024``, ``2024-05``, or two of
        these points with a slash between; see :class:`Asked`.
    end : str
        The last time of the data, which is what "the last year" counts back from; a window never
        reaches past it and never depends on today.

    Returns
    -------
    dict or None
        ``from`` and, where the window ends before the data, ``to``; both inclusive.

    Examples
    --------
    >>> window_range("last_1_year", "2024-06-28")
    {'from': '2023-06-29'}
    """
    point = parse_time(end)
    if window is None or point is None:
        return None
    anchor = _day(point)
    if match := _LAST.fullmatch(window):
        first_day = _back(anchor, int(match[1]), match[2], whole=point.kind)
        return {"from": max(first_day, _EARLIEST).isoformat()}
    if window == "ytd":
        return {"from": f"{anchor.year}-01-01"}
    if window == "previous_year":
        return {"from": str(anchor.year - 1), "to": str(anchor.year - 1)}
    first, _, last = window.partition("/")
    if "/" not in window:
        last = first
    return {"from": first, "to": last} if last else {"from": first}


def of_a_year(window: str | None, end: str) -> str | None:
    """Return a window of months alone (``04/06``) with the year in which the data last reach it."""
    months, point = re.fullmatch(r"(\d\d)/(\d\d)", window or ""), parse_time(end)
    if months is None or point is None:
        return window
    year = point.value.year - (point.value.month < int(months[1]))
    return f"{year}-{months[1]}/{year}-{months[2]}"


def meets(range_: dict[str, str], start: str, end: str) -> bool:
    """Tell whether a range of :func:`window_range` holds any of the times from ``start`` to ``end``."""
    first, last, since = parse_time(start), parse_time(end), parse_time(range_["from"])
    until = parse_time(range_.get("to", end))
    if not (first and last and since and until):
        return True
    # A month or a year is over when the next one begins.
    over = _months_before(_day(until), -_MONTHS.get(until.kind, 0))
    ends_late = over > _day(first) if until.kind in _MONTHS else over >= _day(first)
    return _day(since) <= _day(last) and ends_late


def _day(point: TimePoint) -> dt.date:
    return dt.date(point.value.year, point.value.month, point.value.day)


def _back(anchor: dt.date, count: int, unit: str, *, whole: str) -> dt.date:
    """Return the first day of a window of ``count`` units whose last day is ``anchor``."""
    if unit in ("day", "week"):
        days = count * (7 if unit == "week" else 1)
        return anchor - dt.timedelta(days=min(days - 1, (anchor - dt.date.min).days))
    months = count * (12 if unit == "year" else 1)
    # A period stands at its first day: the last twelve of them begin eleven months before.
    if whole in ("month", "quarter", "year"):
        return _months_before(anchor, months - 1) if whole == "month" else _next_day(anchor, months)
    return _next_day(anchor, months)


def _next_day(anchor: dt.date, months: int) -> dt.date:
    return _months_before(anchor, months) + dt.timedelta(days=1)


def _months_before(day: dt.date, months: int) -> dt.date:
    index = max(day.year * 12 + day.month - 1 - months, 12)
    year, month = divmod(index, 12)
    return dt.date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
