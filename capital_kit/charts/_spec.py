"""The chart specification: what to draw, checked and in one form."""

from __future__ import annotations

import json
import operator
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, cast, get_args

from capital_kit._core.notices import Notice
from capital_kit._core.records import plain
from capital_kit.charts._study_spec import STUDY_KINDS, StudySpec, overlay_specs, pane_specs
from capital_kit.errors import ChartError

ChartKind = Literal["line", "area", "column", "candlestick", "bar"]
SeriesType = Literal["line", "area", "column"]
Position = Literal["aboveBar", "belowBar", "inBar"]

OHLC_KINDS: frozenset[str] = frozenset({"candlestick", "bar"})
OHLC_FIELDS = ("open", "high", "low", "close")
MAX_SERIES = 6
_MANY_KINDS = ("line", "area")
MAX_MARKERS = 50
MAX_TITLE = 200
MAX_MARKER_TEXT = 120

_TURNING = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069]")
KIND_ALIASES = {
    "histogram": "column", "candle": "candlestick", "candles": "candlestick",
    "ohlc": "bar", "candlestick_bar": "bar",
    "k线": "candlestick", "k线图": "candlestick", "蜡烛图": "candlestick", "折线图": "line", "折线": "line",
    "柱状图": "column", "柱状": "column", "面积图": "area", "面积": "area",
}  # fmt: skip
_KEY_ALIASES = {
    "time": "x", "time_field": "x", "fields": "series", "y": "series",
    "candles": "ohlc", "volume_field": "volume", "entity": "by",
}  # fmt: skip
_KEYS = ("kind", "x", "series", "ohlc", "volume", "markers", "range", "title", "labels",
         "by", "rebase", "overlays", "panes")  # fmt: skip


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesSpec:
    """One series: a column, what to call it and how to draw it."""

    field: str
    label: str | None = None
    type: SeriesType = "line"


@dataclass(frozen=True, slots=True, kw_only=True)
class Marker:
    """A remark at a time, a category or a row (0-based, of the rows that are drawn)."""

    text: str
    at: str | int
    position: Position = "aboveBar"


@dataclass(frozen=True, slots=True, kw_only=True)
class ChartSpec:
    """What to draw.

    Attributes
    ----------
    kind : {"line", "area", "column", "candlestick", "bar"}
        ``bar`` is the OHLC bar; a plain bar chart is ``column``.
    x : str or None
        Column of the horizontal axis; None draws the rows in their order.
    series : tuple of SeriesSpec
        One to six columns; over OHLC kinds they are lines.
    ohlc : mapping or None
        The columns of ``open``, ``high``, ``low`` and ``close``.
    volume : str or None
        Column of the volume pane.
    markers, range, title, labels
        Remarks, ``(from, to)`` both inclusive, heading, and names for columns.
    by : str or None
        Column of the entities: one line each of the one series.
    rebase : bool
        Start every line at 100 on the first time that all of them have.
    overlays, panes : tuple of StudySpec
        Indicators over the prices and in panes of their own.
    notices : tuple of Notice
        What was changed to fit the limits.
    """

    kind: ChartKind
    x: str | None = None
    series: tuple[SeriesSpec, ...] = ()
    ohlc: Mapping[str, str] | None = None
    volume: str | None = None
    markers: tuple[Marker, ...] = ()
    range: tuple[str | None, str | None] | None = None
    title: str | None = None
    labels: Mapping[str, str] = field(default_factory=dict)
    by: str | None = None
    rebase: bool = False
    overlays: tuple[StudySpec, ...] = ()
    panes: tuple[StudySpec, ...] = ()
    notices: tuple[Notice, ...] = ()

    @property
    def fields(self) -> tuple[str, ...]:
        """Every column that the chart reads, once, in reading order."""
        named = [name for name in (self.x, self.by) if name]
        return tuple(dict.fromkeys([*named, *self.drawn]))

    @property
    def drawn(self) -> tuple[str, ...]:
        """Every column whose numbers are drawn, once, in reading order."""
        names = [*(self.ohlc or {}).values(), *(item.field for item in self.series), self.volume]
        return tuple(dict.fromkeys(name for name in names if name))

    def label(self, name: str) -> str:
        """Return what a column is called in the chart."""
        own = next((item.label for item in self.series if item.field == name and item.label), None)
        return own or self.labels.get(name) or one_line(name)

    def to_dict(self) -> dict[str, Any]:
        """Return the specification as strict JSON that ``normalize_spec`` accepts again."""
        record: dict[str, Any] = plain({
            "kind": self.kind,
            "x": self.x,
            "series": list(self.series),
            "ohlc": dict(self.ohlc) if self.ohlc else None,
            "volume": self.volume,
            "markers": list(self.markers),
            "range": list(self.range) if self.range else None,
            "title": self.title,
            "labels": dict(self.labels),
            "by": self.by,
            "rebase": self.rebase or None,
            "overlays": [item.to_dict() for item in self.overlays],
            "panes": [item.to_dict() for item in self.panes],
        })  # fmt: skip
        return {key: value for key, value in record.items() if value not in (None, [], {})}


