"""What is written into a chart: high and low, the last price, names at line ends, markers."""

from __future__ import annotations

from typing import Any

import numpy as np

from capital_kit._core.labels import tr
from capital_kit.charts._axis import bounds, decimals_of, escape, short
from capital_kit.charts._payload import Series
from capital_kit.charts._scale import Scale, own_scale
from capital_kit.charts._theme import HEIGHT_ONE, NOTE, TICK, Theme
from capital_kit.charts._view import View

LINE_GAP = 16
PLOT_HEIGHT = HEIGHT_ONE - 195


def pane_annotations(view: View, colors: Theme, scale: Scale) -> list[dict[str, Any]]:
    """Return the annotations of the first pane."""
    found: list[dict[str, Any]] = []
    if view.bars is not None:
        found += [*_extremes(view, colors), _last_tag(view, colors)]
    elif not any(view.sides):
        found += _line_ends(view, colors, scale)
    return [*found, *_markers(view, colors, scale.divisor)]


def last_price(view: View, colors: Theme) -> dict[str, Any]:
    """Return the dotted line at the last close."""
    assert view.bars is not None
    last = float(view.bars[3][-1])
    return {
        "type": "line", "xref": "paper", "x0": 0, "x1": 1, "yref": "y", "y0": last, "y1": last,
        "line": {"color": _last_color(view, colors), "width": 1, "dash": "dot"},
        "name": "last", "layer": "below",
    }  # fmt: skip


def _last_color(view: View, colors: Theme) -> str:
    assert view.bars is not None
    opens, _, _, closes = view.bars
    assert view.previous_close is not None
    before = opens[-1] if np.isnan(view.previous_close[-1]) else view.previous_close[-1]
    return colors.up if closes[-1] >= before else colors.down


def _last_tag(view: View, colors: Theme) -> dict[str, Any]:
    assert view.bars is not None
    last = float(view.bars[3][-1])
    return {
        "name": "last", "text": f"{last:,.{decimals_of(view.bars, 2)}f}", "showarrow": False,
        "xref": "paper", "x": 1, "xanchor": "left", "y": last, "yanchor": "middle", "xshift": 1,
        "font": {"size": TICK, "color": colors.tag_ink}, "bgcolor": _last_color(view, colors), "borderpad": 3,
    }  # fmt: skip


def _extremes(view: View, colors: Theme) -> list[dict[str, Any]]:
    assert view.bars is not None
    places = decimals_of(view.bars, 2)
    found = []
    for name, values, row, down in (
        ("high", view.bars[1], int(np.argmax(view.bars[1])), -1),
        ("low", view.bars[2], int(np.argmin(view.bars[2])), 1),
    ):
        side = -1 if row > 0.85 * view.size else 1
        found.append({
            "name": name, "text": tr(f"charts.label.{name}", value=f"{values[row]:,.{places}f}"),
            "x": int(view.x[row]), "y": float(values[row]), "ax": 26 * side, "ay": 14 * down,
            "xanchor": "left" if side > 0 else "right", "yanchor": "middle",
            "showarrow": True, "arrowhead": 0,
            "arrowwidth": 1, "arrowcolor": colors.mute,
            "font": {"size": NOTE, "color": colors.sub},
        })  # fmt: skip
    return found


def _line_ends(view: View, colors: Theme, scale: Scale) -> list[dict[str, Any]]:
    lines = [(i, series) for i, series in enumerate(view.series) if series.type != "column"]
    low, high = bounds([series.values / scale.divisor for series in view.series])
    ends = []
    for i, series in lines:
        known = np.flatnonzero(~np.isnan(series.values))
        if len(known):
            ends.append((float(series.values[known[-1]] / scale.divisor), i, series))
    ends.sort(key=lambda end: -end[0])
    shifts = _apart([(high - end[0]) / ((high - low) or 1.0) * PLOT_HEIGHT for end in ends])
    found = []
    for (value, i, series), shift in zip(ends, shifts, strict=True):
        number = end_text(series, scale, named=len(lines) > 1)
        found.append({
            "name": "end", "text": escape(number),
            "xref": "paper", "x": 1, "xanchor": "left", "xshift": 6, "y": value, "yanchor": "middle",
            "yshift": -shift, "showarrow": False,
            "font": {"size": NOTE, "color": colors.series[i % len(colors.series)]},
        })  # fmt: skip
    return found


def end_text(series: Series, scale: Scale, *, named: bool = True) -> str:
    """Return the last value of a series as it stands at the end of its line."""
    known = series.values[~np.isnan(series.values)]
    if len(known) == 0:
        return ""
    own = own_scale(series, scale)
    # The pane names the common unit; a series that is written otherwise names its own.
    unit = own.label if own.percent or own.label != scale.label else ""
    number = f"{known[-1] / own.divisor:,.{own.decimals}f}{unit}"
    return f"{short(series.label, 8)} {number}" if named else number


def _apart(places: list[float]) -> list[float]:
    """Return how far to move labels down so that neighbours keep their distance, as a group."""
    moved: list[float] = []
    for place in places:
        moved.append(max(place, moved[-1] + LINE_GAP) if moved else place)
    over = max((moved[-1] - PLOT_HEIGHT) if moved else 0.0, 0.0)
    for i in range(len(moved) - 1, -1, -1):
        limit = moved[i + 1] - LINE_GAP if i + 1 < len(moved) else moved[i] - over
        moved[i] = min(moved[i], limit)
    return [round(new - old, 1) for new, old in zip(moved, places, strict=True)]


def _markers(view: View, colors: Theme, divisor: float) -> list[dict[str, Any]]:
    found = []
    for i, value, below in marker_places(view):
        point, x = view.payload.markers[i], view.marker_x[i]
        found.append({
            "name": "marker", "text": escape(short(point.text, 16)),
            "hovertext": escape(f"{point.at} {point.text}"),
            "x": x, "y": value / divisor, "ax": 0, "xanchor": _side(x / view.size),
            "ay": 34 if below else -34, "showarrow": True, "arrowhead": 2,
            "arrowsize": 0.8, "arrowwidth": 1, "arrowcolor": colors.sub, "bgcolor": colors.box,
            "bordercolor": colors.axis, "borderpad": 3, "font": {"size": NOTE, "color": colors.box_ink},
        })  # fmt: skip
    return found


def marker_places(view: View) -> list[tuple[int, float, bool]]:
    """Return number, value and "below the bar" of every marker that has a value to stand at."""
    found = []
    for i, (point, x) in enumerate(zip(view.payload.markers, view.marker_x, strict=True)):
        value = _marker_value(view, point.row, x, point.position)
        if not np.isnan(value):
            found.append((i, value, point.position == "belowBar"))
    return found


def _side(share: float) -> str:
    """Return where a box is held so that it stays inside the pane."""
    return "left" if share < 0.06 else "right" if share > 0.94 else "center"


def _marker_value(view: View, row: int, x: int, position: str) -> float:
    if view.bars is not None:
        bar = {"aboveBar": 1, "belowBar": 2}.get(position, 3)
        return float(view.bars[bar][x])
    return float(view.payload.series[0].values[row]) if view.payload.series else float("nan")
