"""What is drawn is checked, sorted, in range, and every row left out is told."""

import math

import numpy as np
import pytest

from capital_kit.charts._payload import build_payload, interval
from capital_kit.charts._spec import normalize_spec
from capital_kit.errors import ChartError


def payload(data, **spec):
    return build_payload(data, normalize_spec(spec))


def codes(found):
    return [notice.code for notice in found.notices]


def refused(data, **spec):
    with pytest.raises(ChartError) as caught:
        payload(data, **spec)
    return caught.value


def test_rows_are_sorted_by_time_and_told(make):
    data = make.dataset({"d": (["2024-01-03", "2024-01-02"], "date"), "a": ([2.0, 1.0], "number")})
    found = payload(data, kind="line", x="d", series=["a"])
    assert found.series[0].values.tolist() == [1.0, 2.0]
    assert codes(found) == ["sorted"]
    assert found.text(0) == "2024-01-02"


def test_equal_rows_are_drawn_once(make):
    data = make.dataset(
        {"d": (["2024-01-02"] * 2 + ["2024-01-03"], "date"), "a": ([1.0, 1.0, 2.0], "number")}
    )
    found = payload(data, kind="column", x="d", series=["a"])
    assert found.rows == 2
    assert codes(found) == ["repeats_dropped"]


def test_different_rows_at_one_time_name_the_first_offender(make):
    data = make.dataset({
        "d": (["2024-01-02", "2024-01-03", "2024-01-03"], "date"), "a": ([1.0, 2.0, 3.0], "number"),
    })  # fmt: skip
    error = refused(data, kind="line", x="d", series=["a"])
    assert error.code == "chart_spec_invalid"
    assert error.details["time"] == "2024-01-03"


def test_infinite_is_missing(make):
    data = make.dataset({"d": (["2024-01-02", "2024-01-03"], "date"), "a": ([1.0, math.inf], "number")})
    found = payload(data, kind="line", x="d", series=["a"])
    assert math.isnan(found.series[0].values[1])
    assert codes(found) == ["infinite"]


def test_incomplete_bars_are_left_out_and_told(make):
    data = make.dataset({
        "日期": (make.business_days(4), "date"),
        "开盘": ([1.0, None, None, 2.0], "number"), "最高": ([2.0, None, 3.0, 2.5], "number"),
        "最低": ([0.5, None, 1.0, 1.5], "number"), "收盘": ([1.5, None, 2.0, 3.5], "number"),
    })  # fmt: skip
    found = payload(data, kind="candlestick", x="日期", ohlc=make.ohlc)
    assert found.rows == 2
    assert found.skipped_rows == 2
    assert codes(found) == ["bars_empty", "bars_partial", "bars_inconsistent"]
    assert "2024-01-05" in found.notices[-1].message


def test_rows_without_time_are_left_out_and_told(make):
    data = make.dataset({"d": (["2024-01-02", "NaT"], "date"), "a": ([1.0, 2.0], "number")})
    found = payload(data, kind="line", x="d", series=["a"])
    assert (found.rows, found.skipped_rows, codes(found)) == (1, 1, ["time_missing"])


def test_a_gap_stays_a_gap(make):
    data = make.dataset({"d": (make.business_days(3), "date"), "a": ([1.0, None, 3.0], "number")})
    found = payload(data, kind="line", x="d", series=["a"])
    assert found.rows == 3
    assert math.isnan(found.series[0].values[1])


@pytest.mark.parametrize(
    ("text", "first", "next_one"),
    [
        ("2024", "2024-01-01", "2025-01-01"),
        ("2024Q2", "2024-04-01", "2024-07-01"),
        ("2024-02", "2024-02-01", "2024-03-01"),
        ("2024年2月29日", "2024-02-29", "2024-03-01"),
        ("2024-02-29 09:31", "2024-02-29T09:31", "2024-02-29T09:32"),
    ],
)
def test_a_partial_date_is_its_whole_period(text, first, next_one):
    assert interval(text) == (np.datetime64(first, "us"), np.datetime64(next_one, "us"))


