"""Indicators in charts, the second axis, and lines that start at 100."""

import json

import numpy as np
import pytest

import capital_kit as ck
from capital_kit import ChartError
from capital_kit.charts._spec import normalize_spec

FULL = {
    "overlays": ["ma5", "ma20", {"type": "boll", "window": 20, "k": 2}],
    "panes": ["volume", "macd", "rsi", "drawdown"],
}


def traces(figure):
    return {trace.name: trace for trace in figure.data}


def known(array):
    return np.asarray(array, dtype=np.float64)


# ------------------------------------------------------------------------------------ indicators
def test_overlays_and_panes_stand_on_one_axis_of_dates(make):
    figure = ck.chart(make.bars(60), **FULL).figure
    found = traces(figure)
    assert {trace.xaxis for trace in figure.data} == {None}
    assert figure.layout.xaxis.anchor == "y5"
    assert [found[name].yaxis for name in ("MA5", "MA20", "DIF", "DEA", "MACD", "RSI14")] == [
        None, None, "y3", "y3", "y3", "y4"
    ]  # fmt: skip
    shown = [trace.name for trace in figure.data if trace.showlegend is not False]
    assert shown == ["价格", "MA5", "MA20", "BOLL(20,2)"]
    assert all("%{y" in found[name].hovertemplate for name in ("MA5", "DIF", "RSI14"))


def test_panes_neither_overlap_nor_leave_the_figure(make):
    layout = ck.chart(make.bars(60), **FULL).figure.layout
    places = [layout[axis].domain for axis in ("yaxis5", "yaxis4", "yaxis3", "yaxis2", "yaxis")]
    ends = [end for place in places for end in place]
    assert ends == sorted(ends)
    assert (ends[0], ends[-1]) == (0, 1)
    assert layout.height == 560 + 3 * 118


def test_the_warm_up_is_missing_and_never_nought(make):
    closes = known(make.bars(60).table.column("收盘").to_pylist())
    line = known(traces(ck.chart(make.bars(60), overlays="ma20").figure)["MA20"].y)
    assert np.isnan(line[:19]).all()
    np.testing.assert_allclose(line[19:], [closes[i - 19 : i + 1].mean() for i in range(19, 60)])


def test_an_indicator_knows_the_rows_before_the_range(make):
    whole, part = (
        ck.chart(make.bars(60), overlays="ma20", panes=["macd"], range=ends)
        for ends in (None, ("2024-03-01", None))
    )
    cut = part.meta["original_points"]
    assert 0 < cut < 40
    for name in ("MA20", "MACD"):
        np.testing.assert_array_equal(
            known(traces(part.figure)[name].y), known(traces(whole.figure)[name].y)[-cut:]
        )  # fmt: skip


def test_summed_up_bars_show_the_indicator_of_their_last_row(make):
    found = ck.chart(make.bars(4000), overlays=["ema12"], panes=["rsi"])
    assert found.meta["method"] == "ohlc_buckets"
    assert found.view.points < 900
    notes = next(item.text for item in found.figure.layout.annotations if item.name == "footnote")
    assert "指标按原始的每日数据计算" in notes
    full, drawn = found.view.payload.studies, found.view.studies
    for whole, shown in zip(full, drawn, strict=True):
        np.testing.assert_array_equal(shown.lines[0].values, whole.lines[0].values[found.view.last])


def test_a_reduced_line_keeps_the_extremes_of_its_indicators(make):
    found = ck.chart(make.wave(6000, names=("甲",)), kind="line", overlays=["boll"], panes=["drawdown"])
    assert found.meta["method"] == "m4"
    for whole, shown in zip(found.view.payload.studies, found.view.studies, strict=True):
        for full, line in zip(whole.lines, shown.lines, strict=True):
            assert np.nanmax(line.values) == np.nanmax(full.values)
            assert np.nanmin(line.values) == np.nanmin(full.values)


