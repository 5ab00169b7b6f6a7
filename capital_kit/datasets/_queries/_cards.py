"""The card of a query result: the question in words over the answer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from capital_kit._core.html import Html, badge, bullets, card, details, join, table, tag
from capital_kit._core.labels import tr
from capital_kit._core.numbers import show
from capital_kit.datasets._model import NUMERIC, Column
from capital_kit.datasets._queries._result import QueryResult

ROWS_SHOWN = 20
_CELL_MAX = 40
_TEXT_MAX = 400
_WARNINGS_OPEN = 6
_SIGNS = {"!=": "≠", ">=": "≥", "<=": "≤"}


def query_card(result: QueryResult) -> Html:
    """Return the card of a query result."""
    return card(
        f"{tr('query.card.title')} · {result.source_label}",
        _rows(result),
        _warnings(result),
        subtitle=query_words(result.query),
        badges=_badges(result),
    )


def query_words(query: Mapping[str, Any]) -> str:
    """Return a query in its one form as a sentence."""
    if "sql" in query:
        return _cut(tr("query.card.sql", text=" ".join(str(query["sql"]).split())), _TEXT_MAX)
    groups = [_group(group) for group in query.get("group_by", ())]
    parts = [
        _listed(_aggregate, query.get("aggregates", ())),
        tr("query.card.by", text=_list(groups)) if groups else "",
        tr("query.card.where", text=_all(query["filters"])) if "filters" in query else "",
        tr("query.card.having", text=_all(query["having"])) if "having" in query else "",
        tr("query.card.distinct") if query.get("distinct") else "",
        tr("query.card.order", text=_listed(_order, query["order_by"])) if "order_by" in query else "",
    ]
    text = " · ".join(part for part in parts if part)
    return _cut(text or tr("query.card.all_rows"), _TEXT_MAX)


# the table -----------------------------------------------------------------------------------


def _badges(result: QueryResult) -> list[Html]:
    size = tr("query.card.rows", rows=show(result.returned_count), columns=show(len(result.columns)))
    found = [badge(size)]
    if result.matched_row_count is not None and "aggregates" in result.query:
        found.append(badge(f"{tr('query.card.matched')} {show(result.matched_row_count)}"))
    if result.truncated and result.total_count is not None:
        text = tr("query.card.truncated", shown=show(result.returned_count), total=show(result.total_count))
        found.append(badge(text, "warn"))
    elif result.truncated:
        found.append(badge(tr("query.card.truncated_sql", shown=show(result.returned_count)), "warn"))
    return found


def _rows(result: QueryResult) -> Html:
    if not result.returned_count:
        return tag("p", tr("query.card.no_rows"), style="opacity:.75;")
    shown = result.rows[:ROWS_SHOWN]
    lines = [[_cell(row[column.name], column) for column in result.columns] for row in shown]
    numeric = [place for place, column in enumerate(result.columns) if column.kind in NUMERIC]
    whole = table(
        [_header(column) for column in result.columns], lines, caption=result.query_id, numeric=numeric
    )
    if result.returned_count <= len(shown):
        return whole
    more = tr("query.card.shown", shown=show(len(shown)))
    return join([whole, tag("div", more, style="opacity:.75;font-size:.9em;")])


def _header(column: Column) -> Html:
    unit = tag("span", f" {column.unit}", style="opacity:.65;") if column.unit else ""
    return join([_cut(column.name, _CELL_MAX), unit])


def _cell(value: Any, column: Column) -> Html:
    if isinstance(value, bool):
        text = tr(f"describe.card.{str(value).lower()}")
    elif isinstance(value, int | float):
        text = show(value)
    else:
        text = "—" if value is None else _cut(str(value), _CELL_MAX)
    return tag("span", text, style="white-space:nowrap;" if column.kind in NUMERIC else None)


def _warnings(result: QueryResult) -> Html:
    if not result.warnings:
        return Html("")
    title = tr("query.card.warnings", n=len(result.warnings))
    body = bullets(notice.message for notice in result.warnings)
    return details(title, body, open_=len(result.warnings) <= _WARNINGS_OPEN)


# words ---------------------------------------------------------------------------------------


def _group(group: Mapping[str, Any]) -> str:
    if "by" not in group:
        return str(group["column"])
    return tr("query.card.by_step", column=group["column"], step=tr(f"query.step.{group['by']}"))


def _aggregate(aggregate: Mapping[str, Any]) -> str:
    function = tr(f"query.function.{aggregate['function']}")
    if "q" in aggregate:
        function = f"{function} {aggregate['q']:g}"
    column = aggregate.get("column")
    return function if column is None else tr("query.card.of", column=column, function=function)


def _order(order: Mapping[str, Any]) -> str:
    return tr(f"query.card.{order['direction']}", column=order["column"])


def _all(conditions: Sequence[Mapping[str, Any]]) -> str:
    return tr("query.card.and").join(_condition(part, inside=len(conditions) > 1) for part in conditions)


def _condition(part: Mapping[str, Any], *, inside: bool = False) -> str:
    if "not" in part:
        return tr("query.card.not", text=_condition(part["not"]))
    for how, word in (("any", "query.card.or"), ("all", "query.card.and")):
        if how in part:
            text = tr(word).join(_condition(one, inside=True) for one in part[how])
            return f"({text})" if inside and len(part[how]) > 1 else text
    operator = str(part["operator"])
    word = tr(f"query.operator.{operator}") if operator.isidentifier() else _SIGNS.get(operator, operator)
    if "value" not in part:
        return f"{part['column']} {word}"
    value = part["value"]
    values = _list(map(_value, value)) if isinstance(value, list) else _value(value)
    return f"{part['column']} {word} {values}"


def _value(value: Any) -> str:
    if isinstance(value, Mapping):
        return str(value["period"])
    return show(value) if isinstance(value, int | float) and not isinstance(value, bool) else str(value)


def _listed(words: Callable[[Mapping[str, Any]], str], items: Iterable[Mapping[str, Any]]) -> str:
    found = [words(item) for item in items]
    return _list(found) if found else ""


def _list(words: Iterable[str]) -> str:
    return tr("query.card.list", items=list(words))


def _cut(text: str, most: int) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
