"""JSON: records, envelopes, JSON Lines, documents."""

import datetime as dt
import json

import pytest

from capital_kit.datasets import read_dataset
from capital_kit.errors import DatasetError

ROWS = [{"date": "20240102", "close": 1.5}, {"date": "20240103", "close": None}]


def read(value, **options):
    return read_dataset(json.dumps(value, ensure_ascii=False).encode(), name="x.json", **options)


def codes(dataset):
    return [notice.code for notice in dataset.warnings]


ENVELOPES = [
    (ROWS, None),
    ({"item": ROWS}, "item"),
    ({"rows": ROWS, "fn": "bars"}, "rows"),
    ({"code": 0, "data": ROWS}, "data"),
    ({"code": 0, "data": {"timestamp": 1, "item": ROWS}}, "data.item"),
    ({"data": {"count": 2, "stock_items": ROWS, "hot_money_items": []}}, "data.stock_items"),
    ({"a": {"b": {"list": ROWS}}}, "a.b.list"),
    ({"bars": ROWS}, "bars"),
    ({"data": {"columns": [{"name": "date"}, {"name": "close"}],
               "rows": [["20240102", 1.5], ["20240103", None]]}}, "data.rows"),
    ({"fields": ["date", "close"], "items": [["20240102", 1.5], ["20240103", None]]}, "items"),
    ({"date": ["20240102", "20240103"], "close": [1.5, None]}, None),
]  # fmt: skip


@pytest.mark.parametrize(("value", "row_key"), ENVELOPES)
def test_rows_are_found(value, row_key):
    dataset = read(value)
    assert dataset.table.to_pylist() == [
        {"date": dt.date(2024, 1, 2), "close": 1.5},
        {"date": dt.date(2024, 1, 3), "close": None},
    ]
    assert (dataset.source.format, dataset.source.row_key, dataset.shape) == ("json", row_key, "rows")


def test_tool_answer_is_unpacked_with_its_units():
    inner = {
        "data": {
            "columns": [{"name": "TIME"}, {"name": "OPEN"}],
            "rows": [["2026-07-01T00:00:00.000+08:00", "1180.10"]],
            "unit": {"OPEN 单位：": "元"},
        },
        "error": None,
    }
    dataset = read({"jsonrpc": "2.0", "result": {"content": [{"type": "text", "text": json.dumps(inner)}]}})
    assert [(c.name, c.kind, c.unit, c.timezone) for c in dataset.columns] == [
        ("TIME", "date", None, "+08:00"),
        ("OPEN", "number", "元", None),
    ]


def test_series_of_equal_length_are_unfolded():
    value = [{"meta": {"name": "GDP", "unit": "亿元"}, "date": ["20240331", "20240630"], "value": [1.5, 2.5]}]
    dataset = read({"data": value})
    assert dataset.names == ("name", "unit", "date", "value")
    assert dataset.rows == 2
    assert codes(dataset) == ["rows_unfolded"]


def test_fields_beside_the_rows_are_told():
    dataset = read({"thscode": "600519.SH", "item": ROWS})
    assert dataset.warnings[0].details["fields"] == "thscode=600519.SH"


def test_several_arrays_need_a_choice():
    value = {"bars": ROWS, "trades": [{"price": 1}]}
    with pytest.raises(DatasetError) as caught:
        read(value)
    assert caught.value.code == "dataset_rows_ambiguous"
    assert caught.value.details["array_keys"] == ["bars", "trades"]
    assert "row_key" in str(caught.value)
    assert read(value, row_key="trades").names == ("price",)
    with pytest.raises(DatasetError) as caught:
        read(value, row_key="orders")
    assert caught.value.details["array_keys"] == ["bars", "trades"]


def test_known_key_wins_and_is_told():
    dataset = read({"data": {"item": ROWS}, "errors": [{"code": 1}]})
    assert dataset.source.row_key == "data.item"
    assert codes(dataset) == ["rows_chosen"]


def test_object_without_rows_is_a_document():
    dataset = read({"a": {"b": 1, "c": None}, "d": ["x", True], "e": {}})
    assert dataset.shape == "document"
    assert dataset.table.to_pydict() == {
        "path": ["a.b", "a.c", "d[0]", "d[1]", "e"],
        "value": ["1", None, "x", "true", "{}"],
    }


def test_nested_cells_become_json_text():
    dataset = read([{"name": "甲", "tags": [{"name": "概念"}]}, {"name": "乙", "tags": None}])
    assert dataset.table.column("tags").to_pylist() == ['[{"name": "概念"}]', None]
    assert codes(dataset) == ["nested_values"]


def test_keys_of_all_records_become_columns():
    assert read([{"a": 1}, {"b": 2}]).table.to_pylist() == [{"a": 1, "b": None}, {"a": None, "b": 2}]


def test_elements_that_are_no_records_are_kept():
    dataset = read([{"a": 1}, 5])
    assert dataset.table.to_pylist() == [{"a": 1, "value": None}, {"a": None, "value": 5}]
    assert codes(dataset) == ["not_rows"]


def test_list_of_values_is_one_column():
    assert read([1, 2]).table.to_pydict() == {"value": [1, 2]}


def test_integers_beyond_64_bits_lose_no_digit():
    dataset = read([{"id": 2**70}, {"id": 1}])
    assert dataset.table.column("id").to_pylist() == [str(2**70), "1"]
    assert codes(dataset) == ["integers_too_large"]


def test_json_lines():
    dataset = read_dataset(b'{"a":1,"b":"x"}\n\n{"a":2,"b":null}\n')
    assert (dataset.source.format, dataset.table.to_pydict()) == ("jsonl", {"a": [1, 2], "b": ["x", None]})


def test_cut_last_line_is_told_and_any_other_refused():
    dataset = read_dataset(b'{"a":1}\n{"a":2}\n{"a', name="x.jsonl")
    assert (dataset.rows, codes(dataset)) == (2, ["truncated_lines"])
    with pytest.raises(DatasetError) as caught:
        read_dataset(b'{"a":1}\n{"a\n{"a":3}\n', name="x.jsonl")
    assert caught.value.details["line"] == 2


def test_invalid_json_says_where():
    with pytest.raises(DatasetError) as caught:
        read_dataset(b'{"a": [1,', name="x.json")
    assert caught.value.code == "dataset_json_invalid"
    assert (caught.value.details["line"], caught.value.details["position"]) == (1, 10)


@pytest.mark.parametrize("value", [[], {"data": []}, {"data": {"item": []}}])
def test_no_rows_at_all_is_an_error(value):
    with pytest.raises(DatasetError) as caught:
        read(value)
    assert caught.value.code == "dataset_empty"
