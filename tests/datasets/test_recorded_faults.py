"""Incidents and faults that were recorded elsewhere: what a record, a query or a period must never do again.

The numbers are those of the contract: 1 to 28 happened, letters were found by reading; those about
reading are in ``test_recorded_faults_reading.py``.
"""

import datetime as dt
import functools
import json
import math

import pyarrow as pa
import pytest

import capital_kit as ck
from capital_kit.datasets import describe_dataset, find_query, query_dataset, read_dataset
from capital_kit.datasets import resolve_data_time_range as time_range

MONDAY = dt.date(2024, 1, 1)


def days(count, start=MONDAY):
    return [(start + dt.timedelta(n)).isoformat() for n in range(count)]


def series(dates, **more):
    return {"date": dates, "close": [10.5 + n for n in range(len(dates))], **more}


def where(column, operator, value):
    return {"column": column, "operator": operator, "value": value}


def codes(found):
    return [notice.code for notice in found.warnings]


def notice(found, code):
    return next(notice for notice in found.warnings if notice.code == code)


ODD = pa.table({
    "date": pa.array([dt.date(2024, 1, 2), None, dt.date(2024, 1, 4)]),
    "time": pa.array([dt.datetime(2024, 1, 2, 9, 30), None, dt.datetime(1890, 1, 1)]),
    "x": [math.nan, math.inf, -0.0],
    "n": pa.array([2**62, None, -1]),
    "代码": ["000001", None, "<b>\u2028"],
    "ok": [True, None, False],
    "nested": [[1, None], None, []],
    "none": pa.array([None] * 3, pa.null()),
})  # fmt: skip
SHAPES = {
    "odd cells": ODD,
    "no rows": ODD.slice(0, 0),
    "one row": ODD.slice(0, 1),
    "only nulls": {"a": [None, None], "b": [None, None]},
    "series": series(days(40)),
    "panel": {"code": ["000001", "600519"] * 20, "date": sorted(days(20) * 2), "close": [1.5, 2.5] * 20},
    "minutes": {"time": [f"2024-01-02 09:{m}:00" for m in range(30, 59)], "x": list(range(29))},
    "months": {"月份": ["2024-01", "2024-02", "2024-03"], "cpi": [0.3, 0.7, 0.1]},
    "document": {"meta": {"a": 1, "b": [1, None]}, "note": "x"},
}
QUERIES = {
    "rows": {},
    "count": {"aggregates": {"function": "count"}},
    "ends": {"aggregates": [{"function": "min", "column": "x"}, {"function": "max", "column": "date"}]},
    "groups": {"group_by": "ok", "aggregates": {"function": "avg", "column": "x"}},
    "nothing": {"filters": where("代码", "=", "无")},
    "by time": {"aggregates": {"function": "last", "column": "代码"}},
}


@functools.cache
def forms():
    """Return every record that there is, as its dict, by the name of its form."""
    made = {}
    for name, data in SHAPES.items():
        found = describe_dataset(data)
        made[f"{name}: record"] = found.to_dict()
        made[f"{name}: narrowed record"] = describe_dataset(data, columns_of_interest="x").to_dict()
        made[f"{name}: too large"] = found.to_dict(limit=1)
        made[f"{name}: inspection"] = ck.inspect_dataset(data).to_dict()
        if found.time_axis:
            made[f"{name}: range"] = time_range(data, "ytd").to_dict()
    for name, query in QUERIES.items():
        found = query_dataset(ODD, query)
        made[f"{name}: query"] = found.to_dict()
        made[f"{name}: found again"] = find_query(found.query_id).to_dict()
    made["queries"] = describe_dataset(ODD, queries=[*QUERIES.values(), {"limit": 0}]).to_dict()
    made["sql"] = query_dataset(ODD, sql="SELECT x, n, 0.0 / 0 AS y FROM data").to_dict()
    return made


# ------------------------------------------------------------------ 1, 2: forms of output
def refuse(constant):
    raise AssertionError(constant)


def test_1_every_form_is_strict_json():
    for name, record in forms().items():
        text = json.dumps(record, allow_nan=False)
        assert json.loads(text, parse_constant=refuse) == record, name
        assert "-0.0" not in text, name


