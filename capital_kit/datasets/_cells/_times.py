"""Dates, times and periods as exports write them: a closed list of forms, no guessing."""

from __future__ import annotations

import datetime as dt
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

from capital_kit.datasets._cells._values import fold

TimeKind = Literal["date", "datetime", "month", "quarter", "year"]
DayOrder = Literal["month-day", "day-month", "year-month-day", "month-year"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TimePoint:
    """A day, a moment or a period.

    Attributes
    ----------
    value : date or datetime
        The day, the wall time (never with a zone), or the first day of the period.
    kind : {"date", "datetime", "month", "quarter", "year"}
        What the text states.
    timezone : str or None
        The offset as written, ``+08:00`` or ``UTC``; the value is the wall time there.
    """

    value: dt.date | dt.datetime
    kind: TimeKind
    timezone: str | None = None

    def __str__(self) -> str:
        return time_text(self.value, self.kind)


_Y = r"(?P<y>(?:19|20|21)\d\d)"
_M = r"(?P<m>0?[1-9]|1[0-2])"
_D = r"(?P<d>0?[1-9]|[12]\d|3[01])"
_CLOCK = (
    r"(?:(?:[T\s]+|(?<=日)|,\s)(?P<noon>上午|下午)?\s?(?P<H>[01]?\d|2[0-4])[:时](?P<Mi>[0-5]\d)"
    r"(?:[:分](?P<S>[0-5]\d)(?:\.(?P<F>\d{1,9}))?秒?)?分?\s?(?P<half>[AaPp][Mm])?\s?"
    r"(?P<zone>Z|UTC|GMT|[+\-]\d\d:?(?:[0-5]\d)?)?)?"
)
_WEEKDAY = r"(?:[\s,(]*(?:星期|周)?[一二三四五六日天]\)?|[\s,]+(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun))?"
_COMPACT = r"(?P<m>0[1-9]|1[0-2])(?P<d>0[1-9]|[12]\d|3[01])"
_DAY_FORMS = tuple(
    re.compile(form + _CLOCK + _WEEKDAY)
    for form in (
        rf"{_Y}-{_M}-{_D}",
        rf"{_Y}/{_M}/{_D}",
        rf"{_Y}\.{_M}\.{_D}",
        rf"{_Y}\s?年\s?{_M}\s?月\s?{_D}\s?[日号]",
        rf"{_Y}{_COMPACT}",
    )
)
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
    "november", "december",
)  # fmt: skip
_WORD = r"(?P<word>[a-z]{3,9})\.?"
_WORD_FORMS = tuple(
    re.compile(
        r"(?:(?:mon|tues?|wed|thu|thurs|fri|sat|sun)(?:day|nesday|urday)?,?\s)?" + form + _CLOCK,
        re.IGNORECASE,
    )
    for form in (
        rf"{_WORD}\s{_D},?\s{_Y}",
        rf"{_D}[\s\-/]?{_WORD},?[\s\-/]?{_Y}",
        rf"{_Y}-{_WORD}-{_D}",
        rf"{_D}-{_WORD}-(?P<y>\d\d)",
    )
)
_WORD_MONTH = re.compile(
    rf"{_WORD},?[\s\-]{_Y}|{_Y.replace('y', 'y2', 1)}[\s\-]?(?P<word2>[a-z]{{3,9}})", re.IGNORECASE
)
_WORD_SHORT = re.compile(rf"{_WORD}[\s\-'](?P<y>\d\d)", re.IGNORECASE)
_DOTTED_FORM = re.compile(rf"{_D}\.{_M}\.{_Y}" + _CLOCK)
_COMPACT_CLOCK = re.compile(
    rf"{_Y}{_COMPACT}[T\s]?(?P<H>[01]\d|2[0-3])(?P<Mi>[0-5]\d)(?:(?P<S>[0-5]\d)(?P<F>\d{{3}})?)?"
    r"(?P<zone>)(?P<noon>)(?P<half>)"
)
_SHORT_FORM = re.compile(r"(?P<one>\d{1,2})(?P<sep>[/\-])(?P<two>\d{1,2})(?P=sep)" + _Y + _CLOCK)
_SHORT_YEAR = re.compile(rf"(?P<y>\d\d)(?P<sep>[/\-.]){_M}(?P=sep){_D}" + _CLOCK)
_SPAN_FORM = re.compile(
    rf"{_Y}年?(?:第?[一1][至\-~][二三四234]季度?|前[二三四234]季度?|(?:1[0-2]|0?[1-9])[至到\-~—](?P<m>1[0-2]|0?[1-9])月份?)"
)
_MONTH_FORM = re.compile(
    rf"{_Y}(?:[\-/]{_M}|\s?年\s?(?P<m2>0?[1-9]|1[0-2])\s?月(?:份|末|底)?|[Mm]?(?P<m3>0[1-9]|1[0-2]))"
)
_QUARTER_FORM = re.compile(
    rf"{_Y}(?:年?[\-\s/]?[Qq](?P<q>[1-4])"
    r"|\s?年?(?:第?(?:[一1][至\-])?|前)(?P<word>[一二三四1-4])季(?:度报告|度|报)?"
    r"|年?(?P<report>半年度报告|年度报告|年中报|半年报|中报|年报))"
    r"|[Qq](?P<q2>[1-4])[\-\s/]?(?P<y2>(?:19|20|21)\d\d)"
    r"|(?P<q3>[1-4])[Qq](?P<y3>(?:19|20|21)?\d\d)|(?P<y4>\d\d)[Qq](?P<q4>[1-4])"
)
_YEAR_FORM = re.compile(rf"{_Y}(?:\s?年[度末底]?)?")
_QUARTER_WORDS = {"一": 1, "二": 2, "三": 3, "四": 4, "1": 1, "2": 2, "3": 3, "4": 4}
_REPORT_QUARTER = {"中报": 2, "年中报": 2, "半年报": 2, "半年度报告": 2, "年报": 4, "年度报告": 4}
_LONGEST = 40


