"""The fast way: columns whose text Arrow itself can cast, without a look at every value."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pyarrow as pa
import pyarrow.compute as pc

from capital_kit.datasets._arrays import array_of, scalar_of
from capital_kit.datasets._headers import Header, is_named
from capital_kit.datasets._temporal import integers_as_times, moments
from capital_kit.datasets._typed import Typed, typed

_PROBES = 64
_FROM = 20_000
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
    blank, nothing = scalar_of("", pa.string()), scalar_of(None, pa.string())
    values = pc.if_else(pc.equal(values, blank), nothing, values)
    if all(PLAIN_NUMBER.fullmatch(text) for text in probes):
        whole = all(PLAIN_INTEGER.fullmatch(text) for text in probes)
        return _numbers(header, values, whole=whole)
    if all(PLAIN_DAY.fullmatch(text) for text in probes):
        days = _cast(values, pa.date32())
        return None if days is None else typed(header, "date", days)
    if all(PLAIN_MOMENT.fullmatch(text) for text in probes):
        return _moments(header, values, probes[0])
    return None


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
    return typed(header, "integer" if pa.types.is_integer(array.type) else "number", array)


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


def without_grouping(header: Header, texts: Sequence[str], indices: pa.Array) -> Typed | None:
    """Read many distinct numbers such as ``1,234.56`` or ``12.3%`` at once; None for any other form."""
    if len(texts) < _FROM:
        return None
    distinct = array_of([text or None for text in texts], pa.string())
    percent = bool(pc.all(pc.ends_with(distinct, "%")).as_py())
    form = r"^[+\-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?" + ("%$" if percent else "$")
    if not pc.all(pc.match_substring_regex(distinct, form)).as_py():
        return None
    stripped = pc.replace_substring(distinct, ",", "")
    stripped = pc.utf8_rtrim(stripped, "%") if percent else stripped
    numbers = _cast(stripped, pa.int64()) if not percent else None
    numbers = _cast(stripped, pa.float64()) if numbers is None else numbers
    if numbers is None:
        return None
    column = plain_number(header, numbers.take(indices))
    return typed(header, "percent", column.array) if percent else column
