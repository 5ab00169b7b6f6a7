"""Where the tables lie on a sheet: blocks of rows, headers of several rows, merged labels, notes."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from capital_kit.datasets._cells._headers import read_unit
from capital_kit.datasets._cells._times import parse_time
from capital_kit.datasets._cells._values import parse_number
from capital_kit.datasets._reading._edges import TOTALS
from capital_kit.datasets._reading._excel_cells import Grid, Line, Merge
from capital_kit.datasets._reading._excel_columns import shown_text
from capital_kit.datasets._reading._excel_formats import PLAIN
from capital_kit.datasets._reading._header_rows import OF_TABLE
from capital_kit.datasets._reading._layout import Layout, find_layout, notes_below
from capital_kit.errors import DatasetError

_SAMPLE = 200
_MOST_NOTES = 40
_DEEPEST_TITLE = 30
_LONG = 12
_BRACKETED = re.compile(r"(?P<name>.*?)\s*(?P<unit>[(（][^()（）]*[)）])")


@dataclass(slots=True, kw_only=True)
class Table:
    """One table of a sheet: its layout, the rows of its body, and the text around it."""

    layout: Layout
    names: dict[int, str]
    units: dict[int, str]
    body: list[Line]
    below: list[str]

    def columns(self) -> list[int]:
        """Return the places of the columns that hold anything."""
        return sorted({at for at, name in self.names.items() if name} | set(_places(self.body)))


def split_tables(lines: Sequence[Line]) -> list[list[Line]]:
    """Part the rows of a sheet where, after a blank row, another table begins."""
    tables: list[list[Line]] = []
    for block in _blocks(lines):
        if tables and not (_starts_table(block) and _is_table(tables[-1], block)):
            tables[-1] += block
        else:
            tables.append(list(block))
    return tables


def _blocks(lines: Sequence[Line]) -> list[list[Line]]:
    blocks: list[list[Line]] = []
    last = None
    for line in lines:
        if last is None or line.at > last + 1:
            blocks.append([])
        blocks[-1].append(line)
        last = line.at
    return blocks


def _starts_table(block: Sequence[Line]) -> bool:
    """Tell whether a block has a row of names with a row of values below it."""
    for at, line in enumerate(block[:4]):
        filled = _filled(line)
        if len(filled) < 2:
            continue
        named = all(isinstance(value, str) and not parse_number(value) for value in filled)
        below = [len(row) > 1 and any(map(_is_value, row)) for row in map(_filled, block[at + 1 : at + 4])]
        return named and any(below)
    return False


def _is_table(lines: Sequence[Line], after: Sequence[Line]) -> bool:
    """Tell whether rows are a table of their own, not what stands above the one that comes ``after``."""
    if _width(lines) <= 2 < _width(after):
        # 客户 | 某基金 above a table is a form; names over values throughout are a table all the same.
        pairs = [row for row in map(_filled, lines) if len(row) == 2]
        if len(pairs) < 3 or not all(_is_value(row[1]) for row in pairs[1:]):
            return False
    return any(_starts_table(block) for block in _blocks(lines))


def _width(lines: Sequence[Line]) -> int:
    return max(len(_filled(line)) for line in lines[:_SAMPLE])


def _filled(line: Line) -> list[Any]:
    return [value for value in line.values if value is not None]


def _is_value(value: Any) -> bool:
    return not isinstance(value, str) or (parse_number(value) or parse_time(value)) is not None


def read_table(grid: Grid, lines: list[Line], label: str, header: int | bool | None) -> Table:
    """Find header and body among the rows of one table, by the rules for any text.

    Parameters
    ----------
    grid : Grid
        The sheet: formats and merges.
    lines : list of Line
        The rows of the table with what stands above and below it.
    label : str
        The name of the file, for errors.
    header : int or bool, optional
        The 0-based number of the header's row on the sheet, False for none; None to look for it.
    """
    told = header is not None and not isinstance(header, bool)
    above = [line for line in lines if told and line.at < int(header or 0)]
    lines = lines[len(above) :]
    lines, joined = join_headers(lines, grid.merges, first_only=told)
    places = _places(lines)
    sample = _as_lines(grid, lines[:_SAMPLE], places)
    layout = find_layout(label, sample, ",", 0 if told else header)
    body = lines[sum(text != "\n" for text in sample[: layout.body_line]) :]
    last = _as_lines(grid, body[-_MOST_NOTES:], places, below=True)
    notes = [text for text in last[len(last) - notes_below(last, ",", layout.width) :] if text != "\n"]
    return Table(
        layout=replace(
            layout,
            header_rows=layout.header_rows + joined,
            skip_top=layout.skip_top + len(above),
            above=[*(text.strip() for text in _as_lines(grid, above, places)), *layout.above],
        ),
        names=dict(zip(places, layout.written, strict=False)),
        units=dict(zip(places, layout.units or [], strict=False)),
        body=body[: len(body) - len(notes)],
        below=[text.strip() for text in notes],
    )


def header_lines(lines: Sequence[Line], header: int) -> list[Line]:
    """Return the rows from the one that was named as header on.

    Raises
    ------
    DatasetError
        ``dataset_header_invalid`` where that row is blank or does not exist.
    """
    found = [line for line in lines if line.at >= header]
    if header < 0 or not found or found[0].at != header:
        count = lines[-1].at + 1 if lines else 0
        raise DatasetError.of("dataset_header_invalid", header=header, lines=count)
    return found


def _places(lines: Sequence[Line]) -> list[int]:
    filled: set[int] = set()
    for line in lines:
        filled.update(at for at, value in enumerate(line.values) if value is not None)
    return sorted(filled)


def _as_lines(grid: Grid, lines: Sequence[Line], places: Sequence[int], *, below: bool = False) -> list[str]:
    """Return rows as lines of text for the rules of layout, with a blank one where the sheet has any.

    A title stays alone in its line. So does a note ``below`` the table; a mere label there is a row.
    """
    spans = {merge.top for merge in grid.merges if merge.right > merge.left}
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    last, parted = None, not below
    balance = 0
    for line in lines:
        if last is not None and line.at > last + 1:
            out.write("\n")
            parted = True
        last = line.at
        states = any(map(_is_value, _filled(line)))
        balance += 0 if parted else 1 if states else -1
        texts = [_text(grid, line, at) for at in places]
        filled = [text for text in texts if text]
        alone = len(filled) == 1 and (parted or len(filled[0]) > _LONG)
        # 制表：甲 | 审核：乙 below a blank row, where the rows above mostly state values.
        alone = alone or (below and parted and balance > 0 and not states)
        is_title = (alone or line.at in spans) and filled[0] not in TOTALS
        writer.writerow([" ".join(filled)] if is_title else texts)
    return out.getvalue().splitlines(keepends=True)


def _text(grid: Grid, line: Line, at: int) -> str:
    value = _at(line, at)
    if value is None:
        return ""
    style = line.styles[at]
    form = grid.formats[style] if style < len(grid.formats) else PLAIN
    return " ".join(shown_text(value, form, from_1904=grid.from_1904).split())


# ------------------------------------------------------------------ headers of several rows
def join_headers(
    lines: list[Line], merges: Sequence[Merge], *, first_only: bool = False
) -> tuple[list[Line], int]:
    """Make one row of a header whose upper cells span several columns; say how many rows went into it."""
    spans: dict[int, list[Merge]] = {}
    for merge in merges:
        if merge.right > merge.left:
            spans.setdefault(merge.top, []).append(merge)
    for at in range(1 if first_only else min(len(lines), _DEEPEST_TITLE)):
        last = at
        while last + 1 < len(lines) and _spans_names(lines[last], lines[last + 1], spans, merges):
            last += 1
        if last > at:
            names = _joined(lines[at : last + 1], merges)
            rest = lines[last + 1 :]
            joined = last - at
            if rest and names and names[0] is None and _names_index(rest[0]):
                names[0], rest, joined = rest[0].values[0], rest[1:], joined + 1
            return [*lines[:at], Line(lines[last].at, names, [0] * len(names)), *rest], joined
    return lines, 0


def _spans_names(upper: Line, lower: Line, spans: dict[int, list[Merge]], merges: Sequence[Merge]) -> bool:
    """Tell whether cells of the upper row are headings over names in the row below."""
    wide = [m for m in spans.get(upper.at, []) if m.bottom == upper.at and _at(upper, m.left) is not None]
    groups = _filled(upper)
    if not wide or lower.at != upper.at + 1 or (len(groups) < 2 and _at(lower, 0) is not None):
        return False
    if any(isinstance(value, str) and OF_TABLE.fullmatch(value.strip()) for value in _filled(lower)):
        return False
    if any(not isinstance(value, str) or OF_TABLE.fullmatch(value.strip()) for value in groups):
        return False
    covered = {at for merge in wide for at in range(merge.left, merge.right + 1)}
    below = [_at(lower, at) for at in sorted(covered)]
    if not any(value is not None for value in below) or any(_is_amount(value) for value in below):
        return False
    # Beside its headings a header names each column once, in the one row or in the other.
    tall = {m.left for m in merges if m.top <= upper.at < m.bottom}
    width = max(len(upper.values), len(lower.values))
    beside = set(range(width)) - covered - tall
    return not any(_at(upper, at) is not None and _at(lower, at) is not None for at in beside)


def _is_amount(value: Any) -> bool:
    if isinstance(value, str):
        return parse_number(value) is not None and parse_time(value) is None
    # 2023 and 2024 under 营业收入 are names.
    return value is not None and not (isinstance(value, float) and 1900 <= value <= 2100)


def _names_index(line: Line) -> bool:
    filled = _filled(line)
    return len(filled) == 1 and isinstance(_at(line, 0), str) and not _is_value(filled[0])


def _joined(lines: Sequence[Line], merges: Sequence[Merge]) -> list[Any]:
    rows = {line.at: list(line.values) for line in lines}
    width = max(len(line.values) for line in lines)
    width = max([width, *(m.right + 1 for m in merges if m.top in rows and m.right - m.left < 1_000)])
    for row in rows.values():
        row.extend([None] * (width - len(row)))
    for merge in merges:
        if merge.top in rows and merge.bottom <= lines[-1].at:
            for at in range(merge.left, min(merge.right + 1, width)):
                rows[merge.top][at] = rows[merge.top][merge.left]
    return [_name([row[at] for row in rows.values()]) for at in range(width)]


def _name(parts: Sequence[Any]) -> str | None:
    texts = [" ".join(shown_text(part, PLAIN).split()) for part in parts if part is not None]
    texts = list(dict.fromkeys(texts))
    if len(texts) > 1 and (match := _BRACKETED.fullmatch(texts[0])) and read_unit(match["unit"][1:-1]):
        # 价格(元) over 开盘: the unit is the one of all columns below.
        texts[0] = match["name"]
        texts[-1] += "" if _BRACKETED.fullmatch(texts[-1]) else match["unit"]
    return " ".join(texts) or None


def _at(line: Line, at: int) -> Any:
    return line.values[at] if at < len(line.values) else None


# ------------------------------------------------------------------ merged cells of the body
def fill_merged(grid: Grid, body: Sequence[Line]) -> tuple[dict[int, int], int]:
    """Write a label that spans several rows into each of them.

    Returns
    -------
    dict, int
        How many cells were filled, by column; how many others under merged numbers stay blank.
    """
    rows = {line.at: line for line in body}
    filled: dict[int, int] = {}
    left = 0
    for merge in grid.merges:
        first = rows.get(merge.top)
        value = _at(first, merge.left) if first else None
        if first is None or value is None or merge.bottom == merge.top:
            continue
        style = first.styles[merge.left]
        is_label = isinstance(value, str) or grid.formats[style].shown in ("day", "month", "year")
        for at in range(merge.top + 1, merge.bottom + 1):
            line = rows.get(at)
            if line is None:
                continue
            if not is_label:
                left += 1
                continue
            missing = merge.left + 1 - len(line.values)
            line.values.extend([None] * missing)
            line.styles.extend([0] * missing)
            line.values[merge.left], line.styles[merge.left] = value, style
            filled[merge.left] = filled.get(merge.left, 0) + 1
    return filled, left
