"""The header of a table: which row it is, groups above it, units and descriptions below it."""

from __future__ import annotations

import re
from collections.abc import Sequence

from capital_kit.datasets._cells._headers import read_unit
from capital_kit.datasets._cells._times import parse_time
from capital_kit.datasets._cells._values import MISSING, fold, parse_number
from capital_kit.datasets._reading._text_rows import DIRECTIVE, Row, is_gap

NOTE = re.compile(
    r"(?:注|备注|说明|附注|数据来源|资料来源|来源|数据提供|免责|制表|截至|单位|Source|Notes?"
    r"|Data source|Disclaimer|Comments?|Kommentar|Anmerkung|Quelle)[:：\d\s(（]"
    r"|[#※*].*|注$",
    re.IGNORECASE,
)
"""How a line begins that says something about a table."""
OF_TABLE = re.compile(r"(?:金额)?(?:单位|币种|日期|Unit)s?[:：].*", re.IGNORECASE)
"""A cell that says something of the whole table, and so names neither a column nor a group of them."""
_RULE = re.compile(r":?-{2,}:?")
ATTRIBUTES = frozenset({
    "报表类型", "报告类型", "合并类型", "币种", "公告日期",
    "频率", "单位", "指标ID", "指标id", "指标编码", "来源", "数据来源", "国家", "更新时间", "时间区间",
    "Einheit", "Dimension", "Frequency", "Unit", "Units", "Source", "Series ID", "Ticker", "Date", "Datetime",
})  # fmt: skip
"""First cells of the rows that some exports set between header and data."""
_PROBED_ROWS = 20
_MOST_DESCRIBED = 10
_FARTHEST = 30


def header_at(rows: Sequence[Row], width: int) -> int | None:
    for at, row in enumerate(rows):
        if len(row.filled) < width and (NOTE.match("".join(row.filled[:1])) or _is_of_table(row)):
            continue
        if DIRECTIVE.fullmatch(row.cells[0]) and at == 0:
            continue
        if (width == 1 or len(row.filled) >= max(2, 0.5 * width)) and not _is_above(rows, at, width):
            return at if looks_like_header(row, width) else None
    return 0


def _is_of_table(row: Row) -> bool:
    return any(OF_TABLE.fullmatch(cell.strip()) for cell in row.filled)


def _is_above(rows: Sequence[Row], at: int, width: int) -> bool:
    """Tell whether a row belongs to a smaller table, such as an account's, above the one with the header."""
    if len(rows[at].filled) >= width or at + 1 >= len(rows):
        return False
    gaps = (later for later in range(at + 1, len(rows)) if is_gap(rows[later - 1], rows[later]))
    following = next((later for later in gaps if len(rows[later].filled) == width), None)
    return following is not None and following < _FARTHEST and looks_like_header(rows[following], width)


def looks_like_header(row: Row, width: int) -> bool:
    """Tell whether the cells of a row name columns rather than state values."""
    cells = [fold(cell) for cell in row.cells]
    filled = [cell for cell in cells if cell not in MISSING]
    numbers = [cell for cell in filled if _is_bare_number(cell) and not _is_period(cell)]
    first_is_value = bool(cells[0]) and (_is_bare_number(cells[0]) or _is_period(cells[0]))
    # 0, 1, 2 … are the names that a frame without names is written with.
    if [cell for cell in cells if cell] == [str(number) for number in range(len(filled))] and width > 1:
        return True
    return bool(filled) and not first_is_value and len(numbers) <= 0.2 * len(filled)


def _is_bare_number(cell: str) -> bool:
    # 10年 and 20日 are terms, which name columns just as well.
    number = parse_number(cell)
    return number is not None and not (number.kind == "integer" and number.unit)


def _is_period(cell: str) -> bool:
    return parse_time(cell) is not None


def rows_below(header: Row, rows: Sequence[Row], width: int) -> list[Row]:
    """Return the rows that belong to the header: units, a rule, or what an export says of each series."""
    if rows and (is_unit_row(rows[0], width) or is_rule(rows[0])):
        return [rows[0]]
    if described := _rows_above_times(rows, width):
        return described
    found: list[Row] = []
    for row in rows:
        if row.cells[0].strip() not in ATTRIBUTES or len(row.cells) != width:
            # Only above times, or below periods, are these attributes; elsewhere 来源 may be a row label.
            return found if parse_time(row.cells[0]) or _names_periods(header) else []
        found.append(row)
    return []


