"""A closed list of forms of days, moments and periods."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capital_kit.datasets import TimePoint, parse_time, time_text

FORMS = [
    ("20240105", "2024-01-05", "date"),
    ("2024/1/5", "2024-01-05", "date"),
    ("2024-01-05", "2024-01-05", "date"),
    ("2024.01.05", "2024-01-05", "date"),
    ("２０２４－０１－０５", "2024-01-05", "date"),
    ("2024年1月5日", "2024-01-05", "date"),
    ("2024-05-06,一", "2024-05-06", "date"),
    ("2024-05-06 星期一", "2024-05-06", "date"),
    ("2024-06", "2024-06", "month"),
    ("2024/06", "2024-06", "month"),
    ("202406", "2024-06", "month"),
    ("2024年6月", "2024-06", "month"),
    ("2026年07月份", "2026-07", "month"),
    ("2024Q1", "2024Q1", "quarter"),
    ("2024-q3", "2024Q3", "quarter"),
    ("Q4 2023", "2023Q4", "quarter"),
    ("2024年第一季度", "2024Q1", "quarter"),
    ("2024年第1-3季度", "2024Q3", "quarter"),
    ("2024年一季报", "2024Q1", "quarter"),
    ("2024年中报", "2024Q2", "quarter"),
    ("2024三季报", "2024Q3", "quarter"),
    ("2024年年报", "2024Q4", "quarter"),
    ("2024", "2024", "year"),
    ("2024年度", "2024", "year"),
    ("2024-01-05 9:30", "2024-01-05 09:30", "datetime"),
    ("2024/1/5 09:30:15", "2024-01-05 09:30:15", "datetime"),
    ("20240105 09:31", "2024-01-05 09:31", "datetime"),
    ("20240105093100", "2024-01-05 09:31", "datetime"),
    ("2024年1月5日 9时30分", "2024-01-05 09:30", "datetime"),
    ("2024年1月5日 9时30分15秒", "2024-01-05 09:30:15", "datetime"),
    ("2024-01-05T09:31:00.250", "2024-01-05 09:31:00.25", "datetime"),
    ("2024-01-05 24:00", "2024-01-06 00:00", "datetime"),
    ("2024-1-5", "2024-01-05", "date"),
    ("2024.1.5", "2024-01-05", "date"),
    ("2024年01月05号", "2024-01-05", "date"),
    ("2024 年 1 月 5 日", "2024-01-05", "date"),
    ("2024年1月5日星期五", "2024-01-05", "date"),
    ("2024-01-05 Fri", "2024-01-05", "date"),
    ("Fri, 05 Jan 2024", "2024-01-05", "date"),
    ("05-Jan-2024", "2024-01-05", "date"),
    ("05JAN2024", "2024-01-05", "date"),
    ("2024-Jan-05", "2024-01-05", "date"),
    ("2024-Jan", "2024-01", "month"),
    ("2024M06", "2024-06", "month"),
    ("2024年6月末", "2024-06", "month"),
    ("2024年末", "2024", "year"),
    ("2024年Q1", "2024Q1", "quarter"),
    ("1Q24", "2024Q1", "quarter"),
    ("24Q1", "2024Q1", "quarter"),
    ("3Q2024", "2024Q3", "quarter"),
    ("2024年1季度", "2024Q1", "quarter"),
    ("2024年第一至三季度", "2024Q3", "quarter"),
    ("2024年前三季度", "2024Q3", "quarter"),
    ("2024年第三季度报告", "2024Q3", "quarter"),
    ("2024年半年度报告", "2024Q2", "quarter"),
    ("20240105 0931", "2024-01-05 09:31", "datetime"),
    ("20240105T093100", "2024-01-05 09:31", "datetime"),
    ("202401050931", "2024-01-05 09:31", "datetime"),
    ("20240105093100250", "2024-01-05 09:31:00.25", "datetime"),
    ("2024/1/5 9:31 AM", "2024-01-05 09:31", "datetime"),
    ("2024-01-05 12:05 am", "2024-01-05 00:05", "datetime"),
    ("2024-01-05 12:05 PM", "2024-01-05 12:05", "datetime"),
    ("2024-01-05 下午 3:00", "2024-01-05 15:00", "datetime"),
    ("2024年1月5日9时31分", "2024-01-05 09:31", "datetime"),
]
NO_TIMES = [
    "", "--", "停牌", "2024-02-30", "2024-13-01", "20241301", "1.2", "600519", "000001",
    "12345678", "2024.06",
    "2024-01-05 25:00", "2024-01-05 24:01", "11/1/2019", "1/11/2019 9:30", "Q5 2024",
    "09:30", "2024-01-05T", "99991231",
    "2021H1", "2024年上半年", "2024年1-2月", "Jan-24", "24-01-05", "5Q24", "2024W05", "FY2024", "2024E",
    "1月5日", "2024-01-05 13:05 PM", "2024-01-05 0:05 AM", "2024-01-05 09:31 CST", "Fri", "05FOO2024",
    "20240105 2561", "2024-01-05-05:00", "民国113年1月5日",
]  # fmt: skip


@pytest.mark.parametrize(("text", "written", "kind"), FORMS)
def test_form_is_read(text, written, kind):
    point = parse_time(text)
    assert (str(point), point.kind) == (written, kind)


@pytest.mark.parametrize("text", NO_TIMES)
def test_no_time_is_none(text):
    assert parse_time(text) is None


@pytest.mark.parametrize(
    ("text", "timezone"),
    [
        ("2024-01-05T09:31:00.000+08:00", "+08:00"),
        ("2024-01-05 09:31-0500", "-05:00"),
        ("2024-01-05T09:31:00Z", "UTC"),
        ("2024-01-05T09:31:00", None),
    ],
)
def test_value_is_the_wall_time_of_the_zone_as_written(text, timezone):
    point = parse_time(text)
    assert point == TimePoint(value=dt.datetime(2024, 1, 5, 9, 31), kind="datetime", timezone=timezone)


@pytest.mark.parametrize(
    ("text", "hint", "written"),
    [
        ("24-01-05", "year-month-day", "2024-01-05"),
        ("99/12/31", "year-month-day", "1999-12-31"),
        ("Jan-24", "month-year", "2024-01"),
        ("Sept-99", "month-year", "1999-09"),
        ("Foo-24", "month-year", "None"),
        ("24-13-05", "year-month-day", "None"),
    ],
)
def test_years_of_two_digits_need_a_hint(text, hint, written):
    assert str(parse_time(text, hint)) == written


def test_short_form_needs_to_be_told_the_order():
    assert parse_time("11/1/2019", "month-day").value == dt.date(2019, 11, 1)
    assert parse_time("11/1/2019", "day-month").value == dt.date(2019, 1, 11)
    assert str(parse_time("11/5/2019 9:30", "month-day")) == "2019-11-05 09:30"
    assert parse_time("11/31/2019", "month-day") is None


@given(st.dates(dt.date(1900, 1, 1), dt.date(2199, 12, 31)))
def test_any_day_comes_back(day):
    for text in (day.isoformat(), f"{day:%Y%m%d}", f"{day.year}年{day.month}月{day.day}日"):
        assert parse_time(text) == TimePoint(value=day, kind="date")


@given(st.datetimes(dt.datetime(1900, 1, 1), dt.datetime(2199, 12, 31)))
def test_any_moment_comes_back_from_its_text(moment):
    assert parse_time(time_text(moment, "datetime")).value == moment


@given(st.text(max_size=60))
def test_any_text_is_survived(text):
    parse_time(text)


def test_missing_time_is_a_dash():
    assert time_text(None, "date") == "—"
