"""The store: sections by citation, each file read at its asking and parsed once for its contents."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from capital_kit._core.normalise import SEPARATOR
from capital_kit.citations._anchor import Citation
from capital_kit.citations._extract import TextSource, read_text_source
from capital_kit.citations._layouts import LAYOUTS
from capital_kit.citations._locate import locate_evidence, locate_guideline
from capital_kit.citations._match import Index
from capital_kit.citations._sources import Refused, SourceFile, open_source, open_toc, read_json


@dataclass(frozen=True, slots=True)
class Section:
    """The text that an anchor resolves to, and the file it comes from."""

    text: str
    path: str
    sha256: str
    index: Index


class SourceStore:
    """Sections that were read before.

    Every question opens its file again and asks for its digest: what is kept is the work on equal
    contents, never an answer for a file that has changed or gone.

    Parameters
    ----------
    max_bytes : int
        About how much memory the kept sections may take.
    """

    def __init__(self, max_bytes: int = 256 << 20) -> None:
        self._max_bytes = max_bytes
        self._kept: OrderedDict[tuple[Any, ...], tuple[Any, int]] = OrderedDict()
        self._size = 0
        self._lock = threading.Lock()

    def __repr__(self) -> str:
        return f"SourceStore(max_bytes={self._max_bytes})"

    def section(self, citation: Citation, sources_dir: Path) -> Section:
        """Return the section a citation names; raises ``Refused`` with the code of why not."""
        try:
            return self._section(citation, sources_dir)
        except (RecursionError, MemoryError) as error:
            raise Refused("too_large") from error

    def _section(self, citation: Citation, sources_dir: Path) -> Section:
        file = open_source(citation, sources_dir)
        toc = open_toc(citation, sources_dir) if citation.source_type == "guideline" else None
        key = (file.sha256, file.suffix, citation, repr(toc))
        index: Index = self._keep(key, lambda: self._index(citation, file, toc), _index_size)
        return Section(index.source, file.path, file.sha256, index)

    def _index(self, citation: Citation, file: SourceFile, toc: dict[str, Any] | None) -> Index:
        if file.suffix == ".json":
            data = read_json(file.data)
            parts = LAYOUTS[citation.source_type](data, citation.source_id, citation.locator)
            return Index(SEPARATOR.join(parts))
        source: TextSource = self._keep(
            (file.sha256, file.suffix), lambda: read_text_source(file), lambda text: 4 * len(text.raw),
        )  # fmt: skip
        if citation.source_type == "guideline":
            text = locate_guideline(source, citation.locator, toc)
        elif citation.source_type == "evidence":
            text = locate_evidence(source, citation.locator)
        elif citation.locator:
            raise Refused("locator_not_found")
        else:
            text = source.text_of(0, len(source.raw))
        return Index(text, loose_words=source.kind == "pdf")

    def _keep(self, key: tuple[Any, ...], make: Callable[[], Any], size: Callable[[Any], int]) -> Any:
        with self._lock:
            if key in self._kept:
                self._kept.move_to_end(key)
                return self._kept[key][0]
        value = make()
        cost = size(value) + 1000
        with self._lock:
            if key not in self._kept and cost <= self._max_bytes:
                self._kept[key] = (value, cost)
                self._size += cost
            while self._size > self._max_bytes:
                self._size -= self._kept.popitem(last=False)[1][1]
        return value


def _index_size(index: Index) -> int:
    # Text, normalised text and its map, the tables of words and numbers.
    return 40 * len(index.source)
