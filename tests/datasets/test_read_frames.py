"""Frames, tables, columns and records in memory."""

import dataclasses
import datetime as dt
import math
import sqlite3
from decimal import Decimal
from typing import NamedTuple

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
    ("x", [Decimal("1.5"), None], "number", [1.5, None]),
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
    (pa.array([2**64 - 1], pa.uint64()), "code"),
    (pa.array([Decimal("1.5")]), "number"),
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


# ------------------------------------------------------------------ the pitfalls of the engines, one by one
def objects(*values):
    return pd.Series(values, dtype=object)


D = dt.date(2024, 1, 2)
T = dt.datetime(2024, 1, 2, 9, 30)
PITFALLS = {
    "numbers, the last one a word": (objects(*[1.5] * 1500, "停牌"), "number", [1.5] * 1500 + [None],
                                     ["words_as_missing"]),
    "a word first": (objects("停牌", 1.5), "number", [None, 1.5], ["words_as_missing"]),
    "widening decimals": (objects(Decimal(1), Decimal("12345.678")), "number", [1.0, 12345.678], []),
    "decimals without a value": (objects(Decimal("NaN"), Decimal("1.5")), "number", [None, 1.5], []),
    "decimals of many digits": (objects(Decimal("1234567890.1234567")), "number", [1234567890.1234567],
                                ["decimals_rounded"]),
    "days and one moment": (objects(D, T), "datetime", [dt.datetime(2024, 1, 2), T], []),
    "days and a dash": (objects(D, "--"), "date", [D, None], []),
    "lists": (objects([1, 2], None), "text", ["[1, 2]", None], ["nested_values"]),
    "ragged dicts": (objects({"a": 1}, {"b": [2]}), "text", ['{"a": 1}', '{"b": [2]}'], ["nested_values"]),
    "periods": (pd.period_range("2024-01", periods=1, freq="M"), "month", [dt.date(2024, 1, 1)], []),
    "weeks": (pd.period_range("2024-01-01", periods=1, freq="W"), "date", [dt.date(2024, 1, 1)], []),
    "intervals": (pd.interval_range(0, 1), "text", ["(0, 1]"], []),
    "categories of intervals": (pd.cut([1, 5], [0, 2, 6]), "text", ["(0, 2]", "(2, 6]"], []),
    "complex": (objects(1 + 2j), "text", ["(1+2j)"], []),
    "complex column": ([1 + 2j], "text", ["(1+2j)"], []),
    "sparse": (pd.arrays.SparseArray([0, 0, 7]), "integer", [0, 0, 7], []),
    "durations": (pd.to_timedelta(["1D", None]), "number", [86400.0, None], ["duration_as_seconds"]),
    "durations as objects": (objects(dt.timedelta(hours=1)), "number", [3600.0], ["duration_as_seconds"]),
    "categories of integers": (pd.Categorical([1, 2, None]), "integer", [1, 2, None], []),
    "integers beyond 64 bits": (objects(2**70, 1), "code", [str(2**70), "1"], ["integers_too_large"]),
    "all missing": (objects(None, float("nan"), pd.NA, pd.NaT), "empty", [None] * 4, []),
    "half a surrogate pair": (objects("\ud800"), "text", ["\\ud800"], []),
    "bytes": (objects(b"61", None), "text", ["3631", None], ["bytes_as_hex"]),
    "times of day": (objects(dt.time(9, 30), None), "text", ["09:30:00", None], []),
    "numpy scalars": (objects(np.int64(1), np.float32(2.5)), "number", [1.0, 2.5], []),
    "numpy times": (objects(np.datetime64("2024-01-02T09:30:00.000000000"), np.datetime64("NaT")), "datetime",
                    [T, None], []),
    "truths and a gap": (objects(True, None), "boolean", [True, None], []),
    "masked integers": (pd.array([1, None], "Int64"), "integer", [1, None], []),
    "masked floats": (pd.array([1.5, None], "Float64"), "number", [1.5, None], []),
    "masked truths": (pd.array([True, None], "boolean"), "boolean", [True, None], []),
    "strings": (pd.array(["x", None], "string"), "text", ["x", None], []),
    "arrow integers": (pd.array([1, None], "int64[pyarrow]"), "integer", [1, None], []),
    "arrow strings": (pd.array(["x", None], "string[pyarrow]"), "text", ["x", None], []),
    "half floats": (np.array([1.5], "float16"), "number", [1.5], []),
    "nanoseconds": (pd.to_datetime(["2024-01-02 09:30:00.000000001"]).as_unit("ns"), "datetime", [T],
                    ["nanoseconds_cut"]),
}  # fmt: skip


