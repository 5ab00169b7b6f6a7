"""Windows in the words of a question: read whole, or named as not read; never read as another one."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

import capital_kit as ck
from capital_kit.charts._question import read_question
from capital_kit.charts._window import window_range
from capital_kit.charts._window_words import number_of


@pytest.fixture(scope="module")
def data():
    days = [dt.date(2023, 1, 1) + dt.timedelta(days=7 * i) for i in range(117)]
    assert days[-1] == dt.date(2025, 3, 23)
    return ck.describe_dataset([{"日期": day, "收盘价": 10.5 + i % 7} for i, day in enumerate(days)])


def window_of(data, question):
    return ck.decide_visualization(data, question).asked.window


def unread_of(data, question):
    notices = ck.decide_visualization(data, question).warnings
    return tuple(notice.details["phrase"] for notice in notices if notice.code == "window_not_read")


COUNTED = [
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
    ("近三季度", "last_9_months"),
    ("过去30日", "last_30_days"),
    ("近5周", "last_5_weeks"),
    ("last 3 months", "last_3_months"),
    ("over the past two years", "last_2_years"),
    ("past year", "last_1_year"),
    ("trailing 6 quarters", "last_18_months"),
    ("trend in the last year", "last_1_year"),
    ("今年", "ytd"),
    ("年初至今", "ytd"),
    ("ytd", "ytd"),
    ("year to date", "ytd"),
    ("year-to-date", "ytd"),
    ("去年", "previous_year"),
    ("last year", "previous_year"),
    ("the trend of last year", "previous_year"),
]
YEARS_AND_MONTHS = [
    ("2024年", "2024"),
    ("in 2024", "2024"),
    ("2024年5月", "2024-05"),
    ("2024年5月份", "2024-05"),
    ("2024-05", "2024-05"),
    ("2024年以来", "2024/"),
    ("2024年初以来", "2024/"),
    ("2024年到现在", "2024/"),
    ("2024年5月以后", "2024-05/"),
    ("since 2023-06", "2023-06/"),
    ("2022年到2024年3月", "2022/2024-03"),
    ("2019年5月-2023年3月", "2019-05/2023-03"),
    ("2025年4月到5月的K线", "2025-04/2025-05"),
    ("2024年4-6月", "2024-04/2024-06"),
    ("from 2022 to 2024", "2022/2024"),
    ("between 2022 and 2024", "2022/2024"),
    ("2019-2023", "2019/2023"),
    ("2019年-2023年", "2019/2023"),
    ("2019~2023", "2019/2023"),
]
DAYS = [
    ("2024年5月6日", "2024-05-06"),
    ("2024-05-06", "2024-05-06"),
    ("trend on 2024/5/6", "2024-05-06"),
    ("2025-04-01到2025-05-31走势", "2025-04-01/2025-05-31"),
    ("2025年4月1日至2025年5月31日", "2025-04-01/2025-05-31"),
    ("2024年4月1日至5月31日", "2024-04-01/2024-05-31"),
    ("2024年4月1日至15日", "2024-04-01/2024-04-15"),
    ("2025年4月1日以来的走势", "2025-04-01/"),
    ("2025年4月1日以后", "2025-04-01/"),
]
PARTS = [
    ("2025年二季度走势", "2025-04/2025-06"),
    ("2024年第4季度", "2024-10/2024-12"),
    ("2025Q3 走势", "2025-07/2025-09"),
    ("2024-Q2", "2024-04/2024-06"),
    ("Q2 2024", "2024-04/2024-06"),
    ("Q2 of 2024", "2024-04/2024-06"),
    ("the second quarter of 2024", "2024-04/2024-06"),
    ("2024年前三季度", "2024-01/2024-09"),
    ("2024年上半年", "2024-01/2024-06"),
    ("2024年下半年", "2024-07/2024-12"),
    ("H1 2024", "2024-01/2024-06"),
    ("2024H2", "2024-07/2024-12"),
    ("the first half of 2024", "2024-01/2024-06"),
]
MONTHS_BY_NAME = [
    ("trend since May 2025", "2025-05/"),
    ("volume in June 2025", "2025-06"),
    ("September 2024", "2024-09"),
    ("from Jan to March 2024", "2024-01/2024-03"),
    ("Nov 2023 to Feb 2024", "2023-11/2024-02"),
    ("between May 2024 and June 2024", "2024-05/2024-06"),
]


@pytest.mark.parametrize(("text", "window"), COUNTED + YEARS_AND_MONTHS + DAYS + PARTS + MONTHS_BY_NAME)
def test_a_window_is_read_and_nothing_of_it_is_unread(data, text, window):
    assert window_of(data, text) == window
    assert window_of(data, text + "走势") == window
    assert unread_of(data, text) == ()


# The data end on 2025-03-23: March and what holds it is of that year, later months of the year before.
OF_NO_YEAR = [
    ("4月至6月走势", "2024-04/2024-06"),
    ("4-6月走势", "2024-04/2024-06"),
    ("3月至4月走势", "2025-03/2025-04"),
    ("1月到3月走势", "2025-01/2025-03"),
    ("二季度走势", "2024-04/2024-06"),
    ("第一季度走势", "2025-01/2025-03"),
    ("Q4 走势", "2024-10/2024-12"),
    ("trend of the third quarter", "2024-07/2024-09"),
    ("上半年走势", "2025-01/2025-06"),
    ("下半年走势", "2024-07/2024-12"),
    ("前三季度走势", "2025-01/2025-09"),
]


@pytest.mark.parametrize(("text", "window"), OF_NO_YEAR)
def test_months_without_a_year_are_those_that_the_data_last_reach(data, text, window):
    assert window_of(data, text) == window
    assert unread_of(data, text) == ()


def test_months_without_a_year_need_a_time_to_be_of():
    gate = ck.decide_visualization(
        [{"名称": name, "值": i * 1.5} for i, name in enumerate("甲乙丙丁")], "二季度"
    )
    assert [notice.code for notice in gate.warnings] == ["window_without_time"]


UNREAD = [
    ("近20个交易日", ("近20个交易日",)),
    ("近一年半走势", ("近一年半",)),
    ("近半个月走势", ("近半个月",)),
    ("last 20 trading days", ("last 20 trading days",)),
    ("last quarter", ("last quarter",)),
    ("this month", ("this month",)),
    ("上个月走势", ("上个月",)),
    ("本周走势", ("本周",)),
    ("去年二季度走势", ("去年二季度",)),
    ("去年Q2走势", ("去年q2",)),
    ("今年5月走势", ("今年5月",)),
    ("去年上半年走势", ("去年上半年",)),
    ("Q2 last year", ("q2 last year",)),
    ("in May last year", ("in may last year",)),
    ("since May", ("since may",)),
    ("5月走势", ("5月",)),
    ("5月走势，5月成交量", ("5月",)),
    ("去年5月走势，去年5月成交量", ("去年5月",)),
    ("4月1日至5月31日走势", ("4月1日", "5月31日")),
    ("4月至5月6日走势", ("4月", "5月6日")),
    ("2024年三季报的走势", ("2024年",)),
    ("去年二季度和三季度走势", ("去年二季度",)),
    ("11月至2月走势", ("11月", "2月")),
    ("2024年5月前", ("2024年5月",)),
    ("2024年5月份前", ("2024年5月",)),
    ("2024-05以前", ("2024-05",)),
    ("before May 2024", ("2024-05",)),
    ("2024年5月6日前", ("2024年5月6日",)),
    ("2024年5月6日后", ("2024年5月6日",)),
    ("截至2024年5月6日", ("2024年5月6日",)),
    ("until 2024-05-06", ("2024-05-06",)),
    ("2024年底的走势", ("2024年",)),
    ("2024年5月上旬走势", ("2024年5月",)),
    ("2023年10月至次年3月", ("2023年10月",)),
    ("2024年至2025年上半年", ("2024年", "2025年上半年")),
    ("2019-2023年上半年走势", ("2023年上半年",)),
    ("2020年代走势", ("2020年代",)),
    ("2024年2月30日走势", ("2024年2月30日",)),
    ("2024年13月走势", ("2024年13月",)),
    ("January 5, 2024", ("january 5, 2024",)),
    ("on 5 January 2024", ("5 january 2024",)),
    ("二季度以来走势", ("二季度以来",)),
    ("2024年二季度以来", ("2024年二季度以来",)),
    ("since Q2 2024", ("since q2 2024",)),
    ("2023Q4到2024Q2", ("2023q4到2024q2",)),
    ("2024年一至三季度", ("2024年一至三季度",)),
    ("from Q1 to Q3 2024", ("from q1 to q3 2024",)),
    ("2023年和2024年对比", ("2023年", "2024年")),
    ("Q1 2024 vs Q2 2024", ("q1 2024", "q2 2024")),
    ("一季度和二季度对比", ("一季度", "二季度")),
    ("2024-05-06和2024-05-08对比", ("2024-05-06", "2024-05-08")),
]


@pytest.mark.parametrize(("text", "phrases"), UNREAD)
def test_a_window_that_no_rule_reads_is_named_and_not_read_as_another(data, text, phrases):
    assert window_of(data, text) is None
    assert unread_of(data, text) == phrases


@pytest.mark.parametrize(
    "text",
    ["比去年增长", "较去年", "比上月增长", "成本月度变化", "成本季度对比", "二季度同比", "三季报", "h1n1",
     "前三年", "连续三季度", "每3月", "3月期", "2024", "90年代", "close 600519", "compare 2022 and 2024",
     "你好"],
)  # fmt: skip
def test_what_names_no_window_is_neither_read_nor_named(data, text):
    assert window_of(data, text) is None
    assert unread_of(data, text) == ()


def test_a_window_beside_a_phrase_that_is_not_read_is_still_read(data):
    assert window_of(data, "2024年走势，与去年二季度相比") == "2024"
    assert unread_of(data, "2024年走势，与去年二季度相比") == ("去年二季度",)


def test_an_unread_window_is_said_in_a_sentence(data, language):
    (notice,) = ck.decide_visualization(data, "去年二季度走势").warnings
    assert "去年二季度" in notice.message


@given(st.dates(dt.date(1950, 1, 1), dt.date(2100, 12, 31)))
def test_every_day_is_read_in_every_form(day):
    for text in (
        f"{day:%Y-%m-%d}",
        f"{day.year}/{day.month}/{day.day}",
        f"{day.year}年{day.month}月{day.day}日",
    ):
        assert read_question(text + "走势").window == day.isoformat()


@given(
    st.from_regex(
        r"((去年|2024年|2023|q[1-4]|5月|[上下]半年|至|-| |to|may|以来|前|3日|二季度){1,5})", fullmatch=True
    )
)
def test_any_window_has_a_range_or_none(text):
    window = read_question(text).window
    assert window is None or window_range(window, "2025-03-21")


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("", 1),
        ("12", 12),
        ("十", 10),
        ("十二", 12),
        ("二十", 20),
        ("二十五", 25),
        ("两", 2),
        ("nine", 9),
        ("三五", 0),
    ],
)
def test_numbers_in_words(text, number):
    assert number_of(text) == number