@pytest.mark.parametrize("kind", ["record", "too large", "inspection", "range", "query", "found again"])
def test_2_every_form_has_the_same_keys(kind):
    records = [record for name, record in forms().items() if name.endswith(kind)]
    assert len(records) >= 5
    assert len({tuple(record) for record in records}) == 1
    if kind == "record":
        assert len({tuple(column) for record in records for column in record["columns"]}) == 1
        assert len({tuple(record["time_axis"]) for record in records if record["time_axis"]}) == 1


def test_2_sql_and_structured_queries_have_the_same_keys():
    found = forms()
    assert list(found["sql"]) == list(found["rows: query"])
    outcomes = found["queries"]["queries"]
    assert [set(outcome) for outcome in outcomes[:-1]] == [{"index", "result"}] * (len(outcomes) - 1)
    assert set(outcomes[-1]) == {"index", "error"}
    assert list(outcomes[0]["result"]) == list(found["rows: query"])


# ------------------------------------------------------------------ 3, 4, e, f: dates in filters
YEARS = days(900, dt.date(2023, 1, 1))  # to 2025-06-18


def entries(operator, value):
    """Return how many days match, by every way in which a filter can be given."""
    asked = where("date", operator, value)
    data = series(YEARS)
    text = json.dumps(asked, default=str)
    each_day = {"group_by": "date", "aggregates": {"function": "max", "column": "date", "as": "day"}}
    described = describe_dataset(data, queries={"filters": asked}).queries[0].result
    return {
        "mapping": query_dataset(data, {"filters": asked}).matched_row_count,
        "json": query_dataset(data, f'{{"filters": {text}}}').matched_row_count,
        "member json": query_dataset(data, {"filters": f"[{text}]"}).matched_row_count,
        "wrapped": query_dataset(
            data, {"type": "query_request", "query": {"filters": asked}}
        ).matched_row_count,
        "nested": query_dataset(data, {"filters": {"any": [{"all": [asked]}]}}).matched_row_count,
        "described": described.matched_row_count,
        "having": query_dataset(data, {**each_day, "having": {**asked, "column": "day"}}).total_count,
    }


@pytest.mark.parametrize(
    ("operator", "value", "count"),
    [
        (">=", "2025", 169), ("<=", "2023", 365), ("=", "2024", 366), (">", "2024", 169), ("<", "2024", 365),
        (">=", "2025-06", 18), ("<=", "2023-01", 31), ("=", "2024-02", 29), ("!=", "2024", 534),
        ("=", "2024Q1", 91), ("=", "2024年2月", 29), ("=", "20240229", 1), ("=", "2024/2/29", 1),
        ("=", 2024, 366), ("=", dt.date(2024, 2, 29), 1), ("in", ["2024-02", "2023"], 394),
        ("between", ["2023-12", "2024-01"], 62), ("=", {"period": "last_1_week"}, 7),
        ("=", {"period": {"unit": "month", "count": 3}}, 92), ("<", {"period": "ytd"}, 731),
        ("=", {"period": '{"unit": "day", "count": 3}'}, 3),
    ],
)  # fmt: skip
def test_3_one_reader_of_dates_at_every_entry(operator, value, count):
    found = entries(operator, value)
    assert found == dict.fromkeys(found, count)


@pytest.mark.parametrize(
    ("period", "value"),
    [
        ("2024", "2024"),
        ("2024-02", "2024-02"),
        ("2024Q1", "2024Q1"),
        *[(p, {"period": p}) for p in ("ytd", "all")],
    ],
)
def test_3_a_range_and_a_filter_take_the_same_days(period, value):
    data = series(YEARS)
    found = time_range(data, period)
    matched = query_dataset(data, {"filters": where("date", "=", value)}).matched_row_count
    bounds = [where("date", ">=", found.bound_ge), where("date", "<=", found.bound_le)]
    assert matched == found.data_days == query_dataset(data, {"filters": bounds}).matched_row_count


