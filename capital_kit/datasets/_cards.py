"""The cards: what a notebook shows of a dataset and of its description."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Any

from capital_kit._core.html import Html, badge, bullets, card, details, facts, join, table, tag
from capital_kit._core.labels import tr
from capital_kit._core.notices import Notice
from capital_kit._core.numbers import show, show_short
from capital_kit.datasets._description import ColumnFacts, Description, Value
from capital_kit.datasets._model import NUMERIC, TEMPORAL, Dataset
from capital_kit.datasets._times import time_text

COLUMNS_MAX = 40
HEAD_ROWS = 5
HEAD_COLUMNS = 12
_WARNINGS_OPEN = 6
_CELL_MAX = 40
_BAR, _HEIGHT = 5, 22


def description_card(description: Description) -> Html:
    """Return the card of a description: what it is, column by column, and what is doubtful."""
    shown, rest = description.columns[:COLUMNS_MAX], description.columns[COLUMNS_MAX:]
    return card(
        description.source.label,
        facts(_summary(description)),
        _columns_table(shown),
        _more_columns([column.name for column in rest]),
        _warnings(description.warnings),
        _evidence(description),
        subtitle=_reading(description.dataset),
        badges=_badges(description),
    )


def dataset_card(dataset: Dataset) -> Html:
    """Return the card of a dataset: how it was read, its columns and its first rows."""
    shown = dataset.columns[:COLUMNS_MAX]
    headers = [tr("describe.card.column"), tr("describe.card.kind"), tr("describe.card.header")]
    units = any(column.unit for column in shown)
    rows = [
        [tag("b", _cut(c.name)), tr(f"describe.kind.{c.kind}"), _cut(c.header if c.header != c.name else "")]
        + ([c.unit or ""] if units else [])
        for c in shown
    ]
    listing = table([*headers, *([tr("describe.card.unit")] if units else [])], rows)
    count = tr("describe.card.columns_of", n=show(len(dataset.columns)))
    return card(
        dataset.source.label,
        _head(dataset),
        details(count, listing, _more_columns([c.name for c in dataset.columns[COLUMNS_MAX:]])),
        _warnings(dataset.warnings),
        subtitle=_reading(dataset),
        badges=[badge(_size(dataset)), *_warning_badges(dataset.warnings)],
    )


# head of the cards ---------------------------------------------------------------------------


def _size(dataset: Dataset) -> str:
    return tr("describe.card.size", rows=show(dataset.rows), columns=show(len(dataset.columns)))


def _reading(dataset: Dataset) -> str:
    source = dataset.source
    delimiter = {"\t": "Tab", None: None}.get(source.delimiter, source.delimiter)
    parts = [
        source.format.upper() if source.format != "frame" else tr("describe.card.frame"),
        source.encoding and source.encoding.upper(),
        delimiter and tr("describe.card.delimiter", mark=delimiter),
        source.sheet and tr("describe.card.sheet", name=source.sheet),
        source.skip_top and tr("describe.card.skip_top", n=source.skip_top),
        source.total_rows and tr("describe.card.total_rows", n=source.total_rows),
        source.skip_bottom and tr("describe.card.skip_bottom", n=source.skip_bottom),
        tr("describe.card.document") if dataset.shape == "document" else None,
    ]
    return " · ".join(part for part in parts if part)


def _badges(description: Description) -> list[Html]:
    axis, roles = description.time_axis, description.roles
    found = [badge(_size(description.dataset))]
    if axis:
        span = axis.start if axis.start == axis.end else f"{axis.start} … {axis.end}"
        found.append(badge(f"{span} · {tr(f'describe.frequency.{axis.frequency}')}"))
    if roles.entity and roles.entity["panel"]:
        found.append(badge(tr("describe.card.panel", n=show(roles.entity["distinct"]))))
    if roles.ohlc:
        found.append(badge(tr("describe.card.ohlc"), "ok"))
    if roles.volume:
        found.append(badge(tr("describe.role.volume"), "ok"))
    return [*found, *_warning_badges(description.warnings)]


def _warning_badges(warnings: Sequence[Notice]) -> list[Html]:
    if not warnings:
        return []
    return [badge(tr("describe.card.warnings_count", n=len(warnings)), "warn")]


def _summary(description: Description) -> list[tuple[str, object]]:
    axis, quality, roles = description.time_axis, description.quality, description.roles
    pairs: list[tuple[str, object]] = []
    if axis:
        pairs.append((tr("describe.card.time"), _cut(axis.column)))
        pairs.append((tr("describe.card.points"), show(axis.points)))
        pairs.append((tr("describe.card.order"), tr(f"describe.order.{axis.sorted}")))
    if roles.entity:
        pairs.append((tr("describe.role.entity"), _cut(roles.entity["column"])))
    if quality.ohlc_complete is not None:
        pairs.append((tr("describe.card.bars"), show(quality.ohlc_complete)))
    pairs.append((tr("describe.card.missing_cells"), show(quality.missing_cells)))
    pairs.append((tr("describe.card.duplicate_rows"), show(quality.duplicate_rows)))
    return pairs


# columns -------------------------------------------------------------------------------------


def _columns_table(columns: Sequence[ColumnFacts]) -> Html:
    keys = ("column", "kind", "role", "nulls", "distinct", "min", "median", "max", "latest", "distribution")
    headers = [tr(f"describe.card.{key}") for key in keys]
    return table(headers, (_column_row(column) for column in columns), numeric=range(3, 9))


def _column_row(column: ColumnFacts) -> list[object]:
    unit = column.unit or ""
    name = tag("b", _cut(column.name))
    numeric = column.kind in NUMERIC
    missing = show(column.nulls + column.non_finite) if column.nulls + column.non_finite else "·"
    return [
        join([name, tag("span", f" {unit}", style="opacity:.65;")]) if unit else name,
        tr(f"describe.kind.{column.kind}"),
        tr(f"describe.role.{column.role}") if column.role else "",
        missing,
        show(column.distinct),
        _bound(column, column.min),
        _number(column.p50) if numeric else "",
        _bound(column, column.max),
        _bound(column, column.latest) if numeric else "",
        _distribution(column),
    ]


def _bound(column: ColumnFacts, value: Value) -> str:
    if column.kind in NUMERIC:
        return _number(value if isinstance(value, int | float) else None)
    # The first and last text by code point say nothing to a reader.
    return str(value) if column.kind in TEMPORAL and value is not None else ""


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return show_short(value) if abs(value) >= 1e5 else show(_six_digits(value))


def _six_digits(value: float) -> float:
    return value if isinstance(value, int) else float(f"{value:.6g}")


def _distribution(column: ColumnFacts) -> Html:
    if column.histogram:
        return _bars(column.histogram)
    if column.top:
        words = [
            tag(
                "span", _cut(word, 14), tag("span", f" {show(count)}", style="opacity:.65;"),
                style="display:inline-block;margin-right:10px;",
            )
            for word, count in column.top[:3]
        ]  # fmt: skip
        return join(words)
    if column.kind in TEMPORAL | NUMERIC or column.first is None:
        return Html("")
    examples = dict.fromkeys(
        _cut(str(value), 18) for value in (column.first, column.last) if value is not None
    )
    return tag("span", " … ".join(examples), style="opacity:.65;")


def _bars(counts: Sequence[int]) -> Html:
    top = max(counts)
    bars = [
        tag("rect", x=place * _BAR, y=round(_HEIGHT - tall, 1), width=_BAR - 1, height=round(tall, 1))
        for place, count in enumerate(counts)
        if (tall := max(_HEIGHT * count / top, 1.5 if count else 0))
    ]
    width = len(counts) * _BAR - 1
    return tag(
        "svg", *bars, viewBox=f"0 0 {width} {_HEIGHT}", width=width, height=_HEIGHT, fill="currentColor",
        fill_opacity="0.5", role="img", style="display:block;margin:1px 0;",
        aria_label=tr("describe.card.histogram_label", counts=" ".join(map(str, counts))),
    )  # fmt: skip


def _more_columns(names: Sequence[str]) -> Html:
    if not names:
        return Html("")
    text = ", ".join(_cut(name) for name in names[:200]) + (" …" if len(names) > 200 else "")
    return details(tr("describe.card.more_columns", n=show(len(names))), tag("p", text))


# the rest ------------------------------------------------------------------------------------


def _warnings(warnings: Sequence[Notice]) -> Html:
    if not warnings:
        return Html("")
    title = tr("describe.card.warnings_title", n=len(warnings))
    body = bullets(notice.message for notice in warnings)
    return details(title, body, open_=len(warnings) <= _WARNINGS_OPEN)


def _evidence(description: Description) -> Html:
    roles = description.roles
    if not roles.evidence:
        return Html("")
    rows = [(tr(f"describe.role.{role}"), text) for role, text in roles.evidence.items()]
    return details(
        tr("describe.card.evidence"),
        table([tr("describe.card.role"), tr("describe.card.why")], rows),
    )


def _head(dataset: Dataset) -> Html:
    columns = dataset.columns[:HEAD_COLUMNS]
    if not columns or not dataset.rows:
        return tag("p", tr("describe.card.no_rows"), style="opacity:.75;")
    rows = dataset.table.select(list(range(len(columns)))).slice(0, HEAD_ROWS)
    cells = [
        [
            tag("span", _cell(value, column.kind), style="white-space:nowrap;")
            for value in rows.column(place).to_pylist()
        ]
        for place, column in enumerate(columns)
    ]
    headers: list[object] = [_cut(column.name) for column in columns]
    lines: Iterable[Sequence[object]] = zip(*cells, strict=True)
    if more := len(dataset.columns) - len(columns):
        headers.append(f"+{more}")
        lines = [(*line, "…") for line in lines]
    numeric = [place for place, column in enumerate(columns) if column.kind in NUMERIC]
    caption = tr("describe.card.first_rows", n=rows.num_rows, rows=show(dataset.rows))
    return table(headers, lines, caption=caption, numeric=numeric)


def _cell(value: Any, kind: str) -> str:
    if value is None or isinstance(value, bool):
        return "—" if value is None else tr(f"describe.card.{str(value).lower()}")
    if isinstance(value, dt.date):
        return time_text(value, kind)
    if isinstance(value, int | float):
        return show(value)
    return _cut(str(value))


def _cut(text: str, most: int = _CELL_MAX) -> str:
    return text if len(text) <= most else f"{text[: most - 1]}…"
