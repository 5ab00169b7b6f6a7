"""The query language: what may be asked, how values are read, what is refused and how."""

import datetime as dt
import json

import pyarrow as pa
import pytest

import capital_kit as ck

BARS = ck.read_dataset(
    {
        "日期": ["2024-03-01", "2024-01-31", "2024-01-02", "2024-02-29", None, "2024-02-01"],
        "代码": ["000001", "600519", "000001", "600519", "000001", None],
        "收盘价": [10.0, 8.0, None, 9.0, 7.0, 11.0],
        "成交额(万元)": [20000, 10000, 5000, 30000, 12000, 12001],
        "涨跌幅": ["1.5%", "-2%", "0.5%", "--", "3%", "12%"],
        "买入": ["是", "否", "是", "否", "是", "否"],
        "评级": ["增持", "买入", "增持", "中性", None, "买入（维持）"],
    },
    name="bars",
)


def ask(query, data=BARS, **more):
    return ck.query_dataset(data, query, **more)


def closes(*filters, data=BARS):
    return [row["收盘价"] for row in ask({"select": "收盘价", "filters": list(filters)}, data).rows]


def where(column, operator, value=None):
    return {"column": column, "operator": operator, **({} if value is None else {"value": value})}


def refused(query, data=BARS, **more):
    with pytest.raises(ck.QueryError) as caught:
        ask(query, data, **more)
    assert caught.value.hint
    return caught.value


# values --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        # A partial date is its whole span, at both ends.
        (where("日期", "=", "2024"), [10, 8, None, 9, 11]),
        (where("日期", "=", "2024-02"), [9, 11]),
        (where("日期", "=", "2024Q1"), [10, 8, None, 9, 11]),
        (where("日期", "<=", "2024-02"), [8, None, 9, 11]),
        (where("日期", "<", "2024-02"), [8, None]),
        (where("日期", ">", "2024-02"), [10]),
        (where("日期", ">=", "2024-02"), [10, 9, 11]),
        (where("日期", "!=", "2024-02"), [10, 8, None]),
        (where("日期", "in", ["2024-01", "2024-03-01"]), [10, 8, None]),
        (where("日期", "between", ["2024-01-31", "2024-02"]), [8, 9, 11]),
        (where("日期", ">=", "2024年2月29日"), [10, 9]),
        (where("日期", ">=", dt.date(2024, 3, 1)), [10]),
        (where("日期", "=", 20240301), [10]),
        (where("日期", "=", 2024), [10, 8, None, 9, 11]),
        # Periods count from the last day of the data.
        (where("日期", "=", {"period": "last_1_day"}), [10]),
        (where("日期", "=", {"period": "last_1_month"}), [10, 9]),
        (where("日期", "<", {"period": "last_1_month"}), [8, None, 11]),
        (where("日期", "=", {"period": {"unit": "month", "count": "1"}}), [10, 9]),
        (where("日期", "=", '{"period": "last_1_month"}'), [10, 9]),
        # Numbers are read as cells are, in the unit of the column.
        (where("收盘价", ">", 9), [10, 11]),
        (where("收盘价", ">", "9"), [10, 11]),
        (where("收盘价", "=", "１０"), [10]),
        (where("成交额", ">", "1.2亿"), [10, 9, 11]),
        (where("成交额", ">", "12000万元"), [10, 9, 11]),
        (where("成交额", ">", 12000), [10, 9, 11]),
        (where("涨跌幅", ">", "1%"), [10, 7, 11]),
        (where("涨跌幅", ">=", 3), [7, 11]),
        (where("收盘价", "between", [8, "9.5"]), [8, 9]),
        # Texts compare as they stand.
        (where("代码", "=", "000001"), [10, None, 7]),
        (where("代码", "!=", "000001"), [8, 9]),
        (where("评级", "contains", "买入"), [8, 11]),
        (where("评级", "starts_with", "增"), [10, None]),
        (where("买入", "=", True), [10, None, 7]),
        (where("买入", "=", "否"), [8, 9, 11]),
        # Null matches nothing else.
        (where("收盘价", "is_null"), [None]),
        (where("代码", "not_null"), [10, 8, None, 9, 7]),
        (where("收盘价", "!=", 10), [8, 9, 7, 11]),
        ({"not": where("收盘价", "=", 10)}, [8, 9, 7, 11]),
        ({"not": {"any": [where("收盘价", "<", 9), where("收盘价", ">", 10)]}}, [10, 9]),
        ({"any": [where("收盘价", "is_null"), where("代码", "=", "600519")]}, [8, None, 9]),
        ({"all": [where("收盘价", ">", 8), {"not": where("代码", "is_null")}]}, [10, 9]),
    ],
)
def test_rows_that_match(condition, expected):
    assert closes(condition) == expected