@pytest.mark.parametrize("case", PITFALLS)
def test_pitfalls_of_columns(case):
    values, kind, expected, notices = PITFALLS[case]
    dataset = read_dataset(pd.DataFrame({"x": values, "beside": 1}))
    assert (dataset.columns[0].kind, dataset.table.column(0).to_pylist()) == (kind, expected)
    assert codes(dataset) == notices
    assert dataset.columns[1].kind == "integer"


def test_numbers_not_there_and_beyond_are_three_things():
    dataset = read_dataset(pa.table({"x": [NAN, math.inf, None, -0.0]}))
    array = dataset.table.column("x")
    assert (array.null_count, str(array.to_pylist())) == (1, "[nan, inf, None, -0.0]")


@pytest.mark.parametrize(
    ("columns", "names"),
    [
        (["Close", "close"], ("Close", "close")),
        ([None, NAN], ("column_1", "column_2")),
        (
            [pd.Timestamp("2024-01-01"), pd.Timestamp("2024-01-01 09:30")],
            ("2024-01-01", "2024-01-01 09:30:00"),
        ),
        ([2023.0, 1.5], ("2023", "1.5")),
        ([("价", "开"), ("价", NAN)], ("价_开", "价")),
        ([" a ", "a"], ("a", "a_2")),
    ],
)
def test_pitfalls_of_names(columns, names):
    frame = pd.DataFrame([[1, 2]])
    frame.columns = pd.Index(columns, tupleize_cols=False)
    assert read_dataset(frame).names == names


def test_pitfalls_of_the_index():
    days = pd.to_datetime(["2024-01-02", "2024-01-03"])
    named = pd.DataFrame({"date": [1, 2]}, index=days.rename("date"))
    assert read_dataset(named).names == ("date", "date_2")
    zoned = pd.DataFrame({"x": [1, 2]}, index=days.tz_localize("Asia/Shanghai"))
    assert (read_dataset(zoned).columns[0].kind, read_dataset(zoned).columns[0].timezone) == (
        "date",
        "Asia/Shanghai",
    )
    assert read_dataset(pd.DataFrame({"x": [1, 2]}, index=days.to_period("M"))).columns[0].kind == "month"
    assert read_dataset(pd.DataFrame(index=days)).names == ("date",)
    repeated = pd.DataFrame({"x": [1, 2]}, index=[7, 7])
    assert read_dataset(repeated).table.to_pydict() == {"x": [1, 2]}


def test_frame_of_no_rows_keeps_its_types():
    dataset = read_dataset(pd.DataFrame({"a": pd.Series([], dtype="int64"), "b": pd.Series([], dtype="str")}))
    assert ([column.kind for column in dataset.columns], codes(dataset)) == (
        ["integer", "empty"],
        ["no_rows"],
    )


def test_a_class_derived_from_a_frame_is_one():
    class Prices(pd.DataFrame):
        pass

    assert read_dataset(Prices({"x": [1]})).source.label == "Prices"


