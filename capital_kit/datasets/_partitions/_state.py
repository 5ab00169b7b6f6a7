"""What one partition says about one column, and what several say together.

A state is small whatever the partition holds, and two states merge into that of both. While it
knows every distinct value with its count, the facts it gives are those of the kernel.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from capital_kit.datasets._cells._codes import normal_codes
from capital_kit.datasets._description import ColumnFacts
from capital_kit.datasets._facts._kernel import (
    BINS,
    SHARES,
    TOP,
    Measured,
    clip,
    magnitude_of,
    number_facts,
    time_name,
)
from capital_kit.datasets._model import NUMERIC, TEMPORAL, Column, Kind
from capital_kit.datasets._partitions._sketch import (
    DISTINCT_ERROR,
    VALUES_MAX,
    Sample,
    Words,
    merge_samples,
    merge_words,
    sample_of,
    words_of,
)

Array = npt.NDArray[Any]

EXPANDED_MAX = 100_000
"""Up to so many cells an exact sample is spread out again and measured by the kernel itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ColumnState:
    """The mergeable facts about one column of some rows.

    Times are numbers here, as in :class:`Measured`. ``unread`` counts the stated values that do not
    fit the kind and became null; ``seen`` names the kinds that partitions would have chosen.
    ``sums``, ``lows``, ``offsets``, ``stds`` and ``sizes`` have one entry a partition: the sum, the least
    number, by how much the mean is larger, the standard deviation and the count. Only the record adds
    them up, so that the order of merging does not change the last digit.
    """

    rows: int
    nulls: int = 0
    nan: int = 0
    inf: int = 0
    unread: int = 0
    seen: tuple[Kind, ...] = ()
    null_tokens: Mapping[str, int] = field(default_factory=dict)
    first: Any = None
    last: Any = None
    low: Any = None
    high: Any = None
    lengths: tuple[int, int] | None = None
    sums: tuple[float | int, ...] = ()
    lows: tuple[float | int, ...] = ()
    offsets: tuple[float, ...] = ()
    stds: tuple[float, ...] = ()
    sizes: tuple[int, ...] = ()
    zeros: int = 0
    negatives: int = 0
    sample: Sample | None = None
    words: Words | None = None

    @property
    def count(self) -> int:
        """The number of cells with a finite value."""
        return self.rows - self.nulls - self.nan - self.inf


def state_of(
    measured: Measured, *, unread: int = 0, seen: Kind | None = None, limit: int = VALUES_MAX
) -> ColumnState:
    """Return the state of a measured column; ``limit`` says how many distinct values it may keep."""
    facts = measured.facts
    rows = len(measured.values)
    found: dict[str, Any] = {}
    if facts.count:
        if measured.words is not None:
            found = _word_state(measured, measured.words)
        elif facts.kind == "boolean":
            found = {"words": Words(counts=dict(facts.top or ())), "first": facts.first, "last": facts.last}
        else:
            found = _number_state(measured, limit)
    return ColumnState(
        rows=rows, nulls=facts.nulls, nan=measured.nan, inf=measured.inf, unread=unread,
        seen=(seen,) if seen and facts.count + facts.non_finite + unread else (),
        null_tokens=dict(facts.null_tokens), **found,
    )  # fmt: skip


def _number_state(measured: Measured, limit: int) -> dict[str, Any]:
    facts, values, valid = measured.facts, measured.values, measured.valid
    ordered = np.sort(values) if valid is None else np.sort(values[valid])
    found: dict[str, Any] = {
        "sample": sample_of(ordered, limit), "low": ordered[0].item(), "high": ordered[-1].item(),
        "first": _cell(measured, 0), "last": _cell(measured, -1),
    }  # fmt: skip
    if facts.kind in NUMERIC:
        with np.errstate(over="ignore"):
            wide = ordered[-1].item() - ordered[0].item() >= 2**63
            above = ordered.astype(float) - float(ordered[0]) if wide else ordered - ordered[0]
            offset = float(np.mean(above))
        found |= {
            "sums": (facts.sum if facts.sum is not None else math.inf,),
            "lows": (ordered[0].item(),), "offsets": (offset,), "stds": (facts.std or 0.0,),
            "sizes": (facts.count,), "zeros": facts.zeros or 0, "negatives": facts.negatives or 0,
        }  # fmt: skip
    return found


def _word_state(measured: Measured, words: pa.Array) -> dict[str, Any]:
    facts, codes = measured.facts, measured.values
    codes = codes if measured.valid is None else codes[measured.valid]
    counts = np.bincount(codes, minlength=len(words))
    return {
        "words": words_of(words, counts), "low": facts.min, "high": facts.max,
        "first": facts.first, "last": facts.last, "lengths": (facts.length_min, facts.length_max),
    }  # fmt: skip


