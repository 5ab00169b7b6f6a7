"""From a dataset and a specification to the arrays that are drawn: checked, sorted, in range."""

from __future__ import annotations

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Literal

import numpy as np

from capital_kit._core.notices import Notice
from capital_kit.charts._sample import Bars, Floats, Rows, Times
from capital_kit.charts._spec import OHLC_FIELDS, OHLC_KINDS, ChartSpec, Marker
from capital_kit.datasets import parse_time, time_text
from capital_kit.datasets._model import NUMERIC, TEMPORAL, Column, Dataset
from capital_kit.errors import ChartError

if TYPE_CHECKING:
    from capital_kit.charts._studies import Study
    from capital_kit.datasets import TimePoint

Axis = Literal["time", "category", "index"]
MAX_CATEGORIES = 50
EXAMPLES = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """The values of one series, row by row; NaN where the data state none."""

    field: str
    label: str
    type: str
    values: Floats
    unit: str | None = None
    percent: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A marker that has found its row; it keeps the time it was given."""

    row: int
    text: str
    at: str
    position: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Payload:
    """What a chart draws, before it is reduced to what a screen can show."""

    spec: ChartSpec
    axis: Axis
    time_kind: str | None
    times: Times | None
    categories: tuple[str, ...]
    series: tuple[Series, ...]
    bars: Bars | None
    volume: Series | None
    markers: tuple[Point, ...]
    skipped_rows: int
    source_label: str
    dataset_id: str
    fingerprint: str
    notices: tuple[Notice, ...]
    studies: tuple[Study, ...] = ()
    rebased: bool = False
    left_out: int = 0  # times that not all lines have, left out where lines start together
    close_before: float = float("nan")  # cut off by a range; a flat first bar is coloured by it

    @property
    def rows(self) -> int:
        """How many rows are to be drawn."""
        return len(self.categories) if self.times is None else len(self.times)

    def text(self, row: int) -> str:
        """Return the time, the category or the row number (from 1) of a row."""
        if self.times is None:
            return self.categories[row]
        return time_text(moment(self.times[row]), self.time_kind or "date")


def build_payload(dataset: Dataset, spec: ChartSpec) -> Payload:
    """Return what ``spec`` draws of ``dataset``.

    Raises
    ------
    ChartError
        ``chart_field_not_found``, ``chart_no_rows`` or ``chart_spec_invalid``.
    """
    spec = _by_name(dataset, spec)
    _check_source(dataset, spec)
    notices: list[Notice] = [*spec.notices]
    x = dataset.column(spec.x) if spec.x else None
    axis: Axis = "index" if x is None else "time" if x.kind in TEMPORAL else "category"
    if spec.kind in OHLC_KINDS and axis != "time":
        raise ChartError.of(
            "chart_spec_invalid", "time_kind", field=spec.x, kind=spec.kind, allowed=sorted(TEMPORAL)
        )
    values = {name: _numbers(dataset, name, notices) for name in spec.drawn}
    times = _times(dataset, x) if axis == "time" and x else None
    kept = _complete_rows(spec, values, times, dataset.rows, notices)
    order = _time_order(times, kept, notices) if times is not None else kept
    skipped = dataset.rows - len(order)
    if spec.by and times is None:
        raise ChartError.of("chart_spec_invalid", "by_time", field=spec.x or "—", allowed=sorted(TEMPORAL))
    if times is not None and (spec.by or len(np.unique(times[order])) < len(order)):
        if _is_panel(dataset, spec):
            from capital_kit.charts._panel import panel_payload

            return panel_payload(dataset, spec, times, values, order, notices)
        order = _without_repeats(times, values, order, x, notices)
    if axis != "time" and (spec.overlays or spec.panes or spec.rebase):
        raise ChartError.of("chart_spec_invalid", "study_axis", axis=axis, allowed=["time"])
    payload = Payload(
        spec=spec, axis=axis, time_kind=x.kind if x and times is not None else None,
        times=None if times is None else times[order],
        categories=() if times is not None else _categories(dataset, x, order),
        series=tuple(
            _series(dataset.column(s.field), spec.label(s.field), s.type, values[s.field][order])
            for s in spec.series
        ),
        bars=_bars(spec, values, order),
        volume=_volume(dataset, spec, values, order),
        markers=(), skipped_rows=skipped, source_label=dataset.source.label,
        dataset_id=dataset.dataset_id, fingerprint=dataset.fingerprint, notices=tuple(notices),
    )  # fmt: skip
    return finish(payload)


def finish(payload: Payload) -> Payload:
    """Apply the range and the limits, place the markers, and tell about impossible bars."""
    from capital_kit.charts._rebase import rebased
    from capital_kit.charts._sides import axis_notices
    from capital_kit.charts._studies import with_studies

    payload = _limited(_in_range(with_studies(payload)))
    if payload.spec.rebase:
        payload = rebased(payload)
    if payload.bars is not None:
        payload = _tell_bad_bars(payload)
    told = axis_notices(payload.series, one_axis=payload.bars is not None)
    points, notices = _place_markers(payload)
    return replace(payload, markers=points, notices=(*payload.notices, *told, *notices))


def moment(value: np.datetime64) -> dt.datetime:
    """Return a numpy time as Python's."""
    found: dt.datetime = value.astype("datetime64[us]").item()
    return found


