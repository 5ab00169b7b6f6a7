"""Frames, tables, columns and records in memory."""

import datetime as dt
import decimal
import math

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest

from capital_kit.datasets import read_dataset
from capital_kit.errors import DatasetError

NAN = float("nan")


def codes(dataset):
    return [notice.code for notice in dataset.warnings]


def one(values, name="x"):
    """Read one column; return its kind and its values."""
    dataset = read_dataset(values if hasattr(values, "columns") else pd.DataFrame({name: values}))
    return dataset.columns[0].kind, dataset.table.column(0).to_pylist()


COLUMNS = [
    ("x", [1, 2], "integer", [1, 2]),
    ("x", [1.5, NAN], "number", [1.5, None]),
    ("x", [np.inf, 1], "number", [math.inf, 1.0]),
    ("x", [True, False], "boolean", [True, False]),
    ("x", [True, None], "boolean", [True, None]),
    ("x", ["a", None], "text", ["a", None]),
    ("x", ["1.2亿", "--"], "number", [1.2e8, None]),
    ("x", [decimal.Decimal("1.5"), None], "number", [1.5, None]),
    ("x", pd.Categorical(["a", "b"]), "text", ["a", "b"]),
    ("x", pd.array([1, None], dtype="Int64"), "integer", [1, None]),
    ("x", pd.to_datetime(["2024-01-02", None]), "date", [dt.date(2024, 1, 2), None]),
    ("x", pd.to_datetime(["2024-01-02 09:30"]), "datetime", [dt.datetime(2024, 1, 2, 9, 30)]),
    ("x", [dt.date(2024, 1, 2), None], "date", [dt.date(2024, 1, 2), None]),
    ("x", [dt.date(2024, 1, 2), dt.datetime(2024, 1, 3, 4)], "datetime",
     [dt.datetime(2024, 1, 2), dt.datetime(2024, 1, 3, 4)]),
    ("x", pd.period_range("2024Q1", periods=2, freq="Q"), "quarter",
     [dt.date(2024, 1, 1), dt.date(2024, 4, 1)]),
    ("x", pd.period_range("2024-05", periods=1, freq="M"), "month", [dt.date(2024, 5, 1)]),
    ("x", pd.interval_range(0, 1), "text", ["(0, 1]"]),
    ("日期", [20240102, 20240103], "date", [dt.date(2024, 1, 2), dt.date(2024, 1, 3)]),
    ("日期", [20240102, NAN], "date", [dt.date(2024, 1, 2), None]),
    ("x", [20240102, 20249999], "integer", [20240102, 20249999]),
    ("代码", [600519, 300750], "code", ["600519", "300750"]),
    ("x", [None, None], "empty", [None, None]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "values", "kind", "expected"), COLUMNS)
def test_column_of_a_frame(name, values, kind, expected):
    assert one(values, name) == (kind, expected)


def test_codes_that_lost_their_zeros_are_told():
    dataset = read_dataset(pd.DataFrame({"代码": [1, 600519]}))
    assert dataset.table.column(0).to_pylist() == ["1", "600519"]
    assert codes(dataset) == ["code_as_number"]


def test_mixed_objects_are_kept_as_text_and_counted():
    dataset = read_dataset(pd.DataFrame({"x": [1, "a", "b", 2.5]}))
    assert dataset.columns[0].kind == "mixed"
    assert dataset.table.column("x").to_pylist() == ["1", "a", "b", "2.5"]
    assert dataset.warnings[0].details["counts"] == "text 2, integer 1, number 1"


def test_numbers_beside_missing_words_are_numbers():
    assert one(pd.DataFrame({"x": [1.5, "停牌", 2]})) == ("number", [1.5, None, 2.0])


@pytest.mark.parametrize("zone", ["Asia/Shanghai", "UTC"])
def test_zone_becomes_a_fact_beside_the_wall_time(zone):
    dataset = read_dataset(pd.DataFrame({"t": pd.to_datetime(["2024-01-02 09:30"]).tz_localize(zone)}))
    assert dataset.columns[0].timezone == zone
    assert dataset.table.column("t").to_pylist() == [dt.datetime(2024, 1, 2, 9, 30)]