def normalize_spec(spec: ChartSpec | Mapping[str, Any] | str) -> ChartSpec:
    """Check a specification and bring it into one form.

    Accepts a mapping, its JSON text (also of single members), the aliases of kinds and keys, one
    name instead of a list, and members that are null or empty for "absent".

    Raises
    ------
    ChartError
        ``chart_spec_invalid``, with what is ``allowed``.
    """
    if isinstance(spec, ChartSpec):
        checked = normalize_spec(spec.to_dict())
        return replace(checked, notices=tuple(dict.fromkeys((*spec.notices, *checked.notices))))
    given = _mapping(_parsed(spec, "spec"), "spec")
    values: dict[str, Any] = {}
    for key, value in given.items():
        name = _KEY_ALIASES.get(key, key)
        if name not in _KEYS:
            raise ChartError.of("chart_spec_invalid", "key", key=str(key)[:80], allowed=list(_KEYS))
        if name in values and value is not None and value != "":
            raise ChartError.of("chart_spec_invalid", "key_twice", key=name, allowed=list(_KEYS))
        if value is not None and value != "":
            values[name] = value if name == "title" else _parsed(value, name)
    kind = _kind(values.get("kind"))
    title, notices = _title(values.get("title"))
    panes = pane_specs(values.get("panes", ()))
    checked = ChartSpec(
        kind=kind,
        x=_column(values["x"], "x") if "x" in values else None,
        series=_series(values.get("series", ()), kind),
        ohlc=_ohlc(values["ohlc"]) if "ohlc" in values else None,
        volume=_column(values["volume"], "volume") if "volume" in values else None,
        markers=_markers(values.get("markers", ())),
        range=_range(values["range"]) if "range" in values else None,
        title=title,
        labels={str(k): _label(v) for k, v in _mapping(values.get("labels", {}), "labels").items()},
        by=_column(values["by"], "by") if "by" in values else None,
        rebase=_flag(values.get("rebase", False)),
        overlays=overlay_specs(values.get("overlays", ())),
        panes=tuple(pane for pane in panes if pane.type != "volume"),
        notices=notices,
    )
    if any(pane.type == "volume" for pane in panes) and checked.volume is None:
        raise ChartError.of("chart_spec_invalid", "pane_volume", allowed=["volume"])
    _check_together(checked)
    return checked