def take(payload: Payload, rows: Rows) -> Payload:
    """Return the payload with some of its rows only."""

    def cut(series: Series) -> Series:
        return replace(series, values=series.values[rows])

    return replace(
        payload,
        times=None if payload.times is None else payload.times[rows],
        categories=tuple(payload.categories[i] for i in rows) if payload.times is None else (),
        series=tuple(cut(series) for series in payload.series),
        bars=_cut_bars(payload.bars, rows),
        volume=None if payload.volume is None else cut(payload.volume),
        studies=tuple(study.rows(rows) for study in payload.studies),
    )


def _cut_bars(bars: Bars | None, rows: Rows) -> Bars | None:
    if bars is None:
        return None
    opens, highs, lows, closes = bars
    return opens[rows], highs[rows], lows[rows], closes[rows]


def _by_name(dataset: Dataset, spec: ChartSpec) -> ChartSpec:
    """Return the specification with headers, ``收盘(元)``, replaced by the names that they became."""
    headers = [column.header for column in dataset.columns]
    names = {
        column.header: column.name
        for column in dataset.columns
        if column.header not in dataset.names and headers.count(column.header) == 1
    }
    if not names.keys() & set(spec.fields):
        return spec

    def name(given: str) -> str:
        return names.get(given, given)

    return replace(
        spec,
        x=name(spec.x) if spec.x else None,
        series=tuple(replace(item, field=name(item.field)) for item in spec.series),
        ohlc=None if spec.ohlc is None else {part: name(field) for part, field in spec.ohlc.items()},
        volume=name(spec.volume) if spec.volume else None,
        by=name(spec.by) if spec.by else None,
        labels={name(field): label for field, label in spec.labels.items()},
    )


def _check_source(dataset: Dataset, spec: ChartSpec) -> None:
    if dataset.shape != "rows":
        raise ChartError.of("chart_source_invalid", "document", cause="dataset_format_unsupported")
    missing = [name for name in spec.fields if name not in dataset.names]
    if missing:
        raise ChartError.of(
            "chart_field_not_found", missing=list(missing),
            available=list(dataset.names[:15]), available_total=len(dataset.names),
        )  # fmt: skip
    if dataset.rows == 0:
        raise ChartError.of("chart_no_rows")


def _numbers(dataset: Dataset, name: str, notices: list[Notice]) -> Floats:
    column = dataset.column(name)
    if column.kind not in NUMERIC:
        allowed = [item.name for item in dataset.columns if item.kind in NUMERIC]
        raise ChartError.of(
            "chart_field_not_found", "number", field=name, kind=column.kind,
            available=list(allowed[:15]), available_total=len(allowed),
        )  # fmt: skip
    import pyarrow as pa

    cells = dataset.table.column(name).cast(pa.float64(), safe=False)
    values: Floats = np.array(cells.to_numpy(), dtype=np.float64)
    infinite = np.isinf(values)
    if infinite.any():
        values[infinite] = np.nan
        notices.append(Notice("charts", "infinite", field=name, count=int(infinite.sum())))
    if np.isnan(values).all():
        filled = [c.name for c in dataset.columns if c.kind in NUMERIC and c.name != name]
        raise ChartError.of(
            "chart_field_not_found", "empty", field=name, available=list(filled[:15]),
            available_total=len(filled),
        )  # fmt: skip
    return values