def test_indicators_follow_the_magnitude_of_their_axis(make):
    values = np.linspace(2e9, 3e9, 30)
    data = make.dataset({
        "日期": (make.business_days(30), "date"), "收入": (values, "number", "元"),
    })  # fmt: skip
    found = traces(ck.chart(data, overlays="ma5").figure)
    assert known(found["MA5"].y)[-1] == pytest.approx(values[-5:].mean() / 1e8)
    assert "亿元" in found["MA5"].hovertemplate


def test_formula_and_parameters_stand_in_meta_without_values(make):
    studies = ck.chart(make.bars(60), overlays="boll", panes="macd").meta["studies"]
    assert [(item["name"], item["of"]) for item in studies] == [
        ("BOLL(20,2)", "收盘"),
        ("MACD(12,26,9)", "收盘"),
    ]
    assert (studies[0]["window"], studies[0]["k"], studies[1]["slow"]) == (20, 2, 26)
    assert all("=" in item["formula"] and "warm-up" in item["rule"] for item in studies)
    assert "studies" not in ck.chart(make.bars(60)).meta


def test_too_few_rows_for_an_indicator_are_told(make):
    found = ck.chart(make.bars(30), overlays=["ma5", "ma60"])
    told = [notice for notice in found.warnings if notice.code == "studies_short"]
    assert [notice.details["names"] for notice in told] == ["MA60"]


@pytest.mark.parametrize(("theme", "up"), [("light", "#D6372E"), ("dark", "#FF6B5E")])
def test_colours_are_those_of_the_theme_and_differ(make, theme, up):
    found = ck.chart(make.bars(60), **FULL, theme=theme)
    lines = traces(found.figure)
    colors = [lines[name].line.color for name in ("MA5", "MA20", "BOLL(20,2)")]
    assert len(set(colors)) == 3
    assert lines["BOLL(20,2) UPPER"].line.color == lines["BOLL(20,2)"].line.color
    assert lines["MACD"].marker.colorscale[1][1] == up


def test_a_rendered_source_keeps_the_indicators(make, tmp_path):
    source = ck.prepare_chart_source(make.bars(60), task_id="t", workspace=tmp_path)
    spec = {**make.candles, "overlays": '["ma5"]', "panes": [{"type": "rsi", "window": 6}]}
    found = ck.render_chart(source.chart_source_ref, "t", spec, workspace=tmp_path)
    drawn = json.loads((tmp_path / found.receipt["series_path"]).read_text())
    assert [item["name"] for item in drawn["studies"]] == ["MA5", "RSI6"]
    assert drawn["studies"][0]["lines"]["MA5"][:5] == [None] * 4 + [drawn["studies"][0]["lines"]["MA5"][4]]
    kept = json.loads((tmp_path / found.receipt["spec_path"]).read_text())["spec"]
    assert normalize_spec(kept) == found.spec
    assert {"MA5", "RSI6"} <= set(found.to_frame().columns)


SHORT = [
    ("overlays", "ma20", [{"type": "ma", "window": 20}]),
    ("overlays", ["MA", "ma20"], [{"type": "ma", "window": 20}]),
    ("overlays", ["ema12", "boll"], [{"type": "ema", "window": 12}, {"type": "boll", "window": 20, "k": 2}]),
    ("overlays", {"type": "boll", "k": 1.5}, [{"type": "boll", "window": 20, "k": 1.5}]),
    ("panes", ["rsi6", "drawdown"], [{"type": "rsi", "window": 6}, {"type": "drawdown"}]),
]


@pytest.mark.parametrize(("member", "given", "expected"), SHORT)
def test_short_forms_become_long_ones(make, member, given, expected):
    assert normalize_spec({**make.candles, member: given}).to_dict()[member] == expected


