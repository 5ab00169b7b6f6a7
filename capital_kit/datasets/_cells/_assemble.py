"""Columns become a dataset: each is typed, named and noted."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal, get_args

import pyarrow as pa

from capital_kit._core.notices import Notice
from capital_kit.datasets._arrays import of_one_type
from capital_kit.datasets._cells._clock import join_clocks
from capital_kit.datasets._cells._declared import type_declared
from capital_kit.datasets._cells._headers import Header
from capital_kit.datasets._cells._objects import type_objects
from capital_kit.datasets._cells._typed import Typed
from capital_kit.datasets._model import Column, Dataset, Kind, Source, column_not_found
from capital_kit.datasets._threads import over_columns
from capital_kit.errors import DatasetError


def assemble(
    headers: Sequence[Header],
    columns: Sequence[pa.Array | pa.ChunkedArray | list[Any]],
    source: Source,
    *,
    kinds: Mapping[str, Kind] | None = None,
    notices: Iterable[Notice] = (),
    shape: Literal["rows", "document"] = "rows",
) -> Dataset:
    """Return the dataset of these columns: Arrow arrays, or lists of Python objects.

    Raises
    ------
    DatasetError
        ``dataset_column_not_found`` and ``dataset_kind_invalid`` for ``kinds`` that do not apply.
    """
    told = _told(headers, kinds or {})
    kinds_told = [told.get(header.name) for header in headers]
    cells = sum(len(column) for column in columns)
    out = join_clocks(over_columns(_typed, headers, columns, kinds_told, cells=cells), told)
    notes = [*notices, *(notice for column in out for notice in column.notices)]
    notes += words_for_nothing([column.column for column in out])
    table = pa.table([column.array for column in out], names=[header.name for header in headers])
    if not table.num_rows:
        notes.append(Notice("datasets", "no_rows"))
    return Dataset(
        table=table,
        columns=tuple(column.column for column in out),
        source=source,
        shape=shape,
        warnings=tuple(notes),
    )


def _typed(header: Header, values: pa.Array | pa.ChunkedArray | list[Any], kind: Kind | None) -> Typed:
    if not isinstance(values, list):
        return type_declared(header, values, kind)
    array = of_one_type(values)
    return type_objects(header, values, kind) if array is None else type_declared(header, array, kind)


def words_for_nothing(columns: Iterable[Column]) -> list[Notice]:
    """Tell which words, such as 停牌, were read as no value; dashes and blanks speak for themselves."""
    found: dict[str, list[str]] = {}
    for column in columns:
        for word, count in column.null_tokens.items():
            if any("\u4e00" <= char <= "\u9fff" for char in word):
                found.setdefault(word, []).append(f"{column.name} {count}")
    return [
        Notice("datasets", "words_as_missing", word=word, columns=places[:8])
        for word, places in found.items()
    ]


def _told(headers: Sequence[Header], kinds: Mapping[str, Kind]) -> dict[str, Kind]:
    names = {h.written: h.name for h in headers} | {h.name: h.name for h in headers}
    if not isinstance(kinds, Mapping):
        raise DatasetError.of("dataset_kinds_invalid", type=type(kinds).__name__)
    told: dict[str, Kind] = {}
    for asked, kind in kinds.items():
        if asked not in names:
            raise column_not_found(asked, [h.name for h in headers])
        if kind not in get_args(Kind):
            allowed = list(get_args(Kind))
            shown = getattr(kind, "__name__", kind)
            raise DatasetError.of("dataset_kind_invalid", column=asked, kind=shown, allowed=allowed)
        told[names[asked]] = kind
    return told
