"""Reading a query: whatever a notebook or a host hands over becomes one checked record."""

from __future__ import annotations

import datetime as dt
import json
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any, cast, get_args

from capital_kit.datasets._cells._periods import FORMS, period_name
from capital_kit.datasets._queries._spec import (
    LIMIT,
    Aggregate,
    Combined,
    Condition,
    ErrorPolicy,
    Filter,
    Function,
    Group,
    Operator,
    Order,
    QuerySpec,
    Step,
    leaves,
    nearest,
)
from capital_kit.errors import QueryError

KEYS = (
    "select", "filters", "group_by", "aggregates", "having", "order_by", "distinct", "limit", "time_column",
    "error_policy",
)  # fmt: skip
FILTERS_MAX = 32
DEPTH_MAX = 8
VALUES_MAX = 64
GROUP_COLUMNS_MAX = 16
AGGREGATES_MAX = 16
ORDERS_MAX = 16
NAME_MAX = 128
LIMIT_MAX = 1000
SELECT_MAX = 32
TEXT_MAX = 64 * 1024

_SAME: dict[str, str] = {"==": "=", "<>": "!=", "mean": "avg"}
_WITHOUT_VALUE = ("is_null", "not_null")


def parse_query(query: QuerySpec | Mapping[str, Any] | str) -> QuerySpec:
    """Check a query and bring it into one form.

    Accepts a mapping, its JSON text (also of single members), one object or one name instead of a
    list, ``"10"`` for 10, and members that are null or empty for "absent".

    Raises
    ------
    QueryError
        ``query_spec_invalid``, with what is ``allowed`` and the ``nearest`` name.
    """
    if isinstance(query, QuerySpec):
        query = query.to_dict()
    given = _mapping(_read(query, "query"), "query")
    if isinstance(given.get("query"), str | Mapping) and set(given) <= {"query", "type", "task_id"}:
        given = _mapping(_read(given["query"], "query"), "query")
    for key in given:
        if key not in KEYS:
            raise _unknown(key, KEYS, within="query")
    values = {key: value for key, value in given.items() if value is not None and value != ""}
    return QuerySpec(
        select=tuple(_name(item, "select") for item in _items(values, "select", SELECT_MAX)),
        filters=_conditions(values, "filters"),
        group_by=tuple(_group(item) for item in _items(values, "group_by", GROUP_COLUMNS_MAX)),
        aggregates=tuple(_aggregate(item) for item in _items(values, "aggregates", AGGREGATES_MAX)),
        having=_conditions(values, "having"),
        order_by=tuple(_order(item) for item in _items(values, "order_by", ORDERS_MAX)),
        time_column=_name(values["time_column"], "time_column") if "time_column" in values else None,
        distinct=_truth(values.get("distinct", False)),
        limit=_limit(values.get("limit", LIMIT)),
        error_policy=_choice(
            values.get("error_policy", "skip_with_warning"), get_args(ErrorPolicy), "error_policy"
        ),
    )


# parts ---------------------------------------------------------------------------------------


def _group(item: Any) -> Group:
    if isinstance(item, str):
        name = _name(item, "group_by")
        return Group(column=name, name=name)
    values = _fields(item, ("column", "by", "as"), "group_by")
    column = _name(values.get("column"), "group_by")
    by = values.get("by")
    step = None if by is None else _choice(by, get_args(Step), "by")
    return Group(column=column, by=step, name=_name(values.get("as", column), "as"))


def _aggregate(item: Any) -> Aggregate:
    values = _fields(item, ("function", "column", "q", "as"), "aggregates")
    function: Function = _choice(values.get("function"), get_args(Function), "function")
    column = _name(values["column"], "aggregates") if "column" in values else None
    if column is None and function != "count":
        raise QueryError.of("query_spec_invalid", "needs_column", function=function, allowed=["column"])
    if (function == "quantile") != ("q" in values):
        raise QueryError.of("query_spec_invalid", "quantile", function=function, allowed="0–1")
    q = _share(values["q"]) if "q" in values else None
    default = function if column is None else f"{function}_{column}"[:NAME_MAX]
    return Aggregate(function=function, column=column, q=q, name=_name(values.get("as", default), "as"))


