"""How a card writes what comes from outside: names, values, numbers and shares, always short."""

from __future__ import annotations

import unicodedata

from capital_kit._core.numbers import show, show_short
from capital_kit.datasets._description import Value

NAME_MAX = 40
_HUGE = 1e13
_UNREADABLE = "\ufffd"
_JOINERS = "\u200c\u200d"


def shown(text: object, most: int = NAME_MAX) -> str:
    """Return a text as a card may show it: one line, ``most`` characters, nothing that turns the page.

    Marks that change the direction of writing, controls and halves of surrogate pairs become
    ``U+FFFD``, so that two names which differ only there still look different from a plain one.
    """
    found = str(text)
    # One more than is kept, so that a long text is never looked at in full.
    line = "".join(map(_visible, found[: most + 1]))
    return line if len(found) <= most else f"{line[: most - 1]}…"


def _visible(mark: str) -> str:
    if mark.isspace():
        return " "
    hidden = unicodedata.category(mark) in ("Cc", "Cf", "Cs") and mark not in _JOINERS
    return _UNREADABLE if hidden else mark


def number(value: Value, digits: int = 6, *, short: bool = True) -> str:
    """Return a number as :func:`exact` does, a large one with its magnitude word; empty for none."""
    if not isinstance(value, int | float):
        return ""
    return show_short(value) if short and 1e5 <= abs(value) < _HUGE else exact(value, digits)


def exact(value: float, digits: int = 6) -> str:
    """Return a number with separators: an integer in full, a float in ``digits`` significant digits.

    Floats too large or too small for a line of digits are written with an exponent.
    """
    if isinstance(value, int):
        return show(value)
    rounded = f"{value:.{digits}g}"
    return rounded if abs(value) >= _HUGE or 0 < abs(value) < 1e-6 else show(float(rounded))


def share(part: int, whole: int) -> str:
    """Return a share as a percentage that is 0 or 100 only where it is exactly so."""
    if not whole:
        return "0%"
    percent = 100 * part / whole
    if 0 < percent < 0.1:
        return "<0.1%"
    if 99.9 < percent < 100:
        return ">99.9%"
    return f"{percent:.3g}%"