def test_converted_value_is_said():
    found = ask({"filters": where("成交额", ">", "1.2亿")})
    assert [notice.code for notice in found.warnings] == ["value_converted"]
    assert "12,000 万元" in found.warnings[0].message


@pytest.mark.parametrize(
    ("kind", "cells", "asked", "expected"),
    [
        ("quarter", ["2024Q1", "2024Q2"], where("期", "=", "2024-06-30"), ["2024Q2"]),
        ("quarter", ["2024Q1", "2024Q2"], where("期", "<=", "2024-03"), ["2024Q1"]),
        ("month", ["2024-01", "2024-02"], where("期", ">=", "2024-02-15"), ["2024-02"]),
        ("month", ["2024-01", "2024-02"], where("期", "=", "2024"), ["2024-01", "2024-02"]),
        ("year", ["2023年", "2024年"], where("期", ">", "2023-05-06"), ["2024"]),
    ],
)
def test_finer_time_is_widened_to_the_period_of_the_column(kind, cells, asked, expected):
    data = ck.read_dataset({"期": cells, "x": [1, 2]})
    assert data.column("期").kind == kind
    found = ask({"filters": asked, "select": "期"}, data)
    assert [row["期"] for row in found.rows] == expected
    assert ("time_widened" in [n.code for n in found.warnings]) == (asked["value"] != "2024")


def test_day_of_minute_bars_is_the_whole_day():
    data = {"time": ["2024-01-04 15:00:00", "2024-01-05 09:31:00", "2024-01-05 15:00:00"], "x": [1, 2, 3]}
    for operator, value, expected in [
        ("=", "2024-01-05", [2, 3]),
        ("<=", "2024-01-05", [1, 2, 3]),
        ("<=", "2024-01-05 09:31", [1, 2]),
        ("=", {"period": "last_1_day"}, [2, 3]),
    ]:
        found = ask({"filters": where("time", operator, value)}, data)
        assert [row["x"] for row in found.rows] == expected, (operator, value)


def test_moment_with_a_zone_is_taken_to_the_zone_of_the_column():
    data = ck.read_dataset({"time": ["2024-01-05T09:31:00+08:00", "2024-01-05T15:00:00+08:00"], "x": [1, 2]})
    assert data.column("time").timezone == "+08:00"
    assert ask({"filters": where("time", "=", "2024-01-05T01:31:00Z"), "select": "x"}, data).value == 1
    shanghai = pa.table({"time": pa.array([1704418260], pa.timestamp("s", "Asia/Shanghai")), "x": [1]})
    assert ask({"filters": where("time", "=", "2024-01-05T01:31:00Z"), "select": "x"}, shanghai).value == 1
    moment = dt.datetime(2024, 1, 5, 1, 31, tzinfo=dt.UTC)
    assert ask({"filters": where("time", "<=", moment), "select": "x"}, shanghai).value == 1
    naive = {"time": ["2024-01-05 09:31", "2024-01-05 15:00"], "x": [1, 2]}
    assert (
        refused({"filters": where("time", "=", "2024-01-05T01:31:00Z")}, naive).code == "query_type_conflict"
    )


@pytest.mark.parametrize(
    "condition",
    [
        where("收盘价", ">=", "2024-07"),
        where("收盘价", ">=", dt.date(2024, 1, 1)),
        where("收盘价", "=", {"period": "ytd"}),
        where("收盘价", ">", "5%"),
        where("收盘价", "=", True),
        where("收盘价", "=", "高"),
        where("成交额", ">", "100手"),
        where("日期", ">", 3.5),
        where("日期", ">", 5),
        where("日期", "=", "板块 12"),
        where("日期", "contains", "2024"),
        where("代码", "=", 1),
        where("代码", "=", {"period": "ytd"}),
        where("评级", ">", 3),
        where("买入", "=", "maybe"),
        where("买入", "=", 1),
        where("收盘价", "in", [1, None]),
        {"column": "收盘价", "operator": "=", "value": None},
    ],
)
def test_values_of_another_kind_fail_loudly(condition, language):
    error = refused({"filters": condition})
    assert error.code == "query_type_conflict"
    assert condition["column"] in str(error)


