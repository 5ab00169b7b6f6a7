"""Facts of a description: names and counts that the gate decides on."""

import datetime as dt

import pandas as pd
import pytest

import capital_kit as ck
from capital_kit.charts._facts import GateFacts, facts_of


def days(n):
    return [dt.date(2024, 1, 1) + dt.timedelta(days=i) for i in range(n)]


def bars(n=12, **more):
    close = [10 + (i % 5) for i in range(n)]
    return pd.DataFrame({
        "date": days(n), "open": close, "high": [c + 1 for c in close], "low": [c - 1 for c in close],
        "close": close, "volume": [1000.5 * (i % 7 + 1) for i in range(n)], **more,
    })  # fmt: skip


def facts(data, **keys):
    return facts_of(ck.describe_dataset(data, **keys))


def test_bars():
    found = facts(bars())
    assert (found.shape, found.rows, found.time, found.periods, found.periodic) == (
        "rows",
        12,
        "date",
        12,
        False,
    )
    assert found.ohlc == {"open": "open", "high": "high", "low": "low", "close": "close"}
    assert (found.ohlc_rows, found.volume, found.time_share) == (12, "volume", 1.0)
    assert {measure.name for measure in found.measures} == {"open", "high", "low", "close", "volume"}
    assert all(measure.points == 12 for measure in found.measures)


def test_prices_of_one_bar_are_no_comparison():
    assert all(len(group.columns) < 2 for group in facts(bars()).comparables)


def test_missing_values_make_fewer_points():
    data = pd.DataFrame({"date": days(6), "value": [1.5, None, 2.5, None, 3.5, 4.5]})
    assert facts(data).measure("value").points == 4


def test_years_are_periods():
    data = pd.DataFrame({"year": ["2021", "2022", "2023"], "revenue": [1.5, 2.5, 3.5]})
    found = facts(data)
    assert found.periodic
    assert found.periods == 3


def test_constants_and_row_numbers_are_known_as_such():
    data = pd.DataFrame(
        {"name": list("abcd"), "rank": [1, 2, 3, 4], "flat": [7.5] * 4, "value": [4.5, 3, 2, 1]}
    )
    found = facts(data)
    assert found.measure("flat").constant
    assert found.measure("rank").order
    assert not found.measure("value").order


@pytest.mark.parametrize("name", ["排名", "市值名次", "序号", "Rank", "sales ranking"])
def test_a_column_called_a_rank_holds_places_also_where_they_repeat(name):
    data = pd.DataFrame({"名称": list("甲乙丙丁"), name: [2, 1, 2, 4], "crank": [2, 1, 2, 4]})
    found = facts(data)
    assert found.measure(name).order
    assert not found.measure("crank").order


def test_a_rank_with_a_fraction_is_a_measure():
    assert (
        not facts(pd.DataFrame({"名称": list("甲乙丙"), "平均排名": [1.5, 2.5, 2.0]}))
        .measure("平均排名")
        .order
    )


def test_codes_are_labels_and_not_measures():
    data = pd.DataFrame(
        {"代码": ["600519", "000001", "300750"], "名称": ["甲", "乙", "丙"], "最新价": [1.5, 2.5, 3]}
    )
    found = facts(data)
    assert [measure.name for measure in found.measures] == ["最新价"]
    assert [category.name for category in found.categories] == ["名称", "代码"]


def test_prose_is_no_label():
    long = ["一段很长的公告正文，远远超过坐标轴上能写下的长度。" + str(i) for i in range(4)]
    found = facts(pd.DataFrame({"正文": long, "字数": [30, 31, 33, 38]}))
    assert found.categories == ()
    assert found.has_text


def test_panel():
    data = pd.concat([bars(6).assign(symbol=symbol) for symbol in ("600519", "000001")])
    found = facts(data)
    assert (found.entity, found.entities, found.panel) == ("symbol", 2, True)


@pytest.mark.parametrize(
    ("data", "lists"),
    [
        ({"title": "年报", "summary": "正文"}, False),
        ({"title": "年报", "total": 5, "pages": 3}, False),
        ({"meta": {"title": "年报"}, "values": [1.5, 2.5, 3.5]}, True),
    ],
)
def test_document(data, lists):
    found = facts(data)
    assert found.shape == "document"
    assert found.numeric_lists is lists


def test_words_stand_for_columns():
    spoken = facts(bars()).spoken
    assert spoken["收盘价"] == "close"
    assert spoken["close"] == "close"


def test_facts_hold_no_value_of_the_data():
    found = facts(bars(close=[98765.4321] * 12))
    assert isinstance(found, GateFacts)
    assert "98765" not in repr(found)
