"""Running a query: rows that match, groups, what is made of them, order and limit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from capital_kit._core.notices import Notice
from capital_kit.datasets._arrays import array_of, from_numpy
from capital_kit.datasets._cells._values import fold
from capital_kit.datasets._facts._kernel import quantile
from capital_kit.datasets._model import NUMERIC, TEMPORAL, Column, Dataset
from capital_kit.datasets._queries._groups import (
    NUMBERS_ONLY,
    OF_SORTED,
    SAME_KIND,
    Cells,
    Groups,
    SortedGroups,
    at_the_end,
    cells_of,
    decoded,
    group_rows,
    key_codes,
)
from capital_kit.datasets._queries._match import Rows, matching
from capital_kit.datasets._queries._names import bind, by_name
from capital_kit.datasets._queries._spec import Aggregate, Group, QuerySpec, leaves, nearest
from capital_kit.datasets._queries._values import span_text, text_numbers
from capital_kit.errors import QueryError

GROUPS_MAX = 1000
_COMPARED, _SHOWN = 2000, 40
_STEPS = {"day": 0, "week": 1, "month": 2, "quarter": 3, "year": 4}
_FINEST = {"datetime": 0, "date": 0, "month": 2, "quarter": 3, "year": 4}
_INT64 = 2**63


@dataclass(frozen=True, kw_only=True, eq=False)
class Outcome:
    """What a query found: a table, its columns, and how much there was before the limit."""

    spec: QuerySpec
    table: pa.Table
    columns: tuple[Column, ...]
    matched: int
    groups: int | None
    total: int
    notices: tuple[Notice, ...]


def run_query(dataset: Dataset, spec: QuerySpec) -> Outcome:
    """Answer a query over the whole dataset, exactly.

    Raises
    ------
    QueryError
        ``query_column_not_found``, ``query_type_conflict``, ``query_group_limit_exceeded``.
    """
    spec, notices = bind(spec, dataset)
    columns = by_name(dataset.columns)
    rows = Rows(dataset.table, columns, spec.error_policy == "strict")
    mask, noted = matching(spec.filters, rows)
    notices += noted
    table = dataset.table if mask is None else dataset.table.filter(mask)
    matched = table.num_rows
    if not matched and dataset.rows:
        notices.append(_nothing_matched(spec, rows))
    groups = None
    made = dataset.columns
    if spec.grouped:
        table, made = _Grouping(dataset, table, spec, notices).result()
        table = _having(table, made, spec, notices)
        groups = table.num_rows
        if groups > GROUPS_MAX and not spec.order_by:
            raise QueryError.of("query_group_limit_exceeded", groups=groups, limit=GROUPS_MAX)
    table = _ordered(table, spec)
    if spec.select:
        table = table.select(list(spec.select))
    if spec.distinct:
        table = table.take(_first_of_each(table))
    return Outcome(
        spec=spec,
        table=table.slice(0, spec.limit),
        columns=tuple(by_name(made)[name] for name in table.column_names),
        matched=matched,
        groups=groups,
        total=table.num_rows,
        notices=tuple(dict.fromkeys(notices)),
    )


def _having(table: pa.Table, made: Sequence[Column], spec: QuerySpec, notices: list[Notice]) -> pa.Table:
    mask, noted = matching(spec.having, Rows(table, by_name(made), spec.error_policy == "strict"))
    notices += noted
    return table if mask is None else table.filter(mask)


def _ordered(table: pa.Table, spec: QuerySpec) -> pa.Table:
    if not spec.order_by or not table.num_rows:
        return table
    # The last key of lexsort sorts first: whether a cell is null, then its code.
    keys = []
    for order in reversed(spec.order_by):
        codes, null = key_codes(cells_of(table.column(order.column)))
        keys += [codes if order.direction == "asc" else -codes, null]
    return table.take(from_numpy(np.lexsort(keys), pa.int64()))


def _first_of_each(table: pa.Table) -> pa.Array:
    groups = group_rows([cells_of(column) for column in table.columns], table.num_rows)
    return from_numpy(np.sort(groups.rows[: groups.count]), pa.int64())


def _nothing_matched(spec: QuerySpec, rows: Rows) -> Notice:
    """Say what stands where the query looked: the span of the times, or the text most alike."""
    for asked in leaves(spec.filters):
        column, cells = rows.columns[asked.column], rows.table.column(asked.column)
        if column.kind in TEMPORAL:
            return Notice("query", "no_rows_then", column=column.name, span=span_text(column, cells))
        if asked.operator == "=" and pa.types.is_string(cells.type) and isinstance(asked.value, str):
            texts = pc.unique(cells).drop_null().to_pylist()
            same = [text for text in texts if fold(text).casefold() == fold(asked.value).casefold()]
            near = (same[0] if same else nearest(asked.value, texts[:_COMPARED]))[:_SHOWN]
            value = asked.value[:_SHOWN]
            if near and near != value:
                return Notice("query", "no_rows_alike", column=column.name, value=value, near=near)
    return Notice("query", "no_rows")


# groups --------------------------------------------------------------------------------------


class _Grouping:
    """The matching rows of one query on their way into groups; each column is prepared once."""

    def __init__(self, dataset: Dataset, table: pa.Table, spec: QuerySpec, notices: list[Notice]) -> None:
        self._dataset = dataset
        self._table = table
        self._spec = spec
        self._notices = notices
        self._columns = by_name(dataset.columns)
        self._cells: dict[tuple[str, bool], Cells] = {}
        self._sorted: dict[tuple[str, bool], SortedGroups] = {}

    def result(self) -> tuple[pa.Table, tuple[Column, ...]]:
        """Return one row a group and what its columns are."""
        keys = [self._key(group) for group in self._spec.group_by]
        groups = group_rows([cells_of(cells) for cells, _ in keys], self._table.num_rows)
        taken = from_numpy(groups.rows, pa.int64())
        arrays = [cells.take(taken) for cells, _ in keys]
        columns = [column for _, column in keys]
        for aggregate in self._spec.aggregates:
            array, column = self._aggregate(aggregate, groups)
            arrays.append(array)
            columns.append(column)
        return pa.table(arrays, names=[column.name for column in columns]), tuple(columns)

    def _key(self, group: Group) -> tuple[Any, Column]:
        column, cells = self._columns[group.column], self._table.column(group.column)
        if group.by is None:
            return cells, replace(column, name=group.name)
        if column.kind not in TEMPORAL or _STEPS[group.by] < _FINEST[column.kind]:
            allowed = [c.name for c in self._dataset.columns if c.kind in ("date", "datetime")]
            raise QueryError.of(
                "query_type_conflict", "step", column=column.name, kind=column.kind, step=group.by,
                allowed=allowed,
            )  # fmt: skip
        floored = pc.floor_temporal(cells, unit=group.by) if group.by != _own(column) else cells
        kind: Any = group.by if group.by in ("month", "quarter", "year") else "date"
        return floored.cast(pa.date32()), replace(column, name=group.name, kind=kind, timezone=None)

    def _aggregate(self, asked: Aggregate, groups: Groups) -> tuple[pa.Array, Column]:
        if asked.column is None:
            counts = np.bincount(groups.codes, minlength=groups.count)
            return from_numpy(counts.astype(np.int64), pa.int64()), _counting(asked.name)
        column = self._columns[asked.column]
        numbers = asked.function in NUMBERS_ONLY
        cells = self._column(column, asked.function if numbers and column.kind not in NUMERIC else None)
        made = replace(column, name=asked.name, header=asked.name, null_tokens={})
        if asked.function in ("first", "last"):
            time = cells_of(self._table.column(str(self._spec.time_column)))
            found, ties = at_the_end(cells, time, groups, last=asked.function == "last")
            if ties:
                self._notices.append(Notice("query", "times_repeat", name=asked.name, count=ties))
            return decoded(found, cells), made
        return self._of_sorted(asked, cells, groups, made, numbers and column.kind not in NUMERIC)

    def _of_sorted(
        self, asked: Aggregate, cells: Cells, groups: Groups, made: Column, parsed: bool
    ) -> tuple[pa.Array, Column]:
        key = (str(asked.column), parsed)
        if key not in self._sorted:
            self._sorted[key] = SortedGroups.of(cells, groups)
        ordered = self._sorted[key]
        if asked.function in ("count", "distinct"):
            counted = ordered.each(len if asked.function == "count" else OF_SORTED["distinct"], empty=0)
            return array_of(counted, pa.int64()), _counting(asked.name)
        if asked.function in SAME_KIND:
            return decoded(ordered.each(OF_SORTED[asked.function]), cells), made
        share = asked.q
        if share is not None:
            found = ordered.each(lambda values: quantile(values, share))
        else:
            found = ordered.each(OF_SORTED[asked.function])
        return self._numbers(asked, found, made)

    def _numbers(self, asked: Aggregate, found: list[Any], made: Column) -> tuple[pa.Array, Column]:
        whole = asked.function == "sum" and made.kind == "integer"
        if any(isinstance(value, float) and not np.isfinite(value) for value in found):
            raise QueryError.of(
                "query_type_conflict", "overflow", column=asked.column, function=asked.function
            )
        if whole and any(value is not None and not -_INT64 <= value < _INT64 for value in found):
            self._notices.append(Notice("query", "sum_rounded", name=asked.name))
            whole = False
        kind: Any = "integer" if whole else "percent" if made.kind == "percent" else "number"
        return array_of(found, pa.int64() if whole else pa.float64()), replace(made, kind=kind)

    def _column(self, column: Column, function: str | None) -> Cells:
        """Return a column's cells, as numbers where a function that takes no texts is named."""
        key = (column.name, function is not None)
        if key not in self._cells:
            array = self._table.column(column.name)
            if function is not None:
                array = self._stated_numbers(column, array, function)
            self._cells[key] = cells_of(array)
            if (odd := self._cells[key].odd) is not None:
                count = int(np.count_nonzero(odd))
                self._notices.append(Notice("query", "non_finite_left_out", column=column.name, count=count))
        return self._cells[key]

    def _stated_numbers(self, column: Column, array: pa.ChunkedArray, function: str) -> pa.Array:
        numbers = None
        if column.kind not in TEMPORAL | {"boolean"}:
            numbers = text_numbers(column, array, self._spec.error_policy == "strict", self._notices)
        if numbers is None:
            raise QueryError.of(
                "query_type_conflict", "function", column=column.name, kind=column.kind, function=function,
                allowed=["count", "distinct", "min", "max", "first", "last"],
            )  # fmt: skip
        return numbers


def _own(column: Column) -> str:
    return {"date": "day"}.get(column.kind, column.kind)


def _counting(name: str) -> Column:
    return Column(name=name, header=name, kind="integer")
