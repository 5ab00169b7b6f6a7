"""Where the table lies in a text: delimiter, lines above, header, unit row, notes below."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from capital_kit.datasets._headers import read_unit
from capital_kit.datasets._times import parse_time
from capital_kit.datasets._values import MISSING, fold, parse_number
from capital_kit.errors import DatasetError

DELIMITERS = (",", "\t", ";", "|", "｜")
_NOTE = re.compile(
    r"(?:注|备注|说明|附注|数据来源|资料来源|来源|数据提供|免责|制表|截至|单位|Source|Notes?"
    r"|Data source|Disclaimer)[:：\d\s(（]"
    r"|[#※*].*|注$",
    re.IGNORECASE,
)
_ATTRIBUTES = frozenset({
    "频率", "单位", "指标ID", "指标id", "指标编码", "来源", "数据来源", "国家", "更新时间", "时间区间",
    "Frequency", "Unit", "Units", "Source", "Series ID", "Ticker", "Date", "Datetime",
})  # fmt: skip
"""First cells of the rows that some exports set between header and data."""
_SAMPLE_ROWS = 200
_MOST_NOTES = 40


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One parsed row of the sample: its cells and the physical lines that it covers."""

    cells: list[str]
    first_line: int
    next_line: int

    @property
    def filled(self) -> list[str]:
        """The cells that are not blank."""
        return [cell for cell in self.cells if cell.strip()]


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


def lines_of(text: str) -> list[str]:
    """Split at CR, LF and CRLF only, ends kept."""
    return io.StringIO(text, newline="").readlines()


def rows_of(lines: Sequence[str], delimiter: str, limit: int | None = None) -> list[Row]:
    """Parse lines as rows; blank lines make no row."""
    reader = csv.reader(lines, delimiter=delimiter)
    rows, start = [], 0
    for cells in reader:
        if len(cells) > 1 or any(cell.strip() for cell in cells):
            rows.append(Row(cells=cells, first_line=start, next_line=reader.line_num))
        start = reader.line_num
        if limit is not None and len(rows) >= limit:
            break
    return rows


def find_delimiter(lines: Sequence[str]) -> str:
    """Return the delimiter that cuts most lines into the same number of cells; "," if none does."""
    best, best_score = ",", 0.0
    for delimiter in DELIMITERS:
        if not any(delimiter in line for line in lines[:_SAMPLE_ROWS]):
            continue
        rows = rows_of(lines, delimiter, _SAMPLE_ROWS)
        width, count = Counter(len(row.cells) for row in rows).most_common(1)[0]
        score = count / len(rows) + min(width, 50) / 1000 if width > 1 else 0.0
        if score == 0.0 and len(rows) <= 4 and len(rows[-1].cells) > 1:
            score = 0.1
        if score > best_score:
            best, best_score = delimiter, score
    return best


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
    rows = rows_of(lines, delimiter, _SAMPLE_ROWS)
    if not rows:
        raise DatasetError.of("dataset_empty", name=name)
    width = _width(rows)
    at = _header_at(rows, width) if header is None or header is True else _told(rows, header, lines)
    if at is None:
        first = rows[0].first_line
        return Layout(
            delimiter=delimiter, written=[""] * width, width=width, body_line=first, skip_top=0, header_rows=0
        )  # fmt: skip
    width = width if at + 1 < len(rows) else len(rows[at].cells)
    row, described = rows[at], _rows_below_header(rows[at + 1 :], width)
    written = _spelled(row.cells, max(width, len(row.cells)), rows[at + 1 :])
    for below in described:
        if below.cells[0] == "Ticker" and len(set(below.cells[1:])) > 1:
            written[1:] = [
                f"{name} {ticker}" for name, ticker in zip(written[1:], below.cells[1:], strict=True)
            ]
        if len(below.filled) == 1 and below.cells[0].strip() in _ATTRIBUTES:
            written[0] = below.cells[0]  # pandas names the row labels in a line of their own
    return Layout(
        delimiter=delimiter,
        written=written,
        width=max(width, len(row.cells)),
        body_line=(described or [row])[-1].next_line,
        skip_top=len(rows[:at]),
        header_rows=1 + len(described),
        units=next((below.cells for below in described if _is_unit_row(below, width)), None),
        above=["".join(lines[above.first_line : above.next_line]).strip() for above in rows[:at]],
    )


