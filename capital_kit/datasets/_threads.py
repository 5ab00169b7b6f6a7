"""Work on many columns at once: numpy and Arrow let go of the interpreter while they compute."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any, TypeVar

T = TypeVar("T")

_FROM = 500_000
_ROWS_EACH = 20_000
"""For shorter columns the threads would wait for the interpreter more than they compute."""
_WORKERS = 8


def over_columns(work: Callable[..., T], *columns: Sequence[Any], cells: int) -> list[T]:
    """Return ``work`` of each column, in their order; by several threads where the columns are long."""
    if cells < _FROM:
        return list(map(work, *columns))
    from capital_kit._core.labels import tr
    from capital_kit.datasets._progress import watched

    label = tr("partitions.progress.columns")
    if cells < _ROWS_EACH * len(columns[0]):
        return list(watched(map(work, *columns), label=label))
    with ThreadPoolExecutor(min(_WORKERS, os.cpu_count() or 1)) as pool:
        # Closing the iterator, as Ctrl-C makes it, gives up the columns that wait.
        return list(watched(pool.map(work, *columns), label=label))
