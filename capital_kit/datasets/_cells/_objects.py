"""A column of Python objects, from a frame, from records or from JSON."""

from __future__ import annotations

import datetime as dt
import decimal
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from capital_kit._core.notices import Notice
from capital_kit.datasets._arrays import array_of
from capital_kit.datasets._cells._declared import as_hex, as_json, type_declared
from capital_kit.datasets._cells._headers import Header
from capital_kit.datasets._cells._temporal import moments
from capital_kit.datasets._cells._typed import Typed, examples, typed
from capital_kit.datasets._cells._typing import type_text
from capital_kit.datasets._model import Kind

_MISSING_TYPES = ("NAType", "NaTType")
_NUMBERS = frozenset({"integer", "number", "decimal"})
_TIMES = frozenset({"date", "datetime"})
_MICROSECOND = dt.timedelta(microseconds=1)
_FLOAT_DIGITS = 15


def type_objects(header: Header, values: Sequence[Any], kind: Kind | None = None) -> Typed:
    """Return a column of Python objects as one of the kinds.

    Objects of one type keep it. Of several types all become text, which is read like the text of
    a file; a notice says so where that gives no common kind.
    """
    values = [_simple(value) for value in values]
    sorts = Counter(_sort(value) for value in values if value is not None)
    notices = []
    if nested := sorts["nested"]:
        notices.append(Notice("datasets", "nested_values", column=header.name, count=nested))
        texts = [as_json(v) if _sort(v) == "nested" else _text(v) for v in values]
        return typed(header, "text", _strings(texts)).noting(*notices)
    if sorts and set(sorts) <= _TIMES and kind is None and (column := _times(header, values, set(sorts))):
        return column
    if set(sorts) == {"bytes"}:
        return as_hex(header, [None if value is None else bytes(value) for value in values])
    array = _of_one_sort(values, set(sorts))
    if array is not None:
        column = type_declared(header, array, kind)
        if "decimal" in sorts and any(map(_outgrows_floats, values)):
            column = column.noting(Notice("datasets", "decimals_rounded", column=header.name))
        return column
    column = type_text(header, _strings([_text(value) for value in values]), kind)
    if set(sorts) == {"integer"}:
        return column.noting(Notice("datasets", "integers_too_large", column=header.name))
    if kind is not None or column.column.kind not in ("text", "mixed") or len(sorts) < 2:
        return column
    return _mixed(header, values, sorts)


def _outgrows_floats(value: Any) -> bool:
    return isinstance(value, decimal.Decimal) and len(value.normalize().as_tuple().digits) > _FLOAT_DIGITS


def _simple(value: Any) -> Any:
    if value is None or value is np.ma.masked or type(value).__name__ in _MISSING_TYPES:
        return None
    if isinstance(value, np.datetime64 | np.timedelta64):
        value = value.astype(f"{type(value).__name__.removesuffix('64')}64[us]")
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, decimal.Decimal):
        return None if value.is_nan() else value
    return None if isinstance(value, float) and value != value else value


def _sort(value: Any) -> str:
    for sort, types in (
        ("text", str), ("boolean", bool), ("integer", int), ("number", float), ("decimal", decimal.Decimal),
        ("datetime", dt.datetime), ("date", dt.date), ("nested", (dict, list, tuple, set, np.ndarray)),
        ("bytes", (bytes, bytearray, memoryview)), ("duration", dt.timedelta),
    ):  # fmt: skip
        if isinstance(value, types):
            return sort
    return "other"


def _of_one_sort(values: Sequence[Any], sorts: set[str]) -> pa.Array | None:
    try:
        if not sorts:
            return pa.nulls(len(values))
        if sorts == {"text"}:
            return _strings(values)
        if sorts == {"integer"}:
            return array_of(values, pa.int64())
        if sorts <= _NUMBERS:
            floats = [None if value is None else float(value) for value in values]
            return array_of(floats, pa.float64())
        if sorts == {"boolean"}:
            return array_of(values, pa.bool_())
        if sorts == {"duration"}:
            micros = [None if value is None else value // _MICROSECOND for value in values]
            return array_of(micros, pa.int64()).view(pa.duration("us"))
    except (pa.ArrowException, OverflowError, ValueError, TypeError):
        return None
    return None


def _times(header: Header, values: Sequence[Any], sorts: set[str]) -> Typed | None:
    """Return days or moments as a column; None for moments of several zones, which become text."""
    if sorts == {"date"}:
        return typed(header, "date", array_of(values, pa.date32()))
    midnight = dt.time()
    walls = [dt.datetime.combine(v, midnight) if _sort(v) == "date" else v for v in values]
    zones = {str(wall.tzinfo) for wall in walls if wall is not None}
    if len(zones) > 1:
        return None
    zone = zones.pop().removeprefix("UTC") or "UTC"
    naive = [None if wall is None else wall.replace(tzinfo=None) for wall in walls]
    return moments(header, array_of(naive, pa.timestamp("us")), None if zone == "None" else zone)


def _strings(texts: Sequence[str | None]) -> pa.Array:
    try:
        return array_of(texts, pa.string())
    except UnicodeEncodeError:
        # Half of a surrogate pair has no UTF-8; it stays visible as an escape.
        safe = [t if t is None else t.encode("utf-8", "backslashreplace").decode("utf-8") for t in texts]
        return array_of(safe, pa.string())


def _text(value: Any) -> str | None:
    if value is None:
        return None
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).hex()
    text = str(value)
    # The text of a plain object holds its address, another one every time.
    return f"<{type(value).__name__}>" if " object at 0x" in text else text


def _mixed(header: Header, values: Sequence[Any], sorts: Counter[str]) -> Typed:
    counts = ", ".join(f"{sort} {count}" for sort, count in sorts.most_common())
    rarest = sorts.most_common()[-1][0]
    shown = examples(value for value in values if value is not None and _sort(value) == rarest)
    array = _strings([_text(value) for value in values])
    notice = Notice("datasets", "mixed_types", column=header.name, counts=counts, examples=shown)
    return typed(header, "mixed", array).noting(notice)
