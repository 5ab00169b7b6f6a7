"""From Python values and numpy to Arrow and back, by buffers.

``pa.array``, ``pa.scalar`` and ``to_numpy`` load pandas as soon as they are called, if it is
installed, to see whether their argument is a Series. Reading a file must not pay for that.
"""

from __future__ import annotations

import datetime as dt
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

_EPOCH = dt.datetime(1970, 1, 1)  # noqa: DTZ001 (wall time on purpose)
_MICROSECOND = dt.timedelta(microseconds=1)
_FIRST_DAY = dt.date(1970, 1, 1).toordinal()
_DTYPES = {
    pa.int64(): np.int64, pa.float64(): np.float64, pa.date32(): np.int32, pa.timestamp("us"): np.int64,
    pa.int32(): np.int32, pa.uint64(): np.uint64, pa.uint8(): np.uint8, pa.uint32(): np.uint32,
}  # fmt: skip


def array_of(values: Sequence[Any], storage: pa.DataType) -> pa.Array:
    """Return Python values, None for null, as an array of one of the storage types."""
    missing = np.fromiter((value is None for value in values), np.bool_, len(values))
    if pa.types.is_string(storage):
        return _strings(values, missing)
    if pa.types.is_boolean(storage):
        truths = np.fromiter((bool(value) for value in values), np.bool_, len(values))
        buffers = [_validity(missing), pa.py_buffer(np.packbits(truths, bitorder="little"))]
        return pa.Array.from_buffers(storage, len(values), buffers)
    if pa.types.is_date(storage):
        numbers = [0 if value is None else value.toordinal() - _FIRST_DAY for value in values]
    elif pa.types.is_timestamp(storage):
        numbers = [0 if value is None else (value - _EPOCH) // _MICROSECOND for value in values]
    else:
        numbers = [0 if value is None else value for value in values]
    return from_numpy(np.array(numbers, _DTYPES[storage]), storage, missing)


def of_one_type(values: list[Any]) -> pa.Array | None:
    """Return Python objects that are all days or all text, None aside, as an array; None for any others."""
    types = set(map(type, values)) - {type(None)}
    try:
        storage = {dt.date: pa.date32(), str: pa.string()}.get(types.pop()) if len(types) == 1 else None
        return None if storage is None else array_of(values, storage)
    except UnicodeEncodeError:
        return None


def from_numpy(
    values: npt.NDArray[Any], storage: pa.DataType, missing: npt.NDArray[np.bool_] | None = None
) -> pa.Array:
    """Return a numpy array, null where ``missing``, as an array of a type of the same width."""
    data = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(storage, len(values), [_validity(missing), data])


def to_numpy(array: pa.Array) -> npt.NDArray[Any]:
    """Return the values of a fixed-width array without a copy; what stands under nulls is arbitrary."""
    width = np.dtype(_DTYPES[array.type])
    data = array.buffers()[1]
    if data is None:
        return np.zeros(0, width)
    return np.frombuffer(data, width)[array.offset : array.offset + len(array)]


def stated(array: pa.Array) -> npt.NDArray[np.bool_] | None:
    """Return which values are not null; None if all are."""
    if array.null_count == 0:
        return None
    bits = np.unpackbits(np.frombuffer(array.buffers()[0], np.uint8), bitorder="little")
    return bits[array.offset : array.offset + len(array)].view(np.bool_)


def scalar_of(value: Any, storage: pa.DataType) -> pa.Scalar:
    """Return one value as a scalar that compute functions take."""
    return array_of([value], storage)[0]


def _strings(values: Sequence[Any], missing: npt.NDArray[np.bool_]) -> pa.Array:
    texts = ["" if value is None else value for value in values]
    data = "".join(texts).encode("utf-8")
    offsets = np.zeros(len(texts) + 1, np.int64)
    np.cumsum(np.fromiter(map(len, texts), np.int64, len(texts)), out=offsets[1:])
    if offsets[-1] != len(data):  # not ASCII alone: bytes count, not characters
        widths = (len(text.encode("utf-8")) for text in texts)
        np.cumsum(np.fromiter(widths, np.int64, len(texts)), out=offsets[1:])
    if offsets[-1] > np.iinfo(np.int32).max:
        large = [_validity(missing), pa.py_buffer(offsets), pa.py_buffer(data)]
        return pa.Array.from_buffers(pa.large_string(), len(texts), large).cast(pa.string())
    buffers = [_validity(missing), pa.py_buffer(offsets.astype(np.int32)), pa.py_buffer(data)]
    return pa.Array.from_buffers(pa.string(), len(texts), buffers)


def _validity(missing: npt.NDArray[np.bool_] | None) -> pa.Buffer | None:
    if missing is None or not missing.any():
        return None
    return pa.py_buffer(np.packbits(~missing, bitorder="little"))