@pytest.mark.parametrize(
    ("column", "value"),
    [("close", "2024-01-02"), ("close", {"period": "ytd"}), ("date", 5), ("date", "板块 12"), ("date", 10.5)],
)
def test_4_a_value_of_another_kind_fails_loudly(column, value):
    with pytest.raises(ck.QueryError) as caught:
        query_dataset(series(days(9)), {"filters": where(column, ">=", value)})
    assert caught.value.code == "query_type_conflict"


def test_e_days_of_unaligned_epochs_are_those_of_the_zone_that_is_named():
    close = [1_704_438_000 + 86_400 * n for n in range(3)]  # 15:00 in Shanghai, 07:00 UTC
    data = read_dataset([{"timestamp": second, "x": 1.5} for second in close])
    assert (data.columns[0].timezone, codes(data)) == ("UTC", ["epoch_zone_assumed"])
    assert query_dataset(data, {"filters": where("timestamp", "=", "2024-01-06")}).matched_row_count == 1
    moment = where("timestamp", "=", "2024-01-06T15:00:00+08:00")
    assert query_dataset(data, {"filters": moment}).matched_row_count == 1


@pytest.mark.parametrize(
    ("operator", "count"), [("<=", 1440 * 31), ("=", 1440 * 31), (">", 1440), (">=", 1440 * 32)]
)
def test_f_a_month_of_minutes_ends_with_its_last_minute(operator, count):
    start = dt.datetime(2024, 1, 1)
    data = pa.table({"time": [start + dt.timedelta(minutes=n) for n in range(1440 * 32)]})
    assert query_dataset(data, {"filters": where("time", operator, "2024-01")}).matched_row_count == count


# ------------------------------------------------------------------ 5, 6, g to j: periods
@pytest.mark.parametrize(("period", "count"), [("last_1_week", 7), ("last_2_weeks", 14), ("last_3_days", 3)])
def test_5_and_j_a_week_is_seven_days_with_its_anchor(period, count):
    found = time_range(series(days(60)), period)
    assert (found.days, found.data_days, found.end, found.data_to) == (
        count,
        count,
        "2024-02-29",
        "2024-02-29",
    )


NO_PERIODS = [
    None, "", "everything", "[object Object]", "last_week", "last_0_days", [], {}, {"unit": "week"}, 3, True,
    {"unit": "fortnight", "count": 1}, {"period": "ytd"}, "{'unit': 'week', 'count': 1}",
]  # fmt: skip


@pytest.mark.parametrize("period", NO_PERIODS)
def test_6_a_period_that_is_not_understood_is_never_all_history(period):
    data = series(days(60))
    with pytest.raises(ck.QueryError) as caught:
        time_range(data, period)
    assert "last_N_days" in str(caught.value)
    with pytest.raises(ck.QueryError):
        query_dataset(data, {"filters": where("date", "=", {"period": period})})
    (outcome,) = describe_dataset(data, queries={"filters": where("date", "=", {"period": period})}).queries
    assert (outcome.result, outcome.error["code"]) == (None, "query_spec_invalid")


@pytest.mark.parametrize("place", [0, 1, 2500, 4998, 5001])
def test_g_the_last_day_is_exact_wherever_it_stands(place):
    dates = days(5001)
    last = "2037-12-31"
    dates.insert(place, last)
    axis = describe_dataset(series(dates)).time_axis
    assert [window.end for window in axis.windows] == [last] * len(axis.windows)
    assert time_range(series(dates), "today").data_to == last
    assert (
        query_dataset(series(dates), {"filters": where("date", "=", {"period": "today"})}).rows[0]["date"]
        == last
    )


TIMES = {
    "day": days(500, dt.date(2023, 3, 1)),
    "month": [*(f"2023-{month:02}" for month in range(1, 13)), "2024-01"],
    "quarter": ["2023Q1", "2023Q2", "2023Q3", "2023Q4", "2024Q1"],
}


