"""The horizontal axis: whole numbers that wear their dates, so that closed days take no room."""

from __future__ import annotations

import calendar
import datetime as dt
import html
from collections.abc import Sequence
from typing import Any

import numpy as np

from capital_kit._core.labels import tr
from capital_kit.charts._payload import moment
from capital_kit.charts._sample import Floats, Period
from capital_kit.charts._spec import one_line
from capital_kit.charts._theme import TICK
from capital_kit.charts._view import View

LABEL_LENGTH = 14
SPANS: tuple[tuple[str, int, str], ...] = (
    ("1d", 1, "D"), ("5d", 5, "D"), ("1m", 1, "M"), ("3m", 3, "M"), ("6m", 6, "M"),
    ("ytd", 0, "Y"), ("1y", 12, "M"), ("5y", 60, "M"),
)  # fmt: skip
FEWEST_BARS = 10
ROOM = 860


def escape(text: str) -> str:
    """Make a text from outside inert: Plotly reads tags and ``%{…}`` in its labels."""
    return html.escape(one_line(text), quote=False).replace("%{", "%&#123;")


def short(text: str, limit: int = LABEL_LENGTH) -> str:
    """Cut a label, counting wide characters twice."""
    room = 2 * limit
    for i, character in enumerate(text):
        room -= 1 + (ord(character) > 0x2E7F)
        if room < 0:
            return text[:i].rstrip() + "…"
    return text


def text_width(text: str, size: float) -> float:
    """Estimate how many pixels a text takes."""
    return sum(1.0 if ord(character) > 0x2E7F else 0.56 for character in text) * size


def axis_layout(view: View) -> dict[str, Any]:
    """Return what the x axis of a figure needs to show times or categories at whole numbers."""
    ends = [-1, view.size] if view.size > 1 else [-1.5, 1.5]
    layout: dict[str, Any] = {
        "type": "linear", "range": ends, "minallowed": ends[0], "maxallowed": ends[1],
        "tickformat": "d", "hoverformat": "d",
    }  # fmt: skip
    if view.payload.axis == "category":
        layout["tickmode"] = "array"
        layout["tickvals"] = [int(x) for x in view.x]
        layout["ticktext"] = [escape(short(text)) for text in view.texts]
        if slanted(view):
            layout["tickangle"] = -40
        # The hover header shows the whole category, the tick a short one.
        layout["labelalias"] = aliases(view)
        return layout
    longest = max((len(text) for text in view.axis_texts), default=0)
    side_by_side = view.points * (longest * 0.62 * TICK + 14) <= ROOM
    layout["nticks"] = view.points + 2 if side_by_side else 8 if longest <= 11 else 6
    layout["labelalias"] = aliases(view)
    return layout


def slanted(view: View, width: float = ROOM) -> float:
    """Return how deep slanted category labels reach; 0 where they stand side by side."""
    if view.payload.axis != "category":
        return 0
    longest = max(text_width(short(text), TICK) for text in view.texts)
    return 0.65 * longest if view.points * (longest + 10) > width else 0


def aliases(view: View) -> dict[str, str]:
    """Return the text of every whole number of the axis; places without a point take the one before."""
    texts = [escape(text) for text in view.axis_texts]
    owner = np.clip(np.searchsorted(view.x, np.arange(view.size), side="right") - 1, 0, None)
    named = {str(i): texts[point] for i, point in enumerate(owner)}
    # Plotly writes a true minus sign, and looks the label up with it.
    return {"-1": " ", "\u22121": " ", str(view.size): " ", **named}


def range_buttons(view: View) -> list[tuple[str, int]]:
    """Return label and first place of the calendar ranges that show a part of the data."""
    times = view.times
    if times is None or view.points < 2 * FEWEST_BARS:
        return []
    end = times[-1]
    found: list[tuple[str, int]] = []
    for name, count, unit in SPANS:
        start = _span_start(end, count, unit)
        first = int(np.searchsorted(times, start))
        if (
            first > 0
            and view.points - first >= FEWEST_BARS
            and (not found or found[-1][1] != int(view.x[first]))
        ):
            found.append((tr(f"charts.range.{name}"), int(view.x[first])))
    if not found:
        return []
    return [*found[-5:], (tr("charts.range.all"), 0)]


def _span_start(end: np.datetime64, count: int, unit: str) -> np.datetime64:
    day = moment(end).date()
    if unit == "D":
        return np.datetime64(day - dt.timedelta(days=count - 1), "us")
    if unit == "Y":
        return np.datetime64(day.replace(month=1, day=1), "us")
    year, month = divmod(12 * day.year + day.month - 1 - count, 12)
    back = dt.date(year, month + 1, min(day.day, calendar.monthrange(year, month + 1)[1]))
    return np.datetime64(back + dt.timedelta(days=1), "us")


def period_text(period: Period) -> str:
    """Return a period in words: "5 分钟", "周", "30 bars"."""
    count, unit = period.count, period.unit
    if unit == "second":
        for size, name in ((3600, "hours"), (60, "minutes"), (1, "seconds")):
            if count % size == 0:
                return tr(f"charts.period.{name}", n=count // size)
    if unit == "rows":
        return tr("charts.period.rows", n=count)
    return tr(f"charts.period.{unit}")


def padded(low: float, high: float, share: float = 0.06) -> tuple[float, float]:
    """Return a range with air around it, also where all values are equal."""
    span = high - low
    if span <= 0:
        span = abs(high) * 0.02 or 1.0
        return low - span, high + span
    return low - span * share, high + span * share


def bounds(values: Sequence[Floats]) -> tuple[float, float]:
    """Return the least and the greatest known value."""
    known = [array[~np.isnan(array)] for array in values]
    known = [array for array in known if len(array)]
    if not known:
        return 0.0, 1.0
    return float(min(array.min() for array in known)), float(max(array.max() for array in known))


def decimals_of(values: Sequence[Floats], least: int = 0) -> int:
    """Return how many decimals the values need: as written where that is few, else by size."""
    joined = np.concatenate([array[~np.isnan(array)] for array in values])
    if len(joined) == 0:
        return least
    for places in range(least, 5):
        if np.allclose(np.round(joined, places), joined, rtol=0, atol=10.0 ** -(places + 4)):
            return places
    largest = float(np.abs(joined).max())
    return max(least, 2 if largest >= 1 else 4 if largest >= 0.01 else 6)
