"""Spark frames: described by mapInArrow where they lie, with the record that memory gives."""

import datetime as dt

import pyarrow as pa
import pytest

from capital_kit import DatasetError, describe_dataset, read_dataset
from capital_kit.datasets import PartitionedDataset
from capital_kit.datasets._reading import _lazy_frames

pytestmark = [
    pytest.mark.spark,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support:FutureWarning"),
    pytest.mark.filterwarnings("ignore::DeprecationWarning:pyspark"),
    pytest.mark.filterwarnings("ignore::ResourceWarning"),
]


def ordered(spark, table, parts):
    """Return a frame whose partitions hold the rows in their order."""
    size = -(-table.num_rows // parts)
    frames = [spark.createDataFrame(table.slice(at, size)) for at in range(0, table.num_rows, size)]
    whole = frames[0].coalesce(1)
    for frame in frames[1:]:
        whole = whole.unionAll(frame.coalesce(1))
    return whole


def test_few_rows_have_the_record_of_memory(spark, table, assert_alike):
    found, whole = describe_dataset(ordered(spark, table, 3)), describe_dataset(table)
    assert_alike(found, whole)
    assert found.dataset.fingerprint == whole.dataset.fingerprint
    assert found.source.format == "spark"


def test_partitions_say_what_memory_says(spark, table, assert_says_the_same):
    found = describe_dataset(ordered(spark, table, 4), partitioned=True)
    assert isinstance(found.dataset, PartitionedDataset)
    assert_says_the_same(found, describe_dataset(table))


def test_many_rows_have_the_record_of_arrow_partitions(spark, few_rows, table, assert_alike):
    found = describe_dataset(ordered(spark, table, 4))
    parts = describe_dataset(table, partitioned=True)
    assert_alike(found, parts)
    assert found.dataset.fingerprint == parts.dataset.fingerprint


def test_approximate_facts_do_not_depend_on_the_engine(spark, many):
    found = describe_dataset(ordered(spark, many, 3), partitioned=True).columns
    parts = describe_dataset(many, partitioned=True).columns
    for one, other in zip(found, parts, strict=True):
        assert one.approx
        for fact in ("distinct", "p01", "p50", "p99", "histogram", "min", "max", "approx"):
            assert getattr(one, fact) == getattr(other, fact), fact
        assert one.std == pytest.approx(other.std, rel=1e-12)


def test_names_that_sql_would_not_take(spark):
    table = pa.table({"Close": [1.5, 2.5], "a.b": ["x", "y"], "成交量(手)": [1, 2]})
    found = describe_dataset(ordered(spark, table, 2), partitioned=True)
    assert found.dataset.names == describe_dataset(table).dataset.names


def test_times_with_a_zone_keep_it(spark):
    start = dt.datetime(2024, 3, 1, 1, 30, tzinfo=dt.UTC)
    times = [start + dt.timedelta(minutes=5 * n) for n in range(40)]
    table = pa.table({"time": pa.array(times, pa.timestamp("us", "UTC")), "x": range(40)})
    found, whole = describe_dataset(ordered(spark, table, 3), partitioned=True), describe_dataset(table)
    assert found.time_axis == whole.time_axis
    assert found.time_axis.timezone == "UTC"


def test_empty_partitions_and_empty_frames(spark):
    frame = spark.range(100).repartition(4)
    found = describe_dataset(frame.where("id >= 98"), partitioned=True)
    assert (found.rows, found.column("id").min) == (2, 98)
    assert describe_dataset(frame.where("id > 1000")).rows == 0


def test_reading_fetches_a_frame_up_to_the_limit(spark, monkeypatch):
    frame = spark.range(100)
    assert read_dataset(frame).rows == 100
    monkeypatch.setattr(_lazy_frames, "COLLECTED_MAX", 99)
    with pytest.raises(DatasetError) as error:
        read_dataset(frame)
    assert (error.value.code, error.value.details["rows"]) == ("dataset_too_large", 100)
    assert "describe_dataset" in error.value.hint


def test_a_worker_that_fails_is_told_with_its_reason(spark):
    from pyspark.sql.functions import udf

    broken = spark.range(20).select(udf(lambda n: 1 // (n - 15), "int")("id").alias("x"))
    with pytest.raises(DatasetError) as error:
        describe_dataset(broken, partitioned=True)
    assert error.value.code == "dataset_engine_failed"
    assert "ZeroDivisionError" in error.value.details["reason"]
