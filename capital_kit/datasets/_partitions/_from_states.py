"""The record of a dataset from the states of its partitions."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from capital_kit._core.labels import tr
from capital_kit._core.notices import Notice
from capital_kit.datasets._cells._assemble import words_for_nothing
from capital_kit.datasets._description import (
    HEAD,
    ColumnFacts,
    Description,
    Quality,
    Roles,
    SeriesGroup,
    TimeAxis,
)
from capital_kit.datasets._facts._kernel import Measured, measure
from capital_kit.datasets._facts._quality import Subject, capped, impossible_bars, warn_of_facts
from capital_kit.datasets._facts._roles import OHLC_SHARE, choose_time, column_roles, detect_roles
from capital_kit.datasets._facts._series import series_groups
from capital_kit.datasets._facts._time_axis import RowOrder, time_axis
from capital_kit.datasets._model import NUMERIC, Dataset, Kind
from capital_kit.datasets._partitions._partitioned import PartitionedDataset
from capital_kit.datasets._partitions._partitions import (
    Partitions,
    PartitionState,
    Plan,
    are_codes,
    merge_all,
)
from capital_kit.datasets._partitions._row_state import RowState, Runs, Told
from capital_kit.datasets._partitions._state import facts_of, magnitude
from capital_kit.datasets._progress import watched
from capital_kit.datasets._read import read_dataset
from capital_kit.datasets._threads import over_columns

MISFITS = 0.01
PASSES = 3
"""Kinds that later rows disprove, or roles that only they show, take another pass."""
_COUNTED_ANEW = ("values_unparsed", "words_as_missing", "no_rows")


Decide = Callable[[Dataset], tuple[Dataset, Mapping[str, str | None]]]
"""From the first rows to the same with the caller's units, and the columns of the caller's roles."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Pass:
    """One way through all partitions: how the first rows were read, and the merged state."""

    head: Dataset
    measured: Mapping[str, Measured]
    chosen: Mapping[str, str | None]
    plan: Plan
    state: PartitionState


def describe_partitions(parts: Partitions, decide: Decide, key: Sequence[str] = ()) -> Description:
    """Describe rows in partitions.

    Parameters
    ----------
    parts : Partitions
        At least one, with a row.
    decide : callable
        Applies what the caller decided to a dataset of the first rows.
    key : sequence of str
        The columns that should identify a row; entity and time by default.

    Returns
    -------
    Description
        ``approx`` names the facts of each column that are not exact. What needs all rows together
        (rows that repeat as a whole, jumps of prices, the trend) is left out, with a notice.
    """
    kinds: dict[str, Kind] = {}
    told, notices = None, []
    for _ in range(PASSES):
        done = _pass(parts, decide, key, kinds, told)
        reread, late = _misfits(done), _late(done, key)
        if not reread and not late:
            break
        if not parts.again:
            names = sorted({*reread, *late})
            notices.append(Notice("partitions", "decided_too_early", columns=names))
            break
        kinds |= reread
        told = None if reread else _told(_columns(done), done.chosen, key)
    if kinds:
        notices.append(Notice("partitions", "kind_by_later_rows", columns=sorted(kinds), count=len(kinds)))
    return _description(parts, done, key, notices)


def _pass(
    parts: Partitions, decide: Decide, key: Sequence[str], kinds: Mapping[str, Kind], told: Told | None = None
) -> _Pass:
    read = replace(read_dataset(parts.first, kinds=dict(kinds) or None), source=parts.source)
    head, chosen = decide(read)
    found = over_columns(measure, head.columns, head.table.columns, cells=head.rows * len(head.columns))
    measured = {one.facts.name: one for one in found}
    # Partitions are held to what the cells say; the caller's units are for the record.
    told = told or _told(measured, chosen, key, first=True)
    plan = Plan(columns=read.columns, kinds=kinds, told=told)
    label = tr("partitions.progress.partitions", name=parts.source.label)
    state = merge_all(watched(parts.states(plan), total=parts.count, label=label))
    assert state is not None
    return _Pass(head=head, measured=measured, chosen=chosen, plan=plan, state=state)


def _told(
    columns: Mapping[str, Measured],
    chosen: Mapping[str, str | None],
    key: Sequence[str],
    *,
    first: bool = False,
) -> Told:
    """Return which columns play a role; ``first`` rows may all have one time and yet lie on an axis."""
    facts = [found.facts for found in columns.values()]
    time = chosen["time"] if "time" in chosen else choose_time(facts)
    if time is None and first and "time" not in chosen:
        time = choose_time([replace(one, distinct=2) if one.distinct == 1 else one for one in facts])
    roles, _ = detect_roles(columns, time=time, chosen=chosen)
    entity = str(roles.entity["column"]) if roles.entity else None
    key = tuple(key) or tuple(name for name in (entity, time) if name and time)
    return Told(time=time, entity=entity, ohlc=roles.ohlc, volume=roles.volume, key=key)


