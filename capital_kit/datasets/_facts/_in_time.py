"""What numbers do along the time axis: their first and last, their points, their course."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from capital_kit.datasets._description import TimeAxis
from capital_kit.datasets._facts._kernel import Measured
from capital_kit.datasets._facts._rows import dense
from capital_kit.datasets._facts._time_axis import RowOrder
from capital_kit.datasets._model import NUMERIC

Array = npt.NDArray[Any]

TREND = 48


def facts_in_time(
    columns: Mapping[str, Measured], axis: TimeAxis, order: RowOrder, *, panel: bool
) -> dict[str, dict[str, Any]]:
    """Return ``points``, ``earliest``, ``latest`` and ``trend`` of each numeric column.

    Parameters
    ----------
    columns : Mapping
        The measured columns by name.
    axis : TimeAxis
        The time axis; it has at least one point.
    order : RowOrder
        The rows in order of time.
    panel : bool
        Whether several entities share the times; their rows make no course together.
    """
    numeric = {name: measured for name, measured in columns.items() if measured.facts.kind in NUMERIC}
    time = columns[axis.column]
    points = _points(numeric, time, axis.points)
    first, last = _rows_of_the_ends(time)
    return {
        name: {
            "points": points[name],
            "earliest": _cell(measured, first),
            "latest": _cell(measured, last),
            "trend": None if panel or measured.facts.constant else trend(measured, order),
        }
        for name, measured in numeric.items()
    }


def _points(numeric: Mapping[str, Measured], time: Measured, points: int) -> dict[str, int]:
    partial = {name: measured.valid for name, measured in numeric.items() if measured.valid is not None}
    if not partial:
        return dict.fromkeys(numeric, points)
    rows = time.valid
    codes, _ = dense(time.values if rows is None else time.values[rows])
    known = np.bincount(codes)

    def points_with(valid: Array) -> int:
        lacking = codes[~(valid if rows is None else valid[rows])]
        return int(np.count_nonzero(known > np.bincount(lacking, minlength=len(known))))

    return {name: points_with(partial[name]) if name in partial else points for name in numeric}


def _rows_of_the_ends(time: Measured) -> tuple[int | None, int | None]:
    """Return the rows with the first and the last time; None where several rows have it."""
    assert time.times is not None
    mask = time.mask()
    found = [np.flatnonzero(mask & (time.values == time.times[end])) for end in (0, -1)]
    first, last = (int(rows[0]) if len(rows) == 1 else None for rows in found)
    return first, last


def _cell(measured: Measured, row: int | None) -> int | float | None:
    if row is None or not (measured.valid is None or measured.valid[row]):
        return None
    value: int | float = measured.values[row].item()
    return value


def trend(measured: Measured, order: RowOrder) -> tuple[float | None, ...] | None:
    """Return the means of up to 48 equal parts of the rows, to six significant digits.

    Parts differ in length by one row at most. A part without a value, or whose sum no float can
    hold, has no mean; fewer than two rows have no course.
    """
    values = order.of(measured.values)
    valid = None if measured.valid is None else order.of(measured.valid)
    count = min(TREND, len(values))
    if count < 2:
        return None
    bounds = len(values) * np.arange(count) // count
    with np.errstate(over="ignore", invalid="ignore"):
        if valid is None:
            sums = np.add.reduceat(values.astype(float, copy=False), bounds)
            sizes = np.diff(np.append(bounds, len(values)))
        else:
            sums = np.add.reduceat(np.where(valid, values, 0).astype(float, copy=False), bounds)
            sizes = np.add.reduceat(valid.astype(np.int64), bounds)
        means = sums / np.maximum(sizes, 1)
    fine = (sizes > 0) & np.isfinite(means)
    return tuple(
        _six_digits(mean) if stated else None for mean, stated in zip(means.tolist(), fine, strict=True)
    )


def _six_digits(value: float) -> float:
    rounded = float(f"{value:.6g}") + 0.0
    return int(rounded) if rounded.is_integer() and abs(rounded) < 1e15 else rounded
