"""The dataset: a typed table, what each column is, and how it was read."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

from capital_kit._core.html import Html
from capital_kit._core.notices import Notice
from capital_kit.errors import DatasetError

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

Kind = Literal[
    "number", "integer", "percent", "code", "category", "text", "boolean",
    "date", "datetime", "month", "quarter", "year", "mixed", "empty",
]  # fmt: skip
NUMERIC: frozenset[Kind] = frozenset({"number", "integer", "percent"})
TEMPORAL: frozenset[Kind] = frozenset({"date", "datetime", "month", "quarter", "year"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Column:
    """What one column is.

    How a kind is stored: number and percent (in points) as float64, integer as int64, boolean as
    bool, date as date32, datetime as timestamp[us] without zone (wall time of ``timezone``),
    month, quarter and year as date32 of the period's first day, all else as string.
    """

    name: str
    header: str
    kind: Kind
    unit: str | None = None
    unit_scale: float | None = None
    timezone: str | None = None
    null_tokens: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """Where a dataset comes from and how it was read; no path, only the file's name."""

    format: str
    label: str
    encoding: str | None = None
    delimiter: str | None = None
    sheet: str | None = None
    skip_top: int | None = None
    header_rows: int | None = None
    total_rows: int | None = None
    skip_bottom: int | None = None
    row_key: str | None = None


def column_not_found(name: str, names: Sequence[str]) -> DatasetError:
    """Return the error about a column that is none of ``names``."""
    available = list(names[:15])
    return DatasetError.of(
        "dataset_column_not_found", name=name, available=available, available_total=len(names)
    )


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Dataset:
    """A table that was read once, with the facts about its reading.

    Attributes
    ----------
    table : pyarrow.Table
        The typed rows; its column names equal ``names``.
    columns : tuple of Column
        One entry a column, in file order.
    source : Source
        Format, encoding and the other facts of reading.
    shape : {"rows", "document"}
        ``document`` for JSON without a list of rows; its table lists the leaves, path and value.
    warnings : tuple of Notice
        What was done or doubted on the way.
    """

    table: pa.Table
    columns: tuple[Column, ...]
    source: Source
    shape: Literal["rows", "document"] = "rows"
    warnings: tuple[Notice, ...] = ()

    @property
    def names(self) -> tuple[str, ...]:
        """The column names."""
        return tuple(column.name for column in self.columns)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.table.num_rows)

    @cached_property
    def fingerprint(self) -> str:
        """SHA-256 of names, types and values; equal data have equal fingerprints."""
        from capital_kit.datasets._fingerprint import fingerprint

        return fingerprint(self)

    @property
    def dataset_id(self) -> str:
        """Identifier made from the fingerprint: the same data, the same id."""
        return f"ds_{self.fingerprint[:16]}"

    def column(self, name: str) -> Column:
        """Return what a column is.

        Raises
        ------
        DatasetError
            ``dataset_column_not_found``, with the names that are ``available``.
        """
        for column in self.columns:
            if column.name == name:
                return column
        raise column_not_found(name, self.names)

    def __getitem__(self, name: str) -> pd.Series[Any]:
        self.column(name)
        return self.to_pandas()[name]

    def _ipython_key_completions_(self) -> list[str]:
        return list(self.names)

    def __len__(self) -> int:
        return self.rows

    def head(self, n: int = 5) -> pd.DataFrame:
        """Return the first ``n`` rows as a pandas DataFrame."""
        frame: pd.DataFrame = self.first_rows(n).to_pandas(date_as_object=False)
        return frame

    def first_rows(self, n: int) -> pa.Table:
        """Return the first ``n`` rows as an Arrow table."""
        return self.table.slice(0, max(n, 0))

    def to_pandas(self) -> pd.DataFrame:
        """Return the rows as a pandas DataFrame; dates become datetime64."""
        return self.table.to_pandas(date_as_object=False)

    to_frame = to_pandas

    def to_dict(self) -> dict[str, Any]:
        """Return identity, source and columns as strict JSON; no rows."""
        from capital_kit._core.records import plain

        record: dict[str, Any] = plain({
            "dataset_id": self.dataset_id,
            "shape": self.shape,
            "rows": self.rows,
            "columns": self.columns,
            "source": self.source,
            "warnings": self.warnings,
        })  # fmt: skip
        return record

    def __repr__(self) -> str:
        return f"Dataset({self.source.label!r}, {self.rows} rows × {len(self.columns)} columns)"

    def _repr_html_(self) -> str:
        return str(self._card())

    def _card(self) -> Html:
        from capital_kit.datasets._cards._record import dataset_card

        return dataset_card(self)
