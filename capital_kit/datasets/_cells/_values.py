"""Numbers as exports write them: one grammar, used for every cell."""

from __future__ import annotations

import math
import re
import unicodedata
from dataclasses import dataclass
from typing import Literal

MISSING = frozenset({
    "", "-", "--", "---", "—", "——", "–", "−", "/", "\\", ".", "..", "...", "…", "*", "／", "－",
    "－－", "--%", "-%", "#N/A", "N/A", "n/a", "NA", "N.A.", "n.a.", "NM", "N/M", "n.m.", "NaN", "nan",
    "-nan", "NaT", "NULL", "Null", "null", "None", "none", "NIL", "nil", "<NA>", "#VALUE!", "#DIV/0!",
    "#REF!", "#NUM!", "#NAME?", "#NULL!", "#N/A N/A", "#N/A Field Not Applicable", "#N/A Requesting Data...",
    "空", "无", "缺失", "不适用", "停牌", "临时停牌", "暂停交易", "休市", "暂无", "暂无数据", "暂缺",
    "无数据", "未披露", "未公布", "未上市", "未知", "不详", "亏损",
})  # fmt: skip
"""Cells that state no value where a number or a time is expected."""

UNSTATED = frozenset({
    "", "-", "--", "—", "——", "NaN", "nan", "NULL", "null", "None", "N/A", "#N/A", "<NA>", "NaT",
})  # fmt: skip
"""Cells that state no value in any column, text too."""

SCALES = {
    "万亿": 12, "千亿": 11, "百亿": 10, "十亿": 9, "亿": 8, "千万": 7, "百万": 6, "十万": 5, "万": 4,
    "千": 3, "": 0,
}  # fmt: skip
"""Words of scale and their powers of ten; the longer ones come first."""

MONEY = "人民币元|人民币|美元|港元|港币|欧元|日元|英镑|元|USD|CNY|RMB|HKD|EUR|JPY|GBP"
QUANTITIES = "股|手|张|份|吨|公斤|千克|克|盎司|桶|户|人|家|只|个月|个|次|笔|倍|点|位|条|天|年|岁|辆|台|套"
RATIOS = "股|吨|手|桶|克|千克|盎司|平方米|人|日|年"
"""What a unit may be, and what it may be per: 元/股."""

_LETTERS = {
    "K": 3, "M": 6, "B": 9, "T": 12, "mn": 6, "bn": 9, "tn": 12, "thousand": 3, "million": 6, "billion": 9,
    "trillion": 12,
}  # fmt: skip
_PERCENT = {"%": 0, "个百分点": 0, "百分点": 0, "pct": 0, "pp": 0, "‰": -1}
_SAME_UNIT = {"x": "倍", "X": "倍", "bps": "bp", "BP": "bp", "个基点": "bp", "基点": "bp"}
_SYMBOLS = {
    "¥": "元", "CNY": "元", "RMB": "元", "人民币": "元", "人民币元": "元", "$": "美元", "US$": "美元",
    "USD": "美元", "HK$": "港元", "HKD": "港元", "港币": "港元", "€": "欧元", "EUR": "欧元", "£": "英镑",
    "GBP": "英镑", "JPY": "日元",
}  # fmt: skip

