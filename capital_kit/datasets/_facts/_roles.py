"""What the columns are for, told from their names and their values.

Names propose, values decide: four columns called open, high, low and close are prices only if the
high is the highest and the low the lowest on nearly every row.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from capital_kit._core.labels import tr
from capital_kit._core.notices import Notice
from capital_kit.datasets._cells._headers import is_named
from capital_kit.datasets._description import ColumnFacts, Roles
from capital_kit.datasets._facts._kernel import Measured
from capital_kit.datasets._facts._rows import key_repeats
from capital_kit.datasets._model import NUMERIC, TEMPORAL

Array = npt.NDArray[Any]

OHLC = ("open", "high", "low", "close")
OHLC_SHARE = 0.95
CERTAIN, BY_NAME, BY_VALUES = 1.0, 0.8, 0.6
CATEGORY_MAX = 50
CATEGORY_FEW = 12
"""So many distinct texts are categories even where they hardly repeat."""

ALIASES: dict[str, tuple[str, ...]] = {
    "time": (
        "交易日期", "日期", "时间", "交易时间", "日期时间", "报告期", "报告日", "报告日期", "统计时间",
        "月份", "季度", "年份", "年度", "tradedate", "tradingdate", "tradetime", "tradingday",
        "date", "datetime", "time", "timestamp", "datems", "day", "period", "month", "quarter", "year",
    ),
    "open": ("open", "openprice", "开盘价", "开盘", "今开", "今开盘", "开盘价格", "openpx", "开"),
    "high": ("high", "highprice", "最高价", "最高", "highpx", "高"),
    "low": ("low", "lowprice", "最低价", "最低", "lowpx", "低"),
    "close": (
        "close", "closeprice", "收盘价", "收盘", "match", "last", "lastprice", "最新价", "现价", "最新",
        "closepx", "close/last", "price", "收",
    ),
    "volume": (
        "volume", "vol", "成交量", "总手", "交易量", "总成交量", "成交股数", "tradevolume", "tradingvolume",
        "totalvolume", "成交手数",
    ),
    "amount": (
        "amount", "成交额", "成交金额", "总成交额", "交易额", "总成交金额", "money", "amt", "tradeamount",
        "turnovervalue",
    ),
    "entity": (
        "证券代码", "股票代码", "代码", "基金代码", "债券代码", "合约代码", "指数代码", "tscode", "thscode",
        "windcode", "symbol", "ticker", "code", "secid", "instrument", "stockcode", "secucode", "合约",
    ),
}  # fmt: skip
"""Names of each role, folded, the surest first."""

_LATE = re.compile(r"更新|上市|公告|发布|截止|首次|最后|update|list|announce|publish|create|settle|expir")
_RANK = re.compile(r".*(?:rank|ranking|排名|名次|位次)")
_ID = re.compile(r"^(序号|编号|行号|id|index|no|rownum|rownumber|unnamed:?\d*|.*id)$")


@lru_cache(maxsize=4096)
def folded(name: str) -> str:
    """Return a column name for comparison: ``Adj Close`` and ``adj_close`` become ``adjclose``.

    Width and case are folded; spaces, underscores, hyphens, dots, a leading count (``1. open``) and
    a trailing unit in brackets are left out.
    """
    text = unicodedata.normalize("NFKC", name).casefold().strip()
    text = re.sub(r"^\d+\.\s*(?=\D)", "", text)
    text = re.sub(r"\s*[(\[【].*[)\]】]$", "", text) or text
    return re.sub(r"[\s_.\-]+", "", text)


@dataclass(slots=True)
class Found:
    """Roles while they are being looked for."""

    columns: Mapping[str, Measured]
    chosen: Mapping[str, str | None]
    time: str | None
    evidence: dict[str, str] = field(default_factory=dict)
    confidence: dict[str, float] = field(default_factory=dict)
    notices: list[Notice] = field(default_factory=list)
    numbers: dict[str, list[str]] = field(default_factory=dict, init=False)
    """The numeric columns by their folded names."""

    def __post_init__(self) -> None:
        for name, measured in self.columns.items():
            if measured.facts.kind in NUMERIC:
                self.numbers.setdefault(folded(name), []).append(name)

    def named(self, role: str) -> str | None:
        """Return the column of a role: the user's, or the numeric one with the surest name."""
        if role in self.chosen:
            return self.chosen[role]
        taken = set(self.chosen.values()) | {self.time}
        surest = (name for alias in ALIASES[role] for name in self.numbers.get(alias, ()))
        return next((name for name in surest if name not in taken), None)

    def take(self, role: str, agrees: Callable[[str], bool]) -> str | None:
        """Return the column of a role and note why it has it, and whether its values agree."""
        name = self.named(role)
        if name and role in self.chosen:
            self.tell(role, "chosen", CERTAIN, column=name)
        elif name:
            self.tell(role, "named", CERTAIN if agrees(name) else BY_NAME, column=name)
        return name

    def tell(self, role: str, how: str, confidence: float | None, **values: Any) -> None:
        """Note why a column has its role and how sure that is; None where it was denied it."""
        self.evidence[role] = tr(f"describe.evidence.{how}", **values)
        if confidence is not None:
            self.confidence[role] = confidence


