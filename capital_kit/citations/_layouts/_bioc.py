"""BioC: collections of NCBI and PubTator, lists of chunks, flat records."""

from __future__ import annotations

from typing import Any

from capital_kit.citations._layouts._leaves import field, found, is_same, leaves, one
from capital_kit.citations._sources import Refused

_SECTIONS = {
    "intro": "INTRO", "methods": "METHODS", "results": "RESULTS", "discussion": "DISCUSS",
    "conclusion": "CONCL", "abstract": "ABSTRACT", "title": "TITLE", "table": "TABLE", "fig": "FIG",
    "ref": "REF", "suppl": "SUPPL", "case": "CASE", "abbr": "ABBR", "appendix": "APPENDIX", "ack": "ACK_FUND",
}  # fmt: skip
PLACES = tuple(_SECTIONS)


def parts(data: Any, pmcid: str, locator: str) -> list[str]:
    """Return the passages of a section, of one table or figure, or all of them."""
    if isinstance(data, dict) and "documents" not in data and (data.keys() & {"pmcid", *_SECTIONS}):
        if "pmcid" in data and not is_same(data["pmcid"], pmcid):
            raise Refused("identity_mismatch")
        return field(data, locator) if locator else found(leaves(data))
    passages = _passages(data, pmcid)
    if not locator:
        return found([text for passage in passages for text in leaves(passage.get("text"))])
    kind, _, identity = locator.partition(":")
    section = _SECTIONS.get(kind)
    chosen = [
        passage for passage in passages
        if section is not None and _section(passage) == section
        and (not identity or is_same(_infons(passage).get("id"), identity))
    ]  # fmt: skip
    return found([text for passage in chosen for text in leaves(passage.get("text"))])


def _passages(data: Any, pmcid: str) -> list[dict[str, Any]]:
    documents = _documents(data)
    if documents is not None:
        digits = pmcid.removeprefix("PMC")
        document = one([d for d in documents if is_same(d.get("id"), digits) or is_same(d.get("id"), pmcid)])
        return _dicts(document.get("passages"))
    chunks = _dicts(data)
    if chunks and all(
        "text" in chunk and ("section" in chunk or "section_type" in chunk) for chunk in chunks
    ):
        # A list of chunks carries its id in every chunk or nowhere.
        if any("pmcid" in chunk and not is_same(chunk["pmcid"], pmcid) for chunk in chunks):
            raise Refused("identity_mismatch")
        return chunks
    raise Refused("unsupported_layout")


def _documents(data: Any) -> list[dict[str, Any]] | None:
    collections = data if isinstance(data, list) else [data]
    found_documents: list[dict[str, Any]] = []
    for collection in collections:
        rows = (
            collection.get("documents", collection.get("PubTator3")) if isinstance(collection, dict) else None
        )
        if not isinstance(rows, list):
            return None
        found_documents += _dicts(rows)
    return found_documents


def _section(passage: dict[str, Any]) -> str:
    infons = _infons(passage)
    name = infons.get("section_type") or passage.get("section_type") or passage.get("section")
    if name is None and infons.get("type") in {"title", "abstract"}:
        name = infons["type"]
    name = name if isinstance(name, str) else ""
    return _SECTIONS.get(name.lower(), name.upper())


def _infons(passage: dict[str, Any]) -> dict[str, Any]:
    infons = passage.get("infons")
    return infons if isinstance(infons, dict) else {}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