def _check_together(spec: ChartSpec) -> None:
    if spec.kind in OHLC_KINDS:
        if spec.x is None:
            raise ChartError.of("chart_spec_invalid", "time_needed", kind=spec.kind, allowed=["x"])
        if spec.ohlc is None:
            raise ChartError.of(
                "chart_spec_invalid", "ohlc_needed", kind=spec.kind, allowed=list(OHLC_FIELDS)
            )
    elif spec.ohlc is not None:
        raise ChartError.of("chart_spec_invalid", "ohlc_unwanted", kind=spec.kind, allowed=sorted(OHLC_KINDS))
    elif not spec.series:
        raise ChartError.of(
            "chart_spec_invalid", "series_needed", kind=spec.kind, allowed=f"1–{MAX_SERIES}"
        )  # fmt: skip
    if (spec.overlays or spec.panes) and spec.kind not in STUDY_KINDS:
        raise ChartError.of("chart_spec_invalid", "study_kind", kind=spec.kind, allowed=list(STUDY_KINDS))
    if (spec.rebase or spec.by) and spec.kind not in _MANY_KINDS:
        raise ChartError.of("chart_spec_invalid", "many_kind", kind=spec.kind, allowed=list(_MANY_KINDS))
    if spec.by and (len(spec.series) > 1 or spec.volume):
        raise ChartError.of("chart_spec_invalid", "by_one", allowed="1")
    if (spec.rebase or spec.by) and (spec.overlays or spec.panes):
        raise ChartError.of("chart_spec_invalid", "study_many", allowed=["rebase", "by", "overlays", "panes"])


def _kind(value: Any) -> ChartKind:
    text = str(value or "").strip().lower()
    text = KIND_ALIASES.get(text, text)
    if text not in get_args(ChartKind):
        raise ChartError.of(
            "chart_spec_invalid", "kind", kind=str(value)[:80], allowed=list(get_args(ChartKind))
        )  # fmt: skip
    return cast("ChartKind", text)


def _title(value: Any) -> tuple[str | None, tuple[Notice, ...]]:
    if value is None:
        return None, ()
    text = one_line(value)
    if len(text) <= MAX_TITLE:
        return text or None, ()
    return text[: MAX_TITLE - 1] + "…", (Notice("charts", "title_cut", length=len(text), limit=MAX_TITLE),)


def _flag(value: Any) -> bool:
    if not isinstance(value, bool):
        raise ChartError.of("chart_spec_invalid", "flag", value=str(value)[:80], allowed=[True, False])
    return value


def _series(value: Any, kind: str) -> tuple[SeriesSpec, ...]:
    items = [value] if isinstance(value, str) else _items(value, "series")
    own = "line" if kind in OHLC_KINDS else kind
    series = tuple(_one_series(item, own) for item in items)
    names = [item.field for item in series]
    if len(series) > MAX_SERIES:
        raise ChartError.of(
            "chart_spec_invalid", "series_count", count=len(series), allowed=f"1–{MAX_SERIES}"
        )
    if len(set(names)) < len(names):
        twice = next(name for name in names if names.count(name) > 1)
        raise ChartError.of(
            "chart_spec_invalid", "series_twice", field=twice, allowed=list(dict.fromkeys(names))
        )
    return series


def _one_series(item: Any, kind: str) -> SeriesSpec:
    if isinstance(item, SeriesSpec):
        item = {"field": item.field, "label": item.label, "type": item.type}
    if isinstance(item, str):
        return SeriesSpec(field=_column(item, "series"), type=cast("SeriesType", kind))
    given = _mapping(item, "series")
    name = next((given[key] for key in ("field", "column", "name") if given.get(key)), None)
    style = given.get("type") or kind
    if style not in get_args(SeriesType):
        raise ChartError.of(
            "chart_spec_invalid", "series_type", type=str(style)[:80], allowed=list(get_args(SeriesType))
        )  # fmt: skip
    label = given.get("label")
    return SeriesSpec(
        field=_column(name, "series"), label=_label(label) if label else None, type=cast("SeriesType", style)
    )


def _ohlc(value: Any) -> dict[str, str]:
    given = _mapping(value, "ohlc")
    absent = [name for name in OHLC_FIELDS if not given.get(name)]
    if absent:
        raise ChartError.of("chart_spec_invalid", "ohlc_part", absent=list(absent), allowed=list(OHLC_FIELDS))
    return {name: _column(given[name], "ohlc") for name in OHLC_FIELDS}