@pytest.mark.parametrize("kind", TIMES)
@pytest.mark.parametrize(
    "period", ["last_1_month", "last_3_months", "last_1_year", "ytd", "2024", "all", "today"]
)
def test_h_no_window_reaches_past_the_last_time(kind, period):
    dates = TIMES[kind]
    data = series([*dates[3:], *dates[:3]])
    found, axis = time_range(data, period), describe_dataset(data).time_axis
    last_day = {"day": "2024-07-12", "month": "2024-01-31", "quarter": "2024-03-31"}[kind]
    assert (found.data_to, found.end) == (dates[-1], last_day)
    assert {(window.data_to, window.end) for window in axis.windows} == {(dates[-1], last_day)}


@pytest.mark.parametrize(
    ("first", "dates", "complete"),
    [
        ("two months", days(60), {"last_1_month", "ytd"}),
        ("a weekend late", [d for d in days(180)[4:] if dt.date.fromisoformat(d).weekday() < 5],
         {"last_1_month", "last_3_months", "ytd"}),
        ("years", days(900), {"last_1_month", "last_3_months", "last_1_year", "ytd"}),
        ("months", [f"2023-{m:02}" for m in range(2, 13)], {"last_1_month", "last_3_months"}),
    ],
)  # fmt: skip
def test_i_a_window_says_whether_the_data_fill_it(first, dates, complete):
    data = series(dates)
    windows = describe_dataset(data).time_axis.windows
    assert {window.name for window in windows if window.complete} == complete
    # A range says the same, and why.
    ranges = {window.name: time_range(data, window.name) for window in windows}
    assert {name for name, found in ranges.items() if found.complete} == complete
    assert {name for name, found in ranges.items() if "period_part_missing" not in codes(found)} == complete


def test_i_and_h_each_window_is_the_range_of_its_name():
    data = series(days(400))
    for window in describe_dataset(data).time_axis.windows:
        found = time_range(data, window.name)
        assert (window.start, window.end, window.data_from, window.data_to, window.points) == (
            found.start, found.end, found.data_from, found.data_to, found.data_days,
        )  # fmt: skip


def test_quarter_ends_before_a_quarter_end_are_as_many_as_quarters():
    ends = ["2023-03-31", "2023-06-30", "2023-09-30", "2023-12-31", "2024-03-31", "2024-06-30"]
    for count, anchor in enumerate(ends, 1):
        found = time_range(series(ends[:count]), "last_1_year")
        assert found.data_days == min(count, 4), anchor
        assert time_range(series(ends[:count]), "last_1_quarter").data_days == 1


# ------------------------------------------------------------------ 7 to 9, 11: the time axis
@pytest.mark.parametrize("unit", [1, 1000])
def test_7_epochs_in_seconds_and_milliseconds_have_the_same_windows(unit):
    rows = [{"time": (1_704_067_200 + 86_400 * n) * unit, "x": n + 0.5} for n in range(100)]
    axis = describe_dataset(rows).time_axis
    assert (axis.start, axis.end, axis.frequency) == ("2024-01-01", "2024-04-09", "day")
    assert (axis.windows[0].start, axis.windows[0].points) == ("2024-03-10", 31)


def test_8_midnight_in_shanghai_is_a_day():
    rows = [{"date_ms": 1_704_384_000_000 + 86_400_000 * n, "x": n + 0.5} for n in range(100)]  # 16:00 UTC
    axis = describe_dataset(rows).time_axis
    assert (axis.kind, axis.timezone, axis.start, axis.windows[0].end) == (
        "date",
        "+08:00",
        "2024-01-05",
        "2024-04-13",
    )


@pytest.mark.parametrize(
    ("cell", "told"), [("--", ()), ("停牌", ("words_as_missing",)), ("待定", ("values_unparsed",))]
)
def test_9_a_hundred_bad_rows_at_the_top_hide_no_axis(cell, told):
    found = describe_dataset(series([cell] * 100 + days(10_000, dt.date(1990, 1, 1))))
    axis = found.time_axis
    assert (axis.column, axis.start, axis.points, axis.nulls) == ("date", "1990-01-01", 10_000, 100)
    assert codes(found) == [*told, "time_missing"]


