"""The record as a whole, from the data to strict JSON."""

import datetime as dt
import json
import math

import pyarrow as pa
import pytest

from capital_kit.datasets import (
    Column,
    Dataset,
    Source,
    describe_dataset,
    inspect_dataset,
    profile_dataset,
    read_dataset,
)
from capital_kit.datasets._describe import _measure_all
from capital_kit.errors import DatasetError

N = 12
DAYS = [dt.date(2024, 1, 1) + dt.timedelta(n) for n in range(N)]
TYPES = {
    "date": pa.date32(), "month": pa.date32(), "number": pa.float64(), "integer": pa.int64(),
    "boolean": pa.bool_(),
}  # fmt: skip


def dataset(columns, **options):
    return Dataset(
        table=pa.table({n: pa.array(v, TYPES.get(kind, pa.string())) for n, (v, kind) in columns.items()}),
        columns=tuple(Column(name=name, header=name, kind=kind) for name, (_, kind) in columns.items()),
        source=Source(format="csv", label="bars.csv"),
        **options,
    )


def bars():
    close = [10 + 0.1 * n for n in range(N)]
    return {
        "代码": (["000001"] * N, "code"),
        "日期": (DAYS, "date"),
        "开盘": (close, "number"),
        "最高": ([c + 0.1 for c in close], "number"),
        "最低": ([c - 0.1 for c in close], "number"),
        "收盘": (close, "number"),
        "成交量": ([100 * n for n in range(N)], "integer"),
    }


def test_daily_bars_are_understood_at_once():
    card = describe_dataset(dataset(bars()))
    assert card.rows == N
    assert [column.role for column in card.columns] == [
        "entity",
        "time",
        "open",
        "high",
        "low",
        "close",
        "volume",
    ]
    assert card.time_axis.frequency == "day"
    assert (card.time_axis.start, card.time_axis.end) == ("2024-01-01", "2024-01-12")
    assert card.quality.ohlc_violations == 0
    assert card.column("成交量").sum == 6600
    assert card.series_groups[0].columns == ("开盘", "最高", "最低", "收盘")
    assert repr(card) == "Description('bars.csv', 12 rows × 7 columns, day 2024-01-01…2024-01-12)"


def test_the_record_is_strict_json():
    columns = {**bars(), "wild": ([math.nan, math.inf, 1e308, 1e308] * 3, "number")}
    record = describe_dataset(dataset(columns)).to_dict()
    text = json.dumps(record, allow_nan=False, ensure_ascii=False)
    assert json.loads(text) == record
    assert list(record) == [
        "status", "dataset_id", "profile_ref", "shape", "rows", "columns", "left_out", "time_axis", "roles",
        "quality", "series_groups", "source", "overrides", "warnings", "queries",
    ]  # fmt: skip


def test_the_same_data_give_the_same_record():
    one, two = (describe_dataset(dataset(bars())).to_dict() for _ in range(2))
    assert one == two


def test_threads_change_nothing(monkeypatch):
    before = describe_dataset(dataset(bars())).columns
    monkeypatch.setattr("capital_kit.datasets._threads._FROM", 0)
    monkeypatch.setattr("capital_kit.datasets._threads._ROWS_EACH", 0)
    assert describe_dataset(dataset(bars())).columns == before
    assert list(_measure_all(dataset(bars()))) == list(bars())


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_very_short_tables(rows):
    card = describe_dataset(dataset({name: (v[:rows], kind) for name, (v, kind) in bars().items()}))
    assert card.rows == rows
    assert (card.time_axis is None) == (rows == 0)
    assert ([w.code for w in card.warnings] == ["no_rows"]) == (rows == 0)
    assert json.dumps(card.to_dict(), allow_nan=False)


def test_a_table_without_columns():
    card = describe_dataset(dataset({}))
    assert (card.columns, card.time_axis, card.warnings[0].code) == ((), None, "no_rows")


def test_a_document_has_no_roles():
    leaves = {"path": (["a", "b", "b"], "text"), "value": (["1", "2", "2"], "text")}
    card = describe_dataset(dataset(leaves, shape="document"))
    assert card.roles.categories == ()
    assert card.time_axis is None


