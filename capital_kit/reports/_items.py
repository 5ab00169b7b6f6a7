"""What a report takes in, and what kind of part each item makes."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from os import PathLike
from pathlib import Path
from typing import Any, Literal

from capital_kit._core.labels import tr
from capital_kit.errors import ReportError

PartKind = Literal["text", "data", "gate", "summary", "chart", "verdict", "table", "card", "foreign"]

# Known by name, so that a report of text alone loads neither the engine nor Plotly.
_KINDS: dict[str, PartKind] = {
    "Dataset": "data",
    "Description": "data",
    "GateDecision": "gate",
    "VisualizationSummary": "summary",
    "Chart": "chart",
    "ReportVerdict": "verdict",
}


@dataclass(frozen=True, slots=True)
class Item:
    """One thing that was added, with its kind; ``outline`` names it in the report's card."""

    kind: PartKind
    value: Any
    outline: str = ""

    @property
    def datasets(self) -> tuple[Any, ...]:
        """The dataset behind the item, if there is one."""
        described = getattr(self.value, "description", self.value) if self.kind == "summary" else self.value
        dataset = getattr(described, "dataset", described)
        return (dataset,) if hasattr(dataset, "fingerprint") and self.kind in {"data", "summary"} else ()


def item_of(value: object) -> Item:
    """Return the item with its kind.

    Raises
    ------
    ReportError
        ``report_item_unsupported``, with the types that are ``accepted``.
    """
    if isinstance(value, PathLike) or (type(value) is str and _is_file_name(value)):
        return Item("text", read_text(Path(value)))
    kind = _kind_of(value)
    if kind is None:
        raise _unsupported(value)
    if kind == "text":
        # A subclass may print other words than it holds; only what it holds is read.
        return Item(kind, str.__str__(value))
    if kind == "foreign":
        return _snapshot(value)
    return Item(kind, value)


def _is_file_name(text: str) -> bool:
    # As in verify_report: one line without blanks that ends like a file names one.
    return text.lower().endswith((".md", ".txt")) and not any(char.isspace() for char in text.strip())


def read_text(path: Path) -> str:
    """Return the Markdown of a file.

    Raises
    ------
    ReportError
        ``text_not_found`` or ``text_unreadable``.
    """
    try:
        return path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise ReportError.of("text_not_found", name=path.name) from None
    except (OSError, UnicodeDecodeError, ValueError) as error:
        reason = getattr(error, "strerror", None) or getattr(error, "reason", type(error).__name__)
        raise ReportError.of("text_unreadable", name=path.name, reason=reason) from None


def _snapshot(value: Any) -> Item:
    """Take the markup once, so that what is checked is what is written."""
    from capital_kit.reports._foreign import inert

    markup = value._repr_html_()
    if not isinstance(markup, str):
        raise _unsupported(value)
    # The default repr holds an address, which no two runs share.
    has_own = "__repr__" in {name for base in type(value).__mro__[:-1] for name in vars(base)}
    return Item("foreign", inert(markup), repr(value) if has_own else type(value).__name__)


def _unsupported(value: object) -> ReportError:
    accepted = tr("reports.accepted.items")
    return ReportError.of("report_item_unsupported", type=type(value).__name__, accepted=accepted)


def _kind_of(value: object) -> PartKind | None:
    if isinstance(value, str):
        return "text"
    pandas = sys.modules.get("pandas")
    if pandas is not None and isinstance(value, pandas.DataFrame):
        return "table"
    if isinstance(value, type):
        return None
    for base in type(value).__mro__:
        if base.__module__.startswith("capital_kit.") and base.__name__ in _KINDS:
            return _KINDS[base.__name__]
    if callable(getattr(value, "_card", None)):
        return "card"
    return "foreign" if callable(getattr(value, "_repr_html_", None)) else None
