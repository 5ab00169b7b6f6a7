"""The values of filters, read as cells are: numbers in the unit of the column, times as whole spans."""

from __future__ import annotations

import datetime as dt
import math
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, NamedTuple
from zoneinfo import ZoneInfo

import pyarrow as pa
import pyarrow.compute as pc

from capital_kit._core.notices import Notice
from capital_kit._core.numbers import show
from capital_kit.datasets._arrays import array_of
from capital_kit.datasets._cells._headers import read_unit
from capital_kit.datasets._cells._periods import day_of, end_of, resolve_period
from capital_kit.datasets._cells._times import TimePoint, parse_time
from capital_kit.datasets._cells._values import parse_number
from capital_kit.datasets._facts._kernel import time_name
from capital_kit.datasets._model import NUMERIC, TEMPORAL, Column
from capital_kit.errors import QueryError

_EPOCH = dt.date(1970, 1, 1)
_DAY = 86_400_000_000
_INT64 = 2**63
_FINENESS = {"datetime": 0, "date": 1, "month": 2, "quarter": 3, "year": 4}
_PREFIX = re.compile("万亿|亿|千万|百万|十万|万|千")
_TRUTHS = {"true": True, "false": False, "是": True, "否": False, "yes": True, "no": False}


class Span(NamedTuple):
    """The first and the last value that a filter's value stands for."""

    low: Any
    high: Any


# numbers -------------------------------------------------------------------------------------


def comparable_numbers(cells: pa.ChunkedArray) -> Any:
    """Return numbers with NaN made null, so that it matches no comparison."""
    if pa.types.is_integer(cells.type):
        return cells
    odd = pc.is_nan(cells)
    return pc.if_else(odd, pa.NULL.cast(pa.float64()), cells) if pc.any(odd).as_py() else cells


def number_span(value: Any, column: Column, notices: list[Notice]) -> Span:
    """Return a number, or one that is written as cells write it, in the unit of the column."""
    number = value if isinstance(value, int | float) and not isinstance(value, bool) else None
    if isinstance(value, str):
        number = _written_number(value, column, notices)
    if number is None:
        raise conflict(column, value)
    if isinstance(number, int) and abs(number) > sys.float_info.max:
        number = math.inf if number > 0 else -math.inf
    if isinstance(number, float) and number.is_integer() and abs(number) < _INT64:
        number = int(number)
    return Span(number, number)


def _written_number(text: str, column: Column, notices: list[Notice]) -> float | int | None:
    """Return a number in the column's unit; None where the text is no number or another unit's."""
    parsed = parse_number(text)
    if parsed is None:
        return None
    if (parsed.kind == "percent") != (column.kind == "percent" or column.unit == "%"):
        return None if parsed.kind == "percent" else parsed.value
    if parsed.kind == "percent" or (parsed.unit is None and parsed.scale == 1):
        return parsed.value
    word = _PREFIX.sub("", column.unit or "", count=1)
    if parsed.unit is not None and word and parsed.unit != word:
        return None
    factor = (_factor(column.unit) or 1.0) / (_factor(word) or 1.0)
    if factor != 1:
        shown = f"{show(parsed.value / factor)} {column.unit}"
        notices.append(Notice("query", "value_converted", column=column.name, value=text[:40], shown=shown))
    return parsed.value / factor if factor != 1 else parsed.value


def _factor(unit: str | None) -> float | None:
    found = read_unit(unit) if unit else None
    return found[1] if found else None


def text_numbers(
    column: Column, cells: pa.ChunkedArray, strict: bool, notices: list[Notice]
) -> pa.Array | None:
    """Return the numbers that a column of texts states; the cells that are none become null.

    None if it holds codes, or no number at all. With ``strict`` any cell that is no number is a
    ``query_type_conflict``.
    """
    if column.kind == "empty":
        return pa.nulls(len(cells), pa.float64())
    texts = (cells.combine_chunks() if isinstance(cells, pa.ChunkedArray) else cells).dictionary_encode()
    if isinstance(texts, pa.ChunkedArray):
        texts = texts.combine_chunks()
    read = [parse_number(text) for text in texts.dictionary.to_pylist()]
    if column.kind == "code" or (read and not any(read)):
        return None
    numbers = array_of([None if one is None else float(one.value) for one in read], pa.float64())
    found = numbers.take(texts.indices)
    if left := found.null_count - cells.null_count:
        if strict:
            raise QueryError.of("query_type_conflict", "mixed", column=column.name, count=left)
        notices.append(Notice("query", "cells_left_out", column=column.name, count=left))
    return found


# times ---------------------------------------------------------------------------------------


def comparable_times(cells: pa.ChunkedArray) -> Any:
    """Return times as days or microseconds since 1970."""
    return cells.cast(pa.int32()) if pa.types.is_date(cells.type) else cells.cast(pa.int64())


