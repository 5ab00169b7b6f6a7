"""The content of a file becomes a dataset, by the container that its bytes show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa

from capital_kit._core.notices import Notice
from capital_kit.datasets._cells._typed import examples
from capital_kit.datasets._model import Dataset, Kind, Source
from capital_kit.datasets._reading._delimited import read_delimited
from capital_kit.datasets._reading._files import PACKED, damaged, not_read, unpacked
from capital_kit.datasets._reading._frames import from_arrow
from capital_kit.datasets._reading._html_tables import read_html
from capital_kit.datasets._reading._json import read_json
from capital_kit.datasets._reading._sniff import container_of
from capital_kit.errors import DatasetError

LIMIT_VALUES = 4_000_000_000
"""Rows times columns of a columnar file: its size says nothing, a constant column takes no room."""
_COLUMNAR = ("parquet", "feather", "arrow-stream")
_JSON_ENDINGS = (".json", ".jsonl", ".ndjson")
_ADVICE = {
    "xlsb": "spreadsheet", "ods": "spreadsheet", "sqlite": "database", "pdf": "pages", "docx": "pages",
    "png": "pages", "jpeg": "pages",
}  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """What the caller said about a file; None where it is to be found out."""

    encoding: str | None = None
    delimiter: str | None = None
    header: int | bool | None = None
    kinds: Mapping[str, Kind] | None = None
    row_key: str | None = None
    sheet: str | int | None = None


_OPTIONS: dict[str, tuple[type, ...]] = {
    "name": (str,), "encoding": (str,), "delimiter": (str,), "header": (int, bool), "row_key": (str,),
    "sheet": (str, int),
}  # fmt: skip


def check_options(**options: object) -> None:
    """Refuse what no option of reading can be.

    Raises
    ------
    DatasetError
        ``dataset_option_invalid``.
    """
    for name, value in options.items():
        if value is not None and not isinstance(value, _OPTIONS[name]):
            allowed = [kind.__name__ for kind in _OPTIONS[name]]
            variant = "header" if name == "header" else ""
            raise DatasetError.of(
                "dataset_option_invalid", variant, name=name, value=repr(value)[:60], allowed=allowed
            )  # fmt: skip


def read_content(content: bytes, label: str, told: Told) -> Dataset:
    """Read the bytes of a file; of a packed one the single file in it.

    Raises
    ------
    DatasetError
        ``dataset_format_unsupported``, ``dataset_sheet_not_found``, and what the reader of the
        container raises.
    """
    container = container_of(content)
    if container in PACKED:
        inner, name = unpacked(content, container, label)
        if container_of(inner) in PACKED:
            raise DatasetError.of(
                "dataset_format_unsupported", name=label, format=f"{container} in {container}"
            )
        dataset = read_content(inner, name, told)
        notice = Notice("datasets", "unpacked", name=name, container=container)
        source = replace(dataset.source, label=label)
        return replace(dataset, source=source, warnings=(notice, *dataset.warnings))
    if told.row_key is not None and container not in ("text", "html"):
        raise _nothing_to_choose(label, told)
    if container in ("xlsx", "xls"):
        from capital_kit.datasets._reading._excel import read_excel

        return read_excel(content, label, container, sheet=told.sheet, header=told.header, kinds=told.kinds)
    if told.sheet is not None:
        raise DatasetError.of("dataset_sheet_not_found", "none", name=label, sheet=told.sheet)
    if container == "html":
        return read_html(content, label, encoding=told.encoding, kinds=told.kinds, row_key=told.row_key)
    if container in _COLUMNAR:
        return _read_columnar(content, container, label, told.kinds)
    if container != "text":
        variant = _ADVICE.get(container, "")
        raise DatasetError.of("dataset_format_unsupported", variant, name=label, format=container)
    return _read_text(content, label, told)


def _read_text(content: bytes, label: str, told: Told) -> Dataset:
    is_json = _is_json(content, label, told.delimiter)
    if told.row_key is not None or is_json:
        try:
            return read_json(content, label, encoding=told.encoding, kinds=told.kinds, row_key=told.row_key)
        except DatasetError as error:
            if is_json or error.code != "dataset_json_invalid":
                raise
            raise _nothing_to_choose(label, told) from None
    return read_delimited(
        content, label, encoding=told.encoding, delimiter=told.delimiter, header=told.header, kinds=told.kinds
    )  # fmt: skip


def _nothing_to_choose(label: str, told: Told) -> DatasetError:
    return DatasetError.of("dataset_rows_ambiguous", "none", name=label, row_key=told.row_key)


def _is_json(content: bytes, label: str, delimiter: str | None) -> bool:
    if delimiter is not None:
        return False
    if label.lower().endswith(_JSON_ENDINGS):
        return True
    start = content[:256].removeprefix(b"\xef\xbb\xbf").lstrip()[:2]
    return start[:1] == b"{" or start in (b"[{", b"[[", b"[\n", b"[\r", b"[ ")


# ------------------------------------------------------------------ columnar files
def _read_columnar(content: bytes, container: str, label: str, kinds: Mapping[str, Kind] | None) -> Dataset:
    if content[-4:] == b"PARE":
        raise DatasetError.of("dataset_not_row_readable", "encrypted", name=label)
    try:
        table = _columnar(content, container, label)
    except (pa.ArrowException, OSError) as error:
        if "encrypt" in str(error).lower():
            raise DatasetError.of("dataset_not_row_readable", "encrypted", name=label) from None
        raise damaged(label, container, error) from None
    return from_arrow(table, Source(format=container, label=label), kinds)


def _columnar(content: bytes, container: str, label: str) -> pa.Table:
    if container == "parquet":
        from pyarrow import parquet

        file = parquet.ParquetFile(pa.BufferReader(content))
        check_values(file.metadata.num_rows, file.metadata.num_columns, label)
        return file.read()
    if container == "feather":
        return pa.ipc.open_file(pa.BufferReader(content)).read_all()
    return pa.ipc.open_stream(pa.BufferReader(content)).read_all()


def check_values(rows: int, columns: int, label: str) -> None:
    """Refuse a columnar file that claims more values than the limit.

    Raises
    ------
    DatasetError
        ``dataset_too_large``.
    """
    if rows * columns > LIMIT_VALUES:
        raise DatasetError.of("dataset_too_large", "values", name=label, rows=rows, limit=LIMIT_VALUES)


def read_parts(folder: Path, parts: Sequence[Path], label: str, kinds: Mapping[str, Kind] | None) -> Dataset:
    """Read a folder of Parquet parts; folders named ``key=value`` in it make columns.

    Raises
    ------
    DatasetError
        ``dataset_not_row_readable`` for parts that are damaged or cannot be united.
    """
    from pyarrow import dataset as datasets

    try:
        whole = datasets.dataset(
            [str(part) for part in parts], format="parquet", partitioning="hive",
            partition_base_dir=str(folder),
        )  # fmt: skip
        schemas = [part.physical_schema for part in whole.get_fragments()]
        keys = [whole.schema.field(name) for name in whole.partitioning.schema.names]
        united = pa.unify_schemas([*schemas, pa.schema(keys)], promote_options="permissive")
        whole = whole.replace_schema(united.remove_metadata())
        check_values(whole.count_rows(), len(whole.schema), label)
        table = whole.to_table()
    except (pa.ArrowException, OSError) as error:
        # Arrow names files by their whole path.
        shown = OSError(str(error).replace(str(folder), label))
        raise damaged(label, "parquet", shown) from None
    dataset = from_arrow(table, Source(format="parquet", label=f"{label}/"), kinds)
    if others := not_read(folder):
        notice = Notice("datasets", "folder_others", count=len(others), examples=examples(others))
        return replace(dataset, warnings=(notice, *dataset.warnings))
    return dataset