WRONG = [
    ({"overlays": ["kdj"]}, "boll"),
    ({"overlays": ["macd"]}, "ema"),
    ({"overlays": 5}, "ma"),
    ({"panes": ["ma20"]}, "drawdown"),
    ({"panes": ["rsi6", "rsi12"]}, "rsi"),
    ({"overlays": [{"type": "ma", "window": 1}]}, "2–1000"),
    ({"overlays": [{"type": "ma", "window": 2.5}]}, "2–1000"),
    ({"overlays": [{"type": "ma", "window": True}]}, "2–1000"),
    ({"overlays": [{"type": "boll", "k": 0}]}, "0–10"),
    ({"overlays": [{"type": "ma", "period": 5}]}, "window"),
    ({"overlays": [f"ma{n}" for n in range(2, 9)]}, "0–6"),
    ({"panes": [{"type": "macd", "fast": 26, "slow": 12}]}, "slow"),
    ({"kind": "column", "series": ["收盘"], "overlays": ["ma5"]}, "candlestick"),
    ({"kind": "line", "series": ["收盘"], "rebase": True, "overlays": ["ma5"]}, "rebase"),
    ({"kind": "candlestick", "rebase": True}, "line"),
    ({"kind": "line", "series": ["收盘"], "rebase": "yes"}, "true"),
    ({"kind": "line", "series": ["收盘", "开盘"], "by": "代码"}, "1"),
]


@pytest.mark.parametrize(("given", "allowed"), WRONG)
def test_a_wrong_indicator_names_what_is_allowed(make, given, allowed):
    with pytest.raises(ChartError) as caught:
        ck.chart(make.bars(60), **given)
    assert caught.value.code == "chart_spec_invalid"
    assert allowed.lower() in str(caught.value.details["allowed"]).lower()
    assert "{" not in caught.value.message + caught.value.hint


def test_a_volume_pane_needs_its_column(make):
    spec = {key: value for key, value in make.candles.items() if key != "volume"}
    with pytest.raises(ChartError) as caught:
        normalize_spec({**spec, "panes": ["volume"]})
    assert caught.value.code == "chart_spec_invalid"
    assert normalize_spec({**make.candles, "panes": ["volume"]}).volume == "成交量"


def test_indicators_need_a_time_axis(make):
    data = make.dataset({"名称": (["a", "b"], "category"), "值": ([1.0, 2.0], "number")})
    with pytest.raises(ChartError, match="指标"):
        ck.chart(data, kind="line", x="名称", series="值", overlays="ma5")


# ----------------------------------------------------------------------------------- second axis
def two(make, first, second):
    n = len(first[0])
    return make.dataset({"日期": (make.business_days(n), "date"), "甲": first, "乙": second})


def test_two_units_have_two_axes_and_the_right_one_names_its_unit(make):
    data = two(make, ([2e9, 3e9, 4e9], "number", "元"), ([30.0, 31.0, 29.5], "percent"))
    found = ck.chart(data, kind="line", series=["甲", "乙"])
    left, right = found.figure.data
    axis = found.figure.layout.yaxis6
    assert (left.yaxis, right.yaxis) == ("y", "y6")
    assert (list(left.y), list(right.y)) == ([20, 30, 40], [30, 31, 29.5])
    assert (axis.overlaying, axis.side, axis.tickmode, axis.title.text) == ("y", "right", "auto", "乙（%）")
    assert found.figure.layout.yaxis.title.text == "甲（亿元）"
    assert right.name == "乙（右轴）"
    low, high = axis.range
    assert low < 29.5 < 31 < high < 40
    assert [notice.code for notice in found.warnings] == ["axes_by_unit"]


def test_columns_of_two_axes_stand_side_by_side(make):
    data = two(make, ([2.0, 3.0], "number", "元"), ([5.0, 6.0], "number", "人"))
    bars = ck.chart(data, kind="column", series=["甲", "乙"]).figure.data
    assert len({bar.offsetgroup for bar in bars}) == 2
    assert {bar.alignmentgroup for bar in bars} == {"bars"}


