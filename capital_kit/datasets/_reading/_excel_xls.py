"""The cells of a binary .xls workbook, read by xlrd."""

from __future__ import annotations

import contextlib
import io
import struct
from collections.abc import Iterator
from typing import Any

from capital_kit.datasets._reading._excel_cells import Fault, Grid, Line, Merge, Sheet, count_cells
from capital_kit.datasets._reading._excel_formats import BUILT_IN, Format, read_format
from capital_kit.datasets._reading._files import damaged
from capital_kit.errors import DatasetError

_ENCRYPTED = "EncryptedPackage".encode("utf-16-le")
_ANYWHERE = (
    struct.error, ArithmeticError, AssertionError, AttributeError, LookupError, MemoryError,
    NotImplementedError, TypeError, ValueError,
)  # fmt: skip
"""On damaged bytes xlrd fails wherever it happens to be."""
_TEXT, _NUMBER, _DATE, _BOOLEAN, _ERROR = 1, 2, 3, 4, 5


def open_xls(content: bytes, label: str) -> list[Sheet]:
    """Return the sheets of a workbook in their order.

    Raises
    ------
    DatasetError
        ``dataset_not_row_readable`` for an encrypted or a damaged one.
    """
    import xlrd

    if _ENCRYPTED in content:
        raise _encrypted(label)
    with _readable(label):
        book = xlrd.open_workbook(file_contents=content, formatting_info=True, logfile=io.StringIO())
        return [_sheet(book, at, label) for at in range(book.nsheets)]


@contextlib.contextmanager
def _readable(label: str) -> Iterator[None]:
    from xlrd import XLRDError
    from xlrd.compdoc import CompDocError

    try:
        yield
    except DatasetError:
        raise
    except (XLRDError, CompDocError) as error:
        if "encrypted" in str(error):
            raise _encrypted(label) from None
        raise damaged(label, "xls", error) from None
    except _ANYWHERE as error:
        raise damaged(label, "xls", error) from None


def _encrypted(label: str) -> DatasetError:
    return DatasetError.of("dataset_not_row_readable", "encrypted", name=label)


def _sheet(book: Any, at: int, label: str) -> Sheet:
    sheet = book.sheet_by_index(at)
    return Sheet(
        name=sheet.name,
        hidden=bool(sheet.visibility),
        load=lambda: _load(book, sheet, label),
        is_filled=lambda: any(any(kind in range(1, 6) for kind in row) for row in sheet._cell_types),
    )


def _load(book: Any, sheet: Any, label: str) -> Grid:
    with _readable(label):
        return _grid(book, sheet, label)


def _grid(book: Any, sheet: Any, label: str) -> Grid:
    count_cells(sheet.nrows * sheet.ncols, label)
    merges = [Merge(top, left, bottom - 1, right - 1) for top, bottom, left, right in sheet.merged_cells]
    grid = Grid(formats=[_format(book, xf.format_key) for xf in book.xf_list], merges=merges)
    grid.from_1904 = book.datemode == 1
    grid.hidden_rows = sum(bool(info.hidden) for info in sheet.rowinfo_map.values())
    grid.hidden_columns = {column for column, info in sheet.colinfo_map.items() if info.hidden}
    for at in range(sheet.nrows):
        values = [_value(cell) for cell in sheet.row(at)]
        if any(value is not None for value in values):
            styles = [cell.xf_index or 0 for cell in sheet.row(at)]
            grid.lines.append(Line(at, values, styles))
    return grid


def _format(book: Any, key: int) -> Format:
    code = getattr(book.format_map.get(key), "format_str", None) or "General"
    return read_format(BUILT_IN.get(key, code) if code == "General" else code)


def _value(cell: Any) -> Any:
    from xlrd import error_text_from_code

    if cell.ctype == _TEXT:
        return cell.value if cell.value.strip() else None
    if cell.ctype in (_NUMBER, _DATE):
        return float(cell.value)
    if cell.ctype == _BOOLEAN:
        return bool(cell.value)
    return Fault(error_text_from_code.get(cell.value, "#N/A")) if cell.ctype == _ERROR else None
