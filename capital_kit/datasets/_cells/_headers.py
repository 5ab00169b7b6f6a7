"""Column names: what the header says about a column, and clean names without duplicates."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from capital_kit._core.notices import Notice
from capital_kit.datasets._cells._values import MONEY, QUANTITIES, RATIOS, SCALES, fold

_SCALE = "|".join(filter(None, SCALES))
_UNIT = re.compile(
    rf"(?:单位[:为]?\s*)?(?P<unit>(?P<prefix>{_SCALE})?(?P<base>{MONEY}|{QUANTITIES}|日)?(?P<per>/(?:{RATIOS}))?"
    r"|%{1,2}|‰|bp|bps|BP|pct|percent)"
)
_ENGLISH_UNIT = re.compile(
    r"(?:in\s)?(?P<unit>(?:RMB|CNY|US\$|USD|HK\$|HKD|EUR|JPY|\$|€|£|¥)?\s?"
    r"(?P<scale>'000|thousands?|mn|m|millions?|bn|billions?)?)"
)
_ENGLISH_SCALES = {
    "'000": 1e3,
    "thousand": 1e3,
    "mn": 1e6,
    "m": 1e6,
    "million": 1e6,
    "bn": 1e9,
    "billion": 1e9,
}
_IN_BRACKETS = re.compile(r"\s*[\(\[【<〔]([^()\[\]【】<>〔〕]*)[\)\]】>〕]")
_IN_PERCENT = re.compile(r"(?P<name>.*[^\s(\[（【%])\s*(?P<unit>%{1,2})")
_AS_WIND = re.compile(r"(?P<name>.*\S)\s*\[单位\]\s*(?P<unit>\S+)")
_MARK = re.compile(r"[:,/_]|\s")
_ALONE = re.compile(
    rf"%|‰|bps?|BP|(?:{_SCALE})?(?:{MONEY}|股|手|份|张|吨)(?:/(?:{RATIOS}))?|(?:{_SCALE})(?:户|人|家)"
)
"""Units that may stand behind a mark alone: 总市值:亿元; 上市_日 and 负责 人 hold none."""
_QUOTED = re.compile(r'\s*(?:="(.*)"|\'(.*)\')\s*', re.DOTALL)
_ANGLED = re.compile(r"<([^<>]+)>")
"""<CLOSE>, as Stooq and MetaTrader write names."""
_TRANSLATION = re.compile(r"[A-Za-z][A-Za-z .]*")
"""What may follow the unit in a header of two languages: 权重(%)weight."""
_FACTORS = {"手": 100.0}

NameSort = Literal["code", "identifier", "time", "day", "moment", "month", "year", "epoch"]
_NAMES: dict[NameSort, re.Pattern[str]] = {
    "code": re.compile(
        r"(?:.*(?:代码|证券编码|股票编号|合约|secid|secucode)(?:\s?[A-Za-z][A-Za-z .]*)?)"
        r"|(?:symbol|code|ticker|tickers|isin|cusip|sedol|ric|thscode|windcode|wind_code|ts_code|order_book_id|instrument"
        r"|(?:sec|stock|fund|bond|index|con|security|industry|trade|exchange|stk|security_|asset)_?(?:code|symbol|id))",
        re.IGNORECASE,
    ),
    "time": re.compile(
        r".*(?:日期|时间|时点|日$|月份|月度|年月|报告期|期间|年度|年份|季度|截止日|公告日|交易日|更新日).*"
        r"|(?:.*[_ ])?(?:date|time|datetime|day|month|quarter|year|period|timestamp|ts|dt|t|epoch|asof)"
        r"(?:[_ ].*)?"
        r"|(?-i:.*[a-z](?:Date|Time))|\w*(?:trade|trading|report|end|start|ann|pub)(?:date|time|day)|.*_(?:at|on)",
        re.IGNORECASE,
    ),
    "identifier": re.compile(
        r"(?:.*(?:手机号?码?|电话|身份证号?码?|邮编|邮政编码|订单号|单号|账号|卡号|流水号|工号|学号))"
        r"|(?-i:.*(?:[a-z]I[dD]|[^A-Za-z]ID))"
        r"|(?:.*[_ ])?(?:id|uid|uuid|zip|zip_?code|post(?:al)?_?code|phone|mobile)",
        re.IGNORECASE,
    ),
    "day": re.compile(r".*日期|.*日$|(?:.*[_ ])?date|.*[a-z]Date", re.IGNORECASE),
    "moment": re.compile(
        r"(?:交易|成交|更新|行情|数据|日期)?(?:时间|时刻)|(?:(?:trade|bar|date|update)[_ ]?)?time(?:stamp)?",
        re.IGNORECASE,
    ),
    "month": re.compile(r".*(?:月|month|period|报告期|期间|年月).*", re.IGNORECASE),
    "year": re.compile(r".*(?:年$|年份|年度|报告期|year|fiscal).*", re.IGNORECASE),
    "epoch": re.compile(
        r".*(?:时间|日期|date|time|stamp|epoch|unix|(?:^|_)ts(?:$|_)|_ms$|_at$).*|t", re.IGNORECASE
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Header:
    """One header cell: the clean name, the text as written, and the unit it states."""

    name: str
    written: str
    unit: str | None = None
    unit_scale: float | None = None


def read_unit(text: str) -> tuple[str, float | None] | None:
    """Return a unit and its factor (``万元`` → 1e4); None where the text is no known unit.

    The factor leads to the base unit; a ratio such as 元/股 or % has none.
    """
    text = fold(text)
    match = _UNIT.fullmatch(text)
    if match is None or not match["unit"]:
        return _read_english_unit(text)
    if match["prefix"] is None and match["base"] is None:
        if match["per"]:
            return None
        return ("%" if match["unit"] in ("%%", "pct", "percent") else match["unit"]), None
    if match["per"]:
        return match["unit"], None
    return match["unit"], 10.0 ** SCALES[match["prefix"] or ""] * _FACTORS.get(match["base"] or "", 1.0)


def _read_english_unit(text: str) -> tuple[str, float | None] | None:
    """Read ``RMB mn``, ``US$'000`` or ``in millions``."""
    match = _ENGLISH_UNIT.fullmatch(text)
    if match is None or not match["unit"] or match["unit"] == "m":
        return None
    scale = (match["scale"] or "").removesuffix("s")
    return match["unit"], _ENGLISH_SCALES[scale] if scale else 1.0


