"""A column that comes with a type: the declared type wins; codes, days and epochs are recognised."""

from __future__ import annotations

import json

import pyarrow as pa
import pyarrow.compute as pc

from capital_kit._core.notices import Notice
from capital_kit._core.records import plain
from capital_kit.datasets._arrays import array_of, scalar_of
from capital_kit.datasets._headers import Header, is_named
from capital_kit.datasets._model import Kind
from capital_kit.datasets._plain import plain_number
from capital_kit.datasets._temporal import in_kind, integers_as_times, moments
from capital_kit.datasets._typed import Typed, examples, typed
from capital_kit.datasets._typing import type_text

_INT64 = 2**63 - 1
_PARTS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


def type_declared(header: Header, values: pa.Array | pa.ChunkedArray, kind: Kind | None = None) -> Typed:
    """Return an Arrow column of any type as one of the kinds; ``kind`` is what the caller said."""
    storage = values.type
    if is_text(storage):
        return type_text(header, values.cast(pa.string()), kind)
    if kind is not None:
        return _as_told(header, values, kind)
    if pa.types.is_dictionary(storage):
        decoded = values.cast(storage.value_type)
        return type_declared(header, decoded)
    if isinstance(storage, pa.BaseExtensionType):
        return type_declared(header, _storage_of(values))
    if pa.types.is_integer(storage):
        return _integers(header, values)
    if pa.types.is_floating(storage) or pa.types.is_decimal(storage):
        return _floats(header, values)
    if pa.types.is_boolean(storage):
        return typed(header, "boolean", values)
    if pa.types.is_null(storage):
        return typed(header, "empty", values)
    if pa.types.is_date(storage):
        return typed(header, "date", values.cast(pa.date32(), safe=False))
    if pa.types.is_timestamp(storage):
        return _timestamps(header, values)
    return _others(header, values)


def is_text(storage: pa.DataType) -> bool:
    """Tell whether a type is one of Arrow's string types."""
    return bool(
        pa.types.is_string(storage) or pa.types.is_large_string(storage) or pa.types.is_string_view(storage)
    )


def _storage_of(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    if isinstance(values, pa.ChunkedArray):
        chunks = [chunk.storage for chunk in values.chunks]
        return pa.chunked_array(chunks, values.type.storage_type)
    return values.storage


def _as_told(header: Header, values: pa.Array | pa.ChunkedArray, kind: Kind) -> Typed:
    column = in_kind(type_declared(header, values), kind)
    if column.column.kind == kind:
        return column
    if column.array.type == pa.float64() and pc.all(pc.equal(column.array, pc.floor(column.array))).as_py():
        try:
            return type_text(header, column.array.cast(pa.int64()).cast(pa.string()), kind)
        except pa.ArrowInvalid:
            pass
    return type_text(header, column.array.cast(pa.string()), kind)


def _integers(header: Header, values: pa.Array | pa.ChunkedArray) -> Typed:
    if pa.types.is_unsigned_integer(values.type) and (pc.max(values).as_py() or 0) > _INT64:
        text = typed(header, "text", values.cast(pa.string()))
        return text.noting(Notice("datasets", "integers_too_large", column=header.name))
    integers = values.cast(pa.int64())
    if is_named(header.name, "code"):
        return _numeric_codes(header, integers)
    return integers_as_times(header, integers) or plain_number(header, integers)


def _numeric_codes(header: Header, integers: pa.Array | pa.ChunkedArray) -> Typed:
    column = typed(header, "code", integers.cast(pa.string()))
    lowest = pc.min(integers).as_py()
    # Six digits throughout cannot have lost a zero.
    if lowest is None or lowest >= 100_000:
        return column
    shown = examples(
        integers.filter(pc.less(integers, scalar_of(100_000, pa.int64()))).slice(0, 100).to_pylist()
    )
    return column.noting(Notice("datasets", "code_as_number", column=header.name, examples=shown))


def _floats(header: Header, values: pa.Array | pa.ChunkedArray) -> Typed:
    numbers = values.cast(pa.float64(), safe=False)
    if is_named(header.name, "code") and numbers.null_count < len(numbers):
        try:
            return _numeric_codes(header, numbers.cast(pa.int64()))
        except pa.ArrowInvalid:
            pass
    if header.unit != "%" and numbers.null_count:
        # A whole number beside a missing one becomes a float in a frame; a day stays a day.
        try:
            days = integers_as_times(header, numbers.cast(pa.int64()))
        except pa.ArrowInvalid:
            days = None
        if days is not None:
            return days
    return plain_number(header, numbers)


def _timestamps(header: Header, values: pa.Array | pa.ChunkedArray) -> Typed:
    zone = values.type.tz
    if values.type.unit in ("s", "ms"):
        try:
            values = values.cast(pa.timestamp("us", zone))
        except pa.ArrowInvalid:  # further away than microseconds reach
            return typed(header, "text", values.cast(pa.timestamp(values.type.unit)).cast(pa.string()))
    if zone is None:
        return moments(header, values)
    try:
        return moments(header, pc.local_timestamp(values), zone)
    except pa.ArrowInvalid:
        notice = Notice("datasets", "zone_unknown", column=header.name, zone=zone)
        return moments(header, values.cast(pa.timestamp(values.type.unit)), "UTC").noting(notice)


def _others(header: Header, values: pa.Array | pa.ChunkedArray) -> Typed:
    storage = values.type
    if pa.types.is_duration(storage):
        number = values.cast(pa.int64()).cast(pa.float64())
        seconds = Header(name=header.name, written=header.written, unit="秒", unit_scale=1.0)
        column = typed(seconds, "number", pc.divide(number, scalar_of(_PARTS[storage.unit], pa.float64())))
        return column.noting(Notice("datasets", "duration_as_seconds", column=header.name))
    if pa.types.is_time(storage):
        return typed(header, "text", values.cast(pa.string()))
    texts = [None if value is None else as_json(value) for value in values.to_pylist()]
    count = sum(text is not None for text in texts)
    column = typed(header, "text", array_of(texts, pa.string()))
    return column.noting(Notice("datasets", "nested_values", column=header.name, count=count))


def as_json(value: object) -> str:
    """Return a nested value as one line of JSON."""
    if isinstance(value, bytes):
        return value.hex()
    return json.dumps(plain(value), ensure_ascii=False)