def test_numbers_among_words_are_compared_and_the_rest_is_counted():
    data = ck.read_dataset(pa.table({"x": ["1", "2", "3", "many", None]}), kinds={"x": "text"})
    found = ask({"filters": where("x", ">=", 2)}, data)
    assert [row["x"] for row in found.rows] == ["2", "3"]
    assert found.warnings[0].details == {"column": "x", "count": 1}
    mean = ask({"aggregates": {"function": "avg", "column": "x"}}, data)
    assert (mean.value, [n.code for n in mean.warnings]) == (2.0, ["cells_left_out"])
    for query in ({"filters": where("x", ">=", 2)}, {"aggregates": {"function": "avg", "column": "x"}}):
        assert refused({**query, "error_policy": "strict"}, data).code == "query_type_conflict"


def test_times_beyond_the_calendar_are_no_crash():
    days = pa.array([-900_000, 0, 9_000_000], pa.date32())
    data = ck.read_dataset(pa.table({"日期": days, "x": [1, 2, 3]}))
    found = ask({"filters": where("日期", "<=", {"period": "ytd"}), "order_by": "日期"}, data)
    assert [row["x"] for row in found.rows][:2] == [1, 2]
    json.dumps(ask({}, data).to_dict(), allow_nan=False)
    assert ck.resolve_data_time_range(data, "all").data_days == 3


def test_spec_built_by_hand_is_checked_too():
    from capital_kit.datasets import QuerySpec

    assert ask(QuerySpec(select=("代码",), limit=1)).returned_count == 1
    assert refused(QuerySpec(limit=5000)).code == "query_spec_invalid"


def test_nothing_that_matches_is_explained():
    then = ask({"filters": where("日期", ">", "2025")})
    alike = ask({"filters": where("评级", "=", "增 持")})
    assert (then.rows, then.warnings[0].details["span"]) == ([], "2024-01-02 … 2024-03-01")
    assert (alike.rows, alike.warnings[0].details["near"]) == ([], "增持")


# names ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("asked", ["成交额(万元)", "成交额（万元）"])
def test_header_and_full_width_names_find_their_column(asked):
    found = ask({"aggregates": {"function": "max", "column": asked}})
    assert found.value == 30000
    assert (found.columns[0].name, found.columns[0].unit) == ("max_成交额", "万元")


def test_folded_name_is_said_and_an_exact_one_is_not():
    data = {"Close": [1.0], "Ｖol": [2.0]}
    assert [n.code for n in ask({"select": "close"}, data).warnings] == ["name_matched"]
    assert not ask({"select": "Close"}, data).warnings
    assert refused({"select": "CLOSE"}, {"Close": [1], "close": [2]}).details["available"] == [
        "Close",
        "close",
    ]


def test_unknown_column_names_the_nearest():
    error = refused({"filters": where("收盘", "=", 1)})
    assert error.code == "query_column_not_found"
    assert (error.details["nearest"], error.details["available_total"]) == ("收盘价", 7)


# groups --------------------------------------------------------------------------------------


