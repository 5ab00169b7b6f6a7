"""Why an anchor resolves or does not, and which places its source has instead."""

from __future__ import annotations

import difflib
from os import PathLike
from pathlib import Path
from typing import Any

from capital_kit._core.notices import Notice
from capital_kit.citations._anchor import Citation, read_anchor
from capital_kit.citations._layouts import PLACES
from capital_kit.citations._locate import guideline_places
from capital_kit.citations._sources import Refused, SourceFile, place_of, read_json
from capital_kit.citations._store import SourceFolder, SourceStore
from capital_kit.citations._verify import sources_folder, workspace_of
from capital_kit.workspace import Workspace

_MOST = 5
_MOST_TRIED = 2000
_MOST_KEYS = 200


def explain_citation(
    anchor: str | Citation,
    sources_dir: str | PathLike[str],
    *,
    workspace: Workspace | str | Path | None = None,
) -> dict[str, Any]:
    """Return why an anchor resolves or does not; ``workspace`` as for :func:`resolve_citation`.

    Returns
    -------
    dict
        ``code`` ("ok" or the reason), ``message``, ``path``, ``type``, ``id``, ``locator``, ``chars``,
        ``sha256``, and ``suggestions``: places that the source has, the nearest first, where it has
        not the one that was asked for.
    """
    folder = sources_folder(sources_dir)
    citation = read_anchor(anchor, stored=workspace is not None)
    result: dict[str, Any] = {"code": "ok", "path": None, "type": None, "id": None, "locator": None,
                              "chars": None, "sha256": None, "suggestions": []}  # fmt: skip
    if isinstance(citation, str):
        return result | {"code": citation, "message": Notice("citations", citation).message}
    result |= {"type": citation.source_type, "id": citation.source_id, "locator": citation.locator}
    store, files = SourceStore(), SourceFolder(folder, workspace_of(workspace))
    try:
        section = store.section(citation, files)
        result |= {"path": section.path, "chars": len(section.text), "sha256": section.sha256}
    except Refused as refusal:
        result["code"] = refusal.code
        if refusal.code == "locator_not_found":
            result["suggestions"] = _nearest(citation, store, files)
    return result | {"message": _message(result, citation)}


def _message(result: dict[str, Any], citation: Citation) -> str:
    if result["code"] == "no_file":
        return Notice("citations", "no_file_at", place=place_of(citation)).message
    if result["suggestions"]:
        return Notice("citations", "locator_not_found_near", places=result["suggestions"]).message
    return Notice("citations", result["code"]).message


def _nearest(citation: Citation, store: SourceStore, files: SourceFolder) -> list[str]:
    """Return the places of the source that are spelled most like the one asked for."""
    try:
        found = _places(citation, store, files)[:_MOST_TRIED]
    except (Refused, RecursionError):
        return []
    near = difflib.get_close_matches(citation.locator[:60], found, _MOST, 0.4)
    return near or found[:_MOST]


def _places(citation: Citation, store: SourceStore, files: SourceFolder) -> list[str]:
    file = files.open(citation)
    if file.suffix == ".json":
        return [name for name in _fields(citation, file) if _resolves(citation, name, store, files)]
    source = store.text(file)
    if citation.source_type == "guideline":
        return guideline_places(source, file.toc)
    return [f"line:1-{len(source.lines)}"] if citation.source_type == "evidence" else []


def _fields(citation: Citation, file: SourceFile) -> list[str]:
    """Return the locators of the type, then the keys of the record."""
    data = read_json(file.data)
    keys = [key for key in data if len(key) <= 60] if isinstance(data, dict) else []
    return list(dict.fromkeys([*PLACES[citation.source_type], *keys[:_MOST_KEYS]]))


def _resolves(citation: Citation, locator: str, store: SourceStore, files: SourceFolder) -> bool:
    try:
        store.section(Citation(citation.source_type, citation.source_id, locator), files)
    except Refused:
        return False
    return True
