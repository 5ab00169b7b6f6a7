"""A text as rows of cells: line ends, delimiter, quotes."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

DELIMITERS = (",", "\t", ";", "|", "｜")
SAMPLE_ROWS = 200
DIRECTIVE = re.compile(r"sep=(.)\s*")
"""The line by which an export tells a spreadsheet its delimiter."""
_BLANKS = re.compile(" {2,}")


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
    if lines and (directive := DIRECTIVE.fullmatch(lines[0])):
        return directive[1]
    best, best_score = ",", 0.0
    for delimiter in DELIMITERS:
        if not any(delimiter in line for line in lines[:SAMPLE_ROWS]):
            continue
        rows = rows_of(lines, delimiter, SAMPLE_ROWS)
        if not rows:
            continue
        width, count = Counter(len(row.cells) for row in rows).most_common(1)[0]
        score = count / len(rows) + min(width, 50) / 1000 if width > 1 else 0.0
        if score == 0.0 and len(rows) <= 4 and len(rows[-1].cells) > 1:
            score = 0.1
        if score > best_score:
            best, best_score = delimiter, score
    return best


def is_gap(row: Row, following: Row) -> bool:
    """Tell whether blank lines, or lines of mere delimiters, lie between two rows."""
    return following.first_line > row.next_line or not row.filled


def as_delimited(data: bytes, lines: Sequence[str], delimiter: str | None) -> tuple[bytes, str]:
    """Return a text that any reader of delimited text understands, and its delimiter."""
    if delimiter is None:
        tabbed = _with_tabs(data, lines)
        if tabbed is not data:
            return tabbed, "\t"
        delimiter = find_delimiter(lines)
    return _without_spaces(data, lines, delimiter), delimiter


def _with_tabs(data: bytes, lines: Sequence[str]) -> bytes:
    """Return a text whose columns are aligned by blanks with tabs between them; any other as it is."""
    shown = [line.strip() for line in lines[:SAMPLE_ROWS] if line.strip()]
    if len(shown) < 3 or any(mark in line for line in shown for mark in DELIMITERS):
        return data
    widths = {len(_BLANKS.split(line)) for line in shown}
    if len(widths) != 1 or widths == {1}:
        return data
    text = "\n".join("\t".join(_BLANKS.split(line.strip())) for line in lines_of(data.decode("utf-8")))
    return text.encode("utf-8")


def _without_spaces(data: bytes, lines: Sequence[str], delimiter: str) -> bytes:
    """Return a text without the blanks between delimiter and quote, which would hide the quote."""
    mark = re.escape(delimiter)
    shown = re.compile(rf'[^"]*{mark} +"[^"]*"\s*(?:{mark}|$)')
    if not any(shown.match(line) for line in lines[:SAMPLE_ROWS]):
        return data
    # A doubled quote is one inside a cell, unless the cell ends with it and is empty.
    sep = mark.encode("utf-8")
    opening = sep + rb' +(?="(?:[^"]|"(?:' + sep + rb"|[\r\n]|$)))"
    return re.sub(opening, delimiter.encode("utf-8"), data)
