"""Answers in pages: what an answer says about the rows that it does not hold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from capital_kit._core.notices import Notice

_TOTAL = re.compile(
    r"(?:dk|row|record|item|result)?s?_?total_?(?:count|rows|records|items|elements|results|num|number|size)?s?"
    r"|(?:num|number)_?of_?(?:rows|records|results)|总数|总条数|总记录数",
    re.IGNORECASE,
)
_MORE = re.compile(r"has_?(?:more|next)(?:_?page)?|next_?(?:page_?token|cursor)|next", re.IGNORECASE)


def page_notice(answer: Mapping[str, Any], rows: int) -> Notice | None:
    """Return what warns of an answer that is one page of several; None if it says nothing of that.

    Parameters
    ----------
    answer : mapping
        The fields beside the rows; what an object among them says, such as ``pagination``, counts too.
    rows : int
        The rows that the answer holds.
    """
    said = {
        f"{name}={str(value)[:60]}"
        for name, value in _fields(answer)
        if (_TOTAL.fullmatch(name) and isinstance(value, int) and value > rows)
        or (_MORE.fullmatch(name) and value)
    }
    return Notice("datasets", "page_of_more", rows=rows, fields=", ".join(sorted(said)[:4])) if said else None


def _fields(answer: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for name, value in answer.items():
        inner = value if isinstance(value, Mapping) else {name: value}
        yield from ((str(key), field) for key, field in inner.items())
