"""Incidents and faults that were recorded elsewhere: what reading must never do again.

The numbers are those of the contract: 14, 24 to 27 happened, b, c, d, n, o were found by reading.
"""

import datetime as dt
import os
import subprocess
import sys

import pytest

from capital_kit.datasets import describe_dataset, parse_number, parse_time, read_dataset
from capital_kit.errors import DatasetError

ROWS = [{"代码": "000001", "收盘": 9.2}, {"代码": "600519", "收盘": 1685.0}]


def kinds(dataset):
    return [column.kind for column in dataset.columns]


def codes(dataset):
    return [notice.code for notice in dataset.warnings]


# ------------------------------------------------------------------ 14, 24, 25: where rows and names are
@pytest.mark.parametrize("key", ["stock_items", "hot_money_items", "任意名称", "a.b"])
def test_14_rows_under_any_key_are_found(key):
    dataset = read_dataset({"data": {"count": 2, key: ROWS, "empty": []}})
    assert (dataset.rows, dataset.source.row_key) == (2, f"data.{key}")


def test_14_two_arrays_are_an_error_that_lists_them():
    with pytest.raises(DatasetError) as caught:
        read_dataset({"data": {"bond_items": ROWS, "fund_items": ROWS}})
    assert caught.value.code == "dataset_rows_ambiguous"
    assert caught.value.details["array_keys"] == ["data.bond_items", "data.fund_items"]


@pytest.mark.parametrize(
    "names", [["收盘价(元)", "成交量（手）"], ["Ｃｌｏｓｅ", "close"], ["a", "a"], ["", "x"]]
)
def test_24_reading_twice_renames_nothing(names):
    text = ",".join(names) + "\n1.5,2\n1.6,3\n"
    once = read_dataset(text.encode())
    twice = read_dataset(once.table)
    assert twice.names == once.names
    assert read_dataset(once) is once


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("Ｃｌｏｓｅ", "Close"),
        ("收盘价（元）", "收盘价"),
        ("\u3000代码\u3000", "代码"),
        ("成交量 (手)", "成交量"),
    ],
)
def test_25_full_width_names_are_narrowed_and_the_original_is_kept(written, name):
    column = read_dataset([{written: 1.5}, {written: 2.5}]).columns[0]
    assert (column.name, column.header) == (name, written)
    assert read_dataset([{written: 1.5}], kinds={written: "text"}).columns[0].kind == "text"


# ------------------------------------------------------------------ 26, 27, n, o: values
@pytest.mark.parametrize("word", ["", "--", "-", "—", "停牌", "N/A", "null", "/", "暂无", "未公布"])
def test_26_no_value_is_never_zero(word):
    dataset = read_dataset(f"代码,涨跌幅,价\n000001,{word},{word}\n000002,+0.00%,0\n".encode())
    assert dataset.table.column("涨跌幅").to_pylist() == [None, 0.0]
    assert dataset.table.column("价").to_pylist() == [None, 0]


def test_26_null_in_records_stays_null():
    dataset = read_dataset(
        [{"code": "000001", "chg": None}, {"code": "000002", "chg": 0.0}, {"code": "000003"}]
    )
    assert dataset.table.column("chg").to_pylist() == [None, 0.0, None]


@pytest.mark.parametrize(
    ("text", "value"),
    [("1.0700000000", 1.07), ("1,234.5", 1234.5), ("1e3", 1000.0), ("１２", 12), ("-0.50", -0.5)],
)
def test_27_numbers_that_arrive_as_strings_are_numbers(text, value):
    assert read_dataset([{"v": text}, {"v": text}]).table.column("v").to_pylist() == [value, value]


def test_n_numbers_in_strings_have_statistics():
    facts = describe_dataset([{"v": "12.5"}, {"v": "1,234"}, {"v": "3.2万"}]).column("v")
    assert (facts.min, facts.max, facts.sum) == (12.5, 32_000.0, 33_246.5)


@pytest.mark.parametrize("values", [[1, 2.5], ["1", "2.5"], [1, "2.5"]])
def test_o_whole_numbers_beside_decimals_are_numbers(values):
    dataset = read_dataset([{"v": value} for value in values])
    assert (kinds(dataset), dataset.table.column("v").to_pylist()) == (["number"], [1.0, 2.5])


# ------------------------------------------------------------------ b: digits are no epochs
DIGITS = [
    ("日期", ["20250102", "20250103"], "date"),
    ("trade_date", [20250102, 20250103], "date"),
    ("日期", ["20250230", "20250231"], "integer"),
    ("代码", ["600519", "000001"], "code"),
    ("代码", [600519, 300750], "code"),
    ("成交量", ["600519", "300750"], "integer"),
    ("时间", ["600519", "300750"], "integer"),
    ("年份", ["2023", "2024"], "year"),
    ("数量", ["2023", "2024"], "integer"),
    ("数量", ["1704447060", "1704447120"], "integer"),
    ("timestamp", ["170444706", "170444712"], "integer"),
    ("timestamp", ["1704447060", "1704447120"], "datetime"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "cells", "kind"), DIGITS)
