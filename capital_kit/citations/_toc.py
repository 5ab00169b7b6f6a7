"""A table of contents for a guideline that has none, made from its numbered headings."""

from __future__ import annotations

import json
import os
import tempfile
from bisect import bisect_right
from collections import Counter
from contextlib import suppress
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any

from capital_kit.citations._anchor import Citation, read_anchor
from capital_kit.citations._extract import TextSource
from capital_kit.citations._locate import Heading, headings_of, section_end
from capital_kit.citations._sources import PLACES, Refused
from capital_kit.citations._store import SourceFolder, SourceStore
from capital_kit.errors import CitationError


@dataclass(frozen=True, slots=True, kw_only=True)
class Toc:
    """A table of contents that was written.

    Attributes
    ----------
    path : str
        The file, relative to the sources folder.
    entries : dict
        By locator: where the section begins and ends, in lines (pages for a PDF).
    ambiguous : tuple of str
        Numbers that stand before more than one heading: nobody could tell which is meant, so they
        are left out.
    """

    path: str
    entries: dict[str, dict[str, int]]
    ambiguous: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the table as strict JSON."""
        return {"path": self.path, "entries": self.entries, "ambiguous": list(self.ambiguous)}


def write_toc(guideline: str, sources_dir: str | PathLike[str], *, replace: bool = False) -> Toc:
    """Write ``<id>.toc.json`` beside a guideline, from its numbered headings.

    Parameters
    ----------
    guideline : str
        The id of the guideline, as in ``[guideline:<id>:…]``.
    sources_dir : path
        The folder of the source files.
    replace : bool
        Whether a table that is there may be replaced.

    Raises
    ------
    CitationError
        ``toc_exists``, ``toc_no_headings``, ``toc_no_source``, ``toc_not_writable``.
    """
    folder = Path(sources_dir)
    name = f"{PLACES['guideline'][0]}/{guideline}.toc.json"
    try:
        source = SourceStore().text(SourceFolder(folder).open(Citation("guideline", _sound(guideline))))
    except Refused as refusal:
        raise CitationError.of("toc_no_source", name=guideline[:80], cause=refusal.code) from refusal
    if source.kind == "html":
        raise CitationError.of("toc_no_headings", "page", name=guideline)
    if (folder / name).exists() and not replace:
        raise CitationError.of("toc_exists", name=name)
    toc = toc_of(source, name)
    if not toc.entries:
        raise CitationError.of("toc_no_headings", name=guideline)
    _write(folder / name, json.dumps(toc.entries, ensure_ascii=False, indent=1).encode())
    return toc


def _sound(guideline: str) -> str:
    if not isinstance(guideline, str):
        raise TypeError(f"guideline must be str, not {type(guideline).__name__}")
    citation = read_anchor(f"[guideline:{guideline}]")
    if isinstance(citation, str) or citation.source_id != guideline:
        raise Refused("bad_id")
    return guideline


def toc_of(source: TextSource, path: str) -> Toc:
    """Return the table of contents of a source."""
    headings = headings_of(source)
    numbers = Counter(heading.number for heading in headings if heading.number)
    ambiguous = tuple(number for number, count in numbers.items() if count > 1)
    entries = {
        f"§{heading.number}": _place(source, headings, index)
        for index, heading in enumerate(headings)
        if numbers[heading.number] == 1
    }
    return Toc(path=path, entries=entries, ambiguous=ambiguous)


def _place(source: TextSource, headings: list[Heading], index: int) -> dict[str, int]:
    first, end = headings[index].start, section_end(source, headings, index)
    if source.kind == "pdf":
        starts, at = [0], 0
        for page in source.pages[:-1]:
            at += len(page) + 1
            starts.append(at)
        unit = "page"
    else:
        starts, unit = [start for start, _ in source.lines], "line"
    return {
        f"start_{unit}": bisect_right(starts, first),
        f"end_{unit}": bisect_right(starts, max(first, end - 1)),
    }


def _write(path: Path, data: bytes) -> None:
    """Write a file whole or not at all."""
    try:
        handle, name = tempfile.mkstemp(prefix=".tmp-", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            Path(name).replace(path)
        except BaseException:
            with suppress(OSError):
                Path(name).unlink()
            raise
    except OSError as error:
        reason = error.strerror or type(error).__name__
        raise CitationError.of("toc_not_writable", name=path.name, reason=reason) from error
