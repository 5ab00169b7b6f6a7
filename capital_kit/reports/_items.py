"""What a report takes in, and what kind of part each item makes."""

from __future__ import annotations

import sys
from dataclasses import dataclass
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
    """One thing that was added, with its kind."""

    kind: PartKind
    value: Any

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
    kind = _kind_of(value)
    if kind is None:
        accepted = tr("reports.accepted.items")
        raise ReportError.of("report_item_unsupported", type=type(value).__name__, accepted=accepted)
    return Item(kind, value)


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