def _rows_above_times(rows: Sequence[Row], width: int) -> list[Row]:
    """Return the rows that state no value, where a row with a time and a number follows them."""
    start = None
    for at, row in enumerate(rows[:_MOST_DESCRIBED]):
        cells = [fold(cell) for cell in row.cells]
        values = any(map(_is_value, cells[1:]))
        if _is_period(cells[0]):
            start = at if start is None else start
            if values:
                return list(rows[:start])
        elif values or start is not None or len(cells) != width or not any(cells[1:]):
            return []
    return []


def _is_value(cell: str) -> bool:
    # 1,0790 is a number to some, and a number to all once its comma is a point.
    return (parse_number(cell) or parse_number(cell.replace(",", ".")) or parse_time(cell)) is not None


def names_index(row: Row, following: Row) -> bool:
    """Tell whether a row only names the row labels below it, as pandas does under names of two rows."""
    label = row.cells[0].strip()
    return bool(label) and len(row.filled) == 1 and not _is_period(label) and _is_period(following.cells[0])


def _names_periods(header: Row) -> bool:
    """Tell whether the columns are periods, as those of a statement: 项目, 2024-03-31, 2023-12-31."""
    return len(header.filled) > 2 and all(map(parse_time, header.filled[1:]))


def is_rule(row: Row) -> bool:
    return len(row.filled) > 1 and all(_RULE.fullmatch(cell.strip()) for cell in row.filled)


def groups_above(rows: Sequence[Row], at: int, width: int) -> Row | None:
    """Return the row whose merged cells group the names in row ``at``; None if there is none."""
    if not 1 <= at < len(rows) - 1:
        return None
    groups, names, body = rows[at - 1], rows[at], rows[at + 1 : at + 1 + _PROBED_ROWS]
    if {len(groups.cells), len(names.cells)} != {width} or min(len(groups.filled), len(names.filled)) < 2:
        return None
    if _is_of_table(groups):
        return None
    if is_gap(groups, names) or not looks_like_header(names, width) or not looks_like_header(groups, width):
        return None
    merged = [
        at
        for at, (group, name) in enumerate(zip(groups.cells, names.cells, strict=True))
        if name.strip() and group != name and at and group.strip() in ("", groups.cells[at - 1].strip())
    ]
    values = [row.cells[at] for row in body for at in merged if len(row.cells) == width]
    stated = [cell for cell in values if fold(cell) not in MISSING]
    # Where a name stands below a merged cell, the rows must go on with values.
    enough = sum(bool(parse_number(cell) or parse_time(cell)) for cell in stated) > 0.5 * len(stated)
    return groups if merged and enough else None


def grouped(groups: Sequence[str], names: Sequence[str]) -> list[str]:
    """Return one name a column: 行情 above 开盘 makes ``行情 开盘``."""
    out, group = [], ""
    for above, name in zip(groups, names, strict=True):
        group = above.strip() or (group if name.strip() else "")
        name = name.strip()
        out.append(" ".join(dict.fromkeys(part for part in (group, name) if part)))
    return out


def is_unit_row(row: Row, width: int) -> bool:
    filled = [cell.strip() for cell in row.cells if cell.strip()]
    known = [cell for cell in filled if read_unit(cell.strip("()（）"))]
    beside = [cell for cell in filled if cell not in known]
    blank = all(fold(cell) in ("单位", "Unit", "Units", "-", "--", "—") for cell in beside)
    return bool(known) and blank and len(row.cells) == width


def spelled(written: Sequence[str], width: int, rows: Sequence[Row]) -> list[str]:
    """Return one header a column; a header that is one short names all but the row labels."""
    missing = width - len(written)
    if missing == 1 and rows and all(row.cells[-1].strip() for row in rows if len(row.cells) == width):
        return ["", *written]
    return [*written, *[""] * missing]