def read_headers(written: Sequence[str]) -> tuple[list[Header], list[Notice]]:
    """Return one header a column, with unique names, and what had to be done for that."""
    headers = [_read(text) for text in written]
    shared = {name for name, count in Counter(header.name for header in headers).items() if count > 1}
    # 金额(万元) beside 金额(%): the unit tells them apart, so it stays in the name.
    headers = [
        Header(name=fold(h.written), written=h.written, unit=h.unit, unit_scale=h.unit_scale)
        if h.name in shared and h.unit
        else h
        for h in headers
    ]
    return _unique(headers)


def _read(written: str) -> Header:
    # Half of a surrogate pair has no UTF-8; it stays visible as an escape.
    written = written.encode("utf-8", "backslashreplace").decode("utf-8")
    name = re.sub(r"\s+", " ", fold(_unquoted(written.lstrip("\ufeff"))))
    name = _ANGLED.sub(r"\1", name) if _ANGLED.fullmatch(name) else name
    stem, unit = _in_brackets(name)
    if unit is None and (match := _AS_WIND.fullmatch(name) or _IN_PERCENT.fullmatch(name)):
        stem, unit = match["name"], match["unit"]
    if unit is None:
        stem, unit = _behind_mark(name)
    found = read_unit(unit) if unit else None
    if found is None:
        return Header(name=name, written=written)
    return Header(name=stem.rstrip(" :,/_"), written=written, unit=found[0], unit_scale=found[1])


def _unquoted(written: str) -> str:
    match = _QUOTED.fullmatch(written)
    return match[1] or match[2] or "" if match else written


def _in_brackets(name: str) -> tuple[str, str | None]:
    """Return name and unit of 涨跌幅(%)(前复权): of the brackets at the end the first that hold a unit."""
    for match in _IN_BRACKETS.finditer(name):
        stem, rest = name[: match.start()], name[match.end() :].strip()
        ends = not rest or _IN_BRACKETS.match(rest) or (_TRANSLATION.fullmatch(rest) and not stem.isascii())
        if stem.strip() and ends and read_unit(match[1]):
            return stem + rest, match[1]
    return name, None


def _behind_mark(name: str) -> tuple[str, str | None]:
    """Return name and unit of ``总市值:亿元``; EUR/USD is a pair, and price_元 keeps its name."""
    for mark in _MARK.finditer(name):
        stem, unit = name[: mark.start()].rstrip(), name[mark.end() :].lstrip()
        if not _ALONE.fullmatch(unit) or (mark[0] == " " and unit in ("股", "份", "张")):
            continue
        if stem and read_unit(_MARK.split(stem)[-1]) is None:
            return (name if mark[0] == "_" else stem), unit
    return name, None


def _unique(headers: list[Header]) -> tuple[list[Header], list[Notice]]:
    taken = {header.name for header in headers}
    seen: set[str] = set()
    repeated: list[str] = []
    unnamed: list[str] = []
    out = []
    for position, header in enumerate(headers, 1):
        name = header.name
        if not name or name in seen:
            stem, number = (name, 2) if name else ("column", position)
            while (name := f"{stem}_{number}") in taken:
                number += 1
            taken.add(name)
            (repeated if header.name else unnamed).append(name)
        seen.add(name)
        out.append(Header(name=name, written=header.written, unit=header.unit, unit_scale=header.unit_scale))
    notices = []
    if repeated:
        notices.append(Notice("datasets", "duplicate_names", names=list(repeated[:10])))
    if unnamed:
        notices.append(Notice("datasets", "missing_names", names=list(unnamed[:10])))
    return out, notices


def is_named(name: str, what: NameSort) -> bool:
    """Tell whether a column of this name may hold ``what``.

    code: identifiers; identifier: numbers that tell things apart and measure nothing (手机号,
    user_id); time: days, times or periods; day: five digits as a spreadsheet counts days; moment: the same
    with decimals; month: six digits; year: four digits; epoch: large integers that count from 1970.
    """
    return bool(_NAMES[what].fullmatch(name))