def parse_time(text: str, hint: str | None = None) -> TimePoint | None:
    """Read one day, moment or period.

    Parameters
    ----------
    text : str
        For example ``20240105``, ``2024/1/5``, ``2024年1月5日``, ``2024-01-05T09:31:00+08:00``,
        ``2024-06``, ``2024Q1``, ``2024年中报``, ``5.1.2024`` (day first), ``Jan 5, 2024``.
    hint : {"month-day", "day-month", "year-month-day", "month-year"}, optional
        How to read ``11/1/2019``, ``24-01-05`` or ``Jan-24``. Without it such a text is ambiguous
        and gives None; in a column the other values decide.

    Returns
    -------
    TimePoint or None
        None where the text is none of the known forms or names no real day.

    Examples
    --------
    >>> str(parse_time("2024年1月5日"))
    '2024-01-05'
    >>> str(parse_time("2024年一季报"))
    '2024Q1'
    >>> parse_time("11/1/2019") is None
    True
    """
    if len(text) > _LONGEST:
        return None
    text = fold(text)
    if not text or not any(character.isdigit() for character in text):
        return None
    try:
        found = next((point for read in _READERS if (point := read(text))), None)
        return found or _read_short(text, hint)
    except ValueError:
        # 2024-02-30 has the form of a day but is none.
        return None


def day_parts(text: str) -> tuple[int, int, int] | None:
    """Return the two short parts and the year of ``11/1/2019``; None for any other form."""
    match = _SHORT_FORM.fullmatch(fold(text))
    return (int(match["one"]), int(match["two"]), int(match["y"])) if match else None


def short_month(text: str) -> TimePoint | None:
    """Return the month in ``Jan-24`` if these two digits are a year; None for any other form."""
    match = _WORD_SHORT.fullmatch(fold(text))
    month = _month_of(match["word"]) if match else None
    return TimePoint(value=dt.date(_year(match["y"]), month, 1), kind="month") if match and month else None


def has_short_year(text: str) -> bool:
    """Tell whether a text is a day such as ``24-01-05``, whose parts may stand for anything."""
    return bool(_SHORT_YEAR.fullmatch(fold(text)))


def parse_span(text: str) -> TimePoint | None:
    """Return the month or quarter in which ``2024年1-2月`` or ``2024年前三季度`` ends; None for any other."""
    text = fold(text)
    match = _SPAN_FORM.fullmatch(text) if "年" in text or "季" in text else None
    if match is None or not match["m"]:
        return match and _read_quarter(text)
    return TimePoint(value=dt.date(int(match["y"]), int(match["m"]), 1), kind="month")


def _read_day(text: str) -> TimePoint | None:
    for form in (*_DAY_FORMS, _DOTTED_FORM, _COMPACT_CLOCK):
        if match := form.fullmatch(text):
            return _moment(match, int(match["m"]), int(match["d"]))
    return None


def _read_words(text: str) -> TimePoint | None:
    """Read an English month: Jan 5, 2024; 5-Jan-24; January 2024."""
    if not (text.isascii() and any(character.isalpha() for character in text)):
        return None
    for form in _WORD_FORMS:
        if (match := form.fullmatch(text)) and (month := _month_of(match["word"])):
            return _moment(match, month, int(match["d"]))
    if (match := _WORD_MONTH.fullmatch(text)) and (month := _month_of(match["word"] or match["word2"])):
        return TimePoint(value=dt.date(int(match["y"] or match["y2"]), month, 1), kind="month")
    return None


