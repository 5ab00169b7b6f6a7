"""Codes of exchanges: one spelling is offered, none is overwritten."""

import pytest

import capital_kit as ck

SPELLINGS = [
    ("SH600519", "600519.SH"), ("sh600519", "600519.SH"), ("600519.SH", "600519.SH"),
    ("600519.ss", "600519.SH"),
    ("600519.XSHG", "600519.SH"), ("sh.600519", "600519.SH"), ("ＳＺ０００００１", "000001.SZ"),
    ("000001.XSHE", "000001.SZ"), ("BJ430047", "430047.BJ"), ("00700.HK", "00700.HK"),
    ("0700.HK", "00700.HK"),
    ("HK00700", "00700.HK"), (" 600519.SH ", "600519.SH"),
]  # fmt: skip
NONE = [
    "600519",
    "000001",
    "AAPL",
    "SH600519.SH",
    "SH60051",
    "6005190.SH",
    "700000.HK",
    "",
    "SH",
    "日期",
    "600519.US",
]


@pytest.mark.parametrize(("text", "normal"), SPELLINGS)
def test_a_code_that_names_its_market_has_one_spelling(text, normal):
    assert ck.normal_code(text) == normal
    assert ck.normal_code(normal) == normal


@pytest.mark.parametrize("text", NONE)
def test_what_names_no_market_or_two_stays_open(text):
    assert ck.normal_code(text) is None


def test_a_column_of_several_spellings_says_so_and_stays_as_it_is():
    card = ck.describe_dataset(
        {"代码": ["SH600519", "sz000001", "300750.SZ", "600519.SH"], "价": [1.0, 2.0, 3.0, 4.0]}
    )
    column = card.column("代码")
    assert column.normal_codes == {
        "SH600519": "600519.SH", "sz000001": "000001.SZ", "300750.SZ": "300750.SZ", "600519.SH": "600519.SH",
    }  # fmt: skip
    assert column.first == "SH600519"
    notice = next(found for found in card.warnings if found.code == "code_spellings")
    assert (notice.details["column"], notice.details["count"]) == ("代码", 2)


def test_a_column_of_one_spelling_says_nothing():
    card = ck.describe_dataset({"代码": ["600519.SH", "000001.SZ", "AAPL.US"], "价": [1.0, 2.0, 3.0]})
    assert card.column("代码").normal_codes is None
    assert "code_spellings" not in [notice.code for notice in card.warnings]
