"""Leaves of JSON: the strings of a record, in order."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from typing import Any

from capital_kit.citations._pages import plain_fragment
from capital_kit.citations._sources import Refused

# What is no text of a source: identifiers, addresses, the echo of a query.
_NO_TEXT = frozenset({
    "nctid", "nct_id", "pmid", "pmcid", "pmc", "doi", "uid", "id", "_id", "ids", "url", "link", "links",
    "full_text_url", "fulltexturllist", "request", "orcid", "authoridlist", "investigatorlist", "email",
    "phone", "phoneext", "filename", "geopoint", "groupid", "result_group_id", "outcome_id",
    "ctgov_group_code", "size", "uploaddate", "versionholder",
})  # fmt: skip
_ADDRESS = re.compile(r"(?:https?|ftp)://\S+")
_ESCAPE = re.compile(r"\\([\\`*_{}\[\]()#+.!<>~|^=&$\"'-])")


def leaves(value: Any, *, markdown: bool = False, skip: Collection[str] = _NO_TEXT) -> list[str]:
    """Return the strings and numbers below ``value``; keys, booleans and null are no text."""
    found = []
    for text in _strings(value, skip):
        plain = _ESCAPE.sub(r"\1", text) if markdown else plain_fragment(text)
        if plain.strip() and not _ADDRESS.fullmatch(plain.strip()):
            found.append(plain)
    return found


def _strings(value: Any, skip: Collection[str]) -> Iterator[str]:
    # A stack of its own: a record may be nested more deeply than Python recurses.
    stack = [value]
    while stack:
        node = stack.pop()
        if isinstance(node, str):
            yield node
        elif isinstance(node, dict):
            stack.extend(item for key, item in reversed(node.items()) if str(key).lower() not in skip)
        elif isinstance(node, list):
            stack.extend(reversed(node))


def one(candidates: list[Any]) -> Any:
    """Return the only candidate.

    Raises
    ------
    Refused
        ``identity_mismatch`` unless there is exactly one.
    """
    if len(candidates) != 1:
        raise Refused("identity_mismatch")
    return candidates[0]


def walk(value: Any, *path: str) -> Any:
    """Return what lies at ``path``, or None."""
    for key in path:
        if not isinstance(value, dict) or key not in value:
            return None
        value = value[key]
    return value


def found(parts: list[str]) -> list[str]:
    """Return the parts.

    Raises
    ------
    Refused
        ``locator_not_found`` if there are none.
    """
    if not any(part.strip() for part in parts):
        raise Refused("locator_not_found")
    return parts


def field(record: dict[str, Any], name: str, *, markdown: bool = False) -> list[str]:
    """Return the leaves of a field of a flat record."""
    if name not in record or name.lower() in _NO_TEXT:
        raise Refused("locator_not_found")
    return found(leaves(record[name], markdown=markdown))


def is_same(value: Any, wanted: str) -> bool:
    """Whether a record's id is the one that was cited."""
    if isinstance(value, dict):
        value = value.get("#text", value.get("value"))
    return isinstance(value, str) and value.strip() == wanted
