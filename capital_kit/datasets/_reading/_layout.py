"""Where the table lies in a text: delimiter, lines above, header, unit row, notes below."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from capital_kit._core.notices import Notice
from capital_kit.datasets._cells._times import parse_time
from capital_kit.datasets._cells._typed import examples
from capital_kit.datasets._cells._values import parse_number
from capital_kit.datasets._reading._header_rows import (
    ATTRIBUTES,
    NOTE,
    grouped,
    groups_above,
    header_at,
    is_rule,
    is_unit_row,
    names_index,
    rows_below,
    spelled,
)
from capital_kit.datasets._reading._text_rows import DIRECTIVE, SAMPLE_ROWS, Row, is_gap, rows_of
from capital_kit.errors import DatasetError

_REMARK = re.compile(r"#.*|第\s*\d+\s*页.*|[Pp]age\s*\d+(?:\s*(?:of|/)\s*\d+)?", re.DOTALL)
_MOST_NOTES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Layout:
    """Where the table lies; lines are physical and 0-based, ``body_line`` is its first data line."""

    delimiter: str
    written: list[str]
    width: int
    body_line: int
    skip_top: int
    header_rows: int
    units: list[str] | None = None
    above: list[str] = field(default_factory=list)


def find_layout(name: str, lines: Sequence[str], delimiter: str, header: int | bool | None) -> Layout:
    """Find header, unit row and first data line in the first lines of a text.

    Parameters
    ----------
    name : str
        The file's name, for errors.
    lines : sequence of str
        The first lines.
    delimiter : str
        What separates the cells.
    header : int or bool, optional
        The 0-based number of the header line, False for none; None to look for it.
    """
    rows = rows_of(lines, delimiter, SAMPLE_ROWS)
    if not rows:
        raise DatasetError.of("dataset_empty", name=name)
    width = _width(rows)
    at = header_at(rows, width) if header is None or header is True else _told(rows, header, lines)
    if at is None:
        first = rows[0].first_line
        return Layout(
            delimiter=delimiter, written=[""] * width, width=width, body_line=first, skip_top=0, header_rows=0
        )  # fmt: skip
    width = width if at + 1 < len(rows) else len(rows[at].cells)
    row, described = rows[at], rows_below(rows[at], rows[at + 1 :], width)
    told = header is not None and header is not True
    groups = None if told else groups_above(rows, at, width)
    if not told and groups is None and not described and groups_above(rows, at + 1, width) is not None:
        groups, at = row, at + 1
        row, described = rows[at], rows_below(rows[at], rows[at + 1 :], width)
    if groups and not described and len(rows) > at + 2 and names_index(rows[at + 1], rows[at + 2]):
        described = [rows[at + 1]]
    written = spelled(row.cells, max(width, len(row.cells)), rows[at + 1 :])
    if groups is not None:
        written = grouped(groups.cells, row.cells)
        at -= 1
    for below in described:
        label, *cells = (cell.strip() for cell in below.cells)
        # 贵州茅台 and 收盘价 below 600519.SH belong to the name.
        if (label == "Ticker" and len(set(cells)) > 1) or (not label and _is_named(below, width)):
            written[1:] = [" ".join(filter(None, pair)) for pair in zip(written[1:], cells, strict=True)]
        if len(below.filled) == 1 and label:
            written[0] = label  # pandas names the row labels in a line of their own
    outside = [*rows[:at], *(below for below in described if _says_more(below))]
    return Layout(
        delimiter=delimiter,
        written=written,
        width=max(width, len(row.cells)),
        body_line=(described or [row])[-1].next_line,
        skip_top=len(rows[:at]),
        header_rows=1 + (groups is not None) + len(described),
        units=next((below.cells for below in described if is_unit_row(below, width)), None),
        above=[text for above in outside if not DIRECTIVE.fullmatch(text := _text_of(above, lines))],
    )


def _is_named(below: Row, width: int) -> bool:
    return not (is_unit_row(below, width) or is_rule(below))


def _says_more(below: Row) -> bool:
    """Tell whether a row below the header is neither part of the names nor what exports say of a series."""
    label = below.cells[0].strip()
    return bool(label) and len(below.filled) > 1 and label not in ATTRIBUTES and not is_rule(below)


def _text_of(row: Row, lines: Sequence[str]) -> str:
    return "".join(lines[row.first_line : row.next_line]).strip()


def _width(rows: Sequence[Row]) -> int:
    widths = Counter(len(row.cells) for row in rows if len(row.filled) > 1)
    widths = widths or Counter(len(row.cells) for row in rows)
    most = max(widths.values())
    wide = max(width for width, count in widths.items() if count == most)
    # Of two tables of as many rows the first is read, of rows under a header one short the rows.
    start = next(at for at, row in enumerate(rows) if len(row.cells) == wide)
    if any(is_gap(rows[at - 1], rows[at]) for at in (start - 1, start) if at > 0):
        return next(width for width, count in widths.items() if count == most)
    return wide


def _told(rows: Sequence[Row], header: int, lines: Sequence[str]) -> int | None:
    if header is False:
        return None
    for at, row in enumerate(rows):
        if row.first_line <= header < row.next_line:
            return at
    raise DatasetError.of("dataset_header_invalid", header=header, lines=len(lines))


def notes_below(lines: Sequence[str], delimiter: str, width: int) -> int:
    """Return how many of the last lines are notes or blank, not rows of the table."""
    notes = 0
    for count, line in enumerate(reversed(lines[-_MOST_NOTES:]), 1):
        text = line.strip()
        if text and not _is_note(text, delimiter, width):
            break
        notes = count if text else notes
    return notes


def lines_outside(above: Sequence[str], below: Sequence[str], delimiter: str) -> Notice | None:
    """Return what tells of the lines above and below the table; None if there are none."""
    # A line that states a unit for the whole table is what a reader needs most.
    outside = sorted([*above, *below], key=lambda line: "单位" not in line)
    blanks = re.compile(f"{re.escape(delimiter)}{{2,}}")
    shown = examples((blanks.sub(delimiter, line).strip(delimiter) for line in outside), 2)
    return Notice("datasets", "lines_skipped", count=len(outside), examples=shown) if outside else None


def is_remark(cells: Sequence[str]) -> bool:
    """Tell whether a row is a comment or a page number between the rows of a table."""
    return bool(_REMARK.fullmatch(cells[0].strip())) and not any(cell.strip() for cell in cells[1:])


def _is_note(text: str, delimiter: str, width: int) -> bool:
    cells = [cell.strip().strip('"') for cell in text.split(delimiter)]
    filled = [cell for cell in cells if cell]
    if not filled or width < 2:
        return False
    if NOTE.match(filled[0]) and len(filled) < max(2, width):
        return True
    alone = len(filled) == 1 and len(cells) != width and '"' not in text
    return alone and not (parse_number(filled[0]) or parse_time(filled[0]))