# ------------------------------------------------------------------ other libraries
ODD_ARROW = [
    (pa.array([Decimal("1.5"), None], pa.decimal256(70, 3)), "number", [1.5, None]),
    (pa.array([1, None], pa.time32("s")), "text", ["00:00:01", None]),
    (pa.array([34_200_000_000_500, None], pa.time64("ns")), "text", ["09:30:00.0000005", None]),
    (pa.array([(0, 1, 0), None], pa.month_day_nano_interval()), "number", [86400.0, None]),
    (pa.array([(1, 2, 10**9), None], pa.month_day_nano_interval()), "text", ["P1M2DT1S", None]),
    (pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.int64())), "text", ['[["a", 1]]', None]),
    (pa.array([[1], None], pa.list_view(pa.int64())), "text", ["[1]", None]),
    (pa.array([[1, 2], None], pa.list_(pa.int64(), 2)), "text", ["[1, 2]", None]),
    (pa.array([b"a", None], pa.binary_view()), "text", ["61", None]),
    (pa.array([b"ab", None], pa.binary(2)), "text", ["6162", None]),
    (pa.array(["a", None], pa.large_string()), "text", ["a", None]),
    (pa.array([np.float16(1.5), None], pa.float16()), "number", [1.5, None]),
    (pa.array([2**62, None], pa.timestamp("ns")), "datetime",
     [dt.datetime(2116, 2, 20, 23, 53, 38, 427387), None]),
    (pa.array([T, None], pa.timestamp("ms", "+08:00")), "datetime", [dt.datetime(2024, 1, 2, 17, 30), None]),
    (pa.RunEndEncodedArray.from_arrays([2, 3], ["a", "b"]), "text", ["a", "a", "b"]),
    (pa.DictionaryArray.from_arrays([0, 1, None], ["a", None]), "text", ["a", None, None]),
    (pa.UnionArray.from_sparse(pa.array([0, 1], pa.int8()), [pa.array([1, 2]), pa.array(["a", "b"])]), "text",
     ["1", '"b"']),
    (pa.ExtensionArray.from_storage(pa.bool8(), pa.array([1, 0], pa.int8())), "boolean", [True, False]),
    (pa.ExtensionArray.from_storage(pa.uuid(), pa.array([b"0" * 16], pa.binary(16))), "text",
     ["30303030-3030-3030-3030-303030303030"]),
    (pa.ExtensionArray.from_storage(pa.opaque(pa.int64(), "x", "y"), pa.array([5])), "integer", [5]),
]  # fmt: skip


@pytest.mark.parametrize(
    ("array", "kind", "expected"), ODD_ARROW, ids=[str(case[0].type)[:40] for case in ODD_ARROW]
)
def test_odd_arrow_types(array, kind, expected):
    dataset = read_dataset(pa.table({"x": array}))
    assert (dataset.columns[0].kind, dataset.table.column(0).to_pylist()) == (kind, expected)


def test_columns_of_arrow_and_readers():
    assert read_dataset(pa.array([1, 2])).table.to_pydict() == {"value": [1, 2]}
    assert read_dataset(pa.chunked_array([["a"], ["b"]])).table.to_pydict() == {"value": ["a", "b"]}
    assert read_dataset(pa.table({"a": [1]}).to_reader()).table.to_pydict() == {"a": [1]}
    with pytest.raises(DatasetError):
        read_dataset(pa.table({}))


def test_polars_frames_of_any_type():
    pl = pytest.importorskip("polars")
    frame = pl.DataFrame({
        "enum": pl.Series(["x"], dtype=pl.Enum(["x", "y"])),
        "category": pl.Series(["x"], dtype=pl.Categorical),
        "wide": pl.Series([2**70], dtype=pl.Int128), "object": pl.Series([{1}], dtype=pl.Object),
        "list": [[1]], "time": [dt.time(9, 30)], "money": [Decimal("1.5")], "nothing": [None],
    })  # fmt: skip
    row = read_dataset(frame).table.to_pylist()[0]
    assert row == {
        "enum": "x", "category": "x", "wide": str(2**70), "object": "[1]", "list": "[1]", "time": "09:30:00",
        "money": 1.5, "nothing": None,
    }  # fmt: skip
    assert read_dataset(frame.lazy().select("enum")).table.to_pydict() == {"enum": ["x"]}
    assert read_dataset(pl.Series("x", [1, 2])).table.to_pydict() == {"x": [1, 2]}
    with pytest.raises(DatasetError):
        read_dataset(pl.DataFrame())


