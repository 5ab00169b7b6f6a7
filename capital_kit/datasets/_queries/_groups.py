"""Groups and what is made of them: rows of equal keys brought together, each column sorted once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from capital_kit.datasets._arrays import from_numpy, stated, to_numpy
from capital_kit.datasets._facts._kernel import exact_sum, mean, quantile, std
from capital_kit.datasets._facts._rows import combine, dense

Array = npt.NDArray[Any]

_RADIX = 2**16


@dataclass(frozen=True, slots=True, kw_only=True)
class Cells:
    """A column as numbers in the order of its values: codes of sorted words, days, microseconds.

    ``valid`` says which rows hold a finite value, ``odd`` which hold NaN or an infinity; None for none.
    """

    values: Array
    valid: Array
    storage: pa.DataType
    words: pa.Array | None = None
    odd: Array | None = None


def cells_of(column: pa.ChunkedArray | pa.Array) -> Cells:
    """Return a column of a dataset as numbers."""
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if pa.types.is_string(array.type):
        return _words(array)
    valid = stated(array)
    valid = np.ones(len(array), bool) if valid is None else valid
    values = to_numpy(array.cast(pa.uint8()) if pa.types.is_boolean(array.type) else array)
    if values.dtype.kind != "f":
        return Cells(values=values.astype(np.int64, copy=False), valid=valid, storage=array.type)
    finite = valid & np.isfinite(values)
    odd = valid & ~finite
    return Cells(values=values, valid=finite, storage=array.type, odd=odd if odd.any() else None)


def _words(array: pa.Array) -> Cells:
    coded = array.dictionary_encode()
    order = pc.sort_indices(coded.dictionary)
    rank = np.empty(len(order), np.int64)
    rank[to_numpy(order.cast(pa.int64()))] = np.arange(len(order))
    valid = stated(array)
    valid = np.ones(len(array), bool) if valid is None else valid
    codes = np.where(valid, to_numpy(coded.indices), 0)
    values = rank[codes] if len(rank) else codes.astype(np.int64)
    return Cells(values=values, valid=valid, storage=array.type, words=coded.dictionary.take(order))


# groups --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, kw_only=True)
class Groups:
    """The group of each row, in the order of their keys, nulls last; and one row of each."""

    codes: Array
    rows: Array

    @property
    def count(self) -> int:
        """The number of groups."""
        return len(self.rows)


def group_rows(keys: Sequence[Cells], rows: int) -> Groups:
    """Return the groups of rows whose keys are equal; one of all rows if there is no key."""
    if not keys:
        return Groups(codes=np.zeros(rows, np.uint16), rows=np.zeros(1, np.int64))
    codes, _ = dense(combine([key_codes(key)[0] for key in keys])[0])
    present = np.bincount(codes) > 0 if len(codes) else np.zeros(0, bool)
    codes = (np.cumsum(present) - 1)[codes] if len(codes) else codes
    count = int(np.count_nonzero(present))
    first = np.full(count, len(codes), np.int64)
    # Backwards, so that the first row of a group is the last one written.
    first[codes[::-1]] = np.arange(len(codes) - 1, -1, -1)
    return Groups(codes=codes.astype(np.uint16) if count <= _RADIX else codes, rows=first)


def key_codes(cells: Cells) -> tuple[Array, Array]:
    """Return codes in the order of the values, null last, and which rows are null.

    NaN and infinities are values here: NaN comes after all other numbers.
    """
    null = ~cells.valid if cells.odd is None else ~(cells.valid | cells.odd)
    if not null.any():
        return dense(cells.values)[0], null
    codes = np.empty(len(cells.values), np.int64)
    codes[~null], size = dense(cells.values[~null])
    codes[null] = size
    return codes, null


# aggregates ----------------------------------------------------------------------------------


def _distinct(ordered: Array) -> int:
    return int(np.count_nonzero(ordered[1:] != ordered[:-1])) + 1


OF_SORTED: dict[str, Callable[[Array], Any]] = {
    "min": lambda ordered: ordered[0].item(),
    "max": lambda ordered: ordered[-1].item(),
    "sum": exact_sum,
    "avg": mean,
    "median": lambda ordered: quantile(ordered, 0.5),
    "std": std,
    "distinct": _distinct,
}
"""What is made of the finite values of one group, sorted, at least one."""

NUMBERS_ONLY = frozenset({"sum", "avg", "median", "quantile", "std"})
SAME_KIND = frozenset({"min", "max", "first", "last"})


@dataclass(frozen=True, slots=True, kw_only=True)
class SortedGroups:
    """The finite values of a column, group by group, sorted within each."""

    values: Array
    bounds: Array

    @classmethod
    def of(cls, cells: Cells, groups: Groups) -> SortedGroups:
        """Sort a column within its groups."""
        values, codes = cells.values, groups.codes
        if not cells.valid.all():
            values, codes = values[cells.valid], codes[cells.valid]
        order = np.argsort(values)
        order = order[np.argsort(codes[order], kind="stable")]
        counts = np.bincount(codes, minlength=groups.count)
        return cls(values=values[order], bounds=np.concatenate(([0], np.cumsum(counts))))

    def each(self, make: Callable[[Array], Any], empty: Any = None) -> list[Any]:
        """Return what ``make`` makes of each group; ``empty`` for one without values."""
        return [make(self.values[a:b]) if a < b else empty for a, b in pairwise(self.bounds.tolist())]


def at_the_end(cells: Cells, time: Cells, groups: Groups, *, last: bool) -> tuple[list[Any], int]:
    """Return the value at the first or last time of each group, and in how many others stand beside it.

    Rows without a value or a time do not count; of several rows with the same time the first, or the
    last, in the file is taken.
    """
    rows = np.flatnonzero(cells.valid & time.valid)
    codes, when = groups.codes[rows], time.values[rows]
    order = np.argsort(when, kind="stable")
    order = order[np.argsort(codes[order], kind="stable")]
    values, when = cells.values[rows][order], when[order]
    bounds = np.concatenate(([0], np.cumsum(np.bincount(codes, minlength=groups.count)))).tolist()
    found: list[Any] = []
    ties = 0
    for a, b in pairwise(bounds):
        if a == b:
            found.append(None)
            continue
        at, beside = (b - 1, b - 2) if last else (a, a + 1)
        found.append(values[at].item())
        ties += bool(b - a > 1 and when[at] == when[beside])
    return found, ties


def decoded(values: list[Any], cells: Cells) -> pa.Array:
    """Return numbers of :class:`Cells`, None for null, as the column's own values."""
    missing = np.fromiter((value is None for value in values), np.bool_, len(values))
    numbers = np.array([0 if value is None else value for value in values], cells.values.dtype)
    if cells.words is not None:
        return cells.words.take(from_numpy(numbers, pa.int64(), missing))
    if pa.types.is_boolean(cells.storage):
        return from_numpy(numbers.astype(np.uint8), pa.uint8(), missing).cast(pa.bool_())
    width = np.int32 if pa.types.is_date(cells.storage) else numbers.dtype
    return from_numpy(numbers.astype(width), cells.storage, missing)
