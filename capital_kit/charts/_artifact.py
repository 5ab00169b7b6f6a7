"""Rendering a chart source: three files, one receipt, and the source is used up."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from capital_kit import __version__
from capital_kit._core.options import options
from capital_kit._core.records import plain
from capital_kit.charts._chart import Chart, draw
from capital_kit.charts._save import chart_page
from capital_kit.charts._source import checked_task, consume, open_source, write_failed
from capital_kit.charts._spec import OHLC_FIELDS, ChartSpec, normalize_spec
from capital_kit.charts._theme import convention
from capital_kit.errors import ChartError, WorkspaceError
from capital_kit.workspace import Workspace

FOLDER = "charts"
FILES = {"spec_path": "spec.json", "series_path": "series.json", "html_path": "chart.html"}


def render_chart(
    chart_source_ref: str,
    task_id: str | None = None,
    spec: ChartSpec | Mapping[str, Any] | str | None = None,
    *,
    title: str | None = None,
    workspace: Workspace | str | Path | None = None,
) -> Chart:
    """Draw the dataset behind a chart source and keep the chart.

    A refused specification leaves the source as it was, so it can be corrected; success uses the
    source up. Equal data and specification give equal files, in every time zone.

    Parameters
    ----------
    chart_source_ref : str
        What ``prepare_chart_source`` returned.
    task_id : str, optional
        The task it was issued for. Default: this process.
    spec : ChartSpec, mapping or JSON text
        What to draw.
    title : str, optional
        Replaces the title of ``spec``.
    workspace : Workspace or path, optional
        Where the source was kept.

    Returns
    -------
    Chart
        Its ``receipt`` names the chart and its files: ``spec.json``, ``series.json``, ``chart.html``.

    Raises
    ------
    ChartError
        ``chart_source_invalid``, ``chart_source_expired`` (with ``reason``: unknown, expired or
        consumed), ``chart_source_scope_mismatch``, ``chart_spec_invalid``, ``chart_field_not_found``,
        ``chart_no_rows``, ``chart_write_failed``.
    """
    place = Workspace.of(workspace)
    _, dataset = open_source(place, chart_source_ref, task_id)
    chart = draw(dataset, _with_title(normalize_spec({} if spec is None else spec), title))
    chart_id = _chart_id(chart)
    chart = replace(chart, receipt=_receipt(chart_id, checked_task(task_id)))
    try:
        staged = place.stage(FOLDER, chart_id, files=_files(chart))
        try:
            with place.transaction() as registry:
                consume(registry, chart_source_ref)
                registry.put("chart", str(chart.receipt["chart_ref"]), chart.to_dict())
                staged.commit()
        except BaseException:
            staged.drop()
            raise
    except WorkspaceError as error:
        raise write_failed(error) from None
    return chart


def _with_title(spec: ChartSpec, title: str | None) -> ChartSpec:
    if title is None:
        return spec
    titled = normalize_spec({"kind": "column", "series": ["_"], "title": title})
    return replace(spec, title=titled.title, notices=titled.notices)


def _chart_id(chart: Chart) -> str:
    """Return an id made of all that shapes the files: what is drawn, not only where it came from."""
    shaping = [chart.spec.to_dict(), _drawn(chart), options.language, convention(), __version__]
    return f"ch_{hashlib.sha256(_json(shaping)).hexdigest()[:24]}"


def _receipt(chart_id: str, task: str) -> dict[str, Any]:
    reference = hashlib.sha256(f"{chart_id}\n{task}".encode()).hexdigest()[:32]
    paths = {key: f"{FOLDER}/{chart_id}/{name}" for key, name in FILES.items()}
    return {"chart_ref": f"chart_{reference}", "chart_id": chart_id, **paths}


def _files(chart: Chart) -> dict[str, bytes]:
    chart_id = chart.receipt["chart_id"]
    spec = {
        "chart_id": chart_id,
        "source": {"dataset_id": chart.meta["dataset_id"], "source_label": chart.meta["source_label"]},
        "spec": chart.spec,
    }
    return {
        "spec.json": _json(spec),
        "series.json": _json({"chart_id": chart_id, **_drawn(chart)}),
        "chart.html": chart_page(chart),
    }


def _drawn(chart: Chart) -> dict[str, Any]:
    view = chart.view
    found: dict[str, Any] = {
        "title": chart.title,
        "kind": chart.spec.kind,
        "axis": view.payload.axis,
        "time": view.texts,
        "series": [
            {"id": s.field, "label": s.label, "type": s.type, "unit": s.unit, "values": _values(s.values)}
            for s in view.series
        ],
        "markers": [
            {"time": point.at, "point": x, "text": point.text, "position": point.position}
            for point, x in zip(view.payload.markers, view.marker_x, strict=True)
        ],
        "meta": {**chart.meta, "warnings": [notice.to_dict() for notice in chart.warnings]},
    }
    if view.bars is not None:
        found["ohlc"] = {name: _values(array) for name, array in zip(OHLC_FIELDS, view.bars, strict=True)}
    if view.studies:
        found["studies"] = [
            {"name": study.label, "lines": {line.label: _values(line.values) for line in study.lines}}
            for study in view.studies
        ]  # fmt: skip
    if view.volume is not None:
        found["volume"] = {
            "label": view.volume.label, "unit": view.volume.unit, "values": _values(view.volume.values)
        }  # fmt: skip
    return found


def _values(array: np.ndarray[Any, np.dtype[np.float64]]) -> list[float | None]:
    return [None if np.isnan(value) else float(value) for value in array]


def _json(record: Any) -> bytes:
    try:
        text = json.dumps(plain(record), ensure_ascii=False, allow_nan=False, sort_keys=True, indent=1)
    except ValueError as error:
        raise ChartError.of("chart_write_failed", reason=str(error), cause="dataset_write_failed") from None
    # Half a surrogate pair, as in the name of an undecodable file, cannot be written as UTF-8.
    return text.encode("utf-8", "replace") + b"\n"
