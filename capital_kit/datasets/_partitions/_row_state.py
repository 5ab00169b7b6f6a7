"""What the rows of one partition say together: order in time, repetitions, bars, and a fingerprint."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from capital_kit._core.numbers import show
from capital_kit.datasets._facts._kernel import Measured
from capital_kit.datasets._facts._roles import OHLC, ohlc_order
from capital_kit.datasets._model import NUMERIC
from capital_kit.datasets._partitions._sketch import (
    Sample,
    hash_numbers,
    hash_texts,
    merge_samples,
    mixed,
    sample_of,
)

Array = npt.NDArray[Any]

EXAMPLES = 5
KEYS_MAX = 500_000
"""So many distinct keys are remembered where the rows are not in order of time."""
MOMENTS_MAX = 200_000
"""For so many distinct times it is remembered which columns have a value."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Which columns play a role in the facts about rows."""

    time: str | None = None
    entity: str | None = None
    ohlc: Mapping[str, str] | None = None
    volume: str | None = None
    key: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Runs:
    """How the times of each entity follow one another, in the order of the rows.

    One entry an entity: its first and last time, how many rows have that time there at a stretch,
    how many rows it has, how many of them repeat the time before, and in how many stretches.
    """

    entities: tuple[str | None, ...]
    first: Array
    last: Array
    first_rows: Array
    last_rows: Array
    rows: Array
    again: Array
    stretches: Array
    rises: bool
    falls: bool

    @property
    def sorted(self) -> str:
        """``ascending``, ``descending`` or ``no``."""
        return "ascending" if not self.falls else "no" if self.rises else "descending"


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """The first or last time of the axis, how many rows have it, and the numbers of the last of these."""

    time: int
    rows: int
    values: Mapping[str, int | float | None]


@dataclass(frozen=True, slots=True, kw_only=True)
class RowState:
    """The mergeable facts about rows.

    ``sums`` add up two hashes of every row, whatever their order. ``moments`` are the distinct times and
    ``filled`` says, for each column with gaps, at which of them it has a value. ``keys`` are the
    hashes of the key, each with its count, as long as they are few enough.
    """

    rows: int
    sums: tuple[int, int] = (0, 0)
    whole: Runs | None = None
    by_entity: Runs | None = None
    earliest: End | None = None
    latest: End | None = None
    moments: Array | None = None
    filled: Mapping[str, Array] = field(default_factory=dict)
    complete: int = 0
    wrong: int = 0
    wrong_rows: tuple[tuple[int, str], ...] = ()
    zero_prices: int = 0
    negative: tuple[int, str] | None = None
    keys: Sample | None = None
    key_missing: int = 0


def row_state(columns: Mapping[str, Measured], hashes: Mapping[str, Array], told: Told) -> RowState:
    """Return what the rows of measured columns say; ``hashes`` are those of :func:`hashes_of`."""
    rows = len(next(iter(columns.values())).values) if columns else 0
    state = RowState(rows=rows, sums=_sums(list(hashes.values()), rows))
    if not rows:
        return state
    found: dict[str, Any] = {}
    if told.time:
        found |= _in_time(columns, columns[told.time], columns[told.entity] if told.entity else None)
    if told.ohlc:
        found |= _bars({role: columns[name] for role, name in told.ohlc.items()})
    if told.volume:
        volume = columns[told.volume]
        below = np.flatnonzero((volume.values < 0) & volume.mask())[:1]
        found["negative"] = (int(below[0]), show(volume.values[below[0]].item())) if len(below) else None
    if told.key:
        stated = np.logical_and.reduce([columns[name].mask() for name in told.key])
        whole = _mix([hashes[name] for name in told.key])[stated]
        found |= {"key_missing": rows - len(whole), "keys": sample_of(np.sort(whole), KEYS_MAX)}
    return replace(state, **found)


# hashes --------------------------------------------------------------------------------------


def hashes_of(measured: Measured) -> Array:
    """Return a 64-bit hash of each cell, 0 where it states nothing."""
    if measured.words is None:
        hashes = hash_numbers(measured.values)
    elif len(measured.words):
        hashes = hash_texts(measured.words)[measured.values]
    else:
        hashes = np.zeros(len(measured.values), np.uint64)
    return hashes if measured.nulls is None else np.where(measured.nulls, np.uint64(0), hashes)


