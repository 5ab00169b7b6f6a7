"""Days in one column and times of day in the next, as terminals export minutes: joined into moments."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from capital_kit._core.notices import Notice
from capital_kit.datasets._arrays import array_of, scalar_of
from capital_kit.datasets._cells._typed import Typed, typed

_PLAIN_NAME = re.compile(r"时间|时刻|(?:交易|成交)时间|(?:(?:trade|bar)[_ ]?)?time", re.IGNORECASE)
_NAME = re.compile(r".*(?:时间|时刻)|(?:.*[_ ])?time|.*[a-z]Time", re.IGNORECASE)
_CLOCK = re.compile(r"(\d{1,2}):([0-5]\d)(?::([0-5]\d)(?:\.(\d{1,6}))?)?")
_DIGITS = re.compile(r"(\d\d)([0-5]\d)([0-5]\d)?()")
_SECOND = 1_000_000
_DAY = 86_400 * _SECOND


def join_clocks(columns: Sequence[Typed], told: Collection[str] = ()) -> list[Typed]:
    """Return the columns, times of day joined with the days before them; ``told`` are left alone."""
    out = list(columns)
    day: Typed | None = None
    for at, column in enumerate(columns):
        if day is not None and column.column.name not in told and _may_be_clock(column):
            clock = _micros(column)
            out[at] = column if clock is None else _joined(column, day, clock)
        day = out[at] if out[at].column.kind == "date" else day
    return out


def _may_be_clock(column: Typed) -> bool:
    name, kind = column.column.name, column.column.kind
    if kind == "integer":  # 930 may be milliseconds just as well; only a plain name makes it half past nine
        return bool(_PLAIN_NAME.fullmatch(name) and _NAME.fullmatch(name))
    return kind in ("text", "code") and bool(_NAME.fullmatch(name))


def _micros(column: Typed) -> pa.Array | None:
    """Return microseconds since midnight; None if any cell is no time of day."""
    encoded = _whole(column.array.cast(pa.string())).dictionary_encode()
    texts = [text.strip() for text in encoded.dictionary.to_pylist()]
    if column.column.kind == "integer":
        width = 4 if max(map(len, texts), default=0) <= 4 else 6
        texts = [text.zfill(width) for text in texts]
    found = [_clock(text) for text in texts]
    if not found or None in found:
        return None
    return array_of(found, pa.int64()).take(encoded.indices)


def _whole(array: pa.Array | pa.ChunkedArray) -> pa.Array:
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _clock(text: str) -> int | None:
    match = _CLOCK.fullmatch(text) or _DIGITS.fullmatch(text)
    if match is None or int(match[1]) > 23:
        return None
    seconds = 3600 * int(match[1]) + 60 * int(match[2]) + int(match[3] or 0)
    return seconds * _SECOND + int((match[4] or "").ljust(6, "0"))


def _joined(column: Typed, day: Typed, clock: pa.Array) -> Typed:
    midnight = _whole(day.array).cast(pa.timestamp("us")).cast(pa.int64())
    moments, how = pc.add(midnight, clock), "time_joined"
    if not _ascends(moments) and _ascends(moved := _nights_before(midnight, clock)):
        moments, how = moved, "nights_joined"
    about = column.column
    joined = typed(about, "datetime", moments.cast(pa.timestamp("us")), null_tokens=about.null_tokens)
    return joined.noting(*column.notices, Notice("datasets", how, column=about.name, date=day.column.name))


def _ascends(moments: pa.Array) -> bool:
    return not pc.any(pc.less(pc.pairwise_diff(moments, 1), scalar_of(0, pa.int64()))).as_py()


def _nights_before(midnight: pa.Array, clock: pa.Array) -> pa.Array:
    """Return moments where the night counts to the trading day that follows, as futures count it."""
    days = pc.unique(midnight.drop_null()).sort()
    weekend = pc.equal(pc.day_of_week(days.slice(0, 1).cast(pa.timestamp("us"))), scalar_of(0, pa.int64()))
    first = pc.subtract(days[0], scalar_of((3 if weekend[0].as_py() else 1) * _DAY, pa.int64()))
    before = pa.concat_arrays([array_of([first.as_py()], pa.int64()), days.slice(0, len(days) - 1)])
    before = before.take(pc.index_in(midnight, value_set=days))
    early = pc.less(clock, scalar_of(6 * 3600 * _SECOND, pa.int64()))
    late = pc.greater_equal(clock, scalar_of(18 * 3600 * _SECOND, pa.int64()))
    after_midnight = pc.add(before, scalar_of(_DAY, pa.int64()))
    start = pc.if_else(late, before, pc.if_else(early, after_midnight, midnight))
    return pc.add(start, clock)
