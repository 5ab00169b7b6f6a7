"""Small pictures for the cards: bars, lines, shares and spans of time, a few hundred bytes each.

They are inline SVG that takes its colour from the text around it. A notebook that is not trusted
removes SVG elements and keeps the text in them; each picture therefore carries its course in block
characters, inside an element that a browser never draws.
"""

from __future__ import annotations

from collections.abc import Sequence

from capital_kit._core.html import Html, tag

WIDTH, HEIGHT = 88, 24
_BLOCKS = "▁▂▃▄▅▆▇█"
_GAP = "·"


def bars(counts: Sequence[int], label: str) -> Html:
    """Return one bar a count, from left to right; a count above zero is always seen."""
    top = max(counts)
    step = WIDTH / len(counts)
    path = ""
    for place, count in enumerate(counts):
        if count:
            tall = max(HEIGHT * count / top, 1.5)
            path += f"M{_short(place * step)} {HEIGHT}v{_short(-tall)}h{_short(step - 1)}V{HEIGHT}z"
    return _svg(tag("path", d=path, fill_opacity=".55"), label=label, text=blocks(counts, 0))


def line(values: Sequence[float | None], label: str) -> Html:
    """Return a line through the values, broken where there is none, with a dot at the last.

    A faint rule marks zero where the values lie on both sides of it.
    """
    stated = [value for value in values if value is not None]
    low, high = min(stated), max(stated)

    def height(value: float) -> str:
        return _short(HEIGHT - 3 - (HEIGHT - 6) * _place(value, low, high))

    step = (WIDTH - 4) / max(len(values) - 1, 1)
    path, pen, dot = "", "M", (0.0, 0.0)
    for place, value in enumerate(values):
        if value is None:
            pen = "M"
            continue
        # A value between two gaps is a point, which only a line of some length can show.
        alone = pen == "M" and (place + 1 == len(values) or values[place + 1] is None)
        path += f"{pen}{_short(2 + place * step)} {height(value)}" + ("h.1" if alone else "")
        pen, dot = "L", (2 + place * step, value)
    parts = [
        tag("path", d=path, fill="none", stroke="currentColor", stroke_width="1.4", stroke_linecap="round",
            stroke_linejoin="round", stroke_opacity=".75"),
        tag("circle", cx=_short(dot[0]), cy=height(dot[1]), r="2"),
    ]  # fmt: skip
    if low < 0 < high:
        zero = tag(
            "path",
            d=f"M0 {height(0)}h{WIDTH}",
            stroke="currentColor",
            stroke_opacity=".3",
            stroke_dasharray="2 2",
        )
        parts.insert(0, zero)
    return _svg(*parts, label=label, text=blocks(values[:: max(len(values) // 24, 1)], low))


def shares(parts: Sequence[int], whole: int, label: str) -> Html:
    """Return one bar cut into the parts of a whole, each fainter than the one before."""
    left, rects = 0.0, []
    for place, part in enumerate(parts):
        wide = WIDTH * part / whole
        rects.append(
            tag("rect", x=_short(left), y="7", width=_short(max(wide - 1, 0.5)), height="10",
                fill_opacity=f".{max(65 - 12 * place, 15)}")
        )  # fmt: skip
        left += wide
    return _svg(_ground(7, 10), *rects, label=label, text=blocks([*parts, max(whole - sum(parts), 0)], 0))


def span(start: float, end: float, label: str, hole: tuple[float, float] | None = None) -> Html:
    """Return where a stretch lies between 0 and 1, with a hole where it is broken."""
    pieces = [(start, hole[0]), (hole[1], end)] if hole else [(start, end)]
    rects = []
    for low, high in pieces:
        wide = max(WIDTH * (high - low), 2)  # a single time is seen, also at the right edge
        left = min(WIDTH * low, WIDTH - wide)
        rects.append(tag("rect", x=_short(left), y="9", width=_short(wide), height="6", fill_opacity=".6"))
    return _svg(_ground(9, 6), *rects, label=label, text="")


def gauge(part: int, whole: int, label: str) -> Html:
    """Return a thin bar that is filled as far as the part of the whole."""
    wide = max(48 * part / whole, 1.5)
    drawn = [
        tag("rect", width="48", height="4", rx="1", fill_opacity=".15"),
        tag("rect", width=_short(wide), height="4", rx="1", fill_opacity=".75"),
    ]
    return _svg(*drawn, label=label, text="", width=48, height=4)


def blocks(values: Sequence[float | None], low: float) -> str:
    """Return the values as block characters, from ``low`` to the highest."""
    high = max((value for value in values if value is not None), default=low)
    return "".join(_GAP if v is None else _BLOCKS[round(7 * _place(v, low, high))] for v in values)


def _place(value: float, low: float, high: float) -> float:
    """Return where a value lies from low (0) to high (1), without overflow."""
    reach = high / 2 - low / 2
    return (value / 2 - low / 2) / reach if reach else 0.5


def _ground(top: int, height: int) -> Html:
    return tag("rect", y=top, width=WIDTH, height=height, rx="1", fill_opacity=".12")


def _svg(*parts: Html, label: str, text: str, width: int = WIDTH, height: int = HEIGHT) -> Html:
    spare = [tag("metadata", text)] if text else []
    return tag(
        "svg", *parts, *spare, viewBox=f"0 0 {width} {height}", width=width, height=height,
        fill="currentColor", role="img", aria_label=label, style="display:block;",
    )  # fmt: skip


def _short(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0").replace("-0.", "-.").removeprefix("0") or "0"