def test_b_digits_mean_what_their_name_and_form_say(name, cells, kind):
    assert kinds(read_dataset([{name: cell, "x": "a"} for cell in cells])) == [kind, "text"]


# ------------------------------------------------------------------ c: a closed list of forms
NO_TIMES = [
    "板块 12", "A股 1", "bad-1", "12.5%", "600519", "300750", "000001", "09:30", "25-01-02", "01/02/03",
    "1-2", "12", "T+1", "第3章 2024", "2024-13-01", "2024-02-30", "20240230", "31/31/2024", "May", "now",
]  # fmt: skip


@pytest.mark.parametrize("text", NO_TIMES)
def test_c_what_is_no_time_is_none(text):
    assert parse_time(text) is None


@pytest.mark.parametrize(
    "text", ["板块 12", "A股 1", "09:30", "T+1", "01/02/03", "25-01-02", "600519.SH", "2024-01-05"]
)
def test_c_what_is_no_number_is_none(text):
    assert parse_number(text) is None


@pytest.mark.parametrize("cells", [["板块 12", "板块 13"], ["A股 1", "A股 2"], ["25-01-02", "25-01-03"]])
def test_c_such_a_column_stays_text(cells):
    dataset = read_dataset([{"日期": cell, "x": 1.5} for cell in cells])
    assert kinds(dataset) == ["text", "number"]
    assert dataset.table.column("日期").to_pylist() == cells


def test_c_the_zone_of_the_host_changes_nothing():
    program = (
        "from capital_kit.datasets import parse_time, read_dataset;"
        "print(parse_time('2025/01/02').value, parse_time('2024-03-10T02:30:00-05:00').value,"
        "read_dataset({'time': ['2024-03-10 02:30', '2024-11-03 01:30', '1704447060']}).fingerprint,"
        "read_dataset({'timestamp': [1704447060, 1710055800]}).fingerprint,"
        "read_dataset({'date_ms': [1704384000000, 1704470400000]}).fingerprint,"
        "read_dataset(b'time,v\\n45361.1041667,1\\n45361.1048611,2\\n').fingerprint)"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True,
            env={**os.environ, "TZ": zone},
        ).stdout
        for zone in ("Asia/Shanghai", "America/New_York", "UTC")
    }  # fmt: skip
    assert len(outputs) == 1
    assert outputs.pop().startswith("2025-01-02 2024-03-10 02:30:00 ")


# ------------------------------------------------------------------ d: offsets of epochs
def epochs(*hours):
    day = 1_704_412_800  # 2024-01-05 00:00 UTC
    return [{"timestamp": day + 86_400 * at + 3_600 * hour} for at, hour in enumerate(hours)]


@pytest.mark.parametrize(
    ("hour", "zone"),
    [(16, "+08:00"), (15, "+09:00"), (5, "-05:00"), (0, "UTC"), (18.5, "UTC"), (18.25, "UTC")],
)
def test_d_only_whole_hours_are_an_offset(hour, zone):
    column = read_dataset(epochs(hour, hour, hour)).columns[0]
    assert column.timezone == zone


def test_d_midnight_in_a_zone_is_its_day():
    dataset = read_dataset(epochs(15, 15))
    assert dataset.table.column(0).to_pylist() == [dt.date(2024, 1, 6), dt.date(2024, 1, 7)]


def test_d_summer_time_does_not_move_a_day():
    rows = [{"timestamp": 1_710_046_800}, {"timestamp": 1_710_129_600}]  # midnight in New York, twice
    dataset = read_dataset(rows)
    assert dataset.table.column(0).to_pylist() == [dt.date(2024, 3, 10), dt.date(2024, 3, 11)]


def test_d_the_close_is_no_midnight():
    dataset = read_dataset([{"timestamp": 1_704_438_000}, {"timestamp": 1_704_697_200}])  # 15:00 in Shanghai
    assert kinds(dataset) == ["datetime"]
    assert kinds(read_dataset(epochs(16)[:1])) == ["datetime"]  # and a single day proves no offset
    assert (dataset.columns[0].timezone, codes(dataset)) == ("UTC", ["epoch_zone_assumed"])


# ------------------------------------------------------------------ 14: a nested column is no row array
def test_14_columns_beside_a_nested_one_are_columns():
    found = read_dataset({"k": [True, False], "s": ["a", None], "m": [[1], None]})
    assert (found.names, found.rows, codes(found)) == (("k", "s", "m"), 2, ["nested_values"])


def test_14_lists_beside_the_rows_are_named():
    found = read_dataset({"ids": [1, 2], "stock_items": ROWS})
    assert (found.source.row_key, codes(found)) == ("stock_items", ["envelope_fields"])
    assert "ids=[2]" in found.warnings[0].message
