"""What a question asks for, read by stated word lists; what no list names is not guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from capital_kit._core.normalise import normalise

View = Literal["trend", "comparison", "volume", "distribution", "ranking", "ohlc"]
Scope = Literal["full", "profile_only", "no_chart"]
VIEWS: tuple[View, ...] = ("trend", "comparison", "volume", "distribution", "ranking", "ohlc")
SCOPES: tuple[Scope, ...] = ("full", "profile_only", "no_chart")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What was asked for.

    Attributes
    ----------
    views : tuple of str
        Views that the question names or needs, in its order.
    chart : bool
        The question asks for a chart by name.
    window : str or None
        A period of the query language (``last_1_year``, ``ytd``, ``2024``, ``2024-05``), or two
        of ``YYYY[-MM]`` with a slash between them, the second one empty for "until the end".
    fields : tuple of str
        Columns that the question names, in its order.
    substitutes : tuple of str
        Kinds that are drawn as another view: ``pie``, ``overlay``.
    scope : {"full", "profile_only", "no_chart"}
        How far the question lets the work go.
    top : int or None
        How many of a ranking: ``前十``, ``top 3``.
    unread : tuple of str
        Phrases that name a window no rule reads.
    """

    views: tuple[View, ...] = ()
    chart: bool = False
    window: str | None = None
    fields: tuple[str, ...] = ()
    substitutes: tuple[str, ...] = ()
    scope: Scope = "full"
    top: int | None = None
    unread: tuple[str, ...] = ()


# ------------------------------------------------------------------ the word lists
# All words are in the form that ``normalise`` gives: lower case, no hyphen inside a word.
_VIEW_WORDS: dict[View, str] = {
    "ohlc": r"k线|蜡烛|阴阳烛|美国线|日线图|周线图|月线图|\b(?:candle(?:stick)?s?|ohlc|klines?)\b",
    "volume": r"成交量|交易量|量能|放量|缩量|量价|\b(?:trading )?volumes?\b",
    "trend": (
        r"走势|趋势|走向|变化|变动|曲线|折线|面积图"
        r"|\b(?:trends?|over time|evolution|line charts?|area charts?)\b"
    ),
    "comparison": (
        r"对比|比较|相比|同比|环比|叠加|差异|柱状"
        r"|\b(?:compar(?:e|ed|es|ing|isons?)|versus|vs|overlay|side by side)\b"
    ),
    "ranking": (
        r"排名|排行|排序|名次|占比|构成|集中度|饼图|最[大小高低多少]的"
        r"|前[0-9一二三五十百]+(?:名|大|位|只|家)?(?![0-9一二三四五六七八九十]*个?(?:年|月|季|天|日|周))"
        r"|\b(?:rank(?:s|ed|ings?)?|top [0-9]+|top ten|concentration|shares? of|pies?|largest|smallest)\b"
    ),
    "distribution": r"分布|直方|频数|频率|\b(?:distributions?|distributed|histograms?)\b",
}
# The name of a kind of chart asks for a chart.
_CHART_WORDS = (
    r"(?<![地企意试截蓝版力贪拼])图(?![书像谋腾])|(?<![计规漫动书国油策刻])画(?![像面家])|绘制|作图|可视化|k线|蜡烛|折线|柱状|直方|饼图"
    r"|\b(?:charts?|plot(?:s|ted|ting)?|draw(?:n|ing)?|graphs?|visuali[sz](?:e|es|ed|ing|ations?)"
    r"|candle(?:stick)?s?|histograms?|pies?)\b"
)
_SUBSTITUTE_WORDS = {"pie": r"饼图|\bpies?\b", "overlay": r"叠加|\boverlay\b"}
_KINDS = (
    r"饼图|k线图?|蜡烛图?|折线图?|柱状图?|直方图?|面积图|曲线图?|pies?|candlesticks?|histograms?|line charts?"
)
_NOT = r"(?:不要|不用|不需要|无需|不必|别|勿|免)(?:再|给我)?(?:画|出|作|做|附|生成|绘制|绘)?(?:任何)?"
_NOT_EN = (
    r"\b(?:no|without|do not|don't|dont|skip|not)\b(?: (?:need|want|draw|make|plot|any|a|the|create|show))*"
)
_NO_CHART = (
    rf"{_NOT}(?:图表|图片|图形|图|可视化)|不(?:画|出|作|做)图|(?:只|仅)(?:要|用)?文字"
    rf"|{_NOT_EN} (?:charts?|plots?|graphs?|visuali[sz]ations?|figures?)\b"
)
_NO_KIND = rf"{_NOT}(?:{_KINDS})|{_NOT_EN} (?:{_KINDS})"
_PROFILE_ONLY = (
    r"(?:只|仅)(?:需|要|做|到|看|给)*(?:数据)?(?:profile|画像|描述|概况)"
    r"|\bprofile only\b|\bonly (?:the |a )?profile\b|\bstop at (?:the )?profile\b"
)