def test_two_thousand_columns():
    card = describe_dataset(dataset({f"c{n}": ([float(n), 1.0 + n], "number") for n in range(2000)}))
    assert len(card.columns) == len(card.roles.measures) == 2000


def test_the_frame_has_one_row_a_column():
    frame = describe_dataset(dataset(bars())).to_frame()
    assert list(frame["name"]) == list(bars())
    assert frame.loc[frame["name"] == "成交量", "role"].item() == "volume"


def test_latest_is_the_value_at_the_last_time_not_in_the_last_row():
    found = describe_dataset({"day": ["2024-01-03", "2024-01-02"], "v": [2.5, 1.5], "name": ["b", "a"]})
    assert (found.column("v").last, found.column("v").latest) == (1.5, 2.5)
    assert found.column("name").latest is None
    panel = describe_dataset({"day": ["2024-01-03"] * 2, "code": ["000001", "000002"], "v": [2.5, 1.5]})
    assert panel.column("v").latest is None


def test_ranks_are_no_measures():
    found = describe_dataset({"name": ["a", "b", "c"], "rank": [1, 2, 3], "sales": [3.5, 2.5, 1.5]})
    assert found.column("rank").role == "rank"
    assert found.roles.measures == ("sales",)


def test_head_gives_a_frame_of_the_first_rows():
    data = dataset(bars())
    assert data.head(3)["收盘"].tolist() == pytest.approx([10, 10.1, 10.2])
    assert len(data.head()) == 5


# in order of time ------------------------------------------------------------------------------


def test_earliest_and_latest_go_by_time_first_and_last_by_file():
    found = describe_dataset({"day": ["2024-01-03", "2024-01-02"], "v": [2.5, 1.5], "name": ["b", "a"]})
    value = found.column("v")
    assert (value.first, value.last, value.earliest, value.latest) == (2.5, 1.5, 1.5, 2.5)
    assert found.column("name").earliest is None
    twice = describe_dataset({"day": ["2024-01-02", "2024-01-02", "2024-01-03"], "v": [1.0, 2.0, 3.0]})
    assert (twice.column("v").earliest, twice.column("v").latest) == (None, 3.0)


def test_the_trend_is_the_course_in_order_of_time():
    days = [dt.date(2024, 1, 1) + dt.timedelta(n) for n in range(96)]
    values = [n + 1 / 3 for n in range(96)]
    forward = describe_dataset({"day": days, "v": values})
    backward = describe_dataset({"day": days[::-1], "v": values[::-1]})
    expected = tuple(float(f"{2 * n + 0.5 + 1 / 3:.6g}") for n in range(48))
    assert forward.column("v").trend == backward.column("v").trend == expected


def test_parts_of_the_trend_differ_by_one_row_and_hold_every_value():
    n = 100
    days = [dt.date(2024, 1, 1) + dt.timedelta(k) for k in range(n)]
    trend = describe_dataset({"day": days, "v": [0.5] + [1.5] * (n - 1)}).column("v").trend
    assert len(trend) == 48
    assert trend[0] == 1
    assert set(trend[1:]) == {1.5}


def test_a_part_without_values_has_no_mean():
    days = DAYS[:4]
    assert describe_dataset({"day": days, "v": [1.5, None, 2.5, 4.5]}).column("v").trend == (
        1.5,
        None,
        2.5,
        4.5,
    )


@pytest.mark.parametrize(
    "columns",
    [
        {"v": [1.5, 2.5, 3.5]},
        {"day": DAYS[:3], "v": [2.5, 2.5, 2.5]},
        {
            "day": [DAYS[0], DAYS[0], DAYS[1], DAYS[1]],
            "code": ["000001", "000002"] * 2,
            "v": [1.5, 2.5, 3.5, 4.5],
        },
        {"day": DAYS[:1], "v": [1.5]},
    ],
)
def test_without_a_course_there_is_no_trend(columns):
    assert describe_dataset(columns).column("v").trend is None


def test_huge_numbers_leave_the_record_strict():
    days = [dt.date(2024, 1, 1) + dt.timedelta(k) for k in range(96)]
    found = describe_dataset({"day": days, "v": [1.5, *[1.7e308] * 95]})
    assert found.column("v").trend == (8.5e307, *[None] * 47)
    assert json.dumps(found.to_dict(), allow_nan=False)


