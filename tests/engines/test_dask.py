"""Dask frames: described where they lie, with the record that memory gives."""

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from capital_kit import DatasetError, describe_dataset, read_dataset
from capital_kit.datasets import PartitionedDataset
from capital_kit.datasets._reading import _lazy_frames

dd = pytest.importorskip("dask.dataframe")


def frame_of(table, parts=5):
    frame = table.to_pandas(date_as_object=False)
    return dd.from_pandas(frame, npartitions=parts, sort=False)


def test_few_rows_have_the_record_of_memory(table, assert_alike):
    frame = frame_of(table)
    found, whole = describe_dataset(frame), describe_dataset(frame.compute())
    assert_alike(found, whole)
    assert found.dataset.fingerprint == whole.dataset.fingerprint
    assert found.source.format == "dask"


@pytest.mark.parametrize("parts", [1, 3, 8])
def test_partitions_say_what_memory_says(table, parts, assert_says_the_same):
    frame = frame_of(table, parts)
    found = describe_dataset(frame, partitioned=True)
    assert isinstance(found.dataset, PartitionedDataset)
    assert_says_the_same(found, describe_dataset(frame.compute()))


def test_many_rows_are_described_in_partitions(table, few_rows, assert_alike):
    found = describe_dataset(frame_of(table))
    assert isinstance(found.dataset, PartitionedDataset)
    again = describe_dataset(frame_of(table, 2))
    assert_alike(found, again)
    assert found.dataset.fingerprint == again.dataset.fingerprint


def test_approximate_facts_do_not_depend_on_the_partitions(many):
    records = [
        describe_dataset(data, partitioned=True).columns
        for data in (frame_of(many, 2), frame_of(many, 7), many)
    ]  # fmt: skip
    for columns in zip(*records, strict=True):
        assert columns[0].approx
        for fact in ("distinct", "p01", "p50", "p99", "histogram", "min", "max", "approx"):
            assert len({repr(getattr(column, fact)) for column in columns}) == 1, fact
        assert columns[1].std == pytest.approx(columns[0].std, rel=1e-12)
        assert columns[1].mean == pytest.approx(columns[0].mean, rel=1e-12)


@pytest.mark.parametrize("partitioned", [True, None])
def test_a_task_that_fails_is_told(partitioned):
    def fail(part):
        if len(part) and part["x"].min() > 0:
            raise ZeroDivisionError("no such price")
        return part

    frame = pd.DataFrame({"x": range(300)})
    broken = dd.from_pandas(frame, npartitions=3).map_partitions(fail, meta=frame)
    with pytest.raises(DatasetError, match="ZeroDivisionError: no such price") as error:
        describe_dataset(broken, partitioned=partitioned)
    assert (error.value.code, error.value.details["engine"]) == ("dataset_engine_failed", "Dask")


def test_an_index_of_days_is_the_time_axis():
    days = pd.date_range("2024-01-01", periods=300, freq="B", name="day")
    frame = pd.DataFrame({"close": np.arange(300.0)}, index=days)
    found = describe_dataset(dd.from_pandas(frame, npartitions=4), partitioned=True)
    assert (found.time_axis.column, found.time_axis.frequency) == ("day", "business-day")
    assert found.time_axis == describe_dataset(frame).time_axis


def test_empty_partitions_and_empty_frames():
    frame = dd.from_pandas(pd.DataFrame({"x": range(100)}), npartitions=4)
    found = describe_dataset(frame[frame.x >= 80], partitioned=True)
    assert (found.rows, found.column("x").min) == (20, 80)
    nothing = describe_dataset(frame[frame.x > 1000], partitioned=True)
    assert (nothing.rows, nothing.dataset.names) == (0, ("x",))


def test_later_partitions_of_another_kind():
    frame = pd.DataFrame({"v": ["1.5"] * 60 + ["甲"] * 60})
    found = describe_dataset(dd.from_pandas(frame, npartitions=4, sort=False), partitioned=True)
    assert (found.column("v").kind, found.column("v").count) == ("text", 120)


def test_reading_fetches_a_frame_up_to_the_limit(monkeypatch):
    frame = frame_of(pa.table({"x": range(100), "y": range(100)}))
    assert read_dataset(frame, kinds={"x": "number"}).column("x").kind == "number"
    monkeypatch.setattr(_lazy_frames, "COLLECTED_MAX", 199)
    with pytest.raises(DatasetError) as error:
        read_dataset(frame)
    assert (error.value.code, error.value.details["rows"]) == ("dataset_too_large", 100)
    assert "describe_dataset" in error.value.hint
