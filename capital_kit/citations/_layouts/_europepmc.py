"""Europe PMC: search answers (core or lite), single records, flat records."""

from __future__ import annotations

from typing import Any

from capital_kit.citations._layouts._leaves import field, found, is_same, leaves, one, walk
from capital_kit.citations._sources import Refused


def parts(data: Any, pmcid: str, locator: str) -> list[str]:
    """Return title, abstract, both, or a field of the record."""
    record = _record(data, pmcid)
    abstract = record.get("abstractText", record.get("abstract"))
    if not locator:
        return found([*leaves(record.get("title")), *leaves(abstract)])
    if locator == "abstract":
        return found(leaves(abstract))
    return field(record, locator)


def _record(data: Any, pmcid: str) -> dict[str, Any]:
    rows = walk(data, "resultList", "result")
    if rows is None:
        rows = [data]
    if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
        raise Refused("unsupported_layout")
    if rows == [data] and not any(key in data for key in ("pmcid", "id", "pmid")):
        # A flat record may leave its id to the name of its file.
        if "title" not in data and "abstract" not in data:
            raise Refused("unsupported_layout")
        flat: dict[str, Any] = data
        return flat
    record: dict[str, Any] = one([row for row in rows if _names(row, pmcid)])
    return record


def _names(row: dict[str, Any], wanted: str) -> bool:
    if wanted.startswith("PMC") or "pmcid" not in row:
        key = "pmcid" if "pmcid" in row else "id" if "id" in row else "pmid"
        return is_same(row.get(key), wanted)
    return is_same(row.get("id"), wanted) or is_same(row.get("pmid"), wanted)
