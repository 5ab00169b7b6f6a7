"""The record that describes a dataset."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from hashlib import sha256
from typing import TYPE_CHECKING, Any

from capital_kit._core.html import Html
from capital_kit._core.labels import tr
from capital_kit._core.notices import Notice
from capital_kit._core.records import plain
from capital_kit.datasets._model import TEMPORAL, Dataset, Kind, Source, column_not_found

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

HEAD = 5

Value = str | int | float | bool | None
"""One value of a column: dates and periods as ISO text (``2024-01-02``, ``2023Q1``)."""


def plain_cells(values: pa.ChunkedArray, kind: Kind) -> list[Any]:
    """Return the cells of a column as strict JSON takes them, times as text whatever their year."""
    if kind not in TEMPORAL:
        found: list[Any] = plain(values.to_pylist())
        return found
    from capital_kit.datasets._facts._kernel import time_name

    numbers = values.cast("int64" if kind == "datetime" else "int32").to_pylist()
    return [None if number is None else time_name(number, kind) for number in numbers]


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnFacts:
    """The facts about one column.

    ``nulls`` counts cells that state no value, ``non_finite`` NaN and infinities, ``count`` all
    others: the three add up to the rows. ``distinct`` counts values only. ``first`` and ``last``
    are the cells of the first and last row in file order, None where they state no value; text
    longer than 200 characters is cut with an ellipsis. ``earliest`` and ``latest`` are the numbers at
    the first and the last time of the axis, None without an axis or where several rows have that
    time. ``points`` is the number of distinct times at which a numeric column has a value; None
    without a time axis. ``trend`` holds the means, to six digits, of up to 48 equal parts of the rows
    in order of time, None for a part without values; it is None without an axis, in a panel and
    where all values are equal. Quantiles
    interpolate linearly; ``std`` divides by n − 1. ``outliers`` counts the values more than one and a
    half times the distance from p25 to p75 beyond these two. ``histogram`` counts 20 equal bins from
    min to max, None where these are equal. ``top`` holds the five most frequent texts, None where no
    text occurs twice; ``length_min`` and ``length_max`` count the characters of texts. ``normal_codes`` gives
    the codes of exchanges in one spelling (``600519.SH``), None where they have it. ``approx`` names
    the facts that are no exact ones, each with its error: of quantiles relative to the values they lie
    between, of ``distinct`` and of the counts in ``top`` relative to these, of ``histogram`` as a share
    of all values. It is empty for data in memory. Data in partitions have no ``trend`` and, where
    quantiles are approximate, no ``outliers``.
    """

    name: str
    header: str
    kind: Kind
    unit: str | None = None
    unit_scale: float | None = None
    role: str | None = None
    count: int = 0
    nulls: int = 0
    non_finite: int = 0
    distinct: int = 0
    constant: bool = False
    first: Value = None
    last: Value = None
    earliest: Value = None
    latest: Value = None
    min: Value = None
    max: Value = None
    sum: float | int | None = None
    mean: float | None = None
    std: float | None = None
    p01: float | None = None
    p05: float | None = None
    p25: float | None = None
    p50: float | None = None
    p75: float | None = None
    p95: float | None = None
    p99: float | None = None
    zeros: int | None = None
    negatives: int | None = None
    outliers: int | None = None
    length_min: int | None = None
    length_max: int | None = None
    normal_codes: Mapping[str, str] | None = None
    points: int | None = None
    histogram: tuple[int, ...] | None = None
    trend: tuple[float | None, ...] | None = None
    top: tuple[tuple[str, int], ...] | None = None
    null_tokens: Mapping[str, int] = field(default_factory=dict)
    approx: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeWindow:
    """A stretch of the time axis that ends with its last time.

    ``name`` is last_1_month, last_3_months, last_1_year or ytd. ``start`` and ``end`` are days, both
    inclusive; ``data_from``, ``data_to`` and ``points`` say which times of the axis lie in between.
    ``complete`` is False where the data begin later than the window.
    """

    name: str
    start: str
    end: str
    data_from: str
    data_to: str
    points: int
    complete: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeAxis:
    """The time axis.

    ``frequency`` is minute, hour, day, business-day, week, month, quarter, year or irregular;
    ``sorted`` is ascending, descending or no, in a panel entity by entity. ``points`` counts the
    distinct times and ``duplicates`` those that occur more than once, in a panel the repeated pairs
    of entity and time; None where partitions could not tell. ``median_step_seconds`` is given for an
    axis within the day, otherwise ``median_step_days``. ``windows`` look back from the last time.
    ``sessions`` are the spans of the day that minute and hour bars fill, as clock times of their
    first and last bar, and ``bars_per_day`` is the median number of distinct times a day; both None
    for any other axis.
    """

    column: str
    kind: Kind
    frequency: str
    sorted: str
    duplicates: int | None
    points: int
    nulls: int
    start: str
    end: str
    median_step_days: float | None = None
    median_step_seconds: float | None = None
    timezone: str | None = None
    gaps: int = 0
    largest_gap: tuple[str, str] | None = None
    windows: tuple[TimeWindow, ...] = ()
    sessions: tuple[tuple[str, str], ...] | None = None
    bars_per_day: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """What the columns are for.

    ``entity`` holds ``column``, ``distinct`` and ``panel``: whether several entities share times.
    ``evidence`` says why, role by role, and ``confidence`` how sure that is: 1.0 where the user chose
    the column, or its name is one of the role's and its values agree; 0.8 where only the name says
    so, or where the values had to decide what an ambiguous name means; 0.6 where only the values do.
    Prices have the share of complete bars whose high and low are right. The values of a time are
    times; of a volume not negative; of an amount money by their unit, or about volume times close;
    of an entity codes.
    """

    time: str | None = None
    ohlc: Mapping[str, str] | None = None
    volume: str | None = None
    amount: str | None = None
    entity: Mapping[str, Any] | None = None
    categories: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    evidence: Mapping[str, str] = field(default_factory=dict)
    confidence: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """What is wrong with the rows; counts, with a few examples as ``(row, text)``, 0-based.

    ``key`` holds ``columns``, ``duplicate_rows`` and ``missing_rows``, which lack a part of the key.
    Both counts of duplicate rows are None where partitions could not tell.
    """

    missing_cells: int = 0
    duplicate_rows: int | None = 0
    key: Mapping[str, Any] | None = None
    ohlc_complete: int | None = None
    ohlc_violations: int | None = None
    ohlc_examples: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesGroup:
    """Numeric columns that may share one scale: same unit, median magnitudes within a factor 20.

    ``shared_points`` counts the rows in which all have a value; in partitions at least so many have.
    """

    columns: tuple[str, ...]
    unit: str | None
    shared_points: int


@dataclass(frozen=True, slots=True, kw_only=True)
class QueryOutcome:
    """What became of one query: its result, or the error as ``code``, ``detail`` and ``hint``."""

    index: int
    result: Any = None
    error: Mapping[str, str] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return ``index`` with ``result`` or ``error`` as strict JSON."""
        found = {"result": self.result} if self.error is None else {"error": self.error}
        record: dict[str, Any] = plain({"index": self.index, **found})
        return record


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Inspection:
    """What ``inspect_dataset`` found: the columns, how they were read, and the first rows."""

    dataset: Dataset

    def to_frame(self) -> pd.DataFrame:
        """Return the first five rows."""
        return self.dataset.head()

    def to_dict(self) -> dict[str, Any]:
        """Return identity, source, columns and the first five rows as strict JSON."""
        first = self.dataset.first_rows(HEAD)
        cells = {
            column.name: plain_cells(first.column(column.name), column.kind)
            for column in self.dataset.columns
        }
        rows = [dict(zip(cells, row, strict=True)) for row in zip(*cells.values(), strict=True)]
        return {**self.dataset.to_dict(), "first_rows": rows}

    def __repr__(self) -> str:
        return repr(self.dataset).replace("Dataset", "Inspection", 1)

    def _repr_html_(self) -> str:
        return self.dataset._repr_html_()


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Description:
    """What ``describe_dataset`` found: one record, bounded, without rows.

    ``left_out`` names the columns that ``columns_of_interest`` keeps out of the record;
    ``overrides`` holds what the caller decided; ``queries`` what became of each query.
    """

    dataset: Dataset
    columns: tuple[ColumnFacts, ...]
    time_axis: TimeAxis | None
    roles: Roles
    quality: Quality
    series_groups: tuple[SeriesGroup, ...] = ()
    warnings: tuple[Notice, ...] = ()
    left_out: tuple[str, ...] = ()
    overrides: Mapping[str, Any] = field(default_factory=dict)
    queries: tuple[QueryOutcome, ...] = ()

    @property
    def rows(self) -> int:
        """The number of rows."""
        return self.dataset.rows

    @property
    def source(self) -> Source:
        """How the data were read."""
        return self.dataset.source

    @property
    def profile_ref(self) -> str:
        """Identifier of this record, made from the dataset's fingerprint and the overrides."""
        if not self.overrides:
            return f"pf_{self.dataset.fingerprint[:16]}"
        told = json.dumps(plain(self.overrides), sort_keys=True)
        return f"pf_{sha256((self.dataset.fingerprint + told).encode()).hexdigest()[:16]}"

    def column(self, name: str) -> ColumnFacts:
        """Return the facts about one column; ``dataset_column_not_found`` if the record has none."""
        for facts in self.columns:
            if facts.name == name:
                return facts
        raise column_not_found(name, [facts.name for facts in self.columns])

    def to_dict(self, limit: int | None = None) -> dict[str, Any]:
        """Return the record as strict JSON.

        Parameters
        ----------
        limit : int, optional
            The most code points that the record may have as JSON text. A longer one is not cut:
            it becomes ``{"status": "too_large"}`` with the names of the columns, its ``size`` and a
            hint, so that the caller can ask for less.
        """
        record: dict[str, Any] = plain({
            "status": "ok",
            "dataset_id": self.dataset.dataset_id,
            "profile_ref": self.profile_ref,
            "shape": self.dataset.shape,
            "rows": self.rows,
            "columns": self.columns,
            "left_out": self.left_out,
            "time_axis": self.time_axis,
            "roles": self.roles,
            "quality": self.quality,
            "series_groups": self.series_groups,
            "source": self.source,
            "overrides": self.overrides,
            "warnings": self.warnings,
            "queries": self.queries,
        })  # fmt: skip
        if limit is None or (size := len(json.dumps(record, ensure_ascii=False))) <= limit:
            return record
        return {
            "status": "too_large",
            **{key: record[key] for key in ("dataset_id", "profile_ref", "shape", "rows")},
            "columns": [facts.name for facts in self.columns],
            "size": size,
            "limit": limit,
            "hint": tr("describe.too_large.hint", size=size, limit=limit),
        }

    def to_frame(self) -> pd.DataFrame:
        """Return one row a column."""
        import pandas as pd

        return pd.DataFrame([plain(facts) for facts in self.columns])

    def __repr__(self) -> str:
        axis = self.time_axis
        when = f", {axis.frequency} {axis.start}…{axis.end}" if axis else ""
        return f"Description({self.source.label!r}, {self.rows} rows × {len(self.columns)} columns{when})"

    def _repr_html_(self) -> str:
        return str(self._card())

    def _card(self) -> Html:
        from capital_kit.datasets._cards._record import description_card

        return description_card(self)
