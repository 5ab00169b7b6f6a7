"""Which series stand on the right axis: two units, or sizes that cannot be compared, take two axes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from capital_kit._core.notices import Notice

if TYPE_CHECKING:
    from capital_kit.charts._payload import Series

BEYOND = 100.0


def unit_of(series: Series) -> str:
    """Return the stated unit; a dash for none."""
    return "%" if series.percent else series.unit or "—"


def sides(series: Sequence[Series]) -> tuple[int, ...]:
    """Return 0 (left) or 1 (right) for every series; the first is always left.

    Exactly two units: each has its axis. One stated unit, or more than two: one axis. No unit
    stated at all: two axes where the typical sizes (medians of the absolute values) fall into two
    groups that lie a factor of 100 or more apart.
    """
    units = [unit_of(item) for item in series]
    if len(set(units)) == 2:
        return tuple(int(unit != units[0]) for unit in units)
    if set(units) != {"—"} or len(series) < 2:
        return (0,) * len(series)
    sizes = np.array([_typical(item) for item in series])
    ordered = np.sort(sizes[sizes > 0])
    ratios = ordered[1:] / ordered[:-1]
    if len(ratios) == 0 or ratios.max() < BEYOND or len(ordered) < len(sizes):
        return (0,) * len(series)
    large = sizes > ordered[int(np.argmax(ratios))]
    return tuple(int(is_large != large[0]) for is_large in large)


def axis_notices(series: Sequence[Series], *, one_axis: bool) -> list[Notice]:
    """Return what a reader must know about the axes of several series."""
    units = list(dict.fromkeys(unit_of(item) for item in series))
    right = [item for item, side in zip(series, sides(series), strict=True) if side]
    if right and not one_axis:
        code = "axes_by_unit" if len(units) > 1 else "axes_by_size"
        return [Notice("charts", code, right=", ".join(item.label for item in right),
                       units=", ".join(units))]  # fmt: skip
    return [Notice("charts", "units_mixed", units=", ".join(units))] if len(units) > 1 else []


def _typical(series: Series) -> float:
    known = np.abs(series.values[~np.isnan(series.values)])
    return float(np.median(known)) if len(known) else 0.0