def detect_roles(
    columns: Mapping[str, Measured], *, time: str | None, chosen: Mapping[str, str | None]
) -> tuple[Roles, tuple[Notice, ...]]:
    """Return the roles of measured columns and what was doubted.

    Parameters
    ----------
    columns : Mapping
        The measured columns by name, in file order.
    time : str or None
        The time column, already chosen.
    chosen : Mapping
        The user's decisions by role; None says that no column has it. They always win.
    """
    found = Found(columns, chosen, time)
    if time:
        facts = columns[time].facts
        how = "chosen" if "time" in chosen else "time_named" if folded(time) in ALIASES["time"] else "time"
        sure = BY_VALUES if how == "time" else CERTAIN
        found.tell("time", how, sure, column=time, kind=facts.kind, count=facts.count)
    ohlc = _ohlc(found)
    volume = found.take("volume", lambda name: not columns[name].facts.negatives)
    entity = _entity(found)
    facts_list = [measured.facts for measured in columns.values()]
    roles = Roles(
        time=time,
        ohlc=ohlc,
        volume=volume,
        amount=_amount(found, volume, ohlc),
        entity=entity,
        categories=tuple(facts.name for facts in facts_list if facts.name != time and _is_category(facts)),
        measures=tuple(
            facts.name
            for facts in facts_list
            if facts.kind in NUMERIC
            and facts.name not in (time, entity and entity["column"])
            and facts.distinct > 1
            and not _tells_apart(facts)
            and not is_rank(facts)
        ),
        evidence=found.evidence,
        confidence=found.confidence,
    )
    return roles, tuple(found.notices)


def column_roles(roles: Roles, facts: Sequence[ColumnFacts]) -> dict[str, str]:
    """Return the one role of each column that has one."""
    result = {facts.name: "rank" for facts in facts if is_rank(facts)}
    result |= {facts.name: "id" for facts in facts if _tells_apart(facts)}
    result |= dict.fromkeys(roles.measures, "measure") | dict.fromkeys(roles.categories, "category")
    single = {"amount": roles.amount, "volume": roles.volume, **(roles.ohlc or {})}
    single |= {"entity": roles.entity["column"] if roles.entity else None, "time": roles.time}
    return result | {column: role for role, column in single.items() if column}


def choose_time(columns: Sequence[ColumnFacts]) -> str | None:
    """Return the time column: by kind, then name, then coverage; None if no column can be one.

    A column of one single time, such as the day of a snapshot, orders nothing and is no axis; nor is
    the day of listing where every code stands once.
    """
    snapshot = any(facts.kind == "code" and facts.distinct == facts.count > 1 for facts in columns)
    candidates = [
        facts
        for facts in columns
        if facts.kind in TEMPORAL and facts.count and (facts.distinct > 1 or facts.count == 1)
        if not (snapshot and _LATE.search(folded(facts.name)))
    ]
    order = {alias: place for place, alias in enumerate(ALIASES["time"])}

    def rank(facts: ColumnFacts) -> tuple[float, ...]:
        name = folded(facts.name)
        known = 0 if name in order else 2 if _LATE.search(name) else 1
        covered = facts.count / (facts.count + facts.nulls)
        return (covered < 0.8, known, -round(covered, 2), -facts.distinct, order.get(name, 0))

    return min(candidates, key=rank).name if candidates else None


def is_row_number(facts: ColumnFacts) -> bool:
    """Tell whether a column only counts the rows."""
    if facts.kind != "integer" or facts.count < 2 or facts.nulls or facts.distinct != facts.count:
        return False
    assert isinstance(facts.min, int)
    assert isinstance(facts.max, int)
    return facts.max - facts.min == facts.count - 1 and bool(_ID.match(folded(facts.name) or "id"))


def is_rank(facts: ColumnFacts) -> bool:
    """Tell whether a column holds places in an order: to draw or to add them up would say nothing."""
    return facts.kind == "integer" and bool(_RANK.fullmatch(folded(facts.name)))


def _tells_apart(facts: ColumnFacts) -> bool:
    """Tell whether a column of numbers identifies rows or things: to sum it would mean nothing."""
    return is_row_number(facts) or (facts.kind == "integer" and is_named(facts.name, "identifier"))


def ohlc_order(prices: Mapping[str, Measured]) -> tuple[Array, Array]:
    """Return which rows state all four prices, and which of them put high or low wrongly."""
    complete = np.logical_and.reduce([prices[role].mask() for role in OHLC])
    first, top, bottom, last = (prices[role].values for role in OHLC)
    wrong = (top < first) | (top < last) | (bottom > first) | (bottom > last)
    return complete, wrong & complete


