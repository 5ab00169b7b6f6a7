"""The index of a pandas frame in an Arrow schema, as Parquet files of frames keep it."""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from typing import Any

import pyarrow as pa

from capital_kit._core.notices import Notice

_UNNAMED = re.compile(r"__index_level_\d+__")


def index_first(table: pa.Table) -> tuple[pa.Table, list[Notice]]:
    """Return a table with the index of its frame in front, as the frame itself is read.

    An index without a name gets the one it has in a frame; one of mere numbers says nothing and is left
    out. Names of several levels, which pandas writes as ``('close', '600519')``, are joined.
    """
    told = _metadata(table)
    listed = told.get("index_columns")
    names = list(table.column_names)
    listed = listed if isinstance(listed, list) else []
    levels = [name for name in listed if isinstance(name, str) and names.count(name) == 1]
    renamed = {name: _level_name(table, name, at, len(levels)) for at, name in enumerate(levels)}
    if isinstance(heads := told.get("column_indexes"), list) and len(heads) > 1:
        renamed |= {name: _joined(name) for name in names if name not in renamed}
    kept = [name for name in levels if renamed[name]]
    # By position: names may be repeated.
    order = [names.index(name) for name in kept]
    order += [at for at, name in enumerate(names) if name not in levels]
    if order == list(range(len(names))) and not renamed:
        return table, []
    columns = [table.column(at) for at in order]
    written = [renamed.get(names[at], names[at]) for at in order]
    notices = [Notice("datasets", "index_promoted", column=renamed[name]) for name in kept]
    return pa.table(columns, names=written), notices


def _metadata(table: pa.Table) -> Mapping[str, Any]:
    try:
        told = table.schema.pandas_metadata
    except ValueError:
        # What a file says about itself may be anything.
        return {}
    return told if isinstance(told, Mapping) else {}


def _level_name(table: pa.Table, name: str, at: int, levels: int) -> str:
    """Return the name of a level of the index; an empty one where it holds row numbers."""
    if not _UNNAMED.fullmatch(name):
        return name
    if levels > 1:
        return f"level_{at}"
    storage = table.schema.field(name).type
    if pa.types.is_integer(storage):
        return ""
    return "date" if pa.types.is_temporal(storage) else "index"


def _joined(name: str) -> str:
    try:
        parts = ast.literal_eval(name)
    except (ValueError, SyntaxError, MemoryError, RecursionError):
        return name
    return "_".join(str(part) for part in parts if part != "") if isinstance(parts, tuple) else name
