"""What a question asks for: stated words, Chinese and English, and nothing guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capital_kit.charts._question import VIEWS, Asked, read_question

COLUMNS = ["日期", "收盘价", "成交量", "成交量变化率", "同比增速", "close", "Adj Close"]

DATED = [
    ("2025年4月到5月的K线", "2025-04/2025-05"),
    ("2025-04-01到2025-05-31走势", "2025-04-01/2025-05-31"),
    ("2025年4月1日至2025年5月31日", "2025-04-01/2025-05-31"),
    ("2025年4月1日以来的走势", "2025-04-01/"),
    ("trend since May 2025", "2025-05/"),
    ("volume in June 2025", "2025-06"),
    ("2025年二季度走势", "2025-04/2025-06"),
    ("2025Q3 走势", "2025-07/2025-09"),
    ("trend in the last year", "last_1_year"),
    ("the trend of last year", "previous_year"),
]
UNREAD = ["4月至6月走势", "二季度走势", "近20个交易日", "last 20 trading days"]

VIEWS_ASKED = [
    ("近一年走势和成交量", ("trend", "volume")),
    ("成交量和走势", ("volume", "trend")),
    ("看看K线", ("ohlc",)),
    ("Ｋ线图", ("ohlc",)),
    ("蜡烛图", ("ohlc",)),
    ("a candlestick chart, please", ("ohlc",)),
    ("各行业对比", ("comparison",)),
    ("营收同比", ("comparison",)),
    ("compare revenue versus costs", ("comparison",)),
    ("涨幅排名前十", ("ranking",)),
    ("top 10 by market value", ("ranking",)),
    ("各板块占比", ("ranking",)),
    ("收益率的分布", ("distribution",)),
    ("成交量分布", ("distribution",)),
    ("成交量排名", ("ranking",)),
    ("histogram of returns", ("distribution",)),
    ("how did the close change over time", ("trend",)),
    ("最新价是多少", ()),
    ("", ()),
    ("前三季度营收", ()),
    ("前十年的数据", ()),
    ("volumetric weight", ()),
    ("同比增速的变化", ("trend",)),
    ("成交量变化率", ()),
]


@pytest.mark.parametrize(("text", "views"), VIEWS_ASKED)
def test_views(text, views):
    assert read_question(text, COLUMNS).views == views


@pytest.mark.parametrize(
    "text",
    [
        "画一张图",
        "出图",
        "绘制走势",
        "折线",
        "做个可视化",
        "plot close",
        "Draw it",
        "a chart",
        "graphs",
        "pie of it",
        "k线",
    ],
)
def test_chart_is_asked_for(text):
    assert read_question(text).chart


@pytest.mark.parametrize(
    "text",
    [
        "走势如何",
        "意图是什么",
        "地图",
        "企图",
        "国画",
        "画像",
        "the plotter of drawers",
        "trend of close",
        "",
        "不要图",
        "no charts",
    ],
)
def test_chart_is_not_asked_for(text):
    assert not read_question(text).chart


WINDOWS = [
    ("近一年", "last_1_year"),
    ("近1年", "last_1_year"),
    ("最近两年", "last_2_years"),
    ("近3个月", "last_3_months"),
    ("近 3 个 月", "last_3_months"),
    ("过去十二个月", "last_12_months"),
    ("近二十五天", "last_25_days"),
    ("近十年", "last_10_years"),
    ("近半年", "last_6_months"),
    ("近两个季度", "last_6_months"),
    ("过去30日", "last_30_days"),
    ("近5周", "last_5_weeks"),
    ("last 3 months", "last_3_months"),
    ("over the past two years", "last_2_years"),
    ("past year", "last_1_year"),
    ("trailing 6 quarters", "last_18_months"),
    ("今年", "ytd"),
    ("年初至今", "ytd"),
    ("ytd", "ytd"),
    ("year to date", "ytd"),
    ("去年", "previous_year"),
    ("last year", "previous_year"),
    ("2024年", "2024"),
    ("2024年5月", "2024-05"),
    ("2024-05", "2024-05"),
    ("in 2024", "2024"),
    ("2024年以来", "2024/"),
    ("since 2023-06", "2023-06/"),
    ("2022年到2024年3月", "2022/2024-03"),
    ("from 2022 to 2024", "2022/2024"),
    ("比去年增长", None),
    ("较去年", None),
    ("前三年", None),
    ("2024", None),
    ("90年代", None),
    ("close 600519", None),
]


@pytest.mark.parametrize(("text", "window"), WINDOWS)
def test_window(text, window):
    assert read_question(text + "走势").window == window


@pytest.mark.parametrize(
    "text", ["近20个交易日走势", "近一年半走势", "近半个月走势", "last 20 trading days", "last quarter"]
)
def test_window_that_no_rule_reads_is_told_not_guessed(text):
    asked = read_question(text)
    assert asked.window is None
    assert asked.unread


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("收盘价和成交量", ("收盘价", "成交量")),
        ("成交量、收盘价", ("成交量", "收盘价")),
        ("成交量变化率", ("成交量变化率",)),
        ("plot CLOSE", ("close",)),
        ("adj close and close", ("Adj Close", "close")),
        ("closed markets", ()),
        ("disclose", ()),
    ],
)
def test_fields(text, fields):
    assert read_question(text, COLUMNS).fields == fields


def test_words_may_stand_for_columns():
    asked = read_question("收盘价走势", {"收盘价": "close", "close": "close"})
    assert asked.fields == ("close",)


@pytest.mark.parametrize(
    ("text", "scope"),
    [
        ("只到 profile", "profile_only"), ("仅做数据画像", "profile_only"), ("profile only", "profile_only"),
        ("不要图", "no_chart"), ("不用画图，文字说明即可", "no_chart"), ("无需可视化", "no_chart"),
        ("only text, no charts", "no_chart"), ("without any plots", "no_chart"),
        ("don't draw any charts", "no_chart"),
        ("画图", "full"), ("不要饼图，画折线", "full"), ("不知道走势", "full"),
    ],
)  # fmt: skip
def test_scope(text, scope):
    assert read_question(text).scope == scope


def test_a_kind_that_is_refused_is_not_asked_for():
    asked = read_question("不要饼图，画折线图")
    assert asked.views == ("trend",)
    assert asked.substitutes == ()
    assert asked.chart


@pytest.mark.parametrize(
    ("text", "kind"), [("饼图", "pie"), ("a pie chart", "pie"), ("叠加两条线", "overlay")]
)
def test_substitutes(text, kind):
    assert read_question(text).substitutes == (kind,)


@given(st.text(max_size=60), st.lists(st.text(max_size=8), max_size=4))
def test_any_text_is_read_the_same_way_twice(text, columns):
    asked = read_question(text, columns)
    assert asked == read_question(text, columns)
    assert isinstance(asked, Asked)
    assert set(asked.views) <= set(VIEWS)
    assert set(asked.fields) <= set(columns)


@pytest.mark.parametrize(("text", "window"), DATED)
def test_days_months_and_quarters_are_windows(text, window):
    assert read_question(text, COLUMNS).window == window


@pytest.mark.parametrize("text", UNREAD)
def test_a_window_that_no_rule_reads_is_named(text):
    asked = read_question(text, COLUMNS)
    assert asked.window is None
    assert asked.unread


@pytest.mark.parametrize(
    ("text", "top"), [("前十排名", 10), ("top 3", 3), ("前三名", 3), ("前三年", None), ("", None)]
)
def test_how_many_of_a_ranking(text, top):
    assert read_question(text).top == top