def _ohlc(found: Found) -> dict[str, str] | None:
    names = {role: name for role in OHLC if (name := found.named(role))}
    if len(names) < 4 or len(set(names.values())) < 4:
        if told := [name for role in OHLC if (name := found.chosen.get(role))]:
            found.notices.append(Notice("describe", "prices_incomplete", columns=told, roles=list(OHLC)))
        return None
    listed = ", ".join(names.values())
    complete, wrong = ohlc_order({role: found.columns[name] for role, name in names.items()})
    rows, fine = int(complete.sum()), int(complete.sum() - wrong.sum())
    if all(role in found.chosen for role in OHLC):
        found.tell("ohlc", "chosen", CERTAIN, column=listed)
        return names
    units = {found.columns[name].facts.unit for name in names.values()} - {None}
    if len(units) > 1:
        found.tell("ohlc", "ohlc_units", None, columns=listed)
        found.notices.append(Notice("describe", "ohlc_units_differ", columns=listed))
        return None
    how = "ohlc" if rows and fine >= OHLC_SHARE * rows else "ohlc_rejected"
    sure = round(fine / rows, 4) if how == "ohlc" else None
    found.tell("ohlc", how, sure, columns=listed, fine=fine, rows=rows)
    if how == "ohlc":
        return names
    if rows:
        found.notices.append(Notice("describe", "ohlc_rejected", columns=listed, fine=fine, rows=rows))
    return None


def _amount(found: Found, volume: str | None, ohlc: Mapping[str, str] | None) -> str | None:
    name = found.take("amount", lambda name: _is_money(found, name) or _fits_trade(found, name, volume, ohlc))
    if name or "amount" in found.chosen:
        return name
    turnover = next(iter(found.numbers.get("turnover", ())), None)
    if turnover is None:
        return None
    if _is_money(found, turnover):
        unit = found.columns[turnover].facts.unit
        found.tell("amount", "turnover_unit", BY_NAME, column=turnover, unit=unit)
        return turnover
    if _fits_trade(found, turnover, volume, ohlc):
        found.tell("amount", "turnover_size", BY_NAME, column=turnover, volume=volume)
        return turnover
    return None


def _is_money(found: Found, name: str) -> bool:
    return (found.columns[name].facts.unit or "").endswith(("元", "CNY", "USD", "HKD"))


def _fits_trade(found: Found, name: str, volume: str | None, ohlc: Mapping[str, str] | None) -> bool:
    """Tell whether values are shares (or lots of 100) times a price; a rate is nowhere near that."""
    if volume is None or ohlc is None:
        return False
    price = found.columns[ohlc["close"]].magnitude
    size, traded = found.columns[volume].magnitude, found.columns[name].magnitude
    if not price or not size or not traded:
        return False
    ratio = traded / (size * price)
    return 0.5 <= ratio <= 2 or 50 <= ratio <= 200


def _is_category(facts: ColumnFacts) -> bool:
    kinds = ("text", "code", "category", "boolean")
    few = facts.distinct <= CATEGORY_FEW or 2 * facts.distinct <= facts.count
    return (
        facts.kind in kinds and 2 <= facts.distinct <= CATEGORY_MAX and few and facts.distinct < facts.count
    )


def _entity(found: Found) -> dict[str, Any] | None:
    if "entity" in found.chosen:
        name = found.chosen["entity"]
        if name:
            found.tell("entity", "chosen", CERTAIN, column=name)
    else:
        name = _code_column(found) or _key_column(found)
    if name is None:
        return None
    distinct = found.columns[name].facts.distinct
    panel = distinct > 1 and _times_repeat(found)
    return {"column": name, "distinct": distinct, "panel": panel}


def _code_column(found: Found) -> str | None:
    names: dict[str, str] = {}
    for name, measured in found.columns.items():
        facts = measured.facts
        if facts.kind in ("code", "text", "category") and facts.count and name != found.time:
            names.setdefault(folded(name), name)
    for alias in ALIASES["entity"]:
        if alias in names:
            name = names[alias]
            is_code = found.columns[name].facts.kind == "code"
            found.tell("entity", "named", CERTAIN if is_code else BY_NAME, column=name)
            return name
    codes = [
        name
        for name in names.values()
        if found.columns[name].facts.kind == "code" and not is_named(name, "identifier")
    ]
    if codes:
        found.tell("entity", "code", BY_VALUES, column=codes[0])
        return codes[0]
    return None


def _times_repeat(found: Found) -> bool:
    if found.time is None:
        return False
    facts = found.columns[found.time].facts
    return facts.distinct < facts.count


def _key_column(found: Found) -> str | None:
    """Return the first text column that makes repeated times unique: a panel without codes."""
    if found.time is None or not _times_repeat(found):
        return None
    time = found.columns[found.time]
    for name, measured in found.columns.items():
        facts = measured.facts
        if facts.kind not in ("text", "category") or facts.nulls or not 1 < facts.distinct < facts.count:
            continue
        if key_repeats([measured, time]).rows == 0:
            found.tell("entity", "key", BY_VALUES, column=name, time=found.time)
            return name
    return None