_NUMBER = re.compile(
    rf"""
    (?P<sign>[+\-])?\s?
    (?P<currency>¥|\$|€|£|HK\$|US\$|{MONEY})?\s?
    (?P<open>\()?
    (?P<late_sign>[+\-])?
    (?P<inner_currency>(?<=\()(?:¥|\$|€|£|HK\$|US\$))?
    (?P<digits>(?:\d{{1,3}}(?P<group>[,'\u00a0])\d{{3}}(?:(?P=group)\d{{3}})*|\d+)(?:\.\d*)?|\.\d+)
    (?P<exponent>[eE][+\-]?\d{{1,3}})?
    (?P<trailing>(?<=\.\d)-|(?<=\.\d\d)-)?
    \s?
    (?P<scale>{"|".join(filter(None, SCALES))}|(?:[mbt]n|thousand|million|billion|trillion)
      |(?:(?<=\.\d)|(?<=\.\d\d)|(?<=\.\d{{3}}))[KMBT])?
    \s?
    (?P<unit>%|‰|个百分点|百分点|pct|pp|bps?|BP|个?基点|[xX]|[€£¥$]|(?:{MONEY}|{QUANTITIES})(?:/(?:{RATIOS}))?)?
    (?P<close>\))?
    """,
    re.VERBOSE,
)
_INFINITE = re.compile(r"(?P<sign>[+\-])?(?:inf|infinity|∞)", re.IGNORECASE)
_PLAIN = str.maketrans("−–﹣﹢’\u202f\u2009", "---+'\u00a0\u00a0")
_MARK = re.compile("[²³¹¼-¾⁰-₉⅐-⅟①-⓿❶-➓㈠-㊿]")
"""Characters that Unicode would turn into digits though they mark a footnote, a power or an item."""
_LONGEST = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class Parsed:
    """A number and how it was written.

    Attributes
    ----------
    value : float or int
        The number, with 万 or 亿 applied; a percentage in points (``12.3%`` is 12.3).
    unit : str or None
        The unit behind or before the number (``%``, ``元``, ``股`` …), by one name: ¥5 and 5 CNY are 元.
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


def _narrow(text: str) -> str | None:
    """Return a cell as plain characters; None where one of them, such as ² or ①, is a mark and no digit."""
    if text.isascii():
        return text.strip()
    if _MARK.search(text):
        return None
    if "\u00a0" in (text := text.strip().translate(_PLAIN)):
        # A no-break space may group digits, which a plain one may not: 100 200 are two numbers.
        return "\u00a0".join(unicodedata.normalize("NFKC", part) for part in text.split("\u00a0"))
    return unicodedata.normalize("NFKC", text).translate(_PLAIN)


def parse_number(text: str) -> Parsed | None:
    """Read one number.

    Parameters
    ----------
    text : str
        Plain, with thousands separators, full-width, with a currency, as a percentage or per mille,
        with 万, 亿, 万亿, mn, bn or, behind decimals, K, M, B, T (3M may be a firm or a term), with a
        unit, in brackets for a negative, or with an exponent.

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
    if len(text) > _LONGEST or (plain := _narrow(text)) is None:
        return None
    match = _NUMBER.fullmatch(plain)
    if match is None and (infinite := _INFINITE.fullmatch(plain)):
        return Parsed(value=-math.inf if infinite["sign"] == "-" else math.inf)
    if match is None or bool(match["open"]) != bool(match["close"]):
        return None
    signs = [sign for sign in (match["sign"], match["late_sign"], match["trailing"]) if sign]
    if len(signs) + bool(match["open"]) > 1:
        return None
    return _build(match, negative=bool(match["open"]) or signs == ["-"])


def _build(match: re.Match[str], *, negative: bool) -> Parsed | None:
    digits = match["digits"].replace(match["group"] or ",", "")
    scale = match["scale"] or ""
    shift = SCALES[scale] if scale in SCALES else _LETTERS.get(scale)
    unit = _unit(match)
    if shift is None or unit == "" or (shift and match["exponent"]):
        return None
    sign = -1 if negative else 1
    if match["unit"] in _PERCENT:
        shift += _PERCENT[match["unit"]]
        value = sign * float(f"{digits}e{shift + int((match['exponent'] or 'e0')[1:])}")
        return None if scale or math.isinf(value) else Parsed(value=value, unit="%", kind="percent")
    if match["exponent"] or "." in digits or shift:
        # The exponent does the scaling, so that 3456.7万 is rounded once.
        value = sign * float(digits + match["exponent"] if match["exponent"] else f"{digits}e{shift}")
        return None if math.isinf(value) else Parsed(value=value, unit=unit, scale=10.0**shift)
    return Parsed(value=sign * int(digits), unit=unit, kind="integer")


def _unit(match: re.Match[str]) -> str | None:
    """Return the unit of the number, of either side; an empty text where the two sides disagree."""
    before, behind = match["currency"] or match["inner_currency"], match["unit"]
    before = _SYMBOLS.get(before, before) if before else None
    behind = _SAME_UNIT.get(behind, _SYMBOLS.get(behind, behind)) if behind else None
    return before or behind if not (before and behind) or before == behind else ""
