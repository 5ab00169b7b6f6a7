"""The figure: axis, panes, colours and labels."""

import json

import numpy as np
import pytest

from capital_kit import options
from capital_kit.charts import chart
from capital_kit.charts._annotations import PLOT_HEIGHT
from capital_kit.charts._chart import draw
from capital_kit.charts._figure import directions
from capital_kit.charts._spec import normalize_spec
from capital_kit.charts._theme import theme


def drawn(data, name="auto", **spec):
    return draw(data, normalize_spec(spec), theme=name)


def minute_times(days):
    spans = [(571, 691), (781, 901)]
    return [
        day.astype("datetime64[m]") + m
        for day in np.busday_offset("2025-12-01", np.arange(days), roll="forward")
        for a, b in spans
        for m in range(a, b)
    ]


def test_candles_and_volume_share_one_axis_of_whole_numbers(make):
    figure = drawn(make.bars(60), **make.candles).figure
    axis = figure.layout.xaxis
    assert [trace.type for trace in figure.data] == ["candlestick", "bar"]
    assert {trace.xaxis for trace in figure.data} == {None}
    assert figure.data[1].yaxis == "y2"
    assert list(figure.data[0].x) == list(range(60))
    assert (axis.tickformat, axis.hoverformat, axis.rangeslider.visible) == ("d", "d", False)
    assert axis.labelalias["0"] == "2024-01-02"
    assert axis.labelalias["-1"] == axis.labelalias["60"] == " "
    assert tuple(axis.range) == (-1, 60)


@pytest.mark.parametrize(("kind", "type_"), [("line", "scatter"), ("area", "scatter"), ("column", "bar")])
def test_kind_decides_the_trace(make, kind, type_):
    figure = drawn(make.wave(), kind=kind, x="日期", series=["甲"]).figure
    assert figure.data[0].type == type_
    assert (figure.data[0].fill if kind == "area" else None) == ("tozeroy" if kind == "area" else None)


def test_bar_is_ohlc(make):
    assert drawn(make.bars(), **{**make.candles, "kind": "bar"}).figure.data[0].type == "ohlc"


@pytest.mark.parametrize("up", ["red", "green"])
@pytest.mark.parametrize("palette", ["standard", "cvd"])
def test_colour_of_rising_follows_the_options(make, up, palette):
    with options.override(up_color=up, palette=palette):
        chosen = drawn(make.bars(), "light", **make.candles)
        trace = chosen.figure.data[0]
        expected = {"standard": ("#D6372E", "#00796B"), "cvd": ("#D55E00", "#0072B2")}[palette]
        pair = expected if up == "red" else expected[::-1]
        assert (trace.increasing.line.color, trace.decreasing.line.color) == pair
        assert trace.increasing.fillcolor == "#FFFFFF"


def test_a_flat_bar_takes_its_direction_from_the_close_before(make):
    opens = [10.0, 9.0, 9.0, 9.5, 9.5]
    closes = [10.0, 9.0, 9.0, 9.5, 9.4]
    data = make.dataset({
        "日期": (make.business_days(5), "date"), "开盘": (opens, "number"), "最高": (opens, "number"),
        "最低": (closes, "number"), "收盘": (closes, "number"), "成交量": ([1.0] * 5, "number"),
    })  # fmt: skip
    assert directions(drawn(data, **make.candles).view).tolist() == [1, 0, 0, 1, 0]


def test_many_minute_bars_become_natural_buckets(make):
    data = make.bars(4800, times=minute_times(20), kind="datetime")
    found = drawn(data, **make.candles)
    assert found.meta["period"] == "900 second"
    assert (found.meta["points"], found.meta["original_points"], found.meta["downsampled"]) == (
        320,
        4800,
        True,
    )
    assert found.meta["method"] == "ohlc_buckets"
    table = data.to_pandas()
    assert np.nansum(found.view.volume.values) == table["成交量"].sum()
    assert found.view.bars[1].max() == table["最高"].max()
    assert "15 分钟" in found.figure.layout.title.text
    assert [notice.code for notice in found.warnings] == ["sampled_bars"]


def test_a_long_line_keeps_its_extremes_and_the_summed_volume(make):
    data = make.bars(4800, times=minute_times(20), kind="datetime")
    found = drawn(data, kind="line", x="日期", series=["收盘"], volume="成交量")
    table = data.to_pandas()
    assert found.meta["method"] == "m4"
    assert found.view.series[0].values.max() == table["收盘"].max()
    assert np.nansum(found.view.volume.values) == table["成交量"].sum()
    alias = found.figure.layout.xaxis.labelalias
    assert set(alias) == {str(i) for i in range(-1, found.view.size + 1)}