@pytest.mark.parametrize(
    ("name", "cells"),
    [
        ("report_type", ["年报", "季报", "半年报"]),
        ("update_count", [1, 2, 3]),
        ("update_time", ["早", "中", "晚"]),
        ("time_spent", [12, 30, 45]),
        ("date_code", ["600519", "000001", "300750"]),
    ],
)
def test_11_a_name_alone_makes_no_time(name, cells):
    assert describe_dataset({name: cells, "x": [1.5, 2.5, 3.5]}).time_axis is None
    assert describe_dataset({name: cells, "交易日": days(3)}).time_axis.column == "交易日"


# ------------------------------------------------------------------ 10, 22, 24: what was asked for
OPTIONS = {
    "time_column": ("settled", lambda found: found.time_axis.column == "settled"),
    "primary_key": ("date", lambda found: found.quality.key["columns"] == ("date",)),
    "roles": ({"volume": "other"}, lambda found: found.column("other").role == "volume"),
    "units": ({"close": "万元"}, lambda found: found.column("close").unit == "万元"),
    "columns_of_interest": ("close", lambda found: [c.name for c in found.columns] == ["date", "close"]),
    "queries": ({"limit": 1}, lambda found: found.queries[0].result.returned_count == 1),
}


@pytest.mark.parametrize("option", OPTIONS)
def test_10_every_parameter_does_what_it_promises(option):
    value, kept = OPTIONS[option]
    data = series(days(9), settled=days(9, dt.date(2024, 2, 1)), other=[float(n) for n in range(9)])
    assert kept(describe_dataset(data, **{option: value}))
    without = describe_dataset(data)
    assert without.time_axis.column == "date"
    assert without.to_dict() != describe_dataset(data, **{option: value}).to_dict()


def test_10_a_role_that_cannot_be_had_is_told(language):
    found = describe_dataset(series(days(9), nav=[1.5 + n for n in range(9)]), roles={"close": "nav"})
    assert (found.roles.ohlc, codes(found)) == (None, ["prices_incomplete"])
    assert "nav" in found.warnings[0].message


@pytest.mark.parametrize(
    ("option", "code"), [("roles", "dataset_role_invalid"), ("units", "dataset_unit_invalid")]
)
@pytest.mark.parametrize("value", ["close", [("close", "nav")]])
def test_10_a_parameter_of_another_shape_is_refused(option, code, value, language):
    with pytest.raises(ck.DatasetError) as caught:
        describe_dataset(series(days(9)), **{option: value})
    assert caught.value.code == code
    assert "{" in caught.value.hint


@pytest.mark.parametrize("queries", ['[{"limit": 1}, {"limit": 2}]', [{"limit": 1}, '{"limit": "2"}']])
def test_10_queries_may_be_json_text(queries):
    found = describe_dataset(series(days(9)), queries=queries).queries
    assert [outcome.result.returned_count for outcome in found] == [1, 2]


def test_10_columns_of_interest_narrow_the_first_and_last_values_too():
    found = describe_dataset(series(days(9), other=list(range(9))), columns_of_interest="close")
    assert "other" not in json.dumps(found.to_dict()["columns"])
    assert found.left_out == ("other",)
    assert found.column("close").latest == 18.5


def test_22_the_record_keeps_the_dataset_and_no_copy():
    data = read_dataset(series(days(9)))
    assert describe_dataset(data).dataset is data


@pytest.mark.parametrize(
    "query", [*QUERIES.values(), {"filters": where("date", "<=", {"period": "2024-01"})}]
)
def test_24_a_query_in_its_one_form_is_itself(query):
    once = query_dataset(ODD, query)
    again = query_dataset(ODD, once.query)
    assert (again.query, again.query_id, again.rows) == (once.query, once.query_id, once.rows)


def test_24_a_result_read_again_keeps_its_names():
    once = query_dataset({"收盘价（元）": [1.5, 2.5], "a": [1, 2]}, {})
    assert read_dataset(once.table).names == tuple(column.name for column in once.columns) == ("收盘价", "a")


# ------------------------------------------------------------------ 12, q, r: first, last, least, most
FALLING = {"date": days(5)[::-1], "close": [3.0, 9.0, 1.0, 7.0, 5.0]}


def test_12_and_q_the_course_is_told_beside_least_and_most():
    facts = describe_dataset(FALLING).column("close")
    assert (facts.min, facts.max) == (1.0, 9.0)
    assert (facts.earliest, facts.latest) == (5.0, 3.0)  # by time
    assert (facts.first, facts.last) == (3.0, 5.0)  # by file


