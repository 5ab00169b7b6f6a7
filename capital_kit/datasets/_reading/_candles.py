"""Rows of a candle without names, as interfaces of exchanges and brokers answer them."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from capital_kit.datasets._cells._times import parse_time
from capital_kit.datasets._cells._values import parse_number

_ORDERS = (("open", "high", "low", "close"), ("open", "close", "high", "low"))
_EPOCHS = (315_532_800, 4_102_444_800_000_000)
"""1980 in seconds to 2099 in microseconds."""
_CLOCK = re.compile(r"\d{1,2}:[0-5]\d(?::[0-5]\d)?")
_LEAST_ROWS = 2


def candle_names(columns: Sequence[Sequence[Any]]) -> list[str]:
    """Return names for unnamed columns that are a time, four prices and a volume; empty if they are not.

    The time may stand in two columns, day and time of day.
    The order of the prices is read from the values: in one order only is the highest price never
    below, and the lowest never above, the others.
    """
    if len(columns) < 5 or len(columns[0]) < _LEAST_ROWS or not all(map(_is_time, columns[0])):
        return []
    times = ["date", "time"] if all(_CLOCK.fullmatch(str(cell)) for cell in columns[1]) else ["time"]
    columns = columns[len(times) :]
    if len(columns) < 4:
        return []
    prices = [[_number(cell) for cell in column] for column in columns[:4]]
    fitting = [order for order in _ORDERS if _fits(dict(zip(order, prices, strict=True)))]
    if len(fitting) != 1:
        return []
    volume = len(columns) > 4 and all(_number(cell) >= 0 for cell in columns[4])
    return [*times, *fitting[0], *(["volume"] if volume else [])]


def _is_time(cell: Any) -> bool:
    text = str(cell)
    if isinstance(cell, float) or (text.isdigit() and len(text) != len("20240105")):
        return _EPOCHS[0] <= _number(cell) < _EPOCHS[1]
    return parse_time(text) is not None


def _number(cell: Any) -> float:
    """Return a cell as a number, NaN where it is none; NaN fits no order."""
    if isinstance(cell, str):
        parsed = parse_number(cell)
        return math.nan if parsed is None else float(parsed.value)
    return float(cell) if isinstance(cell, int | float) and not isinstance(cell, bool) else math.nan


def _fits(prices: dict[str, list[float]]) -> bool:
    rows = zip(prices["open"], prices["high"], prices["low"], prices["close"], strict=True)
    return all(high >= max(first, last) and low <= min(first, last) for first, high, low, last in rows)
