"""Stored query results: the rows of a query of the workspace as the text of a section.

A row is one unit of the section. It holds every value as it was stored, and after that the other
forms in which people write the same value; ``docs/citations.md`` lists them.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Context, Decimal, InvalidOperation
from typing import Any

from capital_kit._core.normalise import SEPARATOR
from capital_kit.citations._anchor import Citation
from capital_kit.citations._sources import LIMIT, Refused, SourceFile, read_bytes, read_json
from capital_kit.errors import WorkspaceError
from capital_kit.workspace import Workspace

FOLDER = "queries"
_MOST_DECIMALS = 4
_LONGEST_NUMBER = 30
_SHORT_NAME = 2
_EXACT = Context(prec=80)
_SIZES = {"": 0, "千": 3, "万": 4, "百万": 6, "千万": 7, "亿": 8, "万亿": 12}
_SIZED_UNIT = re.compile(r"(万亿|千万|百万|亿|万|千)?(.*)", re.DOTALL)
_TIME = re.compile(
    r"([0-9]{4})(?:-([0-9]{2})(?:-([0-9]{2})(?:[T ]([0-9:.]{5,15}))?)?|Q([1-4]))?(?:[+-][0-9:]{5})?"
)
_TIMES = frozenset({"date", "datetime", "month", "quarter", "year"})
_LABELS = frozenset({"category", "code", "text"})
_NUMBERS = frozenset({"number", "integer", "percent"})


@dataclass(frozen=True, slots=True)
class Rows:
    """What a stored result says: words that hold for all of its rows, and the rows."""

    shared: str
    rows: tuple[str, ...]

    def text(self) -> tuple[str, tuple[tuple[int, int], ...]]:
        """Return the whole text and where each row stands in it."""
        spans = []
        at = len(self.shared) + 1
        for row in self.rows:
            spans.append((at, at + len(row)))
            at += len(row) + 1
        return SEPARATOR.join([self.shared, *self.rows]), tuple(spans)


def open_stored(citation: Citation, workspace: Workspace) -> SourceFile:
    """Return the file of a stored query result.

    Raises
    ------
    Refused
        ``no_file``, ``too_large``, ``unreadable``.
    """
    name = f"{citation.locator}.json"
    try:
        data = read_bytes(workspace.file(FOLDER, name), LIMIT)
    except (FileNotFoundError, NotADirectoryError):
        raise Refused("no_file") from None
    except (OSError, WorkspaceError) as error:
        raise Refused("unreadable") from error
    return SourceFile(f"{FOLDER}/{name}", ".json", data, hashlib.sha256(data).hexdigest())


def read_stored(data: bytes, citation: Citation) -> Rows:
    """Return the rows of a stored query result; numbers are taken as they are written.

    Raises
    ------
    Refused
        ``unreadable``, ``identity_mismatch``, ``no_rows``.
    """
    try:
        record = read_json(data)
        said = record["dataset_id"], record["query_id"]
        if said != (citation.source_id, citation.locator):
            raise Refused("identity_mismatch")
        columns = [(column["name"], column["kind"], column["unit"] or "") for column in record["columns"]]
        rows = tuple(text for row in record["rows"] if (text := _row(row, columns)))
        shared = _words([*(name for name, _, _ in columns), *_words_of_query(record["query"])])
    except Refused as refusal:
        raise Refused("unreadable" if refusal.code == "undecodable" else refusal.code) from refusal
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        raise Refused("unreadable") from error
    if not rows:
        raise Refused("no_rows")
    return Rows(shared, rows)


def _row(row: Mapping[str, Any], columns: Sequence[tuple[str, str, str]]) -> str:
    """Return the cells of a row as they were stored, then their other forms; nothing where all is missing."""
    stored: list[str] = []
    others: list[str] = []
    labels = [row[name] for name, kind, _ in columns if kind in _LABELS and row[name]]
    for name, kind, unit in columns:
        value = row[name]
        if value is None:
            continue
        text = str(value).lower() if isinstance(value, bool) else str(value)
        stored.append(f"{name} {text}{unit if kind in _NUMBERS else ''}")
        # A run of Chinese holds a name of two characters only where both stand side by side.
        others += [f"{label} {name}" for label in labels if len(name) == _SHORT_NAME and value is not label]
        others += [form for form in forms(text, kind, unit) if form != f"{text}{unit}"]
    return _words([*stored, *others])


def _words(parts: Sequence[str]) -> str:
    return " | ".join(str(part).replace(SEPARATOR, " ") for part in parts)


def forms(text: str, kind: str, unit: str = "") -> list[str]:
    """Return the ways in which people write a stored value: the same value, or a correct rounding of it."""
    if kind in _TIMES:
        return _time_forms(text)
    if kind not in _NUMBERS:
        return []
    try:
        value = Decimal(text)
    except InvalidOperation:
        return []
    if not value.is_finite() or abs(value.adjusted()) > _LONGEST_NUMBER:
        return []
    return list(dict.fromkeys(_number_forms(value, unit, whole=kind == "integer")))


def _number_forms(value: Decimal, unit: str, *, whole: bool) -> Iterator[str]:
    yield f"{value:f}{unit}"
    for rounded in _roundings(value, 0 if whole else _MOST_DECIMALS):
        yield f"{rounded}{unit}"
    match = _SIZED_UNIT.fullmatch(unit)
    if unit in {"%", "‰"} or match is None:
        return
    size, measure = match[1] or "", match[2]
    plain = value.scaleb(_SIZES[size], _EXACT)
    if size and plain == plain.to_integral_value():
        yield f"{plain.to_integral_value():f}{measure}"
    for other in ("万", "亿"):
        scaled = plain.scaleb(-_SIZES[other], _EXACT)
        if other != size and abs(scaled) >= Decimal("0.1"):
            for rounded in _roundings(scaled, _MOST_DECIMALS, least=0 if abs(scaled) >= 1 else 1):
                yield f"{rounded}{other}{measure}"


def _roundings(value: Decimal, most: int, least: int = 0) -> Iterator[str]:
    """Yield a value rounded half up to each number of decimals; what rounds to nothing is no form of it."""
    for decimals in range(least, most + 1):
        rounded = value.quantize(Decimal(1).scaleb(-decimals), ROUND_HALF_UP, _EXACT)
        if rounded or not value:
            yield f"{rounded:f}"


def _time_forms(text: str) -> list[str]:
    match = _TIME.fullmatch(text)
    if match is None:
        return []
    year, month, day, clock, quarter = match.groups()
    if quarter:
        return [f"{year}年第{'一二三四'[int(quarter) - 1]}季度", f"{year}年第{quarter}季度"]
    han = f"{year}年" + (f"{int(month)}月" if month else "") + (f"{int(day)}日" if day else "")
    return [han, *([f"{year}-{month}-{day}", clock] if clock else []), *([f"{year}-{month}"] if day else [])]


def _words_of_query(query: Mapping[str, Any]) -> Iterator[str]:
    """Yield the names that a query asks for, and the values to which it holds every row."""
    for part in (*query.get("group_by", ()), *query.get("aggregates", ())):
        if isinstance(part.get("column"), str):
            yield part["column"]
    yield from _held(query.get("filters", ()))


def _held(filters: Sequence[Mapping[str, Any]]) -> Iterator[str]:
    for condition in filters:
        if "all" in condition:
            yield from _held(condition["all"])
        elif condition.get("operator") in {"=", "in"}:
            value = condition.get("value")
            values = value if isinstance(value, list) else [value]
            # Of several values a row has only one, and nobody knows which.
            if len(values) == 1 and isinstance(values[0], str):
                yield f"{condition['column']} {values[0]}"
                yield from _time_forms(values[0])
