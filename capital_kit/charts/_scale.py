"""In which magnitude values are written: an axis in 亿元, one series in its own."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from capital_kit._core.numbers import magnitude
from capital_kit.charts._axis import bounds, decimals_of
from capital_kit.charts._payload import Series
from capital_kit.charts._view import View

LARGE_SERIES = 1e6
MAGNITUDES = ("百", "千", "万", "亿")


@dataclass(frozen=True, slots=True)
class Scale:
    """How values are written on an axis: divided by a magnitude, with a word and decimals."""

    divisor: float
    word: str
    unit: str
    decimals: int
    percent: bool

    @property
    def label(self) -> str:
        """The unit with its magnitude, ``亿元``."""
        return "%" if self.percent else f"{self.word}{self.unit}"


def series_scale(view: View, side: int = 0) -> Scale:
    """Return how the values of the left (0) or the right axis (1) are written."""
    shown = view.on(side)
    values = [series.values for series in shown]
    if not values:
        return Scale(1.0, "", "", 2, percent=False)
    low, high = bounds(values)
    units = {series.unit or "" for series in shown}
    unit = units.pop() if len(units) == 1 else ""
    percent = all(series.percent for series in shown)
    divisor, word = (1.0, "") if percent or view.bars is not None else _large(max(abs(low), abs(high)), unit)
    return Scale(divisor, word, unit, decimals_of([array / divisor for array in values], 0), percent)


def own_scale(series: Series, scale: Scale) -> Scale:
    """Return how the values of one series are written: the common scale unless it hides them.

    On an axis in 亿 a series of single digits would read 0.00, and a rate is no amount.
    """
    low, high = bounds([series.values])
    largest = max(abs(low), abs(high))
    shared = scale.percent == series.percent and (scale.unit == (series.unit or "") or scale.percent)
    known = np.abs(series.values[~np.isnan(series.values)])
    typical = float(np.median(known)) if len(known) else 0.0
    if shared and (typical >= 0.1 * scale.divisor or largest == 0):
        places = decimals_of([series.values / scale.divisor], min(scale.decimals, 2))
        return replace(scale, decimals=places if scale.divisor == 1 else min(places, 2))
    unit = "" if series.percent else series.unit or ""
    divisor, word = (1.0, "") if series.percent else _large(largest, unit)
    return Scale(divisor, word, unit, decimals_of([series.values / divisor], 0), percent=series.percent)


def _large(largest: float, unit: str) -> tuple[float, str]:
    if largest < LARGE_SERIES:
        return 1.0, ""
    return scaled(largest, unit)


def scaled(largest: float, unit: str | None) -> tuple[float, str]:
    """Return divisor and magnitude word; none where the unit has one already: never 万万手."""
    return (1.0, "") if (unit or "")[:1] in MAGNITUDES else magnitude(largest)
