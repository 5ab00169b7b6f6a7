"""Rows compared: small codes that are equal where cells or whole keys are, and what repeats."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

if TYPE_CHECKING:
    from capital_kit.datasets._facts._kernel import Measured

Array = npt.NDArray[Any]


class Repeats(NamedTuple):
    """What a key says: rows that repeat an earlier key, keys that are repeated, rows without a key.

    A row that lacks a part of the key repeats nothing.
    """

    rows: int
    keys: int
    missing: int


NO_REPEATS = Repeats(0, 0, 0)


def dense(values: Array) -> tuple[Array, int]:
    """Return small codes that are equal where the values are, in their order, and how many."""
    if len(values) == 0:
        return values.astype(np.int64), 0
    if values.dtype.kind == "i":
        low, high = int(values.min()), int(values.max())
        if high - low <= 4 * len(values) + 1024:
            return np.subtract(values, low, dtype=np.int64), high - low + 1
    distinct, codes = np.unique(values, return_inverse=True)
    return codes.astype(np.int64), len(distinct)


def combine(columns: list[Array]) -> tuple[Array, int]:
    """Return one code a row for a key of several columns, equal where all of them are equal."""
    codes, size = dense(columns[0])
    for column in columns[1:]:
        more, width = dense(column)
        if size * max(width, 1) >= 2**62:
            codes, size = dense(np.unique(codes, return_inverse=True)[1])
        codes, size = np.add(np.multiply(codes, width, out=codes), more, out=codes), size * width
    return codes, size


def repeats(codes: Array, size: int) -> tuple[int, int]:
    """Return how many rows repeat an earlier one, and how many distinct codes are repeated."""
    if (codes[1:] > codes[:-1]).all():  # as exports mostly are: by entity, then time
        return 0, 0
    if size <= 8 * len(codes) + 1024:
        counts = np.bincount(codes, minlength=1)
    else:
        counts = np.unique(codes, return_counts=True)[1]
    counts = counts[counts > 1]
    return int(counts.sum()) - len(counts), len(counts)


def key_repeats(columns: Sequence[Measured]) -> Repeats:
    """Return what a key of several columns says."""
    whole = np.logical_and.reduce([column.mask() for column in columns])
    missing = len(whole) - int(np.count_nonzero(whole))
    parts = [column.values[whole] if missing else column.values for column in columns]
    return Repeats(*repeats(*combine(parts)), missing)
