"""What a text holds beside the rows of its table: sums, repeated headers, comments, further tables."""

from __future__ import annotations

import functools
import itertools
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from capital_kit._core.notices import Notice
from capital_kit.datasets._arrays import array_of, from_numpy, scalar_of
from capital_kit.datasets._cells._times import parse_time
from capital_kit.datasets._cells._typed import examples
from capital_kit.datasets._cells._values import MISSING, parse_number
from capital_kit.datasets._reading._header_rows import looks_like_header
from capital_kit.datasets._reading._layout import Layout, is_remark
from capital_kit.datasets._reading._text_rows import Row, is_gap, lines_of, rows_of

TOTALS = frozenset({
    "合计", "总计", "小计", "共计", "汇总", "合 计", "总 计", "小 计", "合计:", "总计:", "合计：", "总计：",
    "小计:", "小计：", "合\u3000计", "总\u3000计", "小\u3000计", "合  计", "总  计", "小  计",
    "本页合计", "本页小计",
    "Total", "total", "TOTAL", "Totals", "Grand Total", "Grand total", "Subtotal", "Sum total",
})  # fmt: skip
"""Labels of rows that are sums of others."""
_TOTAL_COLUMNS = 4
_EVENTS = (" Dividend", " Stock Split", " Stock Splits", " Capital Gain")
"""What stands in place of the prices of a day when a share went ex dividend: 0.24 Dividend."""
_LARGEST = 4 * 1024 * 1024
"""Only files that people arrange hold several tables, and these are small."""
_BLANK_LINE = re.compile(rb"\n[,;\t| ]*\r?\n")
_PROBED = 50

Columns = list[pa.ChunkedArray]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The columns with nothing but the rows of the table, and the place of each in the file's header."""

    columns: Columns
    places: Sequence[int]
    totals: Counter[str] = field(default_factory=Counter)
    total_rows: int = 0
    notices: tuple[Notice, ...] = ()


def only_rows(columns: Columns, written: Sequence[str], delimiter: str) -> Rows:
    """Take out sums, repeated headers, comments, and the blank columns of a delimiter at a row's end."""
    totals, found = _totals(columns)
    others, notices = _headers_and_remarks(columns, written)
    events, noted = _events(columns)
    notices += noted
    marked = [mask for mask in (totals, others, events) if mask is not None]
    if marked:
        keep = pc.invert(functools.reduce(pc.or_, marked))
        columns = [column.filter(keep) for column in columns]
    places = _filled_places(columns, written, delimiter)
    if len(places) < len(columns):
        notices.append(Notice("datasets", "blank_columns", count=len(columns) - len(places)))
    return Rows(
        columns=[columns[at] for at in places],
        places=places,
        totals=found,
        total_rows=0 if totals is None else pc.sum(totals).as_py(),
        notices=tuple(notices),
    )


def _totals(columns: Columns) -> tuple[Any, Counter[str]]:
    """Mark the rows that a word such as 合计 names as sums: in the first two columns or after blanks."""
    mask, found = None, Counter[str]()
    words = array_of(sorted(TOTALS), pa.string())
    for at, column in enumerate(columns[:_TOTAL_COLUMNS]):
        if not len(column) or column.type != pa.string():
            continue
        marked = pc.is_in(column, value_set=words)
        if not pc.any(marked).as_py():
            continue
        for before in columns[:at] if at > 1 else ():
            marked = pc.and_(marked, _is_blank(before))
        found.update(set(column.filter(marked).to_pylist()))
        mask = marked if mask is None else pc.or_(mask, marked)
    return mask, found


def _is_blank(column: pa.ChunkedArray) -> Any:
    if column.type != pa.string():
        return pc.is_null(column)
    return pc.equal(pc.utf8_trim_whitespace(column), scalar_of("", pa.string()))


def _headers_and_remarks(columns: Columns, written: Sequence[str]) -> tuple[Any, list[Notice]]:
    """Mark the rows that repeat the header, and those that hold a comment or a page number alone."""
    if len(columns) < 2 or not len(columns[0]) or columns[0].type != pa.string():
        return None, []
    first = columns[0]
    odd = functools.reduce(pc.or_, (pc.starts_with(first, mark) for mark in ("#", "第", "Page", "page")))
    if written[0].strip():
        odd = pc.or_(odd, pc.equal(first, scalar_of(written[0], pa.string())))
    places = pc.indices_nonzero(odd.combine_chunks())
    if not len(places):
        return None, []
    rows = [column.take(places) for column in columns]
    alone = functools.reduce(pc.and_, map(_is_blank, rows[1:])).to_pylist()
    repeats = functools.reduce(pc.and_, map(_equals, rows, written)).to_pylist()
    notes = [
        is_alone and is_remark([cell]) for cell, is_alone in zip(rows[0].to_pylist(), alone, strict=True)
    ]
    notices = []
    if any(notes):
        shown = examples(itertools.compress(rows[0].to_pylist(), notes), 2)
        notices.append(Notice("datasets", "lines_skipped", count=sum(notes), examples=shown))
    if any(repeats):
        notices.append(Notice("datasets", "headers_repeated", count=sum(repeats)))
    marked = [place for place, *odd in zip(places.to_pylist(), notes, repeats, strict=True) if any(odd)]
    mask = np.zeros(len(first), np.int8)
    mask[marked] = 1
    return (
        (pa.chunked_array([from_numpy(mask, pa.int8()).cast(pa.bool_())]), notices) if marked else (None, [])
    )