def _month_of(word: str) -> int | None:
    places = (at for at, month in enumerate(_MONTHS, 1) if word.lower() in (month[:3], month, month[:4]))
    return next(places, None)


def _read_short(text: str, hint: str | None) -> TimePoint | None:
    if hint == "month-year":
        return short_month(text)
    if hint == "year-month-day":
        match = _SHORT_YEAR.fullmatch(text)
        return _moment(match, int(match["m"]), int(match["d"])) if match else None
    match = _SHORT_FORM.fullmatch(text) if hint in ("month-day", "day-month") else None
    if match is None:
        return None
    one, two = int(match["one"]), int(match["two"])
    return _moment(match, *((one, two) if hint == "month-day" else (two, one)))


def _read_quarter(text: str) -> TimePoint | None:
    match = _QUARTER_FORM.fullmatch(text)
    if match is None:
        return None
    quarter = int(match["q"] or match["q2"] or match["q3"] or match["q4"] or 0)
    quarter = quarter or _QUARTER_WORDS.get(match["word"] or "", 0) or _REPORT_QUARTER[match["report"]]
    year = _year(match["y"] or match["y2"] or match["y3"] or match["y4"])
    return TimePoint(value=dt.date(year, 3 * quarter - 2, 1), kind="quarter")


def _read_month(text: str) -> TimePoint | None:
    match = _MONTH_FORM.fullmatch(text)
    if match is None:
        return None
    month = int(match["m"] or match["m2"] or match["m3"])
    return TimePoint(value=dt.date(int(match["y"]), month, 1), kind="month")


def _read_year(text: str) -> TimePoint | None:
    match = _YEAR_FORM.fullmatch(text)
    return TimePoint(value=dt.date(int(match["y"]), 1, 1), kind="year") if match else None


_READERS: tuple[Callable[[str], TimePoint | None], ...] = (
    _read_day, _read_quarter, _read_month, _read_year, _read_words,
)  # fmt: skip


def _year(digits: str) -> int:
    """Return a year; two digits mean the years from 1970 to 2069."""
    year = int(digits)
    return year if year > 99 else year + (2000 if year < 70 else 1900)


def _moment(match: re.Match[str], month: int, day: int) -> TimePoint:
    date = dt.date(_year(match["y"]), month, day)
    if not match["H"]:
        return TimePoint(value=date, kind="date")
    hour, minute, second = _hour(match), int(match["Mi"]), int(match["S"] or 0)
    if hour == 24 and (minute or second):
        raise ValueError("no such time of day")
    micro = int((match["F"] or "").ljust(6, "0")[:6])
    start = dt.datetime(date.year, date.month, date.day)  # noqa: DTZ001 (wall time on purpose)
    value = start + dt.timedelta(hours=hour, minutes=minute, seconds=second, microseconds=micro)
    return TimePoint(value=value, kind="datetime", timezone=_zone(match["zone"]))


def _hour(match: re.Match[str]) -> int:
    hour, half = int(match["H"]), (match["half"] or match["noon"] or "").lower()
    if match["half"] and not 1 <= hour <= 12:
        raise ValueError("no such time of day")
    if half in ("pm", "下午") and hour < 12:
        return hour + 12
    return 0 if half == "am" and hour == 12 else hour


def _zone(text: str | None) -> str | None:
    if not text:
        return None
    if text.upper() in ("Z", "UTC", "GMT"):
        return "UTC"
    digits = text[1:].replace(":", "").ljust(4, "0")
    return f"{text[0]}{digits[:2]}:{digits[2:]}"


def time_text(value: dt.date | dt.datetime | None, kind: str) -> str:
    """Write a day, moment or period of ``kind``: 2024-01-02, 2024-01-02 09:31, 2024-06, 2022Q1, 2024.

    Seconds are written only where there are any; None becomes "—".
    """
    if value is None:
        return "—"
    if kind == "year":
        return f"{value.year:04}"
    if kind == "month":
        return f"{value.year:04}-{value.month:02}"
    if kind == "quarter":
        return f"{value.year:04}Q{(value.month + 2) // 3}"
    if kind == "date" or not isinstance(value, dt.datetime):
        return f"{value.year:04}-{value.month:02}-{value.day:02}"
    text = value.isoformat(" ", "microseconds").split("+")[0]
    if value.microsecond:
        return text.rstrip("0")
    return text[:19] if value.second else text[:16]
