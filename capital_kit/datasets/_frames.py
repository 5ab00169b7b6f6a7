"""Frames and tables in memory: pandas, Arrow and whatever speaks Arrow's C interface, columns, records."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from capital_kit._core.notices import Notice
from capital_kit.datasets._assemble import assemble
from capital_kit.datasets._headers import read_headers
from capital_kit.datasets._model import Dataset, Kind, Source
from capital_kit.datasets._typed import examples
from capital_kit.errors import DatasetError

_PERIODS: dict[str, Kind] = {"D": "date", "M": "month", "Q": "quarter", "Y": "year", "A": "year"}


def from_arrow(table: pa.Table, source: Source, kinds: Mapping[str, Kind] | None = None) -> Dataset:
    """Return an Arrow table as a dataset."""
    if not table.num_columns:
        raise DatasetError.of("dataset_empty", name=source.label)
    headers, notices = read_headers(table.column_names)
    return assemble(headers, table.columns, source, kinds=kinds, notices=notices)


def from_stream(data: Any, source: Source, kinds: Mapping[str, Kind] | None = None) -> Dataset:
    """Return a frame that offers ``__arrow_c_stream__``, such as polars', as a dataset."""
    return from_arrow(pa.RecordBatchReader.from_stream(data).read_all(), source, kinds)


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
        raise DatasetError.of("dataset_empty", name=source.label)
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
    try:
        return pa.array(series, from_pandas=True), None
    except (pa.ArrowException, TypeError, ValueError, OverflowError):
        return series.astype(object).tolist(), None


def _name(name: Any) -> str:
    if name is None or name != name:
        return ""
    if isinstance(name, tuple):
        return "_".join(str(part) for part in name if str(part))
    return str(name)


def _renamed(names: Sequence[Any]) -> list[Notice]:
    others = [name for name in names if not isinstance(name, str)]
    if not others:
        return []
    return [Notice("datasets", "names_as_text", count=len(others), names=examples(map(_name, others), 5))]