def test_index_of_times_or_with_a_name_becomes_a_column():
    frame = pd.DataFrame({"close": [1.5]}, index=pd.to_datetime(["2024-01-02"]))
    dataset = read_dataset(frame)
    assert (dataset.names, codes(dataset)) == (("date", "close"), ["index_promoted"])
    assert read_dataset(frame.rename_axis("交易日")).names == ("交易日", "close")
    assert read_dataset(pd.DataFrame({"close": [1.5]}, index=["甲"])).names == ("index", "close")
    assert read_dataset(pd.DataFrame({"close": [1.5]}, index=[7])).names == ("close",)


def test_index_of_several_levels():
    index = pd.MultiIndex.from_tuples([("600519", dt.date(2024, 1, 2))], names=["code", None])
    assert read_dataset(pd.DataFrame({"close": [1.5]}, index=index)).names == ("code", "level_1", "close")


@pytest.mark.parametrize(
    ("columns", "names", "code"),
    [
        (["a", "a"], ("a", "a_2"), "duplicate_names"),
        ([0, 1], ("0", "1"), "names_as_text"),
        (pd.MultiIndex.from_tuples([("a", "x"), ("a", "y")]), ("a_x", "a_y"), "names_as_text"),
        (["", "a"], ("column_1", "a"), "missing_names"),
    ],
)
def test_names_are_unique_texts(columns, names, code):
    dataset = read_dataset(pd.DataFrame([[1, 2]], columns=columns))
    assert (dataset.names, codes(dataset)) == (names, [code])


def test_frame_is_left_as_it_is():
    frame = pd.DataFrame({"x": ["1.5", "2"]})
    before = frame.copy()
    read_dataset(frame)
    pd.testing.assert_frame_equal(frame, before)


ARROW = [
    (pa.array([1.5, NAN]), "number"),
    (pa.array([1, 2], pa.uint8()), "integer"),
    (pa.array([2**64 - 1], pa.uint64()), "text"),
    (pa.array([decimal.Decimal("1.5")]), "number"),
    (pa.array(["a"]).dictionary_encode(), "text"),
    (pa.array(["20240102"], pa.large_string()), "integer"),
    (pa.array(["a"], pa.string_view()), "text"),
    (pa.array([dt.time(9, 30)]), "text"),
    (pa.array([[1, 2], None]), "text"),
    (pa.array([{"a": 1}]), "text"),
    (pa.array([b"\x00"]), "text"),
    (pa.nulls(2), "empty"),
    (pa.array([dt.timedelta(seconds=90)]), "number"),
]


@pytest.mark.parametrize(("array", "kind"), ARROW, ids=[str(array.type) for array, _ in ARROW])
def test_arrow_types(array, kind):
    assert read_dataset(pa.table({"x": array})).columns[0].kind == kind


def test_arrow_nan_is_no_null():
    dataset = read_dataset(pa.table({"x": [1.5, NAN, None]}))
    assert dataset.table.column("x").null_count == 1
    assert math.isnan(dataset.table.column("x").to_pylist()[1])


def test_anything_with_an_arrow_stream_is_read():
    class Frame:
        def __arrow_c_stream__(self, requested_schema=None):
            return pa.table({"a": [1, 2]}).__arrow_c_stream__(requested_schema)

    dataset = read_dataset(Frame())
    assert (dataset.source.format, dataset.table.to_pydict()) == ("frame", {"a": [1, 2]})


def test_columns_and_records_are_the_same_data():
    columns = read_dataset({"a": [1, 2], "b": ["x", None]})
    assert columns.fingerprint == read_dataset([{"a": 1, "b": "x"}, {"a": 2, "b": None}]).fingerprint
    assert (
        columns.fingerprint == read_dataset({"a": np.array([1, 2]), "b": pd.Series(["x", None])}).fingerprint
    )
    assert columns.fingerprint == read_dataset(pa.record_batch({"a": [1, 2], "b": ["x", None]})).fingerprint


def test_half_a_surrogate_pair_is_survived():
    assert read_dataset({"a": ["\ud800", "b"]}).table.column("a").to_pylist() == ["\\ud800", "b"]


def test_columns_of_different_length_are_refused():
    with pytest.raises(DatasetError) as caught:
        read_dataset({"a": [1], "b": [1, 2]})
    assert caught.value.code == "dataset_not_row_readable"


def test_frame_without_columns_is_empty():
    with pytest.raises(DatasetError) as caught:
        read_dataset(pd.DataFrame())
    assert caught.value.code == "dataset_empty"
