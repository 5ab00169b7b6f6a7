"""Delimited text becomes a dataset: bytes, layout, cells, typed columns."""

from __future__ import annotations

import csv
import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
from pyarrow import csv as arrow_csv

from capital_kit._core.notices import Notice
from capital_kit.datasets._arrays import array_of
from capital_kit.datasets._cells._assemble import assemble
from capital_kit.datasets._cells._decimal_comma import has_decimal_comma, with_points
from capital_kit.datasets._cells._headers import Header, is_named, read_headers, read_unit
from capital_kit.datasets._cells._plain import PLAIN_DAY, PLAIN_INTEGER, PLAIN_NUMBER, is_exact
from capital_kit.datasets._cells._typed import examples
from capital_kit.datasets._model import Dataset, Kind, Source
from capital_kit.datasets._reading._candles import candle_names
from capital_kit.datasets._reading._edges import Rows, only_rows, without_other_tables
from capital_kit.datasets._reading._layout import Layout, find_layout, is_remark, lines_outside, notes_below
from capital_kit.datasets._reading._sniff import Decoded, to_utf8
from capital_kit.datasets._reading._text_rows import as_delimited, lines_of
from capital_kit.errors import DatasetError

_HEAD = 256 * 1024
_TAIL = 64 * 1024
_BLOCK = 4 * 1024 * 1024
_PROBED_LINES = 100
_PROBED_CANDLES = 1_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Body:
    """The rows of the table as columns of text, or of numbers and days where that was certain."""

    columns: list[pa.ChunkedArray]
    notices: tuple[Notice, ...] = ()


def read_delimited(
    data: bytes,
    name: str,
    *,
    encoding: str | None = None,
    delimiter: str | None = None,
    header: int | bool | None = None,
    kinds: Mapping[str, Kind] | None = None,
) -> Dataset:
    """Read CSV, TSV or any other delimited text."""
    decoded = to_utf8(data, name, encoding)
    head = _whole_lines(decoded.data, _HEAD)
    if not "".join(head).strip():
        raise DatasetError.of("dataset_empty", name=name)
    if delimiter is not None and (len(delimiter) != 1 or delimiter in '"\r\n'):
        raise DatasetError.of("dataset_delimiter_invalid", delimiter=repr(delimiter))
    try:
        plain, delimiter = as_delimited(decoded.data, head, delimiter)
        if plain is not decoded.data:
            decoded, head = replace(decoded, data=plain), _whole_lines(plain, _HEAD)
        return _read(decoded, head, name, delimiter, header, kinds)
    except csv.Error as error:
        raise _bad_cell(name, 1, error) from None


def _read(
    decoded: Decoded,
    head: Sequence[str],
    name: str,
    delimiter: str,
    header: int | bool | None,
    kinds: Mapping[str, Kind] | None,
) -> Dataset:
    layout = find_layout(name, head, delimiter, header)
    start = sum(len(line.encode("utf-8")) for line in head[: layout.body_line])
    content, further = without_other_tables(memoryview(decoded.data)[start:], layout)
    content, below = _without_notes(content, layout)
    quotes = _count_quotes(content)
    headers, _ = read_headers(layout.written)
    body = _read_body(content, name, layout, _with_units(headers, layout), quotes)
    written = [*layout.written, *[""] * (len(body.columns) - len(headers))]
    rows = only_rows(body.columns, written, delimiter)
    headers, notices = read_headers([written[at] for at in rows.places])
    headers = _with_units(headers, layout, rows.places)
    if not layout.header_rows:
        headers, notices = _without_header(rows.columns, told=header is not None)
    if outside := lines_outside(layout.above, below, delimiter):
        notices.append(outside)
    notices += [*further, *body.notices, *rows.notices]
    notices += _total_notices(rows)
    source = Source(
        format="tsv" if delimiter == "\t" else "csv",
        label=name,
        encoding=decoded.encoding,
        delimiter=delimiter,
        skip_top=layout.skip_top,
        header_rows=layout.header_rows,
        total_rows=rows.total_rows,
        skip_bottom=len(below),
    )
    return assemble(headers, rows.columns, source, kinds=kinds, notices=notices)


