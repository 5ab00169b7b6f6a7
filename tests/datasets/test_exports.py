"""Exports as analysts get them: what a careful colleague would say about each."""

import datetime as dt

import pyarrow as pa
import pytest

from capital_kit.datasets import describe_dataset, parse_number, parse_time

DAYS = [day for n in range(40) if (day := dt.date(2024, 2, 20) + dt.timedelta(n)).weekday() < 5]


def describe(text, encoding="utf-8"):
    return describe_dataset(text.encode(encoding))


def codes(card):
    return [warning.code for warning in card.warnings]


def kinds(card):
    return [column.kind for column in card.columns]


def test_attributes_of_series_between_header_and_data():
    card = describe(
        "指标名称\t中国:CPI:当月同比\t中国:M2\n频率\t月\t月\n单位\t%\t亿元\n指标ID\tM0000612\tM0001384\n来源\t国家统计局\t中国人民银行\n"
        "2023-01-31\t2.1\t2738072\n2023-02-28\t1.0\t2755249\n2023-03-31\t0.7\t2814566\n数据来源：Wind\n",
        "gbk",
    )
    assert kinds(card) == ["date", "percent", "integer"]
    assert [column.unit for column in card.columns] == [None, "%", "亿元"]
    assert (card.source.header_rows, card.rows, card.time_axis.frequency) == (5, 3, "month")
    assert codes(card) == ["lines_skipped"]


def test_header_of_three_lines():
    one = "Price,Close,Volume\nTicker,AAPL,AAPL\nDate,,\n" + "".join(
        f"{d},1{d.day}.5,{d.day}00\n" for d in DAYS
    )
    assert describe(one).dataset.names == ("Date", "Close", "Volume")
    two = describe(one.replace("AAPL,AAPL", "AAPL,MSFT").replace("Close,Volume", "Close,Close"))
    assert two.dataset.names == ("Date", "Close AAPL", "Close MSFT")
    assert kinds(two) == ["date", "number", "integer"]


def test_volumes_in_millions_and_prices_called_price():
    rows = "".join(
        f'"{d:%m/%d/%Y}","1,0{n:02}.25","1,000.00","1,100.00","900.00","{n}.60M","0.5%"\n'
        for n, d in enumerate(DAYS)
    )
    card = describe('"Date","Price","Open","High","Low","Vol.","Change %"\n' + rows)
    assert (card.roles.ohlc["close"], card.roles.volume) == ("Price", "Vol.")
    assert card.column("Vol.").min == 600_000
    assert (card.column("Change").kind, card.column("Change").unit) == ("percent", "%")


def test_close_last_is_the_close():
    rows = "".join(f"{d:%m/%d/%Y},$10.5,{n}00,$10.00,$11.00,$9.00\n" for n, d in enumerate(DAYS))
    assert describe("Date,Close/Last,Volume,Open,High,Low\n" + rows).roles.ohlc["close"] == "Close/Last"


def test_days_on_both_sides_of_summer_time():
    rows = "".join(
        f"{d} 00:00:00-0{5 if d < dt.date(2024, 3, 10) else 4}:00,1{n:02}\n" for n, d in enumerate(DAYS)
    )
    card = describe("Date,Close\n" + rows)
    assert (card.columns[0].kind, card.time_axis.start, card.time_axis.timezone) == (
        "date",
        "2024-02-20",
        None,
    )
    assert codes(card) == ["zones_of_days"]