# what the caller decides -----------------------------------------------------------------------


def test_units_of_the_caller_win_and_convert_nothing():
    data = dataset(bars())
    told = describe_dataset(data, units={"成交量": "手", "收盘": "元/股", "开盘": "凭证", "最低": None})
    facts = {name: told.column(name) for name in ("成交量", "收盘", "开盘", "最低")}
    expected = [("手", 100.0), ("元/股", None), ("凭证", None), (None, None)]
    assert [(f.unit, f.unit_scale) for f in facts.values()] == expected
    assert facts["成交量"].sum == 6600
    with pytest.raises(DatasetError) as caught:
        describe_dataset(data, units={"日期": "元"})
    assert (caught.value.code, caught.value.details["allowed"][0]) == ("dataset_unit_invalid", "开盘")
    with pytest.raises(DatasetError, match="dataset_column_not_found"):
        describe_dataset(data, units={"no": "元"})


def test_a_record_of_other_decisions_has_another_name():
    data = dataset(bars())
    units = (None, {"收盘": "元"}, {"收盘": "元"})
    plain, told, again = (describe_dataset(data, units=choice) for choice in units)
    assert plain.to_dict()["overrides"] == {}
    assert told.to_dict()["overrides"] == {"units": {"收盘": "元"}}
    assert told.profile_ref == again.profile_ref != plain.profile_ref
    assert describe_dataset(data, time_column="日期").profile_ref not in (plain.profile_ref, told.profile_ref)


def test_columns_of_interest_narrow_all_but_time_and_what_is_judged_on_the_whole():
    data = dataset({**bars(), "行业": (["a", "b"] * 6, "category")})
    whole, found = describe_dataset(data), describe_dataset(data, columns_of_interest=["收盘", "开盘"])
    assert [facts.name for facts in found.columns] == ["日期", "开盘", "收盘"]
    assert found.left_out == ("代码", "最高", "最低", "成交量", "行业")
    assert found.column("收盘") == whole.column("收盘")
    assert found.roles.ohlc == whole.roles.ohlc
    assert (found.roles.measures, found.roles.categories) == (("开盘", "收盘"), ())
    assert found.quality == whole.quality
    assert found.to_dict()["left_out"] == list(found.left_out)
    record = found.to_dict()
    assert "行业" not in json.dumps([record["columns"], record["roles"]], ensure_ascii=False)
    with pytest.raises(DatasetError) as caught:
        found.column("成交量")
    assert caught.value.details["available"] == ["日期", "开盘", "收盘"]


def test_unknown_columns_of_interest_are_named():
    found = describe_dataset(dataset(bars()), columns_of_interest=["收盘", "no", "no"])
    assert found.warnings[0].code == "columns_unknown"
    assert found.warnings[0].details == {"columns": ["no"], "count": 1}
    assert [facts.name for facts in describe_dataset(dataset(bars()), columns_of_interest="no").columns] == [
        "日期"
    ]


# forms of the record ---------------------------------------------------------------------------


def test_queries_are_answered_and_one_that_fails_stops_nothing():
    asked = [
        {"aggregates": [{"function": "max", "column": "收盘", "as": "top"}]},
        {"aggregates": [{"function": "max", "column": "no", "as": "top"}]},
        42,
    ]
    found = describe_dataset(dataset(bars()), queries=asked)
    best, unknown, wrong = found.to_dict()["queries"]
    assert best["result"]["rows"] == [{"top": pytest.approx(11.1)}]
    assert (unknown["index"], unknown["error"]["code"]) == (1, "query_column_not_found")
    assert set(unknown["error"]) == {"code", "detail", "hint"}
    assert wrong["error"]["code"] == "query_spec_invalid"
    assert describe_dataset(dataset(bars()), queries=asked[0]).to_dict()["queries"] == [best]


def test_eight_queries_are_the_most():
    query = {"aggregates": [{"function": "count", "as": "n"}]}
    assert len(describe_dataset(dataset(bars()), queries=[query] * 8).queries) == 8
    with pytest.raises(DatasetError, match="query_spec_invalid") as caught:
        describe_dataset(dataset(bars()), queries=[query] * 9)
    assert (caught.value.details["count"], caught.value.details["allowed"]) == (9, 8)


