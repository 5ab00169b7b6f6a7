"""A period laid over a dataset: which of its times lie in it, and whether it is covered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from capital_kit._core.notices import Notice
from capital_kit._core.records import plain
from capital_kit.datasets._cells._periods import Period, day_of, resolve_period
from capital_kit.datasets._model import TEMPORAL, Dataset, Kind
from capital_kit.errors import QueryError

_DAY = 86_400_000_000


@dataclass(frozen=True, kw_only=True)
class DataTimeRange:
    """The times of a dataset that lie in a period, as texts that filters and charts take.

    Attributes
    ----------
    time_column, format, timezone : str
        The column, its kind and its zone.
    period, start, end, days : str, str, str, int
        The period, its first and last day, and how many calendar days that are.
    data_from, data_to, data_days : str, str, int
        The first and last time of the data in the period, and on how many days there are data.
    bound_ge, bound_le : str
        The bounds for ``>=`` and ``<=``, both inclusive.
    covered_from, covered_to : str
        The first and last time of the whole data.
    complete : bool
        Whether the data begin with the period, or later by no more than a weekend or their own step.
    warnings : tuple of Notice
        What is missing.
    """

    time_column: str
    format: Kind
    timezone: str | None
    period: str
    start: str
    end: str
    days: int
    data_from: str
    data_to: str
    data_days: int
    bound_ge: str
    bound_le: str
    covered_from: str
    covered_to: str
    complete: bool
    warnings: tuple[Notice, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the record as strict JSON, in the blocks of the query language's contract."""
        record: dict[str, Any] = plain({
            "mode": "dataset",
            "time_column": self.time_column,
            "format": self.format,
            "timezone": self.timezone,
            "period": self.period,
            "range": {"from": self.start, "to": self.end, "days": self.days},
            "data": {"from": self.data_from, "to": self.data_to, "days": self.data_days},
            "bounds": {"bound_ge": self.bound_ge, "bound_le": self.bound_le, "inclusive": True},
            "bounds_are_intraday": self.format == "datetime",
            "dataset": {"covered_from": self.covered_from, "covered_to": self.covered_to},
            "complete": self.complete,
            "warnings": self.warnings,
        })  # fmt: skip
        return record


def resolve_data_time_range(data: Any, period: Any, *, time_column: str | None = None) -> DataTimeRange:
    """Return what a period means for a dataset: it counts back from the last time of the data.

    Parameters
    ----------
    data : Dataset, DataFrame, path or anything that ``read_dataset`` takes
        The data; their exact last time is the anchor, never a clock.
    period : str or mapping
        ``last_3_months``, ``ytd``, ``2024``, ``2024-03``, ``2024Q1``, ``{"unit": "month", "count": 3}`` …
    time_column : str, optional
        The column of times; found as ``describe_dataset`` finds it otherwise.

    Raises
    ------
    QueryError
        ``period_invalid``; ``period_without_rows``, which names what is covered; ``period_no_time``.

    Examples
    --------
    >>> bars = {"date": ["2024-01-02", "2024-01-31", "2024-02-01"], "close": [9.1, 9.3, 9.2]}
    >>> found = resolve_data_time_range(bars, "last_1_week")
    >>> found.start, found.end, found.data_from, found.data_days
    ('2024-01-26', '2024-02-01', '2024-01-31', 2)
    """
    from capital_kit.datasets._facts._kernel import measure, time_name
    from capital_kit.datasets._facts._time_axis import measure_steps
    from capital_kit.datasets._facts._windows import days_late
    from capital_kit.datasets._read import as_dataset

    dataset = as_dataset(data)
    name = time_column_of(dataset) if time_column is None else time_column
    if name is None or dataset.column(name).kind not in TEMPORAL:
        raise _no_time(dataset)
    column = dataset.column(name)
    time = measure(column, dataset.table.column(column.name))
    values = np.unique(time.values[time.mask()])
    if not len(values):
        raise _no_time(dataset)
    days = values // _DAY if column.kind == "datetime" else values
    epoch = np.datetime64(0, "D")
    found = resolve_period(period, day_of(int(days[-1])), column.kind)
    low, high = ((np.datetime64(day, "D") - epoch).astype(int) for day in (found.start, found.end))
    if found.name == "all":
        low, high = days[0], max(high, days[-1])
    covered = [time_name(int(value), column.kind) for value in (values[0], values[-1])]
    inside = np.flatnonzero((days >= low) & (days <= high))
    if not len(inside):
        raise QueryError.of(
            "period_without_rows", period=found.name, start=str(found.start), end=str(found.end),
            covered=" … ".join(covered),
        )  # fmt: skip
    steps = measure_steps(values, column.kind)
    late = days_late(column.kind, steps.frequency, None if steps.intraday else steps.natural)
    complete = bool(days[0] - low <= late)
    first, last = (time_name(int(values[at]), column.kind) for at in (inside[0], inside[-1]))
    return DataTimeRange(
        time_column=column.name,
        format=column.kind,
        timezone=column.timezone,
        period=found.name,
        start=str(epoch + int(low)),
        end=str(epoch + int(high)),
        days=int(high - low) + 1,
        data_from=first,
        data_to=last,
        data_days=len(np.unique(days[inside])),
        bound_ge=first,
        bound_le=last,
        covered_from=covered[0],
        covered_to=covered[1],
        complete=complete,
        warnings=() if complete else (_late(found, covered[0]),),
    )


def time_column_of(dataset: Dataset) -> str | None:
    """Return the column of the time axis as ``describe_dataset`` finds it; None if there is none."""
    from capital_kit.datasets._facts._kernel import measure
    from capital_kit.datasets._facts._roles import choose_time

    wanted = [column for column in dataset.columns if column.kind in TEMPORAL | {"code"}]
    return choose_time([measure(column, dataset.table.column(column.name)).facts for column in wanted])


def _no_time(dataset: Dataset) -> QueryError:
    allowed = [column.name for column in dataset.columns if column.kind in TEMPORAL]
    return QueryError.of("period_no_time", allowed=allowed)


def _late(period: Period, covered_from: str) -> Notice:
    return Notice(
        "query", "period_part_missing", covered_from=covered_from, period=period.name, start=str(period.start)
    )
