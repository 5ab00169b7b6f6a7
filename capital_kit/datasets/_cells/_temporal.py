"""Columns of times: what one cell leaves open, the column decides."""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import pairwise

import pyarrow as pa
import pyarrow.compute as pc

from capital_kit._core.notices import Notice
from capital_kit.datasets._arrays import array_of, scalar_of
from capital_kit.datasets._cells._headers import Header, is_named
from capital_kit.datasets._cells._times import (
    DayOrder,
    TimePoint,
    day_parts,
    has_short_year,
    parse_span,
    parse_time,
    short_month,
)
from capital_kit.datasets._cells._typed import STORAGE, Typed, examples, typed
from capital_kit.datasets._model import TEMPORAL, Kind

_SECONDS_A_DAY = 86_400
_EPOCHS = {1: "s", 1_000: "ms", 1_000_000: "us", 1_000_000_000: "ns"}
_CLOSES = frozenset({6, 7, 8, 20, 21})
"""Hours of UTC at which Tokyo, Shanghai, Hong Kong and New York close: such stamps are no midnight."""
_EPOCH_SECONDS = (315_532_800, 4_102_444_800)
"""1980-01-01 to 2099-12-31."""
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
    reading = _of_one_kind(header, points, notices)
    if reading is None or reading.kind not in ("month", "quarter"):
        return reading
    if spans := [text for text in texts if parse_span(text)]:
        notice = Notice("datasets", "spans_by_end", column=header.name, examples=examples(spans))
        reading = replace(reading, notices=(*reading.notices, notice))
    return reading


def _point(header: Header, text: str, order: DayOrder | None, *, forced: bool) -> TimePoint | None:
    if text.isascii() and text.isdigit() and not forced and not _digits_may_be_time(header.name, text):
        return None
    return parse_time(text, order) or parse_span(text)


def _digits_may_be_time(name: str, digits: str) -> bool:
    if is_named(name, "code"):
        return False
    match len(digits):
        case 4:
            return is_named(name, "year") or is_named(name, "day")
        case 6:
            # 201306 cannot be the sixth day of a month; 201206 can, as 2020-12-06.
            return is_named(name, "month") or (is_named(name, "day") and int(digits[2:4]) > 12)
        case 8:
            return is_named(name, "time") or 1980 <= int(digits[:4]) <= 2039
        case _:
            return is_named(name, "time")


def _day_order(
    header: Header, texts: Sequence[str], *, forced: bool, whole: bool
) -> tuple[DayOrder | None, tuple[Notice, ...]]:
    parts = [found for text in texts if (found := day_parts(text))]
    if not parts:
        return _short_order(header, texts, forced=forced, whole=whole)
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


def _short_order(
    header: Header, texts: Sequence[str], *, forced: bool, whole: bool
) -> tuple[DayOrder | None, tuple[Notice, ...]]:
    """Return what two digits stand for: the year of Jan-24 if the months then follow one another."""
    if texts and all(map(has_short_year, texts)):
        order: DayOrder = "year-month-day"
    elif texts and all(map(short_month, texts)):
        order = "month-year"
    else:
        return None, ()
    if not whole:
        return order, ()
    if forced or (order == "month-year" and _follow([short_month(text) for text in texts])):
        return order, (Notice("datasets", "short_years_read", column=header.name, examples=examples(texts)),)
    return None, (Notice("datasets", "short_years_ambiguous", column=header.name, examples=examples(texts)),)


def _follow(points: Sequence[TimePoint | None]) -> bool:
    """Tell whether months, at least three, lie one month or one quarter apart."""
    months = sorted({12 * point.value.year + point.value.month for point in points if point})
    steps = {later - earlier for earlier, later in pairwise(months)}
    return len(months) > 2 and len(steps) == 1 and steps <= {1, 3}


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
    if width in (12, 14, 17) and width == len(str(high)) and is_named(header.name, "time"):
        return _compact_moments(header, array, str(low))
    if _SERIALS[0] <= low and high < _SERIALS[1] and is_named(header.name, "day"):
        days = pc.subtract(array, scalar_of(_SERIAL_OF_1970, pa.int64())).cast(pa.int32()).cast(pa.date32())
        return typed(header, "date", days).noting(Notice("datasets", "serials_as_days", column=header.name))
    if is_named(header.name, "epoch"):
        first, last = _EPOCH_SECONDS
        for factor in _EPOCHS:
            if first * factor <= low and high < last * factor:
                return _epoch(header, array, factor)
    return None


def floats_as_times(header: Header, array: pa.Array | pa.ChunkedArray) -> Typed | None:
    """Read decimals as moments: days as a spreadsheet counts them (45292.396), epochs in seconds."""
    name = header.name
    if (
        not (is_named(name, "time") or is_named(name, "epoch"))
        or header.unit
        or array.null_count == len(array)
    ):
        return None
    try:
        return integers_as_times(header, array.cast(pa.int64()))
    except pa.ArrowInvalid:
        bounds = pc.min_max(array).as_py()
    low, high = bounds["min"], bounds["max"]
    if _SERIALS[0] <= low and high < _SERIALS[1] and (is_named(name, "day") or is_named(name, "moment")):
        days = pc.subtract(array, scalar_of(float(_SERIAL_OF_1970), pa.float64()))
        # A spreadsheet writes six decimals or more: seconds are certain, their parts are not.
        seconds = pc.round(pc.multiply(days, scalar_of(float(_SECONDS_A_DAY), pa.float64())))
        column = moments(header, seconds.cast(pa.int64()).cast(pa.timestamp("s")))
        return column.noting(Notice("datasets", "serials_as_days", column=name))
    if _EPOCH_SECONDS[0] <= low and high < _EPOCH_SECONDS[1] and is_named(name, "epoch"):
        micros = pc.round(pc.multiply(array, scalar_of(1e6, pa.float64()))).cast(pa.int64())
        return _epoch(header, micros, 1_000_000)
    return None


def _compact_moments(header: Header, array: pa.Array | pa.ChunkedArray, low: str) -> Typed | None:
    """Read 202401050931, also with seconds and thousandths; None where one is no moment."""
    if not _digits_may_be_time(header.name, low) or parse_time(low) is None:
        return None
    digits = array.cast(pa.string())
    ends = (0, 4, 6, 8, 10, 12, 14, 17)
    parts = [
        pc.utf8_slice_codeunits(digits, a, stop=b) for a, b in pairwise(ends[: ends.index(len(low)) + 1])
    ]
    text = pc.binary_join_element_wise(
        pc.binary_join_element_wise(*parts[:3], "-"), pc.binary_join_element_wise(*parts[3:6], ":"), " "
    )
    if len(parts) == 7:
        text = pc.binary_join_element_wise(text, parts[6], ".")
    try:
        return moments(header, text.cast(pa.timestamp("us")))
    except pa.ArrowInvalid:
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
    moment = array.cast(pa.timestamp(_EPOCHS[factor]))
    day = _SECONDS_A_DAY * factor
    length = scalar_of(day, pa.int64())
    within = pc.unique(pc.subtract(array, pc.multiply(pc.divide(array, length), length)).drop_null())
    hours = {value / (3_600 * factor) for value in within.to_pylist()}
    bounds = pc.min_max(array).as_py()
    # A single day proves nothing.
    offset = _midnight_offset(hours) if bounds["max"] - bounds["min"] >= day / 2 else None
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
    if hour in _CLOSES:
        return None
    return 24 - hour if hour >= 12 else -hour