# ------------------------------------------------------------------ the windows
_DIGITS = {char: number for number, char in enumerate("零一二三四五六七八九十")} | {"两": 2}
_ENGLISH = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
_UNITS = {
    "天": ("days", 1), "日": ("days", 1), "周": ("weeks", 1), "星期": ("weeks", 1),
    "月": ("months", 1), "季度": ("months", 3), "季": ("months", 3), "年": ("years", 1),
    "day": ("days", 1), "week": ("weeks", 1),
    "month": ("months", 1), "quarter": ("months", 3), "year": ("years", 1),
}  # fmt: skip
_ZH_COUNT = r"[0-9]{1,4}|[一二两三四五六七八九十]{1,3}|半"
_EN_COUNT = "[0-9]{1,4}|" + "|".join(_ENGLISH)
_LAST = re.compile(
    rf"(?:最近|近|过去)({_ZH_COUNT})个?(天|日|周|星期|月|季度|季|年)(?!半|份|代)"
    rf"|\b(?:last|past|latest|trailing|recent|previous) ({_EN_COUNT}) (day|week|month|quarter|year)s?\b"
    r"|\b(?:past|trailing|(?:in|over|during) the last) ()(day|week|month|quarter|year)\b",
    re.ASCII,
)
_NAMED = {
    "ytd": r"今年|本年|年初至今|年初以来|年内|\b(?:ytd|year to date|this year)\b",
    "previous_year": r"(?<![比较同于与和])(?:去年|上年)(?!同期|同比|末|底|以来)|\b(?:last|previous) year\b",
}
_DAY = r"((?:19|20|21)[0-9]{2})[-/年]([01]?[0-9])[-/月]([0-3]?[0-9])(?![0-9])日?"
_TO = r" ?(?:到|至|~|-|—|to|through) ?"
_BETWEEN_DAYS = re.compile(rf"(?<![0-9]){_DAY}{_TO}{_DAY}")
_SINCE_DAY = re.compile(rf"(?<![0-9]){_DAY} ?(?:以来|至今|起|之后)|\b(?:since|from) {_DAY}", re.ASCII)
_YEAR = "((?:19|20|21)[0-9]{2})"
_POINT = rf"{_YEAR}(?:年|-|/)?(?:(?<=[年/-])([01]?[0-9])(?![0-9])月?份?)?(?!-?[0-9])"
_MONTHS_OF_A_YEAR = re.compile(rf"(?<![0-9]){_YEAR}年([01]?[0-9])月{_TO}([01]?[0-9])月")
_QUARTER = re.compile(rf"(?<![0-9]){_YEAR}(?:年?第?([一二三四])季度?|年? ?q([1-4])(?![0-9]))")
_MONTH_NAMES = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_NAMED_MONTH = re.compile(
    rf"\b(since|from|in|of|during) ({'|'.join(_MONTH_NAMES)})[a-z]* {_YEAR}\b", re.ASCII
)
_TOP = re.compile(
    r"前([0-9]{1,3}|[一二三四五六七八九十]{1,3})(?![0-9一二三四五六七八九十个]*(?:年|月|季|天|日|周))"
    rf"|\btop ([0-9]{{1,3}}|{'|'.join(_ENGLISH)})\b",
    re.ASCII,
)
_BETWEEN = re.compile(rf"(?<![0-9]){_POINT} ?(?:到|至|~|-|—|to|through) ?{_POINT}")
_SINCE = re.compile(rf"(?<![0-9]){_POINT} ?(?:以来|至今|起|之后)|\b(?:since|from) {_POINT}", re.ASCII)
_DURING = re.compile(
    rf"(?<![0-9]){_YEAR}年(?:([01]?[0-9])月)?(?!前|后|期|以)"
    rf"|(?<![0-9-]){_YEAR}-([01][0-9])(?![0-9-])|\b(?:in|during|for|of) {_YEAR}()\b(?!-)",
    re.ASCII,
)
_UNREAD = re.compile(
    r"(?:最近|近|过去)[^ ,，。;；的]{0,6}(?:交易日|半个?月|年半|根)"
    r"|\b(?:last|past|recent) [a-z0-9 ]{0,12}(?:trading days?|sessions?|bars?)\b"
    r"|(?<!the )\blast (?:week|month|quarter)\b"
    r"|(?<![0-9年])[01]?[0-9]月 ?(?:到|至|~|-|—) ?[01]?[0-9]月"
    r"|(?<![0-9年第])第?[一二三四]季度(?!同比|环比)",
    re.ASCII,
)


