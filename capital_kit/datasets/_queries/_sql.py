"""SQL over a dataset: one SELECT that sees the table ``data`` and nothing else.

The engine is shut before it sees the text: no files, no network, no extensions, no settings. The
text itself is read as a syntax tree first, and only what reads ``data`` is run.
"""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from capital_kit._core.notices import Notice
from capital_kit.datasets._cells._declared import is_text, type_declared
from capital_kit.datasets._cells._headers import read_headers
from capital_kit.datasets._cells._typed import Typed, typed
from capital_kit.datasets._model import Column, Dataset
from capital_kit.errors import QueryError

ROWS_MAX = 1000
SQL_MAX = 64 * 1024
TABLE = "data"
_AGAIN = 0.05

_CONFIG = {
    "enable_external_access": "false",
    "python_enable_replacements": "false",
    "autoinstall_known_extensions": "false",
    "autoload_known_extensions": "false",
    "temp_directory": "",
    "memory_limit": "1GB",
    "threads": "1",  # sums of floats do not depend on which thread was first
    "lock_configuration": "true",
}
_NODES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
_TABLE_FUNCTIONS = frozenset({"range", "generate_series", "unnest"})
_CLOSED_FUNCTIONS = re.compile(
    r"getenv|getvariable|current_setting|set_config|write_log|nextval|currval|query|query_table|sniff_.*|read_.*"
    r"|pg_.*|duckdb_.*|pragma_.*|.*_scan|glob|which_secret|load_.*|copy_.*|json_.*_(?:sql|plan)|in_search_path"
    r"|current_(?:database|schema|schemas|user|role|query|catalog)|session_user|user|version|txid_current"
)
_CHANGING_FUNCTIONS = re.compile(
    r"now|today|(?:get_)?current_(?:date|time|timestamp|localtime|localtimestamp)|localtime|localtimestamp"
    r"|transaction_timestamp|random|setseed|uuid|uuidv[47]|gen_random_uuid"
)
_PATH = re.compile(r"""(?<![\w.])(?:(?:[A-Za-z]:)?[\\/]|~[\\/]|[a-z0-9]+://)[^\s'"]*""")


@dataclass(frozen=True, kw_only=True, eq=False)
class SqlOutcome:
    """What a SELECT gave: at most a thousand rows, and whether there are more."""

    table: pa.Table
    columns: tuple[Column, ...]
    truncated: bool
    notices: tuple[Notice, ...]


def run_sql(dataset: Dataset, sql: str, *, seconds: float) -> SqlOutcome:
    """Run one SELECT over a dataset.

    Raises
    ------
    QueryError
        ``query_sql_invalid``, ``query_sql_refused``, ``query_timeout``, ``dependency_missing``.
    """
    duckdb = _engine()
    connection = duckdb.connect(":memory:", config=_CONFIG)
    try:
        statement = _checked(connection, duckdb, sql, {name.casefold() for name in dataset.names})
        connection.register(TABLE, dataset.table)
        names = dict(zip(connection.sql(f"FROM {TABLE}").columns, dataset.columns, strict=True))
        with _interrupted_after(connection, seconds):
            reader = pa.RecordBatchReader.from_stream(connection.sql(sql).limit(ROWS_MAX + 1))
            table = reader.read_all()
    except duckdb.InterruptException:
        raise QueryError.of("query_timeout", seconds=f"{seconds:g}") from None
    except (duckdb.Error, pa.ArrowException) as error:
        if "INTERRUPT" in str(error):
            raise QueryError.of("query_timeout", seconds=f"{seconds:g}") from None
        raise QueryError.of("query_sql_invalid", reason=_reason(error)) from None
    finally:
        connection.close()
    typed_columns = _typed(table.slice(0, ROWS_MAX), _sources(statement, names))
    notices = [
        Notice("query", "sql_names_changed", name=column.name, sql_name=name)
        for name, column in names.items()
        if name != column.name
    ]
    return SqlOutcome(
        table=pa.table([c.array for c in typed_columns], names=[c.column.name for c in typed_columns]),
        columns=tuple(c.column for c in typed_columns),
        truncated=table.num_rows > ROWS_MAX,
        notices=(*notices, *(notice for column in typed_columns for notice in column.notices)),
    )


def _engine() -> Any:
    try:
        import duckdb
    except ImportError:
        raise QueryError.of("dependency_missing", package="duckdb", install="capital-kit[sql]") from None
    return duckdb


@contextmanager
def _interrupted_after(connection: Any, seconds: float) -> Iterator[None]:
    """Interrupt the engine when its time is over, and again until it has stopped.

    It forgets an interrupt that comes before it has begun.
    """
    done = threading.Event()

    def watch() -> None:
        over = done.wait(seconds)
        while not over:
            connection.interrupt()
            over = done.wait(_AGAIN)

    watcher = threading.Thread(target=watch, daemon=True)
    watcher.start()
    try:
        yield
    finally:
        done.set()
        watcher.join()


# what may be run -----------------------------------------------------------------------------


