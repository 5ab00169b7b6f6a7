"""A dataset that lies elsewhere: what it is, without its rows."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NoReturn

import pyarrow as pa

from capital_kit._core.notices import Notice
from capital_kit.datasets._model import Column, Dataset, Source
from capital_kit.errors import DatasetError


class PartitionedDataset(Dataset):
    """A dataset whose rows were described in partitions and are not in memory.

    It knows its columns, its first five rows and how many rows there are. ``table`` and ``to_pandas``
    raise ``dataset_too_large``. The fingerprint covers names, kinds and all rows whatever their
    order, so that it does not depend on the engine or the partitions.
    """

    def __init__(
        self, *, first: pa.Table, rows: int, fingerprint: str, columns: Iterable[Column], source: Source,
        warnings: Iterable[Notice] = (),
    ) -> None:  # fmt: skip
        known = {
            "_first": first, "_rows": rows, "fingerprint": fingerprint, "columns": tuple(columns),
            "source": source, "shape": "rows", "warnings": tuple(warnings),
        }  # fmt: skip
        self.__dict__.update(known)

    @property
    def table(self) -> NoReturn:
        """Not there: the rows are larger than memory or lie on an engine."""
        raise DatasetError.of("dataset_too_large", "partitioned", name=self.source.label, rows=self.rows)

    @property
    def rows(self) -> int:
        """The number of rows."""
        return int(self.__dict__["_rows"])

    def first_rows(self, n: int) -> pa.Table:
        """Return the first rows, at most five."""
        return self.__dict__["_first"].slice(0, max(n, 0))

    def __repr__(self) -> str:
        return super().__repr__().replace("Dataset", "PartitionedDataset", 1)