def _events(columns: Columns) -> tuple[Any, list[Notice]]:
    """Mark the rows that say of a dividend or a split instead of prices, as pages of quotes list them."""
    if len(columns) < 3 or columns[1].type != pa.string():
        return None, []
    said = functools.reduce(pc.or_, (pc.ends_with(columns[1], word) for word in _EVENTS))
    if not pc.any(said).as_py():
        return None, []
    for column in columns[2:]:
        blank = _is_blank(column)
        # A merged cell of a page stands in every column that it spans.
        merged = column.type == pa.string()
        said = pc.and_(said, pc.or_(blank, pc.equal(column, columns[1])) if merged else blank)
    shown = examples(columns[1].filter(said).to_pylist(), 3)
    count = pc.sum(said).as_py() or 0
    return said, [Notice("datasets", "event_rows", count=count, examples=shown)] if count else []


def _equals(column: pa.ChunkedArray, text: str) -> Any:
    if column.type != pa.string():
        return pc.and_(pc.is_null(column), pc.is_valid(column))
    return pc.equal(column, scalar_of(text, pa.string()))


def _filled_places(columns: Columns, written: Sequence[str], delimiter: str) -> list[int]:
    """Return the columns without those that stem from a delimiter at the end, or the start, of each row."""
    places = list(range(len(columns)))
    names = [*written, *[""] * (len(columns) - len(written))]
    ends = (-1, 0) if delimiter in "|｜" else (-1,)
    for end in ends:
        while len(places) > 1 and not names[places[end]].strip() and _holds_nothing(columns[places[end]]):
            del places[end]
    return places


def _holds_nothing(column: pa.ChunkedArray) -> bool:
    return bool(len(column)) and bool(pc.all(_is_blank(column)).as_py())


# ------------------------------------------------------------------ further tables below
def without_other_tables(content: memoryview, layout: Layout) -> tuple[memoryview, list[Notice]]:
    """Cut off the further tables that lie below blank lines, with a notice that says where."""
    if len(content) > _LARGEST or not _BLANK_LINE.search(content):
        return content, []
    lines = lines_of(str(content, "utf-8"))
    rows = rows_of(lines, layout.delimiter)
    for at, (row, following) in enumerate(itertools.pairwise(rows)):
        if not is_gap(row, following) or not (header := _other_header(rows, at + 1, layout)):
            continue
        cut = next(later.first_line for later in rows[at:] if later.first_line > row.first_line)
        size = sum(len(line.encode("utf-8")) for line in lines[:cut])
        others = sum(later.first_line > header.first_line and bool(later.filled) for later in rows)
        notice = Notice(
            "datasets", "other_tables", count=others, header=layout.body_line + header.first_line,
            examples=examples([layout.delimiter.join(header.filled)]),
        )  # fmt: skip
        return content[:size], [notice]
    return content, []


def _other_header(rows: Sequence[Row], at: int, layout: Layout) -> Row | None:
    """Return the header of another table that begins at a row, below a line of title at most."""
    start = next((later for later in range(at, min(at + 3, len(rows))) if len(rows[later].filled) > 1), None)
    if start is None or start + 1 >= len(rows):
        return None
    row, below = rows[start], rows[start + 1]
    if row.cells == layout.written or not looks_like_header(row, len(row.cells)):
        return None
    above = [earlier for earlier in rows[: at - 1] if earlier.filled][:_PROBED]
    names = [place for place, cell in enumerate(row.cells) if cell.strip()]
    # A header stands where the rows above hold values, and so do the rows below it.
    breaks = any(_all_values(above, place) for place in names)
    return row if breaks and any(_all_values([below], place) for place in names) else None


def _all_values(rows: Sequence[Row], place: int) -> bool:
    cells = [row.cells[place].strip() for row in rows if place < len(row.cells)]
    stated = [cell for cell in cells if cell not in MISSING]
    return bool(stated) and all(parse_number(cell) or parse_time(cell) for cell in stated)
