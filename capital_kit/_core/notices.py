"""Notices: warnings and reasons with a stable code and a sentence in the reader's language."""

from __future__ import annotations

from typing import Any

from capital_kit._core.labels import tr
from capital_kit._core.records import plain


class Notice:
    """One warning or reason.

    Parameters
    ----------
    area : str
        Whose catalogue holds the sentence, under ``<area>.notice.<code>``.
    code : str
        Stable identifier.
    **details
        Values for the sentence: counts, columns, examples.
    """

    __slots__ = ("area", "code", "details")

    def __init__(self, area: str, code: str, **details: Any) -> None:
        self.area = area
        self.code = code
        self.details = details

    @property
    def message(self) -> str:
        """The sentence, in ``options.language``."""
        return tr(f"{self.area}.notice.{self.code}", **self.details)

    def to_dict(self) -> dict[str, Any]:
        """Return ``{"code", "message", **details}`` as strict JSON."""
        details: dict[str, Any] = plain(self.details)
        return {"code": self.code, "message": self.message, **details}

    def __repr__(self) -> str:
        return f"Notice({self.code!r}: {self.message})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Notice) and (self.area, self.code, self.details) == (
            other.area, other.code, other.details,
        )  # fmt: skip

    def __hash__(self) -> int:
        return hash((self.area, self.code, repr(sorted(self.details.items()))))