def _width(rows: Sequence[Row]) -> int:
    widths = Counter(len(row.cells) for row in rows if len(row.filled) > 1)
    widths = widths or Counter(len(row.cells) for row in rows)
    most = max(widths.values())
    return max(width for width, count in widths.items() if count == most)


def _told(rows: Sequence[Row], header: int, lines: Sequence[str]) -> int | None:
    if header is False:
        return None
    for at, row in enumerate(rows):
        if row.first_line <= header < row.next_line:
            return at
    raise DatasetError.of("dataset_header_invalid", header=header, lines=len(lines))


def _header_at(rows: Sequence[Row], width: int) -> int | None:
    for at, row in enumerate(rows):
        if _NOTE.match(row.filled[0] if row.filled else "") and len(row.filled) < width:
            continue
        if width == 1 or len(row.filled) >= max(2, 0.5 * width):
            return at if _looks_like_header(row, width) else None
    return 0


def _looks_like_header(row: Row, width: int) -> bool:
    cells = [fold(cell) for cell in row.cells]
    filled = [cell for cell in cells if cell not in MISSING]
    numbers = [cell for cell in filled if parse_number(cell) and not _is_period(cell)]
    first_is_value = bool(cells[0]) and (parse_number(cells[0]) or parse_time(cells[0])) is not None
    # 0, 1, 2 … are the names that a frame without names is written with.
    if [cell for cell in cells if cell] == [str(number) for number in range(len(filled))] and width > 1:
        return True
    return bool(filled) and not first_is_value and len(numbers) <= 0.2 * len(filled)


def _is_period(cell: str) -> bool:
    return parse_time(cell) is not None


def _rows_below_header(rows: Sequence[Row], width: int) -> list[Row]:
    """Return the rows that belong to the header: units, or what an export says of each series."""
    if rows and _is_unit_row(rows[0], width):
        return [rows[0]]
    found: list[Row] = []
    for row in rows:
        if row.cells[0].strip() not in _ATTRIBUTES or len(row.cells) != width:
            # Only above times are these attributes; elsewhere 来源 may well be a row label.
            return found if parse_time(row.cells[0]) else []
        found.append(row)
    return []


def _is_unit_row(row: Row, width: int) -> bool:
    filled = [cell.strip() for cell in row.cells if cell.strip()]
    known = [cell for cell in filled if read_unit(cell.strip("()（）"))]
    beside = [cell for cell in filled if cell not in known]
    blank = all(fold(cell) in ("单位", "Unit", "Units", "-", "--", "—") for cell in beside)
    return bool(known) and blank and len(row.cells) == width


def _spelled(written: Sequence[str], width: int, rows: Sequence[Row]) -> list[str]:
    """Return one header a column; a header that is one short names all but the row labels."""
    missing = width - len(written)
    if missing == 1 and rows and all(row.cells[-1].strip() for row in rows if len(row.cells) == width):
        return ["", *written]
    return [*written, *[""] * missing]


def notes_below(lines: Sequence[str], delimiter: str, width: int) -> int:
    """Return how many of the last lines are notes or blank, not rows of the table."""
    notes = 0
    for count, line in enumerate(reversed(lines[-_MOST_NOTES:]), 1):
        text = line.strip()
        if text and not _is_note(text, delimiter, width):
            break
        notes = count if text else notes
    return notes


def _is_note(text: str, delimiter: str, width: int) -> bool:
    cells = [cell.strip().strip('"') for cell in text.split(delimiter)]
    filled = [cell for cell in cells if cell]
    if not filled or width < 2:
        return False
    if _NOTE.match(filled[0]) and len(filled) < max(2, width):
        return True
    alone = len(filled) == 1 and len(cells) != width and '"' not in text
    return alone and not (parse_number(filled[0]) or parse_time(filled[0]))
