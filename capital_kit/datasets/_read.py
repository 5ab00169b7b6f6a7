"""The one way in: whatever holds a table becomes a :class:`Dataset`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from capital_kit._core.records import plain
from capital_kit.datasets._model import Dataset, Kind, Source
from capital_kit.datasets._reading._containers import Told, check_options, read_content, read_parts
from capital_kit.datasets._reading._files import (
    are_paths,
    check_size,
    content_of,
    content_of_file,
    distinct_names,
    is_path,
    label_of,
    matches,
    parquet_parts,
    path_of,
)
from capital_kit.datasets._reading._frames import (
    as_records,
    from_arrow,
    from_columns,
    from_duckdb,
    from_narwhals,
    from_numpy_array,
    from_pandas,
    from_stream,
)
from capital_kit.datasets._reading._json import from_value
from capital_kit.datasets._reading._lazy_frames import collected, is_a
from capital_kit.datasets._reading._many_files import unite
from capital_kit.errors import DatasetError


def read_dataset(
    data: Any,
    *,
    name: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    header: int | bool | None = None,
    kinds: Mapping[str, Kind] | None = None,
    row_key: str | None = None,
    sheet: str | int | None = None,
) -> Dataset:
    """Read a table and find out what its columns are.

    Parameters
    ----------
    data : path, glob, list of paths, bytes, file object, DataFrame, Table, records, dict or Dataset
        CSV, TSV, Excel, JSON, JSON Lines, Parquet, Feather or an HTML table as a file or its content,
        also packed by gzip, bzip2, xz or zip; several files of the same columns by a pattern or a list;
        a folder of Parquet parts; a pandas, polars, Arrow or DuckDB frame; numpy arrays; records; a
        dict of columns; a JSON answer. A Dataset is returned as it is.
    name : str, optional
        What to call the source. Default: the file's name.
    encoding : str, optional
        Encoding of a text file. Default: byte order mark, else UTF-8, else GB18030.
    delimiter : str, optional
        Separator of cells. Default: looked for.
    header : int or bool, optional
        0-based number of the header's line or row; False for none. Default: looked for.
    kinds : mapping, optional
        Kind by column name, where the reader's own decision is not wanted: ``{"代码": "text"}``.
    row_key : str, optional
        Which array of a JSON answer holds the rows: ``"data.item"``; which table of a page:
        ``"table1"``.
    sheet : str or int, optional
        Name or 0-based number of a workbook's sheet. Default: the first visible one with a table.

    Returns
    -------
    Dataset
        The typed table; ``warnings`` say what was done to get there.

    Raises
    ------
    DatasetError
        ``dataset_not_found``, ``dataset_is_directory``, ``dataset_empty``, ``dataset_too_large``,
        ``dataset_not_row_readable``, ``dataset_format_unsupported``, ``dataset_json_invalid``,
        ``dataset_rows_ambiguous``, ``dataset_type_unsupported``, ``dataset_column_not_found``,
        ``dataset_header_invalid``, ``dataset_delimiter_invalid``, ``dataset_kind_invalid``,
        ``dataset_kinds_invalid``, ``dataset_option_invalid``, ``dataset_sheet_not_found``,
        ``dataset_files_differ``.

    Examples
    --------
    >>> from capital_kit.datasets import read_dataset
    >>> read_dataset({"日期": ["20240102", "20240103"], "成交额": ["1.2亿", "--"]}, name="demo")
    Dataset('demo', 2 rows × 2 columns)
    """
    if isinstance(data, Dataset):
        return data
    check_options(
        name=name, encoding=encoding, delimiter=delimiter, header=header, row_key=row_key, sheet=sheet
    )
    if kinds is not None and not isinstance(kinds, Mapping):
        raise DatasetError.of("dataset_kinds_invalid", type=type(kinds).__name__)
    told = Told(
        encoding=encoding, delimiter=delimiter, header=header, kinds=kinds, row_key=row_key, sheet=sheet
    )  # fmt: skip
    dataset = _read(data, name, told)
    if not dataset.columns:
        raise DatasetError.of("dataset_empty", name=dataset.source.label)
    return dataset


def _read(data: Any, name: str | None, told: Told) -> Dataset:
    if isinstance(data, bytes | bytearray | memoryview):
        return _from_content(bytes(data), name or "bytes", told)
    if is_path(data):
        return _from_path(path_of(data), name, told)
    if are_paths(data):
        paths = [path_of(path) for path in data]
        if len(paths) == 1:
            return _from_path(paths[0], name, told)
        return _from_paths(paths, name or f"{label_of(paths[0])} … ×{len(paths)}", told)
    if hasattr(data, "read") and not isinstance(data, type):
        label = name or label_of(Path(str(getattr(data, "name", "file"))))
        return _from_content(content_of_file(data, label), label, told)
    if told.sheet is not None:
        raise DatasetError.of("dataset_sheet_not_found", "none", name=type(data).__name__, sheet=told.sheet)
    return _from_memory(data, name, told.kinds, told.row_key)


def as_dataset(data: Any) -> Dataset:
    """Return ``data`` as a dataset, read with the defaults unless it is one."""
    return read_dataset(data)


# ------------------------------------------------------------------ files
def _from_content(content: bytes, label: str, told: Told) -> Dataset:
    check_size(len(content), label)
    return read_content(content, label, told)


def _from_path(path: Path, name: str | None, told: Told) -> Dataset:
    found = matches(path)
    if found is not None and len(found) > 1:
        return _from_paths(found, name or f"{label_of(path)} ×{len(found)}", told)
    path = found[0] if found else path
    label = name or label_of(path)
    if parts := parquet_parts(path):
        return read_parts(path, parts, label, told.kinds)
    return read_content(content_of(path, label), label, told)


def _from_paths(paths: Sequence[Path], label: str, told: Told) -> Dataset:
    check_size(sum(path.stat().st_size for path in paths if path.is_file()), label)

    def read(at: int, kinds: Mapping[str, Kind]) -> Dataset:
        name = label_of(paths[at])
        return read_content(content_of(paths[at], name), name, replace(told, kinds=kinds))

    return unite(distinct_names(paths), read, label, told.kinds)


# ------------------------------------------------------------------ memory
def _from_memory(
    data: Any, name: str | None, kinds: Mapping[str, Kind] | None, row_key: str | None
) -> Dataset:
    source = Source(format="frame", label=name or type(data).__name__)
    records = Source(format="records", label=name or "records")
    if isinstance(data, type):
        raise _unsupported(data.__name__)
    if isinstance(data, pa.Table):
        return from_arrow(data, source, kinds)
    if isinstance(data, pa.RecordBatch):
        return from_arrow(pa.Table.from_batches([data]), source, kinds)
    if isinstance(data, np.ndarray):
        if data.ndim not in (1, 2) and not data.dtype.names:
            raise _unsupported(f"ndarray[{data.ndim}]")
        return from_numpy_array(data, source, kinds)
    if is_a(data, "pandas", "DataFrame"):
        return from_pandas(data, source, kinds)
    if is_a(data, "pandas", "Series", "Index"):
        return from_pandas(data.to_frame(), source, kinds)
    if isinstance(data, Mapping):
        if row_key is None and data and all(_is_column(column) for column in data.values()):
            return from_columns(data, records, kinds)
        return _from_value(data, records, row_key, kinds)
    if isinstance(data, list | tuple):
        return _from_value(as_records(data), records, row_key, kinds)
    return _from_frame(data, source, kinds)


def _from_frame(data: Any, source: Source, kinds: Mapping[str, Kind] | None) -> Dataset:
    """Read the frames of other libraries, by what they offer."""
    import narwhals as nw

    if is_a(data, "duckdb", "DuckDBPyRelation") or is_a(data, "_duckdb", "DuckDBPyRelation"):
        return from_duckdb(data, source, kinds)
    if (fetched := collected(data, source, kinds)) is not None:
        return fetched
    frame = nw.from_native(data, pass_through=True)
    if isinstance(frame, nw.DataFrame | nw.LazyFrame):
        return from_narwhals(frame, source, kinds)
    if hasattr(data, "__arrow_c_stream__"):
        return from_stream(data, source, kinds)
    if hasattr(data, "__arrow_c_array__"):
        array = pa.array(data)
        if pa.types.is_struct(array.type):
            return from_arrow(pa.Table.from_struct_array(array), source, kinds)
        return from_arrow(pa.table({"value": array}), source, kinds)
    raise _unsupported(type(data).__name__)


def _from_value(value: Any, source: Source, row_key: str | None, kinds: Mapping[str, Kind] | None) -> Dataset:
    try:
        return from_value(value, source, row_key=row_key, kinds=kinds)
    except TypeError:
        # A single value that JSON does not know, such as a date.
        return from_value(plain(value), source, row_key=row_key, kinds=kinds)


def _unsupported(sort: str) -> DatasetError:
    return DatasetError.of("dataset_type_unsupported", type=sort)


def _is_column(values: Any) -> bool:
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__"):
        return False
    if not hasattr(values, "__iter__") or getattr(values, "ndim", 1) != 1:
        return False
    return not any(isinstance(cell, Mapping | list) for cell in list(values)[:5])
