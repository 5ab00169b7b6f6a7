"""What a number format of a spreadsheet says about the number under it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from capital_kit.datasets._cells._headers import read_unit

Shown = Literal["plain", "percent", "day", "moment", "month", "year", "clock", "duration", "digits"]

_YEAR_MONTH, _MONTH_DAY, _DAY = 'yyyy"年"m"月"', 'm"月"d"日"', 'yyyy"年"m"月"d"日"'
_CLOCK, _CLOCK_SECONDS, _CLOCK_HALVES = 'h"时"mm"分"', 'h"时"mm"分"ss"秒"', '上午/下午h"时"mm"分"'
BUILT_IN = {
    1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00", 5: "¥#,##0", 6: "¥#,##0", 7: "¥#,##0.00", 8: "¥#,##0.00",
    9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??", 14: "yyyy/m/d", 15: "d-mmm-yy",
    16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
    22: "yyyy/m/d h:mm", 27: _YEAR_MONTH, 28: _MONTH_DAY, 29: _MONTH_DAY, 30: "m-d-yy", 31: _DAY, 32: _CLOCK,
    33: _CLOCK_SECONDS, 34: _CLOCK_HALVES, 35: _CLOCK_HALVES, 36: _YEAR_MONTH, 37: "#,##0", 38: "#,##0",
    39: "#,##0.00", 40: "#,##0.00", 41: "#,##0", 42: "¥#,##0", 43: "#,##0.00", 44: "¥#,##0.00", 45: "mm:ss",
    46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@", 50: _YEAR_MONTH, 51: _MONTH_DAY, 52: _YEAR_MONTH,
    53: _MONTH_DAY, 54: _MONTH_DAY, 55: _CLOCK_HALVES, 56: _CLOCK_HALVES, 57: _YEAR_MONTH, 58: _MONTH_DAY,
}  # fmt: skip
"""Formats by number, as a Chinese Excel has them; a file names only those that the user made."""

_GENERAL = re.compile(r"General|Standard|G/通用格式|@|", re.IGNORECASE)
_LITERAL = re.compile(r'"([^"]*)"|\\(.)|!(.)|_.|\*.')
_CURRENCY = re.compile(r"\[\$([^\]\-]*)(?:-([0-9A-Fa-f]+))?\]")
_BRACKETS = re.compile(r"\[(?!h+\]|m+\]|s+\])[^\]]*\]", re.IGNORECASE)
_HALVES = re.compile(r"AM/PM|A/P|上午/下午", re.IGNORECASE)
_DURATION = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_SCALED = re.compile(r"[0#?](?P<tail>,+)(?![0#?,])")
_TRICK = re.compile(r"[0#][!\\]\.(?P<places>[0#]+)(?P<tail>,+)")
_MONEY = {
    "¥": "元", "￥": "元", "CNY": "元", "RMB": "元", "HK$": "港元", "HKD": "港元", "US$": "美元", "$": "美元",
    "USD": "美元", "€": "欧元", "EUR": "欧元", "£": "英镑", "GBP": "英镑", "円": "日元", "JPY": "日元",
}  # fmt: skip
_JAPAN = "411"


@dataclass(frozen=True, slots=True, kw_only=True)
class Format:
    """What a format shows of the number under it.

    Attributes
    ----------
    shown : str
        ``plain``, ``percent``, a time (``day``, ``moment``, ``month``, ``year``, ``clock``,
        ``duration``), or ``digits`` for a code with all its zeros.
    width : int
        How many digits a code has.
    unit : str or None
        The unit that stands in the format: ``0.00"万元"``.
    factor : float
        By how much less the cell shows than it holds: 1000 for ``#,##0,``.
    decimals : bool
        Whether the format shows decimals.
    """

    shown: Shown = "plain"
    width: int = 0
    unit: str | None = None
    factor: float = 1.0
    decimals: bool = False


PLAIN = Format()


@lru_cache(maxsize=1024)
def read_format(code: str) -> Format:
    """Read a format such as ``0.00%``, ``yyyy"年"m"月"d"日"``, ``000000`` or ``¥#,##0.00``."""
    first = code.split(";", maxsplit=1)[0].strip()
    if _GENERAL.fullmatch(first):
        return PLAIN
    currency = _CURRENCY.search(first)
    bare = _BRACKETS.sub("", first)
    words = "".join(match[1] or match[2] or match[3] or "" for match in _LITERAL.finditer(bare)).strip(" .")
    signs = _LITERAL.sub("", bare)
    if (time := _time(signs)) is not None:
        return Format(shown=time)
    if "%" in signs:
        return Format(shown="percent", decimals="." in signs)
    if re.fullmatch(r"0{3,}", signs.strip()) and not words and currency is None:
        return Format(shown="digits", width=len(signs.strip()))
    return Format(
        unit=_unit(words, signs, currency),
        factor=_factor(bare, signs),
        decimals=bool(re.search(r"\.[0#?]|[eE][+\-]", signs)),
    )


def _time(signs: str) -> Shown | None:
    if _DURATION.search(signs):
        return "duration"
    halves = bool(_HALVES.search(signs))
    letters = set(_HALVES.sub("", signs).lower()) & set("ymdhs")
    if not letters or re.search(r"[0#?](?!\d*$)", re.sub(r"s\.0+", "s", signs.lower())):
        return None
    if letters & {"h", "s"} or halves:
        return "moment" if letters & {"y", "d"} else "clock"
    if "d" in letters:
        return "day"
    return "month" if "m" in letters else "year"


def _factor(bare: str, signs: str) -> float:
    # 0!.0, shows ten thousands: the point is a mere sign before the last digit shown.
    if trick := _TRICK.search(bare):
        return float(1000 ** len(trick["tail"]) * 10 ** len(trick["places"]))
    scaled = _SCALED.search(signs.strip())
    return 1000.0 ** len(scaled["tail"]) if scaled else 1.0


def _unit(words: str, signs: str, currency: re.Match[str] | None) -> str | None:
    if words in _MONEY:
        return _MONEY[words]
    if words and (known := read_unit(words.lstrip("¥￥$€£ "))):
        return known[0]
    sign = currency[1].strip() if currency else ""
    if currency and currency[2] and currency[2].lstrip("0") == _JAPAN:
        return "日元"
    for mark, unit in _MONEY.items():
        if sign == mark or words.startswith(mark) or signs.strip().startswith(mark):
            return unit
    return None