def _checked(connection: Any, duckdb: Any, sql: str, names: set[str]) -> Mapping[str, Any]:
    """Return the syntax tree of the one SELECT; anything else is refused."""
    if len(sql) > SQL_MAX:
        raise QueryError.of("query_sql_refused", found=f"> {SQL_MAX // 1024} KiB")
    statements = connection.extract_statements(sql)
    kinds = [statement.type.name for statement in statements]
    if kinds != [duckdb.StatementType.SELECT.name]:
        raise QueryError.of("query_sql_refused", found=" + ".join(kinds) or "—")
    text = connection.execute("SELECT json_serialize_sql(?::VARCHAR)", [sql]).fetchall()[0][0]
    record = json.loads(text)
    if record["error"]:
        raise QueryError.of("query_sql_refused", found=kinds[0])
    statement: Mapping[str, Any] = record["statements"][0]["node"]
    parts = list(_parts(statement))
    # A WITH clause gives its name to its own subquery only; elsewhere it would be that of the engine's table.
    taken = {name for (name,) in connection.execute("SELECT view_name FROM duckdb_views()").fetchall()}
    own = {str(part["key"]).casefold() for part in parts if set(part) == {"key", "value"}}
    own = {TABLE} | (own - taken)
    for part in parts:
        _refuse_unless_data(part, own)
        _refuse_unless_the_same(part, names)
    return statement


def _parts(node: Any) -> Iterator[Mapping[str, Any]]:
    """Yield every object of a syntax tree."""
    waiting = [node]
    while waiting:
        part = waiting.pop()
        if isinstance(part, dict):
            yield part
            waiting.extend(part.values())
        elif isinstance(part, list):
            waiting.extend(part)


def _refuse_unless_data(part: Mapping[str, Any], own: set[str]) -> None:
    kind = str(part.get("type", ""))
    if kind.endswith("_NODE") and kind not in _NODES:
        raise QueryError.of("query_sql_refused", found=kind.partition("_")[0])
    if kind == "SHOW_REF":
        raise QueryError.of("query_sql_refused", found="SHOW / DESCRIBE / SUMMARIZE")
    if kind == "BASE_TABLE":
        place = [str(part.get(key) or "") for key in ("catalog_name", "schema_name", "table_name")]
        if any(place[:2]) or place[2].casefold() not in own:
            name = ".".join(word for word in place if word)
            raise QueryError.of("query_sql_refused", "source", name=name[:80])
    if kind == "TABLE_FUNCTION":
        name = str(part.get("function", {}).get("function_name", "")).casefold()
        if name not in _TABLE_FUNCTIONS:
            raise QueryError.of("query_sql_refused", "source", name=f"{name[:80]}()")
    name = str(part.get("function_name", "")).casefold()
    if _CLOSED_FUNCTIONS.fullmatch(name):
        raise QueryError.of("query_sql_refused", "function", name=name)


def _refuse_unless_the_same(part: Mapping[str, Any], names: set[str]) -> None:
    """Refuse what differs from one run to the next: the clock and chance."""
    sample = part.get("sample")
    if isinstance(sample, dict) and not sample.get("repeatable"):
        raise QueryError.of("query_sql_refused", found="SAMPLE")
    name = str(part.get("function_name", "")).casefold()
    if part.get("class") == "COLUMN_REF" and len(part["column_names"]) == 1:
        # current_date and the like are written as columns.
        name = str(part["column_names"][0]).casefold()
        name = "" if name in names or not name.startswith(("current_", "local")) else name
    until_now = name == "age" and len(part.get("arguments", ())) == 1
    if until_now or _CHANGING_FUNCTIONS.fullmatch(name):
        raise QueryError.of("query_sql_refused", "function", name=name)


def _reason(error: Exception) -> str:
    """Return the first line of an engine's message, without its prefix and without paths."""
    text = str(error).split("\n")[0]
    return _PATH.sub("…", text.split(": ", 1)[-1])[:300]


# what comes back -----------------------------------------------------------------------------


def _sources(statement: Mapping[str, Any], names: Mapping[str, Column]) -> list[Column | None]:
    """Return the dataset's column that each column of a plain SELECT is; None where it is computed."""
    table = statement.get("from_table", {})
    shadowed = any(entry["key"].casefold() == TABLE for entry in statement.get("cte_map", {}).get("map", ()))
    if table.get("type") != "BASE_TABLE" or table["table_name"].casefold() != TABLE or shadowed:
        return []
    folded = {name.casefold(): column for name, column in names.items()}
    found: list[Column | None] = []
    for part in statement["select_list"]:
        if part["class"] == "COLUMN_REF":
            found.append(folded.get(part["column_names"][-1].casefold()))
        elif part["class"] == "STAR":
            if part.get("expr") or any(part.get(f"{key}_list") for key in ("exclude", "replace", "rename")):
                return []
            found += names.values()
        else:
            found.append(None)
    return found


def _typed(table: pa.Table, sources: list[Column | None]) -> list[Typed]:
    headers, _ = read_headers(table.column_names)
    if len(sources) != len(headers):
        sources = [None] * len(headers)
    made = []
    for header, values, source in zip(headers, table.columns, sources, strict=True):
        if is_text(values.type):
            column = typed(header, "text", values.cast(pa.string()))
        else:
            column = type_declared(header, _whole(values))
        if source is not None and (typed(source, source.kind, pa.nulls(0)).array.type == column.array.type):
            about = replace(source, name=header.name, header=header.written, null_tokens={})
            column = Typed(array=column.array, column=about)
        made.append(column)
    return made


def _whole(values: pa.ChunkedArray) -> pa.ChunkedArray:
    """Return sums of integers, which the engine widens to 128 bits, as integers where they fit."""
    if pa.types.is_decimal(values.type) and values.type.scale == 0:
        try:
            return pc.cast(values, pa.int64())
        except pa.ArrowInvalid:
            pass
    return values
