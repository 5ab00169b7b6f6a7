"""Rows grouped, ranked or counted before they are drawn: a new small dataset from a large one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from capital_kit._core.labels import tr
from capital_kit._core.numbers import show
from capital_kit.charts._payload import interval
from capital_kit.datasets._model import Column, Dataset
from capital_kit.errors import ChartError

_BINS = 20


def aggregate(dataset: Dataset, table: Mapping[str, Any]) -> tuple[Dataset, dict[str, Any]]:
    """Return the table that a plan asks for, and the ``x`` and ``series`` to draw of it.

    Parameters
    ----------
    dataset : Dataset
        The rows.
    table : mapping
        ``make``: ``groups`` (one value a label, the largest first), ``bins`` (how many numbers
        lie in each of equal intervals) or ``counts`` (how many rows each label has).

    Returns
    -------
    Dataset, dict
        A dataset of its own, so that the chart shows exactly the rows it was given.

    Raises
    ------
    ChartError
        ``chart_no_rows`` when the window leaves none.
    """
    rows = _in_window(dataset, table)
    if not rows.num_rows:
        raise ChartError.of("chart_no_rows")
    make = {"groups": _groups, "bins": _bins, "counts": _counts}[table["make"]]
    made, columns, x, series = make(rows, dataset, table)
    derived = replace(dataset, table=made, columns=columns, shape="rows", warnings=())
    return derived, {"x": x, "series": series}


def _in_window(dataset: Dataset, table: Mapping[str, Any]) -> Any:
    rows, time = dataset.table, table.get("time")
    if not time:
        return rows
    stamps = pc.cast(rows.column(time), pa.timestamp("us"))
    keep = None
    ends = table.get("range") or {}
    if "from" in ends:
        keep = pc.greater_equal(stamps, pa.scalar(interval(ends["from"])[0].item(), pa.timestamp("us")))
    if "to" in ends:
        before = pc.less(stamps, pa.scalar(interval(ends["to"])[1].item(), pa.timestamp("us")))
        keep = before if keep is None else pc.and_(keep, before)
    if keep is not None:
        rows, stamps = rows.filter(keep), pc.filter(stamps, keep)
    if table.get("latest") and rows.num_rows:
        rows = rows.filter(pc.equal(stamps, pc.max(stamps)))
    return rows


_Made = tuple[Any, tuple[Column, ...], str, list[str]]


def _groups(rows: Any, dataset: Dataset, table: Mapping[str, Any]) -> _Made:
    label, names = str(table["by"]), list(table["of"])
    how = "mean" if table.get("mean") else "first"
    chosen = rows.select([label, *names])
    chosen = chosen.filter(pc.is_valid(chosen.column(label)))
    grouped = chosen.group_by(label, use_threads=False).aggregate([(name, how) for name in names])
    grouped = grouped.select([label, *(f"{name}_{how}" for name in names)]).rename_columns([label, *names])
    order = pc.sort_indices(grouped, sort_keys=[(names[0], "descending"), (label, "ascending")])
    made = grouped.take(order).slice(0, int(table["top"]))
    columns = [dataset.column(label), *(_as_number(dataset.column(name), how) for name in names)]
    return made, tuple(columns), label, names


def _as_number(column: Column, how: str) -> Column:
    return replace(column, kind="number") if how == "mean" and column.kind == "integer" else column


def _bins(rows: Any, dataset: Dataset, table: Mapping[str, Any]) -> _Made:
    column = dataset.column(str(table["of"]))
    cells = pc.drop_null(pc.cast(rows.column(column.name), pa.float64(), safe=False))
    values = np.asarray(cells.to_numpy(), dtype=np.float64)
    counts, edges = np.histogram(values[np.isfinite(values)], bins=_BINS)
    labels = _interval_labels(edges)
    x = tr("gate.card.interval", column=column.name, unit=f"({column.unit})" if column.unit else "")
    return _two_columns(x, labels, counts)


def _interval_labels(edges: Any) -> list[str]:
    """Write the intervals with just as many decimals as tell their edges apart."""
    step = float(edges[1] - edges[0])
    decimals = int(np.clip(1 - np.floor(np.log10(step)), 0, 12)) if step > 0 else 2
    words = [show(float(edge), decimals) for edge in edges]
    # A dash between negative numbers reads badly, a wave does not.
    return [f"{first}~{last}" for first, last in pairwise(words)]


def _counts(rows: Any, _: Dataset, table: Mapping[str, Any]) -> _Made:
    name = str(table["of"])
    found = pc.value_counts(pc.drop_null(rows.column(name).combine_chunks()))
    pairs = sorted(((str(v["values"]), v["counts"]) for v in found.to_pylist()), key=lambda p: (-p[1], p[0]))
    pairs = pairs[: int(table["top"])]
    return _two_columns(name, [label for label, _ in pairs], np.array([count for _, count in pairs]))


def _two_columns(x: str, labels: list[str], counts: Any) -> _Made:
    count = tr("gate.card.rows_counted")
    made = pa.table({
        x: pa.array(labels, pa.string()),
        count: pa.array([int(number) for number in counts], pa.int64()),
    })  # fmt: skip
    columns = (Column(name=x, header=x, kind="text"), Column(name=count, header=count, kind="integer"))
    return made, columns, x, [count]
