"""Which plotly.js a page carries."""

import pytest

from capital_kit.charts import _embed


@pytest.fixture
def small(tmp_path, monkeypatch):
    path = tmp_path / "plotly-finance.min.js"
    path.write_text("/* small */", encoding="utf-8")
    monkeypatch.setattr(_embed, "_SMALL", path)
    return path


@pytest.mark.parametrize("types", [{"candlestick", "bar", "scatter"}, set(), {"waterfall"}])
def test_the_small_one_serves_what_it_knows(small, types):
    assert _embed.plotly_bundle(types) == "/* small */"


@pytest.mark.parametrize("types", [{"heatmap"}, {"candlestick", "box"}, {"scattergl"}])
def test_the_full_one_serves_what_the_small_one_would_draw_wrongly(small, types):
    assert len(_embed.plotly_bundle(types)) > 4_000_000


def test_the_full_one_serves_where_the_small_one_is_not(small):
    small.unlink()
    assert len(_embed.plotly_bundle({"candlestick"})) > 4_000_000
