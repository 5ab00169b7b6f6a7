"""Asking a dataset: a structured query or SQL in, a small table with an id out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capital_kit._core.notices import Notice
from capital_kit.datasets._model import Dataset
from capital_kit.datasets._queries._parse import parse_query, utf8
from capital_kit.datasets._queries._result import QueryResult, query_id
from capital_kit.datasets._queries._store import keep
from capital_kit.errors import QueryError

if TYPE_CHECKING:
    from capital_kit.datasets._queries._spec import QuerySpec
    from capital_kit.workspace import Workspace

OUTPUT_MAX = 256 * 1024
TIMEOUT_MAX = 3600


def query_dataset(
    data: Any,
    query: QuerySpec | Mapping[str, Any] | str | None = None,
    *,
    sql: str | None = None,
    time_column: str | None = None,
    timeout: float = 30.0,
    workspace: Workspace | str | Path | None = None,
) -> QueryResult:
    """Ask a dataset for rows, groups or single numbers.

    Parameters
    ----------
    data : Dataset, DataFrame, path or anything that ``read_dataset`` takes
        What to ask.
    query : mapping, JSON text or QuerySpec, optional
        Any of these keys; without ``group_by`` and ``aggregates`` the rows themselves come back.

        ``filters``: ``{"column", "operator", "value"}``, of which all must match, or nested as
        ``{"any": [...]}``, ``{"all": [...]}``, ``{"not": {...}}``. Operators: ``= != > >= < <= in between
        contains starts_with is_null not_null``. A partial date is its whole span: ``<= "2024-03"`` takes
        all of March. ``{"period": "last_3_months"}`` counts back from the last time of the data.
        ``"1.2亿"`` is a number, in the unit of the column. Null matches nothing but ``is_null``.

        ``group_by``: column names, or ``{"column": "日期", "by": "month", "as": "月"}`` with day, week,
        month, quarter, year.

        ``aggregates``: ``{"function", "column", "as"}``; count, distinct, min, max, sum, avg, median,
        quantile (with ``q``), std, first and last, which go by time and not by the order in the file.

        ``having`` (filters on the result), ``order_by`` (``{"column", "direction"}``), ``select``,
        ``distinct``, ``limit`` (1–1,000, default 100), ``error_policy`` (``strict`` refuses cells that
        are no numbers; by default they are left out and counted).
    sql : str, optional
        One SELECT over the table ``data`` instead, at most 1,000 rows; needs ``capital-kit[sql]``.
    time_column : str, optional
        The time that first and last go by; found as ``describe_dataset`` finds it otherwise.
    timeout : float, optional
        Seconds after which SQL is stopped, at most an hour. It stops between two blocks of rows: a single
        function over a single huge value is not broken off.
    workspace : Workspace or path, optional
        Where the result is kept, for :func:`find_query`.

    Returns
    -------
    QueryResult
        Exact, and the same for the same data and query, as is its ``query_id``.

    Raises
    ------
    QueryError
        ``query_spec_invalid``, ``query_column_not_found``, ``query_type_conflict``,
        ``query_group_limit_exceeded`` (more than 1,000 groups and no ``order_by`` to say which come
        first), ``query_result_too_large`` (256 KiB), ``query_sql_invalid``, ``query_sql_refused``,
        ``query_timeout``, ``dependency_missing``; ``dataset_format_unsupported`` for a document.

    Examples
    --------
    >>> from capital_kit.datasets import query_dataset
    >>> bars = {"date": ["2024-01-02", "2024-01-31", "2024-02-01"], "close": [9.1, 9.3, 9.2]}
    >>> last = {"function": "last", "column": "close", "as": "close"}
    >>> query_dataset(bars, {"group_by": {"column": "date", "by": "month"}, "aggregates": last}).rows
    [{'date': '2024-01', 'close': 9.3}, {'date': '2024-02', 'close': 9.2}]
    """
    from capital_kit.datasets._read import as_dataset

    if sql is not None and query is not None:
        raise QueryError.of("query_spec_invalid", "both", allowed=["query", "sql"])
    spec = parse_query({} if query is None else query)
    if time_column is not None:
        spec = replace(spec, time_column=time_column)
    if isinstance(timeout, bool) or not isinstance(timeout, int | float) or not 0 < timeout <= TIMEOUT_MAX:
        allowed = f"> 0, ≤ {TIMEOUT_MAX}"
        raise QueryError.of("query_spec_invalid", "timeout", value=str(timeout)[:40], allowed=allowed)
    dataset = as_dataset(data)
    if dataset.shape != "rows":
        raise QueryError.of("dataset_format_unsupported", name=dataset.source.label)
    result = _by_spec(dataset, spec) if sql is None else _by_sql(dataset, sql, timeout)
    result = _checked(result)
    if (refused := keep(result, workspace)) is not None:
        result = replace(result, warnings=(*result.warnings, refused))
    return result


def _by_spec(dataset: Dataset, spec: QuerySpec) -> QueryResult:
    from capital_kit.datasets._queries._run import run_query

    found = run_query(dataset, spec)
    return QueryResult(
        **_about(dataset, found.spec.to_dict()),
        table=found.table,
        columns=found.columns,
        matched_row_count=found.matched,
        group_count=found.groups,
        total_count=found.total,
        limit=spec.limit,
        truncated=found.total > found.table.num_rows,
        warnings=found.notices,
    )


def _by_sql(dataset: Dataset, sql: str, timeout: float) -> QueryResult:
    from capital_kit.datasets._queries._sql import ROWS_MAX, run_sql

    text = utf8(sql).strip().rstrip(";").rstrip()
    found = run_sql(dataset, text, seconds=timeout)
    return QueryResult(
        **_about(dataset, {"sql": text}),
        table=found.table,
        columns=found.columns,
        limit=ROWS_MAX,
        truncated=found.truncated,
        warnings=found.notices,
    )


def _about(dataset: Dataset, asked: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "query_id": query_id(dataset.fingerprint, asked),
        "dataset_id": dataset.dataset_id,
        "fingerprint": dataset.fingerprint,
        "source_label": dataset.source.label,
        "query": asked,
    }


def _checked(result: QueryResult) -> QueryResult:
    """Refuse a result that is too large, and say which cells strict JSON cannot hold."""
    import pyarrow as pa
    import pyarrow.compute as pc

    size = result.table.nbytes  # as JSON no cell is shorter
    if size <= 2 * OUTPUT_MAX:
        size = len(json.dumps(result.rows, ensure_ascii=False, allow_nan=False).encode())
    if size > OUTPUT_MAX:
        raise QueryError.of(
            "query_result_too_large", size_kib=-(-size // 1024), limit_kib=OUTPUT_MAX // 1024
        )  # fmt: skip
    notes = []
    for column in result.columns:
        cells = result.table.column(column.name)
        if pa.types.is_floating(cells.type):
            odd = len(cells) - cells.null_count - (pc.sum(pc.is_finite(cells)).as_py() or 0)
            if odd:
                notes.append(Notice("query", "non_finite_as_null", column=column.name, count=odd))
    return replace(result, warnings=(*result.warnings, *notes)) if notes else result
