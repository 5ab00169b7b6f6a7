"""A column of spreadsheet cells on its way to a type: values and formats together say what it is."""

from __future__ import annotations

import datetime as dt
import decimal
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from capital_kit._core.notices import Notice
from capital_kit.datasets._arrays import array_of, from_numpy
from capital_kit.datasets._cells._headers import Header, is_named, read_unit
from capital_kit.datasets._cells._typed import examples
from capital_kit.datasets._cells._values import MISSING, fold
from capital_kit.datasets._model import Kind
from capital_kit.datasets._reading._excel_cells import Fault
from capital_kit.datasets._reading._excel_formats import Format

_TIMES = frozenset({"day", "moment", "month", "year", "clock"})
_LAST_SERIAL = 2_958_466
_DAY_MS = 86_400_000
_EPOCH_1900 = 25_569
_SHIFT_1904 = 1_462
_INT64 = 2.0**63


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A column as :func:`assemble` takes it, and what its cells said beside their values."""

    header: Header
    values: pa.Array | list[Any]
    kind: Kind | None = None
    tokens: Counter[str]
    notices: tuple[Notice, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """The cells of one column in a table, None where one is blank."""

    header: Header
    values: list[Any]
    formats: list[Format]
    from_1904: bool = False

    def numbers(self) -> list[tuple[float, Format]]:
        """Return the numbers with the formats that they are shown in."""
        return [
            (value, form)
            for value, form in zip(self.values, self.formats, strict=True)
            if isinstance(value, float | int) and not isinstance(value, bool)
        ]


def prepare(cells: Cells) -> Prepared:
    """Return a column as values of one sort where its cells and their formats agree, else as text.

    A column whose cells do not agree is read like the text that a person sees: ``12.3%`` beside
    ``0.5`` is decided where the text of any file is decided.
    """
    tokens = Counter(str(value) for value in cells.values if type(value) is Fault)
    if tokens:
        cells = replace(cells, values=[None if type(v) is Fault else v for v in cells.values])
    sorts = {_sort(value) for value in cells.values if value is not None}
    if sorts == {"text", "number"}:
        words = Counter(value for value in cells.values if isinstance(value, str))
        if all(fold(word) in MISSING for word in words):
            tokens += Counter({fold(word): count for word, count in words.items()})
            cells = replace(cells, values=[None if isinstance(v, str) else v for v in cells.values])
            sorts = {"number"}
    if sorts == {"number"} and (prepared := _numeric(cells)) is not None:
        return replace(prepared, tokens=tokens)
    if sorts == {"boolean"}:
        return Prepared(header=cells.header, values=array_of(cells.values, pa.bool_()), tokens=tokens)
    return Prepared(header=cells.header, values=shown_column(cells), tokens=tokens)


def _sort(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return "text" if isinstance(value, str) else "number"


def _numeric(cells: Cells) -> Prepared | None:
    numbers = cells.numbers()
    sorts = {form.shown for value, form in numbers if value or form.shown not in ("plain", "percent")}
    sorts = sorts or {form.shown for _, form in numbers}
    if len(sorts) == 1:
        only = sorts.pop()
        if only == "percent":
            points = [None if value is None else as_points(value) for value in cells.values]
            header = replace(cells.header, unit="%", unit_scale=None)
            return Prepared(header=header, values=array_of(points, pa.float64()), tokens=Counter())
        if only == "plain":
            return _plain(cells, numbers)
        if only == "digits":
            return _codes(cells, numbers)
        if only == "duration":
            return Prepared(header=cells.header, values=_durations(cells), tokens=Counter())
        if only == "clock" and all(0 <= value < 1 for value, _ in numbers):
            return Prepared(header=cells.header, values=shown_column(cells), tokens=Counter())
        return _times(cells, numbers)
    return _times(cells, numbers) if sorts <= _TIMES else None


def as_points(share: float) -> float:
    """Return a share as percentage points, rounded once: 0.123 is 12.3."""
    text = repr(float(share))
    return float(text + "e2") if "e" not in text and text.strip("-") not in ("inf", "nan") else share * 100


# ------------------------------------------------------------------ plain numbers
def _plain(cells: Cells, numbers: Sequence[tuple[float, Format]]) -> Prepared | None:
    units = {form.unit for value, form in numbers if form.unit and value}
    if len(units) > 1:
        return None
    header, notices = _with_unit(cells.header, next(iter(units), None), numbers)
    values = cells.values
    if cells.from_1904 and is_named(header.name, "day") and all(value > 20_000 for value, _ in numbers):
        values = [None if value is None else value + _SHIFT_1904 for value in values]
    shows_decimals = any(form.decimals for _, form in numbers)
    if not shows_decimals and all(float(value).is_integer() for value, _ in numbers):
        whole = [None if value is None else int(value) for value in values]
        small = all(-_INT64 < value < _INT64 for value, _ in numbers)
        return Prepared(
            header=header, values=array_of(whole, pa.int64()) if small else whole, tokens=Counter(),
            notices=notices,
        )  # fmt: skip
    return Prepared(header=header, values=array_of(values, pa.float64()), tokens=Counter(), notices=notices)


def _with_unit(
    header: Header, unit: str | None, numbers: Sequence[tuple[float, Format]]
) -> tuple[Header, tuple[Notice, ...]]:
    """Return the header with the unit of the format; of a scaled format only the base unit is true."""
    factors = {form.factor for value, form in numbers if value}
    factor = factors.pop() if len(factors) == 1 else 1.0
    if header.unit is None and unit:
        found = read_unit(unit)
        header = replace(header, unit=unit, unit_scale=found[1] if found else None)
    if factor == 1.0 or header.unit_scale != factor:
        return header, ()
    shown = header.unit or ""
    base = shown.lstrip("万亿千百十") or None
    header = replace(header, unit=base, unit_scale=base and 1.0)
    return header, (Notice("datasets", "format_scaled", column=header.name, shown=shown, unit=base or "1"),)


def _codes(cells: Cells, numbers: Sequence[tuple[float, Format]]) -> Prepared | None:
    if not all(value >= 0 and float(value).is_integer() for value, _ in numbers):
        return None
    texts = [
        None if value is None else f"{int(value):0{form.width}}"
        for value, form in zip(cells.values, cells.formats, strict=True)
    ]
    notice = Notice(
        "datasets", "zeros_restored", column=cells.header.name,
        examples=examples(text for text in texts if text and text[0] == "0"),
    )  # fmt: skip
    restored = any(text and text[0] == "0" for text in texts)
    return Prepared(
        header=cells.header, values=array_of(texts, pa.string()), kind="code", tokens=Counter(),
        notices=(notice,) if restored else (),
    )  # fmt: skip


# ------------------------------------------------------------------ times
def _times(cells: Cells, numbers: Sequence[tuple[float, Format]]) -> Prepared | None:
    if not all(0 <= value < _LAST_SERIAL for value, _ in numbers):
        return None
    missing = np.array([value is None for value in cells.values])
    serials = np.array([0.0 if value is None else value for value in cells.values], np.float64)
    millis = _millis(serials, from_1904=cells.from_1904)
    array = from_numpy(millis * 1_000, pa.timestamp("us"), missing)
    return Prepared(
        header=cells.header, values=array, kind=_period(numbers, millis[~missing]), tokens=Counter()
    )  # fmt: skip


def _millis(serials: Any, *, from_1904: bool) -> Any:
    """Return the milliseconds since 1970 of days as a spreadsheet counts them."""
    days = np.floor(serials)
    within = np.rint((serials - days) * _DAY_MS)
    # Counted from 1900, spreadsheets believe in a 29th of February of that year.
    days = days + _SHIFT_1904 if from_1904 else np.where(days < 60, days + 1, days)
    return ((days - _EPOCH_1900) * _DAY_MS + within).astype(np.int64)


def _period(numbers: Sequence[tuple[float, Format]], millis: Any) -> Kind | None:
    """Return month or year where only that is shown and no other part of the day would be lost."""
    shown = {form.shown for _, form in numbers}
    if shown not in ({"month"}, {"year"}) or not len(millis) or (millis % _DAY_MS).any():
        return None
    days = (millis // _DAY_MS).astype("datetime64[D]")
    unit = "M" if shown == {"month"} else "Y"
    starts = days == days.astype(f"datetime64[{unit}]").astype("datetime64[D]")
    after = days + np.timedelta64(1, "D")
    ends = after == after.astype(f"datetime64[{unit}]").astype("datetime64[D]")
    if not (starts.all() or ends.all()):
        return None
    return "month" if unit == "M" else "year"


def _durations(cells: Cells) -> pa.Array:
    micros = np.array(
        [0 if value is None else round(value * _DAY_MS) * 1_000 for value in cells.values], np.int64
    )
    missing = np.array([value is None for value in cells.values])
    return from_numpy(micros, pa.int64(), missing).view(pa.duration("us"))


# ------------------------------------------------------------------ what a person sees
def shown_column(cells: Cells) -> pa.Array:
    """Return the column as the text that its cells show, with all their digits."""
    texts = [
        None if value is None else shown_text(value, form, from_1904=cells.from_1904)
        for value, form in zip(cells.values, cells.formats, strict=True)
    ]
    return array_of(texts, pa.string())


def shown_text(value: Any, form: Format, *, from_1904: bool = False) -> str:
    """Return the text of one cell: ``12.3%`` for 0.123 in a format of percent, ISO for times."""
    if isinstance(value, str):
        return value.encode("utf-8", "backslashreplace").decode("utf-8")
    if isinstance(value, bool):
        return "TRUE" if value else "FALSE"
    if form.shown == "percent":
        return f"{_digits(as_points(value))}%"
    if form.shown == "digits" and value >= 0 and float(value).is_integer():
        return f"{int(value):0{form.width}}"
    if form.shown in _TIMES and 0 <= value < _LAST_SERIAL:
        return _time_text(value, form, from_1904=from_1904)
    return _digits(value) + (form.unit or "")


def _digits(value: float) -> str:
    if isinstance(value, int) or (value.is_integer() and abs(value) < 1e15):
        return str(int(value))
    text = repr(value)
    return f"{decimal.Decimal(text):f}" if "e" in text else text


def _time_text(value: float, form: Format, *, from_1904: bool) -> str:
    millis = int(_millis(np.array([value]), from_1904=from_1904)[0])
    moment = dt.datetime(1970, 1, 1) + dt.timedelta(milliseconds=millis)  # noqa: DTZ001 (wall time on purpose)
    if form.shown == "clock" and value < 1:
        return moment.time().isoformat()
    return moment.date().isoformat() if moment.time() == dt.time() else moment.isoformat(" ")