def _order(item: Any) -> Order:
    if isinstance(item, str):
        return Order(column=_name(item, "order_by"))
    values = _fields(item, ("column", "direction"), "order_by")
    direction = values.get("direction", "asc")
    return Order(
        column=_name(values.get("column"), "order_by"),
        direction=_choice(str(direction).lower(), ("asc", "desc"), "direction"),
    )


def _conditions(values: Mapping[str, Any], key: str) -> tuple[Condition, ...]:
    conditions = tuple(_condition(item, key, 1) for item in _items(values, key, FILTERS_MAX))
    if (count := len(leaves(conditions))) > FILTERS_MAX:
        raise QueryError.of("query_spec_invalid", "too_many", key=key, count=count, allowed=FILTERS_MAX)
    return conditions


def _condition(item: Any, key: str, depth: int) -> Condition:
    if depth > DEPTH_MAX:
        raise QueryError.of("query_spec_invalid", "too_deep", key=key, allowed=DEPTH_MAX)
    fields = _mapping(_read(item, key), key)
    for how in ("any", "all", "not"):
        if how in fields:
            if set(fields) != {how}:
                raise QueryError.of("query_spec_invalid", "alone", key=how, allowed=[how])
            parts = tuple(_condition(part, how, depth + 1) for part in _items(fields, how, FILTERS_MAX))
            if not parts or (how == "not" and len(parts) > 1):
                wanted = "1" if how == "not" else "≥ 1"
                raise QueryError.of("query_spec_invalid", "parts", key=how, allowed=wanted)
            return Combined(how=cast("Any", how), parts=parts)
    values = _fields(fields, ("column", "operator", "value"), key)
    operator: Operator = _choice(values.get("operator", "="), get_args(Operator), "operator")
    column = _name(values.get("column"), key)
    return Filter(column=column, operator=operator, value=_value(values.get("value"), operator, column))


def _value(value: Any, operator: Operator, column: str) -> Any:
    if operator in _WITHOUT_VALUE:
        if value is not None:
            raise QueryError.of(
                "query_spec_invalid", "no_value", operator=operator, column=column,
                allowed=["column", "operator"],
            )  # fmt: skip
        return None
    if operator not in ("in", "between"):
        return _scalar(value, operator, column)
    items = _read(value, "value") if isinstance(value, str) and value.lstrip().startswith("[") else value
    if not isinstance(items, list | tuple | set | frozenset):
        items = [items]
    wanted = "2" if operator == "between" else f"1–{VALUES_MAX}"
    if len(items) != 2 if operator == "between" else not 1 <= len(items) <= VALUES_MAX:
        raise QueryError.of(
            "query_spec_invalid", "values", operator=operator, column=column, count=len(items), allowed=wanted
        )  # fmt: skip
    ordered = sorted(items, key=str) if isinstance(items, set | frozenset) else items
    return tuple(_scalar(item, operator, column) for item in ordered)


def _scalar(value: Any, operator: str, column: str) -> Any:
    if type(value).__name__ == "datetime64":
        value = None if str(value) == "NaT" else str(value)
    elif hasattr(value, "item") and not getattr(value, "shape", ()):
        value = value.item()
    elif isinstance(value, Decimal):
        value = float(value)
    if isinstance(value, str) and value.lstrip().startswith('{"period"'):
        value = _read(value, "value")
    if isinstance(value, Mapping) and set(value) == {"period"}:
        name = period_name(value["period"])
        if name is None:
            raise QueryError.of(
                "query_spec_invalid", "period", period=str(value["period"])[:80], allowed=list(FORMS)
            )  # fmt: skip
        return {"period": name}
    if value is None or (isinstance(value, float | dt.date) and value != value):  # NaN and NaT
        raise QueryError.of("query_type_conflict", "null", column=column, operator=operator)
    if isinstance(value, bool | int | float | str | dt.date):
        return utf8(value) if isinstance(value, str) else value
    raise QueryError.of(
        "query_spec_invalid", "value", column=column, type=type(value).__name__,
        allowed=["text", "number", "true/false", '{"period": …}'],
    )  # fmt: skip


