"""The cards: what a notebook shows of a dataset and of its description."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from capital_kit._core.html import Html, badge, bullets, card, details, join, table, tag
from capital_kit._core.labels import tr
from capital_kit._core.notices import Notice
from capital_kit._core.numbers import show
from capital_kit.datasets._cards._columns import OPEN_MAX, ROWS_MAX, columns_part, names_part
from capital_kit.datasets._cards._wording import exact, share, shown
from capital_kit.datasets._description import Description, QueryOutcome, plain_cells
from capital_kit.datasets._model import NUMERIC, TEMPORAL, Column, Dataset

HEAD_ROWS = 5
HEAD_COLUMNS = 12
TITLE_MAX = 120
_WARNINGS_OPEN = 3


def description_card(description: Description) -> Html:
    """Return the card of a description: what it is, what is wrong, and column by column its facts."""
    dataset = description.dataset
    left_out = tr("describe.card.left_out", n=show(len(description.left_out)))
    reading = _reading(dataset)
    return card(
        shown(description.source.label, TITLE_MAX),
        tag("div", join(_quality(description)), style="margin:0 0 4px;"),
        columns_part(description),
        names_part(left_out, description.left_out),
        _queries(description),
        _warnings(description.warnings),
        _evidence(description),
        details(tr("describe.card.reading"), tag("p", reading)) if reading else "",
        details(_head_title(dataset), _first_rows(dataset)) if dataset.rows and dataset.columns else "",
        subtitle=tr("describe.card.fingerprint", mark=dataset.fingerprint[:8]),
        badges=_badges(description),
    )


def dataset_card(dataset: Dataset) -> Html:
    """Return the card of a dataset: how it was read, its columns and the first values of each."""
    columns = dataset.columns
    folded, named = columns[OPEN_MAX:ROWS_MAX], columns[ROWS_MAX:]
    return card(
        shown(dataset.source.label, TITLE_MAX),
        _first_values(dataset, columns[:OPEN_MAX], 0) if columns else "",
        "" if dataset.rows else tag("p", tr("describe.card.no_rows"), style="opacity:.75;"),
        details(
            tr("describe.card.more_columns", n=show(len(folded))), _first_values(dataset, folded, OPEN_MAX)
        )
        if folded
        else "",
        names_part(tr("describe.card.names_only", n=show(len(named))), [column.name for column in named]),
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
        source.row_key and tr("describe.card.row_key", name=source.row_key),
        source.skip_top and tr("describe.card.skip_top", n=source.skip_top),
        (source.header_rows or 1) > 1 and tr("describe.card.header_rows", n=source.header_rows),
        source.total_rows and tr("describe.card.total_rows", n=source.total_rows),
        source.skip_bottom and tr("describe.card.skip_bottom", n=source.skip_bottom),
        tr("describe.card.document") if dataset.shape == "document" else None,
    ]
    return " · ".join(shown(part) for part in parts if part)


def _badges(description: Description) -> list[Html]:
    axis, roles = description.time_axis, description.roles
    found = [badge(_size(description.dataset))]
    if axis:
        period = axis.start if axis.start == axis.end else f"{axis.start} … {axis.end}"
        points = tr("describe.card.points", n=show(axis.points))
        found.append(badge(f"{period} · {tr(f'describe.frequency.{axis.frequency}')} · {points}"))
    if roles.entity and roles.entity["panel"]:
        found.append(badge(tr("describe.card.panel", n=show(roles.entity["distinct"]))))
    if roles.ohlc:
        found.append(badge(tr("describe.card.ohlc"), "ok"))
    if roles.volume:
        found.append(badge(tr("describe.role.volume"), "ok"))
    return found


def _quality(description: Description) -> Iterator[Html]:
    """Yield what is wrong, each with its count; one word of comfort if the cells are complete."""
    quality, axis, columns = description.quality, description.time_axis, description.columns
    key = quality.key or {}
    if quality.missing_cells:
        part = share(quality.missing_cells, description.rows * len(description.dataset.columns))
        yield badge(tr("describe.card.missing_cells", n=show(quality.missing_cells), share=part), "warn")
    counts = {
        "empty_columns": sum(not column.count for column in columns) if description.rows else 0,
        "constant_columns": sum(column.constant for column in columns) if description.rows > 1 else 0,
        "duplicate_rows": quality.duplicate_rows,
        "duplicate_key": key.get("duplicate_rows"),
        "missing_key": key.get("missing_rows"),
        "ohlc_violations": quality.ohlc_violations,
        "not_sorted": axis and axis.sorted == "no",
        "gaps": axis and axis.gaps,
    }
    for name, count in counts.items():
        if count:
            yield badge(tr(f"describe.card.{name}", n=show(int(count))), "warn")
    yield from _warning_badges(description.warnings)
    if description.rows and not quality.missing_cells and not quality.duplicate_rows:
        yield badge(tr("describe.card.nothing_missing"), "ok")


def _warning_badges(warnings: Sequence[Notice]) -> list[Html]:
    if not warnings:
        return []
    return [badge(tr("describe.card.warnings_count", n=len(warnings)), "warn")]


# what folds away -----------------------------------------------------------------------------


def _warnings(warnings: Sequence[Notice]) -> Html:
    if not warnings:
        return Html("")
    title = tr("describe.card.warnings_title", n=len(warnings))
    body = bullets(shown(notice.message, 1000) for notice in warnings)
    return details(title, body, open_=len(warnings) <= _WARNINGS_OPEN)


def _evidence(description: Description) -> Html:
    roles = description.roles
    if not roles.evidence:
        return Html("")
    rows = [
        (tr(f"describe.role.{role}"), f"{roles.confidence[role]:.0%}" if role in roles.confidence else "—",
         shown(text, 300))
        for role, text in roles.evidence.items()
    ]  # fmt: skip
    headers = [tr(f"describe.card.{key}") for key in ("role", "confidence", "why")]
    return details(tr("describe.card.evidence"), table(headers, rows, numeric=[1]))


def _queries(description: Description) -> Html:
    if not description.queries:
        return Html("")
    title = tr("describe.card.queries", n=len(description.queries))
    return details(title, *map(_outcome, description.queries), open_=True)


def _outcome(outcome: QueryOutcome) -> Html:
    if outcome.error is None:
        card_of_result: Html = outcome.result._card()
        return card_of_result
    words = shown(f"{outcome.error['detail']} {outcome.error.get('hint', '')}", 400)
    return tag("p", tr("describe.card.query_failed", n=outcome.index + 1, detail=words))


# first rows ----------------------------------------------------------------------------------


def _head_title(dataset: Dataset) -> str:
    return tr("describe.card.first_rows", n=min(dataset.rows, HEAD_ROWS), rows=show(dataset.rows))


def _first_rows(dataset: Dataset) -> Html:
    columns = dataset.columns[:HEAD_COLUMNS]
    headers: list[object] = [shown(column.name) for column in columns]
    lines: Iterable[Sequence[object]] = zip(
        *(_first_cells(dataset, column, place) for place, column in enumerate(columns)), strict=True
    )
    if more := len(dataset.columns) - len(columns):
        headers.append(f"+{more}")
        lines = [(*line, "…") for line in lines]
    numeric = [place for place, column in enumerate(columns) if column.kind in NUMERIC]
    return table(headers, lines, numeric=numeric)


def _first_values(dataset: Dataset, columns: Sequence[Column], start: int) -> Html:
    units = any(column.unit for column in columns)
    written = any(column.header != column.name for column in columns)
    count = min(dataset.rows, HEAD_ROWS)
    keys = ["column", "kind", *(["unit"] if units else []), *(["header"] if written else [])]
    headers = [tr(f"describe.card.{key}") for key in keys]
    headers += [tr("describe.card.row", n=n + 1) for n in range(count)]
    rows = [
        [
            *(tag("span", word, style="white-space:nowrap;") for word in _about(column, units, written)),
            *_first_cells(dataset, column, start + place),
        ]
        for place, column in enumerate(columns)
    ]
    return table(headers, rows, caption=tr("describe.card.first_values", n=count) if count else "")


def _about(column: Column, units: bool, written: bool) -> Iterator[object]:
    yield tag("b", shown(column.name))
    yield tr(f"describe.kind.{column.kind}")
    if units:
        yield shown(column.unit or "", 12)
    if written:
        yield shown(column.header if column.header != column.name else "")


def _first_cells(dataset: Dataset, column: Column, place: int) -> list[Html]:
    first = dataset.first_rows(HEAD_ROWS).column(place)
    values = plain_cells(first, column.kind) if column.kind in TEMPORAL else first.to_pylist()
    return [tag("span", _cell(value), style="white-space:nowrap;") for value in values]


def _cell(value: Any) -> str:
    if value is None or isinstance(value, bool):
        return "—" if value is None else tr(f"describe.card.{str(value).lower()}")
    return exact(value, 15) if isinstance(value, int | float) else shown(value)
