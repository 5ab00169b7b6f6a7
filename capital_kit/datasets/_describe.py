"""Describe a dataset: facts, roles, time axis, quality, in one bounded record."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from capital_kit.datasets._cells._headers import read_unit
from capital_kit.datasets._description import ColumnFacts, Description, Inspection, Roles
from capital_kit.datasets._facts._in_time import facts_in_time
from capital_kit.datasets._facts._kernel import Measured, measure
from capital_kit.datasets._facts._narrow import listed_queries, narrowed, with_queries
from capital_kit.datasets._facts._quality import Subject, capped, judge, warn
from capital_kit.datasets._facts._roles import OHLC, choose_time, column_roles, detect_roles
from capital_kit.datasets._facts._series import series_groups
from capital_kit.datasets._facts._time_axis import order_rows, time_axis
from capital_kit.datasets._model import NUMERIC, TEMPORAL, Dataset
from capital_kit.datasets._threads import over_columns
from capital_kit.errors import DatasetError

if TYPE_CHECKING:
    from capital_kit.datasets._queries._spec import QuerySpec

    Query = QuerySpec | Mapping[str, Any] | str

_ROLES = ("time", *OHLC, "volume", "amount", "entity")


def inspect_dataset(data: Any) -> Inspection:
    """Say what a table is without measuring it: its columns, how it was read, its first rows.

    Parameters
    ----------
    data
        A :class:`Dataset`, or anything that :func:`read_dataset` takes.

    Returns
    -------
    Inspection
        Kinds and units of the columns, the source, five rows, and what reading had to say.

    Examples
    --------
    >>> from capital_kit.datasets import inspect_dataset
    >>> inspect_dataset({"date": ["2024-01-02"], "close": [9.1]}).to_dict()["first_rows"]
    [{'date': '2024-01-02', 'close': 9.1}]
    """
    from capital_kit.datasets._read import as_dataset

    return Inspection(dataset=as_dataset(data))


def profile_dataset(
    data: Any,
    *,
    time_column: str | None = None,
    primary_key: str | Sequence[str] | None = None,
    roles: Mapping[str, str | None] | None = None,
    units: Mapping[str, str | None] | None = None,
    columns_of_interest: str | Sequence[str] | None = None,
    partitioned: bool | None = None,
) -> Description:
    """Measure a table: :func:`describe_dataset` without queries; see there for the parameters.

    Examples
    --------
    >>> from capital_kit.datasets import profile_dataset
    >>> profile_dataset({"成交额": [1.5, 2.5]}, units={"成交额": "万元"}).column("成交额").unit_scale
    10000.0
    """
    from capital_kit.datasets._partitions._engines import opened
    from capital_kit.datasets._partitions._partitions import Partitions

    key, interest = _names(primary_key), _names(columns_of_interest)

    def decide(dataset: Dataset) -> tuple[Dataset, dict[str, str | None]]:
        told = _with_units(dataset, units or {})
        for name in key:
            told.column(name)
        return told, _chosen(told, time_column, roles)

    found = opened(data, partitioned=partitioned)
    if isinstance(found, Partitions):
        from capital_kit.datasets._partitions._from_states import describe_partitions

        whole = describe_partitions(found, decide, key)
    else:
        whole = _in_memory(*decide(found), key)
    overrides = {
        "time_column": time_column, "primary_key": key, "roles": roles, "units": units,
        "columns_of_interest": interest,
    }  # fmt: skip
    told = {name: value for name, value in overrides.items() if value}
    whole = dataclasses.replace(whole, overrides=told) if told else whole
    return narrowed(whole, interest) if interest else whole


def _in_memory(dataset: Dataset, chosen: Mapping[str, str | None], key: Sequence[str]) -> Description:
    columns = _measure_all(dataset)
    subject, notices = _inspect(dataset, columns, chosen)
    quality = judge(subject, key)
    # A document lists its leaves; what is said about rows says nothing about it.
    doubts = [] if dataset.shape == "document" else warn(subject, quality)
    return Description(
        dataset=dataset,
        columns=_finish(subject),
        time_axis=subject.time_axis,
        roles=subject.roles,
        quality=quality,
        series_groups=series_groups(subject),
        warnings=capped([*dataset.warnings, *notices, *doubts]),
    )


def describe_dataset(
    data: Any,
    *,
    time_column: str | None = None,
    primary_key: str | Sequence[str] | None = None,
    roles: Mapping[str, str | None] | None = None,
    units: Mapping[str, str | None] | None = None,
    columns_of_interest: str | Sequence[str] | None = None,
    queries: Query | Sequence[Query] | None = None,
    partitioned: bool | None = None,
) -> Description:
    """Say what a table holds: its columns, time axis, roles, what is wrong with it, and more on demand.

    Parameters
    ----------
    data
        A :class:`Dataset`, or anything that :func:`read_dataset` takes; Spark, Dask and Arrow datasets
        are described where they lie.
    time_column : str, optional
        The column of the time axis; found by kind, name and coverage otherwise.
    primary_key : str or sequence of str, optional
        The columns that should identify a row; entity and time otherwise.
    roles : mapping, optional
        Your decisions, ``{"close": "复权收盘价", "volume": None}``: they win over what is found, and
        None says that no column has the role. Roles: time, open, high, low, close, volume, amount,
        entity.
    units : mapping, optional
        Units of numeric columns, ``{"成交额": "万元"}``: they win over what the header says, and
        None says that a column has no unit. Values are not converted.
    columns_of_interest : str or sequence of str, optional
        The columns whose facts the record holds, with that of time; ``left_out`` names the others.
        Roles and quality are judged on all columns whatever is asked for. A name that no column
        has gives a warning.
    queries : query or sequence of queries, optional
        At most eight queries as :func:`query_dataset` takes them. One that fails has its error in
        ``queries`` and stops nothing.
    partitioned : bool, optional
        True describes the rows piece by piece without ever holding all of them, False in memory.
        Default: in pieces for Parquet above 256 MiB, and for Spark, Dask and Arrow datasets of more than
        250,000 rows or 4 million cells. What is not exact then is named in ``approx``.

    Returns
    -------
    Description
        Exact facts unless partitioned, the same for the same data; ``to_dict()`` is strict JSON
        without rows.

    Raises
    ------
    DatasetError
        ``dataset_column_not_found``, ``dataset_role_invalid``, ``dataset_unit_invalid``,
        ``query_spec_invalid`` for more than eight queries, or what reading raises.

    Examples
    --------
    >>> from capital_kit.datasets import describe_dataset
    >>> card = describe_dataset({"date": ["2024-01-02", "2024-01-03"], "close": [9.1, 9.2]})
    >>> card.time_axis.frequency
    'business-day'
    """
    asked = listed_queries(queries)
    found = profile_dataset(
        data, time_column=time_column, primary_key=primary_key, roles=roles, units=units,
        columns_of_interest=columns_of_interest, partitioned=partitioned,
    )  # fmt: skip
    return with_queries(found, asked)


def _names(names: str | Sequence[str] | None) -> list[str]:
    return [names] if isinstance(names, str) else list(dict.fromkeys(names or ()))


def _with_units(dataset: Dataset, units: Mapping[str, str | None]) -> Dataset:
    if not isinstance(units, Mapping):
        raise DatasetError.of("dataset_unit_invalid", "mapping", units=str(units)[:40])
    told = {}
    for name, unit in units.items():
        column = dataset.column(name)
        if column.kind not in NUMERIC:
            allowed = [c.name for c in dataset.columns if c.kind in NUMERIC]
            raise DatasetError.of("dataset_unit_invalid", column=name, kind=column.kind, allowed=allowed)
        known, scale = (read_unit(unit) if unit else None) or (unit or None, None)
        told[name] = dataclasses.replace(column, unit=known, unit_scale=scale)
    if not told:
        return dataset
    return dataclasses.replace(dataset, columns=tuple(told.get(c.name, c) for c in dataset.columns))


def _chosen(
    dataset: Dataset, time_column: str | None, roles: Mapping[str, str | None] | None
) -> dict[str, str | None]:
    if roles is not None and not isinstance(roles, Mapping):
        raise DatasetError.of("dataset_role_invalid", "mapping", roles=str(roles)[:40], allowed=list(_ROLES))
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
    results = over_columns(measure, dataset.columns, cells, cells=dataset.rows * len(cells))
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
    axis = time_axis(columns[time], order, timezone=dataset.column(time).timezone)
    return Subject(rows=dataset.rows, columns=columns, roles=roles, time_axis=axis, order=order), notices


def _finish(subject: Subject) -> tuple[ColumnFacts, ...]:
    role_of = column_roles(subject.roles, subject.facts)
    found: Mapping[str, Mapping[str, Any]] = {}
    if subject.time_axis and subject.order:
        found = facts_in_time(subject.columns, subject.time_axis, subject.order, panel=subject.panel)
    return tuple(
        dataclasses.replace(facts, role=role_of.get(facts.name), **found.get(facts.name, {}))
        for facts in subject.facts
    )
