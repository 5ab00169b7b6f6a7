"""Progress of work that takes longer than a second."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from typing import Any, TypeVar

T = TypeVar("T")

DELAY = 1.0


def watched(work: Iterable[T], *, total: int | None = None, label: str = "") -> Iterator[T]:
    """Yield from ``work``, and show a bar once a second has passed; the bar goes when the work ends.

    Ctrl-C and errors pass through; the bar is taken away first, and a generator that does the work
    is closed, so that it can stop its threads and files.
    """
    start, bar = time.monotonic(), None
    try:
        for done, item in enumerate(work, 1):
            if bar is not None:
                bar.update()
            elif time.monotonic() - start > DELAY and done != total:
                bar = _bar(done, total, label)
            yield item
    finally:
        if bar is not None:
            bar.close()
        close = getattr(work, "close", None)
        if close is not None:
            close()


def _bar(done: int, total: int | None, label: str) -> Any:
    from tqdm.auto import tqdm  # type: ignore[import-untyped]

    return tqdm(initial=done, total=total, desc=label, leave=False)
