"""The chart: a figure together with what was drawn and how."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from capital_kit._core.labels import tr
from capital_kit._core.notices import Notice
from capital_kit._core.records import plain
from capital_kit.charts._defaults import complete_spec
from capital_kit.charts._payload import build_payload
from capital_kit.charts._spec import ChartKind, ChartSpec, normalize_spec
from capital_kit.charts._theme import THEMES, ThemeName
from capital_kit.charts._view import View, build_view
from capital_kit.datasets._model import Dataset
from capital_kit.errors import ChartError, KitError

if TYPE_CHECKING:
    import pandas as pd
    import plotly.graph_objects as go

    from capital_kit.datasets import Description

MIME = "application/vnd.plotly.v1+json"


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Chart:
    """A drawn chart.

    Attributes
    ----------
    figure : plotly.graph_objects.Figure
        The picture; change it as you like, the changes are shown and saved.
    spec : ChartSpec
        What was drawn; ``ck.chart`` filled in what was left out.
    warnings : tuple of Notice
        What was skipped, sorted, summed up or doubted.
    summary : str
        Range, last value, change, high and low, in a sentence.
    receipt : mapping
        What ``render_chart`` wrote down; empty for a chart of ``ck.chart``.
    """

    view: View
    theme: ThemeName = "auto"
    receipt: Mapping[str, Any]

    @property
    def spec(self) -> ChartSpec:
        """What was drawn."""
        return self.view.payload.spec

    @property
    def title(self) -> str:
        """The heading: the given one, or one made of source and kind."""
        kind = tr(f"charts.kind.{self.spec.kind}")
        name = Path(self.view.payload.source_label).stem
        return self.spec.title or tr("charts.label.title_kind", source=name, kind=kind)

    @cached_property
    def figure(self) -> go.Figure:
        """The Plotly figure."""
        return self.original(self.theme)

    def original(self, theme: ThemeName) -> go.Figure:
        """Return a fresh figure in a theme, without the changes made to ``figure``."""
        from capital_kit.charts._figure import build_figure

        return build_figure(self.view, theme, self.title)

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """What was done to the data on the way, and how points were reduced."""
        view = self.view
        counts = {"rows": view.payload.rows, "points": view.points}
        if view.period is not None:
            from capital_kit.charts._axis import period_text

            told = Notice("charts", "sampled_bars", period=period_text(view.period), **counts)
            return (*view.payload.notices, told)
        if view.method == "m4":
            return (*view.payload.notices, Notice("charts", "sampled_lines", **counts))
        return view.payload.notices

    @property
    def meta(self) -> dict[str, Any]:
        """Counts, method and origin; no values of the data."""
        view, payload = self.view, self.view.payload
        return {
            "points": view.points,
            "original_points": payload.rows,
            "downsampled": view.method != "none",
            "method": view.method,
            "period": None if view.period is None else f"{view.period.count} {view.period.unit}",
            "axis": payload.axis,
            "time_field": self.spec.x if payload.axis == "time" else None,
            "skipped_rows": payload.skipped_rows,
            **({"studies": [study.to_dict() for study in view.studies]} if view.studies else {}),
            **(
                {
                    "rebase": {
                        "base": 100,
                        "from": payload.text(0),
                        "alignment": "inner",
                        "left_out": payload.left_out,
                    }
                }
                if payload.rebased
                else {}
            ),
            "source_label": payload.source_label,
            "dataset_id": payload.dataset_id,
            "fingerprint": payload.fingerprint,
        }

    @property
    def summary(self) -> str:
        """Range, last value, change, high and low with their dates, and the number of points."""
        from capital_kit.charts._notes import summary

        return summary(self.view)

    def to_frame(self) -> pd.DataFrame:
        """Return what was drawn, one row a point."""
        import pandas as pd

        from capital_kit.charts._table import frame_columns

        return pd.DataFrame(frame_columns(self.view))

    def data_table(self, limit: int = 20) -> tuple[list[str], list[list[str]]]:
        """Return headers and rows for a table beside the figure.

        These are the last ``limit`` points in time, or the first categories.
        """
        from capital_kit.charts._table import text_rows

        return text_rows(self.view, limit)

    def to_dict(self) -> dict[str, Any]:
        """Return the receipt as strict JSON: what was drawn and how, no values of the data."""
        record: dict[str, Any] = plain({
            **self.receipt,
            "kind": self.spec.kind,
            "title": self.title,
            **self.meta,
            "series_labels": [series.label for series in self.view.series],
            "has_volume": self.view.volume is not None,
            "markers": len(self.view.payload.markers),
            "spec": self.spec,
            "warnings": self.warnings,
        })  # fmt: skip
        return record

    def save(self, path: str | Path) -> Path:
        """Save as ``.html`` (one offline page), ``.csv`` (what was drawn), ``.png`` or ``.svg``.

        Raises
        ------
        ChartError
            ``chart_runtime_unavailable`` when an image needs what is not installed,
            ``chart_write_failed`` when the disk refuses.
        """
        from capital_kit.charts._save import save_chart

        return save_chart(self, Path(path))

    def _repr_mimebundle_(self, **_: Any) -> dict[str, Any]:
        from capital_kit.charts._cards import chart_card
        from capital_kit.charts._figure import CONFIG

        figure = json.loads(self.figure.to_json(validate=False))
        return {
            MIME: {"data": figure["data"], "layout": figure["layout"], "config": dict(CONFIG)},
            "text/html": str(chart_card(self)),
            "text/plain": repr(self),
        }

    def __repr__(self) -> str:
        view = self.view
        count = f"{view.points}/{view.payload.rows}" if view.method != "none" else str(view.points)
        return f"Chart({self.spec.kind!r}, {self.title!r}, {count} points)"


def chart(
    data: Any,
    *,
    kind: ChartKind | None = None,
    x: str | None = None,
    series: str | Sequence[Any] | None = None,
    ohlc: Mapping[str, str] | None = None,
    volume: str | bool | None = None,
    title: str | None = None,
    range: tuple[str | None, str | None] | Mapping[str, str] | None = None,  # noqa: A002
    markers: Sequence[Any] = (),
    labels: Mapping[str, str] | None = None,
    by: str | None = None,
    rebase: bool = False,
    overlays: Sequence[Any] | str = (),
    panes: Sequence[Any] | str = (),
    theme: ThemeName = "auto",
) -> Chart:
    """Draw a chart; what is left out follows from what the columns are.

    Parameters
    ----------
    data : Dataset, Description, DataFrame, path or anything that ``read_dataset`` takes
        The rows.
    kind : {"line", "area", "column", "candlestick", "bar"}, optional
        Default: candlesticks where open, high, low and close are recognised, a line over a time
        axis, else columns.
    x, series, ohlc : optional
        Columns; default are the recognised time, comparable measures and prices. At most six series.
    volume : str or bool, optional
        Column of the volume pane. Default: the recognised one under candlesticks and bars;
        False for none.
    title, labels : optional
        Heading, and names for columns.
    range : (from, to), optional
        Both inclusive; a partial date means its whole period: ``("2024", "2024-06")``.
    markers : sequence of (time, text) or mappings, optional
        At most 50 remarks.
    by : str, optional
        Column of the entities of a long table: one line each of the one series.
    rebase : bool
        Start every line at 100 on the first time that all of them have; times that one of them
        lacks are left out, nothing is filled in.
    overlays : sequence of str or mappings
        Indicators over candles and lines: ``"ma20"``, ``"ema12"``, ``"boll"``, or with parameters
        ``{"type": "boll", "window": 20, "k": 2}``; of the close or of the first series.
    panes : sequence of str or mappings
        Panes below: ``"volume"``, ``"macd"``, ``"rsi"``, ``"drawdown"``, or with parameters
        ``{"type": "macd", "fast": 12, "slow": 26, "signal": 9}``. The formulas stand in ``meta``.
    theme : {"auto", "light", "dark"}
        ``auto`` reads on both.

    Returns
    -------
    Chart

    Raises
    ------
    ChartError
        ``chart_spec_invalid``, ``chart_field_not_found``, ``chart_no_rows``,
        ``chart_source_invalid``.
    """
    if theme not in THEMES:
        raise ChartError.of("chart_spec_invalid", "theme", theme=str(theme), allowed=list(THEMES))
    dataset, description = described(data)
    wanted = {
        "kind": kind, "x": x, "series": series, "ohlc": ohlc, "volume": volume, "title": title,
        "range": range, "markers": markers, "labels": labels or {},
        "by": by, "rebase": rebase, "overlays": overlays, "panes": panes,
    }  # fmt: skip
    given, notices = complete_spec(description, wanted)
    return draw(dataset, normalize_spec(given), theme=theme, notices=notices)


def draw(
    dataset: Dataset,
    spec: ChartSpec,
    *,
    theme: ThemeName = "auto",
    receipt: Mapping[str, Any] | None = None,
    notices: Sequence[Notice] = (),
) -> Chart:
    """Draw a dataset by a complete specification."""
    from dataclasses import replace

    if notices:
        spec = replace(spec, notices=(*spec.notices, *notices))
    return Chart(view=build_view(build_payload(dataset, spec)), theme=theme, receipt=receipt or {})


def described(data: Any) -> tuple[Dataset, Description]:
    """Return dataset and description of whatever a reader takes."""
    from capital_kit.datasets import Description, as_dataset, describe_dataset

    if isinstance(data, Description):
        return data.dataset, data
    dataset = as_dataset(data)
    if dataset.shape != "rows":
        raise ChartError.of("chart_source_invalid", "document", cause="dataset_format_unsupported")
    if dataset.rows == 0:
        raise ChartError.of("chart_no_rows")
    return dataset, describe_dataset(dataset)


def as_chart_error(error: KitError) -> ChartError:
    """Return an error of reading as one of the chart codes."""
    return ChartError.of("chart_source_invalid", "data", reason=error.message, cause=error.code)
