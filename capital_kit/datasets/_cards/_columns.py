"""The heart of a description's card: one row a column, with its pictures and the facts of its kind."""

from __future__ import annotations

import re
from collections.abc import Sequence

from capital_kit._core.html import BORDER, Html, details, join, table_frame, tag
from capital_kit._core.labels import tr
from capital_kit._core.numbers import show
from capital_kit.datasets._cards._column_facts import FAINT, contents, more_facts, value_text
from capital_kit.datasets._cards._pictures import bars, gauge, line, shares, span
from capital_kit.datasets._cards._wording import exact, number, share, shown
from capital_kit.datasets._description import ColumnFacts, Description, Value
from capital_kit.datasets._model import NUMERIC, TEMPORAL

OPEN_MAX = 40
ROWS_MAX = 200
NAMES_MAX = 2000
_RANK = {
    "time": 0, "entity": 1, "open": 2, "high": 2, "low": 2, "close": 2, "volume": 3, "amount": 3,
    "measure": 4, "category": 5,
}  # fmt: skip
# A long name takes a second line, a short one never breaks; a notebook that is not trusted knows no
# max-content, and there the least width keeps names from standing upright.
_NAME = "font-weight:normal;width:max-content;min-width:8em;max-width:17em;overflow-wrap:anywhere;"
_CELL = "padding:3px 10px 3px 0;vertical-align:top;border:0;"
_LENGTHS = {"date": 1 / 372, "month": 1 / 12, "quarter": 1 / 4, "year": 1}
"""Of a day, a month, a quarter and a year, in years as :func:`moment` counts them."""
_NAMES_COLUMN = "font-weight:600;white-space:nowrap;"
_LEFT, _RIGHT = f"{_CELL}text-align:left;", f"{_CELL}text-align:right;white-space:nowrap;"


def columns_part(description: Description) -> Html:
    """Return the table of the columns, the telling ones first where there are many."""
    columns = description.columns
    if not columns:
        return Html("")
    if len(columns) <= OPEN_MAX:
        return _table(description, columns, tr("describe.card.open_a_name") if description.rows else "")
    ranked = telling(columns)
    folded, named = ranked[OPEN_MAX:ROWS_MAX], ranked[ROWS_MAX:]
    first = tr("describe.card.telling", n=OPEN_MAX, all=show(len(columns)))
    more = tr("describe.card.more_columns", n=show(len(folded)))
    return join([
        _table(description, ranked[:OPEN_MAX], first),
        details(more, _table(description, folded, "")) if folded else "",
        names_part(tr("describe.card.names_only", n=show(len(named))), [column.name for column in named]),
    ])  # fmt: skip


def names_part(title: str, names: Sequence[str]) -> Html:
    """Return names that fold away; beyond 2,000 only their number."""
    if not names:
        return Html("")
    words = [shown(name) for name in names[:NAMES_MAX]]
    if left := len(names) - len(words):
        words.append(tr("describe.card.names_left", n=show(left)))
    return details(title, tag("p", ", ".join(words), style="overflow-wrap:anywhere;"))


def telling(columns: Sequence[ColumnFacts]) -> list[ColumnFacts]:
    """Return the columns, those first that say most: roles, measures, categories, then the others.

    Columns that are more than half empty, hold one value or none come last; within a rank the order
    is the file's.
    """
    return sorted(columns, key=_rank)


def _rank(column: ColumnFacts) -> int:
    rank = _RANK.get(column.role or "", 6)
    if rank < 4:
        return rank
    if not column.count:
        return 9
    return 8 if column.constant else 7 if column.nulls + column.non_finite > column.count else rank


# the table -----------------------------------------------------------------------------------


def _table(description: Description, columns: Sequence[ColumnFacts], caption: str) -> Html:
    rows = _Rows(description, columns)
    head = [
        tag("th", tr(f"describe.card.{key}"), scope="col", style=f"{rows.align(key)}{_NAMES_COLUMN}")
        for key in rows.keys
    ]
    return table_frame(tag("tr", *head), join(map(rows.row, columns)), caption=caption, look="ck-columns")