def _late(done: _Pass, key: Sequence[str]) -> list[str]:
    """Return the columns of which only all rows show that they play a role."""
    now, before = _told(_columns(done), done.chosen, key), done.plan.told
    late = {*((now.ohlc or {}).values() if now.ohlc != before.ohlc else ())}
    late |= {*(now.key if now.key != before.key else ())}
    late |= {new for new, old in ((now.time, before.time), (now.volume, before.volume)) if new and new != old}
    return sorted(late)


def _misfits(done: _Pass) -> dict[str, Kind]:
    """Return the columns of which more than one value in a hundred did not fit, and their better kind."""
    found: dict[str, Kind] = {}
    for column, state in zip(done.plan.columns, done.state.columns, strict=True):
        stated = state.rows - state.nulls + state.unread
        if state.unread > MISFITS * stated or are_codes(column.kind, state.seen):
            found[column.name] = _better(column.kind, {*state.seen})
    return found


def _better(kind: Kind, seen: set[Kind]) -> Kind:
    """Return the kind that suits all values, some of which are not of the one that the first rows showed."""
    if are_codes(kind, seen) and seen <= {"integer", "code"}:
        return "code"
    if seen == {"integer", "number"}:
        return "number"
    if seen == {"date", "datetime"}:
        return "datetime"
    # The same kind again, in another unit or time zone, is no better.
    return next(iter(seen)) if len(seen) == 1 and kind not in seen else "text"


# the record ----------------------------------------------------------------------------------


def _description(
    parts: Partitions, done: _Pass, key: Sequence[str], notices: Sequence[Notice]
) -> Description:
    columns = _columns(done)
    rows, chosen = done.state.rows, done.chosen
    told = _told(columns, chosen, key)
    time = told.time if told.time == done.plan.told.time else None
    roles, doubts = detect_roles(columns, time=time, chosen=chosen)
    roles, more = _checked_prices(roles, rows, chosen)
    axis, lacks = _axis(done, columns, roles) if time else (None, [])
    subject = Subject(rows=rows.rows, columns=columns, roles=roles, time_axis=axis)
    quality = _quality(done, subject, told.key if told.key == done.plan.told.key else ())
    dataset = _dataset(parts, done)
    return Description(
        dataset=dataset,
        columns=_finish(subject, done.state.rows),
        time_axis=axis,
        roles=roles,
        quality=quality,
        series_groups=tuple(_shared(group, subject) for group in series_groups(subject)),
        warnings=capped([
            Notice("partitions", "partitioned", rows=rows.rows, head=done.head.rows),
            *notices, *dataset.warnings, *doubts, *more, *lacks, *_price_warnings(subject, quality, rows),
            *warn_of_facts(subject, quality), *_not_measured(subject, quality),
        ]),
    )  # fmt: skip


def _columns(done: _Pass) -> dict[str, Measured]:
    """Return the columns with the facts of all rows beside the values of the first."""
    out = {}
    for column, state in zip(done.head.columns, done.state.columns, strict=True):
        out[column.name] = replace(
            done.measured[column.name], facts=facts_of(state, column), magnitude=magnitude(state),
            nan=state.nan, inf=state.inf,
        )  # fmt: skip
    return out


def _dataset(parts: Partitions, done: _Pass) -> PartitionedDataset:
    rows = done.state.rows
    columns = [
        replace(column, null_tokens=dict(state.null_tokens))
        for column, state in zip(done.head.columns, done.state.columns, strict=True)
    ]
    told = [notice for notice in done.head.warnings if notice.code not in _COUNTED_ANEW]
    unread = [
        Notice("partitions", "values_unfit", column=column.name, count=state.unread, kind=column.kind)
        for column, state in zip(columns, done.state.columns, strict=True)
        if state.unread
    ]
    names = json.dumps([[column.name, column.kind] for column in columns])
    whole = f"capital-kit partitions 1 {rows.rows} {names} {rows.sums}"
    return PartitionedDataset(
        first=done.head.first_rows(HEAD), rows=rows.rows, columns=columns, source=parts.source,
        fingerprint=hashlib.sha256(whole.encode()).hexdigest(),
        warnings=[*told, *unread, *words_for_nothing(columns)],
    )  # fmt: skip


def _checked_prices(
    roles: Roles, rows: RowState, chosen: Mapping[str, str | None]
) -> tuple[Roles, list[Notice]]:
    """Judge the prices, which the first rows proposed, by all rows."""
    if roles.ohlc is None or all(role in chosen for role in roles.ohlc):
        return roles, []
    fine, listed = rows.complete - rows.wrong, ", ".join(roles.ohlc.values())
    kept = bool(rows.complete) and fine >= OHLC_SHARE * rows.complete
    how = "ohlc" if kept else "ohlc_rejected"
    text = tr(f"describe.evidence.{how}", columns=listed, fine=fine, rows=rows.complete)
    evidence = {**roles.evidence, "ohlc": text}
    confidence = {role: sure for role, sure in roles.confidence.items() if role != "ohlc"}
    if kept:
        confidence = {**roles.confidence, "ohlc": round(fine / rows.complete, 4)}
        return replace(roles, evidence=evidence, confidence=confidence), []
    notice = Notice("describe", "ohlc_rejected", columns=listed, fine=fine, rows=rows.complete)
    return replace(roles, ohlc=None, evidence=evidence, confidence=confidence), [notice]