def test_q_first_and_last_of_a_query_go_by_time_in_any_order_of_the_file():
    ends = [{"function": f, "column": "close", "as": f} for f in ("first", "last")]
    for order in ([0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 0, 4, 1, 3]):
        data = {name: [cells[n] for n in order] for name, cells in FALLING.items()}
        assert query_dataset(data, {"aggregates": ends}).rows == [{"first": 5.0, "last": 3.0}]


@pytest.mark.parametrize(
    ("cells", "least", "most"),
    [
        (days(3)[::-1], "2024-01-01", "2024-01-03"),
        (["2024Q3", "2023Q4"], "2023Q4", "2024Q3"),
        (["2024-01-02 09:31", "2024-01-02 09:30"], "2024-01-02 09:30", "2024-01-02 09:31"),
        (["b", "a"], "a", "b"),
    ],
)
def test_r_times_and_words_have_a_least_and_a_most(cells, least, most):
    facts = describe_dataset({"v": cells}).column("v")
    ends = [{"function": f, "column": "v", "as": f} for f in ("min", "max")]
    assert (facts.min, facts.max) == (least, most)
    assert query_dataset({"v": cells}, {"aggregates": ends}).rows == [{"min": least, "max": most}]


# ------------------------------------------------------------------ 13, 15, p, x: counts and caps
def test_13_nested_cells_are_no_rows():
    found = describe_dataset([{"a": [1, 2, 3], "x": 1}, {"a": [4, 5], "x": 2}])
    assert found.rows == 2
    assert notice(found, "nested_values").details["count"] == 2


def test_13_a_capped_list_says_how_many_there_are():
    found = query_dataset({"x": list(range(500))}, {"limit": 10})
    assert (found.returned_count, found.total_count, found.matched_row_count, found.truncated) == (
        10,
        500,
        500,
        True,
    )
    groups = {"group_by": "x", "aggregates": {"function": "count"}, "limit": 10}
    found = query_dataset({"x": list(range(500))}, groups)
    assert (found.returned_count, found.group_count, found.truncated) == (10, 500, True)
    facts = describe_dataset({"x": [f"v{n // 3}" for n in range(6_000)]}).column("x")
    assert (len(facts.top), facts.distinct, facts.count) == (5, 2_000, 6_000)


def test_15_no_column_is_cut_off():
    rows = [{f"c{n}": n + row / 2 for n in range(300)} for row in range(5)]
    assert len(describe_dataset(rows).to_dict()["columns"]) == 300
    assert len(query_dataset(rows, {}).columns) == 300
    assert len(describe_dataset(rows).to_dict(limit=1000)["columns"]) == 300  # the names, at least
    with pytest.raises(ck.QueryError) as caught:
        query_dataset(rows, {"select": [f"c{n}" for n in range(65)]})
    assert caught.value.details["count"] == 65


def test_p_what_is_capped_is_counted():
    bars = {"open": [1.5] * 90, "high": [2.0] * 80 + [0.5] * 10, "low": [1.0] * 90, "close": [1.5] * 90}
    quality = describe_dataset({"date": days(90), **bars}, roles={name: name for name in bars}).quality
    assert (quality.ohlc_violations, len(quality.ohlc_examples)) == (10, 5)
    empty = describe_dataset({f"c{n}": [None, None] for n in range(100)} | {"x": [1, 2]})
    assert notice(empty, "all_null").details["count"] == 100
    told = describe_dataset({f"c{n}": ["1元", "2股"] for n in range(70)} | {"x": [1, 2]}).warnings
    assert (len(told), told[-1].code, told[-1].details["count"]) == (33, "warnings_capped", 70 - 32)


def test_x_every_leaf_of_a_document_is_there():
    leaves = {f"k{n}": {"deep": {"er": {"still": {"and": {"on": {"on": n}}}}}} for n in range(700)}
    found = describe_dataset({"meta": leaves, "note": "x"})
    assert (found.dataset.shape, found.rows) == ("document", 701)
    assert found.dataset.table.column("path").to_pylist()[699] == "meta.k699.deep.er.still.and.on.on"


