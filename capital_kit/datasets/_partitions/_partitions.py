"""Rows in partitions: a state of each, by one plan that the first rows decide."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from capital_kit.datasets._cells._typed import STORAGE
from capital_kit.datasets._facts._kernel import Measured, measure
from capital_kit.datasets._model import NUMERIC, TEMPORAL, Column, Dataset, Kind, Source
from capital_kit.datasets._partitions._codec import pack, unpack
from capital_kit.datasets._partitions._row_state import (
    Array,
    End,
    RowState,
    Runs,
    Told,
    hashes_of,
    merge_rows,
    row_state,
)
from capital_kit.datasets._partitions._sketch import VALUES_MAX, Sample, Words
from capital_kit.datasets._partitions._state import ColumnState, merge_states, state_of
from capital_kit.datasets._read import read_dataset
from capital_kit.datasets._threads import over_columns
from capital_kit.errors import DatasetError

TIMES_MAX = 2_000_000
"""So many distinct times of the axis are kept; beyond that its steps and gaps are not measured."""
_DOUBTS = frozenset({
    "dates_order_inferred", "dates_order_told", "dates_ambiguous",
    "short_years_read", "short_years_ambiguous",
})  # fmt: skip
"""Notices about times that another partition may read otherwise."""
_TEXTS = frozenset({"text", "mixed", "code", "category"})
_NUMBERS = frozenset({"integer", "number"})


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What the first rows decide for all: the columns' kinds, and which of them play a role.

    ``kinds`` are those that the columns are read as whatever their values suggest.
    """

    columns: tuple[Column, ...]
    told: Told = field(default_factory=Told)
    kinds: Mapping[str, Kind] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class PartitionState:
    """All that one partition, or several together, say."""

    columns: tuple[ColumnState, ...]
    rows: RowState

    def pack(self) -> bytes:
        """Return the state as bytes."""
        return pack(self)

    @staticmethod
    def unpack(data: bytes) -> PartitionState:
        """Return the state that :meth:`pack` gave."""
        kinds = (PartitionState, ColumnState, RowState, Runs, End, Sample, Words)
        state: PartitionState = unpack(data, *kinds)
        return state


@dataclass(frozen=True, slots=True, kw_only=True)
class Partitions:
    """Rows in pieces: the first of them, and a way to the states of all.

    Attributes
    ----------
    first
        The first rows, by which kinds and roles are decided, as :func:`read_dataset` takes them.
    source : Source
        Where the rows come from.
    states : callable
        From a plan to the state of each partition, in their order.
    count : int, optional
        How many states there will be, if that is known.
    again : bool
        Whether ``states`` may be called twice; a stream can be read only once.
    """

    first: Any
    source: Source
    states: Callable[[Plan], Iterable[PartitionState]]
    count: int | None = None
    again: bool = True


# states --------------------------------------------------------------------------------------


def partition_state(rows: Any, plan: Plan) -> PartitionState:
    """Return the state of one partition: a table, a frame, or whatever :func:`read_dataset` takes."""
    dataset, unread, seen = _conform(rows, plan)

    def look(column: Column, cells: pa.ChunkedArray) -> tuple[Measured, ColumnState, Array]:
        measured = measure(column, cells)
        limit = TIMES_MAX if column.name == plan.told.time else VALUES_MAX
        state = state_of(
            measured, unread=unread[column.name], seen=seen.get(column.name), limit=limit
        )  # fmt: skip
        return measured, state, hashes_of(measured)

    cells = dataset.rows * len(dataset.columns)
    found = over_columns(look, dataset.columns, dataset.table.columns, cells=cells)
    columns = {measured.facts.name: measured for measured, _, _ in found}
    hashes = {measured.facts.name: hashed for measured, _, hashed in found}
    return PartitionState(
        columns=tuple(state for _, state, _ in found), rows=row_state(columns, hashes, plan.told)
    )  # fmt: skip


