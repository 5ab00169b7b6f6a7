"""The plain facts on which the visualization gate decides."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Literal

from capital_kit._core.normalise import normalise

if TYPE_CHECKING:
    from capital_kit.datasets._description import ColumnFacts, Description, TimeAxis

OHLC = ("open", "high", "low", "close")
NUMERIC_KINDS = frozenset({"number", "integer", "percent"})

# A cell longer than this is read, not used as a label on an axis.
_LABEL_LENGTH = 20
# From four weeks on, neighbouring times are periods to compare and not a running series.
_PERIOD_DAYS = 28.0
_NOT_MEASURED = frozenset({"time", "entity", "id", "code", "flag"})
_RANK_WORDS = re.compile(r"排名|名次|位次|序号|(?<![a-z])rank(?:ing)?(?![a-z])")
_PRICE_WORDS = {
    "open": ("开盘价", "开盘", "open"),
    "high": ("最高价", "high"),
    "low": ("最低价", "low"),
    "close": ("收盘价", "收盘", "股价", "close", "price"),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Measure:
    """One numeric column that may be drawn.

    ``points`` counts distinct x with a value; ``order`` says that the column holds places in an
    order, as a rank does, or only numbers the rows from 1 on.
    """

    name: str
    kind: str = "number"
    unit: str | None = None
    count: int
    points: int
    constant: bool = False
    order: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Category:
    """One column of labels and how many different ones it holds."""

    name: str
    groups: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparable:
    """Measures that may share one scale, with the number of x at which all have a value."""

    columns: tuple[str, ...]
    shared_points: int


@dataclass(frozen=True, slots=True, kw_only=True)
class GateFacts:
    """All that the gate knows of a dataset: counts and names, no values.

    Attributes
    ----------
    shape : {"rows", "document", "none"}
        ``none`` where there is not even a column.
    time, time_share : str or None, float
        The column of the time axis and the share of rows that state a time.
    covered : tuple of str or None
        The first and the last time.
    periods, periodic : int, bool
        Distinct times, and whether they are periods such as months, quarters or years.
    entity, entities, panel : str or None, int, bool
        The column that tells the instruments apart, how many they are, and whether their rows
        share one time axis.
    ohlc_found : tuple of str
        Which of open, high, low and close there are, also where they make no set.
    numeric_lists : bool
        A document holds lists of numbers.
    spoken : mapping of str to str
        Words for columns, as a question may use them.
    """

    shape: Literal["rows", "document", "none"] = "rows"
    rows: int = 0
    columns: int = 0
    time: str | None = None
    time_share: float = 0.0
    covered: tuple[str, str] | None = None
    periods: int = 0
    periodic: bool = False
    entity: str | None = None
    entities: int = 0
    panel: bool = False
    measures: tuple[Measure, ...] = ()
    ohlc: Mapping[str, str] | None = None
    ohlc_rows: int = 0
    ohlc_found: tuple[str, ...] = ()
    volume: str | None = None
    categories: tuple[Category, ...] = ()
    comparables: tuple[Comparable, ...] = ()
    has_text: bool = False
    numeric_lists: bool = False
    spoken: Mapping[str, str] = field(default_factory=dict)

    def measure(self, name: str) -> Measure | None:
        """Return one measure or None."""
        return next((measure for measure in self.measures if measure.name == name), None)

    @property
    def numbers(self) -> int:
        """The number of numeric cells."""
        return sum(measure.count for measure in self.measures)


def facts_of(description: Description) -> GateFacts:
    """Return the facts that the gate needs.

    Parameters
    ----------
    description : Description
        What ``describe_dataset`` found.

    Returns
    -------
    GateFacts
        Names and counts; no value of the data.
    """
    dataset, roles = description.dataset, description.roles
    if not description.columns:
        return GateFacts(shape="none")
    if dataset.shape == "document":
        paths = dataset.table.column(0).to_pylist()
        values = dataset.table.column(dataset.table.num_columns - 1).to_pylist()
        return GateFacts(
            shape="document", rows=description.rows, numeric_lists=_numeric_lists(paths, values)
        )  # fmt: skip
    axis = description.time_axis
    entity = str(roles.entity["column"]) if roles.entity else None
    ohlc = dict(roles.ohlc) if roles.ohlc and all(roles.ohlc.get(part) for part in OHLC) else None
    measures = tuple(_measures(description, axis, entity))
    return GateFacts(
        rows=description.rows,
        columns=len(description.columns),
        time=axis.column if axis else roles.time,
        time_share=1 - axis.nulls / description.rows if axis and description.rows else 0.0,
        covered=(axis.start, axis.end) if axis else None,
        periods=axis.points if axis else 0,
        periodic=axis is not None and _is_periodic(axis),
        entity=entity,
        entities=int(roles.entity.get("distinct", 0)) if roles.entity else 0,
        panel=bool(roles.entity and roles.entity.get("panel", roles.entity.get("distinct", 0) > 1)),
        measures=measures,
        ohlc=ohlc,
        ohlc_rows=_complete_bars(description, ohlc),
        ohlc_found=_prices_found(description, ohlc),
        volume=roles.volume,
        categories=tuple(_categories(description)),
        comparables=tuple(_comparables(description, ohlc, {m.name for m in measures if not m.constant})),
        has_text=any(column.kind == "text" for column in description.columns),
        spoken=_spoken(description, ohlc),
    )


def _is_periodic(axis: TimeAxis) -> bool:
    named = {axis.kind, axis.frequency} & {"month", "quarter", "year"}
    return bool(named) or (axis.median_step_days or 0) >= _PERIOD_DAYS


def _measures(description: Description, axis: TimeAxis | None, entity: str | None) -> Iterable[Measure]:
    left_out = {entity, axis.column if axis else None, description.roles.time}
    for column in description.columns:
        if column.kind not in NUMERIC_KINDS or column.name in left_out or column.role in _NOT_MEASURED:
            continue
        points = column.points if axis and column.points is not None else column.count
        if column.count:
            # One value is constant by nature, which says nothing about the column.
            yield Measure(
                name=column.name, kind=column.kind, unit=column.unit, count=column.count, points=points,
                constant=column.constant and column.count > 1, order=_is_order(column),
            )  # fmt: skip


def _is_order(column: ColumnFacts) -> bool:
    if column.kind != "integer":
        return False
    numbered = column.min == 1 and column.max == column.count == column.distinct
    return numbered or bool(_RANK_WORDS.search(column.name.lower()))


def _complete_bars(description: Description, ohlc: Mapping[str, str] | None) -> int:
    if ohlc is None:
        return 0
    if description.quality.ohlc_complete is not None:
        return description.quality.ohlc_complete
    return min(description.column(name).count for name in ohlc.values())


def _prices_found(description: Description, ohlc: Mapping[str, str] | None) -> tuple[str, ...]:
    if ohlc:
        return OHLC
    found = {column.role for column in description.columns if column.kind in NUMERIC_KINDS}
    found |= {part for part, name in (description.roles.ohlc or {}).items() if name}
    return tuple(part for part in OHLC if part in found)


def _categories(description: Description) -> Iterable[Category]:
    """Yield the labels, best first: what the roles call categories, then names, then codes."""
    entity = description.roles.entity and description.roles.entity["column"]
    named = [name for name in description.roles.categories if description.column(name).distinct >= 2]
    labels = [c for c in description.columns if c.name not in named and _is_label(c) and c.distinct >= 2]
    labels.sort(key=lambda column: (column.kind == "code", column.name == entity))
    for column in [*map(description.column, named), *labels]:
        yield Category(name=column.name, groups=column.distinct)


def _is_label(column: ColumnFacts) -> bool:
    """Tell labels from prose, by the most frequent texts or, where none repeats, the outer ones."""
    if column.kind in {"category", "code", "boolean"}:
        return True
    texts = [text for text, _ in column.top or ()] or [str(column.first), str(column.last)]
    return column.kind == "text" and all(len(text) <= _LABEL_LENGTH for text in texts)


def _comparables(
    description: Description, ohlc: Mapping[str, str] | None, measures: set[str]
) -> Iterable[Comparable]:
    """Yield the groups of series; the four prices of a bar are one measure, its close."""
    inner = {ohlc[part] for part in ("open", "high", "low")} if ohlc else set()
    for group in description.series_groups:
        columns = tuple(name for name in group.columns if name in measures and name not in inner)
        if columns:
            yield Comparable(columns=columns, shared_points=group.shared_points)


def _spoken(description: Description, ohlc: Mapping[str, str] | None) -> dict[str, str]:
    words: dict[str, str] = {}
    for part, name in (ohlc or {}).items():
        words |= dict.fromkeys(_PRICE_WORDS[part], name)
    for column in description.columns:
        words |= {normalise(word).text.strip(): column.name for word in (column.header, column.name)}
    return words


def _numeric_lists(paths: Iterable[object], values: Iterable[object]) -> bool:
    """Tell whether a document holds at least two numbers under one path of a list."""
    seen: set[str] = set()
    for path, value in zip(paths, values, strict=True):
        pattern = re.sub(r"\[\d+\]|(?<=\.)\d+(?=\.|$)", "[]", str(path))
        if "[]" not in pattern or not _is_number(value):
            continue
        if pattern in seen:
            return True
        seen.add(pattern)
    return False


def _is_number(value: object) -> bool:
    if isinstance(value, bool) or value is None:
        return False
    return bool(re.fullmatch(r"\s*[-+]?\d[\d,]*(\.\d+)?([eE][-+]?\d+)?\s*", str(value)))
