"""A column of text cells becomes a typed column.

Plain columns go through Arrow's own casts. All others are judged by their distinct values, each
weighed by how often it stands there: a column is of a kind if at least 99 % of the cells that
state a value are; else it stays text and a notice says why.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
import pyarrow as pa

from capital_kit._core.notices import Notice
from capital_kit.datasets._arrays import array_of, from_numpy, to_numpy
from capital_kit.datasets._cells._headers import Header, is_named, read_unit
from capital_kit.datasets._cells._plain import plain_column
from capital_kit.datasets._cells._temporal import (
    TimeReading,
    floats_as_times,
    in_kind,
    integers_as_times,
    moments,
    read_times,
    times_array,
)
from capital_kit.datasets._cells._times import parse_time
from capital_kit.datasets._cells._typed import Typed, examples, typed
from capital_kit.datasets._cells._values import MISSING, UNSTATED, Parsed, parse_number
from capital_kit.datasets._model import Kind

_ENOUGH = 0.99
_CODES_ENOUGH = 0.95
_SAMPLE = 400
_INT64 = 2**63
_QUOTED = re.compile(r'="(.*)"|\'(\d+)|\'(.*)\'', re.DOTALL)
_CODE = re.compile(r"(?:SH|SZ|BJ|HK)?\.?\d{5,6}(?:\.(?:SH|SZ|BJ|HK|SS|OF|CSI))?", re.IGNORECASE)
_CODE_UNDER_CODE_NAME = re.compile(r"[A-Za-z0-9][A-Za-z0-9.\-_^=:]{0,31}")
_SHORT_CODE = re.compile(r"[1-9]\d{0,4}")
_SIX_DIGITS = re.compile(r"[1-9]\d{5}")
_POWER = re.compile(r"\d(?:\.\d+)?[eE]\+\d+")
_DECIMAL = re.compile(r"[+\-]?\d{1,4}\.\d+")
_ZERO_LED = re.compile(r"0\d+")
_TRUTHS = (("true", "false"), ("是", "否"), ("yes", "no"))
_MARKS = (("y", "n"), ("t", "f"), ("√", "×"))
"""Letters and marks that say yes or no only beside their counterpart."""


@dataclass(frozen=True, kw_only=True, eq=False)
class Cells:
    """One column of text by its distinct values: cleaned texts, their counts, where they stand.

    ``written`` holds the cells themselves where there was nothing to clean.
    """

    header: Header
    texts: list[str]
    counts: list[int]
    indices: pa.Array
    written: pa.Array | pa.ChunkedArray | None

    @cached_property
    def stated(self) -> list[int]:
        """Positions of the texts that state a value where a number or a time is expected."""
        return [at for at, text in enumerate(self.texts) if text not in MISSING]

    @cached_property
    def total(self) -> int:
        """How many cells state a value."""
        return sum(self.counts[at] for at in self.stated)

    def weight(self, positions: Iterable[int]) -> int:
        """How many cells hold the texts at these positions."""
        return sum(self.counts[at] for at in positions)

    def tokens(self, missing: frozenset[str]) -> dict[str, int]:
        """Count the cells that say by a word that there is no value."""
        found: Counter[str] = Counter()
        for text, count in zip(self.texts, self.counts, strict=True):
            if text and count and text in missing:
                found[text] += count
        return dict(found.most_common())

    def spread(self, distinct: pa.Array) -> pa.Array:
        """Return one value a row from one value a distinct text."""
        return distinct.take(self.indices)


def type_text(header: Header, values: pa.Array | pa.ChunkedArray, kind: Kind | None = None) -> Typed:
    """Return a text column with the type that its cells prove.

    Parameters
    ----------
    header : Header
        Name and unit of the column.
    values : pyarrow array of strings
        The cells as written; null where there is none.
    kind : Kind, optional
        What the caller says the column is; cells that do not fit become null, with a notice.
    """
    if kind is None and (plain := plain_column(header, values)) is not None:
        return plain
    cells = _cells(header, values)
    if kind is not None:
        return _as_told(cells, kind)
    if not cells.stated:
        return _empty(cells)
    return _codes(cells) or _times(cells) or _numbers(cells) or _truths(cells) or _text(cells)


def _cells(header: Header, values: pa.Array | pa.ChunkedArray) -> Cells:
    encoded = values.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks()
    texts = encoded.dictionary.to_pylist()
    indices = encoded.indices
    stands = to_numpy(indices.drop_null())
    counts = np.bincount(stands, minlength=len(texts)).tolist()
    cleaned = [_clean(text) for text in texts]
    written = values if cleaned == texts else None
    return Cells(header=header, texts=cleaned, counts=counts, indices=indices, written=written)


def _clean(text: str) -> str:
    text = text.strip()
    if text.startswith(('="', "'")) and (match := _QUOTED.fullmatch(text)):
        return (match[1] or match[2] or match[3] or "").strip()
    return text


# ------------------------------------------------------------------ the kinds, one by one
def _empty(cells: Cells) -> Typed:
    nothing = pa.nulls(len(cells.indices), pa.string())
    return typed(cells.header, "empty", nothing, null_tokens=cells.tokens(MISSING))


def _codes(cells: Cells) -> Typed | None:
    texts = [cells.texts[at] for at in cells.stated]
    name = cells.header.name
    if is_named(name, "code"):
        texts = [text for text in texts if not _POWER.fullmatch(text)]
        fitting = sum(bool(_CODE_UNDER_CODE_NAME.fullmatch(text)) for text in texts)
        decimals = any(_DECIMAL.fullmatch(text) for text in texts)
        is_code = fitting >= _CODES_ENOUGH * len(texts) and not decimals
    else:
        fitting = sum(bool(_CODE.fullmatch(text)) for text in texts)
        marked = any(not text.isdigit() for text in texts)
        is_code = marked and fitting >= _CODES_ENOUGH * len(texts)
        if not is_code and is_named(name, "identifier") and any(map(_POWER.fullmatch, texts)):
            return _strings(cells, "code").noting(*_lost_digits(cells))
        if not is_code and _digits_would_be_lost(cells):
            # A time of day such as 092500 is no code, yet its zeros count all the same.
            return _strings(cells, "text" if is_named(name, "time") else "code")
    return _strings(cells, "code").noting(*_lost_digits(cells)) if is_code else None


def _lost_digits(cells: Cells) -> list[Notice]:
    """Tell that codes were numbers once: 1 beside 600519, or 6E+05."""
    texts = [cells.texts[at] for at in cells.stated]
    powers = [text for text in texts if _POWER.fullmatch(text)]
    short = [text for text in texts if _SHORT_CODE.fullmatch(text)]
    # Without a code of six digits beside them, short numbers may be codes of another sort.
    beside = all(text.isdigit() for text in texts) and any(_SIX_DIGITS.fullmatch(text) for text in texts)
    lost = powers + (short if beside else [])
    if not lost:
        return []
    return [Notice("datasets", "code_as_number", column=cells.header.name, examples=examples(lost))]


def _digits_would_be_lost(cells: Cells) -> bool:
    texts = [cells.texts[at] for at in cells.stated[:_SAMPLE]]
    if not all(text.isascii() and text.isdigit() for text in texts):
        return False
    led = [at for at in cells.stated if _ZERO_LED.fullmatch(cells.texts[at])]
    too_large = [at for at in cells.stated if len(cells.texts[at]) > 18]
    return bool(led or too_large) and all(cells.texts[at].isdigit() for at in cells.stated)


def _times(cells: Cells) -> Typed | None:
    sample = cells.stated[:: max(1, len(cells.stated) // _SAMPLE)]
    probe = read_times(cells.header, [cells.texts[at] for at in sample], whole=False)
    if probe is None or sum(point is not None for point in probe.points) < 0.9 * len(sample):
        return None
    reading = read_times(cells.header, [cells.texts[at] for at in cells.stated])
    if reading is None:
        return None
    fitting = [at for at, point in zip(cells.stated, reading.points, strict=True) if point is not None]
    if reading.kind is None or cells.weight(fitting) < _ENOUGH * cells.total:
        return _text(cells).noting(*reading.notices) if reading.notices else None
    return _build_times(cells, reading)


def _build_times(cells: Cells, reading: TimeReading) -> Typed:
    assert reading.kind is not None
    array = cells.spread(_placed(cells, times_array(reading)))
    if reading.kind == "datetime":
        column = moments(cells.header, array, reading.timezone)
        column = typed(
            cells.header, column.column.kind, column.array, timezone=reading.timezone,
            null_tokens=cells.tokens(MISSING),
        )  # fmt: skip
    else:
        column = typed(cells.header, reading.kind, array, null_tokens=cells.tokens(MISSING))
    return column.noting(*reading.notices, *_unparsed(cells, [point is not None for point in reading.points]))


def _numbers(cells: Cells) -> Typed | None:
    sample = cells.stated[:: max(1, len(cells.stated) // _SAMPLE)]
    if sum(parse_number(cells.texts[at]) is not None for at in sample) < 0.9 * len(sample):
        return None
    found = [parse_number(cells.texts[at]) for at in cells.stated]
    fitting = [at for at, number in zip(cells.stated, found, strict=True) if number is not None]
    kind = _number_kind(cells.header, [number for number in found if number])
    if kind is None or cells.weight(fitting) < _ENOUGH * cells.total:
        return None
    return _build_numbers(cells, found, kind)


def _number_kind(header: Header, found: Sequence[Parsed]) -> Kind | None:
    kinds = {number.kind for number in found if number.value != 0 or number.kind == "percent"}
    units = {number.unit for number in found if number.unit}
    if len(units) > 1 or not found:
        return None
    if header.unit == "%":
        return "percent"
    if "percent" in kinds:
        return "percent" if kinds == {"percent"} else None
    whole = all(number.kind == "integer" and abs(number.value) < _INT64 for number in found)
    return "integer" if whole else "number"


def _build_numbers(cells: Cells, found: Sequence[Parsed | None], kind: Kind, *, told: bool = False) -> Typed:
    storage = pa.int64() if kind == "integer" else pa.float64()
    values = [None if number is None else number.value for number in found]
    distinct = array_of(values, storage)
    unit = next((number.unit for number in found if number and number.unit and number.unit != "%"), None)
    known = read_unit(unit) if unit else None
    array = cells.spread(_placed(cells, distinct))
    column = None
    if not told and unit is None and kind != "percent":
        column = (integers_as_times if kind == "integer" else floats_as_times)(cells.header, array)
    column = column or typed(cells.header, kind, array, unit=unit, unit_scale=known[1] if known else None)
    column = replace(column, column=replace(column.column, null_tokens=cells.tokens(MISSING)))
    return column.noting(*_unparsed(cells, [value is not None for value in values]))


def _truths(cells: Cells) -> Typed | None:
    words = {cells.texts[at].lower() for at in cells.stated}
    pair = next((pair for pair in _TRUTHS if words <= set(pair)), None)
    pair = pair or next((pair for pair in _MARKS if words == set(pair)), None)
    if pair is None:
        return None
    distinct = array_of([cells.texts[at].lower() == pair[0] for at in cells.stated], pa.bool_())
    return typed(
        cells.header, "boolean", cells.spread(_placed(cells, distinct)), null_tokens=cells.tokens(MISSING)
    )  # fmt: skip


def _text(cells: Cells) -> Typed:
    sample = cells.stated[:: max(1, len(cells.stated) // _SAMPLE)]
    found = {at: number for at in sample if (number := parse_number(cells.texts[at]))}
    units = sorted({number.unit or "—" for number in found.values()})
    if len(sample) == len(found) > 1 and len(units) > 1:
        shown = examples(cells.texts[at] for at in sample)
        notice = Notice(
            "datasets", "units_vary", column=cells.header.name, units=", ".join(units), examples=shown
        )
        return _strings(cells, "text").noting(notice)
    numbers = set(found)
    times = {at for at in sample if at not in numbers and parse_time(cells.texts[at])}
    others = [at for at in sample if at not in numbers and at not in times]
    if len(sample) < 3 or not 2 * len(others) <= len(sample) or len(sample) in (len(numbers), len(others)):
        return _strings(cells, "text")
    weights = {"number": cells.weight(numbers), "time": cells.weight(times), "text": cells.weight(others)}
    counts = ", ".join(f"{word} {weight}" for word, weight in weights.items() if weight)
    others = others or sorted(times if times and (not numbers or len(times) < len(numbers)) else numbers)
    shown = examples(cells.texts[at] for at in others)
    notice = Notice("datasets", "mixed_types", column=cells.header.name, counts=counts, examples=shown)
    return _strings(cells, "mixed").noting(notice)


def _strings(cells: Cells, kind: Kind) -> Typed:
    if cells.written is not None and UNSTATED.isdisjoint(cells.texts):
        return typed(cells.header, kind, cells.written)
    distinct = array_of([None if text in UNSTATED else text for text in cells.texts], pa.string())
    return typed(cells.header, kind, cells.spread(distinct), null_tokens=cells.tokens(UNSTATED))


# ------------------------------------------------------------------ what the caller said
def _as_told(cells: Cells, kind: Kind) -> Typed:
    if kind == "boolean":
        return _truths(cells) or _not_met(cells, kind)
    if kind in ("number", "integer", "percent"):
        found = [parse_number(cells.texts[at]) for at in cells.stated]
        if kind == "integer":
            fits = [n is not None and float(n.value).is_integer() and abs(n.value) < _INT64 for n in found]
            found = [
                replace(n, value=int(n.value), kind="integer") if n and fit else None
                for n, fit in zip(found, fits, strict=True)
            ]
        return _build_numbers(cells, found, kind, told=True)
    if kind in ("date", "datetime", "month", "quarter", "year"):
        reading = read_times(cells.header, [cells.texts[at] for at in cells.stated], forced=True)
        if reading is None or reading.kind is None:
            return _not_met(cells, kind)
        return in_kind(_build_times(cells, reading), kind)
    return _strings(cells, "text" if kind in ("mixed", "empty") else kind)


def _not_met(cells: Cells, kind: Kind) -> Typed:
    return _strings(cells, "text").noting(
        Notice("datasets", "kind_not_met", column=cells.header.name, kind=kind)
    )


def _placed(cells: Cells, distinct: pa.Array) -> pa.Array:
    """Return values for all texts from values for the texts that state one."""
    places = np.full(len(cells.texts), -1, dtype=np.int64)
    places[cells.stated] = np.arange(len(cells.stated))
    return distinct.take(from_numpy(places, pa.int64(), places < 0))


def _unparsed(cells: Cells, fits: Sequence[bool]) -> list[Notice]:
    misfits = [at for at, fit in zip(cells.stated, fits, strict=True) if not fit]
    if not misfits:
        return []
    shown = examples(cells.texts[at] for at in misfits)
    count = cells.weight(misfits)
    return [Notice("datasets", "values_unparsed", column=cells.header.name, count=count, examples=shown)]
