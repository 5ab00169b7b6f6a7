"""What a question asks for, read by stated word lists; what no list names is not guessed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from capital_kit._core.normalise import normalise
from capital_kit.charts._window_words import EN_NUMBERS, number_of, read_window

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
        of ``YYYY[-MM[-DD]]`` with a slash between them, the second one empty for "until the end".
        ``MM/MM`` are months of no stated year.
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
    not_offered : tuple of str
        Words for views that there are not: 关系, 占收入的比例, scatter.
    """

    views: tuple[View, ...] = ()
    chart: bool = False
    window: str | None = None
    fields: tuple[str, ...] = ()
    substitutes: tuple[str, ...] = ()
    scope: Scope = "full"
    top: int | None = None
    unread: tuple[str, ...] = ()
    not_offered: tuple[str, ...] = ()


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
        r"|前[0-9一二三四五六七八九十百]+(?:名|大|位|只|家)?(?![0-9一二三四五六七八九十]*个?(?:年|月|季|天|日|周))"
        rf"|\b(?:rank(?:s|ed|ings?)?|top (?:[0-9]+|{EN_NUMBERS})|concentration|shares? of|pies?)\b"
        r"|\b(?:largest|smallest)\b"
    ),
    "distribution": r"分布|直方|频数|频率|\b(?:distributions?|distributed|histograms?)\b",
}
# The name of a kind of chart asks for a chart.
_CHART_WORDS = (
    r"(?<![地企意试截蓝版力贪拼])图(?![书像谋腾])|(?<![计规漫动书国油策刻])画(?![像面家])|绘制|作图|可视化|k线|蜡烛|折线|柱状|直方|饼图"
    r"|\b(?:charts?|plot(?:s|ted|ting)?|draw(?:n|ing)?|graphs?|visuali[sz](?:e|es|ed|ing|ations?)"
    r"|candle(?:stick)?s?|histograms?|pies?)\b"
)
_NOT_OFFERED = (
    r"(?<!没)(?<!无)关系|相关性|相关系数|散点图?|热力图|雷达图"
    r"|占[^ ，。,;；]{1,12}的?(?:比例|比重)|比值|之比(?!较)"
    r"|\b(?:relations?|relationships?|correlations?|correlated|scatter(?: ?plots?)?|heat ?maps?|ratios?"
    r"|proportions?|percentage of)\b"
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

_TOP = re.compile(
    r"前([0-9]{1,3}|[一二三四五六七八九十]{1,3})(?![0-9一二三四五六七八九十个]*(?:年|月|季|天|日|周))"
    rf"|\btop ([0-9]{{1,3}}|{EN_NUMBERS})\b",
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
    window, unread = read_window(rest)
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
        not_offered=tuple(dict.fromkeys(match[0] for match in re.finditer(_NOT_OFFERED, rest, re.ASCII))),
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
            # A column called 成交量 or 排名 leaves the view of that name to be read.
            if _find(rf"^(?:{_VIEW_WORDS['volume']}|{_VIEW_WORDS['ranking']})$", word):
                continue
            # Same length, so that places stay what they are.
            said = said[: match.start()] + "\x1e" * len(word) + said[match.end() :]
    if not found:
        found, said = _fields_by_parts(said, words)
    return tuple(sorted(found, key=lambda name: found[name])), said


def _fields_by_parts(said: str, words: Mapping[str, str]) -> tuple[dict[str, int], str]:
    """Find the columns of which every part is named: 全国-同比增长 by 全国同比."""
    found: dict[str, int] = {}
    heads: set[str] = set()
    for word, name in words.items():
        # A Chinese part is named by its first two characters, a Latin one as a whole.
        parts = [part if part.isascii() else part[:2] for part in re.split(r"[-_()/]+", word) if part]
        places = [said.find(part) for part in parts]
        if len(parts) > 1 and min(map(len, parts)) > 1 and min(places) >= 0:
            found[name] = min(places)
            heads.update(parts)
    for head in sorted(heads, key=lambda part: (-len(part), part)):
        said = said.replace(head, "\x1e" * len(head))
    return found, said


def _top(said: str) -> int | None:
    match = _TOP.search(said)
    return (number_of(match[1] or match[2]) or None) if match else None
