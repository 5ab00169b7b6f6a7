"""What a query gives: a small table that says how it came about."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from capital_kit._core.html import Html
from capital_kit._core.notices import Notice
from capital_kit._core.records import plain
from capital_kit.datasets._description import plain_cells
from capital_kit.datasets._model import Column
from capital_kit.errors import QueryError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class QueryResult:
    """The answer to a query.

    Attributes
    ----------
    query_id : str
        Made from the data and the query: the same question to the same data has the same id.
    dataset_id, fingerprint, source_label : str
        What was asked.
    query : mapping
        The query in its one form; ``{"sql": …}`` for SQL.
    table : pyarrow.Table
        The rows.
    columns : tuple of Column
        What the columns are: kind, unit.
    matched_row_count : int or None
        How many rows of the dataset matched the filters; None for SQL.
    group_count : int or None
        How many groups there are; None where rows were asked for.
    total_count : int or None
        How many rows the result has without the limit; None for SQL.
    limit : int
        The most rows that were to be returned.
    truncated : bool
        Whether there are more rows than were returned.
    warnings : tuple of Notice
        What was left out, matched or doubted on the way.
    """

    query_id: str
    dataset_id: str
    fingerprint: str
    source_label: str
    query: Mapping[str, Any]
    table: pa.Table
    columns: tuple[Column, ...]
    matched_row_count: int | None = None
    group_count: int | None = None
    total_count: int | None = None
    limit: int
    truncated: bool
    warnings: tuple[Notice, ...] = ()

    @property
    def rows(self) -> list[dict[str, Any]]:
        """The rows as dicts of plain values: times as text, NaN and infinities as None."""
        names = [column.name for column in self.columns]
        return [dict(zip(names, row, strict=True)) for row in zip(*self._plain_columns(), strict=True)]

    @property
    def returned_count(self) -> int:
        """The number of rows."""
        return int(self.table.num_rows)

    @property
    def value(self) -> Any:
        """The one value of a result of one row and one column.

        Raises
        ------
        QueryError
            ``query_not_one_value`` if the result is larger or empty.
        """
        if (self.table.num_rows, self.table.num_columns) != (1, 1):
            raise QueryError.of(
                "query_not_one_value", rows=self.table.num_rows, columns=self.table.num_columns
            )  # fmt: skip
        return self._plain_columns()[0][0]

    def _plain_columns(self) -> list[list[Any]]:
        cells = zip(self.table.columns, self.columns, strict=True)
        return [plain_cells(values, column.kind) for values, column in cells]

    def __len__(self) -> int:
        return self.returned_count

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame; dates become datetime64."""
        frame: pd.DataFrame = self.table.to_pandas(date_as_object=False)
        return frame

    to_frame = to_pandas

    def to_dict(self) -> dict[str, Any]:
        """Return the result as strict JSON."""
        record: dict[str, Any] = plain({
            "query_id": self.query_id,
            "dataset_id": self.dataset_id,
            "fingerprint": self.fingerprint,
            "source_label": self.source_label,
            "query": self.query,
            "columns": [_about(column) for column in self.columns],
            "rows": self.rows,
            "matched_row_count": self.matched_row_count,
            "group_count": self.group_count,
            "total_count": self.total_count,
            "returned_count": self.returned_count,
            "limit": self.limit,
            "truncated": self.truncated,
            "warnings": self.warnings,
        })  # fmt: skip
        return record

    def __repr__(self) -> str:
        size = f"{self.returned_count} rows × {len(self.columns)} columns"
        return f"QueryResult({self.query_id!r}, {size}{', truncated' if self.truncated else ''})"

    def _repr_html_(self) -> str:
        return str(self._card())

    def _card(self) -> Html:
        from capital_kit.datasets._queries._cards import query_card

        return query_card(self)


def query_id(fingerprint: str, query: Mapping[str, Any]) -> str:
    """Return the id of a query in its one form to data with a fingerprint."""
    text = json.dumps([fingerprint, query], ensure_ascii=True, allow_nan=False, sort_keys=True)
    return f"q_{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def _about(column: Column) -> dict[str, Any]:
    record = {"name": column.name, "kind": column.kind, "unit": column.unit, "unit_scale": column.unit_scale}
    return record if column.timezone is None else {**record, "timezone": column.timezone}