def read_question(text: str, columns: Iterable[str] | Mapping[str, str] = ()) -> Asked:
    """Read what a question asks for.

    Parameters
    ----------
    text : str
        The question, Chinese or English.
    columns : iterable of str, or mapping of str to str
        Names of the columns, or words for them with the name each stands for.

    Returns
    -------
    Asked
        Views, window, fields and scope; empty where no rule reads anything.

    Examples
    --------
    >>> read_question("近一年走势和成交量", ["收盘价", "成交量"]).views
    ('trend', 'volume')
    """
    said = normalise(text).text
    no_chart = _find(_NO_CHART, said)
    said = re.sub(rf"{_NO_CHART}|{_NO_KIND}", " ", said, flags=re.ASCII)
    fields, rest = _fields(said, columns)
    found = {view: _find(words, rest) for view, words in _VIEW_WORDS.items()}
    # Volume is a view and a column at once; beside these views it is the column they are about.
    if found["distribution"] or found["ranking"] or found["comparison"]:
        found["volume"] = None
    views = sorted((match.start(), view) for view, match in found.items() if match)
    window, unread = _window(rest)
    scope: Scope = "no_chart" if no_chart else "profile_only" if _find(_PROFILE_ONLY, said) else "full"
    return Asked(
        views=tuple(view for _, view in views),
        chart=_find(_CHART_WORDS, rest) is not None,
        window=window,
        fields=fields,
        substitutes=tuple(kind for kind, words in _SUBSTITUTE_WORDS.items() if _find(words, rest)),
        scope=scope,
        top=_top(rest),
        unread=unread,
    )


def _find(words: str, said: str) -> re.Match[str] | None:
    """Search with ASCII word edges: in "ytd走势" the edge of the word is where Chinese begins."""
    return re.search(words, said, re.ASCII)


def _fields(said: str, columns: Iterable[str] | Mapping[str, str]) -> tuple[tuple[str, ...], str]:
    """Find the columns that are named; longer names first, so that none is found inside another."""
    names = columns if isinstance(columns, Mapping) else {name: name for name in columns}
    words = {normalise(word).text.strip(): name for word, name in names.items()}
    found: dict[str, int] = {}
    for word in sorted(words, key=lambda word: (-len(word), word)):
        if len(word) < 2:
            continue
        edge = r"(?<![a-z0-9_]){}(?![a-z0-9_])" if word.isascii() else "{}"
        match = re.search(edge.format(re.escape(word)), said)
        if match:
            found[words[word]] = min(match.start(), found.get(words[word], match.start()))
            if _find(rf"^(?:{_VIEW_WORDS['volume']})$", word):
                continue
            # Same length, so that places stay what they are.
            said = said[: match.start()] + "\x1e" * len(word) + said[match.end() :]
    return tuple(sorted(found, key=lambda name: found[name])), said


def _window(said: str) -> tuple[str | None, tuple[str, ...]]:
    unread = tuple(match[0] for match in _UNREAD.finditer(said))
    if match := _LAST.search(said):
        parts = [part for part in match.groups() if part is not None]
        return _last(*parts), unread
    for period, words in _NAMED.items():
        if _find(words, said):
            return period, unread
    if window := _dated(said):
        return window, unread
    if match := _BETWEEN.search(said):
        first, last = _point(*match.group(1, 2)), _point(*match.group(3, 4))
        return _span(first, last), unread
    if match := _SINCE.search(said):
        return _point(match[1] or match[3], match[2] or match[4]) + "/", unread
    if match := _DURING.search(said):
        return _point(match[1] or match[3] or match[5], match[2] or match[4]), unread
    return None, unread


def _dated(said: str) -> str | None:
    """Read what names days, months of one year, a quarter or an English month."""
    if match := _BETWEEN_DAYS.search(said):
        return _span(_date(*match.group(1, 2, 3)), _date(*match.group(4, 5, 6)))
    if match := _SINCE_DAY.search(said):
        return _date(*(match.group(1, 2, 3) if match[1] else match.group(4, 5, 6))) + "/"
    if match := _MONTHS_OF_A_YEAR.search(said):
        return _span(_point(match[1], match[2]), _point(match[1], match[3]))
    if match := _QUARTER.search(said):
        quarter = _DIGITS[match[2]] if match[2] else int(match[3])
        return f"{match[1]}-{3 * quarter - 2:02d}/{match[1]}-{3 * quarter:02d}"
    if match := _NAMED_MONTH.search(said):
        month = f"{match[3]}-{_MONTH_NAMES.index(match[2]) + 1:02d}"
        return f"{month}/" if match[1] in ("since", "from") else month
    return None


def _date(year: str, month: str, day: str) -> str:
    return f"{year}-{int(month):02d}-{int(day):02d}"


def _span(first: str, last: str) -> str | None:
    return f"{first}/{last}" if first <= last else None


def _top(said: str) -> int | None:
    match = _TOP.search(said)
    return (_count(match[1] or match[2]) or None) if match else None


def _last(count: str, unit: str) -> str | None:
    name, factor = _UNITS[unit]
    if count == "半":
        return "last_6_months" if name == "years" else None
    number = _count(count) * factor
    return f"last_{number}_{name if number > 1 else name[:-1]}" if number else None


def _count(text: str) -> int:
    if not text:
        return 1
    if text.isdecimal() and text.isascii():
        return int(text)
    if text in _ENGLISH:
        return _ENGLISH[text]
    tens, ten, ones = text.rpartition("十")
    if not ten:
        return _DIGITS[text] if len(text) == 1 else 0
    return (_DIGITS.get(tens, 0) if tens else 1) * 10 + (_DIGITS.get(ones, 0) if ones else 0)


def _point(year: str, month: str | None) -> str:
    return f"{year}-{int(month):02d}" if month and 1 <= int(month) <= 12 else year
