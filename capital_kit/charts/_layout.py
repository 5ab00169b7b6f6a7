"""The layout of a figure: panes, axes, margins, headings and buttons."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from capital_kit._core.labels import tr
from capital_kit.charts._annotations import end_text, last_price, marker_places, pane_annotations
from capital_kit.charts._axis import (
    axis_layout,
    bounds,
    escape,
    padded,
    range_buttons,
    short,
    slanted,
    text_width,
)
from capital_kit.charts._notes import footnote, pane_label, subtitle
from capital_kit.charts._panes import (
    FIRST_AXIS,
    domains,
    figure_height,
    guides,
    label_gap,
    lowest_axis,
    overlay_values,
    pane_headings,
    pane_layout,
    pane_range,
)
from capital_kit.charts._payload import Series
from capital_kit.charts._sample import Floats
from capital_kit.charts._scale import Scale, scaled
from capital_kit.charts._theme import FONT, FOOT, NOTE, SUBTITLE, TICK, TITLE, Theme
from capital_kit.charts._view import View

BARS_LEFT = 20
# After the volume and at most three panes.
RIGHT = "y6"
# A marker reaches this share of the pane beyond its point.
MARKER_ROOM = 0.21
# Decimals follow the distance of the ticks, also after the reader has zoomed in.
TICK_STOPS = [
    {"dtickrange": [0.9 * 10.0**-places, None if places == 0 else 0.9 * 10.0 ** (1 - places)],
     "value": f",.{places}f"}
    for places in range(7)
]  # fmt: skip


def figure_layout(view: View, colors: Theme, scales: tuple[Scale, Scale], title: str) -> dict[str, Any]:
    """Return the layout; ``scales`` are those of the left and of the right axis."""
    scale = scales[0]
    height = figure_height(view)
    notes, depth = footnote(view), slanted(view)
    right, left = _margins(view, scale)
    if any(view.sides):
        left += 18
        right = 40 + _tick_width(view.on(1), scales[1])
    heading = f"<b>{escape(short(title, 34))}</b><br><span style='font-size:{SUBTITLE}px'>"
    layout: dict[str, Any] = {
        "height": height, "autosize": True,
        "paper_bgcolor": colors.paper, "plot_bgcolor": colors.paper,
        "font": {"family": FONT, "size": TICK, "color": colors.sub},
        "title": {
            "text": f"{heading}{escape(subtitle(view))}</span>",
            "font": {"size": TITLE, "color": colors.ink}, "x": 0, "xanchor": "left", "xref": "container",
            "y": 1 - 24 / height, "yanchor": "top", "yref": "container", "pad": {"l": 12},
        },
        "margin": {"l": left, "r": right, "t": 96, "b": 50 + depth + 15 * len(notes), "pad": 0},
        "showlegend": _needs_legend(view),
        "legend": {"orientation": "h", "x": 0 if view.bars is not None else 0.06, "xanchor": "left",
                   "y": 1, "yanchor": "bottom", "font": {"size": TICK}},
        "bargap": 0.28 if view.bars is not None or view.points > 12 else 0.45, "bargroupgap": 0.06,
        "dragmode": "pan", "hovermode": "x unified", "hoversubplots": "axis",
        "hoverlabel": {
            "bgcolor": colors.box, "bordercolor": colors.axis, "align": "left",
            "font": {"family": FONT, "size": TICK, "color": colors.box_ink},
        },
        "modebar": {"bgcolor": "rgba(0,0,0,0)", "color": colors.mute, "activecolor": colors.ink},
        "xaxis": _x_axis(view, colors), "yaxis": _y_axis(view, colors, scale), **pane_layout(view, colors),
        "annotations": [
            *pane_annotations(view, colors, scale), *pane_headings(view, colors),
            *_footer(notes, colors, depth),
        ],
        "updatemenus": _buttons(view, colors, scales),
    }  # fmt: skip
    if any(view.sides):
        layout["yaxis"]["title"] = _axis_title(view, 0, scale, colors)
    elif view.series and scale.label:
        layout["annotations"].append(_pane_text(scale.label, 1, colors))
    if view.volume is not None:
        _, place, _ = domains(view)
        assert place is not None
        layout["yaxis2"] = {**_volume_axis(view.volume, colors), "domain": list(place)}
        heading_at = place[1] + label_gap(view)
        layout["annotations"].append(_pane_text(pane_label(view, view.volume), heading_at, colors))
    if any(view.sides):
        layout[f"yaxis{RIGHT[1:]}"] = _right_axis(view, colors, scales[1])
    if view.bars is not None or view.panes:
        price = [last_price(view, colors)] if view.bars is not None else []
        layout["shapes"] = [*price, *guides(view, colors)]
    return layout


def _needs_legend(view: View) -> bool:
    """Tell whether the series must be told apart beside the plot; lines have their names at the end."""
    if view.bars is not None:
        return bool(view.series or view.overlays)
    if view.overlays or any(view.sides):
        return True
    return len(view.series) > 1 and any(series.type == "column" for series in view.series)


def _margins(view: View, scale: Scale) -> tuple[float, float]:
    if view.bars is not None:
        return 64, BARS_LEFT
    lines = [series for series in view.series if series.type != "column"]
    low, high = bounds([series.values / scale.divisor for series in view.series])
    left = 24 + max(text_width(f"{value:,.{scale.decimals}f}", TICK) for value in (low, high))
    if view.panes:
        return max(72, left), max(44, left)
    if len(lines) < 2:
        return (72 if lines else 24), max(44, left)
    longest = max(text_width(end_text(series, scale), NOTE) for series in lines)
    return min(max(longest + 16, 72), 170), max(44, left)


def _tick_width(series: Sequence[Series], scale: Scale) -> float:
    ends = bounds([item.values / scale.divisor for item in series])
    return 24 + max(text_width(f"{value:,.{scale.decimals}f}{scale.label}", TICK) for value in ends)


def _x_axis(view: View, colors: Theme) -> dict[str, Any]:
    return {
        **axis_layout(view), "anchor": lowest_axis(view), "showgrid": view.bars is not None,
        "gridcolor": colors.grid, "zeroline": False, "linecolor": colors.axis, "showline": True,
        "ticks": "outside", "ticklen": 4, "tickcolor": colors.axis, "tickfont": {"size": TICK},
        "showspikes": view.payload.axis != "category", "spikemode": "across", "spikesnap": "hovered data",
        "spikecolor": colors.mute, "spikethickness": -2, "spikedash": "solid",
        "rangeslider": {"visible": False},
    }  # fmt: skip


def _y_axis(view: View, colors: Theme, scale: Scale) -> dict[str, Any]:
    bars = view.bars is not None
    low, high = price_range(view, scale.divisor)
    return {
        "domain": list(domains(view)[0]), "side": "right" if bars else "left",
        "range": [low, high], "gridcolor": colors.grid, "linecolor": colors.axis, "showline": True,
        "zeroline": low < 0 < high, "zerolinecolor": colors.axis, "zerolinewidth": 1,
        "ticks": "outside", "ticklen": 4, "tickcolor": colors.axis, "tickfont": {"size": TICK},
        "tickformat": _tick_format(high - low), "tickformatstops": TICK_STOPS, "nticks": 7,
        "ticksuffix": "%" if scale.percent else "",
    }  # fmt: skip


def _axis_title(view: View, side: int, scale: Scale, colors: Theme) -> dict[str, Any]:
    """Return the heading of one of two axes: its series, the first two of them, and its unit."""
    names = ", ".join(short(item.label) for item in view.on(side)[:2])
    text = tr("charts.label.with_unit", name=names, unit=scale.label) if scale.label else names
    return {"text": escape(text), "standoff": 6, "font": {"size": NOTE, "color": colors.mute}}


def _right_axis(view: View, colors: Theme, scale: Scale) -> dict[str, Any]:
    """Return the axis of the second unit, which stands in its title."""
    low, high = _value_range(view.on(1), scale.divisor)
    return {
        "overlaying": "y", "side": "right", "range": [low, high], "tickmode": "auto", "showgrid": False,
        "zeroline": False, "linecolor": colors.axis, "showline": True, "ticks": "outside", "ticklen": 4,
        "tickcolor": colors.axis, "tickfont": {"size": TICK}, "tickformat": _tick_format(high - low),
        "tickformatstops": TICK_STOPS, "nticks": 7, "ticksuffix": "%" if scale.percent else "",
        "title": _axis_title(view, 1, scale, colors),
    }  # fmt: skip


def _tick_format(span: float) -> str:
    places = max(0, int(np.ceil(-np.log10(span / 5)))) if span > 0 else 2
    return f",.{min(places, 8)}f"


def price_range(view: View, divisor: float = 1.0, rows: slice = slice(None)) -> tuple[float, float]:
    """Return the y range of the first pane for some of the points."""
    more: list[Floats] = [array[rows] / divisor for array in overlay_values(view)]
    if view.bars is not None:
        more += [view.bars[1][rows], view.bars[2][rows], view.bars[0][rows], view.bars[3][rows]]
    ends = _value_range(view.on(0), divisor, rows, more, 0.09 if view.bars is not None else 0.06)
    return _with_room(view, divisor, ends, rows)


def _value_range(
    series: Sequence[Series],
    divisor: float,
    rows: slice = slice(None),
    more: Sequence[Floats] = (),
    air: float = 0.06,
) -> tuple[float, float]:
    low, high = bounds([*(item.values[rows] / divisor for item in series), *more])
    if any(item.type in ("column", "area") for item in series):
        low, high = min(low, 0.0), max(high, 0.0)
        wide_low, wide_high = padded(low, high)
        return (0.0 if low == 0 and high > 0 else wide_low), (0.0 if high == 0 and low < 0 else wide_high)
    return padded(low, high, air)


def _with_room(view: View, divisor: float, ends: tuple[float, float], rows: slice) -> tuple[float, float]:
    """Widen a range until the boxes of the markers have room inside the pane."""
    low, high = ends
    first = int(view.x[rows.start or 0])
    shown = [(value / divisor, below) for i, value, below in marker_places(view) if view.marker_x[i] >= first]
    top = max((value for value, below in shown if not below), default=low)
    bottom = min((value for value, below in shown if below), default=high)
    room = MARKER_ROOM * (high - low)
    return min(low, bottom - room), max(high, top + room)


def _volume_axis(volume: Series, colors: Theme) -> dict[str, Any]:
    low, high = bounds([volume.values])
    low, high = min(low, 0.0), max(high, 0.0)
    divisor, _ = scaled(max(-low, high), volume.unit)
    ends = [low / divisor * 1.08, high / divisor * 1.08 or (0.0 if low else 1.0)]
    return {
        "side": "right", "range": ends, "nticks": 4,
        "gridcolor": colors.grid, "zeroline": False, "linecolor": colors.axis, "showline": True,
        "ticks": "outside", "ticklen": 4, "tickcolor": colors.axis, "tickfont": {"size": TICK},
        "tickformat": ",~r", "fixedrange": True,
    }  # fmt: skip


def _buttons(view: View, colors: Theme, scales: tuple[Scale, Scale]) -> list[dict[str, Any]]:
    found = range_buttons(view)
    if not found:
        return []
    buttons = []
    for label, start in found:
        first = int(np.searchsorted(view.x, start))
        low, high = price_range(view, scales[0].divisor, slice(first, None))
        left = start - 1 if start == 0 else start - 0.6
        args: dict[str, Any] = {"xaxis.range": [left, view.size], "yaxis.range": [low, high]}
        if any(view.sides):
            right = _value_range(view.on(1), scales[1].divisor, slice(first, None))
            args[f"yaxis{RIGHT[1:]}.range"] = list(right)
        for i, study in enumerate(view.panes):
            args[f"yaxis{FIRST_AXIS + i}.range"] = list(pane_range(study, slice(first, None)))
        buttons.append({"label": label, "method": "relayout", "args": [args]})
    return [{
        "type": "buttons", "direction": "right", "buttons": buttons, "showactive": False, "active": -1,
        "x": 1, "xanchor": "right", "y": 1, "yanchor": "bottom", "pad": {"b": 8, "r": 0, "t": 0, "l": 0},
        "font": {"size": NOTE, "color": colors.sub}, "bgcolor": colors.button,
        "bordercolor": colors.grid, "borderwidth": 1,
    }]  # fmt: skip


def _footer(lines: list[str], colors: Theme, depth: float) -> list[dict[str, Any]]:
    return [{
        "name": "footnote", "text": "<br>".join(escape(line) for line in lines), "showarrow": False,
        "xref": "paper", "x": 0, "xanchor": "left",
        "yref": "paper", "y": 0, "yanchor": "top", "yshift": -32 - depth,
        "align": "left", "font": {"size": FOOT, "color": colors.mute},
    }]  # fmt: skip


def _pane_text(text: str, y: float, colors: Theme) -> dict[str, Any]:
    return {
        "name": "pane", "text": escape(text), "showarrow": False, "xref": "paper", "x": 0, "xanchor": "left",
        "yref": "paper", "y": y, "yanchor": "bottom", "font": {"size": NOTE, "color": colors.mute},
    }  # fmt: skip