def test_groups_in_the_order_of_their_keys_with_null_last():
    found = ask({
        "group_by": "代码",
        "aggregates": [
            {"function": "count", "as": "行"}, {"function": "count", "column": "收盘价", "as": "有价"},
            {"function": "mean", "column": "收盘价", "as": "均价"},
            {"function": "max", "column": "日期", "as": "最近"},
            {"function": "min", "column": "评级", "as": "评级"},
            {"function": "distinct", "column": "评级", "as": "种"},
        ],
    })  # fmt: skip
    assert [tuple(row.values()) for row in found.rows] == [
        ("000001", 3, 2, 8.5, "2024-03-01", "增持", 1),
        ("600519", 2, 2, 8.5, "2024-02-29", "中性", 2),
        (None, 1, 1, 11.0, "2024-02-01", "买入（维持）", 1),
    ]
    assert (found.matched_row_count, found.group_count) == (6, 3)
    assert [column.kind for column in found.columns] == [
        "code", "integer", "integer", "number", "date", BARS.column("评级").kind, "integer",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("step", "expected", "kind"),
    [
        ("day", ["2024-01-02", "2024-01-31", "2024-02-01", "2024-02-29", "2024-03-01", None], "date"),
        ("week", ["2024-01-01", "2024-01-29", "2024-02-26", None], "date"),
        ("month", ["2024-01", "2024-02", "2024-03", None], "month"),
        ("quarter", ["2024Q1", None], "quarter"),
        ("year", ["2024", None], "year"),
    ],
)
def test_times_are_cut_to_steps(step, expected, kind):
    found = ask({"group_by": {"column": "日期", "by": step}})
    assert ([row["日期"] for row in found.rows], found.columns[0].kind) == (expected, kind)


def test_step_finer_than_the_column_is_refused():
    error = refused({"group_by": {"column": "m", "by": "week"}}, {"m": ["2024-01", "2024-02"], "x": [1, 2]})
    assert error.code == "query_type_conflict"
    assert refused({"group_by": {"column": "收盘价", "by": "month"}}).details["allowed"] == ["日期"]


def test_first_and_last_go_by_time_not_by_file():
    found = ask({"aggregates": [
        {"function": "first", "column": "收盘价"}, {"function": "last", "column": "收盘价"},
        {"function": "last", "column": "代码"},
    ]})  # fmt: skip
    # The earliest row states no price; the one without a day counts nowhere.
    assert found.rows == [{"first_收盘价": 8.0, "last_收盘价": 10.0, "last_代码": "000001"}]


def test_equal_times_are_said_and_no_time_axis_is_refused():
    data = {"date": ["2024-01-02", "2024-01-03", "2024-01-03"], "x": [1, 2, 3]}
    found = ask({"aggregates": {"function": "last", "column": "x"}}, data)
    assert (found.value, [n.code for n in found.warnings]) == (3, ["times_repeat"])
    error = refused({"aggregates": {"function": "last", "column": "x"}}, {"x": [1, 2]})
    assert error.code == "query_type_conflict"


def test_time_column_decides_what_last_means():
    data = {"date": ["2024-01-02", "2024-01-03"], "公告日": ["2024-02-09", "2024-02-05"], "x": [1, 2]}
    last = {"aggregates": {"function": "last", "column": "x"}}
    one, other = ask(last, data, time_column="date"), ask(last, data, time_column="公告日")
    assert (one.value, other.value) == (2, 1)
    assert one.query_id != other.query_id
    assert ask(other.query, data).query_id == other.query_id
    assert ask(last, data).query_id == one.query_id
    assert refused(last, data, time_column="x").code == "query_spec_invalid"


def test_nothing_left_gives_null_and_never_zero():
    found = ask({
        "filters": where("收盘价", ">", 99),
        "aggregates": [
            {"function": name, "column": "收盘价"}
            for name in ("count", "sum", "avg", "min", "max", "std", "last")
        ],
    })  # fmt: skip
    assert list(found.rows[0].values()) == [0, None, None, None, None, None, None]
    assert ask({"filters": where("收盘价", ">", 99), "group_by": "代码"}).rows == []


def test_nan_and_infinity_are_left_out_and_counted():
    data = ck.read_dataset(pa.table({"x": pa.array([1.0, float("nan"), float("inf"), None, 3.0])}))
    found = ask({"aggregates": [{"function": f, "column": "x"} for f in ("count", "avg", "max")]}, data)
    assert list(found.rows[0].values()) == [2, 2.0, 3.0]
    assert found.warnings[0].details == {"column": "x", "count": 2}
    assert [row["x"] for row in ask({"filters": where("x", "!=", 1)}, data).rows] == [None, 3.0]
    assert ask({"filters": where("x", "is_null")}, data).matched_row_count == 1
    rows = ask({"order_by": {"column": "x", "direction": "desc"}}, data)
    assert [row["x"] for row in rows.rows] == [None, None, 3.0, 1.0, None]
    assert "non_finite_as_null" in [n.code for n in rows.warnings]
    json.dumps(rows.to_dict(), allow_nan=False)


