"""Periods such as ``last_3_months``: the one place where a name becomes two days."""

from __future__ import annotations

import calendar
import datetime as dt
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from capital_kit.datasets._cells._times import parse_time
from capital_kit.datasets._model import Kind
from capital_kit.errors import QueryError

FORMS = (
    "today", "yesterday", "ytd", "current_year", "previous_year", "all",
    "last_N_days", "last_N_weeks", "last_N_months", "last_N_quarters", "last_N_years",
    "YYYY", "YYYY-MM", "YYYYQn", '{"unit": "month", "count": 3}',
)  # fmt: skip
"""The periods that there are, as a reader is told."""

_UNITS = ("day", "week", "month", "quarter", "year")
_LAST = re.compile(rf"last_([1-9]\d{{0,5}})_({'|'.join(_UNITS)})s?")
_NAMED = ("today", "yesterday", "ytd", "current_year", "previous_year", "all")
_MONTHS = {"month": 1, "quarter": 3, "year": 12}


@dataclass(frozen=True, slots=True, kw_only=True)
class Period:
    """A period as two days, both inclusive.

    Attributes
    ----------
    name : str
        The period in its one form: ``last_3_months``, ``2024Q1``.
    start, end : date
        The first and the last day.
    """

    name: str
    start: dt.date
    end: dt.date

    @property
    def days(self) -> int:
        """The number of calendar days."""
        return (self.end - self.start).days + 1


def period_name(period: Any) -> str | None:
    """Return a period in its one form; None if it is none.

    Examples
    --------
    >>> period_name({"unit": "month", "count": 3}), period_name("2024年一季度")
    ('last_3_months', '2024Q1')
    """
    if isinstance(period, str) and period.strip().startswith("{"):
        try:
            period = json.loads(period)
        except ValueError:
            return None
    if isinstance(period, Mapping):
        period = _from_parts(period)
    if not isinstance(period, str):
        return None
    text = period.strip().lower()
    if text in _NAMED:
        return text
    if match := _LAST.fullmatch(text):
        return f"last_{match[1]}_{match[2]}" + ("" if match[1] == "1" else "s")
    point = parse_time(text.upper())
    return str(point) if point and point.kind in ("year", "quarter", "month", "date") else None


def resolve_period(period: Any, anchor: dt.date, kind: Kind = "date") -> Period:
    """Return the first and the last day of a period.

    Parameters
    ----------
    period : str or mapping
        ``today``, ``yesterday``, ``ytd``, ``current_year``, ``previous_year``, ``all``,
        ``last_N_days`` (weeks, months, quarters, years), ``2024``, ``2024-03``, ``2024Q1``,
        ``2024-03-15``, ``{"unit": "month", "count": 3}``, or the JSON text of that.
    anchor : date or datetime
        The last time of the data, from which is counted; no clock is read.
    kind : Kind
        What the anchor is. A month, quarter or year stands at its first day and is meant as a whole.

    Returns
    -------
    Period
        Days and weeks include the anchor: ``last_3_days`` are three days, ``last_1_week`` seven.
        Months end with the anchor: the last month before 28 June begins on 29 May, and that before
        30 June, the end of its month, on 1 June. A period in which the anchor lies ends with it.

    Raises
    ------
    QueryError
        ``period_invalid``, with the forms that are allowed.

    Examples
    --------
    >>> resolve_period("last_3_months", dt.date(2024, 6, 28))
    Period(name='last_3_months', start=datetime.date(2024, 3, 29), end=datetime.date(2024, 6, 28))
    """
    name = period_name(period)
    if name is None:
        raise QueryError.of("period_invalid", period=str(period)[:80], allowed=list(FORMS))
    first = dt.date(anchor.year, anchor.month, anchor.day)
    last = end_of(first, kind)
    if match := _LAST.fullmatch(name):
        start = _start_of_last(int(match[1]), match[2], first, last, kind)
        return Period(name=name, start=start, end=last)
    try:
        start, end = _calendar(name, first, last)
    except (ValueError, OverflowError):  # before the year 1
        raise QueryError.of("period_invalid", period=name, allowed=list(FORMS)) from None
    return Period(name=name, start=start, end=last if start <= last < end else end)


def end_of(first: dt.date, kind: str) -> dt.date:
    """Return the last day of the day, month, quarter or year that begins at ``first``."""
    if kind not in _MONTHS:
        return first
    return _month_end(shift_months(first.replace(day=1), _MONTHS[kind] - 1))


def day_of(days: int) -> dt.date:
    """Return the day that is so many days after the first of 1970, within the years that there are."""
    first = dt.date(1970, 1, 1)
    return first + dt.timedelta(min(max(days, (dt.date.min - first).days), (dt.date.max - first).days))


def shift_months(day: dt.date, months: int) -> dt.date:
    """Return the same day some months later (or earlier), the last of a month that is shorter."""
    index = day.year * 12 + day.month - 1 + months
    year, month = divmod(min(max(index, 12), 9999 * 12 + 11), 12)
    return dt.date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))


def _month_end(day: dt.date) -> dt.date:
    return day.replace(day=calendar.monthrange(day.year, day.month)[1])


def _from_parts(period: Mapping[str, Any]) -> str | None:
    unit, count = period.get("unit"), period.get("count")
    if set(period) != {"unit", "count"} or isinstance(count, bool):
        return None
    return f"last_{str(count).strip()}_{unit}"


def _start_of_last(count: int, unit: str, first: dt.date, last: dt.date, kind: str) -> dt.date:
    if unit in ("day", "week"):
        days = count * (7 if unit == "week" else 1)
        return min(first, last - dt.timedelta(days=min(days - 1, (last - dt.date.min).days)))
    months = count * _MONTHS[unit]
    if kind in _MONTHS:
        return shift_months(first, -max(months - _MONTHS[kind], 0))
    before = shift_months(last, -months)
    if last == _month_end(last):  # before 30 June: after 31 March, not after the 30th
        before = _month_end(before)
    return min(first, before + dt.timedelta(days=1))


def _calendar(name: str, first: dt.date, last: dt.date) -> tuple[dt.date, dt.date]:
    if name == "today":
        return first, last
    if name == "yesterday":
        day = first - dt.timedelta(days=1)
        return day, day
    if name == "all":
        return dt.date.min, last
    year = first.year - (name == "previous_year")
    point = parse_time(f"{year:04}" if name in _NAMED else name)
    if point is None:  # a year that no table has
        return dt.date(year, 1, 1), dt.date(year, 12, 31)
    return point.value, end_of(point.value, point.kind)
