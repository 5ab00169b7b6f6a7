"""One line per entity of a panel: the same column of several stocks on one time axis."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from capital_kit._core.notices import Notice
from capital_kit.charts._payload import Payload, Series, finish, moment
from capital_kit.charts._sample import Floats, Rows, Times
from capital_kit.charts._spec import MAX_SERIES, ChartSpec
from capital_kit.datasets import describe_dataset, time_text
from capital_kit.datasets._model import Dataset
from capital_kit.errors import ChartError


def panel_payload(
    dataset: Dataset,
    spec: ChartSpec,
    times: Times,
    values: Mapping[str, Floats],
    order: Rows,
    notices: list[Notice],
) -> Payload:
    """Return up to six entities as series, those with the greatest last values."""
    field = spec.series[0].field
    column = dataset.column(field)
    names = _entities(dataset, spec, times, order)
    stamps, place = np.unique(times[order], return_inverse=True)
    lines: dict[str, Floats] = {}
    places: set[tuple[str, int]] = set()
    repeats = 0
    for row, at, name in zip(order, place, names, strict=True):
        line = lines.setdefault(name, np.full(len(stamps), np.nan))
        value = values[field][row]
        seen = (name, int(at))
        repeats += seen in places
        places.add(seen)
        if not np.isnan(line[at]) and not line[at] == value:
            raise _repeated(spec, stamps[at], dataset)
        line[at] = value
    if repeats:
        notices.append(Notice("charts", "repeats_dropped", count=repeats))
    ranked = sorted(lines, key=lambda name: (-_last(lines[name]), name))
    if len(ranked) > MAX_SERIES:
        notices.append(Notice("charts", "entities_cut", shown=MAX_SERIES, total=len(ranked)))
    shown = ranked[:MAX_SERIES]
    payload = Payload(
        spec=spec, axis="time", time_kind=dataset.column(spec.x or "").kind, times=stamps, categories=(),
        series=tuple(
            Series(field=field, label=name, type="line", values=lines[name], unit=column.unit,
                   percent=column.kind == "percent")
            for name in shown
        ),
        bars=None, volume=None, markers=(), skipped_rows=dataset.rows - len(order),
        source_label=dataset.source.label, dataset_id=dataset.dataset_id,
        fingerprint=dataset.fingerprint, notices=tuple(notices),
    )  # fmt: skip
    return finish(payload)


def _entities(dataset: Dataset, spec: ChartSpec, times: Times, order: Rows) -> list[str]:
    entity = None if spec.by else describe_dataset(dataset).roles.entity
    name = spec.by or (entity.get("column") if entity else None)
    if not name:
        ordered = times[order]
        raise _repeated(spec, ordered[np.flatnonzero(ordered[1:] == ordered[:-1])[0]], dataset)
    return ["—" if cell is None else str(cell) for cell in dataset.table.column(name).take(order).to_pylist()]


def _repeated(spec: ChartSpec, time: np.datetime64, dataset: Dataset) -> ChartError:
    kind = dataset.column(spec.x or "").kind
    return ChartError.of(
        "chart_spec_invalid", "repeated_time", field=spec.x or "", time=time_text(moment(time), kind),
        count=dataset.rows, allowed="1",
    )  # fmt: skip


def _last(line: Floats) -> float:
    known = line[~np.isnan(line)]
    return float(known[-1]) if len(known) else -np.inf
