"""The window a question asks for, as the days of a chart's range."""

from __future__ import annotations

import datetime as dt
import re

from capital_kit.datasets import TimePoint, parse_time, resolve_period

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
    if window == "ytd" or window.startswith("last_"):
        return {"from": max(resolve_period(window, point.value, point.kind).start, _EARLIEST).isoformat()}
    if window == "previous_year":
        return {"from": str(point.value.year - 1), "to": str(point.value.year - 1)}
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
    return _day(since) <= _day(last) and _last_day(until) >= _day(first)


def _day(point: TimePoint) -> dt.date:
    return dt.date(point.value.year, point.value.month, point.value.day)


def _last_day(point: TimePoint) -> dt.date:
    return _day(point) if point.kind == "datetime" else resolve_period(str(point), dt.date.max).end
