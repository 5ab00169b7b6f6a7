"""Anchors: the grammar ``[type:id:locator]``, the citation they name, and what comes near to one."""

from __future__ import annotations

import difflib
import re
import unicodedata
from dataclasses import dataclass
from typing import Any

from capital_kit.citations._grammar import SOURCE_TYPES, STORED_TYPE

_WS = "[ \t\u00a0\u3000]{0,9}(?:\r?\n[ \t\u00a0\u3000]{0,9})?"
_ID = r"[^\W_][\w.()+\-]{0,127}(?<!\.)"
_TYPES = "|".join(SOURCE_TYPES)
_REST = rf"{_WS}:{_WS}(?P<id>{_ID}){_WS}(?::{_WS}(?P<locator>[^\[\]\r\n\x1e]{{1,200}}))?\]"
# Both ids of a stored query result have one form.
_STORED = rf"{STORED_TYPE}(?={_WS}:{_WS}ds_[0-9a-f]{{16}}{_WS}:{_WS}q_[0-9a-f]{{16}}{_WS}\])"
ANCHOR = re.compile(rf"\[(?P<type>{_TYPES}){_REST}")
ANCHOR_OR_STORED = re.compile(rf"\[(?P<type>{_TYPES}|{_STORED}){_REST}")
_SHAPE = re.compile(r"\[\s{0,9}(?P<type>[^\W\d_][\w-]{0,30})\s{0,9}:(?P<rest>[^\[\]\r\n]{0,300})\]")
_NEAR = re.compile(
    r"(?P<open>[\[［【(（])[ \t]{0,3}(?P<type>[^\W\d_][\w‐-―-]{0,30})[ \t]{0,3}(?P<colon>[:：])"
    r"(?P<rest>[^\[\]［］【】()（）\r\n\x1e。，；！？]{0,160})(?P<close>[\]］】)）]?)",
)
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?")
_ALIASES = {"guidelines": "guideline", "pubmed": "pmid", "nmpapage": "nmpa-page", "nmpa": "nmpa-page",
            "epmc": "europepmc", "trial": "nct", "trials": "nct"}  # fmt: skip


@dataclass(frozen=True, slots=True)
class Citation:
    """What an anchor names.

    Attributes
    ----------
    source_type : str
        One of the eight types of the grammar, or ``dataset`` where a workspace is asked too.
    source_id : str
        The name of the source, without a suffix (evidence ids carry theirs).
    locator : str
        The place inside the source; empty for the whole of it.
    """

    source_type: str
    source_id: str
    locator: str = ""

    @property
    def anchor_str(self) -> str:
        """The anchor in its one spelling."""
        tail = f":{self.locator}" if self.locator else ""
        return f"[{self.source_type}:{self.source_id}{tail}]"

    def to_dict(self) -> dict[str, str]:
        """Return the three parts as a dict."""
        return {
            "source_type": self.source_type,
            "source_id": self.source_id,
            "locator": self.locator,
        }

    def __str__(self) -> str:
        return self.anchor_str


def citation_of(match: re.Match[str]) -> Citation:
    """Return the citation of a match of an anchor."""
    locator = " ".join((match["locator"] or "").split())
    return Citation(match["type"], match["id"], locator)


def anchors(*, stored: bool) -> re.Pattern[str]:
    """Return the pattern of the eight types, or of these and of stored query results."""
    return ANCHOR_OR_STORED if stored else ANCHOR


def types(*, stored: bool) -> tuple[str, ...]:
    """Return the eight types, or these and that of stored query results."""
    return (*SOURCE_TYPES, STORED_TYPE) if stored else SOURCE_TYPES


def read_anchor(anchor: str | Citation, *, stored: bool = False) -> Citation | str:
    """Return the citation, or the code that says why there is none.

    ``stored`` admits the anchors of stored query results.

    Raises
    ------
    TypeError
        ``anchor`` is neither text nor a :class:`Citation`.
    """
    if isinstance(anchor, Citation):
        return anchor if _is_sound(anchor, stored=stored) else "bad_anchor"
    if not isinstance(anchor, str):
        raise TypeError(f"citation must be str or Citation, not {type(anchor).__name__}")
    text = anchor.strip()
    match = anchors(stored=stored).fullmatch(text)
    if match:
        return citation_of(match) if not _RESERVED.fullmatch(match["id"]) else "bad_id"
    shape = _SHAPE.fullmatch(text)
    if shape is None:
        return "bad_anchor"
    if shape["type"] not in types(stored=stored):
        return "unknown_type"
    return "bad_id"


def _is_sound(citation: Citation, *, stored: bool) -> bool:
    match = anchors(stored=stored).fullmatch(citation.anchor_str)
    return match is not None and citation_of(match) == citation and not _RESERVED.fullmatch(match["id"])


@dataclass(frozen=True, slots=True, kw_only=True)
class NearMiss:
    """What looks like an anchor and is none, why, and how it should be spelled (if that is plain)."""

    raw: str
    position: int
    end: int
    code: str
    suggestion: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return the fields as a dict."""
        return {name: getattr(self, name) for name in ("raw", "position", "end", "code", "suggestion")}


def find_near_misses(text: str, *, stored: bool = False) -> list[NearMiss]:
    """Return what looks like an anchor and is none."""
    taken = [match.span() for match in anchors(stored=stored).finditer(text)]
    misses: list[NearMiss] = []
    index = 0
    for match in _NEAR.finditer(text):
        first = match.start()
        while index < len(taken) and taken[index][1] <= first:
            index += 1
        if index < len(taken) and taken[index][0] <= first:
            continue
        code = _near_code(match, stored=stored)
        if code:
            raw = match[0].rstrip()
            end = first + len(raw)
            misses.append(NearMiss(raw=raw, position=first, end=end, code=code,
                                   suggestion=_suggest(match, stored=stored)))  # fmt: skip
    return misses


def _near_code(match: re.Match[str], *, stored: bool) -> str | None:
    kind, rest = _plain_type(match["type"]), match["rest"].strip()
    square = match["open"] == "[" and match["close"] == "]"
    if kind in types(stored=stored) or kind in _ALIASES.values():
        if not match["close"]:
            return "unclosed"
        if not square or match["colon"] == "：" or "：" in rest:
            return "width_or_bracket"
        if match["type"] != kind:
            return "type_spelling"
        return "bad_id" if rest.strip(": ") else "empty_id"
    if not square or rest.startswith("/") or match["colon"] != ":":
        return None
    # Only what is built like an anchor: two colons, or an id with digits; "[Fig:2]" is none.
    built = re.fullmatch(rf"{_ID}:\S.*", rest) or re.fullmatch(r"(?=.*[0-9]{4})[\w.-]{5,128}", rest)
    return "unknown_type" if built else None


def _plain_type(text: str) -> str:
    plain = re.sub("[‐-―_ ]", "-", unicodedata.normalize("NFKC", text)).casefold()
    return _ALIASES.get(plain.replace("-", ""), _ALIASES.get(plain, plain))


def _suggest(match: re.Match[str], *, stored: bool) -> str | None:
    rest = re.sub("[：]", ":", unicodedata.normalize("NFKC", match["rest"])).strip()
    parts = [part.strip() for part in rest.split(":", 1)]
    kind = _plain_type(match["type"])
    known = types(stored=stored)
    near = [kind] if kind in known else difflib.get_close_matches(kind, known, 1, 0.7)
    candidate = f"[{next(iter(near), kind)}:{':'.join(parts)}]"
    found = anchors(stored=stored).fullmatch(candidate)
    return citation_of(found).anchor_str if found else None
