"""Frames that every engine must describe alike, and the one Spark session of a run."""

import datetime as dt
import os
import shutil
import sys

import numpy as np
import pyarrow as pa
import pytest

from capital_kit.datasets._partitions import _engines


def bars():
    generator = np.random.default_rng(2)
    days = np.array([np.datetime64("2023-01-02") + n for n in range(420)])
    days = days[np.is_busday(days)]
    size = 2 * len(days)
    close = np.round(30 + generator.normal(0, 0.3, size).cumsum(), 2)
    gone = generator.random(size) < 0.01
    return pa.table({
        "代码": np.repeat(["600519.SH", "000001.SZ"], len(days)),
        "交易日期": np.tile(days, 2).astype("datetime64[D]"),
        "开盘价": pa.array(close, mask=gone), "最高价": close + 0.5, "最低价": close - 0.5,
        "收盘价": pa.array(close + 0.1, mask=gone), "成交量(手)": generator.integers(1, 10**12, size),
        "行业": np.repeat(["白酒", "银行"], len(days)),
    })  # fmt: skip


def odd_numbers():
    cells = [1.5, None, float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1e300, -1e-300, 2.0] * 20
    return pa.table({
        "x": pa.array(cells, pa.float64()), "whole": pa.array([2**62, -(2**62), None, 0, 7] * 40),
        "nothing": pa.array([None] * 200, pa.float64()), "one": pa.array([3.0] * 200),
        "flag": pa.array([True, False, None, True, True] * 40),
    })  # fmt: skip


def words():
    return pa.table({
        "金额": ["1.2亿", "3,456.7万", "--", "停牌", "(2,000)"] * 40,
        "日期": ["2024年1月5日", "2024-01-08"] * 100,
        "百分比": ["12.3%", "-4%", None, "0%"] * 50, "代码": ["000001", "600519", "000858", "300750"] * 50,
        "备注": ["", "无", "x" * 250, None] * 50, "编号": [str(n) for n in range(200)],
    })  # fmt: skip


def minutes():
    start = dt.datetime(2024, 3, 1, 9, 30)
    times = [start + dt.timedelta(days=day, minutes=minute) for day in range(4) for minute in range(60)]
    return pa.table({"time": pa.array(times, pa.timestamp("us")), "price": np.arange(240) * 0.01 + 10})


TABLES = {"bars": bars, "odd numbers": odd_numbers, "words": words, "minutes": minutes}


@pytest.fixture(params=TABLES.values(), ids=TABLES)
def table(request):
    """Return one of the frames as an Arrow table."""
    return request.param()


@pytest.fixture
def many():
    """Return more distinct values than a state keeps."""
    generator = np.random.default_rng(11)
    return pa.table({
        "price": generator.lognormal(3, 1, 30_000), "shares": generator.integers(-(10**12), 10**12, 30_000),
    })  # fmt: skip


def record(description):
    """Return what two descriptions of the same rows must share."""
    found = description.to_dict()
    # Where data come from differs, and so do the rows that decided kinds and roles.
    for key in ("source", "dataset_id", "profile_ref"):
        del found[key]
    found["warnings"] = [notice for notice in found["warnings"] if notice["code"] != "partitioned"]
    return found


@pytest.fixture
def assert_alike():
    """Return a comparison field by field."""

    def compare(one, other):
        one, other = record(one), record(other)
        assert one.keys() == other.keys()
        for key in one:
            assert one[key] == other[key], key

    return compare


@pytest.fixture
def assert_says_the_same(assert_alike):
    """Return a comparison of a partitioned record with that in memory, but for what partitions leave out."""
    import dataclasses

    def compare(parts, whole):
        assert not any(column.approx for column in parts.columns)
        groups = zip(parts.series_groups, whole.series_groups, strict=True)
        for group, other in groups:
            assert group.columns == other.columns
            assert group.shared_points <= other.shared_points
        whole = dataclasses.replace(
            whole, columns=tuple(dataclasses.replace(column, trend=None) for column in whole.columns),
            warnings=(), series_groups=(),
        )  # fmt: skip
        quality = parts.quality
        if quality.duplicate_rows is None:
            quality = dataclasses.replace(quality, duplicate_rows=whole.quality.duplicate_rows)
        parts = dataclasses.replace(parts, warnings=(), series_groups=(), quality=quality)
        assert_alike(parts, whole)

    return compare


@pytest.fixture
def few_rows(monkeypatch):
    """Let even a short frame be too long for memory."""
    monkeypatch.setattr(_engines, "EXACT_ROWS", 50)


@pytest.fixture(scope="session")
def spark():
    """Return one local session with two workers."""
    sql = pytest.importorskip("pyspark.sql")
    if not (os.environ.get("JAVA_HOME") or shutil.which("java")):
        pytest.skip("no Java")
    before = {name: os.environ.get(name) for name in ("PYSPARK_PYTHON", "SPARK_LOCAL_IP")}
    os.environ.update(PYSPARK_PYTHON=sys.executable, SPARK_LOCAL_IP="127.0.0.1")
    settings = {
        "spark.ui.enabled": "false", "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1", "spark.ui.showConsoleProgress": "false",
        "spark.sql.session.timeZone": "UTC", "spark.driver.memory": "1g",
        "spark.sql.timestampType": "TIMESTAMP_NTZ",
    }  # fmt: skip
    builder = sql.SparkSession.builder.master("local[2]").appName("capital_kit tests")
    for name, value in settings.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
    for name, value in before.items():
        os.environ.pop(name, None)
        if value is not None:
            os.environ[name] = value
