"""The columnar kernel: the facts about one column, exact and in one pass.

A numeric column is sorted once, a text column dictionary-encoded once; every fact is read off
that. Sums run over the sorted values, so that they do not depend on the order of the rows.
"""

from __future__ import annotations

import datetime as dt
import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from capital_kit.datasets._arrays import from_numpy, stated, to_numpy
from capital_kit.datasets._cells._codes import normal_codes
from capital_kit.datasets._cells._times import time_text
from capital_kit.datasets._description import ColumnFacts
from capital_kit.datasets._model import NUMERIC, TEMPORAL, Column, Kind

Array = npt.NDArray[Any]

BINS = 20
TOP = 5
SHARES = (1, 5, 25, 50, 75, 95, 99)
TEXT_MAX = 200
_CHUNK_MAX = 2**31 - 1
_CLOSE = 2.0**-16


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A column's facts with its cells row by row, for the decisions that need rows.

    ``values`` holds float64 or int64 numbers, days or microseconds since 1970 for times, codes
    into ``words`` for text; where ``valid`` is False they mean nothing. ``valid`` is None if every
    cell holds a finite value, ``stated`` if every cell states one. ``times`` are the distinct times
    in order, ``magnitude`` is the median of the absolute values.
    """

    facts: ColumnFacts
    values: Array
    valid: Array | None = None
    stated: Array | None = None
    words: pa.Array | None = None
    times: Array | None = None
    magnitude: float | None = None
    nan: int = 0
    inf: int = 0

    def mask(self) -> Array:
        """Return which rows hold a value."""
        return np.ones(len(self.values), bool) if self.valid is None else self.valid

    @property
    def nulls(self) -> Array | None:
        """Which cells state nothing; None if each states something."""
        return None if self.stated is None else ~self.stated


def measure(column: Column, cells: pa.ChunkedArray) -> Measured:
    """Return the facts about one column of a dataset."""
    if column.kind not in (*NUMERIC, *TEMPORAL, "boolean"):
        return _measure_words(column, cells)
    array = cells.combine_chunks() if cells.num_chunks != 1 else cells.chunk(0)
    if column.kind in NUMERIC:
        return _measure_numbers(column, array)
    if column.kind in TEMPORAL:
        return _measure_times(column, array)
    return _measure_flags(column, array)


def _facts(column: Column, rows: int, nulls: int, **found: Any) -> ColumnFacts:
    non_finite = found.get("non_finite", 0)
    return ColumnFacts(
        name=column.name, header=column.header, kind=column.kind, unit=column.unit,
        unit_scale=column.unit_scale, null_tokens=column.null_tokens, nulls=nulls,
        count=rows - nulls - non_finite, constant=found.get("distinct", 0) == 1, **found,
    )  # fmt: skip


# numbers -------------------------------------------------------------------------------------


def _measure_numbers(column: Column, array: pa.Array) -> Measured:
    whole = pa.types.is_integer(array.type)
    array = array.cast(pa.int64() if whole else pa.float64())
    valid = given = stated(array)
    values = _filled(array, 0 if whole else math.nan)
    nan = inf = 0
    if not whole:
        finite = np.isfinite(values)
        odd = len(values) - int(np.count_nonzero(finite)) - array.null_count
        if odd:
            inf = int(np.count_nonzero(np.isinf(values)))
            nan, valid = odd - inf, finite
    ordered = _sorted(values, valid)
    facts = _facts(
        column, len(values), array.null_count, non_finite=nan + inf,
        first=_cell(values, valid, 0), last=_cell(values, valid, -1),
        **(number_facts(ordered) if len(ordered) else {}),
    )  # fmt: skip
    size = magnitude_of(ordered)
    return Measured(facts=facts, values=values, valid=valid, stated=given, magnitude=size, nan=nan, inf=inf)


def number_facts(ordered: Array) -> dict[str, Any]:
    """Return what sorted, finite numbers (at least one) say: the numeric fields of the record."""
    low, high = _python(ordered[0]), _python(ordered[-1])
    total, deviation = exact_sum(ordered), std(ordered)
    quantiles = {f"p{share:02d}": quantile(ordered, share / 100) for share in SHARES}
    return {
        "distinct": int(np.count_nonzero(ordered[1:] != ordered[:-1])) + 1,
        "min": low,
        "max": high,
        "sum": total if math.isfinite(total) else None,
        "mean": mean(ordered),
        "std": deviation if deviation is not None and math.isfinite(deviation) else None,
        **quantiles,
        "outliers": outliers(ordered, quantiles["p25"], quantiles["p75"]),
        "negatives": (negatives := int(np.searchsorted(ordered, 0, "left"))),
        "zeros": int(np.searchsorted(ordered, 0, "right")) - negatives,
        "histogram": histogram(ordered),
    }


def exact_sum(values: Array) -> int | float:
    """Return the sum: integers without overflow, floats pairwise."""
    if values.dtype.kind == "f":
        with np.errstate(over="ignore", invalid="ignore"):
            return float(np.sum(values)) + 0.0
    if len(values) == 0:
        return 0
    largest = max(abs(int(values.min())), abs(int(values.max())))
    if largest * len(values) < 2**63:
        return int(values.sum())
    # The halves of 64 bits cannot overflow for fewer than 2**31 rows.
    return int((values >> 32).sum()) * 2**32 + int((values & 0xFFFFFFFF).sum())


def mean(ordered: Array) -> float:
    """Return the mean of at least one value, also where their sum is too large for a float."""
    total = exact_sum(ordered)
    return total / len(ordered) if math.isfinite(total) else float(np.sum(ordered / len(ordered)))


def std(ordered: Array) -> float | None:
    """Return the standard deviation of sorted values; None for one, infinity where no float holds it."""
    if len(ordered) < 2:
        return None
    low, high = _python(ordered[0]), _python(ordered[-1])
    scale = max(abs(float(low)), abs(float(high)))
    if high - low < (2**63 if ordered.dtype.kind == "i" else scale * _CLOSE):
        # Distances from the least keep the last digits of large, close numbers.
        ordered = ordered - ordered[0]
        scale = float(ordered[-1])
    if scale > 1e150 or 0 < scale < 1e-150:
        return float(np.std(ordered / scale, ddof=1)) * scale
    return float(np.std(ordered, ddof=1))


def quantile(ordered: Array, share: float) -> float:
    """Return a quantile of sorted values, interpolated linearly (numpy's default)."""
    position = (len(ordered) - 1) * share
    index = int(position)
    low = _python(ordered[index])
    if (weight := position - index) == 0:
        return float(low)
    high = _python(ordered[index + 1])
    step = high - low
    return float(low + step * weight if math.isfinite(step) else low * (1 - weight) + high * weight)


def outliers(ordered: Array, low: float, high: float) -> int:
    """Return how many sorted values lie beyond the quartiles by 1.5 times their distance."""
    reach = 1.5 * (high - low)
    if not math.isfinite(reach):
        return 0
    below = int(np.searchsorted(ordered, low - reach, "left"))
    return below + len(ordered) - int(np.searchsorted(ordered, high + reach, "right"))


def histogram(ordered: Array) -> tuple[int, ...] | None:
    """Return the counts of 20 equal bins from min to max; None where all values are equal."""
    low, high = float(ordered[0]), float(ordered[-1])
    if not low < high:
        return None
    share = np.arange(1, BINS) / BINS
    edges = low * (1 - share) + high * share
    places = np.concatenate(([0], np.searchsorted(ordered, edges, "left"), [len(ordered)]))
    return tuple(np.diff(places).tolist())


def magnitude_of(ordered: Array) -> float | None:
    """Return the median of the absolute values of sorted numbers."""
    if len(ordered) == 0:
        return None
    if ordered[0] >= 0:
        return quantile(ordered, 0.5)
    # The smaller half of them lies in one piece around zero: halve the places where it may begin.
    middle = len(ordered) // 2
    start, end = 0, len(ordered) - 1 - middle
    while start < end:
        place = (start + end) // 2
        if -_python(ordered[place]) > _python(ordered[place + middle + 1]):
            start = place + 1
        else:
            end = place
    return float(max(-_python(ordered[start]), _python(ordered[start + middle])))


# times, flags, words -------------------------------------------------------------------------


def _measure_times(column: Column, array: pa.Array) -> Measured:
    if column.kind == "datetime":
        array = array.cast(pa.timestamp("us"))
    else:
        array = array.cast(pa.date32()).cast(pa.int32())
    valid, values = stated(array), _filled(array.cast(pa.int64()), 0)
    ordered = _sorted(values, valid)

    def text(value: int | None) -> str | None:
        return None if value is None else time_name(value, column.kind)

    found: dict[str, Any] = {}
    times = ordered[np.append(True, ordered[1:] != ordered[:-1])] if len(ordered) else ordered
    if len(ordered):
        found = {
            "distinct": len(times),
            "min": text(int(ordered[0])),
            "max": text(int(ordered[-1])),
            "first": text(_cell(values, valid, 0)),
            "last": text(_cell(values, valid, -1)),
        }
    facts = _facts(column, len(values), array.null_count, **found)
    return Measured(facts=facts, values=values, valid=valid, stated=valid, times=times)


def time_name(value: int, kind: Kind) -> str:
    """Return the text of a time as :class:`Measured` holds it: days or microseconds since 1970."""
    try:
        if kind == "datetime":
            start = dt.datetime(1970, 1, 1)  # noqa: DTZ001 (wall time on purpose)
            return time_text(start + dt.timedelta(microseconds=int(value)), kind)
        return time_text(dt.date(1970, 1, 1) + dt.timedelta(days=int(value)), kind)
    except OverflowError:  # beyond the years that Python knows
        return str(np.datetime64(int(value), "us" if kind == "datetime" else "D"))


def _measure_flags(column: Column, array: pa.Array) -> Measured:
    valid = stated(array)
    values = _filled(array.cast(pa.uint8()), 0).astype(np.int64)
    trues = int(values.sum())
    counts = {"true": trues, "false": len(array) - array.null_count - trues}
    top = _ranked([(name, n) for name, n in counts.items() if n])
    first, last = _cell(values, valid, 0), _cell(values, valid, -1)
    facts = _facts(
        column, len(values), array.null_count, distinct=len(top), top=top or None,
        first=None if first is None else bool(first), last=None if last is None else bool(last),
    )  # fmt: skip
    return Measured(facts=facts, values=values, valid=valid, stated=valid)


def _measure_words(column: Column, cells: pa.ChunkedArray) -> Measured:
    if cells.nbytes > _CHUNK_MAX:
        cells = cells.cast(pa.large_string())
    # Codes are put together, texts are not: they are the larger part of the table.
    coded = cells.dictionary_encode().combine_chunks()
    words, valid, codes = coded.dictionary, stated(coded.indices), _filled(coded.indices, 0)
    found: dict[str, Any] = {"distinct": len(words)}
    if len(words):
        bounds = pc.min_max(words).as_py()  # UTF-8 bytes sort as code points do
        found["min"], found["max"] = clip(bounds["min"]), clip(bounds["max"])
        lengths = pc.min_max(pc.utf8_length(words)).as_py()
        found["length_min"], found["length_max"] = lengths["min"], lengths["max"]
        for name, row in (("first", 0), ("last", -1)):
            code = _cell(codes, valid, row)
            found[name] = None if code is None else clip(words[code].as_py())
        found["top"] = _top(codes if valid is None else codes[valid], words)
        if column.kind == "code":
            found["normal_codes"] = normal_codes(words.to_pylist())
    facts = _facts(column, len(codes), coded.null_count, **found)
    return Measured(facts=facts, values=codes, valid=valid, stated=valid, words=words)


def _top(codes: Array, words: pa.Array) -> tuple[tuple[str, int], ...] | None:
    counts = np.bincount(codes, minlength=len(words))
    if counts.max() == 1:
        return None
    least = np.sort(counts)[-min(TOP, len(counts))]
    above = np.flatnonzero(counts > least)
    level = np.flatnonzero(counts == least)
    if len(level) > TOP:  # of equal counts the first by code point
        level = level[to_numpy(pc.sort_indices(words.take(from_numpy(level, pa.int64()))))[:TOP]]
    chosen = np.concatenate((above, level))
    return _ranked([(words[int(i)].as_py(), int(counts[i])) for i in chosen])


def _ranked(pairs: list[tuple[str, int]]) -> tuple[tuple[str, int], ...]:
    best = sorted(pairs, key=lambda pair: (-pair[1], pair[0]))[:TOP]
    return tuple((clip(word), count) for word, count in best)


def clip(text: str) -> str:
    """Return a text that a record may hold: at most 200 characters, cut with an ellipsis."""
    return text if len(text) <= TEXT_MAX else text[: TEXT_MAX - 1] + "…"


# cells ---------------------------------------------------------------------------------------


def _filled(array: pa.Array, filler: float = 0) -> Array:
    values: Array = to_numpy(array)
    valid = stated(array)
    if valid is None:
        return values
    below = values[~valid]
    if (np.isnan(below) if math.isnan(filler) else below == filler).all():
        return values  # as frames and encoded texts have it: no copy
    return np.where(valid, values, np.asarray(filler, values.dtype))


def _sorted(values: Array, valid: Array | None) -> Array:
    ordered: Array = values.copy() if valid is None else values[valid]
    ordered.sort()
    return ordered


def _cell(values: Array, valid: Array | None, row: int) -> Any:
    if len(values) == 0 or (valid is not None and not valid[row]):
        return None
    return _python(values[row])


def _python(value: Any) -> Any:
    result = value.item()
    return result + 0.0 if isinstance(result, float) else result
