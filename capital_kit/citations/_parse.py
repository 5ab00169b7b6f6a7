"""The parse function of the requirement document and the search for misspelled anchors."""

from __future__ import annotations

from typing import Any, Literal

from capital_kit.citations._blocks import Format
from capital_kit.citations._claims import near_misses, parse_report, report_blocks

_FORMATS = ("auto", "text", "markdown", "html")


def parse_citations_in_text(
    text: str,
    *,
    format: Format | Literal["auto"] = "auto",  # noqa: A002 - the contract's word
    extra_types: bool = False,
) -> list[dict[str, Any]]:
    """Return every anchor of a text with the claim it stands for.

    Parameters
    ----------
    text : str
        A report.
    format : {"auto", "text", "markdown", "html"}
        How the report is written. Code is skipped in Markdown; scripts, comments, attributes and
        code in HTML.
    extra_types : bool
        Whether ``[dataset:…]``, the anchor of a stored query result, is a type beside the eight.

    Returns
    -------
    list of dict
        ``anchor`` (a :class:`Citation`), ``anchor_str``, ``claim_sentence``, ``position``; then ``end``,
        ``raw``, ``claim_text`` (without tags and anchors), ``claim_span``, ``group`` (anchors side by side
        share one), ``context`` ("sentence", "row", "item", "heading") and ``keywords`` (inline
        keywords or None). All offsets are those of ``text``.
    """
    _check(text, format)
    return [
        {
            "anchor": claim.citation,
            "anchor_str": claim.citation.anchor_str,
            "claim_sentence": claim.claim_sentence,
            "position": claim.position,
            "end": claim.end,
            "raw": claim.raw,
            "claim_text": claim.claim_text,
            "claim_span": claim.claim_span,
            "group": claim.group,
            "context": claim.context,
            "keywords": list(claim.keywords) or None,
        }
        for claim in parse_report(text, format, stored=extra_types).claims
    ]


def lint_anchors(
    text: str,
    *,
    format: Format | Literal["auto"] = "auto",  # noqa: A002 - the contract's word
    extra_types: bool = False,
) -> list[dict[str, Any]]:
    """Return what looks like an anchor and is none; see :func:`parse_citations_in_text`.

    Returns
    -------
    list of dict
        ``raw``, ``position``, ``end``, ``code`` and ``suggestion`` (the right spelling, or None).
    """
    _check(text, format)
    return [miss.to_dict() for miss in near_misses(text, report_blocks(text, format), stored=extra_types)]


def _check(text: str, report_format: str) -> None:
    if not isinstance(text, str):
        raise TypeError(f"text must be str, not {type(text).__name__}")
    if report_format not in _FORMATS:
        raise TypeError(f"format must be one of {', '.join(_FORMATS)}, not {report_format!r}")
