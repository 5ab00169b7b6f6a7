"""The figure: a view drawn with Plotly in the house style."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go

from capital_kit._core.labels import tr
from capital_kit._core.numbers import magnitude
from capital_kit.charts._axis import bounds, decimals_of, escape, short
from capital_kit.charts._layout import Scale, figure_layout, series_scale
from capital_kit.charts._payload import Series
from capital_kit.charts._theme import DASHES, Theme, ThemeName, theme, translucent
from capital_kit.charts._view import View

CONFIG: dict[str, Any] = {
    "showSendToCloud": False, "plotlyServerURL": "", "displaylogo": False,
    "displayModeBar": "hover",
    "modeBarButtons": [["toImage"], ["zoom2d", "pan2d"], ["zoomIn2d", "zoomOut2d", "resetScale2d"]],
}  # fmt: skip
HOLLOW = 200


def build_figure(view: View, name: ThemeName, title: str) -> go.Figure:
    """Draw a view."""
    colors = theme(name)
    figure = go.Figure(layout={"template": "none"})
    scale = series_scale(view)
    if view.bars is not None:
        figure.add_trace(_bars_trace(view, colors))
    for i, series in enumerate(view.series):
        figure.add_trace(_series_trace(view, series, i, colors, scale))
    if view.volume is not None:
        figure.add_trace(_volume_trace(view, view.volume, colors))
    figure.update_layout(figure_layout(view, colors, scale, title))
    return figure


def _bars_trace(view: View, colors: Theme) -> Any:
    assert view.bars is not None
    opens, highs, lows, closes = view.bars
    places = decimals_of([opens, closes, highs, lows], 2)
    number = f":,.{places}f"
    hover = tr(
        "charts.hover.bars", open=f"%{{open{number}}}", high=f"%{{high{number}}}",
        low=f"%{{low{number}}}", close=f"%{{close{number}}}",
    )  # fmt: skip
    common: dict[str, Any] = {
        "x": view.x, "open": opens, "high": highs, "low": lows, "close": closes,
        "name": tr("charts.label.price"), "customdata": _changes(view),
        "hovertemplate": f"{hover}  %{{customdata}}<extra></extra>",
    }  # fmt: skip
    if view.payload.spec.kind == "bar":
        line = {"width": 1.4 if view.points <= HOLLOW else 1}
        return go.Ohlc(
            **common, tickwidth=0.3,
            increasing={"line": {"color": colors.up, **line}},
            decreasing={"line": {"color": colors.down, **line}},
        )  # fmt: skip
    fill = colors.paper if view.points <= HOLLOW else colors.up
    return go.Candlestick(
        **common, whiskerwidth=0,
        increasing={"line": {"color": colors.up, "width": 1}, "fillcolor": fill},
        decreasing={"line": {"color": colors.down, "width": 1}, "fillcolor": colors.down},
    )  # fmt: skip


def _changes(view: View) -> list[str]:
    assert view.bars is not None
    previous = view.previous_close
    assert previous is not None
    texts = []
    for before, now in zip(previous, view.bars[3], strict=True):
        texts.append(
            f"{now / before - 1:+.2%}" if before > 0 else "" if np.isnan(before) else f"{now - before:+.2f}"
        )
    return texts


def _series_trace(view: View, series: Series, i: int, colors: Theme, scale: Scale) -> Any:
    color = colors.series[i % len(colors.series)]
    unit = "%" if scale.percent else scale.label
    common = {
        "x": view.x, "y": series.values / scale.divisor, "name": escape(short(series.label, 24)),
        "hovertemplate": f"%{{fullData.name}} %{{y:,.{scale.decimals}f}}{escape(unit)}<extra></extra>",
    }  # fmt: skip
    if series.type == "column":
        return go.Bar(**common, marker={"color": color, "line": {"width": 0}})
    alone = np.isnan(series.values).sum() >= len(series.values) - 1
    trace = go.Scatter(
        **common, mode="lines+markers" if alone or view.points == 1 else "lines",
        line={"color": color, "width": 1.9 if len(view.series) < 4 else 1.7, "dash": DASHES[i % len(DASHES)]},
        marker={"color": color, "size": 6}, connectgaps=False,
    )  # fmt: skip
    if series.type == "area":
        trace.update(fill="tozeroy", fillcolor=translucent(color, 0.16))
    return trace


def _volume_trace(view: View, volume: Series, colors: Theme) -> Any:
    divisor, word = magnitude(bounds([volume.values])[1])
    places = decimals_of([volume.values], 0) if divisor == 1 else 2
    unit = f"{word}{volume.unit or ''}"
    marker: dict[str, Any] = {"line": {"width": 0}, "opacity": 0.72}
    if view.bars is None:
        marker["color"] = colors.series[0]
    else:
        marker |= {
            "color": directions(view), "cmin": 0, "cmax": 1, "showscale": False,
            "colorscale": [[0, colors.down], [1, colors.up]],
        }  # fmt: skip
    return go.Bar(
        x=view.volume_x, y=volume.values / divisor, yaxis="y2", marker=marker,
        width=None if view.volume_width == 1 else view.volume_width,
        name=escape(short(volume.label, 24)), showlegend=False,
        hovertemplate=f"%{{fullData.name}} %{{y:,.{places}f}}{escape(unit)}<extra></extra>",
    )  # fmt: skip


def directions(view: View) -> np.ndarray[Any, np.dtype[np.int8]]:
    """Return 1 for rising and 0 for falling bars, as Plotly colours candles.

    A flat bar takes the direction from the close before it; where that is equal too, the
    direction stays, and it begins with rising.
    """
    assert view.bars is not None
    opens, _, _, closes = view.bars
    found = np.ones(len(opens), dtype=np.int8)
    state = 1
    for i, (first, last) in enumerate(zip(opens, closes, strict=True)):
        before = first if first != last or i == 0 else closes[i - 1]
        state = 1 if last > before else 0 if last < before else state
        found[i] = state
    return found
