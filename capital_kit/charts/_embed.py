"""Charts in a page: one copy of Plotly, the figures, and a few lines that draw them."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capital_kit._core.html import Html, tag
from capital_kit.charts._figure import CONFIG
from capital_kit.charts._layout import BARS_LEFT
from capital_kit.charts._panes import figure_height

if TYPE_CHECKING:
    from capital_kit.charts._chart import Chart

FINANCE_TRACES = frozenset({
    "bar", "candlestick", "funnel", "funnelarea", "histogram",
    "indicator", "ohlc", "pie", "scatter", "waterfall",
})  # fmt: skip
_STATIC = Path(__file__).with_name("static")
_SMALL = _STATIC / "plotly-finance.min.js"
_RUNTIME = _STATIC / "page.js"
TABLE_ROWS = 20


def page_scripts(charts: Sequence[tuple[str, Chart]]) -> list[str]:
    """Return the inline scripts that draw charts into the elements with the given ids.

    The first is Plotly, once for all charts; the second draws them, follows the light or dark
    setting of the reader and the width of the page, and asks for nothing from outside.
    """
    if not charts:
        return []
    drawn = [{"id": element, **themed(chart)} for element, chart in charts]
    types = {trace.get("type", "scatter") for item in drawn for trace in item["light"]["data"]}
    data = json.dumps(
        {"charts": drawn, "config": CONFIG}, ensure_ascii=False, sort_keys=True, separators=(",", ":")
    )
    runtime = _RUNTIME.read_text(encoding="utf-8")
    return [plotly_bundle(types), runtime.replace("/*DATA*/null", _inert(data))]


def figure_html(chart: Chart, element_id: str, *, heading: bool = True) -> Html:
    """Return the figure of a page: room for the drawing, a caption, and the data as a table."""
    from capital_kit.charts._cards import data_details, remarks

    height = figure_height(chart.view)
    style = f"width:100%;height:{height - PAGE_CUT}px;"
    caption = tag(
        "figcaption",
        tag("strong", chart.title, style="display:block;") if heading else "",
        chart.summary,
        tag("span", _origin(chart), style="display:block;font-size:.86em;opacity:.85;"),
    )
    return tag(
        "figure",
        tag("div", id=element_id, style=style, class_="ck-plot"),
        caption,
        data_details(chart, TABLE_ROWS),
        remarks(chart),
        role="group", aria_label=chart.title, class_="ck-figure",
    )  # fmt: skip


PAGE_CUT = 80
"""Pixels that a page saves because title and footnote stand in its text."""


def themed(chart: Chart) -> dict[str, Any]:
    """Return the figure for a light page and what differs on a dark one.

    Where the user changed the figure, the change stays in both.
    """
    shown = _json(chart.figure)
    base = _json(chart.original(chart.theme))
    light = _json(chart.original("light"))
    dark = _json(chart.original("dark"))
    on_light = _for_page(_repaint(shown, base, light))
    on_dark = _for_page(_repaint(shown, base, dark))
    return {"light": on_light, "dark": difference(on_light, on_dark)}


def _for_page(figure: dict[str, Any]) -> dict[str, Any]:
    """Leave out what the page says itself: title and footnote."""
    layout = dict(figure["layout"])
    layout.pop("title", None)
    layout.pop("height", None)
    layout["annotations"] = [item for item in layout.get("annotations", []) if item.get("name") != "footnote"]
    margin = dict(layout.get("margin", {}))
    # The buttons of the range stand below those of the drawing.
    layout["margin"] = {**margin, "t": 62 if layout.get("updatemenus") else 38, "b": 38}
    axis = dict(layout.get("xaxis", {}))
    layout["xaxis"] = {**axis, "automargin": axis.get("tickmode") == "array"}
    if margin.get("l") == BARS_LEFT:
        layout["margin"]["l"] = 2
    return {"data": figure["data"], "layout": layout}


def difference(old: Any, new: Any) -> Any:
    """Return what must be merged into ``old`` to get ``new``; lists of one length go by index."""
    if isinstance(old, Mapping) and isinstance(new, Mapping):
        return {key: difference(old.get(key), value) for key, value in new.items() if old.get(key) != value}
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        return {str(i): difference(a, b) for i, (a, b) in enumerate(zip(old, new, strict=True)) if a != b}
    return new


def _repaint(shown: Any, base: Any, target: Any) -> Any:
    """Return ``shown`` with the values of ``target`` wherever it still has those of ``base``."""
    if shown == base:
        return target
    if isinstance(shown, Mapping) and isinstance(base, Mapping) and isinstance(target, Mapping):
        return {key: _repaint(value, base[key], target[key]) if key in base and key in target else value
                for key, value in shown.items()}  # fmt: skip
    if isinstance(shown, list) and isinstance(base, list) and isinstance(target, list):
        known = min(len(base), len(target))
        return [_repaint(value, base[i], target[i]) if i < known else value for i, value in enumerate(shown)]
    return shown


def plotly_bundle(types: set[str]) -> str:
    """Return Plotly's source: the finance bundle where it is there and knows all types, else the full one.

    A bundle that lacks a type draws a wrong chart without an error.
    """
    if types <= FINANCE_TRACES and _SMALL.is_file():
        return _SMALL.read_text(encoding="utf-8")
    return _full_bundle()


@cache
def _full_bundle() -> str:
    from plotly.offline import get_plotlyjs

    source: str = get_plotlyjs()
    return source


def _origin(chart: Chart) -> str:
    from capital_kit.charts._notes import footnote

    return " | ".join(footnote(chart.view))


def _json(figure: Any) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(figure.to_json(validate=False))
    return found


def _inert(text: str) -> str:
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")
