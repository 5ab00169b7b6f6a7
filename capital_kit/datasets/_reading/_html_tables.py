"""Tables in HTML, which exports like to name .xls."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Mapping
from dataclasses import replace
from html.parser import HTMLParser

from capital_kit._core.notices import Notice
from capital_kit.datasets._cells._values import parse_number
from capital_kit.datasets._model import Dataset, Kind
from capital_kit.datasets._reading._delimited import read_delimited
from capital_kit.datasets._reading._sniff import to_utf8
from capital_kit.errors import DatasetError

_WIDEST_SPAN = 1_000
_HEAD = 4_096
_MOST_SHOWN = 8
_LONGEST_SHOWN = 40
_CHARSET = re.compile(rb"charset\s*=\s*[\"']?([A-Za-z0-9_\-]+)", re.IGNORECASE)
_SPACES = re.compile(r"[ \t\r\n\f]+")
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")


def read_html(
    data: bytes,
    name: str,
    *,
    encoding: str | None = None,
    kinds: Mapping[str, Kind] | None = None,
    row_key: str | None = None,
) -> Dataset:
    """Read the table of an HTML page; ``row_key`` is its number where there are several.

    Raises
    ------
    DatasetError
        ``dataset_rows_ambiguous`` for several tables, ``dataset_not_row_readable`` for none.
    """
    decoded = to_utf8(data, name, encoding or _declared_encoding(data))
    reader = _TableReader()
    reader.feed(decoded.data.decode("utf-8"))
    reader.close()
    tables = {f"table{at}": rows for at, rows in enumerate(reader.tables) if len(rows) > 1}
    if not tables:
        raise DatasetError.of("dataset_not_row_readable", "html", name=name)
    rows, joined = _chosen(tables, name, row_key)
    text = io.StringIO()
    csv.writer(text).writerows(rows)
    dataset = read_delimited(text.getvalue().encode("utf-8"), name, delimiter=",", kinds=kinds)
    source = replace(
        dataset.source, format="html", encoding=decoded.encoding, delimiter=None, row_key=row_key
    )  # fmt: skip
    notices = (Notice("datasets", "tables_joined", count=joined),) if joined > 1 else ()
    return replace(dataset, source=source, warnings=notices + dataset.warnings)


def _declared_encoding(data: bytes) -> str | None:
    """Return the encoding that a page states, where its bytes leave a choice; GB needs no statement."""
    match = _CHARSET.search(data[:_HEAD])
    stated = match[1].decode("ascii").lower() if match else ""
    if not stated or stated.startswith(("utf", "gb", "x-gb")) or data.startswith(codecs.BOM_UTF8):
        return None
    try:
        data.decode("utf-8")
    except UnicodeDecodeError:
        return stated
    return None


def _chosen(
    tables: Mapping[str, list[list[str]]], name: str, row_key: str | None
) -> tuple[list[list[str]], int]:
    """Return the rows of one table, or of all where they share a header, and how many these are."""
    keys = list(tables)
    if row_key is not None and row_key not in tables:
        raise DatasetError.of(
            "dataset_rows_ambiguous", "table_missing", name=name, row_key=row_key, array_keys=keys,
            tables=_shown(tables),
        )  # fmt: skip
    if row_key is not None or len(keys) == 1:
        return tables[row_key or keys[0]], 1
    first, *others = tables.values()
    if any(rows[0] != first[0] for rows in others):
        raise DatasetError.of(
            "dataset_rows_ambiguous", "tables", name=name, array_keys=keys, tables=_shown(tables)
        )  # fmt: skip
    return [*first, *(row for rows in others for row in rows[1:])], len(keys)


def _shown(tables: Mapping[str, list[list[str]]]) -> list[str]:
    """Return the keys of tables with the first cells of each, by which a reader knows them."""
    return [
        f"{key} ({' | '.join(filter(None, rows[0]))[:_LONGEST_SHOWN]}, {len(rows)})"
        for key, rows in list(tables.items())[:_MOST_SHOWN]
    ]


class _TableReader(HTMLParser):
    """Collects the cells of every table; a merged cell stands in each place that it covers.

    A cell that fills its row alone is a title or a note; it stands in the first place only.
    """

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.tables: list[list[list[str]]] = []
        self._open: list[list[list[str]]] = []
        self._below: dict[tuple[int, int, int], str] = {}
        self._cell: list[str] | None = None
        self._spans = (1, 1)
        self._raised = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "table":
            self._end_cell()
            self._open.append([])
            self.tables.append(self._open[-1])
        elif tag == "tr" and self._open:
            self._end_cell()
            self._open[-1].append([])
        elif tag in ("td", "th") and self._open and self._open[-1]:
            self._end_cell()
            given = dict(attrs)
            self._cell = []
            self._spans = (_span(given.get("rowspan")), _span(given.get("colspan")))
        elif tag == "br" and self._cell is not None:
            self._cell.append(" ")
        elif tag in ("sup", "sub"):
            self._raised = True

    def handle_endtag(self, tag: str) -> None:
        if tag in ("td", "th", "tr", "table"):
            self._end_cell()
        if tag in ("tr", "table") and self._open and self._open[-1]:
            self._end_row(self._open[-1][-1])
        if tag in ("sup", "sub"):
            self._raised = False
        if tag == "table" and self._open:
            self._open.pop()

    def handle_data(self, data: str) -> None:
        if self._cell is not None:
            # 5 with a note 2 is not 52.
            self._cell.append(data.translate(_RAISED) if self._raised else data)

    def close(self) -> None:
        """Finish a page that ends inside a cell."""
        super().close()
        self._end_cell()

    def _end_cell(self) -> None:
        if self._cell is None:
            return
        text = _SPACES.sub(" ", "".join(self._cell)).strip(" ")
        if "\u00a0" in text and parse_number(text) is None:
            text = " ".join(text.split())
        self._cell = None
        self._raised = False
        table, rows = len(self.tables), self._open[-1]
        at = len(rows) - 1
        self._fill_from_above(table, at)
        for _ in range(self._spans[1]):
            for down in range(1, self._spans[0]):
                self._below[table, at + down, len(rows[at])] = text
            rows[at].append(text)
        self._fill_from_above(table, at)

    def _end_row(self, row: list[str]) -> None:
        if len(row) > 1 and self._spans == (1, len(row)):
            row[1:] = [""] * (len(row) - 1)
        self._spans = (1, 1)

    def _fill_from_above(self, table: int, at: int) -> None:
        row = self._open[-1][at]
        while (text := self._below.pop((table, at, len(row)), None)) is not None:
            row.append(text)


def _span(text: str | None) -> int:
    return min(int(text), _WIDEST_SPAN) if text and text.isdigit() and int(text) else 1