def _cell(measured: Measured, row: int) -> Any:
    if measured.valid is not None and not measured.valid[row]:
        return None
    return measured.values[row].item()


# merging -------------------------------------------------------------------------------------


def merge_states(first: ColumnState, second: ColumnState) -> ColumnState:
    """Return the state of the rows of both, those of ``first`` first."""
    if not first.rows or not second.rows:
        return second if not first.rows else first
    return ColumnState(
        rows=first.rows + second.rows,
        nulls=first.nulls + second.nulls,
        nan=first.nan + second.nan,
        inf=first.inf + second.inf,
        unread=first.unread + second.unread,
        seen=tuple(sorted({*first.seen, *second.seen})),
        null_tokens=dict(Counter(first.null_tokens) + Counter(second.null_tokens)),
        first=first.first,
        last=second.last,
        low=_of_both(min, first.low, second.low),
        high=_of_both(max, first.high, second.high),
        lengths=_lengths(first.lengths, second.lengths),
        sums=first.sums + second.sums,
        lows=first.lows + second.lows,
        offsets=first.offsets + second.offsets,
        stds=first.stds + second.stds,
        sizes=first.sizes + second.sizes,
        zeros=first.zeros + second.zeros,
        negatives=first.negatives + second.negatives,
        sample=_of_both(merge_samples, first.sample, second.sample),
        words=_of_both(merge_words, first.words, second.words),
    )


def _of_both(merge: Any, first: Any, second: Any) -> Any:
    if first is None or second is None:
        return second if first is None else first
    return merge(first, second)


def _lengths(first: tuple[int, int] | None, second: tuple[int, int] | None) -> tuple[int, int] | None:
    if first is None or second is None:
        return second if first is None else first
    return min(first[0], second[0]), max(first[1], second[1])


# facts ---------------------------------------------------------------------------------------


def facts_of(state: ColumnState, column: Column) -> ColumnFacts:
    """Return the record of a column from its state; ``approx`` names what is not exact."""
    found: dict[str, Any] = {}
    if state.count:
        if state.words is not None:
            found = _word_facts(state, column)
        elif column.kind in TEMPORAL:
            found = _time_facts(state, column)
        elif column.kind in NUMERIC:
            found = _number_facts(state)
    return ColumnFacts(
        name=column.name, header=column.header, kind=column.kind, unit=column.unit,
        unit_scale=column.unit_scale, null_tokens=dict(Counter(state.null_tokens).most_common()),
        nulls=state.nulls, non_finite=state.nan + state.inf, count=state.count,
        constant=found.get("distinct", 0) == 1, **found,
    )  # fmt: skip


def magnitude(state: ColumnState) -> float | None:
    """Return the median of the absolute values."""
    if state.sample is None:
        return None
    points, weights = state.sample.values(), state.sample.weights
    if _may_expand(state):
        return magnitude_of(np.repeat(points, weights))
    sizes = np.abs(points.astype(float))
    order = np.argsort(sizes, kind="stable")
    return _quantile(sizes[order], np.cumsum(weights[order]), 0.5)


def _may_expand(state: ColumnState) -> bool:
    return state.sample is not None and state.sample.exact and state.count <= EXPANDED_MAX


def _number_facts(state: ColumnState) -> dict[str, Any]:
    sample = state.sample
    assert sample is not None
    points, weights = sample.values(), sample.weights
    ends = {"first": _plus_zero(state.first), "last": _plus_zero(state.last)}
    if _may_expand(state):
        return {**number_facts(np.repeat(points, weights)), **ends}
    reached = np.cumsum(weights)
    low, high = _plus_zero(state.low), _plus_zero(state.high)
    quantiles = {f"p{share:02d}": _quantile(points, reached, share / 100) for share in SHARES}
    edges = _edges(float(low), float(high))
    measured = {
        **ends, "min": low, "max": high, "distinct": sample.distinct(), **_moments(state), **quantiles,
        "zeros": state.zeros, "negatives": state.negatives,
        "histogram": None if edges is None else tuple(np.diff(_below(points, reached, edges)).tolist()),
    }  # fmt: skip
    if sample.exact:
        return {**measured, "outliers": _outliers(points, reached, quantiles["p25"], quantiles["p75"])}
    # How many values lie beyond quartiles that may be off has no bound, and is not said.
    approx = {"distinct": DISTINCT_ERROR, **dict.fromkeys(quantiles, sample.error)}
    if edges is not None:
        approx["histogram"] = _misplaced(sample, edges)
    return {**measured, "approx": approx}


