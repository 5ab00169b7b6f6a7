"""Errors, options, records, notices, numbers, HTML."""

import dataclasses
import datetime as dt
import json
import math
import subprocess
import sys
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import capital_kit as ck
from capital_kit import DatasetError, KitError, OptionError, options
from capital_kit._core import html
from capital_kit._core.numbers import magnitude, show, show_short
from capital_kit._core.page import page
from capital_kit._core.records import plain


def test_error_says_what_was_found_and_what_to_do(language):
    error = DatasetError.of("dataset_column_not_found", name="clse", available="close", available_total=1)
    assert isinstance(error, KitError)
    assert isinstance(error, ValueError)
    assert "clse" in str(error)
    assert "[dataset_column_not_found]" in str(error)
    assert error.hint
    assert json.loads(json.dumps(error.to_dict(), allow_nan=False))["available_total"] == 1


def test_option_is_checked():
    with pytest.raises(OptionError) as caught:
        options.language = "fr"
    assert caught.value.details["allowed"] == ["zh", "en"]
    with pytest.raises(OptionError):
        options.colour = "red"
    assert options.language == "zh"


def test_override_ends_with_the_block():
    with options.override(language="en", up_color="green"):
        assert (options.language, options.up_color) == ("en", "green")
    assert (options.language, options.up_color) == ("zh", "red")


@pytest.mark.parametrize(("value", "language"), [("en", "en"), ("zh", "zh"), ("xx", "zh")])
def test_language_starts_from_the_environment(value, language):
    program = "import capital_kit as ck; print(ck.options.language)"
    result = subprocess.run(
        [sys.executable, "-c", program], env={"CAPITAL_KIT_LANG": value}, capture_output=True, text=True,
        check=True,
    )  # fmt: skip
    assert result.stdout.strip() == language


@dataclasses.dataclass
class Point:
    x: float
    when: dt.date


def test_record_is_strict_json():
    import numpy as np

    record = plain({
        "nan": math.nan, "inf": math.inf, "minus": -0.0, "scalar": np.float64(1.5), "int": np.int64(3),
        "point": Point(1.0, dt.date(2024, 1, 2)), "path": Path("folder/file.csv"), "set": {2, 1}, 5: True,
    })  # fmt: skip
    assert record == {
        "nan": None, "inf": None, "minus": 0.0, "scalar": 1.5, "int": 3,
        "point": {"x": 1.0, "when": "2024-01-02"}, "path": "file.csv", "set": [1, 2], "5": True,
    }  # fmt: skip
    assert math.copysign(1, record["minus"]) == 1
    json.dumps(record, allow_nan=False)


@pytest.mark.parametrize(
    ("value", "text"),
    [(None, "—"), (math.nan, "—"), (0, "0"), (0.0, "0"), (1234567, "1,234,567"), (1234.5, "1,234.5"),
     (0.00012345, "0.00012345"), (-1.5, "-1.5"), (math.inf, "∞"), (12.0, "12"), (True, "1"),
     (1e308, "1e+308"), (5e-12, "5e-12"), (-2.5e-300, "-2.5e-300"), (10**20, "100,000,000,000,000,000,000")],
)  # fmt: skip
def test_show(value, text):
    assert show(value) == text


@pytest.mark.parametrize(
    ("value", "zh", "en"),
    [
        (120_000_000, "1.20亿", "120.00M"),
        (56_000, "5.60万", "56.00K"),
        (999, "999", "999"),
        (2.5e9, "25.00亿", "2.50B"),
    ],
)
def test_magnitudes(value, zh, en):
    assert show_short(value) == zh
    with options.override(language="en"):
        assert show_short(value) == en
    assert magnitude(0) == (1.0, "")


class Tags(HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.names = []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        self.names.append(tag)


@given(st.text())
def test_nothing_from_outside_becomes_markup(text):
    made = html.card(
        text, html.table([text], [[text]], caption=text), html.bullets([text]), html.details(text, text),
        html.facts([(text, text)]), subtitle=text, badges=[html.badge(text, "bad")],
    )  # fmt: skip
    plain_text = html.card(
        "x", html.table(["x"], [["x"]], caption="x"), html.bullets(["x"]), html.details("x", "x"),
        html.facts([("x", "x")]), subtitle="x", badges=[html.badge("x", "bad")],
    )  # fmt: skip
    reference = [name for name in Tags(plain_text).names if text or name != "caption"]
    names = Tags(made).names
    assert [name for name in names if name not in ("caption", "div")] == [
        name for name in reference if name not in ("caption", "div")
    ]


def test_card_needs_no_script_and_no_style_sheet():
    made = html.card("t", html.table(["a"], [[1]]), badges=[html.badge("ok", "ok")])
    assert "<script" not in made
    assert "<style" not in made
    assert 'scope="col"' in made


def test_tone_is_told_without_colour():
    signs = {html.badge("x", tone).split(">")[1][0] for tone in ("ok", "warn", "bad")}
    assert len(signs) == 3


def test_page_forbids_every_request():
    text = page("<t>", html.Html("<p>hi</p>"), scripts=["var a = '</script><b>'"])
    assert "default-src 'none'" in text
    assert "<title>&lt;t&gt;</title>" in text
    assert text.count("</script>") == 1


def test_version_is_one():
    assert ck.__version__.count(".") == 2