def _axis(done: _Pass, columns: Mapping[str, Measured], roles: Roles) -> tuple[TimeAxis | None, list[Notice]]:
    time, rows = done.plan.told.time, done.state.rows
    if time is None or not columns[time].facts.count:
        return None, []
    state = next(s for s, c in zip(done.state.columns, done.plan.columns, strict=True) if c.name == time)
    assert state.sample is not None
    if not state.sample.exact:
        return None, [Notice("partitions", "times_too_many", column=time, limit=state.sample.limit)]
    panel = bool(roles.entity and roles.entity["panel"])
    runs = rows.by_entity if panel else rows.whole
    nothing = np.empty(0, np.int64)
    order = RowOrder(nothing, nothing, runs.sorted if runs else "no")
    distinct = Measured(facts=columns[time].facts, values=nothing, times=state.sample.points)
    axis = time_axis(distinct, order, timezone=done.head.column(time).timezone)
    repeated: int | None = int((state.sample.weights > 1).sum())
    if panel:
        repeated = key_repeats_of(rows, runs)[1]
    return replace(axis, duplicates=repeated), []


def key_repeats_of(rows: RowState, runs: Runs | None) -> tuple[int | None, int | None]:
    """Return how many rows repeat an earlier key, and how many keys are repeated; None if unknown.

    Where the times of each entity are in order, repetitions stand side by side and ``runs`` have
    counted them; otherwise the hashes of the keys must be few enough.
    """
    if runs is not None and runs.sorted != "no":
        named = np.array([entity is not None for entity in runs.entities])
        named |= runs.entities == (None,)
        return int(runs.again[named].sum()), int(runs.stretches[named].sum())
    if rows.keys is None or not rows.keys.exact:
        return None, None
    repeated = rows.keys.weights[rows.keys.weights > 1]
    return int(repeated.sum()) - len(repeated), len(repeated)


def _quality(done: _Pass, subject: Subject, names: Sequence[str]) -> Quality:
    rows, told = done.state.rows, done.plan.told
    key = None
    if names:
        by = {(told.time,): rows.whole, (told.entity, told.time): rows.by_entity}
        again, _ = key_repeats_of(rows, by.get(told.key))
        key = {"columns": told.key, "duplicate_rows": again, "missing_rows": rows.key_missing}
    bars = subject.roles.ohlc is not None
    unique = key is not None and key["duplicate_rows"] == 0 and not key["missing_rows"]
    return Quality(
        missing_cells=sum(facts.nulls for facts in subject.facts),
        duplicate_rows=0 if unique else None,
        key=key,
        ohlc_complete=rows.complete if bars else None,
        ohlc_violations=rows.wrong if bars else None,
        ohlc_examples=rows.wrong_rows if bars else (),
    )


def _finish(subject: Subject, rows: RowState) -> tuple[ColumnFacts, ...]:
    role_of = column_roles(subject.roles, subject.facts)
    out = []
    for facts in subject.facts:
        found: dict[str, Any] = {"role": role_of.get(facts.name)}
        if subject.time_axis and facts.kind in NUMERIC:
            seen = rows.filled.get(facts.name)
            points = subject.time_axis.points if rows.moments is not None else None
            found["points"] = points if seen is None else int(seen.sum())
            for name, end in (("earliest", rows.earliest), ("latest", rows.latest)):
                found[name] = end.values[facts.name] if end and end.rows == 1 else None
        out.append(replace(facts, **found))
    return tuple(out)


def _shared(group: SeriesGroup, subject: Subject) -> SeriesGroup:
    missing = sum(subject.rows - subject.columns[name].facts.count for name in group.columns)
    return replace(group, shared_points=max(subject.rows - missing, 0))


# warnings ------------------------------------------------------------------------------------


def _price_warnings(subject: Subject, quality: Quality, rows: RowState) -> list[Notice]:
    found = impossible_bars(quality)
    prices = [subject.columns[name].facts for name in (subject.roles.ohlc or {}).values()]
    if rows.zero_prices and prices:
        zeros = ", ".join(facts.name for facts in prices if facts.zeros)
        found.append(Notice("describe", "zero_price", columns=zeros, count=rows.zero_prices))
    if subject.roles.volume and rows.negative:
        facts = subject.columns[subject.roles.volume].facts
        row, example = rows.negative
        found.append(
            Notice("describe", "negative_volume", column=facts.name, count=facts.negatives,
                   row=row, example=example)
        )  # fmt: skip
    return found


def _not_measured(subject: Subject, quality: Quality) -> list[Notice]:
    """Say which facts partitions cannot give."""
    left = ["price_jumps", "far_values"]
    if any("p25" in facts.approx for facts in subject.facts):
        left.append("outliers")
    if subject.time_axis:
        left.append("trend")
    if quality.duplicate_rows is None:
        left.append("duplicate_rows")
    if quality.key and quality.key["duplicate_rows"] is None:
        left.append("key")
    words = [tr(f"partitions.left_out.{name}") for name in left]
    return [Notice("partitions", "not_measured", facts=words)]
