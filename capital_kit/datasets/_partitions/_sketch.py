"""What is kept of a column that is larger than memory: weighted values, frequent words, distinct counts.

All three are exact while few distinct values are known, and say so. Beyond that, values are kept to
some digits only, and distinct ones are counted by HyperLogLog (Flajolet et al. 2007, estimated as
Ertl 2017 does) with 16,384 registers.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from capital_kit.datasets._arrays import array_of, from_numpy, to_numpy

Array = npt.NDArray[Any]

VALUES_MAX = 4096
"""So many distinct numbers of a column are kept with their counts."""
WORDS_MAX = 20_000
"""So many distinct texts of a column are kept with their counts."""
LETTERS_MAX = 1_000_000
"""So long may the distinct texts of a column be together; longer ones are kept below 200 letters only."""
WORD_LENGTH = 200
DISTINCT_ERROR = 0.025
"""Three standard deviations of HyperLogLog with 16,384 registers."""

_MANTISSA = 52
_BITS = 14
_REST = 64 - _BITS
_BLOCK = 2**20
_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sample:
    """The distinct values of a column in order, each with the number of cells that hold it.

    Where there are more of them than ``limit``, values share a bucket if their 64 bits, ordered as the
    numbers are, agree but for the last ``shift``: the fewest bits that leave 4,096 buckets or fewer.
    So the sample of all rows is the same, however they are cut into partitions. ``registers`` then
    count the distinct values.
    """

    points: Array
    weights: Array
    limit: int = VALUES_MAX
    shift: int | None = None
    registers: Array | None = None

    @property
    def exact(self) -> bool:
        """Whether every distinct value is known."""
        return self.shift is None

    @property
    def error(self) -> float:
        """By what share of itself a value may differ from that of its bucket."""
        return 0.0 if self.shift is None else min(2.0 ** (self.shift - _MANTISSA - 1), 1.0)

    def values(self) -> Array:
        """Return the values in order; the middle of each bucket where values share one."""
        if self.shift is None:
            return self.points
        low = self.points << self.shift
        high = low + (2**self.shift - 1)
        middle = _from_bits(low) * 0.5 + _from_bits(high) * 0.5
        # Beside zero itself its bucket holds only what is nearly zero.
        return np.where(self.points == 0, 0.0, middle)

    def beside(self, numbers: Array) -> Array:
        """Return the number of cells of which it is not known on which side of each number they are."""
        if self.shift is None or not len(self.points):
            return np.zeros(len(numbers), np.int64)
        buckets = _to_bits(numbers) >> self.shift
        places = np.minimum(np.searchsorted(self.points, buckets), len(self.points) - 1)
        return np.where(self.points[places] == buckets, self.weights[places], 0)

    def distinct(self) -> int:
        """Return how many distinct values there are."""
        if self.registers is None:
            return len(self.points)
        return min(estimate(self.registers), int(self.weights.sum()))


def sample_of(ordered: Array, limit: int = VALUES_MAX) -> Sample:
    """Return the sample of sorted, finite numbers."""
    starts = np.flatnonzero(np.concatenate(([True], ordered[1:] != ordered[:-1]))[: len(ordered)])
    weights = np.diff(np.append(starts, len(ordered)))
    return _bounded(Sample(points=ordered[starts], weights=weights, limit=limit))


def merge_samples(first: Sample, second: Sample) -> Sample:
    """Return the sample of the cells of both."""
    if first.exact and second.exact:
        return _bounded(_united(first, second))
    shift = max(first.shift or 0, second.shift or 0)
    return _bounded(_united(_coarser(first, shift), _coarser(second, shift)))


def _united(first: Sample, second: Sample) -> Sample:
    points = np.concatenate((first.points, second.points))
    weights = np.concatenate((first.weights, second.weights))
    if len(first.points) and len(second.points) and not first.points[-1] < second.points[0]:
        order = np.argsort(points, kind="stable")  # linear in two runs that are sorted already
        points, weights = _counted(points[order], weights[order])
    registers = None
    if first.registers is not None and second.registers is not None:
        registers = np.maximum(first.registers, second.registers)
    return Sample(
        points=points, weights=weights, limit=first.limit, shift=first.shift, registers=registers
    )  # fmt: skip


def _bounded(sample: Sample) -> Sample:
    if len(sample.points) <= (sample.limit if sample.exact else VALUES_MAX):
        return sample
    sample = _coarser(sample, sample.shift or 0)
    assert sample.shift is not None
    few, many = 64 - sample.shift, -1
    while few - many > 1:
        middle = (few + many) // 2
        kept = sample.points >> min(middle, 63)
        if 1 + np.count_nonzero(kept[1:] != kept[:-1]) <= VALUES_MAX:
            few = middle
        else:
            many = middle
    return _coarser(sample, sample.shift + few)


def _coarser(sample: Sample, shift: int) -> Sample:
    """Return the sample with buckets of so many bits, in which it fits."""
    registers = sample.registers
    if sample.shift is None:
        registers = registers_of(hash_numbers(sample.points))
        buckets = _to_bits(sample.points) >> shift
    else:
        buckets = sample.points >> (shift - sample.shift)
    points, weights = _counted(buckets, sample.weights)
    return Sample(
        points=points, weights=weights, limit=sample.limit, shift=shift, registers=registers
    )  # fmt: skip


def _counted(points: Array, weights: Array) -> tuple[Array, Array]:
    """Return sorted points without repetition, and the weight of all that are equal."""
    if not len(points):
        return points, weights
    starts = np.flatnonzero(np.concatenate(([True], points[1:] != points[:-1])))
    return points[starts], np.add.reduceat(weights, starts)


def _to_bits(values: Array) -> Array:
    """Return 64-bit integers in the order of the numbers."""
    bits = (values.astype(np.float64) + 0.0).view(np.int64)
    result: Array = np.where(bits < 0, bits ^ np.int64(2**63 - 1), bits)
    return result


def _from_bits(bits: Array) -> Array:
    result: Array = np.where(bits < 0, bits ^ np.int64(2**63 - 1), bits).view(np.float64)
    return result


# words ---------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Words:
    """The most frequent texts with their counts.

    Beyond the limit counts are lower bounds, off by at most ``lost`` (Misra-Gries), and
    ``registers`` count the distinct texts.
    """

    counts: Mapping[str, int]
    lost: int = 0
    registers: Array | None = None

    def distinct(self, count: int) -> int:
        """Return how many distinct texts there are among ``count`` cells."""
        return len(self.counts) if self.registers is None else min(estimate(self.registers), count)


def words_of(words: pa.Array, counts: Array) -> Words:
    """Return the state of a column of text: its distinct texts and how often each occurs."""
    if len(words) <= WORDS_MAX and (pc.sum(pc.utf8_length(words)).as_py() or 0) <= LETTERS_MAX:
        return Words(counts=dict(zip(words.to_pylist(), counts.tolist(), strict=True)))
    registers = registers_of(hash_texts(words))
    short = to_numpy(pc.utf8_length(words)) <= WORD_LENGTH
    lost = int(counts[~short].max(initial=0))
    cut = 0
    if int(short.sum()) > WORDS_MAX:
        cut = int(-np.partition(-counts[short], WORDS_MAX)[WORDS_MAX])
    keep = np.flatnonzero(short & (counts > cut))
    kept = words.take(from_numpy(keep, pa.int64())).to_pylist()
    found = dict(zip(kept, (counts[keep] - cut).tolist(), strict=True))
    return Words(counts=found, lost=lost + cut, registers=registers)


def merge_words(first: Words, second: Words) -> Words:
    """Return the words of both."""
    counts = Counter(first.counts)
    counts.update(second.counts)
    few = len(counts) <= WORDS_MAX and sum(map(len, counts)) <= LETTERS_MAX
    if few and first.registers is None and second.registers is None:
        return Words(counts=dict(counts))
    registers = np.maximum(_registers(first), _registers(second))
    lost = max((n for word, n in counts.items() if len(word) > WORD_LENGTH), default=0)
    short = {word: n for word, n in counts.items() if len(word) <= WORD_LENGTH}
    cut = sorted(short.values(), reverse=True)[WORDS_MAX] if len(short) > WORDS_MAX else 0
    kept = {word: n - cut for word, n in short.items() if n > cut}
    return Words(counts=kept, lost=first.lost + second.lost + lost + cut, registers=registers)


def _registers(words: Words) -> Array:
    if words.registers is not None:
        return words.registers
    return registers_of(hash_texts(array_of(list(words.counts), pa.string())))


# hashes --------------------------------------------------------------------------------------


def mixed(values: Array) -> Array:
    """Return 64-bit numbers stirred so that every bit depends on all (splitmix64)."""
    values = values.view(np.uint64) + _ODD
    values = (values ^ (values >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    values = (values ^ (values >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    result: Array = values ^ (values >> np.uint64(31))
    return result


def hash_numbers(values: Array) -> Array:
    """Return a 64-bit hash of each number; both zeros have the same, and so have all NaN."""
    if values.dtype.kind == "f":
        values = np.where(np.isnan(values), np.nan, values + 0.0)
    return mixed(np.ascontiguousarray(values))


def hash_texts(texts: pa.Array) -> Array:
    """Return a 64-bit hash of each text, none of them null."""
    texts = texts.cast(pa.large_string())
    offsets = np.frombuffer(texts.buffers()[1], np.int64)[texts.offset : texts.offset + len(texts) + 1]
    data = texts.buffers()[2]
    letters = np.frombuffer(data, np.uint8) if data is not None else np.zeros(0, np.uint8)
    out = np.empty(len(texts), np.uint64)
    start = 0
    while start < len(texts):
        end = int(np.searchsorted(offsets, offsets[start] + _BLOCK, "right")) - 1
        end = min(max(end, start + 1), len(texts))
        bounds = offsets[start : end + 1]
        block = letters[bounds[0] : bounds[-1]].astype(np.uint64) + np.uint64(1)
        lengths = np.diff(bounds)
        place = np.arange(len(block)) - np.repeat(bounds[:-1] - bounds[0], lengths)
        powers = np.cumprod(np.full(int(lengths.max(initial=0)) + 1, _ODD, np.uint64))
        sums = np.concatenate((np.zeros(1, np.uint64), np.cumsum(block * powers[place], dtype=np.uint64)))
        at = bounds - bounds[0]
        out[start:end] = sums[at[1:]] - sums[at[:-1]] + lengths.astype(np.uint64)
        start = end
    return mixed(out)


# distinct values -----------------------------------------------------------------------------


def registers_of(hashes: Array) -> Array:
    """Return the registers of HyperLogLog for these hashes."""
    registers = np.zeros(2**_BITS, np.uint8)
    places = (hashes >> np.uint64(_REST)).astype(np.int64)
    rest = (hashes & np.uint64(2**_REST - 1)).astype(np.float64)
    _, exponents = np.frexp(rest)
    np.maximum.at(registers, places, (_REST + 1 - exponents).astype(np.uint8))
    return registers


def estimate(registers: Array) -> int:
    """Return how many distinct hashes the registers have seen."""
    size = len(registers)
    counts = np.bincount(registers, minlength=_REST + 2).tolist()
    total = size * _tau(1 - counts[_REST + 1] / size)
    for count in counts[_REST:0:-1]:
        total = 0.5 * (total + count)
    total += size * _sigma(counts[0] / size)
    return round(size * size / (2 * np.log(2) * total)) if np.isfinite(total) else 0


def _sigma(share: float) -> float:
    if share == 1:
        return float("inf")
    y, z, before = 1.0, share, -1.0
    while z != before:
        share *= share
        before, z, y = z, z + share * y, y + y
    return z


def _tau(share: float) -> float:
    if share in (0, 1):
        return 0.0
    y, z, before = 1.0, 1 - share, -1.0
    while z != before:
        share **= 0.5
        y *= 0.5
        before, z = z, z - (1 - share) ** 2 * y
    return z / 3