def _bad_cell(name: str, line: int, error: csv.Error) -> DatasetError:
    return DatasetError.of("dataset_not_row_readable", "cell", name=name, line=line, reason=str(error))


def _without_header(columns: Sequence[pa.ChunkedArray], *, told: bool) -> tuple[list[Header], list[Notice]]:
    """Return names for columns that have none: those of a candle if the rows are candles, else numbers."""
    first = [[str(cell) for cell in column.slice(0, _PROBED_CANDLES).to_pylist()] for column in columns]
    names = candle_names(first)
    headers, unnamed = read_headers([*names, *[""] * (len(columns) - len(names))])
    if names:
        return headers, [Notice("datasets", "candles_named", names=names), *unnamed]
    return headers, unnamed if told else [Notice("datasets", "no_header")]


# ------------------------------------------------------------------ the edges of the table
def _whole_lines(content: bytes | memoryview, size: int) -> list[str]:
    """Return the first lines; the last one may be cut only where a single line is longer."""
    block = bytes(content[:size])
    if len(content) > size:
        end = max(block.rfind(b"\n"), block.rfind(b"\r")) + 1
        if not end:
            return _whole_lines(content, len(content))
        block = block[:end]
    return lines_of(block.decode("utf-8"))


def _without_notes(content: memoryview, layout: Layout) -> tuple[memoryview, list[str]]:
    tail = bytes(content[-_TAIL:])
    if len(content) > _TAIL:
        tail = tail[tail.find(b"\n") + 1 :]
    lines = lines_of(tail.decode("utf-8", "replace"))
    count = notes_below(lines, layout.delimiter, layout.width)
    if not count:
        return content, []
    cut = lines[len(lines) - count :]
    size = sum(len(line.encode("utf-8")) for line in cut)
    return content[: len(content) - size], [line.strip() for line in cut if line.strip()]


def _count_quotes(content: memoryview) -> int:
    codes = np.frombuffer(content, np.uint8)
    blocks = (codes[at : at + _HEAD] for at in range(0, len(codes), _HEAD))
    return sum(int(np.count_nonzero(block == ord('"'))) for block in blocks)


def _with_units(
    headers: Sequence[Header], layout: Layout, places: Sequence[int] | None = None
) -> list[Header]:
    """Return the headers with the units of a unit row; ``places`` are theirs in the file."""
    if layout.units is None:
        return list(headers)
    cells = dict(enumerate(layout.units))
    out = []
    for header, place in zip(headers, places or range(len(headers)), strict=True):
        cell = cells.get(place, "")
        unit = read_unit(cell.strip().strip("()（）"))
        out.append(replace(header, unit=unit[0], unit_scale=unit[1]) if unit else header)
    return out


def _total_notices(rows: Rows) -> list[Notice]:
    if not rows.total_rows:
        return []
    labels = ", ".join(sorted(rows.totals))
    return [Notice("datasets", "total_rows_removed", count=rows.total_rows, labels=labels)]


# ------------------------------------------------------------------ the rows
def _read_body(
    content: memoryview, name: str, layout: Layout, headers: Sequence[Header], quotes: int
) -> Body:
    if not bytes(content[:_HEAD]).strip():
        return Body(columns=[pa.chunked_array([], pa.string()) for _ in headers])
    if len(layout.delimiter.encode("utf-8")) > 1 or quotes % 2:
        return _read_slowly(content, name, layout)
    rows = _sample_rows(content, layout)
    if layout.delimiter != "," and has_decimal_comma(rows):
        try:
            body = Body(columns=_read_by_arrow(content, layout, {}, quoted=bool(quotes)).columns)
        except pa.ArrowInvalid:
            body = _read_slowly(content, name, layout)
        columns, changed = with_points(body.columns)
        notice = Notice("datasets", "decimal_comma", count=changed)
        return Body(columns=columns, notices=(*body.notices, notice) if changed else body.notices)
    certain = _certain_types(rows, headers)
    for types in (certain, {}) if certain else ({},):
        try:
            table = _read_by_arrow(content, layout, types, quoted=bool(quotes))
        except pa.ArrowInvalid as error:
            if "conversion error" in str(error):
                continue
            return _read_slowly(content, name, layout)
        if all(is_exact(table.column(at)) for at, kind in types.items() if kind == pa.float64()):
            return Body(columns=table.columns)
    return _read_slowly(content, name, layout)


