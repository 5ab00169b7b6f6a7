"""The one way in: whatever holds a table becomes a :class:`Dataset`."""

from __future__ import annotations

import re
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pyarrow as pa

from capital_kit.datasets._delimited import read_delimited
from capital_kit.datasets._frames import from_arrow, from_columns, from_pandas, from_stream
from capital_kit.datasets._html_tables import read_html
from capital_kit.datasets._json import from_value, read_json
from capital_kit.datasets._model import Dataset, Kind, Source
from capital_kit.datasets._sniff import container_of
from capital_kit.errors import DatasetError

LIMIT_MIB = 2048
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.\-]+://")
_JSON_ENDINGS = (".json", ".jsonl", ".ndjson")
_ACCEPTED = (
    "path, bytes, file object, pandas/polars DataFrame, pyarrow Table, list of dict, dict of columns, Dataset"
)


def read_dataset(
    data: Any,
    *,
    name: str | None = None,
    encoding: str | None = None,
    delimiter: str | None = None,
    header: int | bool | None = None,
    kinds: Mapping[str, Kind] | None = None,
    row_key: str | None = None,
) -> Dataset:
    """Read a table and find out what its columns are.

    Parameters
    ----------
    data : path, bytes, file object, DataFrame, Table, list of dict, dict or Dataset
        CSV, TSV, JSON, JSON Lines, Parquet, Feather or an HTML table as a file or its content; a
        pandas or polars DataFrame; a pyarrow Table; records; a dict of columns; a JSON answer. A
        Dataset is returned as it is.
    name : str, optional
        What to call the source. Default: the file's name.
    encoding : str, optional
        Encoding of a text file. Default: byte order mark, else UTF-8, else GB18030.
    delimiter : str, optional
        Separator of cells. Default: looked for.
    header : int or bool, optional
        0-based number of the header line; False for none. Default: looked for.
    kinds : mapping, optional
        Kind by column name, where the reader's own decision is not wanted: ``{"代码": "text"}``.
    row_key : str, optional
        Which array of a JSON answer holds the rows: ``"data.item"``; which table of a page:
        ``"table1"``.

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
        ``dataset_header_invalid``, ``dataset_delimiter_invalid``, ``dataset_kind_invalid``.

    Examples
    --------
    >>> from capital_kit.datasets import read_dataset
    >>> read_dataset({"日期": ["20240102", "20240103"], "成交额": ["1.2亿", "--"]}, name="demo")
    Dataset('demo', 2 rows × 2 columns)
    """
    if isinstance(data, Dataset):
        return data
    if isinstance(data, bytes | bytearray | memoryview):
        content, label = bytes(data), name or "bytes"
    elif isinstance(data, str | Path):
        if isinstance(data, str) and _ADDRESS.match(data):
            raise DatasetError.of("dataset_not_found", "address", name=data[:200])
        path = Path(data)
        label = name or path.name
        content = _content(path, label)
    elif hasattr(data, "read"):
        label = name or Path(str(getattr(data, "name", "file"))).name
        content = _from_file(data, label)
    else:
        return _from_memory(data, name, kinds, row_key)
    if len(content) > LIMIT_MIB * 2**20:
        raise _too_large(label, len(content))
    if row_key is not None or container_of(content) != "text":
        return _from_container(content, label, encoding, kinds, row_key)
    if _is_json(content, label, delimiter):
        return read_json(content, label, encoding=encoding, kinds=kinds)
    return read_delimited(content, label, encoding=encoding, delimiter=delimiter, header=header, kinds=kinds)


def as_dataset(data: Any) -> Dataset:
    """Return ``data`` as a dataset, read with the defaults unless it is one."""
    return read_dataset(data)


# ------------------------------------------------------------------ files
def _content(path: Path, label: str) -> bytes:
    try:
        if path.is_dir():
            raise DatasetError.of("dataset_is_directory", name=label)
        status = path.stat()
        if not stat.S_ISREG(status.st_mode):
            raise DatasetError.of("dataset_not_row_readable", "special", name=label)
        size = status.st_size
        if size > LIMIT_MIB * 2**20:
            raise _too_large(label, size)
        return path.read_bytes()
    except FileNotFoundError:
        raise DatasetError.of("dataset_not_found", name=label) from None
    except (OSError, ValueError) as error:
        if isinstance(error, DatasetError):
            raise
        raise _denied(label, error) from None


