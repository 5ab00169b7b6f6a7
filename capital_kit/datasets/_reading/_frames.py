"""Frames and tables in memory: pandas, Arrow and whatever speaks Arrow's C interface, columns, records."""

from __future__ import annotations

import dataclasses
import datetime as dt
from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from capital_kit._core.notices import Notice
from capital_kit.datasets._cells._assemble import assemble
from capital_kit.datasets._cells._headers import read_headers
from capital_kit.datasets._cells._typed import examples
from capital_kit.datasets._model import Dataset, Kind, Source
from capital_kit.datasets._reading._pandas_index import index_first
from capital_kit.errors import DatasetError

_PERIODS: dict[str, Kind] = {"D": "date", "M": "month", "Q": "quarter", "Y": "year", "A": "year"}


def from_arrow(table: pa.Table, source: Source, kinds: Mapping[str, Kind] | None = None) -> Dataset:
    """Return an Arrow table as a dataset."""
    if not table.num_columns:
        raise DatasetError.of("dataset_empty", "rows", name=source.label)
    table, promoted = index_first(table)
    headers, notices = read_headers(table.column_names)
    return assemble(headers, table.columns, source, kinds=kinds, notices=[*promoted, *notices])


def from_stream(data: Any, source: Source, kinds: Mapping[str, Kind] | None = None) -> Dataset:
    """Return what offers ``__arrow_c_stream__`` as a dataset: a table, a reader, or a single column."""
    try:
        table = pa.RecordBatchReader.from_stream(data).read_all()
    except pa.ArrowInvalid:
        # One column is no struct.
        table = pa.table({getattr(data, "name", None) or "value": pa.chunked_array(data)})
    return from_arrow(table, source, kinds)


def from_narwhals(frame: Any, source: Source, kinds: Mapping[str, Kind] | None = None) -> Dataset:
    """Return a frame of any library that narwhals knows as a dataset; a lazy one is computed."""
    import narwhals as nw

    if isinstance(frame, nw.LazyFrame):
        frame = frame.collect() if frame.implementation.is_polars() else frame.collect(backend="pyarrow")
    if not frame.columns:
        raise DatasetError.of("dataset_empty", "rows", name=source.label)
    odd = (nw.Int128, nw.UInt128, nw.Object, nw.Unknown)
    native = nw.to_native(frame)
    if hasattr(native, "__arrow_c_stream__") and not any(kind in odd for kind in frame.schema.values()):
        return from_stream(native, source, kinds)
    beyond = [name for name, kind in frame.schema.items() if kind in odd[:2]]
    frame = frame.with_columns(nw.col(name).cast(nw.String) for name in beyond) if beyond else frame
    headers, notices = read_headers(frame.columns)
    columns = [
        frame[name].to_list() if kind in (nw.Object, nw.Unknown) else frame[name].to_arrow()
        for name, kind in frame.schema.items()
    ]
    return assemble(headers, columns, source, kinds=kinds, notices=notices)


def from_duckdb(relation: Any, source: Source, kinds: Mapping[str, Kind] | None = None) -> Dataset:
    """Return a DuckDB relation as a dataset.

    Sums of integers are integers of 128 bits there, which Arrow would round to floats; times with a
    zone come in the zone of the session, which is the one of the machine.
    """
    quoted = ['"' + name.replace('"', '""') + '"' for name in relation.columns]
    wide = ("HUGEINT", "UHUGEINT")
    if any(str(kind) in wide for kind in relation.types):
        chosen = [
            f"{name}::VARCHAR AS {name}" if str(kind) in wide else name
            for name, kind in zip(quoted, relation.types, strict=True)
        ]
        relation = relation.project(", ".join(chosen))
    table = pa.RecordBatchReader.from_stream(relation).read_all()
    for at, field in enumerate(table.schema):
        if pa.types.is_timestamp(field.type) and field.type.tz is not None:
            moments = table.column(at).cast(pa.timestamp(field.type.unit, "UTC"))
            table = table.set_column(at, field.name, moments)
    return from_arrow(table, source, kinds)


def from_numpy_array(data: Any, source: Source, kinds: Mapping[str, Kind] | None = None) -> Dataset:
    """Return a numpy array as a dataset: one of records by its names, one of two dimensions by columns."""
    if data.dtype.names:
        named = {name: _cells_of(data[name]) for name in data.dtype.names}
        return from_columns(named, source, kinds)
    if data.ndim == 1:
        return from_columns({"value": _cells_of(data)}, source, kinds)
    headers, notices = read_headers([""] * data.shape[1])
    return assemble(headers, [_cells_of(column) for column in data.T], source, kinds=kinds, notices=notices)


def _cells_of(column: Any) -> list[Any]:
    # tolist() would make bare integers of times in nanoseconds.
    return list(column) if column.dtype.kind in "mM" else list(column.tolist())