@pytest.mark.parametrize("clock", ["{:02}:{:02}", "{:02}{:02}", "{:02}:{:02}:00", "{:02}{:02}00", "{}{:02}"])
def test_days_and_times_of_day_in_two_columns(clock):
    minutes = [(9 + m // 60, m % 60) for m in range(31, 180)]
    rows = "".join(f"{d:%Y/%m/%d},{clock.format(*m)},1{m[1]}.5\n" for d in DAYS[:2] for m in minutes)
    card = describe("日期,时间,价格\n" + rows, "gbk")
    assert kinds(card) == ["date", "datetime", "number"]
    axis = card.time_axis
    assert (axis.column, axis.frequency, axis.duplicates) == ("时间", "minute", 0)
    assert (axis.start, axis.end) == ("2024-02-20 09:31", "2024-02-21 11:59")
    assert codes(card) == ["time_joined"]


def test_nights_belong_to_the_evening_before_the_trading_day():
    clocks = ["21:01", "23:00", "01:30", "09:01", "15:00"]
    rows = "".join(f"{d:%Y%m%d},{clock},39{n}0\n" for n, d in enumerate(DAYS[:8]) for clock in clocks)
    card = describe("交易日,时间,收盘\n" + rows)
    days = card.dataset.table.column(0)
    parts = pa.chunked_array([*days.slice(0, 7).chunks, *days.slice(7).chunks])
    chunks = describe_dataset(pa.table({"交易日": parts, "时间": pa.chunked_array([clocks * 4, clocks * 4])}))
    assert codes(card) == ["nights_joined"]
    assert codes(chunks) == ["nights_joined", "no_numeric_column"]
    assert (card.time_axis.sorted, card.time_axis.start) == ("ascending", "2024-02-19 21:01")
    moments = [f"{moment:%m-%d %H:%M}" for moment in card.dataset["时间"][20:24]]
    assert moments == ["02-23 21:01", "02-23 23:00", "02-24 01:30", "02-26 09:01"]


def test_integers_are_times_of_day_only_under_a_plain_name():
    card = describe("日期,响应时间\n2024-01-02,930\n2024-01-03,1015\n2024-01-04,845\n")
    assert kinds(card) == ["date", "integer"]


def test_row_labels_that_look_like_attributes_stay_rows():
    assert describe("指标,值\n来源,1\n频率,2\n单位,3\n国家,4\n").rows == 4


def test_the_day_of_listing_is_no_axis():
    rows = "".join(f"{600000 + n},{n}.5,{d}\n" for n, d in enumerate(DAYS))
    assert describe("代码,股价(元),上市日期\n" + rows).time_axis is None


def test_times_of_day_stay_what_the_caller_says():
    data = {"日期": ["2024-01-02", "2024-01-03"], "时间": ["09:31", "09:32"]}
    from capital_kit.datasets import read_dataset

    assert read_dataset(data, kinds={"时间": "text"}).column("时间").kind == "text"


def test_decimal_commas():
    rows = "".join(f"{d:%d.%m.%Y};1.2{n:02},50;{n},5%;{n + 1}.500\n" for n, d in enumerate(DAYS))
    card = describe("Datum;Schluss;Rendite;Volumen\n" + rows)
    assert kinds(card) == ["date", "number", "percent", "integer"]
    assert (card.columns[1].first, card.columns[3].first) == (1200.5, 1500)
    assert codes(card) == ["decimal_comma"]


def test_a_semicolon_alone_says_nothing_about_commas():
    card = describe("date;close;note\n2024-01-02;1.500;1,5\n2024-01-03;1.625;a\n2024-01-04;1.25;b\n")
    assert (card.columns[1].first, codes(card)) == (1.5, [])


def test_spreadsheet_days_beside_a_look_alike_count():
    card = describe(
        "日期,人数,收盘\n" + "".join(f"{45292 + n},{45210 + n * 3},1{n:02}.5\n" for n in range(12))
    )
    assert kinds(card) == ["date", "integer", "number"]
    assert (card.columns[0].first, codes(card)) == ("2024-01-01", ["serials_as_days"])


def test_time_that_runs_across_and_units_that_vary():
    card = describe(
        "指标,2023-12-31,2023-09-30\n营业收入,1505.6亿,1053.2亿\n毛利率,91.96%,91.71%\n员工,33302,33001\n"
    )
    assert kinds(card) == ["text"] * 3
    assert codes(card) == ["units_vary", "units_vary", "wide_dates", "no_numeric_column"]


def test_times_of_unknown_form_are_not_passed_over():
    card = describe("报告期,收入\n2021H1,1\n2021H2,2\n2022H1,3\n")
    assert (kinds(card), codes(card)) == (["text", "integer"], ["time_not_read"])


def test_words_for_no_value():
    rows = "".join(
        f"{600000 + n},{'亏损' if n == 3 else f'{n}.5'},{'／' if n == 4 else n}\n" for n in range(30)
    )
    card = describe("代码,市盈率,市值\n" + rows)
    assert kinds(card) == ["code", "number", "integer"]
    assert dict(card.column("市盈率").null_tokens) == {"亏损": 1}
    assert codes(card) == ["words_as_missing"]  # 亏损 means something, a dash does not


def test_codes_and_headers_that_a_spreadsheet_has_marked():
    card = describe(
        '="代码"\t涨幅%\t日期\n\'000001\t1.2\t2024-05-06,一\n\'600036\t--\t2024-05-06,一\n="300750"\t0\t2024-05-07,二\n'
    )
    assert card.dataset.names == ("代码", "涨幅", "日期")
    assert kinds(card) == ["code", "percent", "date"]
    assert [card.columns[0].first, card.columns[0].last] == ["000001", "300750"]


def test_identifiers_measure_nothing():
    rows = "".join(f"{2000 + 7 * n},1380000{n:04},0{n}139,{n}.5,{116 + n / 9:.4f}\n" for n in range(40))
    card = describe("user_id,手机号,zip,score,lon\n" + rows)
    assert card.roles.measures == ("score", "lon")
    assert (card.column("手机号").role, card.roles.entity) == ("id", None)


def test_events_have_no_frequency_and_opinions_are_no_categories():
    rows = "".join(
        f"2024-05-{1 + n % 28:02} {9 + n % 10:02}:{n:02},{'无' if n % 4 == 0 else f'物流很快{n}'}\n"
        for n in range(40)
    )
    card = describe("提交时间,意见\n" + rows)
    assert (card.time_axis.frequency, card.time_axis.gaps, card.roles.categories) == ("irregular", 0, ())


def test_prices_volumes_and_rates_share_no_scale():
    rows = "".join(f"{d},3900,3910,3890,3905,{3000 + n},{n}.5,{n}.25\n" for n, d in enumerate(DAYS))
    card = describe("date,open,high,low,close,vol,pct_chg,change\n" + rows)
    assert all("vol" not in group.columns for group in card.series_groups)
    assert not any({"pct_chg", "change"} <= set(group.columns) for group in card.series_groups)


def test_suspended_days_with_prices_of_zero_are_one_warning():
    rows = "".join(f"{d},0,0,0,0,0\n" if n in (3, 4) else f"{d},10,11,9,10,5\n" for n, d in enumerate(DAYS))
    card = describe("date,open,high,low,close,volume\n" + rows)
    assert codes(card) == ["zero_price"]
    assert card.warnings[0].details == {"columns": "open, high, low, close", "count": 2}


def test_one_notice_about_no_rows():
    assert codes(describe("代码,收盘\n")) == ["no_rows"]
    assert codes(describe_dataset({"a": []})) == ["no_rows"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Jan 05, 2024", "2024-01-05"),
        ("5 January 2024", "2024-01-05"),
        ("05-Jan-24", "2024-01-05"),
        ("Sept 2023", "2023-09"),
        ("05.01.2024", "2024-01-05"),
        ("05.01.2024 09:31", "2024-01-05 09:31"),
        ("Jan-24", None),
        ("Juni 5, 2024", None),
        ("3M 2024", None),
        ("31.02.2024", None),
    ],
)
def test_days_in_words_and_with_dots(text, expected):
    point = parse_time(text)
    assert (point and str(point)) == expected


@pytest.mark.parametrize(
    ("text", "value"), [("20.60M", 20_600_000), ("1.5B", 1.5e9), ("2.95T", 2.95e12), ("1,234.56K", 1_234_560)]
)
def test_letters_of_scale_behind_decimals(text, value):
    assert parse_number(text).value == value


@pytest.mark.parametrize("text", ["3M", "10K", "1.5m", "1.5 M", "1.M"])
def test_letters_that_are_no_scale(text):
    assert parse_number(text) is None
