"""Describe a dataset: facts, roles, time axis, quality, in one bounded record."""

from __future__ import annotations

import dataclasses
import os
import re
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np

from capital_kit.datasets._description import ColumnFacts, Description, Roles, SeriesGroup, TimeAxis
from capital_kit.datasets._kernel import Measured, measure
from capital_kit.datasets._model import NUMERIC, TEMPORAL, Dataset
from capital_kit.datasets._quality import Subject, capped, judge, warn
from capital_kit.datasets._roles import OHLC, choose_time, column_roles, detect_roles
from capital_kit.datasets._rows import dense, distinct_points
from capital_kit.datasets._time_axis import order_rows, time_axis
from capital_kit.errors import DatasetError

SERIES_SPREAD = 20
_RATE = re.compile(
    r"率|幅|同比|环比|增速|占比|(?:^|[_\W])(?:pct|ratio|rate|return|yield|growth)(?:$|[_\W])|%", re.IGNORECASE
)
_PLACE = re.compile(r"经度|纬度|lat|lon|lng|latitude|longitude", re.IGNORECASE)
_ROLES = ("time", *OHLC, "volume", "amount", "entity")
_THREADED_CELLS = 500_000


def describe_dataset(
    data: Any,
    *,
    time_column: str | None = None,
    primary_key: str | Sequence[str] | None = None,
    roles: Mapping[str, str | None] | None = None,
) -> Description:
    """Say what a table holds: its columns, time axis, roles and what is wrong with it.

    Parameters
    ----------
    data
        A :class:`Dataset`, or anything that :func:`read_dataset` takes.
    time_column : str, optional
        The column of the time axis; found by kind, name and coverage otherwise.
    primary_key : str or sequence of str, optional
        The columns that should identify a row; entity and time otherwise.
    roles : mapping, optional
        Your decisions, ``{"close": "复权收盘价", "volume": None}``: they win over what is found, and
        None says that no column has the role. Roles: time, open, high, low, close, volume, amount,
        entity.

    Returns
    -------
    Description
        Exact facts, the same for the same data; ``to_dict()`` is strict JSON without rows.

    Raises
    ------
    DatasetError
        ``dataset_column_not_found``, ``dataset_role_invalid``, or what reading raises.

    Examples
    --------
    >>> from capital_kit.datasets import describe_dataset
    >>> card = describe_dataset({"date": ["2024-01-02", "2024-01-03"], "close": [9.1, 9.2]})
    >>> card.time_axis.frequency
    'business-day'
    """
    from capital_kit.datasets._read import as_dataset

    dataset = as_dataset(data)
    chosen = _chosen(dataset, time_column, roles)
    key = [primary_key] if isinstance(primary_key, str) else list(primary_key or ())
    for name in key:
        dataset.column(name)
    columns = _measure_all(dataset)
    subject, notices = _inspect(dataset, columns, chosen)
    quality = judge(subject, key)
    return Description(
        dataset=dataset,
        columns=_finish(subject),
        time_axis=subject.time_axis,
        roles=subject.roles,
        quality=quality,
        series_groups=series_groups(subject),
        warnings=capped([*dataset.warnings, *notices, *warn(subject, quality)]),
    )


def _chosen(
    dataset: Dataset, time_column: str | None, roles: Mapping[str, str | None] | None
) -> dict[str, str | None]:
    chosen = dict(roles or {})
    if time_column is not None:
        chosen["time"] = time_column
    for role, name in chosen.items():
        if role not in _ROLES:
            raise DatasetError.of("dataset_role_invalid", "name", role=role, allowed=list(_ROLES))
        if name is None:
            continue
        kind = dataset.column(name).kind
        wanted = TEMPORAL if role == "time" else None if role == "entity" else NUMERIC
        if wanted is not None and kind not in wanted:
            allowed = [c.name for c in dataset.columns if c.kind in wanted]
            raise DatasetError.of(
                "dataset_role_invalid", "kind", role=role, column=name, kind=kind, allowed=allowed
            )
    return chosen


def _measure_all(dataset: Dataset) -> dict[str, Measured]:
    cells = [dataset.table.column(place) for place in range(len(dataset.columns))]
    if dataset.rows * len(cells) < _THREADED_CELLS:
        results = list(map(measure, dataset.columns, cells))
    else:
        # numpy and Arrow let go of the interpreter while they sort and encode.
        with ThreadPoolExecutor(min(8, os.cpu_count() or 1)) as pool:
            results = list(pool.map(measure, dataset.columns, cells))
    return {measured.facts.name: measured for measured in results}


