"""The query language as records: filters, groups, aggregates and the query that holds them."""

from __future__ import annotations

import difflib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Literal

from capital_kit._core.records import plain

Operator = Literal[
    "=", "!=", ">", ">=", "<", "<=", "in", "between", "contains", "starts_with", "is_null", "not_null",
]  # fmt: skip
Function = Literal[
    "count", "distinct", "min", "max", "sum", "avg", "median", "quantile", "std", "first", "last"
]
Step = Literal["day", "week", "month", "quarter", "year"]
ErrorPolicy = Literal["skip_with_warning", "strict"]

LIMIT = 100
_WITHOUT_VALUE = ("is_null", "not_null")


@dataclass(frozen=True, slots=True, kw_only=True)
class Filter:
    """A comparison of one column with a value; null matches none but ``is_null``.

    ``value`` is a list for ``in`` and, of two, for ``between``; absent for ``is_null`` and ``not_null``.
    ``{"period": "last_3_months"}`` stands for a span of days that ends with the data.
    """

    column: str
    operator: Operator = "="
    value: Any = None

    def to_dict(self) -> dict[str, Any]:
        """Return the filter as the language writes it."""
        record = {"column": self.column, "operator": self.operator}
        return record if self.operator in _WITHOUT_VALUE else {**record, "value": plain(self.value)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Combined:
    """Filters of which ``any`` one or ``all`` must match, or the one that must ``not``."""

    how: Literal["any", "all", "not"]
    parts: tuple[Condition, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the filters as the language writes them."""
        parts = [part.to_dict() for part in self.parts]
        return {self.how: parts[0] if self.how == "not" else parts}


Condition = Filter | Combined


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """A column whose equal values make a group, times cut to the day, week, month, … they lie in."""

    column: str
    by: Step | None = None
    name: str

    def to_dict(self) -> dict[str, Any]:
        """Return the group as the language writes it."""
        return {"column": self.column, **({"by": self.by} if self.by else {}), "as": self.name}


@dataclass(frozen=True, slots=True, kw_only=True)
class Aggregate:
    """One number, or value, a group; ``q`` is the share of a quantile."""

    function: Function
    column: str | None = None
    q: float | None = None
    name: str

    def to_dict(self) -> dict[str, Any]:
        """Return the aggregate as the language writes it."""
        record = {"function": self.function, "column": self.column, "q": self.q, "as": self.name}
        return {key: value for key, value in record.items() if value is not None}


@dataclass(frozen=True, slots=True, kw_only=True)
class Order:
    """A column of the result to sort by; nulls come last either way."""

    column: str
    direction: Literal["asc", "desc"] = "asc"

    def to_dict(self) -> dict[str, Any]:
        """Return the order as the language writes it."""
        return {"column": self.column, "direction": self.direction}


@dataclass(frozen=True, slots=True, kw_only=True)
class QuerySpec:
    """A structured query.

    Attributes
    ----------
    select : tuple of str
        The columns of the result; empty for all.
    filters : tuple of Filter or Combined
        Which rows; all of them must match.
    group_by, aggregates : tuple of Group, tuple of Aggregate
        What to make of them; without either the rows themselves are returned.
    having : tuple of Filter or Combined
        Which groups, by the columns of the result.
    order_by : tuple of Order
        In which order; groups by their keys and rows as in the file otherwise.
    time_column : str or None
        The times that ``first`` and ``last`` go by; None for the time axis of the data.
    distinct : bool
        Leave out rows of the result that repeat an earlier one.
    limit : int
        At most so many rows.
    error_policy : {"skip_with_warning", "strict"}
        Whether cells that do not fit, such as words among numbers, are left out or refused.
    """

    select: tuple[str, ...] = ()
    filters: tuple[Condition, ...] = ()
    group_by: tuple[Group, ...] = ()
    aggregates: tuple[Aggregate, ...] = ()
    having: tuple[Condition, ...] = ()
    order_by: tuple[Order, ...] = ()
    time_column: str | None = None
    distinct: bool = False
    limit: int = LIMIT
    error_policy: ErrorPolicy = "skip_with_warning"

    @property
    def goes_by_time(self) -> bool:
        """Whether an aggregate needs to know which row is the earliest or the latest."""
        return any(aggregate.function in ("first", "last") for aggregate in self.aggregates)

    @property
    def grouped(self) -> bool:
        """Whether the result has groups, or one row over all, instead of rows."""
        return bool(self.group_by or self.aggregates)

    def to_dict(self) -> dict[str, Any]:
        """Return the query as strict JSON that ``parse_query`` accepts again; no defaults but the limit."""
        record: dict[str, Any] = {
            "select": list(self.select),
            "filters": [part.to_dict() for part in self.filters],
            "group_by": [group.to_dict() for group in self.group_by],
            "aggregates": [aggregate.to_dict() for aggregate in self.aggregates],
            "having": [part.to_dict() for part in self.having],
            "order_by": [order.to_dict() for order in self.order_by],
            "time_column": self.time_column,
            "distinct": self.distinct,
            "limit": self.limit,
            "error_policy": self.error_policy if self.error_policy == "strict" else "",
        }
        return {key: value for key, value in record.items() if value}


def leaves(conditions: Iterable[Condition]) -> list[Filter]:
    """Return the single comparisons of nested filters, in reading order."""
    found: list[Filter] = []
    for condition in conditions:
        found += [condition] if isinstance(condition, Filter) else leaves(condition.parts)
    return found


def nearest(name: str, names: Iterable[str]) -> str:
    """Return the name that is written most alike, or an empty text."""
    return next(iter(difflib.get_close_matches(name, list(names), 1)), "")
