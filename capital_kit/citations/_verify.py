"""The functions of the requirement document: resolve an anchor, check a claim against its source."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from capital_kit._core.normalise import HAN, LETTER, normalise
from capital_kit._core.notices import Notice
from capital_kit.citations._anchor import ANCHOR, ANCHOR_OR_STORED, Citation, read_anchor
from capital_kit.citations._keywords import Keyword, given_keywords, keywords_of, reading
from capital_kit.citations._locate import shown
from capital_kit.citations._match import Found, Index, all_near, best_window, negated
from capital_kit.citations._pages import plain_fragment
from capital_kit.citations._sources import Refused
from capital_kit.citations._store import Section, SourceFolder, SourceStore
from capital_kit.workspace import Workspace

Scope = Literal["section", "near"]
EXCERPT = 300
LONGEST_CLAIM = 20_000
_MOST_KEYWORDS = 400
_MARKS = re.compile(r"\*\*|~~|`|\{kw:[^{}\r\n]{1,500}\}")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a check found, before it is put into words."""

    code: str
    verified: bool
    found: tuple[Found, ...] = ()
    section: Section | None = None
    excerpt: str = ""
    excerpt_start: int = 0
    spans: tuple[tuple[str, int, int], ...] = ()
    warnings: tuple[Notice, ...] = ()


def resolve_citation(
    anchor: str | Citation,
    sources_dir: str | PathLike[str],
    *,
    workspace: Workspace | str | Path | None = None,
) -> str | None:
    """Return the text that an anchor names, or None.

    Parameters
    ----------
    anchor : str or Citation
        ``[type:id:locator]``.
    sources_dir : path
        The folder of the source files.
    workspace : Workspace or path, optional
        Where query results are stored: then ``[dataset:<dataset_id>:<query_id>]`` is a type too.

    Returns
    -------
    str or None
        The section as it stands in the source; None whenever it cannot be found there.
    """
    folder = sources_folder(sources_dir)
    citation = read_anchor(anchor, stored=workspace is not None)
    if isinstance(citation, str):
        return None
    try:
        files = SourceFolder(folder, workspace_of(workspace))
        return shown(SourceStore().section(citation, files).text)
    except Refused:
        return None


def verify_claim_against_source(
    claim_text: str,
    citation: str | Citation,
    sources_dir: str | PathLike[str],
    *,
    keywords: Sequence[str] | None = None,
    scope: Scope = "section",
    workspace: Workspace | str | Path | None = None,
) -> dict[str, Any]:
    """Check whether every keyword of a claim stands in the source that is cited for it.

    Parameters
    ----------
    claim_text : str
        The claim; anchors and tags in it are no part of it.
    citation : str or Citation
        The anchor.
    sources_dir : path
        The folder of the source files.
    keywords : sequence of str, optional
        Words to check in place of the claim's own, for a claim in another language.
    scope : {"section", "near"}
        Whether the keywords may stand anywhere in the section, or must stand near to each other.
    workspace : Workspace or path, optional
        Where query results are stored; see :func:`resolve_citation`.

    Returns
    -------
    dict
        ``verified``, ``matched_keywords``, ``missing_keywords``, ``source_excerpt``, ``reason``;
        then ``code`` and what it says (``message``), ``warnings``, ``spans`` (in the resolved
        text), ``keyword_kinds``, ``anchor_str``, ``source_path`` and ``source_sha256``. What is not
        in the source is not verified, without exception.
    """
    if not isinstance(claim_text, str):
        raise TypeError(f"claim_text must be str, not {type(claim_text).__name__}")
    if scope not in {"section", "near"}:
        raise TypeError(f"scope must be 'section' or 'near', not {scope!r}")
    folder = sources_folder(sources_dir)
    words = given_words(keywords)
    target = read_anchor(citation, stored=workspace is not None)
    claim = claim_text if workspace is None else ANCHOR_OR_STORED.sub(" ", claim_text)
    files = SourceFolder(folder, workspace_of(workspace))
    outcome = check(claim, target, files, store=SourceStore(), keywords=words, scope=scope)
    return {
        **as_requirement(outcome, target if isinstance(target, Citation) else str(citation)),
        "code": outcome.code,
        "warnings": [notice.to_dict() for notice in outcome.warnings],
        "spans": [
            {"keyword": word, "start": start + outcome.excerpt_start, "end": end + outcome.excerpt_start}
            for word, start, end in outcome.spans
        ],
        "message": Notice("citations", outcome.code).message,
        "keyword_kinds": sorted({item.keyword.kind for item in outcome.found}),
        "anchor_str": target.anchor_str if isinstance(target, Citation) else str(citation),
        "source_path": outcome.section.path if outcome.section else None,
        "source_sha256": outcome.section.sha256 if outcome.section else None,
    }


