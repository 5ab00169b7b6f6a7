"""Which rows match: a filter's value is read once as a span, and the column is compared with its ends.

A number is a span of one point; ``2024-03`` is all of March, so ``<= "2024-03"`` includes its last
day and ``= "2024-03"`` means any of its days. Null makes a comparison null, never true: neither
``!=`` nor ``not`` turns a missing value into a match.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from capital_kit._core.notices import Notice
from capital_kit.datasets._arrays import scalar_of
from capital_kit.datasets._model import NUMERIC, TEMPORAL, Column
from capital_kit.datasets._queries._spec import Combined, Condition, Filter
from capital_kit.datasets._queries._values import (
    Span,
    comparable_numbers,
    comparable_times,
    conflict,
    number_span,
    text_numbers,
    time_span,
    truth_span,
)

_INT64 = 2**63


class Rows(NamedTuple):
    """A table with what its columns are, and whether cells that do not fit are refused."""

    table: pa.Table
    columns: Mapping[str, Column]
    strict: bool


def matching(conditions: Iterable[Condition], rows: Rows) -> tuple[pa.Array | None, list[Notice]]:
    """Return which rows match all conditions (None for no condition), and what was done for that."""
    notices: list[Notice] = []
    masks = [_mask(condition, rows, notices) for condition in conditions]
    return (functools.reduce(pc.and_kleene, masks) if masks else None), notices


def _mask(condition: Condition, rows: Rows, notices: list[Notice]) -> Any:
    if isinstance(condition, Filter):
        return _compared(condition, rows, notices)
    assert isinstance(condition, Combined)
    masks = [_mask(part, rows, notices) for part in condition.parts]
    if condition.how == "not":
        return pc.invert(masks[0])
    return functools.reduce(pc.or_kleene if condition.how == "any" else pc.and_kleene, masks)


def _compared(asked: Filter, rows: Rows, notices: list[Notice]) -> Any:
    column, cells = rows.columns[asked.column], rows.table.column(asked.column)
    if asked.operator == "is_null":
        return pc.is_null(cells)
    if asked.operator == "not_null":
        return pc.is_valid(cells)
    if asked.operator in ("contains", "starts_with"):
        return _by_text(asked, column, cells)
    cells, spans = _comparable(asked, column, cells, rows, notices)
    if asked.operator == "in":
        return functools.reduce(pc.or_kleene, (_inside(cells, *_ends(cells, span)) for span in spans))
    if asked.operator == "between":
        return _inside(cells, *_ends(cells, Span(spans[0].low, spans[1].high)))
    low, high = _ends(cells, spans[0])
    match asked.operator:
        case "=":
            return _inside(cells, low, high)
        case "!=":
            return pc.invert(_inside(cells, low, high))
        case ">":
            return pc.greater(cells, high)
        case ">=":
            return pc.greater_equal(cells, low)
        case "<":
            return pc.less(cells, low)
    return pc.less_equal(cells, high)


def _comparable(
    asked: Filter, column: Column, cells: pa.ChunkedArray, rows: Rows, notices: list[Notice]
) -> tuple[Any, list[Span]]:
    """Return a column as it can be compared, and the spans of a filter's values."""
    values = asked.value if isinstance(asked.value, tuple) else (asked.value,)
    if column.kind in NUMERIC:
        spans = [number_span(value, column, notices) for value in values]
        whole = all(_fits_int64(end) for span in spans for end in span)
        if pa.types.is_integer(cells.type) and not whole:
            # No integer that a float rounds lies beside a float with a fraction.
            cells = cells.cast(pa.float64(), safe=False)
        return comparable_numbers(cells), spans
    if column.kind in TEMPORAL:
        return comparable_times(cells), [time_span(value, column, cells, notices) for value in values]
    if column.kind == "boolean":
        return cells.cast(pa.uint8()), [truth_span(value, column) for value in values]
    if all(isinstance(value, str) for value in values):
        return cells, [Span(value, value) for value in values]
    other = next(value for value in values if not isinstance(value, str))
    numbers = text_numbers(column, cells, rows.strict, notices)
    if numbers is None:
        raise conflict(column, other)
    return numbers, [number_span(value, column, notices) for value in values]


def _inside(cells: Any, low: pa.Scalar, high: pa.Scalar) -> Any:
    if low.equals(high):
        return pc.equal(cells, low)
    return pc.and_(pc.greater_equal(cells, low), pc.less_equal(cells, high))


def _ends(cells: Any, span: Span) -> Span:
    return Span(*(scalar_of(end, cells.type) for end in span))


def _fits_int64(end: Any) -> bool:
    return isinstance(end, int) and -_INT64 <= end < _INT64


def _by_text(asked: Filter, column: Column, cells: pa.ChunkedArray) -> Any:
    if column.kind in NUMERIC | TEMPORAL | {"boolean"} or not isinstance(asked.value, str):
        raise conflict(column, asked.value)
    test = pc.match_substring if asked.operator == "contains" else pc.starts_with
    return test(cells, asked.value)