# ------------------------------------------------------------------ 16, l, s: bars, long tables, keys
@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("close",), None),
        (("open", "close"), None),
        (("open", "high", "low"), None),
        (("open", "high", "low", "close"), {"open", "high", "low", "close"}),
    ],
)
def test_16_a_single_value_makes_no_bar(names, found):
    values = {"open": 10.0, "high": 12.0, "low": 9.0, "close": 11.0}
    data = {"date": days(9), **{name: [values[name] + n for n in range(9)] for name in names}}
    ohlc = describe_dataset(data).roles.ohlc
    assert (set(ohlc) if ohlc else None) == found


def test_16_bars_without_values_are_no_bars():
    data = {
        "date": days(3),
        "open": [None] * 3,
        **{name: [1.5, 2.5, 3.5] for name in ("high", "low", "close")},
    }
    assert describe_dataset(data).roles.ohlc is None


def test_l_a_long_table_is_seen_and_collapses_nowhere():
    panel = {"代码": ["000001", "600519"] * 9, "date": sorted(days(9) * 2), "close": [1.5, 100.5] * 9}
    found = describe_dataset(panel)
    assert (found.roles.entity["column"], found.roles.entity["panel"], found.rows) == ("代码", True, 18)
    assert (found.time_axis.points, found.time_axis.duplicates, codes(found)) == (9, 0, [])
    assert found.column("close").latest is None  # two rows have the last time
    last = query_dataset(panel, {"group_by": "代码", "aggregates": {"function": "last", "column": "close"}})
    assert ([row["last_close"] for row in last.rows], codes(last)) == ([1.5, 100.5], [])


def test_l_equal_times_without_a_code_are_told():
    long = {"date": sorted(days(9) * 2), "v": [1.5, 100.5] * 9}
    found = describe_dataset(long)
    assert (found.time_axis.duplicates, notice(found, "time_duplicate").details["count"]) == (9, 9)
    last = query_dataset(long, {"aggregates": {"function": "last", "column": "v"}})
    assert (last.value, codes(last)) == (100.5, ["times_repeat"])


def test_s_rows_without_a_key_are_no_duplicates():
    data = {"id": ["a", "b", None, None, None], "x": [1, 2, 3, 4, 5]}
    found = describe_dataset(data, primary_key="id")
    assert found.quality.key == {"columns": ("id",), "duplicate_rows": 0, "missing_rows": 3}
    assert codes(found).count("missing_key") == 1
    assert "duplicate_key" not in codes(found)


# ------------------------------------------------------------------ 25 to 27: names, null, numbers as words
@pytest.mark.parametrize("asked", ["ＣＬＯＳＥ", "close", "Close ", "成交量（手）", "成交量"])
def test_25_a_name_in_another_width_finds_its_column(asked):
    data = {"Close": [1.5, 2.5], "成交量(手)": [100, 200]}
    assert query_dataset(data, {"select": asked}).returned_count == 2


@pytest.mark.parametrize("part", ["select", "group_by", "order_by"])
def test_25_an_unknown_name_is_an_error_and_not_no_rows(part):
    with pytest.raises(ck.QueryError) as caught:
        query_dataset({"收盘价": [1.5, 2.5]}, {part: "收盘价格"})
    assert (caught.value.code, caught.value.details["nearest"]) == ("query_column_not_found", "收盘价")


def test_25_no_match_is_said():
    found = query_dataset({"name": ["平安银行", "贵州茅台"]}, {"filters": where("name", "=", "贵州茅合")})
    assert (found.rows, codes(found)) == ([], ["no_rows_alike"])


MISSING = [{"k": "a", "v": None}, {"k": "a", "v": 1.5}, {"k": "b", "v": None}, {"k": None, "v": 0.0}]