def _times(dataset: Dataset, column: Column) -> Times:
    import pyarrow as pa

    cells = dataset.table.column(column.name).cast(pa.timestamp("us"))
    times: Times = cells.to_numpy().astype("datetime64[us]")
    return times


def _categories(dataset: Dataset, column: Column | None, order: Rows) -> tuple[str, ...]:
    if column is None:
        return tuple(str(i + 1) for i in order)
    cells = dataset.table.column(column.name).take(order).to_pylist()
    return tuple("—" if cell is None else str(cell) for cell in cells)


def _series(column: Column, label: str, kind: str, values: Floats) -> Series:
    return Series(
        field=column.name, label=label, type=kind, values=values,
        unit=column.unit, percent=column.kind == "percent",
    )  # fmt: skip


def _volume(dataset: Dataset, spec: ChartSpec, values: Mapping[str, Floats], order: Rows) -> Series | None:
    if spec.volume is None:
        return None
    return _series(
        dataset.column(spec.volume), spec.label(spec.volume), "column", values[spec.volume][order]
    )  # fmt: skip


def _bars(spec: ChartSpec, values: Mapping[str, Floats], order: Rows) -> Bars | None:
    if spec.ohlc is None:
        return None
    opens, highs, lows, closes = (values[spec.ohlc[name]][order] for name in OHLC_FIELDS)
    return opens, highs, lows, closes


# ------------------------------------------------------------------------------- rows and order
def _complete_rows(
    spec: ChartSpec, values: Mapping[str, Floats], times: Times | None, n: int, notices: list[Notice]
) -> Rows:
    keep = np.ones(n, dtype=bool)
    if times is not None:
        keep = ~np.isnat(times)
        _tell(notices, "time_missing", n - int(keep.sum()))
    if spec.ohlc is not None:
        absent = np.sum([np.isnan(values[name]) for name in spec.ohlc.values()], axis=0)
        _tell(notices, "bars_empty", int(np.sum(keep & (absent == 4))))
        _tell(notices, "bars_partial", int(np.sum(keep & (absent > 0) & (absent < 4))))
        keep &= absent == 0
    rows = np.flatnonzero(keep).astype(np.int64)
    if len(rows) == 0:
        raise ChartError.of("chart_no_rows", "usable")
    return rows


def _time_order(times: Times, rows: Rows, notices: list[Notice]) -> Rows:
    kept = times[rows]
    if bool(np.all(kept[1:] >= kept[:-1])):
        return rows
    notices.append(Notice("charts", "sorted"))
    ordered: Rows = rows[np.argsort(kept, kind="stable")]
    return ordered


def _without_repeats(
    times: Times, values: Mapping[str, Floats], order: Rows, x: Column | None, notices: list[Notice]
) -> Rows:
    ordered = times[order]
    repeat = np.concatenate([[False], ordered[1:] == ordered[:-1]])
    same = np.ones(len(order), dtype=bool)
    for column in values.values():
        here = column[order]
        before = np.concatenate([[np.nan], here[:-1]])
        same &= (here == before) | (np.isnan(here) & np.isnan(before))
    offender = np.flatnonzero(repeat & ~same)
    if len(offender):
        kind = x.kind if x else "date"
        raise ChartError.of(
            "chart_spec_invalid", "repeated_time", field=x.name if x else "",
            time=time_text(moment(ordered[offender[0]]), kind), count=int(repeat.sum()), allowed="1",
        )  # fmt: skip
    _tell(notices, "repeats_dropped", int(repeat.sum()))
    single: Rows = order[~repeat]
    return single


def _is_panel(dataset: Dataset, spec: ChartSpec) -> bool:
    return spec.by is not None or (
        spec.kind in ("line", "area") and len(spec.series) == 1 and spec.volume is None
        and not spec.overlays and not spec.panes
        and any(column.kind in ("code", "category", "text") for column in dataset.columns)
    )  # fmt: skip


