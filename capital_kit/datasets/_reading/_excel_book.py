"""An .xlsx workbook: a zip of XML parts, of which only those that concern cells are opened.

No macro, no link, no object is touched. What a file says of fonts, fills and charts is not looked at,
so that none of it can be wrong.
"""

from __future__ import annotations

import contextlib
import io
import posixpath
import re
import zipfile
import zlib
from collections.abc import Iterator
from xml.parsers import expat

from capital_kit.datasets._reading._excel_cells import (
    Grid,
    Sheet,
    SheetReader,
    local_name,
    parser_of,
    text_of,
)
from capital_kit.datasets._reading._excel_formats import BUILT_IN, PLAIN, Format, read_format
from capital_kit.datasets._reading._files import check_inflation, damaged
from capital_kit.errors import DatasetError

_BLOCK = 1024 * 1024
_WRONG = (
    zipfile.BadZipFile, zlib.error, expat.ExpatError, OSError, KeyError, ValueError, IndexError, EOFError,
    NotImplementedError, RuntimeError, OverflowError,
)  # fmt: skip


def open_xlsx(content: bytes, label: str) -> list[Sheet]:
    """Return the worksheets of a workbook in their order.

    Raises
    ------
    DatasetError
        ``dataset_too_large`` for a zip that inflates beyond the limits, ``dataset_not_row_readable``
        for a damaged one.
    """
    with _readable(label):
        archive = zipfile.ZipFile(io.BytesIO(content))
        check_inflation(archive.infolist(), label)
        return _Book(archive, label).sheets()


@contextlib.contextmanager
def _readable(label: str) -> Iterator[None]:
    try:
        yield
    except DatasetError:
        raise
    except _WRONG as error:
        raise damaged(label, "xlsx", error) from None


class _Book:
    """The parts of a workbook that concern its cells."""

    def __init__(self, archive: zipfile.ZipFile, label: str) -> None:
        self.archive = archive
        self.label = label
        self.names = set(archive.namelist())
        books = [name for name in sorted(self.names) if re.fullmatch(r"xl/\w*workbook\w*\.xml", name)]
        if not books:
            raise KeyError("xl/workbook.xml")
        self.part = "xl/workbook.xml" if "xl/workbook.xml" in books else books[0]
        self.from_1904 = False
        self.strings: list[str] | None = None
        self.formats: list[Format] = [PLAIN]

    def sheets(self) -> list[Sheet]:
        links = self._links()
        out = []
        for tag, attributes in self._elements(self.part):
            if tag == "workbookPr":
                self.from_1904 = attributes.get("date1904") in ("1", "true")
            if tag == "sheet":
                key = next((value for name, value in attributes.items() if local_name(name) == "id"), "")
                part, sort = links.get(key, ("", ""))
                if sort == "worksheet" and part in self.names:
                    hidden = attributes.get("state", "visible") != "visible"
                    out.append(self._sheet(attributes.get("name", ""), part, hidden=hidden))
        return out

    def _sheet(self, name: str, part: str, *, hidden: bool) -> Sheet:
        return Sheet(
            name=name, hidden=hidden, load=lambda: self._load(part), is_filled=lambda: self._is_filled(part)
        )

    def _links(self) -> dict[str, tuple[str, str]]:
        """Return part and sort of what the workbook links to, by the identifiers that it uses."""
        folder, name = posixpath.split(self.part)
        out = {}
        for tag, link in self._elements(f"{folder}/_rels/{name}.rels"):
            if tag == "Relationship" and link.get("TargetMode") != "External":
                path = posixpath.normpath(posixpath.join("/" + folder, link.get("Target", ""))).lstrip("/")
                out[link.get("Id", "")] = (path, link.get("Type", "").rpartition("/")[2])
        return out

    def _elements(self, part: str) -> list[tuple[str, dict[str, str]]]:
        out: list[tuple[str, dict[str, str]]] = []
        parser = parser_of(self.label)
        parser.StartElementHandler = lambda tag, attributes: out.append((local_name(tag), attributes))
        parser.Parse(self.archive.read(part), True)
        return out

    def _load(self, part: str) -> Grid:
        with _readable(self.label):
            if self.strings is None:
                parts = {sort: path for path, sort in self._links().values() if path in self.names}
                self.strings = self._read_strings(parts.get("sharedStrings"))
                self.formats = self._read_formats(parts.get("styles"))
            grid = Grid(formats=self.formats, from_1904=self.from_1904)
            SheetReader(grid, self.strings, self.label).read(self._blocks(part))
        return grid

    def _is_filled(self, part: str) -> bool:
        reader = SheetReader(Grid(), None, self.label)
        try:
            with _readable(self.label):
                reader.read(self._blocks(part))
        except DatasetError:
            return True
        return reader.is_filled

    def _blocks(self, part: str) -> Iterator[bytes]:
        with self.archive.open(part) as file:
            while block := file.read(_BLOCK):
                yield block

    def _read_strings(self, part: str | None) -> list[str]:
        if part is None:
            return []
        reader = _StringReader(self.label)
        for block in self._blocks(part):
            reader.parser.Parse(block)
        reader.parser.Parse(b"", True)
        return reader.strings

    def _read_formats(self, part: str | None) -> list[Format]:
        if part is None:
            return [PLAIN]
        codes: dict[int, str] = dict(BUILT_IN)
        used: list[int] = []
        inside = False
        for tag, attributes in self._elements(part):
            if tag == "numFmt" and "formatCode" in attributes:
                codes[int(attributes["numFmtId"])] = attributes["formatCode"]
            elif tag in ("cellXfs", "cellStyleXfs", "cellStyles", "dxfs"):
                inside = tag == "cellXfs"
            elif tag == "xf" and inside:
                used.append(int(attributes.get("numFmtId", 0)))
        return [read_format(codes.get(number, "General")) for number in used] or [PLAIN]


class _StringReader:
    """Collects the texts that cells share; how they are pronounced is left out."""

    def __init__(self, label: str) -> None:
        self.strings: list[str] = []
        self._parts: list[str] = []
        self._spoken = False
        self.parser = parser_of(label)
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end

    def _start(self, tag: str, _: dict[str, str]) -> None:
        tag = local_name(tag)
        if tag == "rPh":
            self._spoken = True
        elif tag == "t" and not self._spoken:
            self.parser.CharacterDataHandler = self._parts.append

    def _end(self, tag: str) -> None:
        tag = local_name(tag)
        if tag == "t":
            self.parser.CharacterDataHandler = None
        elif tag == "rPh":
            self._spoken = False
        elif tag == "si":
            self.strings.append(text_of(self._parts))
            self._parts.clear()
