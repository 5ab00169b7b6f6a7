"""Indicators over a row of prices. Pure functions on numpy arrays.

One rule for missing prices: they are left out. An indicator counts the known prices only and is
missing where the price is missing, so a suspension neither stops it nor pulls it towards zero.
Rows before an indicator has the prices that it needs (its warm-up) are missing, never 0. Each value
depends on its own row and earlier ones, never on later ones.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from capital_kit.charts._sample import Floats

BLOCK = 1 << 14


def moving_average(prices: Floats, window: int) -> Floats:
    """Return ``MA[t] = (p[t-window+1] + … + p[t]) / window``."""
    return _over_known(prices, lambda known: _rolled(known, window, np.mean))


def exponential_average(prices: Floats, window: int) -> Floats:
    """Return ``EMA[t] = EMA[t-1] + a (p[t] - EMA[t-1])`` with ``a = 2 / (window + 1)``.

    It begins at the window-th price, with the mean of the prices up to there.
    """
    return _over_known(prices, lambda known: _smoothed(known, window, 2 / (window + 1)))


def bollinger_bands(prices: Floats, window: int, k: float) -> tuple[Floats, Floats, Floats]:
    """Return the middle ``MA`` and ``MA ± k s``; s is the population deviation of the same window."""
    middle = moving_average(prices, window)
    spread = k * _over_known(prices, lambda known: _rolled(known, window, np.std))
    return middle, middle + spread, middle - spread


def macd(prices: Floats, fast: int, slow: int, signal: int) -> tuple[Floats, Floats, Floats]:
    """Return ``DIF = EMA(fast) - EMA(slow)``, ``DEA = EMA(DIF, signal)`` and ``MACD = 2 (DIF - DEA)``."""
    difference = exponential_average(prices, fast) - exponential_average(prices, slow)
    smoothed = exponential_average(difference, signal)
    return difference, smoothed, 2 * (difference - smoothed)


def relative_strength(prices: Floats, window: int) -> Floats:
    """Return ``RSI = 100 U / (U + D)``, U and D being the mean rise and fall as Wilder smooths them.

    They begin with the mean of the first ``window`` changes and go on with ``a = 1 / window``.
    Without any change in them RSI is 50.
    """

    def of_known(known: Floats) -> Floats:
        changes = np.diff(known)
        rises = _smoothed(np.maximum(changes, 0.0), window, 1 / window)
        falls = _smoothed(np.maximum(-changes, 0.0), window, 1 / window)
        total = rises + falls
        share = np.divide(rises, total, out=np.full(len(total), 0.5), where=total != 0)
        return np.concatenate([[np.nan], 100 * share])[: len(known)]

    return _over_known(prices, of_known)


def drawdown(prices: Floats) -> Floats:
    """Return ``100 (p[t] / max(p[0], …, p[t]) - 1)`` in per cent; missing until a price is positive."""

    def of_known(known: Floats) -> Floats:
        peak = np.maximum.accumulate(known)
        found = np.full(len(known), np.nan)
        np.divide(100 * (known - peak), peak, out=found, where=peak > 0)
        return found

    return _over_known(prices, of_known)


def _over_known(prices: Floats, of_known: Callable[[Floats], Floats]) -> Floats:
    known = ~np.isnan(prices)
    found = np.full(len(prices), np.nan)
    if known.any():
        found[known] = of_known(prices[known])
    return found


def _rolled(values: Floats, window: int, reduce: Callable[..., Floats]) -> Floats:
    found = np.full(len(values), np.nan)
    if len(values) < window:
        return found
    # Not a difference of running sums: those drag the rounding of one huge price along for ever.
    windows = sliding_window_view(values, window)
    for start in range(0, len(windows), BLOCK):
        block = windows[start : start + BLOCK]
        found[start + window - 1 : start + window - 1 + len(block)] = reduce(block, axis=1)
    return found


def _smoothed(values: Floats, window: int, weight: float) -> Floats:
    found = np.full(len(values), np.nan)
    if len(values) < window:
        return found
    past = float(values[:window].mean())
    steps = [past]
    for value in values[window:].tolist():
        past += weight * (value - past)
        steps.append(past)
    found[window - 1 :] = steps
    return found