# ------------------------------------------------------------------------------ range and limits
def _in_range(payload: Payload) -> Payload:
    ends = payload.spec.range
    if ends is None or ends == (None, None):
        return payload
    if payload.times is None:
        raise ChartError.of("chart_spec_invalid", "range_axis", axis=payload.axis, allowed=["time"])
    keep = np.ones(payload.rows, dtype=bool)
    if ends[0] is not None:
        keep &= payload.times >= interval(ends[0])[0]
    if ends[1] is not None:
        keep &= payload.times < interval(ends[1])[1]
    if not keep.any():
        raise ChartError.of(
            "chart_no_rows", "range", first=ends[0] or "…", last=ends[1] or "…",
            covered_from=payload.text(0), covered_to=payload.text(payload.rows - 1),
        )  # fmt: skip
    rows = np.flatnonzero(keep)
    if payload.bars is not None and rows[0] > 0:
        payload = replace(payload, close_before=float(payload.bars[3][rows[0] - 1]))
    return take(payload, rows)


def interval(text: str) -> tuple[np.datetime64, np.datetime64]:
    """Return the beginning of a day, moment or period, and the beginning of the next one."""
    point: TimePoint | None = parse_time(text)
    if point is None:
        raise ChartError.of(
            "chart_spec_invalid", "moment", value=text[:80], allowed="2024-01-05, 2024-01, 2024Q1, 2024"
        )
    start = np.datetime64(point.value).astype("datetime64[us]")
    if point.kind == "datetime":
        whole_minute = not (point.value.isoformat()[17:] or "00").strip("0:.")
        return start, start + np.timedelta64(60_000_000 if whole_minute else 1, "us")
    if point.kind == "date":
        return start, start + np.timedelta64(1, "D")
    months = {"month": 1, "quarter": 3, "year": 12}[point.kind]
    return start, (start.astype("datetime64[M]") + np.timedelta64(months, "M")).astype("datetime64[us]")


def _limited(payload: Payload) -> Payload:
    if payload.axis != "category" or payload.rows <= MAX_CATEGORIES or not payload.series:
        return payload
    size = np.nan_to_num(np.abs(payload.series[0].values), nan=-1.0)
    largest = np.sort(np.argsort(-size, kind="stable")[:MAX_CATEGORIES]).astype(np.int64)
    told = Notice(
        "charts", "categories_cut", shown=MAX_CATEGORIES, total=payload.rows, field=payload.series[0].label
    )  # fmt: skip
    return replace(take(payload, largest), notices=(*payload.notices, told))


def _tell_bad_bars(payload: Payload) -> Payload:
    assert payload.bars is not None
    opens, highs, lows, closes = payload.bars
    bad = np.flatnonzero((highs < np.maximum(opens, closes)) | (lows > np.minimum(opens, closes)))
    if len(bad) == 0:
        return payload
    dates = ", ".join(payload.text(int(row)) for row in bad[:EXAMPLES])
    told = Notice("charts", "bars_inconsistent", count=len(bad), dates=dates)
    return replace(payload, notices=(*payload.notices, told))


def _tell(notices: list[Notice], code: str, count: int) -> None:
    if count:
        notices.append(Notice("charts", code, count=count))


# --------------------------------------------------------------------------------------- markers
def _place_markers(payload: Payload) -> tuple[tuple[Point, ...], list[Notice]]:
    points: list[Point] = []
    lost: list[str] = []
    moved: list[str] = []
    for marker in payload.spec.markers:
        row, exact = _marker_row(payload, marker)
        if row is None:
            lost.append(str(marker.at))
            continue
        if not exact:
            moved.append(str(marker.at))
        at = payload.text(row) if isinstance(marker.at, int) else marker.at
        points.append(Point(row=row, text=marker.text, at=at, position=marker.position))
    notices = [
        Notice("charts", code, count=len(found), examples=", ".join(found[:EXAMPLES]))
        for code, found in (("markers_lost", lost), ("markers_moved", moved))
        if found
    ]
    return tuple(points), notices


def _marker_row(payload: Payload, marker: Marker) -> tuple[int | None, bool]:
    """Return the row of a marker, and whether it lies exactly there.

    A time without a row (a holiday) takes the next row; a time outside the data takes none.
    """
    if isinstance(marker.at, int):
        return (marker.at if 0 <= marker.at < payload.rows else None), True
    if payload.times is None:
        return (payload.categories.index(marker.at) if marker.at in payload.categories else None), True
    start, end = interval(marker.at)
    row = int(np.searchsorted(payload.times, start))
    if row == payload.rows or end <= payload.times[0]:
        return None, True
    return row, bool(payload.times[row] < end)
