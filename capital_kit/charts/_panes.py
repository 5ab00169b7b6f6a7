"""Indicators in a figure: lines over the prices, panes below them, and the room that these take."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import plotly.graph_objects as go

from capital_kit.charts._axis import bounds, decimals_of, escape, padded, short
from capital_kit.charts._payload import Series
from capital_kit.charts._sample import Floats
from capital_kit.charts._scale import Scale
from capital_kit.charts._studies import Study
from capital_kit.charts._table import line_name
from capital_kit.charts._theme import HEIGHT_ONE, HEIGHT_TWO, NOTE, TICK, Theme, translucent
from capital_kit.charts._view import View

PLOT_ONE, PLOT_TWO = 274.0, 400.0
STEP, PANE = 118.0, 92.0
FIRST_AXIS = 3
RSI_GUIDES = (30, 70)
Domain = tuple[float, float]


def figure_height(view: View) -> int:
    """Return the height of a figure in pixels."""
    return round((HEIGHT_TWO if view.volume is not None else HEIGHT_ONE) + STEP * len(view.panes))


def domains(view: View) -> tuple[Domain, Domain | None, list[Domain]]:
    """Return where prices, volume and the panes of indicators stand, as shares from the bottom."""
    two = view.volume is not None
    base = PLOT_TWO if two else PLOT_ONE
    whole = base + STEP * len(view.panes)
    low = [STEP * i for i in reversed(range(len(view.panes)))]
    below = STEP * len(view.panes)
    panes = [(start / whole, (start + PANE) / whole) for start in low]
    volume = (below / whole, (below + 0.2 * base) / whole) if two else None
    prices = ((below + (0.27 * base if two else 0)) / whole, 1.0)
    return prices, volume, panes


def label_gap(view: View) -> float:
    """Return the share of the plot between a pane and its heading."""
    return 8.0 / ((PLOT_TWO if view.volume is not None else PLOT_ONE) + STEP * len(view.panes))


def lowest_axis(view: View) -> str:
    """Return the y axis under which the dates stand."""
    if view.panes:
        return f"y{FIRST_AXIS + len(view.panes) - 1}"
    return "y2" if view.volume is not None else "y"


def overlay_traces(view: View, colors: Theme, scale: Scale) -> list[Any]:
    """Draw the indicators over the prices, each in one colour, bands dashed."""
    found: list[Any] = []
    places = _price_places(view)
    for i, study in enumerate(view.overlays):
        color = colors.series[(i + len(view.series)) % len(colors.series)]
        for j, line in enumerate(study.lines):
            found.append(_line(
                view, line.values / scale.divisor, escape(line_name(study, line)), color, scale.label,
                places=places, dash="dot" if j else "solid", legendgroup=study.label, showlegend=j == 0,
            ))  # fmt: skip
            if len(study.lines) > 1 and j == 0:
                found[-1].name = escape(study.label)
    return found


def pane_traces(view: View, colors: Theme) -> list[Any]:
    """Draw the panes of indicators."""
    found: list[Any] = []
    for i, study in enumerate(view.panes):
        axis = f"y{FIRST_AXIS + i}"
        for j, line in enumerate(study.lines):
            color = colors.series[j % len(colors.series)]
            if line.type == "column":
                found.append(_histogram(view, line, colors, axis))
                continue
            trace = _line(
                view, line.values, escape(line.label), color, "%" if line.percent else "",
                yaxis=axis, showlegend=False,
                places=min(_price_places(view) + 1, 5) if study.spec.type == "macd" else 2,
            )  # fmt: skip
            if line.type == "area":
                trace.update(fill="tozeroy", fillcolor=translucent(color, 0.16))
            found.append(trace)
    return found


def _price_places(view: View) -> int:
    """Return the decimals of the prices: an indicator claims no more than these."""
    prices = view.bars if view.bars is not None else [view.series[0].values]
    return decimals_of(prices, 2)


def _line(
    view: View,
    values: Floats,
    name: str,
    color: str,
    unit: str,
    *,
    places: int = 2,
    dash: str = "solid",
    **more: Any,
) -> Any:
    return go.Scatter(
        x=view.x, y=values, mode="lines", name=name, connectgaps=False,
        line={"color": color, "width": 1.4, "dash": dash},
        hovertemplate=f"%{{fullData.name}} %{{y:,.{places}f}}{escape(unit)}<extra></extra>", **more,
    )  # fmt: skip


def _histogram(view: View, line: Series, colors: Theme, axis: str) -> Any:
    rising = (line.values >= 0).astype(np.int8)
    places = min(_price_places(view) + 1, 5)
    return go.Bar(
        x=view.x, y=line.values, yaxis=axis, name=escape(line.label), showlegend=False,
        marker={
            "line": {"width": 0}, "opacity": 0.72, "color": rising, "cmin": 0, "cmax": 1, "showscale": False,
            "colorscale": [[0, colors.down], [1, colors.up]],
        },
        hovertemplate=f"%{{fullData.name}} %{{y:,.{places}f}}<extra></extra>",
    )  # fmt: skip


def pane_layout(view: View, colors: Theme) -> dict[str, Any]:
    """Return the y axes of the panes."""
    _, _, places = domains(view)
    return {
        f"yaxis{FIRST_AXIS + i}": {
            "domain": list(domain), "side": "right", "range": list(pane_range(study)), "nticks": 4,
            "gridcolor": colors.grid, "linecolor": colors.axis, "showline": True,
            "zeroline": study.spec.type == "macd", "zerolinecolor": colors.axis, "zerolinewidth": 1,
            "ticks": "outside", "ticklen": 4, "tickcolor": colors.axis, "tickfont": {"size": TICK},
            "fixedrange": True, "ticksuffix": "%" if study.lines[0].percent else "", "tickformat": ",~r",
            **({"tickmode": "array", "tickvals": [0, *RSI_GUIDES, 100]} if study.spec.type == "rsi" else {}),
        }
        for i, (study, domain) in enumerate(zip(view.panes, places, strict=True))
    }  # fmt: skip


def pane_range(study: Study, rows: slice = slice(None)) -> tuple[float, float]:
    """Return the y range of a pane for some of the points."""
    if study.spec.type == "rsi":
        return 0.0, 100.0
    low, high = bounds([line.values[rows] for line in study.lines])
    if study.spec.type == "drawdown":
        return min(low, 0.0) * 1.08 or -1.0, 0.0
    return padded(min(low, 0.0), max(high, 0.0))


def pane_headings(view: View, colors: Theme) -> list[dict[str, Any]]:
    """Return the headings of the panes; the lines are named there in their colours."""
    _, _, places = domains(view)
    found = []
    for study, domain in zip(view.panes, places, strict=True):
        text = escape(short(study.label, 24))
        if len(study.lines) > 1:
            named = [
                f"<span style='color:{colors.series[i]}'>{line.label}</span>"
                for i, line in enumerate(study.lines)
                if line.type != "column"
            ]
            text = "  ".join([text, *named])
        found.append({
            "name": "pane", "text": text, "showarrow": False, "xref": "paper", "x": 0, "xanchor": "left",
            "yref": "paper", "y": domain[1] + label_gap(view), "yanchor": "bottom",
            "font": {"size": NOTE, "color": colors.mute},
        })  # fmt: skip
    return found


def guides(view: View, colors: Theme) -> list[dict[str, Any]]:
    """Return the dotted lines of RSI at 30 and 70."""
    return [
        {
            "type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": f"y{FIRST_AXIS + i}", "y0": level,
            "y1": level, "line": {"color": colors.mute, "width": 1, "dash": "dot"}, "name": "guide",
            "layer": "below",
        }
        for i, study in enumerate(view.panes) if study.spec.type == "rsi" for level in RSI_GUIDES
    ]  # fmt: skip


def overlay_values(view: View) -> Sequence[Floats]:
    """Return the values that stand in the pane of the prices beside the prices themselves."""
    return [line.values for study in view.overlays for line in study.lines]
