"""What a card says in words about one column: what it contains, and on demand all else."""

from __future__ import annotations

from collections.abc import Iterator

from capital_kit._core.html import Html, join, tag
from capital_kit._core.labels import tr
from capital_kit._core.numbers import show
from capital_kit.datasets._cards._wording import exact, share, shown
from capital_kit.datasets._description import ColumnFacts, TimeAxis, TimeWindow, Value
from capital_kit.datasets._model import NUMERIC, TEMPORAL, Kind

FAINT = "opacity:.7;"
_TOP_WORDS = 3
_VALUE_MAX = 24
_MARK = " · "


def contents(column: ColumnFacts, axis: TimeAxis | None) -> Html:
    """Return what a column that holds no numbers contains, in one line."""
    if not column.count:
        return tag("span", tr("describe.card.nothing"), style=FAINT)
    if column.kind in TEMPORAL:
        return join([_MARK.join(_times(column, axis))])
    if column.top:
        words = [
            tag(
                "span",
                f"{value_text(word, column.kind)} ",
                tag("span", share(count, column.count), style=FAINT),
            )
            for word, count in column.top[:_TOP_WORDS]
        ]
    else:
        samples = dict.fromkeys(v for v in (column.first, column.last) if v is not None)
        words = [tag("span", " … ".join(value_text(sample, column.kind) for sample in samples))]
    said = [*words, tag("span", _distinct(column), style=FAINT)]
    return join([said[0], *(part for word in said[1:] for part in (_MARK, word))])


def _times(column: ColumnFacts, axis: TimeAxis | None) -> Iterator[str]:
    yield str(column.min) if column.min == column.max else f"{column.min} … {column.max}"
    yield _distinct(column)
    if axis is None or axis.column != column.name:
        return
    if axis.sorted != "ascending":
        yield tr(f"describe.order.{axis.sorted}")
    if axis.timezone:
        yield axis.timezone
    if axis.sessions:
        yield tr("describe.card.sessions", spans=[f"{begin}–{end}" for begin, end in axis.sessions])
    if axis.bars_per_day is not None:
        yield tr("describe.card.bars_per_day", n=exact(axis.bars_per_day))


def _distinct(column: ColumnFacts) -> str:
    if column.distinct == column.count > 1:
        return tr("describe.card.all_distinct", n=show(column.distinct))
    return tr("describe.card.distinct_values", n=show(column.distinct))


def value_text(value: Value, kind: Kind = "text") -> str:
    """Return one value as a card shows it; a frequent value of a boolean column is a text."""
    if isinstance(value, bool) or kind == "boolean":
        return tr(f"describe.card.{str(value).lower()}")
    return exact(value) if isinstance(value, int | float) else shown(value, _VALUE_MAX)


def more_facts(column: ColumnFacts, axis: TimeAxis | None) -> Html:
    """Return the facts that fold away under a column's name; empty markup if there are no more."""
    pairs = [
        tag("span", tag("span", f"{name} ", style=FAINT), value)
        for name, value in [*_quantiles(column), *_counts(column), *_ends(column)]
    ]
    grid = "display:grid;grid-template-columns:repeat(2,auto);gap:0 14px;"
    blocks = [tag("div", line) for line in _lines(column, axis)]
    if pairs:
        blocks.insert(0, tag("div", join(part for pair in pairs for part in (pair, " ")), style=grid))
    return tag("div", *blocks, style="font-size:.9em;padding-left:1em;") if blocks else Html("")


def _quantiles(column: ColumnFacts) -> Iterator[tuple[str, str]]:
    # In pairs, as the grid sets them: the ends, nearer to them, the quarters.
    found = {
        "p01": column.p01, "p99": column.p99, "p05": column.p05, "p95": column.p95, "p25": column.p25,
        "p75": column.p75,
    }  # fmt: skip
    for name, value in found.items():
        if value is not None and not column.constant:
            yield name, exact(value)


def _counts(column: ColumnFacts) -> Iterator[tuple[str, str]]:
    counts = {
        "distinct": column.distinct if column.kind in NUMERIC else None,
        "points_of": column.points,
        "zeros": column.zeros,
        "negatives": column.negatives,
        "outliers": column.outliers,
        "non_finite": column.non_finite or None,
        "sum": column.sum,
        "unit_scale": column.unit_scale,
    }
    for name, value in counts.items():
        if value is not None and column.count:
            yield tr(f"describe.card.{name}"), exact(value)
    if column.length_min is not None and column.length_max is not None:
        low, high = show(column.length_min), show(column.length_max)
        yield tr("describe.card.lengths"), low if low == high else f"{low}–{high}"


def _ends(column: ColumnFacts) -> Iterator[tuple[str, str]]:
    """Yield the ends in file order, and the earliest number; the latest stands in the row itself."""
    for name, value in {"first": column.first, "last": column.last, "earliest": column.earliest}.items():
        if value is not None:
            yield tr(f"describe.card.{name}"), value_text(value, column.kind)


def _lines(column: ColumnFacts, axis: TimeAxis | None) -> Iterator[str]:
    if column.header != column.name:
        yield f"{tr('describe.card.header')} {shown(column.header, 80)}"
    if column.top:
        values = [f"{value_text(word, column.kind)} × {show(count)}" for word, count in column.top]
        yield tr("describe.card.top", values=values)
    if axis and axis.column == column.name:
        yield from map(_window, axis.windows)
    if column.null_tokens:
        tokens = [f"{shown(word, _VALUE_MAX)} × {show(n)}" for word, n in column.null_tokens.items()]
        yield tr("describe.card.null_tokens", tokens=tokens)
    if column.approx:
        errors = [f"{name} ±{error:.2g}" for name, error in column.approx.items()]
        yield tr("describe.card.approx", errors=errors)


def _window(window: TimeWindow) -> str:
    name, points = tr(f"describe.window.{window.name}"), show(window.points)
    if window.complete:
        return tr("describe.card.window", name=name, start=window.start, points=points)
    return tr("describe.card.window_short", name=name, start=window.start, points=points)
