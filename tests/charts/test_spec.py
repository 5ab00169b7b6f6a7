"""A chart specification has one form, whatever it was written like."""

import json

import pytest

from capital_kit.charts._spec import ChartSpec, SeriesSpec, normalize_spec
from capital_kit.errors import ChartError

LINE = {"kind": "line", "x": "d", "series": ["a"]}
CANDLE = {"kind": "candlestick", "x": "d", "ohlc": {"open": "o", "high": "h", "low": "l", "close": "c"}}


@pytest.mark.parametrize(
    ("written", "kind"),
    [("histogram", "column"), ("candle", "candlestick"), ("candles", "candlestick"), ("ohlc", "bar"),
     ("candlestick_bar", "bar"), ("Line", "line")],
)  # fmt: skip
def test_kind_aliases(written, kind):
    base = CANDLE if kind in ("candlestick", "bar") else LINE
    assert normalize_spec({**base, "kind": written}).kind == kind


@pytest.mark.parametrize(
    "given",
    [
        {"kind": "line", "time": "d", "fields": ["a"]},
        {"kind": "line", "time_field": "d", "y": "a"},
        {"kind": "line", "x": {"field": "d"}, "series": {"column": "a"}},
        {"kind": "line", "x": "d", "series": '[{"name": "a"}]', "title": "", "range": None},
        json.dumps(LINE),
    ],
)
def test_other_ways_to_write_the_same(given):
    assert normalize_spec(given) == normalize_spec(LINE)


@pytest.mark.parametrize("kind", ["line", "area", "column"])
def test_a_series_is_drawn_as_the_kind_says(kind):
    assert normalize_spec({"kind": kind, "series": ["a"]}).series[0].type == kind


def test_round_trip():
    spec = normalize_spec({
        **CANDLE, "volume": "v", "range": {"start": "2024", "end": "2024-06"}, "title": "标题",
        "markers": [("2024-02-01", "事件"), {"index": 3, "label": "b", "position": "belowBar"}],
        "series": ["m"], "labels": {"m": "均线"},
    })  # fmt: skip
    assert normalize_spec(spec.to_dict()) == spec
    assert normalize_spec(json.dumps(spec.to_dict())) == spec
    assert spec.fields == ("d", "o", "h", "l", "c", "m", "v")
    assert spec.label("m") == "均线"
    assert normalize_spec(spec) == spec


@pytest.mark.parametrize(
    "given",
    [
        {},
        {"kind": "pie", "series": ["a"]},
        {**LINE, "colour": "red"},
        {"kind": "line", "x": "d"},
        {**LINE, "series": list("abcdefg")},
        {**LINE, "series": ["a", "a"]},
        {**LINE, "series": [{"field": "a", "type": "pie"}]},
        {**LINE, "series": [""]},
        {**LINE, "series": ["x" * 129]},
        {**LINE, "ohlc": CANDLE["ohlc"]},
        {"kind": "candlestick", "ohlc": CANDLE["ohlc"]},
        {"kind": "bar", "x": "d"},
        {**CANDLE, "ohlc": {"open": "o", "close": "c"}},
        {**LINE, "markers": [{"time": "2024", "text": "a"}] * 51},
        {**LINE, "markers": [{"time": "2024", "text": "x" * 121}]},
        {**LINE, "markers": [{"text": "a"}]},
        {**LINE, "markers": [{"time": "2024", "text": "a", "position": "left"}]},
        {**LINE, "range": "2024"},
        {**LINE, "labels": ["a"]},
        {**LINE, "markers": "[{"},
        "no json",
    ],
)
def test_what_is_refused_says_what_is_allowed(given, language):
    with pytest.raises(ChartError) as caught:
        normalize_spec(given)
    assert caught.value.code == "chart_spec_invalid"
    assert caught.value.details["allowed"]
    assert caught.value.hint


def test_a_title_without_end_is_cut_and_told():
    spec = normalize_spec({**LINE, "title": "长" * 10_000})
    assert len(spec.title) == 200
    assert [notice.code for notice in spec.notices] == ["title_cut"]


def test_spec_is_a_value():
    assert ChartSpec(kind="line") == ChartSpec(kind="line")


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    "given",
    [
        DEEP,
        {"kind": "line", "series": 5},
        {"kind": "line", "series": True},
        {"kind": "line", "series": ["a"], "markers": 5},
        {"kind": "line", "series": ["a"], "markers": [{"index": "abc", "text": "x"}]},
        {"kind": "line", "series": ["a"], "markers": [{"index": 1.5, "text": "x"}]},
        {"kind": "line", "series": ["a"], "range": {"von": "2024"}},
        {"kind": "line", "series": ["a"], "x": "d", "time": "e"},
        ChartSpec(kind="pie"),
        ChartSpec(kind="candlestick"),
        ChartSpec(kind="line", series=(SeriesSpec(field=""),)),
    ],
)
def test_odd_members_are_refused_not_stumbled_over(given):
    with pytest.raises(ChartError) as caught:
        normalize_spec(given)
    assert caught.value.code == "chart_spec_invalid"
    assert caught.value.details["allowed"]


def test_texts_lose_the_marks_that_turn_numbers_around():
    spec = normalize_spec({"kind": "line", "series": [{"field": "a\u202e", "label": "甲\u202e乙"}],
                           "title": "\u2067标题\n二", "labels": {"v": "x" * 10_000}})  # fmt: skip
    assert spec.title == "标题 二"
    assert spec.series[0].label == "甲乙"
    assert spec.label("b\u202e") == "b"
    assert len(spec.label("v")) == 200