def _mix(columns: Sequence[Array]) -> Array:
    total = columns[0].copy()
    for place, column in enumerate(columns[1:], 1):
        total *= np.uint64(0x9E3779B97F4A7C15)
        total += column + np.uint64(place)
    return mixed(total)


def _sums(columns: Sequence[Array], rows: int) -> tuple[int, int]:
    if not columns or not rows:
        return 0, 0
    hashes = _mix(columns)
    return int(np.sum(hashes, dtype=np.uint64)), int(np.sum(mixed(hashes), dtype=np.uint64))


# time ----------------------------------------------------------------------------------------


def _in_time(columns: Mapping[str, Measured], time: Measured, entity: Measured | None) -> dict[str, Any]:
    stated = np.flatnonzero(time.mask())
    if not len(stated):
        return {}
    times = time.values[stated]
    moments = np.unique(times)
    numeric = {name: m for name, m in columns.items() if m.facts.kind in NUMERIC}
    filled = {}
    if len(moments) <= MOMENTS_MAX:
        for name, measured in numeric.items():
            if measured.valid is not None:
                seen = np.zeros(len(moments), np.bool_)
                seen[np.searchsorted(moments, times[measured.valid[stated]])] = True
                filled[name] = seen
    return {
        "whole": _runs(times, np.zeros(len(times), np.int64), (None,)),
        "by_entity": None if entity is None else _entity_runs(times, entity, stated),
        "earliest": _end(times, stated, int(moments[0]), numeric),
        "latest": _end(times, stated, int(moments[-1]), numeric),
        "moments": moments if len(moments) <= MOMENTS_MAX else None,
        "filled": filled,
    }


def _entity_runs(times: Array, entity: Measured, stated: Array) -> Runs:
    if entity.words is None:
        values, codes = np.unique(entity.values, return_inverse=True)
        words: list[str | None] = [str(value) for value in values.tolist()]
    else:
        codes, words = entity.values, entity.words.to_pylist()
    if entity.valid is not None:
        codes = np.where(entity.valid, codes, len(words))
    codes = codes[stated]
    if len(codes) and (codes[1:] < codes[:-1]).any():
        order = np.argsort(codes.astype(np.uint16) if len(words) < 2**16 else codes, kind="stable")
        times, codes = times[order], codes[order]
    return _runs(times, codes, (*words, None))


def _runs(times: Array, codes: Array, words: Sequence[str | None]) -> Runs:
    """Return the runs of rows that stand entity by entity, each in the order of the file."""
    size = len(times)
    begin = np.flatnonzero(np.concatenate(([True], codes[1:] != codes[:-1])))
    end = np.append(begin[1:], size) - 1
    step = times[1:] - times[:-1]
    inside = np.ones(max(size - 1, 0), np.bool_)
    inside[begin[1:] - 1] = False
    again = np.concatenate(([False], (step == 0) & inside))
    # A stretch of equal times begins where the next row repeats this one, and this none before.
    stretch = ~again & np.append(again[1:], False)
    changes = np.flatnonzero(~again)
    place = np.searchsorted(changes, begin, "right")
    following = np.append(changes, size)[place]
    return Runs(
        entities=tuple(words[code] for code in codes[begin].tolist()),
        first=times[begin], last=times[end],
        first_rows=np.minimum(following, end + 1) - begin,
        last_rows=end + 1 - changes[np.searchsorted(changes, end, "right") - 1],
        rows=end + 1 - begin,
        again=np.add.reduceat(again.astype(np.int64), begin),
        stretches=np.add.reduceat(stretch.astype(np.int64), begin),
        rises=bool(((step > 0) & inside).any()), falls=bool(((step < 0) & inside).any()),
    )  # fmt: skip


def _end(times: Array, stated: Array, time: int, numeric: Mapping[str, Measured]) -> End:
    rows = stated[times == time]
    row = rows[-1]
    values = {name: m.values[row].item() if m.mask()[row] else None for name, m in numeric.items()}
    return End(time=time, rows=len(rows), values=values)


def _bars(prices: Mapping[str, Measured]) -> dict[str, Any]:
    complete, wrong = ohlc_order(prices)
    rows = np.flatnonzero(wrong)
    zero = np.logical_or.reduce([(m.values == 0) & m.mask() for m in prices.values()])
    examples = tuple(
        (int(row), ", ".join(f"{role} {show(prices[role].values[row].item())}" for role in OHLC))
        for row in rows[:EXAMPLES]
    )
    return {
        "complete": int(complete.sum()), "wrong": len(rows), "wrong_rows": examples,
        "zero_prices": int(zero.sum()),
    }  # fmt: skip


