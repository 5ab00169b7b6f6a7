"""The fast way: columns whose text Arrow itself can cast, without a look at every value."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace

import pyarrow as pa
import pyarrow.compute as pc

from capital_kit.datasets._arrays import scalar_of
from capital_kit.datasets._cells._headers import Header, is_named
from capital_kit.datasets._cells._temporal import floats_as_times, integers_as_times, moments
from capital_kit.datasets._cells._times import parse_time
from capital_kit.datasets._cells._typed import Typed, typed
from capital_kit.datasets._cells._values import MISSING

_PROBES = 64
PLAIN_INTEGER = re.compile(r"[+\-]?(?:0|[1-9]\d{0,17})")
PLAIN_NUMBER = re.compile(r"[+\-]?(?:0|[1-9]\d*)?(?:\.\d+)?(?:[eE][+\-]?\d{1,3})?(?<=[\d])")
PLAIN_DAY = re.compile(r"\d{4}-\d\d-\d\d")
PLAIN_MOMENT = re.compile(r"(\d{4}-\d\d-\d\d[ T]\d\d:\d\d(?::\d\d(?:\.\d{1,6})?)?)(Z|[+\-]\d\d:\d\d)?")
_LED = r"^[+\-]?0\d"


def plain_column(header: Header, values: pa.Array | pa.ChunkedArray) -> Typed | None:
    """Return the column if its text is plainly numeric or ISO times; None if it needs a closer look."""
    if is_named(header.name, "code"):
        return None
    probes = _probes(values)
    if not probes:
        return None
    if all(PLAIN_NUMBER.fullmatch(text) for text in probes):
        whole = all(PLAIN_INTEGER.fullmatch(text) for text in probes)
        values = _without_blanks(values)
        return _numbers(header, values, whole=whole) or _as_exported(header, values, probes)
    if all(PLAIN_DAY.fullmatch(text) for text in probes):
        days = _cast(_without_blanks(values), pa.date32())
        return None if days is None else typed(header, "date", days)
    if all(PLAIN_MOMENT.fullmatch(text) for text in probes):
        return _moments(header, _without_blanks(values), probes[0])
    return _as_exported(header, values, probes)


def _without_blanks(values: pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    blank = pc.equal(values, scalar_of("", pa.string()))
    if not pc.any(blank).as_py():
        return values
    return pc.if_else(blank, scalar_of(None, pa.string()), values)


def _probes(values: pa.Array | pa.ChunkedArray) -> list[str]:
    step = max(1, len(values) // _PROBES)
    found = (values[at].as_py() for at in range(0, len(values), step))
    return [text for text in found if text]


def _cast(values: pa.Array | pa.ChunkedArray, storage: pa.DataType) -> pa.Array | pa.ChunkedArray | None:
    try:
        return values.cast(storage)
    except pa.ArrowInvalid:
        return None


def _numbers(header: Header, values: pa.Array | pa.ChunkedArray, *, whole: bool) -> Typed | None:
    if not whole and is_named(header.name, "identifier"):
        return None  # 1.23E+17 has lost digits that tell things apart
    led = values.filter(pc.starts_with(values, "0"))
    if len(led) and pc.any(pc.match_substring_regex(led, _LED)).as_py():
        return None
    integers = _cast(values, pa.int64()) if whole else None
    if integers is not None:
        return integers_as_times(header, integers) or plain_number(header, integers)
    numbers = _cast(values, pa.float64())
    if numbers is None or not is_exact(numbers):
        return None
    return plain_number(header, numbers)


def is_exact(numbers: pa.Array | pa.ChunkedArray) -> bool:
    """Tell whether floats read from text hold no NaN and no integer beyond 64 bits."""
    if pc.any(pc.is_nan(numbers)).as_py():
        return False
    bounds = pc.min_max(numbers).as_py()
    return bounds["max"] is None or max(-bounds["min"], bounds["max"]) < 2.0**63


def plain_number(header: Header, array: pa.Array | pa.ChunkedArray) -> Typed:
    """Return numbers as a column of the kind that their storage and the header's unit say."""
    if header.unit == "%":
        return typed(header, "percent", array)
    if pa.types.is_integer(array.type):
        return typed(header, "integer", array)
    return floats_as_times(header, array) or typed(header, "number", array)


def _moments(header: Header, values: pa.Array | pa.ChunkedArray, first: str) -> Typed | None:
    match = PLAIN_MOMENT.fullmatch(first)
    assert match is not None
    zone = match[2]
    if zone:
        if not pc.all(pc.ends_with(values, zone)).as_py():
            return None
        values = pc.utf8_slice_codeunits(values, 0, stop=-len(zone))
    cast = _cast(values, pa.timestamp("us"))
    return None if cast is None else moments(header, cast, "UTC" if zone == "Z" else zone)


def _as_exported(header: Header, values: pa.Array | pa.ChunkedArray, probes: list[str]) -> Typed | None:
    """Read ``1,234.56``, ``12.3%`` and plain decimals beside words such as ``--``; None for other forms.

    Where a cell could also be a time or a code, the closer look decides.
    """
    stated = [text for text in probes if text.strip() not in MISSING]
    if not stated or any(parse_time(text) for text in stated):
        return None
    grouped, percent = any("," in text for text in stated), stated[0].endswith("%")
    whole = r"(?:0|[1-9]\d{0,2}(?:,\d{3})*)" if grouped else r"(?:0|[1-9]\d*)"
    form = rf"[+\-]?{whole}(?:\.\d+)?{'%' if percent else ''}"
    if not all(re.fullmatch(form, text) for text in stated):
        return None
    fits = pc.match_substring_regex(values, f"^{form}$")
    others = values.filter(pc.invert(fits))
    tokens = _tokens(others)
    if tokens is None:
        return None
    digits = pc.if_else(fits, values, scalar_of(None, pa.string())) if len(others) else values
    digits = pc.replace_substring(digits, ",", "") if grouped else digits
    digits = pc.ascii_rtrim(digits, "%") if percent else digits
    integers = None if percent else _cast(digits, pa.int64())
    if integers is not None and not grouped:
        return None
    numbers = _cast(digits, pa.float64()) if integers is None else integers
    if numbers is None or not (pa.types.is_integer(numbers.type) or is_exact(numbers)):
        return None
    column = None if integers is None else integers_as_times(header, integers)
    column = column or (typed(header, "percent", numbers) if percent else plain_number(header, numbers))
    return replace(column, column=replace(column.column, null_tokens=tokens))


def _tokens(others: pa.Array | pa.ChunkedArray) -> dict[str, int] | None:
    """Count the words that say that there is no value; None if any cell is none of these."""
    found: Counter[str] = Counter()
    for pair in pc.value_counts(others).to_pylist():
        word = pair["values"].strip()
        if word not in MISSING:
            return None
        if word:
            found[word] += pair["counts"]
    return dict(found.most_common())
