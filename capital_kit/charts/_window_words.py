"""The time window that a question names, read by stated rules; what no rule reads is named."""

from __future__ import annotations

import calendar
import datetime as dt
import re

# ------------------------------------------------------------------ numbers in words
_DIGITS = {char: number for number, char in enumerate("零一二三四五六七八九十")} | {"两": 2}
_ENGLISH = {
    "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6,
    "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
EN_NUMBERS = "|".join(_ENGLISH)

# ------------------------------------------------------------------ counted from the end
_UNITS = {
    "天": ("days", 1), "日": ("days", 1), "周": ("weeks", 1), "星期": ("weeks", 1),
    "月": ("months", 1), "季度": ("months", 3), "季": ("months", 3), "年": ("years", 1),
    "day": ("days", 1), "week": ("weeks", 1),
    "month": ("months", 1), "quarter": ("months", 3), "year": ("years", 1),
}  # fmt: skip
_ZH_COUNT = r"[0-9]{1,4}|[一二两三四五六七八九十]{1,3}|半"
_LAST = re.compile(
    rf"(?:最近|近|过去)({_ZH_COUNT})个?(天|日|周|星期|月|季度|季|年)(?!半|份|代)"
    rf"|\b(?:last|past|latest|trailing|recent|previous) ([0-9]{{1,4}}|{EN_NUMBERS})"
    r" (day|week|month|quarter|year)s?\b"
    r"|\b(?:past|trailing|(?:in|over|during) the last) ()(day|week|month|quarter|year)\b",
    re.ASCII,
)
_NAMED = {
    "ytd": r"今年|本年|(?<![0-9])(?:年初至今|年初以来)|年内|\b(?:ytd|year ?to ?date|this year)\b",
    "previous_year": r"(?<![比较同于与和])(?:去年|上年)(?!同期|同比|末|底|以来)|\b(?:last|previous) year\b",
}

# ------------------------------------------------------------------ parts of a year
_ORDINALS = ("first", "second", "third", "fourth")
# With the months they are; "三季报" is a report and "二季度同比" a measure.
_PARTS = {
    **{
        rf"第?[{digit}{number}]季度?+(?!报)|(?:q{number}(?![0-9a-z])|{ordinal} quarter\b)": (
            3 * number - 2,
            3 * number,
        )
        for number, (digit, ordinal) in enumerate(zip("一二三四", _ORDINALS, strict=True), 1)
    },
    r"前[三3]个?季度": (1, 9),
    r"上半年|h1(?![0-9a-z])|first half\b": (1, 6),
    r"下半年|h2(?![0-9a-z])|second half\b": (7, 12),
}
_PART = f"(?:{'|'.join(_PARTS)})"
_MONTHS = [name.lower() for name in calendar.month_name[1:]]
_MONTH = "(" + "|".join(f"{name[:3]}(?:{name[3:]})?" if len(name) > 3 else name for name in _MONTHS) + ")"
_IN_A_YEAR = rf"(?:{_PART}|第?[一二三四1-4]季|[0-9一二三四五六七八九十]{{1,3}}月)"

# ------------------------------------------------------------------ points in time
_YEAR = "((?:19|20|21)[0-9]{2})"
# Possessive ends, so that a date takes its whole phrase or none: "5月6日前" is not "5月6" and "日前".
_DAY = rf"{_YEAR}[-/年]([01]?[0-9])[-/月]([0-3]?[0-9])(?![0-9月])日?+"
_POINT = rf"{_YEAR}(?:年|-|/)?+(?:(?<=[年/-])([01]?[0-9])(?![0-9])月?份?)?(?![0-9]|(?<=[0-9])-[0-9]|{_PART})"
_TO = r" ?(?:到|至|~|-|—|to|through) ?"
_AFTERWARDS = r" ?(?:以来|至今|到现在|起|之后|以后)"
# "2024年5月前" is not May 2024, nor is "before 2024-05".
_NOT_UNTIL = (
    r"(?<![0-9至到])(?<!截止)(?<!before )(?<!until )(?<!till )(?<!after )(?<!as of )(?<!up to )(?<!by )"
)
_WITHIN = r"(?!之?前|以前|之?后|以后|期)"

_BETWEEN_DAYS = re.compile(rf"(?<![0-9]){_DAY}{_TO}{_DAY}")
_DAYS_OF_A_YEAR = re.compile(
    rf"(?<![0-9]){_YEAR}年([01]?[0-9])月([0-3]?[0-9])日?{_TO}(?:([01]?[0-9])月)?([0-3]?[0-9])日"
)
_SINCE_DAY = re.compile(rf"(?<![0-9]){_DAY}{_AFTERWARDS}|\b(?:since|from) {_DAY}", re.ASCII)
_ONE_DAY = re.compile(rf"{_NOT_UNTIL}{_DAY}{_WITHIN}(?!{_TO})")
_MONTHS_OF_A_YEAR = re.compile(rf"(?<![0-9]){_YEAR}年([01]?[0-9])月?{_TO}([01]?[0-9])月(?![0-9])")
_PART_OF_A_YEAR = re.compile(
    rf"{_NOT_UNTIL}(?<![~-]){_YEAR}[ /-]?年?({_PART})(?!前|之前|以前)|\b({_PART})(?: of)? {_YEAR}\b", re.ASCII
)
_BETWEEN = re.compile(rf"(?<![0-9]){_POINT}{_TO}{_POINT}")
_YEARS = re.compile(rf"(?<![0-9-]){_YEAR} ?[-~—] ?{_YEAR}(?![0-9-]|年[0-9]|年?{_PART})")
_SINCE = re.compile(rf"(?<![0-9]){_POINT}初?{_AFTERWARDS}|\b(?:since|from) {_POINT}", re.ASCII)
_DURING = re.compile(
    rf"{_NOT_UNTIL}{_YEAR}年(?:([01]?[0-9])月份?)?+{_WITHIN}(?![以到至~代初底末-]|(?<=月)[0-9上中下]|{_IN_A_YEAR})"
    rf"|{_NOT_UNTIL}(?<!-){_YEAR}-([01][0-9])(?![0-9-]){_WITHIN}"
    rf"|\b(?:in|during|for|(?<!as )of) {_YEAR}()\b(?!-)",
    re.ASCII,
)
_NAMED_MONTHS = re.compile(
    rf"(?<![0-9] )\b(?:{_MONTH}(?: {_YEAR})?{_TO}{_MONTH} {_YEAR}|{_MONTH} {_YEAR})\b", re.ASCII
)

# ------------------------------------------------------------------ of no stated year
_NO_YEAR = r"(?<![0-9a-z年每第前后续])"
_MONTHS_OF_NO_YEAR = re.compile(rf"{_NO_YEAR}([01]?[0-9])月?{_TO}([01]?[0-9])月(?!期|[0-9])")
_PART_OF_NO_YEAR = re.compile(rf"{_NO_YEAR}({_PART})(?!同比|环比|期|(?: of)? {_YEAR})")

# ------------------------------------------------------------------ what no rule reads
_SOME_YEAR = r"(?:去年|今年|上年|本年)"
_SOME_PART = rf"(?:{_YEAR}[ /-]?年?)?{_PART}(?:(?: of)? {_YEAR})?"
_UNREAD = re.compile(
    r"(?:最近|近|过去)[^ ,，。;；的]{0,6}(?:交易日|半个?月|年半|根)"
    r"|\b(?:last|past|recent) [a-z0-9 ]{0,12}(?:trading days?|sessions?|bars?)\b"
    r"|(?<!the )\blast (?:week|month|quarter)\b|\bthis (?:week|month|quarter)\b"
    rf"|{_SOME_YEAR}{_IN_A_YEAR}"
    rf"|\b(?:(?:in|of|during) )?(?:the )?(?:{_PART}|{_MONTH})(?: of)? (?:last|this) year\b"
    r"|(?<![比较同于与和成资样日])(?:上个?|本|这个?)(?:月|周|星期|季度)(?!环比|同比|日|末|期|线|度|均)"
    # Quarters and halves from one to another, or since one.
    rf"|(?:\bfrom )?(?<![0-9])(?:{_YEAR}[ /-]?年?)?(?:{_PART}|第?[一二三四1-4]){_TO}{_SOME_PART}"
    rf"|(?:{_YEAR}[ /-]?年?)?{_PART}{_AFTERWARDS}|\b(?:since|from|after|before|until) {_SOME_PART}"
    rf"|\b(?:in|since|from|during) {_MONTH}\b(?! [0-9])",
    re.ASCII,
)
# What still names a date where no rule has read a window.
_A_DATE = re.compile(
    rf"{_YEAR}[ /-]?年?{_PART}|\b{_PART}(?: of)? {_YEAR}\b"
    rf"|{_PART_OF_NO_YEAR.pattern}"
    rf"|{_YEAR}(?:年(?:代|[01]?[0-9]月(?:[0-3]?[0-9]日)?)?|[-/][01]?[0-9](?:[-/][0-3]?[0-9])?(?![0-9]))"
    rf"|{_NO_YEAR}(?:1[0-2]|[1-9])月份?(?!期|度|均|线)(?:[0-3]?[0-9]日)?"
    rf"|\b{_MONTH} [0-9]{{1,2}},? {_YEAR}\b|\b[0-9]{{1,2}} {_MONTH} {_YEAR}\b",
    re.ASCII,
)


def read_window(said: str) -> tuple[str | None, tuple[str, ...]]:
    """Read the window that a question names.

    Parameters
    ----------
    said : str
        The question as ``normalise`` gives it, without what names columns.

    Returns
    -------
    window : str or None
        As :class:`~capital_kit.charts._question.Asked` describes it.
    unread : tuple of str
        Phrases that name a window no rule reads.

    Examples
    --------
    >>> read_window("2024年上半年走势"), read_window("去年二季度走势")
    (('2024-01/2024-06', ()), (None, ('去年二季度',)))
    """
    said = _NAMED_MONTHS.sub(_numbered, re.sub(r"\bbetween (.{4,20}?) and ", r"\1 to ", said))
    unread = tuple(dict.fromkeys(match[0] for match in _UNREAD.finditer(said)))
    rest = _UNREAD.sub("\x1e", said)
    window = _relative(rest) or _days(rest) or _periods(rest) or (None if unread else _of_no_year(rest))
    if window is None and not unread:
        unread = tuple(dict.fromkeys(match[0] for match in _A_DATE.finditer(rest)))
    return window, unread


def number_of(text: str) -> int:
    """Return a number written in digits, in Chinese or in English; 1 for no text, 0 for no number."""
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


def _numbered(match: re.Match[str]) -> str:
    """Write months by name as ``YYYY-MM``, which the other rules read."""
    first, first_year, last, last_year, month, year = match.groups()
    if month:
        return f"{year}-{_month(month):02d}"
    return f"{first_year or last_year}-{_month(first):02d} to {last_year}-{_month(last):02d}"


def _month(name: str) -> int:
    return 1 + next(place for place, month in enumerate(_MONTHS) if month.startswith(name))


def _relative(said: str) -> str | None:
    if match := _LAST.search(said):
        return _last(*(part for part in match.groups() if part is not None))
    return next((period for period, words in _NAMED.items() if re.search(words, said, re.ASCII)), None)


def _last(count: str, unit: str) -> str | None:
    name, factor = _UNITS[unit]
    if count == "半":
        return "last_6_months" if name == "years" else None
    number = number_of(count) * factor
    return f"last_{number}_{name if number > 1 else name[:-1]}" if number else None


def _days(said: str) -> str | None:
    """Read what names days."""
    if match := _BETWEEN_DAYS.search(said):
        return _span(_date(*match.group(1, 2, 3)), _date(*match.group(4, 5, 6)))
    if match := _DAYS_OF_A_YEAR.search(said):
        year, month, day, last_month, last_day = match.groups()
        return _span(_date(year, month, day), _date(year, last_month or month, last_day))
    if match := _SINCE_DAY.search(said):
        return _since(_date(*(match.group(1, 2, 3) if match[1] else match.group(4, 5, 6))))
    if match := _single(_ONE_DAY, said):
        return _date(*match.groups())
    return None


def _periods(said: str) -> str | None:
    """Read what names months, quarters, halves and years."""
    if match := _MONTHS_OF_A_YEAR.search(said):
        return _span(_point(match[1], match[2]), _point(match[1], match[3]))
    if match := _single(_PART_OF_A_YEAR, said):
        year, (first, last) = match[1] or match[4], _months_of(match[2] or match[3])
        return f"{year}-{first:02d}/{year}-{last:02d}"
    if match := _BETWEEN.search(said):
        return _span(_point(*match.group(1, 2)), _point(*match.group(3, 4)))
    if match := _YEARS.search(said):
        return _span(match[1], match[2])
    if match := _SINCE.search(said):
        return _since(_point(match[1] or match[3], match[2] or match[4]))
    if match := _single(_DURING, said):
        return _point(match[1] or match[3] or match[5], match[2] or match[4])
    return None


def _single(pattern: re.Pattern[str], said: str) -> re.Match[str] | None:
    """Return the match, unless there are different ones: two periods to compare are no one window."""
    matches = list(pattern.finditer(said))
    return matches[0] if len({match.groups() for match in matches}) == 1 else None


def _of_no_year(said: str) -> str | None:
    if (match := _MONTHS_OF_NO_YEAR.search(said)) and 1 <= int(match[1]) <= int(match[2]) <= 12:
        return f"{int(match[1]):02d}/{int(match[2]):02d}"
    if match := _single(_PART_OF_NO_YEAR, said):
        first, last = _months_of(match[1])
        return f"{first:02d}/{last:02d}"
    return None


def _months_of(part: str) -> tuple[int, int]:
    return next(months for words, months in _PARTS.items() if re.fullmatch(words, part, re.ASCII))


def _date(year: str, month: str, day: str) -> str | None:
    try:
        return dt.date(int(year), int(month), int(day)).isoformat()
    except ValueError:
        return None


def _point(year: str, month: str | None) -> str | None:
    if not month:
        return year
    return f"{year}-{int(month):02d}" if 1 <= int(month) <= 12 else None


def _since(first: str | None) -> str | None:
    return f"{first}/" if first else None


def _span(first: str | None, last: str | None) -> str | None:
    return f"{first}/{last}" if first and last and first <= last else None
