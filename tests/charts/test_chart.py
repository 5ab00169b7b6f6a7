"""The chart object: what it shows, tells and saves."""

import json
import re

import pandas as pd
import pytest

from capital_kit.charts import chart
from capital_kit.charts._embed import FINANCE_TRACES, figure_html, page_scripts, themed
from capital_kit.errors import ChartError

MIME = "application/vnd.plotly.v1+json"


@pytest.fixture
def candles(make):
    return chart(make.bars(60), title="示例")


def test_mime_bundle_is_the_same_every_time(make, candles):
    again = chart(make.bars(60), title="示例")
    first, second = (json.dumps(item._repr_mimebundle_(), sort_keys=True) for item in (candles, again))
    assert first == second
    bundle = candles._repr_mimebundle_()
    config = bundle[MIME]["config"]
    assert (config["showSendToCloud"], config["plotlyServerURL"], config["displaylogo"]) == (False, "", False)
    assert "<script" not in bundle["text/html"]
    assert "<table" in bundle["text/html"]
    assert bundle["text/plain"] == repr(candles) == "Chart('candlestick', '示例', 60 points)"
    json.dumps(bundle, allow_nan=False)


def test_figure_belongs_to_the_user(candles):
    candles.figure.update_layout(title_text="mine", paper_bgcolor="#ABCDEF")
    candles.figure.add_scatter(x=[1, 2], y=[20, 21], name="added")
    assert candles._repr_mimebundle_()[MIME]["layout"]["title"]["text"] == "mine"
    both = themed(candles)
    assert both["light"]["layout"]["paper_bgcolor"] == "#ABCDEF"
    assert "paper_bgcolor" not in both["dark"]["layout"]
    assert both["light"]["data"][-1]["name"] == "added"
    assert both["dark"]["layout"]["plot_bgcolor"] == "#12161C"


def test_summary_speaks_with_numbers_of_the_data(make, language):
    found = chart(make.bars(60))
    table = make.bars(60).to_pandas()
    assert f"{table['收盘'].iloc[-1]:.2f}" in found.summary
    assert f"{table['最高'].max():.2f}" in found.summary
    assert "2024-01-02" in found.summary


def test_frame_and_table(candles):
    frame = candles.to_frame()
    assert list(frame.columns) == ["日期", "open", "high", "low", "close", "volume"]
    assert len(frame) == 60
    headers, rows = candles.data_table(5)
    assert len(headers) == 6
    assert len(rows) == 5
    assert rows[-1][0] == "2024-03-25"


def test_record_holds_no_values(candles):
    record = candles.to_dict()
    text = json.dumps(record, allow_nan=False)
    assert record["points"] == record["original_points"] == 60
    assert not re.search(r"\d+\.\d\d", text)


def test_save_page_and_table(candles, tmp_path):
    page = candles.save(tmp_path / "a.html").read_text(encoding="utf-8")
    assert page.count("<script>") == 2
    assert len(page) < 6_000_000
    assert '<figure role="group" aria-label="示例"' in page
    assert "showSendToCloud" in page
    assert '<th scope="col"' in page or 'scope="col"' in page
    table = pd.read_csv(candles.save(tmp_path / "a.csv"))
    assert len(table) == 60
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.csv", "a.html"]


@pytest.mark.parametrize("name", ["a.png", "a.svg"])
def test_an_image_without_kaleido_says_what_to_install(candles, tmp_path, name, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "kaleido", None)
    with pytest.raises(ChartError) as caught:
        candles.save(tmp_path / name)
    assert caught.value.code == "chart_runtime_unavailable"
    assert "kaleido" in caught.value.hint
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("name", "code"), [("a.pdf", "chart_spec_invalid"), ("file/a.csv", "chart_write_failed")]
)
def test_save_refuses(candles, tmp_path, name, code):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(ChartError) as caught:
        candles.save(tmp_path / name)
    assert caught.value.code == code


def test_save_makes_the_folder(candles, tmp_path):
    assert candles.save(tmp_path / "new/a.csv").stat().st_size > 100


RANKING = b"\xe6\x8e\x92\xe5\x90\x8d,name,sales(\xe4\xba\xbf\xe5\x85\x83)\n1,a,12.5\n2,b,10.1\n3,c,8.2\n"


