"""The store: sections by citation, each file read at its asking and parsed once for its contents."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from capital_kit._core.normalise import SEPARATOR
from capital_kit.citations._anchor import Citation
from capital_kit.citations._extract import TextSource, read_text_source
from capital_kit.citations._grammar import STORED_TYPE
from capital_kit.citations._layouts import LAYOUTS
from capital_kit.citations._locate import locate_evidence, locate_guideline
from capital_kit.citations._match import Index
from capital_kit.citations._pdf import PdfReader
from capital_kit.citations._sources import Refused, SourceFile, open_source, read_json
from capital_kit.citations._stored import open_stored, read_stored
from capital_kit.workspace import Workspace

_OPENED = 128 << 20


@dataclass(frozen=True, slots=True)
class Section:
    """The text that an anchor resolves to, and the file it comes from."""

    text: str
    path: str
    sha256: str
    index: Index


class Kept:
    """Values by key, those used last, up to about a number of bytes."""

    def __init__(self, max_bytes: int) -> None:
        self.max_bytes = max_bytes
        self._values: OrderedDict[Hashable, tuple[Any, int]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def get(self, key: Hashable, make: Callable[[], Any], size: Callable[[Any], int]) -> Any:
        """Return the value of a key; what is not kept is made."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key][0]
        value = make()
        cost = size(value) + 1000
        with self._lock:
            if key not in self._values and cost <= self.max_bytes:
                self._values[key] = (value, cost)
                self._size += cost
            while self._size > self.max_bytes:
                self._size -= self._values.popitem(last=False)[1][1]
        return value


class SourceFolder:
    """The files below a sources folder as one run sees them: each is opened once for all its places.

    With a workspace its stored query results are sources too.
    """

    def __init__(self, path: Path, workspace: Workspace | None = None) -> None:
        self._path = path
        self._workspace = workspace
        self._files = Kept(_OPENED)

    def open(self, citation: Citation) -> SourceFile:
        """Return the file that a citation names; raises ``Refused``."""
        stored = citation.source_type == STORED_TYPE
        name = citation.locator if stored else citation.source_id
        file: SourceFile = self._files.get(
            (citation.source_type, name),
            lambda: self._stored(citation) if stored else open_source(citation, self._path),
            lambda opened: len(opened.data),
        )
        return file

    def _stored(self, citation: Citation) -> SourceFile:
        if self._workspace is None:
            raise Refused("unknown_type")
        return open_stored(citation, self._workspace)


class SourceStore:
    """Sections that were read before.

    Every run opens its files again and asks for their digests: what is kept is the work on equal
    contents, never an answer for a file that has changed or gone.

    Parameters
    ----------
    max_bytes : int
        About how much memory the kept sections may take.
    pdf_reader : callable, optional
        Takes the bytes of a PDF and returns the text of its pages, in place of pypdf; its text is
        held to the same gate of quality.
    """

    def __init__(self, max_bytes: int = 256 << 20, *, pdf_reader: PdfReader | None = None) -> None:
        self._kept = Kept(max_bytes)
        self._pdf_reader = pdf_reader

    def __repr__(self) -> str:
        return f"SourceStore(max_bytes={self._kept.max_bytes})"

    def section(self, citation: Citation, folder: SourceFolder) -> Section:
        """Return the section a citation names; raises ``Refused`` with the code of why not."""
        try:
            file = folder.open(citation)
            index = self._kept.get((file.digest, citation), lambda: self._index(citation, file), _index_size)
        except (RecursionError, MemoryError) as error:
            raise Refused("too_large") from error
        return Section(index.source, file.path, file.sha256, index)

    def text(self, file: SourceFile) -> TextSource:
        """Return the text of a file that is no JSON; raises ``Refused``."""
        text: TextSource = self._kept.get(
            (file.sha256, file.suffix),
            lambda: read_text_source(file, self._pdf_reader),
            lambda text: 4 * len(text.raw),
        )
        return text

    def _index(self, citation: Citation, file: SourceFile) -> Index:
        if citation.source_type == STORED_TYPE:
            text, rows = read_stored(file.data, citation).text()
            return Index(text, rows=rows)
        if file.suffix == ".json":
            data = read_json(file.data)
            parts = LAYOUTS[citation.source_type](data, citation.source_id, citation.locator)
            return Index(SEPARATOR.join(parts))
        source = self.text(file)
        if citation.source_type == "guideline":
            text = locate_guideline(source, citation.locator, file.toc)
        elif citation.source_type == "evidence":
            text = locate_evidence(source, citation.locator)
        elif citation.locator:
            raise Refused("locator_not_found")
        else:
            text = source.text_of(0, len(source.raw))
        return Index(text, loose_words=source.kind == "pdf")


def _index_size(index: Index) -> int:
    # Text, normalised text and its map, the tables of words and numbers.
    return 26 * len(index.source)