def _from_file(file: Any, label: str) -> bytes:
    try:
        content = file.read()
        return content.encode("utf-8") if isinstance(content, str) else bytes(memoryview(content))
    except (OSError, ValueError, TypeError) as error:
        raise _denied(label, error) from None


def _denied(label: str, error: Exception) -> DatasetError:
    reason = getattr(error, "strerror", None) or str(error)
    return DatasetError.of("dataset_not_row_readable", "denied", name=label, reason=reason)


def _too_large(label: str, size: int) -> DatasetError:
    return DatasetError.of("dataset_too_large", name=label, size_mib=size // 2**20, limit_mib=LIMIT_MIB)


def _is_json(content: bytes, label: str, delimiter: str | None) -> bool:
    if delimiter is not None:
        return False
    if label.lower().endswith(_JSON_ENDINGS):
        return True
    start = content[:256].removeprefix(b"\xef\xbb\xbf").lstrip()[:2]
    return start[:1] == b"{" or start in (b"[{", b"[[", b"[\n", b"[\r", b"[ ")


def _from_container(
    content: bytes, label: str, encoding: str | None, kinds: Mapping[str, Kind] | None, row_key: str | None
) -> Dataset:
    container = container_of(content)
    if container == "text":
        return read_json(content, label, encoding=encoding, kinds=kinds, row_key=row_key)
    if container == "html":
        return read_html(content, label, encoding=encoding, kinds=kinds, row_key=row_key)
    if container not in ("parquet", "feather", "arrow-stream"):
        raise DatasetError.of("dataset_format_unsupported", name=label, format=container)
    try:
        table = _columnar(content, container)
    except (pa.ArrowException, OSError) as error:
        reason = str(error).split("\n")[0][:160]
        raise DatasetError.of(
            "dataset_not_row_readable", "damaged", name=label, format=container, reason=reason
        ) from None
    return from_arrow(table, Source(format=container, label=label), kinds)


def _columnar(content: bytes, container: str) -> pa.Table:
    if container == "parquet":
        from pyarrow import parquet

        return parquet.read_table(pa.BufferReader(content))
    if container == "feather":
        return pa.ipc.open_file(pa.BufferReader(content)).read_all()
    return pa.ipc.open_stream(pa.BufferReader(content)).read_all()


# ------------------------------------------------------------------ memory
def _from_memory(
    data: Any, name: str | None, kinds: Mapping[str, Kind] | None, row_key: str | None
) -> Dataset:
    source = Source(format="frame", label=name or type(data).__name__)
    records = Source(format="records", label=name or "records")
    if isinstance(data, pa.Table):
        return from_arrow(data, source, kinds)
    if isinstance(data, pa.RecordBatch):
        return from_arrow(pa.Table.from_batches([data]), source, kinds)
    if _is_pandas(data):
        return from_pandas(data if hasattr(data, "columns") else data.to_frame(), source, kinds)
    if hasattr(data, "__arrow_c_stream__"):
        return from_stream(data, source, kinds)
    if isinstance(data, Mapping):
        if row_key is None and data and all(_is_column(column) for column in data.values()):
            return from_columns(data, records, kinds)
        return from_value(data, records, row_key=row_key, kinds=kinds)
    if isinstance(data, list | tuple):
        return from_value(list(data), records, row_key=row_key, kinds=kinds)
    raise DatasetError.of("dataset_type_unsupported", type=type(data).__name__, accepted=_ACCEPTED)


def _is_pandas(data: Any) -> bool:
    return type(data).__module__.split(".")[0] == "pandas" and hasattr(data, "index")


def _is_column(values: Any) -> bool:
    if isinstance(values, str | bytes | Mapping) or not hasattr(values, "__len__"):
        return False
    if not hasattr(values, "__iter__"):
        return False
    return not any(isinstance(cell, Mapping | list) for cell in list(values)[:5])