def test_26_null_is_no_zero_in_any_aggregate():
    functions = ("sum", "avg", "min", "max", "median", "std")
    made = [{"function": f, "column": "v", "as": f} for f in functions]
    rows = query_dataset(MISSING, {"group_by": "k", "aggregates": made}).rows
    assert rows[1] == {"k": "b", **dict.fromkeys(functions)}
    assert rows[0] == {"k": "a", "sum": 1.5, "avg": 1.5, "min": 1.5, "max": 1.5, "median": 1.5, "std": None}
    none = query_dataset(MISSING, {"filters": where("k", "=", "z"), "aggregates": made})
    assert none.rows == [dict.fromkeys(functions)]
    facts = describe_dataset(MISSING).column("v")
    assert (facts.count, facts.nulls, facts.zeros, facts.mean) == (2, 2, 1, 0.75)


@pytest.mark.parametrize(
    "condition", [where("v", "!=", 1.5), {"not": where("v", "=", 1.5)}, where("v", "<", 1)]
)
def test_26_null_matches_no_comparison(condition):
    assert query_dataset(MISSING, {"filters": condition}).rows == [{"k": None, "v": 0.0}]


def test_27_numbers_that_arrive_as_words_are_compared_and_added():
    data = [{"v": "1.0700000000"}, {"v": "12"}, {"v": "1,234"}]
    query = {"filters": where("v", ">=", "12"), "aggregates": {"function": "sum", "column": "v"}}
    assert query_dataset(data, query).value == 1246


def test_27_numbers_among_words_are_added_and_the_words_counted():
    data = {"v": ["1.5", "甲", "乙", "2.5", "丙"], "k": ["a"] * 5}
    found = query_dataset(data, {"aggregates": {"function": "sum", "column": "v"}})
    assert (found.value, notice(found, "cells_left_out").details["count"]) == (4, 3)


# ------------------------------------------------------------------ 18, 28, v, w: what is kept
def test_28_the_same_name_with_other_data_is_other_data(tmp_path):
    path, count = tmp_path / "bars.csv", {"aggregates": {"function": "count"}}
    kept = []
    for rows in (3, 4):
        path.write_text("date,close\n" + "".join(f"{day},1.5\n" for day in days(rows)))
        found = query_dataset(path, count)
        kept.append((found.query_id, found.dataset_id, describe_dataset(path).profile_ref, found.value))
    assert [value for *_, value in kept] == [3, 4]
    assert all(old != new for old, new in zip(*kept, strict=True))
    assert find_query(kept[0][0]).value == 3  # the old answer, about the old data


@pytest.mark.parametrize(
    ("text", "found"), [("", "damaged"), ("{", "damaged"), ("[]", "damaged"), ('{"query_id": 1}', "damaged")]
)
def test_18_and_v_a_damaged_result_says_so_and_stops_no_other(text, found, tmp_path):
    one = query_dataset(series(days(3)), {"limit": 1}, workspace=tmp_path)
    two = query_dataset(series(days(3)), {"limit": 2}, workspace=tmp_path)
    (path,) = tmp_path.rglob(f"{one.query_id}.json")
    path.write_text(text)
    with pytest.raises(ck.QueryError) as caught:
        find_query(one.query_id, workspace=tmp_path)
    with pytest.raises(ck.QueryError) as unknown:
        find_query("q_0000000000000000", workspace=tmp_path)
    assert (caught.value.code, unknown.value.code) == ("query_not_found", "query_not_found")
    assert str(caught.value) != str(unknown.value)
    assert find_query(two.query_id, workspace=tmp_path).rows == two.rows


def test_18_keys_of_a_later_version_are_read_over(tmp_path):
    kept = query_dataset(series(days(3)), {}, workspace=tmp_path)
    (path,) = tmp_path.rglob(f"{kept.query_id}.json")
    path.write_text(json.dumps({**json.loads(path.read_text()), "later": [1]}))
    assert find_query(kept.query_id, workspace=tmp_path).to_dict() == kept.to_dict()


def test_w_a_failed_write_leaves_nothing_and_stops_nothing(tmp_path, monkeypatch):
    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.replace", full)
    found = query_dataset(series(days(3)), {"limit": 1}, workspace=tmp_path)
    assert (found.returned_count, codes(found)) == (1, ["query_not_stored"])
    assert [path for path in tmp_path.rglob("*") if path.is_file() and found.query_id in path.name] == []