def as_requirement(outcome: Outcome, anchor: Citation | str) -> dict[str, Any]:
    """Return the five keys of the requirement document; the reasons are its sentences."""
    matched, missing = matched_words(outcome.found), missing_words(outcome.found)
    if outcome.code == "ok":
        reason = "all keywords matched"
    elif outcome.code == "no_keywords":
        reason = "no keywords to verify"
    elif outcome.code == "missing":
        reason = f"source missing: {', '.join(missing)}"
    elif outcome.code == "scattered":
        reason = "source missing: the keywords do not stand near to each other"
    elif outcome.code == "claim_too_long":
        reason = "claim too long to verify"
    else:
        name = anchor.anchor_str if isinstance(anchor, Citation) else anchor
        reason = f"anchor unresolvable: {name} ({outcome.code})"
    return {
        "verified": outcome.verified,
        "matched_keywords": matched,
        "missing_keywords": missing,
        "source_excerpt": outcome.excerpt,
        "reason": reason,
    }


def check(
    claim_text: str, citation: Citation | str, files: SourceFolder, *, store: SourceStore,
    keywords: Sequence[str] | None = None, scope: Scope = "section",
) -> Outcome:  # fmt: skip
    """Check one claim against one citation."""
    wanted = claim_keywords(claim_text, keywords)
    unchecked = tuple(Found(keyword, (), (keyword.text,)) for keyword in wanted or ())
    if isinstance(citation, str):
        return Outcome(citation, verified=False, found=unchecked)
    try:
        section = store.section(citation, files)
    except Refused as refusal:
        return Outcome(refusal.code, verified=False, found=unchecked)
    if wanted is None:
        return Outcome("claim_too_long", verified=False, section=section)
    found = tuple(section.index.find(keyword) for keyword in wanted)
    return judge(found, section, claim_text, scope=scope, located=bool(citation.locator))


def claim_keywords(claim_text: str, keywords: Sequence[str] | None = None) -> list[Keyword] | None:
    """Return the keywords of a claim, None if it is too long to be one."""
    if keywords is not None:
        words = list(dict.fromkeys(keywords))
        if len(words) > _MOST_KEYWORDS or sum(map(len, words)) > LONGEST_CLAIM:
            return None
        return given_keywords(words, [normalise(word) for word in words])
    if len(claim_text) > LONGEST_CLAIM:
        return None
    return keywords_of(reading(bare_claim(claim_text)))


def bare_claim(claim: str) -> str:
    """Return a claim without anchors, tags, entities and marks of Markdown."""
    return plain_fragment(_MARKS.sub("", ANCHOR.sub(" ", claim)))


