"""Numbers as exports write them: one grammar, used for every cell."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

MISSING = frozenset({
    "", "-", "--", "---", "—", "——", "–", "−", "/", "\\", ".", "*", "#N/A", "N/A", "n/a", "NA", "NaN", "nan",
    "-nan", "NULL", "null", "None", "none", "NaT", "<NA>", "#VALUE!", "#DIV/0!", "#REF!", "空", "无", "缺失",
    "不适用", "停牌", "暂无", "暂无数据", "未披露", "未公布", "未上市", "亏损", "／", "－", "－－",
    "N.A.", "n.a.", "NM", "#N/A N/A",
})  # fmt: skip
"""Cells that state no value where a number or a time is expected."""

UNSTATED = frozenset({
    "", "-", "--", "—", "——", "NaN", "nan", "NULL", "null", "None", "N/A", "#N/A", "<NA>", "NaT",
})  # fmt: skip
"""Cells that state no value in any column, text too."""

_SCALES = {
    "万亿": 12, "亿": 8, "千万": 7, "百万": 6, "万": 4, "千": 3, "K": 3, "M": 6, "B": 9, "T": 12, "": 0,
}  # fmt: skip
_PERCENT = {"%": 1.0, "个百分点": 1.0, "百分点": 1.0, "‰": 0.1}
_UNITS = "元/股|美元|港元|人民币|元|股|手|张|份|倍|点|吨|户|家|人|次|bp"
_NUMBER = re.compile(
    rf"""
    (?P<open>\()?
    (?P<sign>[+\-])?
    (?P<currency>¥|\$|€|£|HK\$|US\$|RMB|CNY)?
    (?P<late_sign>[+\-])?
    (?P<digits>(?:\d{{1,3}}(?:,\d{{3}})+|\d+)(?:\.\d*)?|\.\d+)
    (?P<exponent>[eE][+\-]?\d{{1,3}})?
    \s?
    (?P<scale>万亿|亿|千万|百万|万|千|(?:(?<=\.\d)|(?<=\.\d\d)|(?<=\.\d{{3}}))[KMBT])?
    \s?
    (?P<unit>%|‰|个百分点|百分点|{_UNITS})?
    (?P<close>\))?
    """,
    re.VERBOSE,
)
_INFINITE = re.compile(r"(?P<sign>[+\-])?(?:inf|infinity|∞)", re.IGNORECASE)
_DASHES = str.maketrans({"−": "-", "–": "-", "﹣": "-", "﹢": "+"})
_LONGEST = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A number and how it was written.

    Attributes
    ----------
    value : float or int
        The number, with 万 or 亿 applied; a percentage in points (``12.3%`` is 12.3).
    unit : str or None
        The unit behind the number (``%``, ``元``, ``股`` …).
    scale : float
        The factor that was applied: 1e8 for ``1.2亿``.
    kind : {"number", "integer", "percent"}
        ``integer`` only where the text has neither decimals nor factor.
    """

    value: float | int
    unit: str | None = None
    scale: float = 1.0
    kind: Literal["number", "integer", "percent"] = "number"


def fold(text: str) -> str:
    """Return a cell without padding and with full-width characters made narrow."""
    return text.strip() if text.isascii() else unicodedata.normalize("NFKC", text).strip()


def parse_number(text: str) -> Parsed | None:
    """Read one number.

    Parameters
    ----------
    text : str
        Plain, with thousands separators, full-width, with a currency sign, as a percentage or
        per mille, with 万, 亿, 万亿 or, behind decimals, K, M, B, T (3M may be a firm or a term), in
        brackets for a negative, or with an exponent.

    Returns
    -------
    Parsed or None
        None where the text states no value (``--``, ``停牌``, empty) or is no number.

    Examples
    --------
    >>> parse_number("(2,000.00)").value
    -2000.0
    >>> parse_number("12.3%")
    Parsed(value=12.3, unit='%', scale=1.0, kind='percent')
    >>> parse_number("停牌") is None
    True
    """
    if len(text) > _LONGEST:
        return None
    text = fold(text).translate(_DASHES)
    match = _NUMBER.fullmatch(text)
    if match is None and (infinite := _INFINITE.fullmatch(text)):
        return Parsed(value=-math.inf if infinite["sign"] == "-" else math.inf)
    if match is None or bool(match["open"]) != bool(match["close"]):
        return None
    signs = [sign for sign in (match["sign"], match["late_sign"]) if sign]
    if len(signs) + bool(match["open"]) > 1:
        return None
    return _build(match, negative=bool(match["open"]) or signs == ["-"])


def _build(match: re.Match[str], *, negative: bool) -> Parsed | None:
    digits = match["digits"].replace(",", "")
    shift = _SCALES[match["scale"] or ""]
    unit = "%" if match["unit"] in _PERCENT else match["unit"]
    sign = -1 if negative else 1
    if match["unit"] in _PERCENT:
        points = float(digits + (match["exponent"] or "")) * _PERCENT[match["unit"]]
        return None if shift else Parsed(value=sign * points, unit=unit, kind="percent")
    if match["exponent"]:
        return None if shift else Parsed(value=sign * float(digits + match["exponent"]), unit=unit)
    if "." in digits or shift:
        # The exponent does the scaling, so that 3456.7万 is rounded once.
        return Parsed(value=sign * float(f"{digits}e{shift}"), unit=unit, scale=10.0**shift)
    return Parsed(value=sign * int(digits), unit=unit, kind="integer")