def time_span(value: Any, column: Column, cells: pa.ChunkedArray, notices: list[Notice]) -> Span:
    """Return the first and the last day, or moment, of a time or of a period."""
    if isinstance(value, Mapping):
        return _period_span(str(value["period"]), column, cells)
    point = _point(value)
    if point is None:
        raise conflict(column, value)
    if point.timezone and column.timezone != point.timezone:
        point = _in_zone(point, column, value)
    if _FINENESS[point.kind] < _FINENESS[column.kind]:
        point = _widened(point, column, value, notices)
    if isinstance(point.value, dt.datetime):
        moment = (point.value - dt.datetime(1970, 1, 1)) // dt.timedelta(microseconds=1)  # noqa: DTZ001
        return Span(moment, moment)
    return _days_span(point.value, end_of(point.value, point.kind), column)


def _days_span(start: dt.date, end: dt.date, column: Column) -> Span:
    low, high = (start - _EPOCH).days, (end - _EPOCH).days
    return Span(low * _DAY, (high + 1) * _DAY - 1) if column.kind == "datetime" else Span(low, high)


def _period_span(name: str, column: Column, cells: pa.ChunkedArray) -> Span:
    last = pc.max(comparable_times(cells)).as_py()
    if last is None:  # no time at all: no row can match
        return Span(0, 0)
    anchor = day_of(last // _DAY if column.kind == "datetime" else last)
    period = resolve_period(name, anchor, column.kind)
    return _days_span(period.start, period.end, column)


def _point(value: Any) -> TimePoint | None:
    if isinstance(value, dt.datetime):
        offset = value.utcoffset()
        zone = None if offset is None else _offset_name(offset)
        return TimePoint(value=value.replace(tzinfo=None), kind="datetime", timezone=zone)
    if isinstance(value, dt.date):
        return TimePoint(value=value, kind="date")
    if isinstance(value, bool | float):
        return None
    return parse_time(str(value))


def _offset_name(offset: dt.timedelta) -> str:
    minutes = int(offset.total_seconds()) // 60
    sign = "-" if minutes < 0 else "+"
    return f"{sign}{abs(minutes) // 60:02}:{abs(minutes) % 60:02}" if minutes else "UTC"


def _in_zone(point: TimePoint, column: Column, value: Any) -> TimePoint:
    """Return a moment in the wall time of the column; its own zone must be known for that."""
    given, own = _zone(point.timezone), _zone(column.timezone)
    moved = None
    if given and own and isinstance(point.value, dt.datetime):
        with suppress(OverflowError):  # at the ends of the calendar
            moved = point.value.replace(tzinfo=given).astimezone(own).replace(tzinfo=None)
    if moved is None:
        shown, zone = str(value)[:40], column.timezone or "—"
        raise QueryError.of("query_type_conflict", "zone", column=column.name, value=shown, zone=zone)
    return TimePoint(value=moved, kind=point.kind)


def _zone(name: str | None) -> dt.tzinfo | None:
    if name is None or name == "UTC":
        return dt.UTC if name else None
    try:
        return dt.datetime.strptime(name, "%z").tzinfo
    except ValueError:
        pass
    try:
        return ZoneInfo(name)
    except (OSError, ValueError, LookupError):  # an unknown zone, or no list of zones
        return None


def _widened(point: TimePoint, column: Column, value: Any, notices: list[Notice]) -> TimePoint:
    """Return the day, month, quarter or year that a finer time lies in."""
    day = dt.date(point.value.year, point.value.month, point.value.day)
    months = {"month": 1, "quarter": 3, "year": 12}.get(column.kind)
    if months:
        day = day.replace(day=1, month=(day.month - 1) // months * months + 1)
    widened = TimePoint(value=day, kind=column.kind)  # type: ignore[arg-type]
    notices.append(
        Notice("query", "time_widened", column=column.name, value=str(value)[:40], shown=str(widened))
    )
    return widened


def truth_span(value: Any, column: Column) -> Span:
    """Return true or false as one or zero."""
    truth = _TRUTHS.get(value.strip().lower()) if isinstance(value, str) else value
    if not isinstance(truth, bool):
        raise conflict(column, value)
    return Span(int(truth), int(truth))


def conflict(column: Column, value: Any) -> QueryError:
    """Return the error about a value that is of another kind than the column."""
    kind = column.kind
    variant = "number" if kind in NUMERIC else "time" if kind in TEMPORAL else ""
    return QueryError.of(
        "query_type_conflict", "boolean" if kind == "boolean" else variant,
        column=column.name, kind=kind, value=_shown(value), unit=column.unit or "—",
    )  # fmt: skip


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        return str(dict(value))
    return repr(value)[:60] if not isinstance(value, float) or math.isfinite(value) else show(value)


def span_text(column: Column, cells: pa.ChunkedArray) -> str:
    """Return from when to when the times of a column go."""
    if cells.null_count == len(cells):
        return "—"
    bounds = pc.min_max(comparable_times(cells)).as_py()
    return f"{time_name(bounds['min'], column.kind)} … {time_name(bounds['max'], column.kind)}"