# merging -------------------------------------------------------------------------------------


def merge_rows(first: RowState, second: RowState) -> RowState:
    """Return the state of the rows of both, those of ``first`` first."""
    if not first.rows or not second.rows:
        return second if not first.rows else first
    moments, filled = _merge_filled(first, second)
    after = first.rows
    shifted = tuple((row + after, text) for row, text in second.wrong_rows)
    negative = second.negative and (second.negative[0] + after, second.negative[1])
    return RowState(
        rows=first.rows + second.rows,
        sums=((first.sums[0] + second.sums[0]) % 2**64, (first.sums[1] + second.sums[1]) % 2**64),
        whole=_both(first.whole, second.whole),
        by_entity=_both(first.by_entity, second.by_entity),
        earliest=_merge_ends(first.earliest, second.earliest, 1),
        latest=_merge_ends(first.latest, second.latest, -1),
        moments=moments,
        filled=filled,
        complete=first.complete + second.complete,
        wrong=first.wrong + second.wrong,
        wrong_rows=(*first.wrong_rows, *shifted)[:EXAMPLES],
        zero_prices=first.zero_prices + second.zero_prices,
        negative=first.negative or negative,
        keys=merge_samples(first.keys, second.keys) if first.keys and second.keys else None,
        key_missing=first.key_missing + second.key_missing,
    )


def _both(first: Runs | None, second: Runs | None) -> Runs | None:
    if first is None or second is None:
        return second if first is None else first
    places = {word: place for place, word in enumerate(first.entities)}
    new = [word for word in second.entities if word not in places]
    places |= {word: len(places) + place for place, word in enumerate(new)}
    at = np.fromiter((places[word] for word in second.entities), np.int64, len(second.entities))
    met = at < len(first.entities)
    here, there = at[met], np.flatnonzero(met)
    step = second.first[there] - first.last[here]
    same = step == 0
    out = {}
    for name in ("first", "last", "first_rows", "last_rows", "rows", "again", "stretches"):
        out[name] = np.concatenate((getattr(first, name), np.zeros(len(new), np.int64)))
        out[name][at[~met]] = getattr(second, name)[~met]
    joined = same.astype(np.int64)
    out["again"][here] += second.again[there] + joined
    # Where two stretches meet they become one; where two single rows do, they make one.
    ending, starting = first.last_rows[here] > 1, second.first_rows[there] > 1
    out["stretches"][here] += second.stretches[there] + joined * (1 - ending - starting.astype(np.int64))
    all_first = first.first_rows[here] == first.rows[here]
    out["first_rows"][here] += np.where(same & all_first, second.first_rows[there], 0)
    all_second = second.last_rows[there] == second.rows[there]
    out["last_rows"][here] = second.last_rows[there] + np.where(same & all_second, first.last_rows[here], 0)
    out["last"][here] = second.last[there]
    out["rows"][here] += second.rows[there]
    return Runs(
        entities=(*first.entities, *new), **out,
        rises=first.rises or second.rises or bool((step > 0).any()),
        falls=first.falls or second.falls or bool((step < 0).any()),
    )  # fmt: skip


def _merge_ends(first: End | None, second: End | None, sign: int) -> End | None:
    if first is None or second is None:
        return second if first is None else first
    if first.time == second.time:
        return replace(second, rows=first.rows + second.rows)
    return first if sign * (second.time - first.time) > 0 else second


def _merge_filled(first: RowState, second: RowState) -> tuple[Array | None, dict[str, Array]]:
    """Unite the times and which columns have a value there; a column without an entry has one at each."""
    if first.whole is None or second.whole is None:  # one of them states no time at all
        one = second if first.whole is None else first
        return one.moments, dict(one.filled)
    if first.moments is None or second.moments is None:
        return None, {}
    moments = np.union1d(first.moments, second.moments)
    if len(moments) > MOMENTS_MAX:
        return None, {}
    filled = {}
    for name in {*first.filled, *second.filled}:
        seen = np.zeros(len(moments), np.bool_)
        for one in (first, second):
            assert one.moments is not None
            seen[np.searchsorted(moments, one.moments)] |= one.filled.get(name, True)
        filled[name] = seen
    return moments, filled