def judge(
    found: tuple[Found, ...], section: Section, claim_text: str, *, scope: Scope, located: bool,
) -> Outcome:  # fmt: skip
    """Decide: at least one keyword, and none missing."""
    complete = bool(found) and all(item.ok for item in found)
    rows = section.index.rows
    row = section.index.in_one_row(found) if complete and rows else None
    found = row or found
    window = best_window(found, EXCERPT - 60)
    pieces = sum(len(item.pieces) for item in found)
    # What fits the excerpt is near; only what does not is looked at once more.
    near = not complete or row is not None or (window is not None and window[0] == pieces) or all_near(found)
    code = "no_keywords" if not found else "ok" if complete else "missing"
    if complete and (row is None if rows else scope == "near" and not near):
        code = "scattered"
    excerpt, start, spans = _excerpt(found, section.index, window)
    warnings = tuple(_warnings(found, section, claim_text, near=near or code == "scattered", located=located))
    return Outcome(code, code == "ok", found, section, excerpt, start, spans, warnings)


def _excerpt(
    found: Sequence[Found], index: Index, window: tuple[int, tuple[int, int]] | None,
) -> tuple[str, int, tuple[tuple[str, int, int], ...]]:  # fmt: skip
    """Return the fullest window of the section, where it begins, and the words matched in it."""
    source = index.source
    if window is None:
        return shown(source[:EXCERPT]), 0, ()
    first, last = index.norm.span(*window[1])
    spare = max(0, EXCERPT - (last - first))
    start = max(0, first - min(30, spare))
    end = min(len(source), start + EXCERPT)
    # Places are in order: only those within the excerpt are looked at.
    low, high = (bisect_left(index.norm.starts, edge) for edge in (start, end))
    marks = sorted({
        (span[0] - start, span[1] - start, item.keyword.text)
        for item in found for piece in item.pieces
        for place in piece.places[bisect_left(piece.places, (low, 0)) : bisect_left(piece.places, (high, 0))]
        if (span := index.norm.span(*place))[1] <= end
    })  # fmt: skip
    return shown(source[start:end]), start, tuple((word, a, b) for a, b, word in marks)


def _warnings(
    found: Sequence[Found], section: Section, claim: str, *, near: bool, located: bool,
) -> list[Notice]:  # fmt: skip
    notices = []
    text = section.index.text
    negator = negated(found, text, reading(bare_claim(claim[:LONGEST_CLAIM])).norm.text)
    if negator:
        notices.append(Notice("citations", "negation", word=negator))
    if not near:
        notices.append(Notice("citations", "scattered"))
    if len(found) == 1 and len(found[0].keyword.norm) <= 2:
        notices.append(Notice("citations", "weak", word=found[0].keyword.text))
    if not located:
        notices.append(Notice("citations", "whole_document"))
    incomplete = not all(item.ok for item in found)
    if (
        incomplete
        and re.search(f"[{HAN}]", claim)
        and not re.search(f"[{HAN}]", text)
        and re.search(f"[{LETTER}]", text)
    ):
        notices.append(Notice("citations", "cross_language"))
    return notices


def matched_words(found: Sequence[Found]) -> list[str]:
    """Return the keywords, and pieces of keywords, that stand in the source."""
    words = [item.keyword.text if item.ok else piece.text for item in found for piece in (item.pieces or ())]
    return list(dict.fromkeys(words))


def missing_words(found: Sequence[Found]) -> list[str]:
    """Return what does not stand in the source, in the spelling of the claim."""
    return list(dict.fromkeys(word for item in found for word in item.missing))


def given_words(keywords: Sequence[str] | None) -> list[str] | None:
    """Return the caller's keywords; raises ``TypeError`` for what is no sequence of str."""
    if keywords is None:
        return None
    if isinstance(keywords, str) or not all(isinstance(word, str) for word in keywords):
        raise TypeError("keywords must be a sequence of str")
    return list(keywords)


def workspace_of(workspace: Workspace | str | Path | None) -> Workspace | None:
    """Return the workspace that is asked for stored query results; None for none."""
    return None if workspace is None else Workspace.of(workspace)


def sources_folder(sources_dir: str | PathLike[str]) -> Path:
    """Return the folder as a path; raises ``TypeError``."""
    if not isinstance(sources_dir, str | PathLike):
        raise TypeError(f"sources_dir must be str or Path, not {type(sources_dir).__name__}")
    return Path(sources_dir)