def _inspect(
    dataset: Dataset, columns: Mapping[str, Measured], chosen: Mapping[str, str | None]
) -> tuple[Subject, Sequence[Any]]:
    facts = [measured.facts for measured in columns.values()]
    if dataset.shape == "document":
        return Subject(rows=dataset.rows, columns=columns, roles=Roles()), ()
    time = chosen["time"] if "time" in chosen else choose_time(facts)
    roles, notices = detect_roles(columns, time=time, chosen=chosen)
    if time is None or not columns[time].facts.count:
        return Subject(rows=dataset.rows, columns=columns, roles=roles), notices
    panel = columns[roles.entity["column"]] if roles.entity and roles.entity["panel"] else None
    order = order_rows(columns[time], panel)
    axis = time_axis(columns[time], order, timezone=dataset.column(time).timezone, entity=panel)
    return Subject(rows=dataset.rows, columns=columns, roles=roles, time_axis=axis, order=order), notices


def _finish(subject: Subject) -> tuple[ColumnFacts, ...]:
    role_of = column_roles(subject.roles, subject.facts)
    points = _points(subject.columns, subject.time_axis) if subject.time_axis else {}
    latest = _latest(subject.columns, subject.time_axis) if subject.time_axis else {}
    return tuple(
        dataclasses.replace(
            facts, role=role_of.get(facts.name), points=points.get(facts.name), latest=latest.get(facts.name)
        )
        for facts in subject.facts
    )


def _latest(columns: Mapping[str, Measured], axis: TimeAxis) -> dict[str, int | float]:
    """Return the numbers of the row with the last time; nothing if several rows have it."""
    time = columns[axis.column]
    rows = np.flatnonzero(time.mask() & (time.values == time.values[time.mask()].max()))
    if len(rows) != 1:
        return {}
    return {
        name: measured.values[rows[0]].item()
        for name, measured in columns.items()
        if measured.facts.kind in NUMERIC and measured.mask()[rows[0]]
    }


def _points(columns: Mapping[str, Measured], axis: TimeAxis) -> dict[str, int]:
    time = columns[axis.column]
    rows = time.mask()
    codes, size = dense(np.where(rows, time.values, time.values[rows][0]))
    result = {}
    for name, measured in columns.items():
        if measured.facts.kind not in NUMERIC:
            continue
        if measured.valid is None:
            result[name] = axis.points
        else:
            result[name] = distinct_points(codes, size, measured.valid & rows)
    return result


def series_groups(subject: Subject) -> tuple[SeriesGroup, ...]:
    """Return the measures that may share one scale: two or more of one sort, unit and magnitude.

    Measures of one unit are taken from the smallest on; a group ends where the next median
    magnitude is more than 20 times its first.
    """
    units: dict[tuple[Any, ...], list[tuple[float, str]]] = {}
    for name in subject.roles.measures:
        measured = subject.columns[name]
        facts = measured.facts
        if measured.magnitude:
            unit = (facts.unit, facts.unit_scale, facts.kind == "percent", _measured_thing(subject, name))
            units.setdefault(unit, []).append((measured.magnitude, name))
    place = {name: index for index, name in enumerate(subject.columns)}
    groups = []
    for unit, members in units.items():
        group: list[tuple[float, str]] = []
        for member in sorted(members, key=lambda pair: (pair[0], place[pair[1]])):
            if group and member[0] > SERIES_SPREAD * group[0][0]:
                groups.append((unit[0], group))
                group = []
            group.append(member)
        groups.append((unit[0], group))
    found = [
        _series_group(subject, sorted((name for _, name in group), key=place.__getitem__), unit)
        for unit, group in groups
        if len(group) > 1
    ]
    return tuple(sorted(found, key=lambda group: place[group.columns[0]]))


def _measured_thing(subject: Subject, name: str) -> str:
    """Return what sets a measure apart though its unit is not stated: a rate is no price."""
    if name in (subject.roles.volume, subject.roles.amount):
        return name
    return "rate" if _RATE.search(name) else name if _PLACE.fullmatch(name) else ""


def _series_group(subject: Subject, names: list[str], unit: str | None) -> SeriesGroup:
    partial = [valid for name in names if (valid := subject.columns[name].valid) is not None]
    shared = int(np.count_nonzero(np.logical_and.reduce(partial))) if partial else subject.rows
    return SeriesGroup(columns=tuple(names), unit=unit, shared_points=shared)
