"""Results kept in the workspace, one file a query, to be found again by its id."""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from capital_kit._core.notices import Notice
from capital_kit._core.records import plain
from capital_kit.datasets._model import TEMPORAL, Column
from capital_kit.datasets._queries._result import QueryResult
from capital_kit.errors import QueryError, WorkspaceError
from capital_kit.workspace import Workspace

FOLDER = "queries"
_ID = re.compile(r"q_[0-9a-f]{16}")
_FACTS = (
    "query_id", "dataset_id", "fingerprint", "source_label", "query", "matched_row_count", "group_count",
    "total_count", "limit", "truncated",
)  # fmt: skip


def keep(result: QueryResult, workspace: Workspace | str | Path | None) -> Notice | None:
    """Write a result; return a notice where the workspace refuses, and the work goes on.

    Equal results are equal files, so that several kernels may write one at once.
    """
    record = {
        **result.to_dict(),
        "columns": [plain(column) for column in result.columns],
        "warnings": [
            {"area": told.area, "code": told.code, "details": plain(told.details)} for told in result.warnings
        ],
    }
    record["digest"] = _digest(record)
    text = json.dumps(record, ensure_ascii=False, allow_nan=False, sort_keys=True, indent=1)
    try:
        # Half of a surrogate pair becomes the escape that JSON has for it.
        data = text.encode("utf-8", "backslashreplace") + b"\n"
        Workspace.of(workspace).write(FOLDER, f"{result.query_id}.json", data=data)
    except WorkspaceError as error:
        return Notice("query", "query_not_stored", reason=error.message)
    return None


def find_query(query_id: str, *, workspace: Workspace | str | Path | None = None) -> QueryResult:
    """Return the result of an earlier query from the workspace.

    Parameters
    ----------
    query_id : str
        The id that the result had.
    workspace : Workspace or path, optional
        Where it was kept.

    Returns
    -------
    QueryResult
        The result as it was; NaN and infinities are missing.

    Raises
    ------
    QueryError
        ``query_not_found``, also for a file that is damaged or was altered.
    """
    if not isinstance(query_id, str) or not _ID.fullmatch(query_id):
        raise QueryError.of("query_not_found", query_id=str(query_id)[:40])
    path = Workspace.of(workspace).file(FOLDER, f"{query_id}.json")
    try:
        record = json.loads(path.read_bytes())
        if record["query_id"] != query_id or record["digest"] != _digest(record):
            raise ValueError(query_id)
        return _rebuilt(record)
    except FileNotFoundError:
        raise QueryError.of("query_not_found", query_id=query_id) from None
    except (OSError, ValueError, TypeError, LookupError, AttributeError, RecursionError) as error:
        reason = getattr(error, "strerror", None) or type(error).__name__
        raise QueryError.of("query_not_found", "damaged", query_id=query_id, reason=reason) from None


def _digest(record: Mapping[str, Any]) -> str:
    """Return the digest of what this version reads; a later one may write more."""
    read = [record[name] for name in (*_FACTS, "columns", "rows", "warnings")]
    return hashlib.sha256(json.dumps(read, sort_keys=True).encode()).hexdigest()


def _rebuilt(record: Mapping[str, Any]) -> QueryResult:
    import pyarrow as pa

    from capital_kit.datasets._arrays import array_of
    from capital_kit.datasets._cells._typed import STORAGE

    columns = tuple(Column(**fields) for fields in record["columns"])
    arrays = []
    for column in columns:
        cells = [row[column.name] for row in record["rows"]]
        if column.kind in TEMPORAL:
            cells = [None if cell is None else _time(cell, column.kind) for cell in cells]
        arrays.append(array_of(cells, STORAGE.get(column.kind, pa.string())))
    return QueryResult(
        **{name: record[name] for name in _FACTS},
        table=pa.table(arrays, names=[column.name for column in columns]),
        columns=columns,
        warnings=tuple(Notice(told["area"], told["code"], **told["details"]) for told in record["warnings"]),
    )


def _time(text: str, kind: str) -> dt.date:
    if kind == "datetime":
        return dt.datetime.fromisoformat(text)
    if kind == "quarter":
        year, quarter = text.split("Q")
        return dt.date(int(year), 3 * int(quarter) - 2, 1)
    return dt.date.fromisoformat(text + {"year": "-01-01", "month": "-01"}.get(kind, ""))
