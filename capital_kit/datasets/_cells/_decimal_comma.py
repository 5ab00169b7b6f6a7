"""Numbers with a decimal comma, as Central European exports write them: 1.234,56."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import pyarrow as pa
import pyarrow.compute as pc

from capital_kit.datasets._arrays import array_of
from capital_kit.datasets._cells._values import MISSING

_MONEY = r"(?:[€$£¥]|EUR|USD|CHF)?"
_MARKS = "[.\u00a0\u202f]"
_GROUPS = rf"[1-9]\d{{0,2}}(?:{_MARKS}\d{{3}})+"
_CERTAIN = re.compile(rf"{_MONEY}\s?[+\-]?(?:\d+,(?:\d{{1,2}}|\d{{4,}})|{_GROUPS},\d+)\s?(?:%|{_MONEY})")
_POINT = re.compile(r"[+\-]?(?:\d+\.(?:\d{1,2}|\d{4,})|\d{1,3}(?:,\d{3})+\.\d+)%?")
_NUMBER = rf"^{_MONEY}\s?[+\-]?(?:{_GROUPS}|\d+)(?:,\d+)?\s?(?:%|{_MONEY})$"
_ENOUGH = 0.9


def has_decimal_comma(rows: Iterable[Sequence[str]]) -> bool:
    """Tell whether sample rows show numbers that only a decimal comma explains, and none with a point."""
    cells = [cell.strip() for row in rows for cell in row]
    return any(map(_CERTAIN.fullmatch, cells)) and not any(map(_POINT.fullmatch, cells))


def with_points(columns: Sequence[pa.ChunkedArray]) -> tuple[list[pa.ChunkedArray], int]:
    """Return text columns with decimal points instead of commas, and in how many that changed anything.

    A column changes if nearly all cells that state a value are such numbers, and then only these cells.
    """
    out, changed = [], 0
    words = array_of(sorted(MISSING), pa.string())
    for column in columns:
        stated = column.filter(pc.invert(pc.is_in(pc.utf8_trim_whitespace(column), value_set=words)))
        marked = pc.any(pc.match_substring_regex(stated, "[.,]")).as_py()
        numbers = pc.sum(pc.match_substring_regex(stated, _NUMBER)).as_py() or 0
        if marked and numbers >= _ENOUGH * len(stated):
            plain = pc.replace_substring(pc.replace_substring_regex(column, _MARKS, ""), ",", ".")
            column = pc.if_else(pc.match_substring_regex(column, _NUMBER), plain, column)
            changed += 1
        out.append(column)
    return out, changed
