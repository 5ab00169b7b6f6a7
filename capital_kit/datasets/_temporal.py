"""Columns of times: what one cell leaves open, the column decides."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace

import pyarrow as pa
import pyarrow.compute as pc

from capital_kit._core.notices import Notice
from capital_kit.datasets._arrays import array_of, scalar_of
from capital_kit.datasets._headers import Header, is_named
from capital_kit.datasets._model import TEMPORAL, Kind
from capital_kit.datasets._times import DayOrder, TimePoint, day_parts, parse_time
from capital_kit.datasets._typed import STORAGE, Typed, examples, typed

_SECONDS_A_DAY = 86_400
_EPOCHS = ((1, 315_532_800, 4_102_444_800), (1_000, 315_532_800_000, 4_102_444_800_000))
_MOST_DISTINCT_DAYS = 100_000
_SERIALS = (29_221, 58_440)
"""Excel counts days: 1980-01-01 to 2059-12-31."""
_SERIAL_OF_1970 = 25_569


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeReading:
    """The distinct texts of a column as times, None where one is none."""

    points: list[TimePoint | None]
    kind: Kind | None
    timezone: str | None
    notices: tuple[Notice, ...] = ()


def read_times(
    header: Header, texts: Sequence[str], *, forced: bool = False, whole: bool = True
) -> TimeReading | None:
    """Read the distinct texts of a column as times; None where they are not of one kind.

    Parameters
    ----------
    header : Header
        Its name tells whether bare digits may be a day, a month or a year.
    texts : sequence of str
        The distinct texts that state a value.
    forced : bool
        The caller has said that these are times.
    whole : bool
        False for a sample, which may not prove the order of day and month.
    """
    order, notices = _day_order(header, texts, forced=forced, whole=whole)
    points = [_point(header, text, order, forced=forced) for text in texts]
    return _of_one_kind(header, points, notices)


def _point(header: Header, text: str, order: DayOrder | None, *, forced: bool) -> TimePoint | None:
    if text.isascii() and text.isdigit() and not forced and not _digits_may_be_time(header.name, text):
        return None
    return parse_time(text, order)


def _digits_may_be_time(name: str, digits: str) -> bool:
    if is_named(name, "code"):
        return False
    match len(digits):
        case 4:
            return is_named(name, "year")
        case 6:
            return is_named(name, "month")
        case 8:
            return is_named(name, "time") or 1980 <= int(digits[:4]) <= 2039
        case _:
            return is_named(name, "time")


def _day_order(
    header: Header, texts: Sequence[str], *, forced: bool, whole: bool
) -> tuple[DayOrder | None, tuple[Notice, ...]]:
    parts = [found for text in texts if (found := day_parts(text))]
    if not parts:
        return None, ()
    month_day = all(one <= 12 for one, _, _ in parts)
    day_month = all(two <= 12 for _, two, _ in parts)
    if month_day != day_month:
        return ("month-day" if month_day else "day-month"), ()
    if not month_day:
        return None, ()
    if not whole:
        return "month-day", ()
    order = _order_without_weekends(parts)
    if order is None and forced:
        return "month-day", (Notice("datasets", "dates_order_told", column=header.name),)
    if order is None:
        return None, (Notice("datasets", "dates_ambiguous", column=header.name, examples=examples(texts)),)
    return order, (Notice("datasets", "dates_order_inferred", column=header.name, order=order),)


def _order_without_weekends(parts: Sequence[tuple[int, int, int]]) -> DayOrder | None:
    days = {part for part in parts if part[0] != part[1]}
    month_day = all(dt.date(year, one, two).weekday() < 5 for one, two, year in days)
    day_month = all(dt.date(year, two, one).weekday() < 5 for one, two, year in days)
    # Three days are the least that make a coincidence unlikely.
    if len(days) < 3 or month_day == day_month:
        return None
    return "month-day" if month_day else "day-month"


def _of_one_kind(
    header: Header, points: list[TimePoint | None], notices: tuple[Notice, ...]
) -> TimeReading | None:
    found = [point for point in points if point is not None]
    kinds = {point.kind for point in found}
    if not found:
        return TimeReading(points=points, kind=None, timezone=None, notices=notices)
    if len(kinds) > 1 and kinds != {"date", "datetime"}:
        return None
    zones = {point.timezone for point in found if point.kind == "datetime"}
    if len(zones) > 1:
        if None in zones or "date" in kinds:
            return None
        listed = ", ".join(sorted(str(zone) for zone in zones))
        if all(isinstance(p.value, dt.datetime) and p.value.time() == dt.time() for p in found):
            # Midnight on either side of a change of summer time: what is meant are days.
            notices = (*notices, Notice("datasets", "zones_of_days", column=header.name, zones=listed))
            zones = {None}
        else:
            notices = (*notices, Notice("datasets", "mixed_timezones", column=header.name, zones=listed))
            points = [point and _in_utc(point) for point in points]
            zones = {"UTC"}
    kind: Kind = "datetime" if "datetime" in kinds else next(iter(kinds))
    return TimeReading(points=points, kind=kind, timezone=next(iter(zones), None), notices=notices)


def _in_utc(point: TimePoint) -> TimePoint:
    assert point.timezone is not None
    assert isinstance(point.value, dt.datetime)
    if point.timezone == "UTC":
        return point
    sign = -1 if point.timezone[0] == "-" else 1
    offset = sign * dt.timedelta(hours=int(point.timezone[1:3]), minutes=int(point.timezone[4:6]))
    return TimePoint(value=point.value - offset, kind="datetime", timezone="UTC")


def times_array(reading: TimeReading) -> pa.Array:
    """Return the points of a reading as one array of its storage type."""
    values = [None if point is None else point.value for point in reading.points]
    if reading.kind == "datetime":
        midnight = dt.time()
        moments = [
            value if value is None or isinstance(value, dt.datetime) else dt.datetime.combine(value, midnight)
            for value in values
        ]
        return array_of(moments, pa.timestamp("us"))
    return array_of(values, pa.date32())


def moments(header: Header, array: pa.Array | pa.ChunkedArray, timezone: str | None = None) -> Typed:
    """Return wall times as a column: a date where every one of them is midnight."""
    array = array.cast(pa.timestamp("us"), safe=False)
    stated = len(array) - array.null_count
    if stated and pc.all(pc.equal(array, pc.floor_temporal(array, unit="day"))).as_py():
        return typed(header, "date", array.cast(pa.date32()), timezone=timezone)
    return typed(header, "datetime", array, timezone=timezone)


def in_kind(column: Typed, kind: Kind) -> Typed:
    """Return a column of times in the kind that the caller named; a day becomes its quarter."""
    found = column.column.kind
    if found == kind or kind not in TEMPORAL or found not in TEMPORAL:
        return column
    array = column.array
    if kind in ("month", "quarter", "year"):
        array = pc.floor_temporal(array.cast(pa.timestamp("us")), unit=kind)
    storage = STORAGE[kind]
    return replace(column, array=array.cast(storage, safe=False), column=replace(column.column, kind=kind))


def integers_as_times(header: Header, array: pa.Array | pa.ChunkedArray) -> Typed | None:
    """Read integers as days (20240105), months (202401), years or epochs; None for mere numbers."""
    if is_named(header.name, "code") or header.unit or array.null_count == len(array):
        return None
    bounds = pc.min_max(array).as_py()
    low, high = bounds["min"], bounds["max"]
    if low < 0:
        return None
    if (width := len(str(low))) == len(str(high)) and width in (4, 6, 8):
        return _digits(header, array, low, high)
    if _SERIALS[0] <= low and high < _SERIALS[1] and is_named(header.name, "day"):
        days = pc.subtract(array, scalar_of(_SERIAL_OF_1970, pa.int64())).cast(pa.int32()).cast(pa.date32())
        return typed(header, "date", days).noting(Notice("datasets", "serials_as_days", column=header.name))
    if is_named(header.name, "epoch"):
        for factor, first, last in _EPOCHS:
            if first <= low and high < last:
                return _epoch(header, array, factor)
    return None


def _digits(header: Header, array: pa.Array | pa.ChunkedArray, low: int, high: int) -> Typed | None:
    bounds = (str(low), str(high))
    if not all(_digits_may_be_time(header.name, text) and parse_time(text) for text in bounds):
        return None
    encoded = (array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array).dictionary_encode()
    if len(encoded.dictionary) > _MOST_DISTINCT_DAYS:
        return None
    points = [parse_time(str(value)) for value in encoded.dictionary.to_pylist()]
    if None in points or (len(points) == 1 and not is_named(header.name, "time")):
        return None
    reading = _of_one_kind(header, points, ())
    if reading is None or reading.kind is None:
        return None
    return typed(header, reading.kind, times_array(reading).take(encoded.indices))


def _epoch(header: Header, array: pa.Array | pa.ChunkedArray, factor: int) -> Typed:
    moment = array.cast(pa.timestamp("s" if factor == 1 else "ms"))
    day = _SECONDS_A_DAY * factor
    length = scalar_of(day, pa.int64())
    within = pc.unique(pc.subtract(array, pc.multiply(pc.divide(array, length), length)).drop_null())
    hours = {value / (3_600 * factor) for value in within.to_pylist()}
    offset = _midnight_offset(hours)
    if offset is None:
        column = moments(header, moment, "UTC")
        return column.noting(Notice("datasets", "epoch_zone_assumed", column=header.name))
    if offset == 0:
        return moments(header, moment, "UTC")
    zone = f"{'+' if offset > 0 else '-'}{abs(offset):02}:00"
    # Around a change of summer time midnight lies one hour off; rounding to the day absorbs it.
    shifted = pc.add(array, scalar_of(offset * 3_600 * factor, pa.int64()))
    local = pc.floor_temporal(shifted.cast(moment.type), unit="day")
    column = typed(header, "date", local.cast(pa.date32()), timezone=zone)
    return column.noting(Notice("datasets", "epoch_offset_inferred", column=header.name, offset=zone))


def _midnight_offset(hours: set[float]) -> int | None:
    if len(hours) > 2 or any(hour % 1 for hour in hours) or max(hours) - min(hours) > 1:
        return None
    hour = int(min(hours))
    return 24 - hour if hour >= 12 else -hour