@pytest.mark.parametrize(
    ("ends", "rows"),
    [
        (("2024-01", "2024-01"), 22),
        ((None, "2024-01-03"), 2),
        (("2024-03", None), 17),
        (("2024", "2024"), 60),
    ],
)
def test_range_takes_both_ends(make, ends, rows):
    assert payload(make.wave(60), kind="line", x="日期", series=["甲"], range=ends).rows == rows


def test_what_is_asked_and_not_there(make):
    data = make.bars(5)
    assert refused(data, kind="line", x="日期", series=["ma5"]).details["available_total"] == 6
    assert refused(data, kind="column", series=["日期"]).code == "chart_field_not_found"
    assert refused(data, kind="line", x="日期", series=["收盘"], range=("2030", None)).code == "chart_no_rows"
    assert (
        refused(data, kind="line", x="日期", series=["收盘"], range=("bad", None)).code
        == "chart_spec_invalid"
    )
    assert refused(data, kind="line", series=["收盘"], range=("2024", None)).code == "chart_spec_invalid"
    assert refused(data, kind="bar", x="收盘", ohlc=make.ohlc).code == "chart_spec_invalid"
    empty = make.dataset({"d": ([], "date"), "a": (np.array([], dtype=float), "number")})
    assert refused(empty, kind="line", x="d", series=["a"]).code == "chart_no_rows"
    blank = make.dataset({"d": (["2024-01-02"], "date"), "a": (np.array([np.nan]), "number")})
    assert refused(blank, kind="line", x="d", series=["a"]).code == "chart_field_not_found"


def test_many_categories_keep_the_largest_in_order(make):
    names = [f"c{i:02}" for i in range(60)]
    data = make.dataset({"n": (names, "category"), "a": ([float(i) for i in range(60)], "number")})
    found = payload(data, kind="column", x="n", series=["a"])
    assert found.categories == tuple(names[10:])
    assert codes(found) == ["categories_cut"]


def test_codes_stay_text(make):
    data = make.dataset({"n": (["000001", "600519"], "code"), "a": ([1.0, 2.0], "number")})
    assert payload(data, kind="column", x="n", series=["a"]).categories == ("000001", "600519")


@pytest.mark.parametrize(
    ("at", "row", "told"),
    [
        ("2024-01-03", 1, []),
        ("2024-01-06", 4, ["markers_moved"]),
        ("2023-12-01", None, ["markers_lost"]),
        ("2030-01-01", None, ["markers_lost"]),
        (2, 2, []),
        (99, None, ["markers_lost"]),
    ],
)
def test_markers_find_their_row_or_say_so(make, at, row, told):
    marker = {"index": at, "text": "m"} if isinstance(at, int) else {"time": at, "text": "m"}
    found = payload(make.wave(10), kind="line", x="日期", series=["甲"], markers=[marker])
    assert [point.row for point in found.markers] == ([] if row is None else [row])
    assert codes(found) == told


def panel(make, entities):
    days = make.business_days(5)
    return make.dataset({
        "代码": ([f"60{e:04}" for e in range(entities) for _ in days], "code"),
        "日期": (np.tile(days, entities), "date"),
        "收盘": ([10.0 * (e + 1) + i for e in range(entities) for i in range(len(days))], "number"),
    })  # fmt: skip


def test_a_panel_is_one_line_an_entity(make):
    found = payload(panel(make, 8), kind="line", x="日期", series=["收盘"])
    assert [series.label for series in found.series] == [f"60{e:04}" for e in (7, 6, 5, 4, 3, 2)]
    assert found.rows == 5
    assert "entities_cut" in codes(found)


def test_a_panel_is_no_column_chart(make):
    assert refused(panel(make, 2), kind="column", x="日期", series=["收盘"]).code == "chart_spec_invalid"
