"""Frames whose rows lie elsewhere until they are asked for: Spark's, Dask's, Arrow datasets."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from capital_kit.datasets._model import Dataset, Kind, Source
from capital_kit.datasets._reading._frames import from_arrow, from_pandas
from capital_kit.errors import DatasetError

COLLECTED_MAX = 100_000_000
"""So many cells are fetched into memory."""


def is_a(data: Any, library: str, *names: str) -> bool:
    """Tell whether an object is of a class of a library, without loading the library."""
    return any(
        cls.__module__.partition(".")[0] == library and cls.__name__ in names for cls in type(data).__mro__
    )


def is_spark(data: Any) -> bool:
    """Tell whether an object is a Spark DataFrame, of a session here or of Spark Connect."""
    return is_a(data, "pyspark", "DataFrame") and hasattr(data, "mapInArrow")


def is_dask(data: Any) -> bool:
    """Tell whether an object is a Dask DataFrame."""
    return is_a(data, "dask", "DataFrame", "FrameBase") and hasattr(data, "to_delayed")


def is_arrow_dataset(data: Any) -> bool:
    """Tell whether an object is an Arrow dataset."""
    return is_a(data, "pyarrow", "Dataset") and hasattr(data, "to_batches")


def collected(data: Any, source: Source, kinds: Mapping[str, Kind] | None) -> Dataset | None:
    """Return the rows of such a frame in memory; None for any other data.

    Raises
    ------
    DatasetError
        ``dataset_too_large`` for more than a hundred million cells.
    """
    if is_spark(data):
        _check(data.count(), len(data.columns), source)
        return from_arrow(data.toArrow(), source, kinds)
    if is_dask(data):
        _check(len(data), len(data.columns), source)
        return from_pandas(data.compute(), source, kinds)
    if is_arrow_dataset(data):
        _check(data.count_rows(), len(data.schema), source)
        return from_arrow(data.to_table(), source, kinds)
    return None


def _check(rows: int, columns: int, source: Source) -> None:
    if rows * columns > COLLECTED_MAX:
        raise DatasetError.of("dataset_too_large", "elsewhere", name=source.label, rows=rows, columns=columns)
