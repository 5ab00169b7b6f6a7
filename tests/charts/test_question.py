"""What a question asks for: stated words, Chinese and English, and nothing guessed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capital_kit.charts._question import VIEWS, Asked, read_question

COLUMNS = ["日期", "收盘价", "成交量", "成交量变化率", "同比增速", "close", "Adj Close"]

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
    ("top three by market value", ("ranking",)),
    ("前四名", ("ranking",)),
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


REGIONS = ["月份", "全国-同比增长", "全国-环比增长", "美国-同比增长", "gdp_yoy", "甲-乙"]


@pytest.mark.parametrize(
    ("text", "fields"),
    [
        ("全国同比走势", ("全国-同比增长",)),
        ("全国的同比和环比", ("全国-同比增长", "全国-环比增长")),
        ("走势：美国同比", ("美国-同比增长",)),
        ("yoy of gdp", ("gdp_yoy",)),
        ("全国走势", ()),
        ("同比", ()),
        ("gdp走势", ()),
        ("甲乙走势", ()),
        ("全国-同比增长与美国同比", ("全国-同比增长",)),
    ],
)
def test_columns_are_named_by_all_their_parts_where_none_is_named_in_full(text, fields):
    assert read_question(text, REGIONS).fields == fields


def test_words_that_name_a_part_of_a_column_ask_for_no_view():
    assert read_question("全国同比走势", REGIONS).views == ("trend",)
    assert read_question("同比", REGIONS).views == ("comparison",)


def test_a_column_called_ranking_leaves_the_view_to_be_read():
    asked = read_question("排名", ["排名", "涨幅"])
    assert (asked.views, asked.fields) == (("ranking",), ("排名",))


@pytest.mark.parametrize(
    ("text", "phrases"),
    [
        ("收入与利润的关系", ("关系",)), ("两者的相关性", ("相关性",)), ("散点图", ("散点图",)),
        ("关系，关系", ("关系",)),
        ("热力图", ("热力图",)), ("研发占收入的比例", ("占收入的比例",)), ("量价之比", ("之比",)),
        ("correlation of close", ("correlation",)), ("scatter plot", ("scatter plot",)),
        ("cost as a percentage of revenue", ("percentage of",)),
        ("没关系，画走势", ()), ("两年之比较", ()), ("各板块占比", ()), ("ratio", ()), ("relational", ()),
    ],
)  # fmt: skip
def test_views_that_there_are_not_are_named(text, phrases):
    assert read_question(text, ["ratio"]).not_offered == phrases


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


@pytest.mark.parametrize(
    ("text", "top"),
    [
        ("前十排名", 10),
        ("top 3", 3),
        ("前三名", 3),
        ("top three", 3),
        ("前四名", 4),
        ("前三年", None),
        ("", None),
    ],
)
def test_how_many_of_a_ranking(text, top):
    assert read_question(text).top == top