def test_numbers_are_those_of_the_description():
    facts = ck.describe_dataset(BARS).column("收盘价")
    functions = ["count", "sum", "avg", "std", "min", "max", "median", "distinct"]
    found = ask(
        {"aggregates": [{"function": name, "column": "收盘价", "as": name} for name in functions]}
    ).rows[0]
    assert list(found.values()) == [
        facts.count, facts.sum, facts.mean, facts.std, facts.min, facts.max, facts.p50, facts.distinct,
    ]  # fmt: skip


def test_sums_too_large_for_an_integer_are_said_and_infinite_ones_refused():
    big = ask({"aggregates": {"function": "sum", "column": "x"}}, {"x": [2**62, 2**62, 2**62]})
    assert (big.value, [n.code for n in big.warnings]) == (3 * 2.0**62, ["sum_rounded"])
    assert refused({"aggregates": {"function": "sum", "column": "x"}}, {"x": [1.7e308, 1.7e308]}).code == (
        "query_type_conflict"
    )


@pytest.mark.parametrize("function", ["sum", "avg", "median", "std"])
@pytest.mark.parametrize("column", ["日期", "代码", "评级", "买入"])
def test_there_is_no_mean_of_words_and_days(function, column):
    error = refused({"aggregates": {"function": function, "column": column}})
    assert error.code == "query_type_conflict"


def test_having_filters_groups_and_order_takes_the_top():
    query = {
        "group_by": "代码",
        "aggregates": {"function": "count", "as": "行数"},
        "having": [where("行数", ">=", "2"), where("代码", "not_null")],
        "order_by": {"column": "行数", "direction": "DESC"},
        "limit": "1",
    }
    found = ask(query)
    assert found.rows == [{"代码": "000001", "行数": 3}]
    assert (found.group_count, found.returned_count, found.truncated) == (2, 1, True)


def test_select_and_distinct():
    found = ask({"select": ["代码"], "distinct": True})
    assert [row["代码"] for row in found.rows] == ["000001", "600519", None]
    assert refused({"select": "代码", "distinct": True, "order_by": "日期"}).code == "query_spec_invalid"


def test_order_is_stable_and_nulls_come_last_either_way():
    for direction, expected in [("asc", [7, 8, 9, 10, 11, None]), ("desc", [11, 10, 9, 8, 7, None])]:
        found = ask({"order_by": {"column": "收盘价", "direction": direction}, "select": "收盘价"})
        assert [row["收盘价"] for row in found.rows] == expected
    ties = ask({"order_by": "买入", "select": "成交额"})
    assert [row["成交额"] for row in ties.rows] == [10000, 30000, 12001, 20000, 5000, 12000]


# limits --------------------------------------------------------------------------------------


def test_rows_are_capped_and_it_is_said():
    data = ck.read_dataset({"x": list(range(1500))})
    found = ask({}, data)
    assert (found.returned_count, found.matched_row_count, found.truncated, found.limit) == (
        100,
        1500,
        True,
        100,
    )
    assert ask({"limit": 1000}, data).returned_count == 1000


def test_too_many_groups_need_an_order_that_says_which_come_first():
    data = ck.read_dataset({"x": list(range(1001))})
    error = refused({"group_by": "x"}, data)
    assert (error.code, error.details["groups"]) == ("query_group_limit_exceeded", 1001)
    top = ask({"group_by": "x", "order_by": {"column": "x", "direction": "desc"}, "limit": 1}, data)
    assert (top.rows, top.group_count) == ([{"x": 1000}], 1001)
    assert ask({"group_by": "x", "having": where("x", ">", 0)}, data).group_count == 1000


def test_too_large_a_result_is_refused():
    error = refused({"limit": 1000}, {"text": ["值" * 200] * 1000})
    assert (error.code, error.details["limit_kib"]) == ("query_result_too_large", 256)


# the boundary --------------------------------------------------------------------------------

COUNT = {"function": "count"}
SAME = {"filters": [where("收盘价", ">", 8)], "group_by": ["代码"], "aggregates": [COUNT], "limit": 10}