def utf8(text: str) -> str:
    """Return a text with half of a surrogate pair as the escape that cells have in its place."""
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


# single values -------------------------------------------------------------------------------


def _read(value: Any, key: str) -> Any:
    """Return what a JSON text holds, or the value itself."""
    if not isinstance(value, str):
        return value
    if len(value) > TEXT_MAX:
        raise QueryError.of("query_spec_invalid", "too_long", key=key, allowed=f"{TEXT_MAX // 1024} KiB")
    try:
        return json.loads(value)
    except (ValueError, RecursionError) as error:
        reason = str(error).split(":")[0][:80]
        raise QueryError.of(
            "query_spec_invalid", "json", key=key, reason=reason, allowed=list(KEYS)
        ) from None


def _items(values: Mapping[str, Any], key: str, most: int) -> Sequence[Any]:
    """Return a list, of one where a single object or name stands in its place."""
    value = values.get(key, ())
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        value = _read(value, key)
    items = value if isinstance(value, list | tuple) else [value]
    if len(items) > most:
        raise QueryError.of("query_spec_invalid", "too_many", key=key, count=len(items), allowed=most)
    return items


def _mapping(value: Any, key: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        given = type(value).__name__
        raise QueryError.of("query_spec_invalid", "object", key=key, type=given, allowed=["{…}"])
    return {str(name): item for name, item in value.items()}


def _fields(value: Any, allowed: Sequence[str], key: str) -> dict[str, Any]:
    fields = _mapping(_read(value, key), key)
    for name in fields:
        if name not in allowed:
            raise _unknown(name, allowed, within=key)
    return {name: item for name, item in fields.items() if item is not None}


def _name(value: Any, key: str) -> str:
    if not isinstance(value, str) or not 1 <= len(value) <= NAME_MAX:
        shown = repr(value)[:80]
        raise QueryError.of("query_spec_invalid", "name", key=key, value=shown, allowed=f"1–{NAME_MAX}")
    return utf8(value)


def _choice(value: Any, allowed: Sequence[str], key: str) -> Any:
    text = str(value).strip().lower()
    text = _SAME.get(text, text)
    if text not in allowed:
        raise _unknown(value, allowed, within=key)
    return text


def _unknown(value: Any, allowed: Sequence[str], *, within: str) -> QueryError:
    text = str(value)[:80]
    near = nearest(text.lower(), allowed) or "—"
    return QueryError.of(
        "query_spec_invalid", "unknown", value=text, within=within, allowed=list(allowed), nearest=near
    )  # fmt: skip


def _limit(value: Any) -> int:
    try:
        number = value if isinstance(value, int) else int(str(value).strip())
    except ValueError:
        number = 0
    if isinstance(value, bool) or not 1 <= number <= LIMIT_MAX:
        raise QueryError.of("query_spec_invalid", "limit", value=str(value)[:40], allowed=f"1–{LIMIT_MAX}")
    return number


def _share(value: Any) -> float:
    try:
        share = float(value)
    except (TypeError, ValueError):
        share = -1.0
    if isinstance(value, bool) or not 0 <= share <= 1:
        raise QueryError.of("query_spec_invalid", "quantile", function="quantile", allowed="0–1")
    return share


def _truth(value: Any) -> bool:
    if isinstance(value, str) and value.strip().lower() in ("true", "false"):
        return value.strip().lower() == "true"
    if not isinstance(value, bool):
        raise QueryError.of("query_spec_invalid", "truth", value=str(value)[:40], allowed=["true", "false"])
    return value