def test_duckdb_relations():
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'America/New_York'")
    dataset = read_dataset(connection.sql(
        "SELECT sum(x) AS 和, max(2::HUGEINT ** 100)::HUGEINT AS 大,"
        " max(TIMESTAMPTZ '2024-01-02 09:30:00+08') AS 时,"
        " max(INTERVAL 1 DAY) AS 长, max(TIME '09:30:00') AS 刻 FROM range(5) t(x)"
    ))  # fmt: skip
    assert dataset.table.to_pylist() == [
        {"和": 10, "大": str(2**100), "时": dt.datetime(2024, 1, 2, 1, 30), "长": 86400.0, "刻": "09:30:00"}
    ]
    assert dataset.column("时").timezone == "UTC"
    assert dataset.column("和").kind == "integer"


def test_arrays_of_numpy():
    records = np.array(
        [(1, 2.5, "2024-01-02"), (3, NAN, "NaT")], [("a", "i8"), ("b", "f8"), ("t", "datetime64[ns]")]
    )
    assert read_dataset(records).table.to_pydict() == {"a": [1, 3], "b": [2.5, None], "t": [D, None]}
    assert read_dataset(np.array([[1, 2], [3, 4]])).table.to_pydict() == {
        "column_1": [1, 3],
        "column_2": [2, 4],
    }
    assert read_dataset(np.array(["a", "b"])).table.to_pydict() == {"value": ["a", "b"]}
    assert read_dataset(np.ma.array([1, 2], mask=[0, 1])).table.to_pydict() == {"value": [1, None]}
    for data in (np.array(1), np.zeros((1, 1, 1))):
        with pytest.raises(DatasetError) as caught:
            read_dataset(data)
        assert caught.value.code == "dataset_type_unsupported"


class Point(NamedTuple):
    a: int
    b: str | None


Record = dataclasses.make_dataclass("Record", ["a", "b"])


def test_rows_that_have_fields():
    expected = {"a": [1, 2], "b": ["x", None]}
    for row in (Point, Record, lambda a, b: {"a": a, "b": b}):
        assert read_dataset([row(1, "x"), row(2, None)]).table.to_pydict() == expected
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    rows = connection.execute("SELECT 1 AS a, 'x' AS b UNION ALL SELECT 2, NULL").fetchall()
    connection.close()
    assert read_dataset(rows).table.to_pydict() == expected


@pytest.mark.parametrize(
    "value", [{"a": dt.date(2024, 1, 2), "b": 1}, {"a": range(3), "b": "x"}, {"a": object()}]
)
def test_single_values_make_a_document(value):
    assert read_dataset(value).shape == "document"


@pytest.mark.parametrize(
    "data", [pd.DataFrame, pd.DataFrame({"a": [1]}).groupby("a"), {1, 2}, range(3), iter([1]), len]
)
def test_what_holds_no_table(data):
    with pytest.raises(DatasetError) as caught:
        read_dataset(data)
    assert caught.value.code == "dataset_type_unsupported"


@pytest.mark.parametrize("encode", [pa.Array.dictionary_encode, pa.compute.run_end_encode])
@pytest.mark.parametrize("cells", [["2019-02", "2020-03"], ["1.2亿", "3", "3"], ["5%", "6%", "6%"]])
def test_encoded_texts_told_to_be_texts_stay_as_written(encode, cells):
    read = read_dataset(pa.table({"x": encode(pa.array(cells))}), kinds={"x": "text"})
    assert read.table.column("x").to_pylist() == cells


def test_a_number_beyond_64_bits_is_no_integer():
    read = read_dataset({"x": ["1", "12345678901234567890"]}, kinds={"x": "integer"})
    assert read.table.column("x").to_pylist() == [1, None]
    assert [notice.code for notice in read.warnings] == ["values_unparsed"]
