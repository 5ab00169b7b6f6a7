"""The names of a query, matched with those of the dataset and of its own result."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

from capital_kit._core.notices import Notice
from capital_kit.datasets._cells._values import fold
from capital_kit.datasets._model import TEMPORAL, Column, Dataset
from capital_kit.datasets._queries._spec import Combined, Condition, Filter, QuerySpec, nearest
from capital_kit.datasets._queries._time_range import time_column_of
from capital_kit.errors import QueryError


class Names:
    """The names that may stand somewhere, and which of them a written one means."""

    def __init__(self, names: Mapping[str, str], notices: list[Notice]) -> None:
        """Take every name with the other text that may be written for it, such as its header."""
        self._exact = {other: name for name, other in names.items()} | {name: name for name in names}
        self._folded: dict[str, set[str]] = {}
        for text, name in self._exact.items():
            self._folded.setdefault(fold(text).casefold(), set()).add(name)
        self._names = list(names)
        self._notices = notices

    def find(self, asked: str) -> str:
        """Return the one name that ``asked`` means: written so, or so but for width and case."""
        if asked in self._exact:
            return self._exact[asked]
        found = self._folded.get(fold(asked).casefold(), set())
        if len(found) != 1:
            raise QueryError.of(
                "query_column_not_found", "several" if found else "",
                name=asked, available=sorted(found) or self._names[:15], available_total=len(self._names),
                nearest=nearest(asked, self._names) or "—",
            )  # fmt: skip
        name = next(iter(found))
        notice = Notice("query", "name_matched", asked=asked, name=name)
        if notice not in self._notices:
            self._notices.append(notice)
        return name


def bind(spec: QuerySpec, dataset: Dataset) -> tuple[QuerySpec, list[Notice]]:
    """Return a query with the names of the dataset's columns and of its own result.

    Raises
    ------
    QueryError
        ``query_column_not_found`` and, for names of the result that clash, ``query_spec_invalid``.
    """
    notices: list[Notice] = []
    columns = Names({column.name: column.header for column in dataset.columns}, notices)
    groups = tuple(_found(group, columns) for group in spec.group_by)
    aggregates = tuple(
        aggregate if aggregate.column is None else _found(aggregate, columns) for aggregate in spec.aggregates
    )
    filters = tuple(_bound(part, columns) for part in spec.filters)
    made = [item.name for item in (*groups, *aggregates)]
    if len(set(made)) < len(made):
        twice = next(name for name in made if made.count(name) > 1)
        raise QueryError.of("query_spec_invalid", "name_twice", name=twice, allowed=["as"])
    if spec.having and not made:
        raise QueryError.of("query_spec_invalid", "having", allowed=["filters"])
    result = Names(dict(zip(made, made, strict=True)), notices) if made else columns
    order = tuple(replace(item, column=result.find(item.column)) for item in spec.order_by)
    select = tuple(dict.fromkeys(result.find(name) for name in spec.select))
    if spec.distinct and select and (hidden := [o.column for o in order if o.column not in select]):
        raise QueryError.of("query_spec_invalid", "order_hidden", name=hidden[0], allowed=list(select))
    bound = replace(
        spec, select=select, filters=filters, group_by=groups, aggregates=aggregates, order_by=order,
        having=tuple(_bound(part, result) for part in spec.having),
        time_column=_time(spec, dataset, columns),
    )  # fmt: skip
    return bound, notices


def _time(spec: QuerySpec, dataset: Dataset, columns: Names) -> str | None:
    """Return the column that first and last go by; None where nothing does."""
    name = None if spec.time_column is None else columns.find(spec.time_column)
    if name is not None and dataset.column(name).kind not in TEMPORAL:
        allowed = [column.name for column in dataset.columns if column.kind in TEMPORAL]
        raise QueryError.of("query_spec_invalid", "time_column", column=name, allowed=allowed)
    if not spec.goes_by_time:
        return None
    name = name or time_column_of(dataset)
    if name is None:
        raise QueryError.of("query_type_conflict", "no_time", allowed=["min", "max"])
    return name


def _found(item: Any, columns: Names) -> Any:
    """Return a group or an aggregate with the column's real name, also where it names the result."""
    name = columns.find(item.column)
    default = item.name in (item.column, f"{getattr(item, 'function', '')}_{item.column}")
    return replace(item, column=name, name=item.name.replace(item.column, name) if default else item.name)


def _bound(condition: Condition, names: Names) -> Condition:
    if isinstance(condition, Filter):
        return replace(condition, column=names.find(condition.column))
    assert isinstance(condition, Combined)
    return replace(condition, parts=tuple(_bound(part, names) for part in condition.parts))


def by_name(columns: Iterable[Column]) -> dict[str, Column]:
    """Return columns by their names."""
    return {column.name: column for column in columns}