@pytest.mark.parametrize(
    ("first", "second", "axes"),
    [
        (([1.0, 2.0], "number"), ([300.0, 400.0], "number"), ["axes_by_size"]),
        (([300.0, 400.0], "number"), ([1.0, 2.0], "number"), ["axes_by_size"]),
        (([1.0, 2.0], "number"), ([90.0, 90.0], "number"), []),
        (([1.0, 2.0], "number", "元"), ([1e6, 1e6], "number", "元"), []),
        (([0.0, 0.0], "number"), ([1e6, 1e6], "number"), []),
    ],
)
def test_without_units_only_sizes_beyond_comparison_part(make, first, second, axes):
    found = ck.chart(two(make, first, second), kind="line", series=["甲", "乙"])
    assert [notice.code for notice in found.warnings] == axes
    assert found.figure.data[0].yaxis in (None, "y")
    assert ("yaxis6" in found.figure.to_plotly_json()["layout"]) == bool(axes)


# ---------------------------------------------------------------------------------------- rebase
def test_lines_start_at_100_on_their_first_common_time_without_filling(make):
    nan = np.nan
    data = two(make, ([nan, 4.0, 5.0, nan, 8.0], "number"), ([1.0, 2.0, nan, 3.0, 5.0], "number"))
    found = ck.chart(data, kind="line", series=["甲", "乙"], rebase=True)
    assert [list(trace.y) for trace in found.figure.data] == [[100, 200], [100, 250]]
    assert found.view.texts == ("2024-01-03", "2024-01-08")
    assert found.meta["rebase"] == {"base": 100, "from": "2024-01-03", "alignment": "inner", "left_out": 3}
    notes = next(item.text for item in found.figure.layout.annotations if item.name == "footnote")
    assert "2024-01-03 = 100" in notes.replace("<br>", "")


def test_entities_of_a_long_table_start_together(make):
    days = make.business_days(3)
    data = make.dataset({
        "日期": (np.concatenate([days, days[1:]]), "date"), "代码": (list("aaabb"), "code"),
        "收盘": ([1.0, 2.0, 3.0, 50.0, 25.0], "number"),
    })  # fmt: skip
    found = ck.chart(data, kind="line", series="收盘", by="代码", rebase=True)
    assert {trace.name: list(trace.y) for trace in found.figure.data} == {"b": [100, 50], "a": [100, 150]}
    later = ck.chart(data, kind="line", series="收盘", by="代码", rebase=True, range=("2024-01-04", None))
    assert {tuple(trace.y) for trace in later.figure.data} == {(100,)}


def test_by_takes_a_column_of_numbers_too(make):
    days = make.business_days(2)
    data = make.dataset({
        "日期": (np.concatenate([days, days]), "date"), "组": ([1, 1, 2, 2], "number"),
        "值": ([1.0, 2.0, 5.0, 6.0], "number"),
    })  # fmt: skip
    found = ck.chart(data, kind="line", series="值", by="组")
    assert {trace.name: list(trace.y) for trace in found.figure.data} == {"1": [1, 2], "2": [5, 6]}


def test_one_row_with_every_indicator_is_drawn(make):
    found = ck.chart(make.bars(1), **FULL)
    assert len(found.figure.data) == 12
    assert "MACD(12,26,9)" in found.warnings[-1].details["names"]


@pytest.mark.parametrize(
    ("first", "second", "code"),
    [
        (([1.0, 2.0], "number", "元"), ([1.0, 2.0], "percent"), "chart_spec_invalid"),
        (([0.0, 2.0], "number"), ([1.0, 2.0], "number"), "chart_spec_invalid"),
        (([1.0, np.nan], "number"), ([np.nan, 2.0], "number"), "chart_no_rows"),
    ],
)
def test_what_cannot_start_together_is_refused(make, first, second, code):
    with pytest.raises(ChartError) as caught:
        ck.chart(two(make, first, second), kind="line", series=["甲", "乙"], rebase=True)
    assert caught.value.code == code
    assert "{" not in caught.value.message + caught.value.hint
