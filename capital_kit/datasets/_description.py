"""The record that describes a dataset."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from capital_kit._core.html import Html
from capital_kit._core.notices import Notice
from capital_kit._core.records import plain
from capital_kit.datasets._model import Dataset, Kind, Source

if TYPE_CHECKING:
    import pandas as pd

Value = str | int | float | bool | None
"""One value of a column: dates and periods as ISO text (``2024-01-02``, ``2023Q1``)."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnFacts:
    """The facts about one column.

    ``nulls`` counts cells that state no value, ``non_finite`` NaN and infinities, ``count`` all
    others: the three add up to the rows. ``distinct`` counts values only. ``first`` and ``last``
    are the cells of the first and last row in file order, None where they state no value; text
    longer than 200 characters is cut with an ellipsis. ``latest`` is the number at the last time of the
    axis, None without an axis or where several rows have that time. ``points`` is the number of
    distinct times at which a numeric column has a value; None without a time axis. Quantiles
    interpolate linearly; ``std`` divides by n − 1. ``histogram`` counts 20 equal bins from min to max,
    None where these are equal. ``top`` holds the five most frequent texts, None where no text occurs
    twice.
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
    latest: Value = None
    min: Value = None
    max: Value = None
    sum: float | int | None = None
    mean: float | None = None
    std: float | None = None
    p25: float | None = None
    p50: float | None = None
    p75: float | None = None
    zeros: int | None = None
    negatives: int | None = None
    points: int | None = None
    histogram: tuple[int, ...] | None = None
    top: tuple[tuple[str, int], ...] | None = None
    null_tokens: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class TimeAxis:
    """The time axis.

    ``frequency`` is minute, hour, day, business-day, week, month, quarter, year or irregular;
    ``sorted`` is ascending, descending or no, in a panel entity by entity. ``points`` counts the
    distinct times and ``duplicates`` those that occur more than once, in a panel the repeated pairs
    of entity and time. ``median_step_seconds`` is given for an axis within the day, otherwise
    ``median_step_days``.
    """

    column: str
    kind: Kind
    frequency: str
    sorted: str
    duplicates: int
    points: int
    nulls: int
    start: str
    end: str
    median_step_days: float | None = None
    median_step_seconds: float | None = None
    timezone: str | None = None
    gaps: int = 0
    largest_gap: tuple[str, str] | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Roles:
    """What the columns are for.

    ``entity`` holds ``column``, ``distinct`` and ``panel``: whether several entities share times.
    ``evidence`` says why, role by role.
    """

    time: str | None = None
    ohlc: Mapping[str, str] | None = None
    volume: str | None = None
    amount: str | None = None
    entity: Mapping[str, Any] | None = None
    categories: tuple[str, ...] = ()
    measures: tuple[str, ...] = ()
    evidence: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Quality:
    """What is wrong with the rows; counts, with a few examples as ``(row, text)``, 0-based.

    ``key`` holds ``columns``, ``duplicate_rows`` and ``missing_rows``, which lack a part of the key.
    """

    missing_cells: int = 0
    duplicate_rows: int = 0
    key: Mapping[str, Any] | None = None
    ohlc_complete: int | None = None
    ohlc_violations: int | None = None
    ohlc_examples: tuple[tuple[int, str], ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesGroup:
    """Numeric columns that may share one scale: same unit, median magnitudes within a factor 20."""

    columns: tuple[str, ...]
    unit: str | None
    shared_points: int


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Description:
    """What ``describe_dataset`` found: one record, bounded, without rows."""

    dataset: Dataset
    columns: tuple[ColumnFacts, ...]
    time_axis: TimeAxis | None
    roles: Roles
    quality: Quality
    series_groups: tuple[SeriesGroup, ...] = ()
    warnings: tuple[Notice, ...] = ()

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
        """Identifier of this record, made from the dataset's fingerprint."""
        return f"pf_{self.dataset.fingerprint[:16]}"

    def column(self, name: str) -> ColumnFacts:
        """Return the facts about one column; ``dataset_column_not_found`` if there is none."""
        self.dataset.column(name)
        return next(facts for facts in self.columns if facts.name == name)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as strict JSON."""
        record: dict[str, Any] = plain({
            "dataset_id": self.dataset.dataset_id,
            "profile_ref": self.profile_ref,
            "shape": self.dataset.shape,
            "rows": self.rows,
            "columns": self.columns,
            "time_axis": self.time_axis,
            "roles": self.roles,
            "quality": self.quality,
            "series_groups": self.series_groups,
            "source": self.source,
            "warnings": self.warnings,
        })  # fmt: skip
        return record

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
        from capital_kit.datasets._cards import description_card

        return description_card(self)