def test_a_column_may_be_named_by_its_header():
    drawn = chart(RANKING, series="sales(亿元)")
    assert [item.field for item in drawn.spec.series] == ["sales"]
    assert drawn.to_frame()["sales"].tolist() == [12.5, 10.1, 8.2]


def test_places_in_an_order_are_not_drawn_unless_asked():
    assert [item.field for item in chart(RANKING).spec.series] == ["sales"]
    assert [item.field for item in chart(RANKING, series="排名").spec.series] == ["排名"]


@pytest.mark.parametrize(
    ("kind", "drawn"), [("K线", "candlestick"), ("折线图", "line"), ("柱状图", "column")]
)
def test_kinds_have_chinese_names(make, kind, drawn):
    assert chart(make.bars(20), kind=kind).spec.kind == drawn


@pytest.mark.parametrize("kind", ["candlestick", "bar", "K线"])
def test_no_bars_in_the_data_says_what_is_possible(kind):
    with pytest.raises(ChartError) as caught:
        chart(RANKING, kind=kind)
    assert (caught.value.code, caught.value.details["allowed"]) == ("chart_spec_invalid", ["column"])


def test_text_cannot_be_a_series_also_where_it_is_the_axis():
    with pytest.raises(ChartError) as caught:
        chart(RANKING, series="name")
    assert caught.value.code == "chart_field_not_found"


def test_the_unit_of_volume_is_said_once(make):
    days = [f"2024-01-{day:02d}" for day in range(1, 31)]
    prices = {name: [10.5] * 30 for name in ("open", "high", "low", "close")}
    figure = chart({"date": days, **prices, "volume": [200_000] * 30}).figure
    pane = [note.text for note in figure.layout.annotations if note.name == "pane"]
    assert len(pane) == 1
    assert "万" in pane[0]
    assert figure.layout.yaxis2.ticksuffix is None
    assert max(figure.data[-1].y) == 20


def test_columns_of_several_series_have_a_legend():
    data = {"q": ["2024Q1", "2024Q2", "2024Q3"], "a": [1.5, 2.5, 3.5], "b": [2.5, 3.5, 4.5]}
    assert chart(data, kind="column", series=["a", "b"]).figure.layout.showlegend
    assert not chart(data, kind="column", series=["a"]).figure.layout.showlegend


def test_summary_dates_a_last_value_that_is_not_the_last_point():
    data = {"day": ["2024-01-02", "2024-01-03", "2024-01-04"], "v": [1.5, 2.5, None], "w": [1.5, 2.0, 3.0]}
    assert "2.5（2024-01-03）" in chart(data, kind="line", series=["v", "w"]).summary


def test_one_library_for_all_charts(make):
    charts = [("a", chart(make.bars(40))), ("b", chart(make.wave()))]
    scripts = page_scripts(charts)
    assert len(scripts) == 2
    assert len(scripts[0]) > 1_000_000
    assert '"id":"a"' in scripts[1]
    assert '"id":"b"' in scripts[1]
    assert page_scripts([]) == []


def test_data_cannot_leave_the_script(make):
    data = make.dataset({"n": (["</script><script>x", "b"], "category"), "a": ([1.0, 2.0], "number")})
    script = page_scripts([("a", chart(data))])[1]
    assert "</script" not in script


def test_every_kind_is_drawn_with_finance_traces(make):
    charts = [
        chart(make.bars(40)), chart(make.bars(40), kind="bar"),
        *(chart(make.wave(), kind=kind, series=["甲"]) for kind in ("line", "area", "column")),
    ]  # fmt: skip
    assert {trace.type for item in charts for trace in item.figure.data} <= FINANCE_TRACES


def test_figure_html_has_room_caption_and_table(candles):
    html = figure_html(candles, "fig-1")
    assert 'id="fig-1"' in html
    assert html.count("<figcaption>") == 1
    assert "<details" in html
    assert candles.summary in html


@pytest.mark.parametrize("theme", ["auto", "light", "dark"])
def test_themes(make, theme):
    assert chart(make.wave(), theme=theme).theme == theme


def test_unknown_theme(make):
    with pytest.raises(ChartError):
        chart(make.wave(), theme="neon")