def as_records(rows: Sequence[Any]) -> list[Any]:
    """Return rows that have fields, such as dataclasses and named tuples, as dicts; others as they are."""
    return [_record(row) for row in rows]


def _record(row: Any) -> Any:
    if isinstance(row, Mapping | list | str):
        return row
    if dataclasses.is_dataclass(row) and not isinstance(row, type):
        return {field.name: getattr(row, field.name) for field in dataclasses.fields(row)}
    if hasattr(row, "_asdict"):
        return dict(row._asdict())
    if hasattr(row, "keys") and hasattr(row, "__getitem__"):
        return {key: row[key] for key in row.keys()}  # noqa: SIM118 (a row of sqlite3 is no mapping)
    return row


def from_columns(data: Mapping[Any, Any], source: Source, kinds: Mapping[str, Kind] | None = None) -> Dataset:
    """Return a dict of columns as a dataset."""
    columns = [list(column) for column in data.values()]
    if len({len(column) for column in columns}) > 1:
        lengths = ", ".join(f"{name} {len(column)}" for name, column in zip(data, columns, strict=True))
        raise DatasetError.of("dataset_not_row_readable", "rows", name=source.label, lengths=lengths)
    headers, notices = read_headers([_name(name) for name in data])
    return assemble(headers, columns, source, kinds=kinds, notices=[*notices, *_renamed(list(data))])


def from_pandas(frame: Any, source: Source, kinds: Mapping[str, Kind] | None = None) -> Dataset:
    """Return a pandas DataFrame as a dataset; an index that says something becomes a column.

    The frame itself is left as it is.
    """
    names: list[Any] = []
    columns: list[Any] = []
    notices: list[Notice] = []
    told = dict(kinds or {})
    for name, values in _index_columns(frame.index):
        names.append(name)
        columns.append(values)
        notices.append(Notice("datasets", "index_promoted", column=_name(name)))
    names += list(frame.columns)
    columns += [frame.iloc[:, at] for at in range(frame.shape[1])]
    if not columns:
        raise DatasetError.of("dataset_empty", "rows", name=source.label)
    headers, found = read_headers([_name(name) for name in names])
    arrays = []
    for header, column in zip(headers, columns, strict=True):
        array, kind = _array_of(column)
        arrays.append(array)
        if kind is not None:
            told.setdefault(header.name, kind)
    return assemble(headers, arrays, source, kinds=told, notices=[*notices, *found, *_renamed(names)])


def _index_columns(index: Any) -> list[tuple[Any, Any]]:
    """Return the levels of an index that carry facts: named ones, times and labels, not row numbers."""
    levels = [index.get_level_values(at) for at in range(index.nlevels)]
    out = []
    for at, level in enumerate(levels):
        numbers = level.dtype.kind in "iu" and index.nlevels == 1
        if level.name is None and (numbers or not len(level)):
            continue
        default = "date" if level.dtype.kind == "M" or hasattr(level.dtype, "freq") else "index"
        default = default if index.nlevels == 1 else f"level_{at}"
        out.append((default if level.name is None else level.name, level.to_series()))
    return out


def _array_of(series: Any) -> tuple[Any, Kind | None]:
    dtype = series.dtype
    if dtype.kind == "O" and type(dtype).__module__.startswith("numpy"):
        return series.tolist(), None
    if hasattr(dtype, "freq"):
        kind = _PERIODS.get(str(dtype).removeprefix("period[")[:1])
        starts = pa.array(series.dt.to_timestamp(how="start"), from_pandas=True)
        return starts, kind
    if hasattr(dtype, "fill_value") and hasattr(dtype, "subtype"):
        series = series.sparse.to_dense()
    if dtype.kind == "c" or hasattr(dtype, "closed"):
        return series.astype(str).tolist(), None
    if dtype.kind == "O" and hasattr(dtype, "categories") and dtype.categories.dtype.kind == "O":
        # Categories that are intervals, periods or mixed objects.
        return series.astype(object).tolist(), None
    try:
        return pa.array(series, from_pandas=True), None
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return series.astype(object).tolist(), None


def _name(name: Any) -> str:
    if name is None or name != name:
        return ""
    if isinstance(name, tuple):
        return "_".join(filter(None, map(_name, name)))
    if isinstance(name, dt.datetime):
        return str(name.date() if name.time() == dt.time() else name)
    return str(int(name)) if isinstance(name, float) and name.is_integer() else str(name)


def _renamed(names: Sequence[Any]) -> list[Notice]:
    others = [name for name in names if not isinstance(name, str)]
    if not others:
        return []
    return [Notice("datasets", "names_as_text", count=len(others), names=examples(map(_name, others), 5))]
