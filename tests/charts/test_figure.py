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
    assert axis.labelalias["-1"] == axis.labelalias["\u22121"] == axis.labelalias["60"] == " "
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
    assert set(alias) == {"\u22121", *(str(i) for i in range(-1, found.view.size + 1))}


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


@pytest.mark.parametrize(
    ("unit", "values", "label", "shown"),
    [
        ("手", [1e8, 3e8], "成交量（亿手）", [1.0, 3.0]),
        ("万手", [1e5, 3e5], "成交量（万手）", [1e5, 3e5]),
        ("股", [120.0, -80.0], "成交量（股）", [120.0, -80.0]),
    ],
)
def test_pane_and_hover_of_the_volume_name_one_unit(make, unit, values, label, shown):
    data = make.dataset({
        "日期": (make.business_days(2), "date"), "a": ([1.0, 2.0], "number"),
        "成交量": (values, "number", unit),
    })  # fmt: skip
    figure = drawn(data, kind="line", x="日期", series=["a"], volume="成交量").figure
    assert label in [item.text for item in figure.layout.annotations]
    assert f"{label[4:-1]}<extra>" in figure.data[1].hovertemplate
    assert list(figure.data[1].y) == shown
    low, high = figure.layout.yaxis2.range
    assert low <= min(shown)
    assert high >= max(shown)


def test_a_small_series_beside_a_large_one_is_not_written_as_nought(make):
    data = make.dataset({
        "日期": (make.business_days(2), "date"), "大": ([2e8, 3e8], "number", "元"),
        "小": ([5.0, 6.5], "number", "元"), "率": ([12.3, 12.5], "percent"),
        "人数": ([7.0, 8.0], "number", "人"),
    })  # fmt: skip
    # Three units share one axis, as a chart has two at most.
    found = drawn(data, kind="line", x="日期", series=["大", "小", "率", "人数"])
    big, small, rate, _ = found.figure.data
    assert "%{y:,.2f}" in big.hovertemplate or "%{y:,.0f}亿元" in big.hovertemplate
    assert list(small.customdata) == [5.0, 6.5]
    assert "%{customdata:,.1f}元<" in small.hovertemplate
    assert list(rate.customdata) == [12.3, 12.5]
    assert "%{customdata:,.1f}%<" in rate.hovertemplate
    assert {"小 6.5元", "率 12.5%"} <= {item.text for item in found.figure.layout.annotations}
    assert "units_mixed" in [notice.code for notice in found.warnings]


def test_a_value_between_gaps_gets_a_dot(make):
    values = [np.nan, 1.0, np.nan, 2.0, 3.0]
    data = make.dataset({"日期": (make.business_days(5), "date"), "a": (values, "number")})
    trace = drawn(data, kind="line", x="日期", series=["a"]).figure.data[0]
    assert trace.mode == "lines+markers"
    assert list(trace.marker.size) == [0, 6, 0, 0, 0]


def test_hours_wear_the_time_of_their_first_row_where_the_rows_do(make):
    spans = [(570, 690), (780, 900)]
    days = np.busday_offset("2024-01-02", np.arange(120), roll="forward")
    times = [d.astype("datetime64[m]") + m for d in days for a, b in spans for m in range(a, b)]
    data = make.bars(len(times), times=times, kind="datetime")
    alias = drawn(data, **make.candles).figure.layout.xaxis.labelalias
    assert [alias["0"][-5:], alias["1"][-5:], alias["2"][-5:]] == ["09:30", "10:30", "13:00"]


def test_markers_stay_inside_the_pane(make):
    data = make.bars(40)
    row = int(np.argmax(data.table.column("最高").to_numpy()))
    found = drawn(
        data, **make.candles, markers=[{"index": row, "text": "高点"}, {"index": 0, "text": "起点"}]
    )
    bare = drawn(data, **make.candles)
    assert found.figure.layout.yaxis.range[1] > bare.figure.layout.yaxis.range[1]
    notes = {item.text: item for item in found.figure.layout.annotations if item.name == "marker"}
    assert notes["起点"].xanchor == "left"


def test_ticks_get_decimals_when_the_reader_zooms_in(make):
    stops = drawn(make.wave(), kind="line", x="日期", series=["甲"]).figure.layout.yaxis.tickformatstops
    chosen = {
        step: next(
            stop.value for stop in stops
            if stop.dtickrange[0] <= step <= (np.inf if stop.dtickrange[1] is None else stop.dtickrange[1])
        )
        for step in (50, 1, 0.5, 0.02)
    }  # fmt: skip
    assert chosen == {50: ",.0f", 1: ",.0f", 0.5: ",.1f", 0.02: ",.2f"}


def test_volume_under_a_sampled_line_says_that_it_is_a_sum(make):
    data = make.bars(4800, times=minute_times(20), kind="datetime")
    figure = drawn(data, kind="line", x="日期", series=["收盘"], volume="成交量").figure
    assert "合计" in figure.data[1].name
    assert any("合计" in item.text for item in figure.layout.annotations if item.name == "pane")


def test_a_flat_first_bar_of_a_range_knows_the_close_before(make):
    closes = [10.0, 9.0, 9.0, 8.1, 8.2]
    data = make.dataset({
        "日期": (make.business_days(5, "2024-01-01"), "date"),
        **dict.fromkeys(make.ohlc.values(), (closes, "number")),
        "成交量": ([1.0] * 5, "number"),
    })  # fmt: skip
    found = drawn(data, **make.candles, range=("2024-01-02", None))
    trace = found.figure.data[0]
    assert directions(found.view).tolist() == [0, 0, 0, 1]
    assert trace.open[0] > trace.close[0] == 9.0
    assert trace.open[0] == pytest.approx(9.0, abs=1e-12)
    assert trace.customdata[0] == "-10.00%"
