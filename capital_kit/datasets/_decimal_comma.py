"""Numbers with a decimal comma, as Central European exports write them: 1.234,56."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

_CERTAIN = re.compile(r"[+\-]?(?:\d+,(?:\d{1,2}|\d{4,})|\d{1,3}(?:\.\d{3})+,\d+)%?")
_POINT = re.compile(r"[+\-]?(?:\d+\.(?:\d{1,2}|\d{4,})|\d{1,3}(?:,\d{3})+\.\d+)%?")
_NUMBER = r"^[+\-]?(?:[1-9]\d{0,2}(?:\.\d{3})+|\d+)(?:,\d+)?%?$"


def has_decimal_comma(rows: Iterable[Sequence[str]]) -> bool:
    """Tell whether sample rows show numbers that only a decimal comma explains, and none with a point."""
    cells = [cell.strip() for row in rows for cell in row]
    return any(map(_CERTAIN.fullmatch, cells)) and not any(map(_POINT.fullmatch, cells))


def with_points(columns: Sequence[pa.ChunkedArray]) -> tuple[list[pa.ChunkedArray], int]:
    """Return text columns with decimal points instead of commas, and in how many that changed anything."""
    out, changed = [], 0
    for column in columns:
        stated = column.filter(pc.greater(pc.utf8_length(column), 0))
        marked = pc.any(pc.match_substring_regex(stated, "[.,]")).as_py()
        if marked and pc.all(pc.match_substring_regex(stated, _NUMBER)).as_py():
            column = pc.replace_substring(pc.replace_substring(column, ".", ""), ",", ".")
            changed += 1
        out.append(column)
    return out, changed
