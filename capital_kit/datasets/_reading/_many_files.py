"""Several files of the same columns become one dataset: united by name, decided over all rows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pyarrow as pa

from capital_kit._core.notices import Notice
from capital_kit.datasets._arrays import array_of
from capital_kit.datasets._cells._assemble import _told as told_kinds
from capital_kit.datasets._cells._headers import Header
from capital_kit.datasets._cells._typed import STORAGE, Typed, typed
from capital_kit.datasets._cells._typing import type_text
from capital_kit.datasets._model import NUMERIC, TEMPORAL, Column, Dataset, Kind, Source
from capital_kit.errors import DatasetError

FILE_COLUMN = "file"
_DOUBTS = frozenset({"dates_order_inferred", "dates_ambiguous", "short_years_read", "short_years_ambiguous"})
_WIDER: dict[frozenset[Kind], Kind] = {
    frozenset(("integer", "number")): "number",
    frozenset(("date", "datetime")): "datetime",
    frozenset(("category", "text")): "text",
}

Reader = Callable[[int, Mapping[str, Kind]], Dataset]


def unite(names: Sequence[str], read: Reader, label: str, kinds: Mapping[str, Kind] | None = None) -> Dataset:
    """Return one dataset from several files.

    A column whose kind differs between files, or was doubtful in one, is read again as text and
    decided over the rows of all of them.

    Parameters
    ----------
    names : sequence of str
        The names of the files, in the order of their rows.
    read : callable
        Reads the file at a position, with kinds for some of its columns.
    label : str
        What to call the whole.
    kinds : mapping, optional
        The caller's kinds.

    Raises
    ------
    DatasetError
        ``dataset_files_differ`` for files that share no column, or differ in a unit.
    """
    parts = [read(at, {}) for at in range(len(names))]
    columns = _columns(names, parts)
    told = told_kinds([Header(name=c.name, written=c.header) for c in columns.values()], kinds or {})
    again = {
        name for name in columns if name in told or not _agree([_found(p, name) for p in parts], parts, name)
    }
    texts = _texts(parts, again, read)
    out = [
        _decided(columns[name], [_array(part, name) for part in texts], told.get(name))
        if name in again
        else _joined(name, parts)
        for name in columns
    ]
    notices = [*_differences(names, parts, list(columns)), *_shared_notices(parts, again)]
    notices += [notice for column in out for notice in column.notices]
    if _needs_file(out, parts):
        out.append(_file_column(names, parts, {column.column.name for column in out}))
        notices.append(Notice("datasets", "file_column", column=out[-1].column.name))
    return Dataset(
        table=pa.table([column.array for column in out], names=[column.column.name for column in out]),
        columns=tuple(column.column for column in out),
        source=_source(parts, label),
        warnings=tuple(notices),
    )


def _columns(names: Sequence[str], parts: Sequence[Dataset]) -> dict[str, Column]:
    """Return the columns of all files by name, the first that holds anything standing for the rest."""
    columns: dict[str, Column] = {}
    for file, part in zip(names, parts, strict=True):
        if columns and not set(part.names) & set(columns):
            raise DatasetError.of(
                "dataset_files_differ", first=names[0], file=file, columns=list(parts[0].names[:8]),
                others=list(part.names[:8]),
            )  # fmt: skip
        for column in part.columns:
            known = columns.get(column.name)
            if known is None or known.kind == "empty":
                columns[column.name] = column
            elif _units_differ(known, column):
                raise DatasetError.of(
                    "dataset_files_differ", "units", file=file, column=column.name,
                    unit=column.unit or "—", other=known.unit or "—",
                )  # fmt: skip
    return columns


def _units_differ(one: Column, two: Column) -> bool:
    both = {one.kind, two.kind}
    return both <= (NUMERIC - {"percent"}) and (one.unit, one.unit_scale) != (two.unit, two.unit_scale)


def _found(part: Dataset, name: str) -> Column | None:
    column = next((column for column in part.columns if column.name == name), None)
    return None if column is None or column.kind == "empty" else column


def _agree(found: Sequence[Column | None], parts: Sequence[Dataset], name: str) -> bool:
    sorts = {(column.kind, column.unit, column.timezone) for column in found if column is not None}
    doubted = any(
        notice.code in _DOUBTS and notice.details.get("column") == name
        for part in parts
        for notice in part.warnings
    )
    if len(sorts) <= 1:
        return not doubted
    kinds: frozenset[Kind] = frozenset(kind for kind, _, _ in sorts)
    return not doubted and kinds in _WIDER and len({sort[1:] for sort in sorts}) == 1


def _texts(parts: Sequence[Dataset], again: set[str], read: Reader) -> list[Dataset]:
    if not again:
        return list(parts)
    return [
        read(at, dict.fromkeys((name for name in part.names if name in again), "text"))
        for at, part in enumerate(parts)
    ]


def _array(part: Dataset, name: str) -> tuple[pa.ChunkedArray, Column | None]:
    if name not in part.names:
        return pa.chunked_array([pa.nulls(part.rows, pa.string())]), None
    return part.table.column(name), part.column(name)


def _decided(
    column: Column, parts: Sequence[tuple[pa.ChunkedArray, Column | None]], kind: Kind | None
) -> Typed:
    chunks = [chunk for array, _ in parts for chunk in array.cast(pa.string()).chunks]
    header = Header(name=column.name, written=column.header)
    if column.unit is not None and (column.unit != "%" or "%" in column.header):
        header = replace(header, unit=column.unit, unit_scale=column.unit_scale)
    decided = type_text(header, pa.chunked_array(chunks, pa.string()), kind)
    tokens = sum(
        (Counter(c.null_tokens) for _, c in parts if c is not None), Counter(decided.column.null_tokens)
    )
    return replace(decided, column=replace(decided.column, null_tokens=dict(tokens.most_common())))


def _joined(name: str, parts: Sequence[Dataset]) -> Typed:
    found = [column for part in parts if (column := _found(part, name)) is not None]
    kinds: frozenset[Kind] = frozenset(column.kind for column in found)
    only: Kind = next(iter(kinds), "empty")
    kind = _WIDER.get(kinds, only)
    storage = STORAGE.get(kind, pa.string())
    chunks: list[Any] = []
    for part in parts:
        if _found(part, name) is None:
            chunks.append(pa.nulls(part.rows, storage))
        else:
            chunks += part.table.column(name).cast(storage).chunks
    column = found[0] if found else next(part.column(name) for part in parts if name in part.names)
    tokens = sum(
        (Counter(part.column(name).null_tokens) for part in parts if name in part.names), Counter[str]()
    )
    joined = typed(
        column, kind, pa.chunked_array(chunks, storage), timezone=column.timezone, null_tokens=tokens
    )
    return replace(joined, column=replace(joined.column, unit=column.unit, unit_scale=column.unit_scale))


# ------------------------------------------------------------------ which file a row is from
def _needs_file(columns: Sequence[Typed], parts: Sequence[Dataset]) -> bool:
    """Tell whether rows of several files share their times and codes, so that only the file parts them."""
    keys = [c for c in columns if c.column.kind in TEMPORAL or c.column.kind == "code"]
    if not keys:
        return True
    files = pa.concat_arrays([array_of([at] * part.rows, pa.int64()) for at, part in enumerate(parts)])
    names = [f"c{at}" for at in range(len(keys))]
    table = pa.table([column.array for column in keys] + [files], names=[*names, "file"])
    return bool(
        table.group_by([*names, "file"]).aggregate([]).num_rows > table.group_by(names).aggregate([]).num_rows
    )


def _file_column(names: Sequence[str], parts: Sequence[Dataset], taken: set[str]) -> Typed:
    name, number = FILE_COLUMN, 2
    while name in taken:
        name, number = f"{FILE_COLUMN}_{number}", number + 1
    codes = pa.concat_arrays([array_of([at] * part.rows, pa.int64()) for at, part in enumerate(parts)])
    values = array_of(list(names), pa.string()).take(codes)
    return typed(Header(name=name, written=name), "category", values)


# ------------------------------------------------------------------ what is said of the whole
def _differences(names: Sequence[str], parts: Sequence[Dataset], columns: Sequence[str]) -> list[Notice]:
    out = []
    for file, part in zip(names, parts, strict=True):
        missing = [name for name in columns if name not in part.names]
        if missing:
            out.append(Notice("datasets", "files_differ", file=file, columns=missing[:8]))
    if len(out) > 3:
        out = [*out[:3], Notice("datasets", "files_differ_more", count=len(out) - 3)]
    return out


def _shared_notices(parts: Sequence[Dataset], again: set[str]) -> list[Notice]:
    """Return the notices of the files, the first of each sort, and how many files had others like it."""
    first: dict[tuple[str, str], Notice] = {}
    alike: Counter[tuple[str, str]] = Counter()
    for part in parts:
        for notice in part.warnings:
            column = str(notice.details.get("column", ""))
            if column not in again or notice.code not in _DOUBTS | {"mixed_types", "values_unparsed"}:
                first.setdefault((notice.code, column), notice)
                alike[notice.code, column] += 1
    out = []
    for key, notice in first.items():
        out.append(notice)
        if alike[key] > 1:
            out.append(Notice("datasets", "notice_in_files", notice=key[0], count=alike[key]))
    return out


def _source(parts: Sequence[Dataset], label: str) -> Source:
    sources = [part.source for part in parts]

    def shared(name: str) -> Any:
        values = {getattr(source, name) for source in sources}
        return values.pop() if len(values) == 1 else None

    def summed(name: str) -> Any:
        values = [getattr(source, name) for source in sources]
        return None if None in values else sum(values)

    return Source(
        format=shared("format") or "several",
        label=label,
        **{
            name: shared(name)
            for name in ("encoding", "delimiter", "sheet", "skip_top", "header_rows", "row_key")
        },
        **{name: summed(name) for name in ("total_rows", "skip_bottom")},
    )