def _moments(state: ColumnState) -> dict[str, Any]:
    n = state.count
    whole = all(isinstance(part, int) for part in state.sums)
    total: int | float | None
    try:
        total = sum(state.sums) if whole else math.fsum(state.sums) + 0.0
        total = total if math.isfinite(total) else None
    except OverflowError:
        total = None
    base = min(state.lows)
    sizes = np.array(state.sizes, float)
    with np.errstate(over="ignore", invalid="ignore"):
        # Means are compared by their distance from one number, which keeps the digits of close ones.
        above = np.array([low - base for low in state.lows], float) + np.array(state.offsets)
        middle = float(np.sum(above * (sizes / n)))
        apart = np.concatenate((np.array(state.stds), above - middle))
        counts = np.concatenate((sizes - 1, sizes))
        scale = float(np.abs(apart).max()) or 1.0
        std = scale * math.sqrt(float(np.sum(counts * (apart / scale) ** 2)) / (n - 1)) if n > 1 else None
    mean = total / n if total is not None else base + middle
    found = {"sum": total, "mean": mean, "std": std}
    return {name: value for name, value in found.items() if value is not None and math.isfinite(value)}


def _quantile(points: Array, reached: Array, share: float) -> float:
    """Return a quantile of weighted points as the kernel does, interpolated linearly."""
    position = (int(reached[-1]) - 1) * share
    index = int(position)
    low = points[np.searchsorted(reached, index, "right")].item()
    weight = position - index
    if weight == 0:
        return float(low) + 0.0
    high = points[np.searchsorted(reached, index + 1, "right")].item()
    step = high - low
    return float(low + step * weight if math.isfinite(step) else low * (1 - weight) + high * weight) + 0.0


def _below(points: Array, reached: Array, edges: Array) -> Array:
    places = np.searchsorted(points, edges[1:-1], "left")
    inner = np.concatenate(([0], reached))[places]
    return np.concatenate(([0], inner, [reached[-1]]))


def _misplaced(sample: Sample, edges: Array) -> float:
    """Return the largest share of the cells that may stand in a bin beside their own."""
    doubtful = np.concatenate(([0], sample.beside(edges[1:-1]), [0]))
    return float((doubtful[1:] + doubtful[:-1]).max() / sample.weights.sum())


def _edges(low: float, high: float) -> Array | None:
    if not low < high:
        return None
    share = np.arange(BINS + 1) / BINS
    return low * (1 - share) + high * share


def _outliers(points: Array, reached: Array, low: float, high: float) -> int:
    reach = 1.5 * (high - low)
    if not math.isfinite(reach):
        return 0
    sums = np.concatenate(([0], reached))
    below = sums[np.searchsorted(points, low - reach, "left")]
    return int(below + sums[-1] - sums[np.searchsorted(points, high + reach, "right")])


def _time_facts(state: ColumnState, column: Column) -> dict[str, Any]:
    assert state.sample is not None

    def text(value: int | None) -> str | None:
        return None if value is None else time_name(value, column.kind)

    return {
        "distinct": state.sample.distinct(), "min": text(state.low), "max": text(state.high),
        "first": text(state.first), "last": text(state.last),
        "approx": {} if state.sample.exact else {"distinct": DISTINCT_ERROR},
    }  # fmt: skip


def _word_facts(state: ColumnState, column: Column) -> dict[str, Any]:
    words = state.words
    assert words is not None
    exact = words.registers is None
    distinct = words.distinct(state.count)
    sure = [(word, n) for word, n in words.counts.items() if n > words.lost]
    ranked = sorted(sure, key=lambda pair: (-pair[1], pair[0]))[:TOP]
    repeated = bool(ranked) and (ranked[0][1] > 1 or column.kind == "boolean")
    top = tuple((clip(word), n) for word, n in ranked) if repeated else None
    approx = {}
    if not exact:
        approx["distinct"] = DISTINCT_ERROR
        if top and words.lost:
            approx["top"] = words.lost / (top[-1][1] + words.lost)
    found = {
        "distinct": distinct, "top": top, "first": state.first, "last": state.last, "approx": approx,
    }  # fmt: skip
    if column.kind == "boolean":
        return found
    assert state.lengths is not None
    low, high = state.lengths
    if column.kind == "code" and exact:
        found["normal_codes"] = normal_codes(words.counts)
    return {**found, "min": state.low, "max": state.high, "length_min": low, "length_max": high}


def _plus_zero(value: Any) -> Any:
    return value + 0.0 if isinstance(value, float) else value
