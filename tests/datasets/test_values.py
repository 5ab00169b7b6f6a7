"""One grammar of numbers."""

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capital_kit.datasets import Parsed, parse_number

NUMBERS = [
    ("0", 0, "integer"),
    ("-5", -5, "integer"),
    ("−5", -5, "integer"),
    ("１２３", 123, "integer"),
    ("1,234", 1234, "integer"),
    ("1,234.56", 1234.56, "number"),
    (" 12.50 ", 12.5, "number"),
    (".5", 0.5, "number"),
    ("5.", 5.0, "number"),
    ("+2300万", 2.3e7, "number"),
    ("3456.7万", 34567000.0, "number"),
    ("-88.8万", -888000.0, "number"),
    ("1.2亿", 1.2e8, "number"),
    ("2.05万亿", 2.05e12, "number"),
    ("3百万", 3e6, "number"),
    ("(2,000.00)", -2000.0, "number"),
    ("（100）", -100, "integer"),
    ("￥1,000.5", 1000.5, "number"),
    ("-$5", -5, "integer"),
    ("$-5", -5, "integer"),
    ("3.10E-05", 3.1e-05, "number"),
    ("12.3%", 12.3, "percent"),
    ("+1.23％", 1.23, "percent"),
    ("5‰", 0.5, "percent"),
    ("0.5个百分点", 0.5, "percent"),
    ("12.5元", 12.5, "number"),
    ("- 5", -5, "integer"),
    ("-\u00a05", -5, "integer"),
    ("–5", -5, "integer"),
    ("1\u00a0234\u00a0567.5", 1234567.5, "number"),
    ("12\u202f345", 12345, "integer"),
    ("1'234.50", 1234.5, "number"),
    ("1’234", 1234, "integer"),
    ("1，234.5", 1234.5, "number"),
    ("1.2 亿元", 1.2e8, "number"),
    ("\u30001.2\u3000亿", 1.2e8, "number"),
    ("5千亿", 5e11, "number"),
    ("2百亿美元", 2e10, "number"),
    ("3十亿", 3e9, "number"),
    ("1.2bn", 1.2e9, "number"),
    ("350mn", 3.5e8, "number"),
    ("1.5 billion", 1.5e9, "number"),
    ("$(1,234.50)", -1234.5, "number"),
    ("￥(5)", -5, "integer"),
    ("1,200.50-", -1200.5, "number"),
    ("1.2E+08", 1.2e8, "number"),
    ("12.3‰", 1.23, "percent"),
    ("(3.2%)", -3.2, "percent"),
    ("0.5pct", 0.5, "percent"),
    ("-0.5pp", -0.5, "percent"),
    ("12.3\u00a0%", 12.3, "percent"),
]
NO_NUMBERS = [
    "", " ", "-", "--", "—", "/", "停牌", "N/A", "nan", "空", "abc", "1,23", "12,34,567",
    "1.2.3", "(5", "5)", "+-5", "(-5)",
    "1.2亿万", "5%%", "2024-01-05", "0x10", "1_000", "12%万", "1e", "9" * 100,
    "1 234", "100 200", "5²", "①", "⑴", "10³", "½", "1e400", "5-", "2024-", "1'23", "1,234'567", "$5元",
    "￥5美元", "1.2bn万", "--%", "#NUM!", "..", "…", "未知", "临时停牌", "12,5", "1.234.567", "1/2", "1:10",
    "≥5", "约5", "5*", "↑5", "09:30", "T+1", "板块 12", "A股 1",
]  # fmt: skip


@pytest.mark.parametrize(("text", "value", "kind"), NUMBERS)
def test_number_is_read(text, value, kind):
    parsed = parse_number(text)
    assert (parsed.value, parsed.kind) == (value, kind)
    assert type(parsed.value) is (int if kind == "integer" else float)


@pytest.mark.parametrize("text", NO_NUMBERS)
def test_no_number_is_none(text):
    assert parse_number(text) is None


def test_unit_and_scale_are_stated():
    assert parse_number("1.5亿元") == Parsed(value=1.5e8, unit="元", scale=1e8)
    assert parse_number("7%") == Parsed(value=7.0, unit="%", kind="percent")
    assert parse_number("100手").unit == "手"
    assert parse_number("3.5元/股").unit == "元/股"
    assert parse_number("5000美元/吨").unit == "美元/吨"


@pytest.mark.parametrize(
    ("text", "unit"),
    [
        ("￥5", "元"), ("¥5", "元"), ("RMB 5", "元"), ("5 CNY", "元"), ("人民币5元", "元"), ("5人民币", "元"),
        ("$5", "美元"), ("US$5", "美元"), ("5 USD", "美元"), ("5美元", "美元"), ("HK$5", "港元"),
        ("5港币", "港元"), ("5.00 €", "欧元"), ("£5", "英镑"), ("25bps", "bp"), ("25BP", "bp"),
        ("25个基点", "bp"), ("15.2x", "倍"), ("15倍", "倍"), ("5天", "天"), ("12个月", "个月"),
        ("5", None), ("1.2亿", None),
    ],
)  # fmt: skip
def test_one_unit_has_one_name(text, unit):
    assert parse_number(text).unit == unit


def test_infinity_is_kept():
    assert parse_number("-inf").value == -math.inf


@given(st.integers(-(10**17), 10**17))
def test_any_integer_comes_back(number):
    assert parse_number(str(number)).value == number
    assert parse_number(f"{number:,}").value == number


@given(st.floats(allow_nan=False, allow_infinity=False, width=64))
def test_any_float_comes_back(number):
    assert parse_number(repr(number)).value == number


@given(st.text(max_size=80))
def test_any_text_is_survived(text):
    assert parse_number(text) is None or isinstance(parse_number(text), Parsed)