def test_markers_keep_their_own_value_in_a_bucket(make):
    data = make.bars(4800, times=minute_times(20), kind="datetime")
    found = drawn(data, **make.candles, markers=[("2025-12-01 09:40", "早盘")])
    note = next(item for item in found.figure.layout.annotations if item.name == "marker")
    assert note.x == 0
    assert "2025-12-01 09:40" in note.hovertext


def test_labels_from_outside_are_inert(make):
    evil = "<b>x</b><a href='javascript:1'>%{x}</a>"
    data = make.dataset({
        "n": ([evil, "b"], "category"), evil[:40]: ([1.0, 2.0], "number", "<i>"),
    }, label="<img src=x>.csv")  # fmt: skip
    found = drawn(data, kind="column", x="n", series=[evil[:40]], title=evil)
    text = found.figure.to_json(validate=False)
    for bad in ("<b>x", "<a", "<i>", "<img", "\\u003cb\\u003ex", "\\u003ca", "\\u003ci\\u003e", "\\u003cimg"):
        assert bad not in text
    html = found._repr_mimebundle_()["text/html"]
    assert "<a" not in html
    assert "<img" not in html


def test_direct_labels_keep_their_distance(make):
    names = ("甲", "乙", "丙", "丁", "戊", "己")
    data = make.dataset({
        "日期": (make.business_days(9), "date"),
        **{name: (np.full(9, 10.0) + i**5 / 1000, "number") for i, name in enumerate(names)},
    })  # fmt: skip
    figure = drawn(data, kind="line", x="日期", series=list(names)).figure
    ends = [item for item in figure.layout.annotations if item.name == "end"]
    assert len(ends) == 6
    assert not figure.layout.showlegend
    low, high = 10.0, 10.0 + 5**5 / 1000
    places = sorted((high - item.y) / (high - low) * PLOT_HEIGHT - item.yshift for item in ends)
    assert min(np.diff(places)) >= 15.5


@pytest.mark.parametrize("values", [[5.0], [5.0, 5.0, 5.0], [-3.0, -1.0, -2.0], [0.0, 0.0], [1e12, 2e12]])
@pytest.mark.parametrize("kind", ["line", "area", "column"])
def test_odd_values_draw(make, values, kind):
    data = make.dataset({"日期": (make.business_days(len(values)), "date"), "a": (values, "number", "元")})
    figure = drawn(data, kind=kind, x="日期", series=["a"]).figure
    low, high = figure.layout.yaxis.range
    assert low < high
    assert np.isfinite([low, high]).all()
    json.loads(figure.to_json())


def test_large_values_are_divided_and_the_unit_is_named(make):
    data = make.dataset({"日期": (make.business_days(2), "date"), "a": ([1.2e8, 3.4e8], "number", "元")})
    figure = drawn(data, kind="line", x="日期", series=["a"]).figure
    assert list(figure.data[0].y) == [1.2, 3.4]
    assert "亿元" in [item.text for item in figure.layout.annotations]


def test_range_buttons_come_from_real_dates(make):
    figure = drawn(make.bars(300), **make.candles).figure
    buttons = figure.layout.updatemenus[0].buttons
    assert [button.label for button in buttons] == ["1月", "3月", "6月", "今年", "1年", "全部"]
    assert buttons[-1].args[0]["xaxis.range"] == [-1, 300]
    first = round(buttons[1].args[0]["xaxis.range"][0] + 0.6)
    assert figure.layout.xaxis.labelalias[str(first)] == "2024-11-25"


def test_themes_differ_in_colours_only(make):
    found = drawn(make.bars(), **make.candles)
    light, dark = (json.loads(found.original(name).to_json()) for name in ("light", "dark"))
    assert json.dumps(light).count("#12161C") == 0
    assert light["layout"]["xaxis"]["labelalias"] == dark["layout"]["xaxis"]["labelalias"]
    assert found.figure.layout.paper_bgcolor == theme("auto").paper == "rgba(0,0,0,0)"


def test_both_languages(make, language):
    figure = drawn(make.bars(), **make.candles).figure
    assert ("开" in figure.data[0].hovertemplate) == (language == "zh")


def test_defaults_follow_the_roles(make):
    assert chart(make.bars()).spec.to_dict() == {
        "kind": "candlestick", "x": "日期", "ohlc": make.ohlc, "volume": "成交量",
    }  # fmt: skip
    assert chart(make.wave()).spec.kind == "line"
    data = make.dataset({"公司": (["甲", "乙", "丙"], "category"), "收入": ([1.0, 2.0, 3.0], "number")})
    assert (chart(data).spec.kind, chart(data).spec.x) == ("column", "公司")
