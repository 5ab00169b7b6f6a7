"""Colours, fonts and sizes of the charts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from capital_kit._core.options import options

ThemeName = Literal["auto", "light", "dark"]
THEMES: tuple[ThemeName, ...] = ("auto", "light", "dark")

FONT = (
    "Inter, 'Helvetica Neue', Arial, 'PingFang SC', 'Microsoft YaHei', 'Noto Sans SC', 'Noto Sans CJK SC', "
    "'Source Han Sans SC', 'WenQuanYi Micro Hei', sans-serif"
)
TITLE, SUBTITLE, TICK, NOTE, FOOT = 17, 12.5, 11.5, 11, 10.5
DASHES = ("solid", "solid", "solid", "dash", "dash", "dot")
WIDTH = 1000
HEIGHT_ONE, HEIGHT_TWO = 420, 560


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """The colours of one theme; every value is something that Plotly accepts."""

    paper: str
    ink: str
    sub: str
    mute: str
    grid: str
    axis: str
    up: str
    down: str
    series: tuple[str, ...]
    box: str
    box_ink: str
    tag_ink: str
    button: str


_LIGHT = Theme(
    paper="#FFFFFF", ink="#1B1F24", sub="#5B6470", mute="#6B7280", grid="#E9ECF1", axis="#C4CAD3",
    up="#D6372E", down="#00796B",
    series=("#1F5FBF", "#C48500", "#8F86D8", "#7A4B2A", "#4A9D94", "#3A3F47"),
    box="#FFFFFF", box_ink="#1B1F24", tag_ink="#FFFFFF", button="#F3F5F8",
)  # fmt: skip
_DARK = Theme(
    paper="#12161C", ink="#E6EAF0", sub="#A3ACB8", mute="#8A94A3", grid="#222A34", axis="#3A4350",
    up="#FF6B5E", down="#1FB5A8",
    series=("#5B9BFF", "#F4D35E", "#C9B8FF", "#B9773F", "#7FE3D4", "#E0569A"),
    box="#12161C", box_ink="#E6EAF0", tag_ink="#12161C", button="#1C232C",
)  # fmt: skip
# A notebook does not say whether its page is light or dark: nothing is painted behind the chart,
# and every ink has at least 3:1 contrast on white and on #111.
_AUTO = Theme(
    paper="rgba(0,0,0,0)", ink="#757B85", sub="#757B85", mute="#7C838D",
    grid="rgba(128,128,128,.20)", axis="rgba(128,128,128,.55)",
    up="#DF4A40", down="#0E8F81",
    series=("#3F7FE0", "#B37A00", "#8F80DC", "#A5673A", "#2F9688", "#CC5490"),
    box="#FFFFFF", box_ink="#1B1F24", tag_ink="#FFFFFF", button="rgba(128,128,128,.12)",
)  # fmt: skip
_THEMES = {"auto": _AUTO, "light": _LIGHT, "dark": _DARK}
_CVD = {
    "light": ("#D55E00", "#0072B2"),
    "dark": ("#F59A4A", "#4FA3E0"),
    "auto": ("#D9690F", "#2B86C5"),
}


def theme(name: ThemeName) -> Theme:
    """Return a theme with the colours of rising and falling that the options ask for."""
    base = _THEMES[name]
    up, down = _CVD[name] if options.palette == "cvd" else (base.up, base.down)
    if options.up_color == "green":
        up, down = down, up
    return replace(base, up=up, down=down)


def convention() -> str:
    """Return the catalogue key that tells which colour rises."""
    return f"charts.convention.{options.palette}_{options.up_color}"


def translucent(color: str, alpha: float) -> str:
    """Return ``#RRGGBB`` as ``rgba()``."""
    red, green, blue = (int(color[i : i + 2], 16) for i in (1, 3, 5))
    return f"rgba({red},{green},{blue},{alpha:g})"
