"""The figure: a view drawn with Plotly in the house style."""

from __future__ import annotations

from typing import Any

import numpy as np
import plotly.graph_objects as go
from numpy.typing import NDArray

from capital_kit._core.labels import tr
from capital_kit.charts._axis import bounds, decimals_of, escape, short
from capital_kit.charts._layout import RIGHT, figure_layout
from capital_kit.charts._notes import volume_name
from capital_kit.charts._panes import overlay_traces, pane_traces
from capital_kit.charts._payload import Series
from capital_kit.charts._sample import Floats
from capital_kit.charts._scale import Scale, own_scale, scaled, series_scale
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
    scales = (scale, series_scale(view, 1) if any(view.sides) else scale)
    if view.bars is not None:
        figure.add_trace(_bars_trace(view, colors))
    for i, series in enumerate(view.series):
        figure.add_trace(_series_trace(view, series, i, colors, scales[view.sides[i]]))
    figure.add_traces(overlay_traces(view, colors, scale))
    if view.volume is not None:
        figure.add_trace(_volume_trace(view, view.volume, colors))
    figure.add_traces(pane_traces(view, colors))
    figure.update_layout(figure_layout(view, colors, scales, title))
    return figure


def _bars_trace(view: View, colors: Theme) -> Any:
    assert view.bars is not None
    opens, highs, lows, closes = view.bars
    opens = _leaning(view)
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


def _leaning(view: View) -> Floats:
    """Return the opens; that of a flat first bar leans, by one bit, to the side of the close before.

    Plotly colours a flat bar by the bar before it, and the first of a range has none in the figure.
    """
    assert view.bars is not None
    opens, _, _, closes = view.bars
    before = view.payload.close_before
    if np.isnan(before) or opens[0] != closes[0] or before == closes[0]:
        return opens
    leaning = opens.copy()
    leaning[0] = np.nextafter(closes[0], before)
    return leaning


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
    own = own_scale(series, scale)
    value = "y" if own.divisor == scale.divisor else "customdata"
    common: dict[str, Any] = {
        "x": view.x, "y": series.values / scale.divisor, "name": escape(short(series.label, 24)),
        "customdata": None if value == "y" else series.values / own.divisor,
        "hovertemplate": (
            f"%{{fullData.name}} %{{{value}:,.{own.decimals}f}}{escape(own.label)}<extra></extra>"
        ),
    }  # fmt: skip
    if any(view.sides):
        right = view.sides[i]
        common["name"] = tr("charts.label.right_axis", name=common["name"]) if right else common["name"]
        common["yaxis"] = RIGHT if right else "y"
    if series.type == "column":
        # Bars of two axes would hide each other unless each has its own place in the group.
        common |= {"offsetgroup": str(i), "alignmentgroup": "bars"} if any(view.sides) else {}
        return go.Bar(**common, marker={"color": color, "line": {"width": 0}})
    alone = lonely(series.values)
    trace = go.Scatter(
        **common, mode="lines+markers" if alone.any() else "lines",
        line={"color": color, "width": 1.9 if len(view.series) < 4 else 1.7, "dash": DASHES[i % len(DASHES)]},
        marker={"color": color, "size": np.where(alone, 6, 0).astype(np.int8) if alone.any() else 6,
                "opacity": 1, "line": {"width": 0}},
        connectgaps=False,
    )  # fmt: skip
    if series.type == "area":
        trace.update(fill="tozeroy", fillcolor=translucent(color, 0.16))
    return trace


def lonely(values: Floats) -> NDArray[np.bool_]:
    """Return which values have no neighbour: no line reaches them, so they need a dot."""
    known = np.concatenate([[False], ~np.isnan(values), [False]])
    found: NDArray[np.bool_] = known[1:-1] & ~known[:-2] & ~known[2:]
    return found


def _volume_trace(view: View, volume: Series, colors: Theme) -> Any:
    low, high = bounds([volume.values])
    divisor, word = scaled(max(abs(low), abs(high)), volume.unit)
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
        x=view.x if view.method != "m4" else view.volume_x, y=volume.values / divisor,
        yaxis="y2", marker=marker,
        width=None if view.volume_width == 1 else view.volume_width,
        name=escape(volume_name(view, volume)), showlegend=False,
        hovertemplate=f"%{{fullData.name}} %{{y:,.{places}f}}{escape(unit)}<extra></extra>",
    )  # fmt: skip


def directions(view: View) -> np.ndarray[Any, np.dtype[np.int8]]:
    """Return 1 for rising and 0 for falling bars, as Plotly colours candles.

    A flat bar takes the direction from the close before it; where that is equal too, the
    direction stays, and it begins with rising.
    """
    assert view.bars is not None
    opens, _, _, closes = view.bars
    previous = view.previous_close
    assert previous is not None
    found = np.ones(len(opens), dtype=np.int8)
    state = 1
    for i, (first, last) in enumerate(zip(opens, closes, strict=True)):
        before = first if first != last else previous[i]
        state = 1 if last > before else 0 if last < before else state
        found[i] = state
    return found