def merge_partitions(first: PartitionState, second: PartitionState) -> PartitionState:
    """Return the state of the rows of both, those of ``first`` first."""
    return PartitionState(
        columns=tuple(map(merge_states, first.columns, second.columns)),
        rows=merge_rows(first.rows, second.rows),
    )


def merge_all(states: Iterable[PartitionState]) -> PartitionState | None:
    """Return the state of all, None if there are none."""
    whole: PartitionState | None = None
    for state in states:
        whole = state if whole is None else merge_partitions(whole, state)
    return whole


def _conform(rows: Any, plan: Plan) -> tuple[Dataset, Counter[str], dict[str, Kind]]:
    """Return rows read as the plan says, how many values did not fit, and the kinds they suggest."""
    dataset = _read(rows, plan, plan.kinds)
    seen: dict[str, Kind] = {column.name: column.kind for column in dataset.columns if column.kind != "empty"}
    told = {
        planned.name: planned.kind
        for planned, found in zip(plan.columns, dataset.columns, strict=True)
        if not _fits(found, planned)
    }
    if told:
        dataset = _read(rows, plan, {**plan.kinds, **told})
    unread: Counter[str] = Counter()
    doubtful = set()
    for notice in dataset.warnings:
        if notice.code == "values_unparsed":
            unread[notice.details["column"]] += notice.details["count"]
        elif notice.code in _DOUBTS:
            doubtful.add(notice.details["column"])
            seen[notice.details["column"]] = "text"
    arrays, columns = [], []
    for planned, found, cells in zip(plan.columns, dataset.columns, dataset.table.columns, strict=True):
        storage = STORAGE.get(planned.kind, pa.string())
        doubt = planned.name in doubtful and found.kind in TEMPORAL
        if doubt or not _fits(found, planned) or _misread(planned, cells, seen, unread):
            unread[planned.name] += len(cells) - cells.null_count
            cells = pa.chunked_array([pa.nulls(len(cells), storage)])
        arrays.append(cells)
        columns.append(replace(planned, null_tokens=found.null_tokens))
    table = pa.table(arrays, names=[column.name for column in columns])
    return replace(dataset, table=table, columns=tuple(columns)), unread, seen


def _misread(
    planned: Column, cells: pa.ChunkedArray, seen: Mapping[str, Kind], unread: Mapping[str, int]
) -> bool:
    """Tell whether cells that suggest another kind mean something else than they were read as.

    ``000001`` is not the number 1, ``5%`` not the number 5, ``2024-03`` no day.
    """
    kind, suggested = planned.kind, seen.get(planned.name, planned.kind)
    if kind in _TEXTS or kind == suggested or {kind, suggested} <= _NUMBERS:
        return False
    if suggested in TEMPORAL:
        return kind not in _NUMBERS and (kind, suggested) != ("datetime", "date")
    if kind == "percent" and pc.all(pc.equal(cells, 0.0)).as_py():
        return False
    # Where each cell could be read, and yet all together are no such kind, they were read too kindly.
    return suggested in ("code", "percent") or not unread[planned.name]


def are_codes(kind: Kind, seen: Collection[Kind]) -> bool:
    """Tell whether later rows show that what seemed to be numbers are codes."""
    return kind in NUMERIC and "code" in seen


def _read(rows: Any, plan: Plan, kinds: Mapping[str, Kind]) -> Dataset:
    dataset = read_dataset(rows, kinds=dict(kinds) or None)
    names = tuple(column.name for column in plan.columns)
    if dataset.names != names:
        raise DatasetError.of(
            "dataset_partitions_differ", found=list(dataset.names[:15]), expected=list(names[:15])
        )
    return dataset


def _fits(found: Column, planned: Column) -> bool:
    if found.kind in _TEXTS and planned.kind in _TEXTS:
        return True
    return (found.kind, found.timezone, found.unit) == (planned.kind, planned.timezone, planned.unit)
