"""A typed column on its way into a dataset."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import pyarrow as pa

from capital_kit._core.notices import Notice
from capital_kit.datasets._cells._headers import Header
from capital_kit.datasets._model import Column, Kind

STORAGE: dict[str, pa.DataType] = {
    "number": pa.float64(), "percent": pa.float64(), "integer": pa.int64(), "boolean": pa.bool_(),
    "date": pa.date32(), "month": pa.date32(), "quarter": pa.date32(), "year": pa.date32(),
    "datetime": pa.timestamp("us"),
}  # fmt: skip
"""How a kind is stored; all else is a string."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Typed:
    """The values of one column, what it is, and what was done to get there."""

    array: pa.Array | pa.ChunkedArray
    column: Column
    notices: tuple[Notice, ...] = ()

    def noting(self, *notices: Notice) -> Typed:
        """Return the same column with further notices."""
        return replace(self, notices=self.notices + notices)


def typed(
    header: Header | Column,
    kind: Kind,
    array: Any,
    *,
    unit: str | None = None,
    unit_scale: float | None = None,
    timezone: str | None = None,
    null_tokens: Mapping[str, int] | None = None,
    notices: Iterable[Notice] = (),
) -> Typed:
    """Return a column of ``kind``; the header's unit stands before the cells' unit."""
    storage = STORAGE.get(kind, pa.string())
    if array.type != storage:
        # Integers beyond 2^53 may become percents, which are floats.
        array = array.cast(storage, safe=storage != pa.float64())
    if header.unit is not None:
        unit, unit_scale = header.unit, header.unit_scale
    column = Column(
        name=header.name,
        header=header.written if isinstance(header, Header) else header.header,
        kind=kind,
        unit="%" if kind == "percent" else unit,
        unit_scale=None if kind == "percent" else unit_scale,
        timezone=timezone,
        null_tokens=dict(null_tokens or {}),
    )
    return Typed(array=array, column=column, notices=tuple(notices))


def examples(values: Iterable[Any], limit: int = 3) -> str:
    """Return the first few distinct values as one bounded text."""
    shown = list(dict.fromkeys(str(value) for value in values))[:limit]
    return ", ".join(text if len(text) <= 40 else f"{text[:39]}…" for text in shown)