def test_a_document_has_neither_queries_nor_columns_to_choose(language):
    leaves = {"path": (["a", "b"], "text"), "value": (["1", "2"], "text")}
    found = describe_dataset(
        dataset(leaves, shape="document"), columns_of_interest=["path"], queries=[{"group_by": ["path"]}]
    )
    assert {w.code for w in found.warnings} == {"document_whole", "queries_skipped"}
    assert (len(found.columns), found.queries) == (2, ())
    assert all(warning.message for warning in found.warnings)


def test_a_record_over_the_limit_is_not_cut_but_says_so(language):
    found = describe_dataset(dataset(bars()))
    size = len(json.dumps(found.to_dict(), ensure_ascii=False))
    assert found.to_dict(limit=size) == found.to_dict()
    short = found.to_dict(limit=size - 1)
    assert list(short) == [
        "status",
        "dataset_id",
        "profile_ref",
        "shape",
        "rows",
        "columns",
        "size",
        "limit",
        "hint",
    ]
    assert (short["status"], short["columns"], short["size"]) == ("too_large", list(bars()), size)
    less = describe_dataset(dataset(bars()), columns_of_interest=["收盘"])
    assert less.to_dict(limit=size - 1)["status"] == "ok"
    assert "columns_of_interest" in short["hint"]


SHAPES = {
    "bars": dataset(bars()),
    "nothing": dataset({}),
    "no rows": dataset({name: ([], kind) for name, (_, kind) in bars().items()}),
    "one row": dataset({name: (values[:1], kind) for name, (values, kind) in bars().items()}),
    "all null": dataset({name: ([None] * 3, kind) for name, (_, kind) in bars().items()}),
    "document": dataset({"path": (["a"], "text"), "value": (["1"], "text")}, shape="document"),
    "not finite": dataset({
        "date": (DAYS, "date"), "x": ([math.nan, math.inf, -math.inf, -0.0] * 3, "number"),
    }),
    "minutes": read_dataset({
        "time": [f"2024-01-02 09:{m:02}:00" for m in range(30, 59)], "x": list(range(29)),
    }),
}  # fmt: skip


@pytest.mark.parametrize("name", SHAPES)
def test_every_form_is_strict_json(name):
    data = SHAPES[name]
    for options in ({}, {"columns_of_interest": ["x", "收盘"]}, {"queries": [{"group_by": ["x"]}]}):
        found = describe_dataset(data, **options)
        for record in (found.to_dict(), found.to_dict(limit=10)):
            text = json.dumps(record, allow_nan=False, ensure_ascii=False)
            assert json.loads(text) == record
            assert "-0.0" not in text
    inspection = inspect_dataset(data).to_dict()
    assert json.loads(json.dumps(inspection, allow_nan=False)) == inspection


def test_the_record_stays_within_1500_bytes_a_column():
    n = 500
    days = [dt.date(2020, 1, 1) + dt.timedelta(k) for k in range(n)]
    wild = {f"v{c}": [math.sin(k * (c + 1.7)) * 10.0 ** (c * 2) for k in range(n)] for c in range(6)}
    record = describe_dataset({"day": days, **wild}).to_dict()
    assert all(len(json.dumps(column)) <= 1500 for column in record["columns"])


# inspect, profile, describe --------------------------------------------------------------------


def test_inspection_shows_what_is_there_without_measuring(language):
    data = dataset({**bars(), "月份": ([dt.date(2024, 1, 1)] * N, "month")})
    found = inspect_dataset(data)
    rows = found.to_dict()["first_rows"]
    assert len(rows) == 5
    assert rows[0]["日期"] == "2024-01-01"
    assert rows[0]["月份"] == "2024-01"
    assert rows[0]["代码"] == "000001"
    assert found.to_dict()["dataset_id"] == data.dataset_id
    assert list(found.to_frame()["成交量"]) == [0, 100, 200, 300, 400]
    assert found._repr_html_() == data._repr_html_()
    assert repr(found) == "Inspection('bars.csv', 12 rows × 8 columns)"


def test_profile_is_describe_without_queries():
    data = dataset(bars())
    options = {"time_column": "日期", "columns_of_interest": ["收盘"], "roles": {"volume": None}}
    assert profile_dataset(data, **options).to_dict() == describe_dataset(data, **options).to_dict()