def _read_by_arrow(
    content: memoryview, layout: Layout, types: Mapping[int, pa.DataType], *, quoted: bool
) -> pa.Table:
    names = [str(at) for at in range(layout.width)]
    table = arrow_csv.read_csv(
        pa.BufferReader(pa.py_buffer(content)),
        read_options=arrow_csv.ReadOptions(column_names=names, block_size=_BLOCK),
        parse_options=arrow_csv.ParseOptions(delimiter=layout.delimiter, newlines_in_values=quoted),
        convert_options=arrow_csv.ConvertOptions(
            column_types={name: types.get(at, pa.string()) for at, name in enumerate(names)},
            null_values=[""],
            strings_can_be_null=False,
        ),
    )
    pa.default_memory_pool().release_unused()  # the blocks of text
    return table


def _sample_rows(content: memoryview, layout: Layout) -> list[list[str]]:
    lines = _whole_lines(content, _HEAD)[:_PROBED_LINES]
    return [row for row in csv.reader(lines, delimiter=layout.delimiter) if len(row) == layout.width]


def _certain_types(rows: Sequence[Sequence[str]], headers: Sequence[Header]) -> dict[int, pa.DataType]:
    """Return the columns that the first rows show as plain decimals or ISO days, by position.

    Whole numbers are left as text: only the text shows a leading zero.
    """
    types: dict[int, pa.DataType] = {}
    for at, cells in enumerate(zip(*rows, strict=True)):
        stated = [cell for cell in cells if cell]
        if len(stated) < 3 or any(is_named(headers[at].name, what) for what in ("code", "identifier")):
            continue
        if all(PLAIN_NUMBER.fullmatch(cell) for cell in stated):
            if not all(PLAIN_INTEGER.fullmatch(cell) for cell in stated):
                types[at] = pa.float64()
        elif all(PLAIN_DAY.fullmatch(cell) for cell in stated):
            types[at] = pa.date32()
    return types


def _read_slowly(content: memoryview, name: str, layout: Layout) -> Body:
    """Parse with the standard library: rows of uneven length, a delimiter of several bytes, odd quotes."""
    end = "\0end"
    lines = lines_of(str(content, "utf-8"))
    if lines and not lines[-1].endswith(("\n", "\r")):
        lines[-1] += "\n"
    reader = csv.reader([*lines, end], delimiter=layout.delimiter)
    rows, uneven, start = [], [], 0
    try:
        for cells in reader:
            if reader.line_num > len(lines):
                break
            if cells:
                if len(cells) != layout.width and not is_remark(cells):
                    uneven.append(layout.body_line + start + 1)
                rows.append(cells)
            start = reader.line_num
    except csv.Error as error:
        raise _bad_cell(name, layout.body_line + start + 1, error) from None
    if cells != [end]:
        line = layout.body_line + start + 1
        raise DatasetError.of("dataset_not_row_readable", "quote", name=name, line=line)
    blank = [""] * layout.width
    by_column = itertools.zip_longest(blank, *rows, fillvalue="")
    columns = [pa.chunked_array([array_of(cells[1:], pa.string())]) for cells in by_column]
    notice = Notice(
        "datasets", "ragged_rows", count=len(uneven), width=layout.width, examples=examples(uneven, 3)
    )  # fmt: skip
    return Body(columns=columns, notices=(notice,) if uneven else ())
