"""A column that comes with a type: the declared type wins; codes, days and epochs are recognised."""

from __future__ import annotations

import json
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from capital_kit._core.notices import Notice
from capital_kit._core.records import plain
from capital_kit.datasets._arrays import array_of, scalar_of
from capital_kit.datasets._cells._headers import Header, is_named
from capital_kit.datasets._cells._plain import plain_number
from capital_kit.datasets._cells._temporal import in_kind, integers_as_times, moments
from capital_kit.datasets._cells._typed import Typed, examples, typed
from capital_kit.datasets._cells._typing import type_text
from capital_kit.datasets._model import Kind

_INT64 = 2**63 - 1
_FLOAT_DIGITS = 15
_DAY_NANOS = 86_400 * 10**9
_IDLE_ZEROS = r"(?:(\.\d*[1-9])0+|\.0+)$"
_PARTS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}


def type_declared(header: Header, values: pa.Array | pa.ChunkedArray, kind: Kind | None = None) -> Typed:
    """Return an Arrow column of any type as one of the kinds; ``kind`` is what the caller said."""
    storage = values.type
    if is_text(storage):
        return type_text(header, values.cast(pa.string()), kind)
    if pa.types.is_dictionary(storage):
        return type_declared(header, _of_categories(values), kind)
    if pa.types.is_run_end_encoded(storage):
        return type_declared(header, _decoded(values), kind)
    if kind is not None:
        return _as_told(header, values, kind)
    if isinstance(storage, pa.BaseExtensionType):
        return _extension(header, values)
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


def _extension(header: Header, values: pa.Array | pa.ChunkedArray) -> Typed:
    name = values.type.extension_name
    if name == "arrow.uuid":
        texts = [None if value is None else str(value) for value in values.to_pylist()]
        return type_text(header, array_of(texts, pa.string()))
    stored = _storage_of(values)
    return type_declared(header, stored.cast(pa.bool_()) if name == "arrow.bool8" else stored)


def _of_categories(values: pa.Array | pa.ChunkedArray) -> pa.ChunkedArray:
    storage = pa.string() if is_text(values.type.value_type) else values.type.value_type
    chunks = values.chunks if isinstance(values, pa.ChunkedArray) else [values]
    return pa.chunked_array([chunk.dictionary.cast(storage).take(chunk.indices) for chunk in chunks], storage)


def _decoded(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    chunks = values.chunks if isinstance(values, pa.ChunkedArray) else [values]
    return pa.chunked_array([pc.run_end_decode(chunk) for chunk in chunks], values.type.value_type)


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
        text = type_text(header, values.cast(pa.string()))
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
    if pa.types.is_decimal(values.type) and _outgrows_floats(values):
        return _floats(header, numbers).noting(Notice("datasets", "decimals_rounded", column=header.name))
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


def _outgrows_floats(decimals: pa.Array | pa.ChunkedArray) -> bool:
    """Tell whether decimals have more digits than a float keeps."""
    if decimals.type.precision <= _FLOAT_DIGITS:
        return False
    bounds = [bound for bound in pc.min_max(decimals).as_py().values() if bound is not None]
    return any(abs(bound).scaleb(decimals.type.scale) >= 10**_FLOAT_DIGITS for bound in bounds)


def _timestamps(header: Header, values: pa.Array | pa.ChunkedArray) -> Typed:
    zone = values.type.tz
    if values.type.unit == "ns":
        return _nanoseconds(header, values)
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


def _nanoseconds(header: Header, values: pa.Array | pa.ChunkedArray) -> Typed:
    coarser = pa.timestamp("us", values.type.tz)
    try:
        return _timestamps(header, values.cast(coarser))
    except pa.ArrowInvalid:
        column = _timestamps(header, values.cast(coarser, safe=False))
        return column.noting(Notice("datasets", "nanoseconds_cut", column=header.name))


def _others(header: Header, values: pa.Array | pa.ChunkedArray) -> Typed:
    storage = values.type
    if pa.types.is_duration(storage):
        number = values.cast(pa.int64()).cast(pa.float64())
        seconds = Header(name=header.name, written=header.written, unit="秒", unit_scale=1.0)
        column = typed(seconds, "number", pc.divide(number, scalar_of(_PARTS[storage.unit], pa.float64())))
        return column.noting(Notice("datasets", "duration_as_seconds", column=header.name))
    if pa.types.is_time(storage):
        # 09:30:00.000000 and 09:30:00 are one time of day.
        return typed(header, "text", pc.replace_substring_regex(values.cast(pa.string()), _IDLE_ZEROS, r"\1"))
    if storage == pa.month_day_nano_interval():
        return _intervals(header, values)
    if is_binary(storage):
        return as_hex(header, values.to_pylist())
    texts = [None if value is None else as_json(value) for value in values.to_pylist()]
    count = sum(text is not None for text in texts)
    column = typed(header, "text", array_of(texts, pa.string()))
    return column.noting(Notice("datasets", "nested_values", column=header.name, count=count))


def _intervals(header: Header, values: pa.Array | pa.ChunkedArray) -> Typed:
    """Return intervals as seconds; such with months, which have no fixed length, as text of ISO 8601."""
    parts = values.to_pylist()
    if any(part is not None and part.months for part in parts):
        texts = [part and f"P{part.months}M{part.days}DT{part.nanoseconds / 1e9:g}S" for part in parts]
        return typed(header, "text", array_of(texts, pa.string()))
    nanos = [part and part.days * _DAY_NANOS + part.nanoseconds for part in parts]
    return _others(header, array_of(nanos, pa.int64()).cast(pa.duration("ns")))


def is_binary(storage: pa.DataType) -> bool:
    """Tell whether a type is one of Arrow's types of bytes."""
    return bool(
        pa.types.is_binary(storage)
        or pa.types.is_large_binary(storage)
        or pa.types.is_fixed_size_binary(storage)
        or pa.types.is_binary_view(storage)
    )


def as_hex(header: Header, values: Sequence[bytes | None]) -> Typed:
    """Return bytes as text of hexadecimal digits, which are read as nothing else."""
    texts = [None if value is None else value.hex() for value in values]
    column = typed(header, "text", array_of(texts, pa.string()))
    return column.noting(Notice("datasets", "bytes_as_hex", column=header.name))


def as_json(value: object) -> str:
    """Return a nested value as one line of JSON."""
    if isinstance(value, bytes):
        return value.hex()
    return json.dumps(plain(value), ensure_ascii=False)