@pytest.mark.parametrize(
    "written",
    [
        SAME,
        json.dumps(SAME),
        {"query": SAME},
        {"query": json.dumps(SAME), "type": "query_request", "task_id": "t1"},
        {**SAME, "filters": SAME["filters"][0], "group_by": "代码", "aggregates": COUNT, "limit": "10"},
        {**SAME, "filters": json.dumps(SAME["filters"]), "aggregates": json.dumps(COUNT)},
        {**SAME, "filters": [json.dumps(SAME["filters"][0])], "group_by": '["代码"]'},
        {**SAME, "having": None, "order_by": [], "select": "", "distinct": "false"},
        {**SAME, "error_policy": "skip_with_warning", "group_by": [{"column": "代码", "by": None}]},
    ],
)
def test_ways_of_writing_one_query_are_one_query(written):
    assert ask(written).query_id == ask(SAME).query_id
    assert ask(ask(written).query).query_id == ask(SAME).query_id


@pytest.mark.parametrize(
    ("query", "nearest"),
    [
        ({"filter": []}, "filters"),
        ({"groupby": "代码"}, "group_by"),
        ({"filters": {"column": "代码", "op": "="}}, "—"),
        ({"filters": {"column": "代码", "operator": "contain", "value": "1"}}, "contains"),
        ({"aggregates": {"function": "medan", "column": "收盘价"}}, "median"),
        ({"group_by": {"column": "日期", "by": "months"}}, "month"),
        ({"order_by": {"column": "代码", "direction": "dsc"}}, "desc"),
        ({"error_policy": "lenient"}, "—"),
    ],
)
def test_words_outside_the_language_name_the_nearest(query, nearest, language):
    error = refused(query)
    assert (error.code, error.details["nearest"]) == ("query_spec_invalid", nearest)
    assert error.details["allowed"]


@pytest.mark.parametrize(
    "query",
    [
        "{", "[]", [], 3, "null",
        {"limit": 0}, {"limit": 1001}, {"limit": "many"}, {"limit": True}, {"limit": 2.5},
        {"distinct": "maybe"},
        {"filters": [where("收盘价", "=", 1)] * 33},
        {"filters": {"any": [where("收盘价", "=", 1)] * 20 + [{"all": [where("收盘价", "=", 1)] * 20}]}},
        {"group_by": ["代码"] * 17},
        {"aggregates": [COUNT] * 17},
        {"aggregates": [COUNT, COUNT]},
        {"group_by": [{"column": "日期", "by": "month"}, {"column": "日期", "by": "year"}]},
        {"aggregates": {"function": "sum"}},
        {"aggregates": {"function": "quantile", "column": "收盘价"}},
        {"aggregates": {"function": "quantile", "column": "收盘价", "q": 1.5}},
        {"aggregates": {"function": "sum", "column": "收盘价", "q": 0.5}},
        {"aggregates": {**COUNT, "as": "长" * 129}},
        {"aggregates": {**COUNT, "as": ""}},
        {"having": where("收盘价", "=", 1)},
        {"filters": {"any": []}},
        {"filters": {"not": [where("收盘价", "=", 1), where("收盘价", "=", 2)]}},
        {"filters": {"any": [where("收盘价", "=", 1)], "column": "收盘价"}},
        {"filters": where("收盘价", "in", [])},
        {"filters": where("收盘价", "in", list(range(65)))},
        {"filters": where("收盘价", "between", [1])},
        {"filters": where("收盘价", "is_null", 1)},
        {"filters": where("日期", "=", {"period": "recently"})},
        {"filters": where("日期", "=", {"from": "2024"})},
        {"filters": where("日期", "=", [1, 2])},
        {"filters": {"operator": "="}},
        {"filters": "[" * 100_000},
    ],
)  # fmt: skip
def test_what_is_no_query_is_refused(query):
    assert refused(query).code == "query_spec_invalid"


def test_nested_deeper_than_allowed():
    condition = where("收盘价", "=", 1)
    for _ in range(9):
        condition = {"not": condition}
    assert refused({"filters": condition}).code == "query_spec_invalid"


def test_query_and_sql_exclude_each_other():
    assert refused({}, sql="SELECT 1").code == "query_spec_invalid"


@pytest.mark.parametrize("more", [{}, {"sql": "SELECT 1"}])
def test_document_has_no_rows_to_ask_for(more):
    assert refused(None, {"a": {"b": 1}}, **more).code == "dataset_format_unsupported"
