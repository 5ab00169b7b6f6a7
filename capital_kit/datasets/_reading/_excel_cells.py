"""The cells of a sheet: values as stored, the format of each, what is merged or hidden.

The XML of a sheet is read in one pass of the standard library's parser, which yields together what a
careful reader needs: values, formats, merges, what is hidden, formulas without a result.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple
from xml.parsers import expat

from capital_kit.datasets._reading._excel_formats import PLAIN, Format
from capital_kit.errors import DatasetError

LIMIT_CELLS = 20_000_000
_MOST_COLUMNS = 16_384
_EXACT_DIGITS = 15
_ESCAPED = re.compile(r"_x([0-9A-Fa-f]{4})_")


class Fault(str):
    """The error that a cell holds instead of a value, such as ``#N/A``."""

    __slots__ = ()


class Line(NamedTuple):
    """One row that holds something: its number from 0, its values and the format of each."""

    at: int
    values: list[Any]
    styles: list[int]


class Merge(NamedTuple):
    """A merged range; bounds count from 0 and belong to it."""

    top: int
    left: int
    bottom: int
    right: int


@dataclass(slots=True, kw_only=True)
class Grid:
    """The cells of one sheet."""

    lines: list[Line] = field(default_factory=list)
    merges: list[Merge] = field(default_factory=list)
    formats: Sequence[Format] = (PLAIN,)
    from_1904: bool = False
    hidden_rows: int = 0
    hidden_columns: set[int] = field(default_factory=set)
    without_result: Counter[int] = field(default_factory=Counter)
    """How many formulas of a column have never been calculated."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sheet:
    """A sheet that may be read: its name, whether it holds anything, and how to get at its cells."""

    name: str
    hidden: bool
    is_filled: Callable[[], bool]
    load: Callable[[], Grid]


def count_cells(width: int, label: str) -> None:
    """Refuse a sheet beyond the limit.

    Raises
    ------
    DatasetError
        ``dataset_too_large``.
    """
    if width > LIMIT_CELLS:
        raise DatasetError.of("dataset_too_large", "cells", name=label, limit=LIMIT_CELLS)


def local_name(name: str) -> str:
    """Return the name of an element without its prefix."""
    return name.rpartition(":")[2]


def parser_of(label: str) -> expat.XMLParserType:
    """Return a parser that refuses document types, and with them all entities."""

    def refuse(*_: object) -> None:
        raise DatasetError.of("dataset_not_row_readable", "doctype", name=label)

    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartDoctypeDeclHandler = refuse
    return parser


def text_of(parts: Sequence[str]) -> str:
    """Return the text of an element; control characters are escaped there."""
    text = "".join(parts)
    return _ESCAPED.sub(lambda match: chr(int(match[1], 16)), text) if "_x" in text else text


class _Filled(Exception):  # noqa: N818 (no error: the question is answered)
    pass


class SheetReader:
    """Fills a grid from the XML of a sheet; without the shared texts it only looks for a first value."""

    def __init__(self, grid: Grid, strings: Sequence[str] | None, label: str) -> None:
        self.is_filled = False
        self._grid = grid
        self._strings = strings
        self._label = label
        self._columns: dict[str, int] = {}
        self._cells = 0
        self._row = -1
        self._line = Line(0, [], [])
        self._at = -1
        self._sort = "n"
        self._style = 0
        self._formula = False
        self._spoken = False
        self._parts: list[str] = []

    def read(self, blocks: Iterable[bytes]) -> None:
        """Read the sheet, given in blocks of bytes."""
        parser = self._parser = parser_of(self._label)
        parser.StartElementHandler = self._start
        parser.EndElementHandler = self._end
        try:
            for block in blocks:
                parser.Parse(block)
            parser.Parse(b"", True)
        except _Filled:
            self.is_filled = True

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        tag = local_name(tag)
        if tag == "c":
            self._at = self._column(attributes["r"]) if "r" in attributes else self._at + 1
            self._sort = attributes.get("t", "n")
            self._style = int(attributes.get("s", 0))
            self._formula = False
        elif tag in ("v", "t"):
            if not self._spoken:
                self._parser.CharacterDataHandler = self._parts.append
        elif tag == "f":
            self._formula = True
        elif tag == "rPh":
            self._spoken = True
        elif tag == "row":
            self._row = int(attributes["r"]) - 1 if "r" in attributes else self._row + 1
            self._line = Line(self._row, [], [])
            self._at = -1
            self._grid.hidden_rows += attributes.get("hidden") in ("1", "true")
        else:
            self._aside(tag, attributes)

    def _aside(self, tag: str, attributes: Mapping[str, str]) -> None:
        if tag == "col" and attributes.get("hidden") in ("1", "true"):
            last = min(int(attributes["max"]), _MOST_COLUMNS)
            self._grid.hidden_columns.update(range(int(attributes["min"]) - 1, last))
        elif tag == "mergeCell":
            first, _, last_cell = attributes["ref"].partition(":")
            (top, left), (bottom, right) = _place(first), _place(last_cell or first)
            self._grid.merges.append(Merge(top, left, bottom, right))

    def _end(self, tag: str) -> None:
        tag = local_name(tag)
        if tag in ("v", "t"):
            self._parser.CharacterDataHandler = None
        elif tag == "rPh":
            self._spoken = False
        elif tag == "c":
            self._put()
        elif tag == "row" and self._line.values:
            self._grid.lines.append(self._line)

    def _put(self) -> None:
        text = text_of(self._parts)
        self._parts.clear()
        if not text:
            if self._formula and self._sort not in ("str", "inlineStr"):
                self._grid.without_result[self._at] += 1
            return
        if self._strings is None:
            raise _Filled
        value = self._value(text)
        if type(value) is str and not value.strip():
            return
        values, styles = self._line.values, self._line.styles
        gap = self._at - len(values)
        if gap < 0:
            raise ValueError(f"row {self._row + 1}: cells out of order")
        self._cells += gap + 1
        count_cells(self._cells, self._label)
        if gap:
            values.extend([None] * gap)
            styles.extend([0] * gap)
        values.append(value)
        styles.append(self._style)

    def _value(self, text: str) -> Any:
        if self._sort == "n":
            # A number with more digits than a float keeps is an identifier that a program wrote.
            return int(text) if len(text) > _EXACT_DIGITS and text.isdigit() else float(text)
        if self._sort == "s":
            assert self._strings is not None
            return self._strings[int(text)]
        if self._sort == "b":
            return text in ("1", "true")
        return Fault(text) if self._sort == "e" else text

    def _column(self, reference: str) -> int:
        letters = reference.rstrip("0123456789")
        column = self._columns.get(letters)
        if column is None:
            column = self._columns[letters] = _column_of(letters)
        return column


def _column_of(letters: str) -> int:
    column = 0
    for letter in letters.replace("$", "").upper():
        if not "A" <= letter <= "Z":
            raise ValueError(f"cell {letters!r}")
        column = 26 * column + ord(letter) - 64
    if not 0 < column <= _MOST_COLUMNS:
        raise ValueError(f"column {letters!r}")
    return column - 1


def _place(reference: str) -> tuple[int, int]:
    plain = reference.replace("$", "")
    letters = plain.rstrip("0123456789")
    return int(plain[len(letters) :]) - 1, _column_of(letters)
