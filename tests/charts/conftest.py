"""Small data for the chart tests, made by rule."""

import numpy as np
import pyarrow as pa
import pytest

from capital_kit.datasets import Column, Dataset, Source

OHLC = {"open": "开盘", "high": "最高", "low": "最低", "close": "收盘"}


def dataset(columns, label="示例.csv"):
    """Build a dataset from ``{name: (values, kind, unit)}``."""
    kinds, arrays = [], {}
    for name, (values, kind, *unit) in columns.items():
        if kind in ("date", "month", "quarter", "year"):
            arrays[name] = pa.array(np.asarray(values, dtype="datetime64[D]"))
        elif kind == "datetime":
            arrays[name] = pa.array(np.asarray(values, dtype="datetime64[us]"))
        else:
            arrays[name] = pa.array(values)
        kinds.append(Column(name=name, header=name, kind=kind, unit=unit[0] if unit else None))
    return Dataset(table=pa.table(arrays), columns=tuple(kinds), source=Source(format="csv", label=label))


def business_days(n, first="2024-01-02"):
    return np.busday_offset(first, np.arange(n), roll="forward")


def bars(n=60, *, times=None, kind="date", seed=1):
    """Build daily or minute bars with a volume."""
    rng = np.random.default_rng(seed)
    close = np.round(20 + np.cumsum(rng.normal(0, 0.05, n)), 2)
    start = np.round(np.concatenate([[20.0], close[:-1]]), 2)
    return dataset({
        "日期": (business_days(n) if times is None else times, kind),
        "开盘": (start, "number"),
        "最高": (np.round(np.maximum(start, close) + 0.03, 2), "number"),
        "最低": (np.round(np.minimum(start, close) - 0.03, 2), "number"),
        "收盘": (close, "number"),
        "成交量": (rng.integers(1, 9, n) * 10_000_000.0, "number", "股"),
    })  # fmt: skip


def wave(n=30, names=("甲", "乙")):
    """Build daily series."""
    return dataset({
        "日期": (business_days(n), "date"),
        **{
            name: (np.round(10 + i + np.sin(np.arange(n) / 3 + i), 3), "number")
            for i, name in enumerate(names)
        },
    })  # fmt: skip


@pytest.fixture
def make():
    """Give the builders of data to a test."""

    class Make:
        ohlc = OHLC

    Make.candles = {"kind": "candlestick", "x": "日期", "ohlc": OHLC, "volume": "成交量"}
    Make.dataset, Make.bars, Make.wave = staticmethod(dataset), staticmethod(bars), staticmethod(wave)
    Make.business_days = staticmethod(business_days)
    return Make
