"""A spreadsheet becomes a dataset: which sheet, which table on it, what its columns are."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace

from capital_kit._core.notices import Notice
from capital_kit.datasets._cells._assemble import assemble
from capital_kit.datasets._cells._headers import Header, read_headers, read_unit
from capital_kit.datasets._model import Dataset, Kind, Source
from capital_kit.datasets._reading._edges import TOTALS
from capital_kit.datasets._reading._excel_book import open_xlsx
from capital_kit.datasets._reading._excel_cells import Grid, Line, Sheet
from capital_kit.datasets._reading._excel_columns import Cells, Prepared, prepare
from capital_kit.datasets._reading._excel_formats import PLAIN
from capital_kit.datasets._reading._excel_table import (
    Table,
    fill_merged,
    header_lines,
    read_table,
    split_tables,
)
from capital_kit.datasets._reading._excel_xls import open_xls
from capital_kit.datasets._reading._layout import lines_outside
from capital_kit.errors import DatasetError

_TOTAL_COLUMNS = 4


def read_excel(
    content: bytes,
    label: str,
    container: str,
    *,
    sheet: str | int | None = None,
    header: int | bool | None = None,
    kinds: Mapping[str, Kind] | None = None,
) -> Dataset:
    """Read a table of an .xlsx, .xlsm or .xls workbook.

    Raises
    ------
    DatasetError
        ``dataset_sheet_not_found`` with the sheets that are ``available``, ``dataset_empty``, and what
        :func:`open_xlsx` and :func:`open_xls` raise.
    """
    sheets = open_xlsx(content, label) if container == "xlsx" else open_xls(content, label)
    chosen, grid, notices = _choose(sheets, label, sheet)
    lines = grid.lines
    if header is not None and not isinstance(header, bool):
        before = [line for line in lines if line.at < header]
        parts = split_tables(header_lines(lines, header))
        parts[0] = before + parts[0]
    else:
        parts = split_tables(lines)
    table = read_table(grid, parts[0], label, header)
    notices += _places("tables_left", parts[1:])
    return _build(grid, table, Source(format=container, label=label, sheet=chosen.name), kinds, notices)


def _choose(
    sheets: Sequence[Sheet], label: str, wanted: str | int | None
) -> tuple[Sheet, Grid, list[Notice]]:
    """Return the wanted sheet, else the first one that is visible and holds a table."""
    names = [sheet.name for sheet in sheets]
    if wanted is not None:
        chosen = _wanted(sheets, label, wanted)
        grid = chosen.load()
        if not grid.lines:
            raise DatasetError.of("dataset_empty", "sheet", name=label, sheet=chosen.name, sheets=names)
        return chosen, grid, []
    best = None
    for sheet in sorted(sheets, key=lambda sheet: sheet.hidden):
        grid = sheet.load()
        if grid.lines and (best is None or not _holds_table(best[1])):
            best = (sheet, grid)
        if best is not None and _holds_table(best[1]):
            break
    if best is None:
        raise DatasetError.of("dataset_empty", name=label)
    chosen, grid = best
    others = [sheet for sheet in sheets if sheet is not chosen and sheet.is_filled()]
    notices = []
    if others:
        listed = ", ".join(sheet.name for sheet in others[:10])
        notices.append(Notice("datasets", "sheets_left", sheet=chosen.name, others=listed))
    if chosen.hidden:
        notices.append(Notice("datasets", "sheet_hidden", sheet=chosen.name))
    return chosen, grid, notices


def _wanted(sheets: Sequence[Sheet], label: str, wanted: str | int) -> Sheet:
    names = [sheet.name for sheet in sheets]
    if isinstance(wanted, int) and not isinstance(wanted, bool) and 0 <= wanted < len(sheets):
        return sheets[wanted]
    for sheet in sheets:
        if sheet.name == wanted:
            return sheet
    raise DatasetError.of("dataset_sheet_not_found", name=label, sheet=wanted, available=names)


def _holds_table(grid: Grid) -> bool:
    return sum(sum(value is not None for value in line.values) > 1 for line in grid.lines[:1000]) > 1


def _places(code: str, tables: Sequence[Sequence[Line]]) -> list[Notice]:
    if not tables:
        return []
    rows = ", ".join(f"{lines[0].at + 1}-{lines[-1].at + 1}" for lines in tables[:8])
    return [Notice("datasets", code, count=len(tables), rows=rows, header=tables[0][0].at)]


def _build(
    grid: Grid, table: Table, source: Source, kinds: Mapping[str, Kind] | None, notices: list[Notice]
) -> Dataset:
    filled, left = fill_merged(grid, table.body)
    places, beside = _first_group(table)
    body, totals = _without_totals(table.body, places)
    body, repeated = _without_headers(body, table.names)
    headers, found = read_headers([table.names.get(at, "") for at in places])
    units = [table.units.get(at, "") for at in places]
    headers = [_with_unit(header, unit) for header, unit in zip(headers, units, strict=True)]
    prepared = _prepared(grid, headers, body, places)
    names = dict(zip(places, (header.name for header in headers), strict=True))
    if not table.layout.header_rows:
        found = [Notice("datasets", "no_header")]
    notes = [*notices, *found, *_notices(table, totals)]
    if repeated:
        notes.append(Notice("datasets", "headers_repeated", count=repeated))
    if beside:
        notes.append(Notice("datasets", "columns_left", count=beside))
    notes += _cell_notices(grid, names, filled, left)
    notes += [notice for column in prepared for notice in column.notices]
    told = {column.header.name: column.kind for column in prepared if column.kind is not None}
    dataset = assemble(
        [column.header for column in prepared],
        [column.values for column in prepared],
        replace(
            source,
            skip_top=table.layout.skip_top,
            header_rows=table.layout.header_rows,
            total_rows=totals.total(),
            skip_bottom=len(table.below),
        ),
        kinds={**told, **(kinds or {})},
        notices=notes,
    )
    return _with_tokens(dataset, prepared)


def _with_unit(header: Header, cell: str) -> Header:
    unit = read_unit(cell.strip().strip("()（）"))
    return replace(header, unit=unit[0], unit_scale=unit[1]) if unit else header


def _first_group(table: Table) -> tuple[list[int], int]:
    """Return the columns of the table; of two that stand side by side, the first one's.

    A blank column alone parts nothing: on either side names must repeat, or the rows end elsewhere.
    """
    places = table.columns()
    runs = itertools.groupby(enumerate(places), lambda pair: pair[1] - pair[0])
    groups = [[at for _, at in run] for _, run in runs]
    if len(groups) < 2 or min(map(len, groups)) < 2 or not table.layout.header_rows:
        return places, 0
    names = [{table.names.get(at, "") for at in group} for group in groups]
    ends = {max((line.at for line in table.body if _fills(line, group)), default=0) for group in groups}
    repeated = names[0] & set().union(*names[1:])
    if "" in set().union(*names) or (len(ends) == 1 and not repeated):
        return places, 0
    first = groups[0]
    table.body = [line for line in table.body if _fills(line, first)]
    return first, len(places) - len(first)


def _fills(line: Line, places: Sequence[int]) -> bool:
    return any(_cell(line, at) is not None for at in places)


def _cell(line: Line, at: int) -> object:
    return line.values[at] if at < len(line.values) else None


def _without_totals(body: Sequence[Line], places: Sequence[int]) -> tuple[list[Line], Counter[str]]:
    kept, totals = [], Counter[str]()
    for line in body:
        word = _total(line, places)
        if word is None:
            kept.append(line)
        else:
            totals[word] += 1
    return kept, totals


def _without_headers(body: Sequence[Line], names: Mapping[int, str]) -> tuple[list[Line], int]:
    """Take out the headers that are repeated on each printed page."""
    written = {at: name for at, name in names.items() if name}
    first = next(iter(written), 0)
    kept = []
    for line in body:
        cell = _cell(line, first)
        if cell == written.get(first) and cell is not None:
            cells = {at: str(value).strip() for at, value in enumerate(line.values) if value is not None}
            if cells == written:
                continue
        kept.append(line)
    return kept, len(body) - len(kept)


def _total(line: Line, places: Sequence[int]) -> str | None:
    """Return the word that names a row as a sum: in the first two columns or after blanks."""
    cells = [_cell(line, place) for place in places[:_TOTAL_COLUMNS]]
    for at, cell in enumerate(cells):
        if at > 1 and any(before is not None for before in cells[:at]):
            return None
        if isinstance(cell, str) and (cell.strip() in TOTALS or "".join(cell.split()) in TOTALS):
            return "".join(cell.split())
    return None


def _prepared(
    grid: Grid, headers: Sequence[Header], body: Sequence[Line], places: Sequence[int]
) -> list[Prepared]:
    values = list(itertools.zip_longest(*(line.values for line in body)))
    styles = list(itertools.zip_longest(*(line.styles for line in body), fillvalue=0))
    formats = [*grid.formats, *[PLAIN] * (max(map(max, styles), default=0) + 1 - len(grid.formats))]
    blank: tuple[object, ...] = (None,) * len(body)
    out = []
    for header, at in zip(headers, places, strict=True):
        column = values[at] if at < len(values) else blank
        shown = styles[at] if at < len(styles) else (0,) * len(body)
        cells = Cells(
            header=header,
            values=list(column),
            formats=[formats[style] for style in shown],
            from_1904=grid.from_1904,
        )
        out.append(prepare(cells))
    return out


def _notices(table: Table, totals: Counter[str]) -> list[Notice]:
    notices = []
    if outside := lines_outside(table.layout.above, table.below, ","):
        notices.append(outside)
    if totals:
        labels = ", ".join(sorted(totals))
        notices.append(Notice("datasets", "total_rows_removed", count=totals.total(), labels=labels))
    return notices


def _cell_notices(grid: Grid, names: Mapping[int, str], filled: Mapping[int, int], left: int) -> list[Notice]:
    notices = []
    unfinished = {name: grid.without_result[at] for at, name in names.items() if grid.without_result[at]}
    if unfinished:
        shown = ", ".join(f"{name} {count}" for name, count in list(unfinished.items())[:8])
        notices.append(Notice("datasets", "formulas_without_value", columns=shown))
    for at, count in filled.items():
        if at in names:
            notices.append(Notice("datasets", "merged_filled", column=names[at], count=count))
    if left:
        notices.append(Notice("datasets", "merged_left", count=left))
    hidden = [name for at, name in names.items() if at in grid.hidden_columns]
    if hidden or grid.hidden_rows:
        listed = ", ".join(hidden[:8]) or "—"
        notices.append(Notice("datasets", "hidden_read", rows=grid.hidden_rows, columns=listed))
    return notices


def _with_tokens(dataset: Dataset, prepared: Sequence[Prepared]) -> Dataset:
    columns = [
        replace(column, null_tokens=dict((Counter(column.null_tokens) + part.tokens).most_common()))
        if part.tokens
        else column
        for column, part in zip(dataset.columns, prepared, strict=True)
    ]
    return replace(dataset, columns=tuple(columns))