class _Rows:
    """The rows of one table: which cells they have, and what the pictures are measured against."""

    def __init__(self, description: Description, columns: Sequence[ColumnFacts]) -> None:
        self.axis = description.time_axis
        self.period = _period(description.columns)
        numeric = [column for column in columns if column.kind in NUMERIC]
        facts = ["min", "median", "max", "mean", "std"] if numeric else ["contents"]
        if any(column.latest is not None for column in numeric):
            facts.insert(0, "latest")
        course = ["course"] if any(column.trend for column in columns) else []
        self.facts = facts
        self.keys = ["column", *course, "distribution", "nulls", *facts]

    def align(self, key: str) -> str:
        return _RIGHT if key in self.facts and key != "contents" else _LEFT

    def row(self, column: ColumnFacts) -> Html:
        cells = [tag("td", _course(column), style=_LEFT)] if "course" in self.keys else []
        cells.append(tag("td", self._distribution(column), style=_LEFT))
        cells.append(tag("td", _missing(column), style=_LEFT))
        if column.kind in NUMERIC and column.count:
            values = _values(column)
            cells += [tag("td", values[key], style=_RIGHT) for key in self.facts]
        else:
            said = contents(column, self.axis)
            cells.append(
                tag("td", said, style=_LEFT, colspan=len(self.facts) if len(self.facts) > 1 else None)
            )
        return tag("tr", self._name(column), *cells, style=f"border-top:1px solid {BORDER};")

    def _name(self, column: ColumnFacts) -> Html:
        unit = tag("span", f" {shown(column.unit, 12)}", style=FAINT) if column.unit else ""
        words = [tr(f"describe.kind.{column.kind}")]
        if column.role:
            words.append(tr(f"describe.role.{column.role}"))
        kind = tag(
            "span", " · ".join(dict.fromkeys(words)), style="opacity:.85;font-size:.9em;display:block;"
        )
        name = tag("b", shown(column.name))
        folded = more_facts(column, self.axis)
        if not folded:
            return tag("th", tag("div", name, unit, kind, style=_NAME), scope="row", style=_LEFT)
        title = tag("summary", name, unit, kind, style="cursor:pointer;")
        return tag("th", tag("details", title, folded, style=_NAME), scope="row", style=_LEFT)

    def _distribution(self, column: ColumnFacts) -> Html:
        if column.histogram:
            counts = " ".join(map(str, column.histogram))
            return bars(column.histogram, tr("describe.card.histogram_label", counts=counts))
        if column.kind in TEMPORAL and column.count:
            return self._span(column)
        if column.constant:
            return tag("span", tr("describe.card.constant"), style=FAINT)
        if column.top:
            told = [
                f"{value_text(word, column.kind)} {share(count, column.count)}" for word, count in column.top
            ]
            return shares(
                [count for _, count in column.top],
                column.count,
                tr("describe.card.shares_label", shares=told),
            )
        return Html("")

    def _span(self, column: ColumnFacts) -> Html:
        start, end = (_share_of(end, self.period) for end in _ends(column))
        gap = self.axis.largest_gap if self.axis and self.axis.column == column.name else None
        hole = (
            (_share_of(moment(gap[0]), self.period), _share_of(moment(gap[1]), self.period)) if gap else None
        )
        label = tr("describe.card.span_label", start=column.min, end=column.max)
        if gap:
            label += tr("describe.card.span_gap", start=gap[0], end=gap[1])
        return span(start, end, label, hole)


def _course(column: ColumnFacts) -> Html:
    stated = [value for value in column.trend or () if value is not None]
    if column.trend is None or not stated:
        return Html("")
    label = tr(
        "describe.card.course_label", n=len(column.trend), first=exact(stated[0]), last=exact(stated[-1]),
        low=exact(min(stated)), high=exact(max(stated)),
    )  # fmt: skip
    return line(column.trend, label)


def _missing(column: ColumnFacts) -> Html:
    missing = column.nulls + column.non_finite
    if not missing:
        return tag("span", "0", style=FAINT)
    rows = column.count + missing
    text = f"{show(missing)} ({share(missing, rows)})"
    return join([
        tag("span", text, style="white-space:nowrap;"),
        gauge(missing, rows, tr("describe.card.missing_label", share=share(missing, rows))),
    ])  # fmt: skip


def _values(column: ColumnFacts) -> dict[str, str]:
    found: dict[str, Value] = {
        "min": column.min, "median": column.p50, "max": column.max, "mean": column.mean, "std": column.std,
        "latest": column.latest,
    }  # fmt: skip
    # A magnitude word before a unit that is one itself, 11.05万 of 万元, would be read wrongly.
    short = (column.unit_scale or 1) <= 1
    digits = {"mean": 5, "std": 5}
    return {key: number(value, digits.get(key, 6), short=short) for key, value in found.items()}


# times ---------------------------------------------------------------------------------------


def moment(text: Value) -> float:
    """Return where ISO text (``2024``, ``2024Q1``, ``2024-01-02 09:30``) lies, in years."""
    digits = [int(part) for part in re.findall(r"\d+", str(text))[:5]]
    year, *rest = digits or [0]
    if "Q" in str(text):
        return year + (rest[0] - 1) / 4 if rest else float(year)
    month, day, hour, minute = [*rest, *(1, 1, 0, 0)[len(rest) :]]
    return year + (month - 1 + (day - 1 + (hour + minute / 60) / 24) / 31) / 12


def _period(columns: Sequence[ColumnFacts]) -> tuple[float, float]:
    """Return the stretch of time that all columns of times take together."""
    ends = [_ends(column) for column in columns if column.kind in TEMPORAL and column.count]
    return (min(start for start, _ in ends), max(end for _, end in ends)) if ends else (0, 0)


def _ends(column: ColumnFacts) -> tuple[float, float]:
    """Return where a column of times begins and ends; its last day, month or year counts as a whole."""
    return moment(column.min), moment(column.max) + _LENGTHS.get(column.kind, 0)


def _share_of(value: float, period: tuple[float, float]) -> float:
    start, end = period
    return (value - start) / (end - start) if end > start else 0.5