def _markers(value: Any) -> tuple[Marker, ...]:
    items = _items(value, "markers")
    if len(items) > MAX_MARKERS:
        raise ChartError.of(
            "chart_spec_invalid", "marker_count", count=len(items), allowed=f"0–{MAX_MARKERS}"
        )
    return tuple(_one_marker(item) for item in items)


def _one_marker(item: Any) -> Marker:
    if isinstance(item, Marker):
        item = {"at": item.at, "text": item.text, "position": item.position}
    if isinstance(item, Sequence) and not isinstance(item, str) and len(item) == 2:
        item = {"time": item[0], "text": item[1]}
    given = _mapping(item, "markers")
    text = str(next((given[key] for key in ("text", "label") if given.get(key)), ""))
    position = given.get("position") or "aboveBar"
    at = _marker_place(given)
    if at is None or not 1 <= len(text) <= MAX_MARKER_TEXT or position not in get_args(Position):
        raise ChartError.of(
            "chart_spec_invalid", "marker", limit=MAX_MARKER_TEXT, allowed=list(get_args(Position))
        )  # fmt: skip
    return Marker(text=text, at=at, position=cast("Position", position))


def _marker_place(given: Mapping[str, Any]) -> str | int | None:
    """Return a time or category as text, or a row as a number; None for neither."""
    time = next((given[key] for key in ("time", "date", "x", "at") if given.get(key) is not None), None)
    if time is not None and not (isinstance(time, int) and "at" in given):
        return str(time)
    row = time if time is not None else next((given[k] for k in ("index", "i") if k in given), None)
    try:
        return int(row) if isinstance(row, str) else operator.index(cast("int", row))
    except (TypeError, ValueError):
        return None


def _range(value: Any) -> tuple[str | None, str | None]:
    if isinstance(value, Mapping) and set(value) <= {"from", "start", "to", "end"}:
        ends = [value.get("from", value.get("start")), value.get("to", value.get("end"))]
    elif isinstance(value, Sequence) and not isinstance(value, str) and len(value) == 2:
        ends = list(value)
    else:
        raise ChartError.of("chart_spec_invalid", "range", value=str(value)[:80], allowed=["from", "to"])
    first, last = (str(end) if end not in (None, "") else None for end in ends)
    return first, last


def _column(value: Any, member: str) -> str:
    if isinstance(value, Mapping):
        value = value.get("field") or value.get("column") or value.get("name")
    if not isinstance(value, str) or not 1 <= len(value) <= 128:
        raise ChartError.of("chart_spec_invalid", "column", member=member, allowed="1–128")
    return value


def _items(value: Any, member: str) -> list[Any]:
    if isinstance(value, Mapping | SeriesSpec | Marker):
        return [value]
    if not isinstance(value, Sequence) or isinstance(value, str):
        raise ChartError.of("chart_spec_invalid", "list", member=member, allowed=list(_KEYS))
    return list(value)


def one_line(value: Any) -> str:
    """Return a text on one line, without the marks that turn the numbers beside it around."""
    return " ".join(_TURNING.sub("", str(value)).split())


def _label(value: Any) -> str:
    text = one_line(value)
    return text if len(text) <= MAX_TITLE else text[: MAX_TITLE - 1] + "…"


def _mapping(value: Any, member: str) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ChartError.of("chart_spec_invalid", "shape", member=member, allowed=list(_KEYS))
    return value


def _parsed(value: Any, member: str) -> Any:
    if not isinstance(value, str) or not value.lstrip().startswith(("{", "[")):
        return value
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        if member in ("x", "series", "volume", "kind"):
            return value
        raise ChartError.of("chart_spec_invalid", "json", member=member, allowed=list(_KEYS)) from None
