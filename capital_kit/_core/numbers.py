"""Numbers as people read them: 万/亿 in Chinese, thousand/million/billion in English."""

from __future__ import annotations

import math

from capital_kit._core.options import options

_STEPS = {
    "zh": ((1e8, "亿"), (1e4, "万")),
    "en": ((1e9, "B"), (1e6, "M"), (1e3, "K")),
}
_LARGE, _SMALL = 1e18, 1e-9


def magnitude(largest: float) -> tuple[float, str]:
    """Return the divisor and its word for values whose largest absolute value is ``largest``."""
    for divisor, word in _STEPS[options.language]:
        if abs(largest) >= divisor:
            return divisor, word
    return 1.0, ""


def show(value: float | None, decimals: int | None = None) -> str:
    """Return a number with thousands separators, "—" for null; never a rounded integer.

    Without ``decimals`` a float shows up to six significant digits after its integer part. Floats of
    more digits than anybody reads are shown as ``1e+308``, never as 0.
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "—"
    if isinstance(value, int):
        return f"{value:,}"
    if math.isinf(value):
        return "∞" if value > 0 else "−∞"
    if abs(value) >= _LARGE or (0 < abs(value) < _SMALL and decimals is None):
        return f"{value:.6g}"
    if decimals is not None:
        return f"{value:,.{decimals}f}"
    if value == int(value) and abs(value) < 1e15:
        return f"{int(value):,}"
    size = math.floor(math.log10(abs(value))) if value else 0
    text = f"{value:,.{min(max(5 - size, 2), 12)}f}"
    return text.rstrip("0").rstrip(".")


def show_short(value: float | None, decimals: int = 2) -> str:
    """Return a number with its magnitude word: ``1.2亿`` or ``120M``."""
    if value is None or not math.isfinite(value) or abs(value) >= _LARGE:
        return show(value)
    divisor, word = magnitude(value)
    return (
        show(value, None if isinstance(value, int) else decimals)
        if not word
        else (f"{value / divisor:,.{decimals}f}{word}")
    )
