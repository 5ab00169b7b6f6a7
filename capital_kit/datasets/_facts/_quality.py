"""What is wrong with the rows: repetitions, impossible bars, jumps; and the warnings about it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from capital_kit._core.notices import Notice
from capital_kit._core.numbers import show
from capital_kit.datasets._cells._headers import is_named
from capital_kit.datasets._cells._times import parse_time
from capital_kit.datasets._cells._typed import examples
from capital_kit.datasets._description import ColumnFacts, Quality, Roles, TimeAxis
from capital_kit.datasets._facts._doubts import (
    far_values,
    many_labels,
    price_jumps,
    scale_changes,
    stray_times,
    units_by_row,
)
from capital_kit.datasets._facts._kernel import Measured
from capital_kit.datasets._facts._roles import OHLC, is_row_number, ohlc_order
from capital_kit.datasets._facts._rows import key_repeats
from capital_kit.datasets._facts._time_axis import RowOrder
from capital_kit.datasets._model import NUMERIC

Array = npt.NDArray[Any]

EXAMPLES = 5
WARNINGS_MAX = 32
_NAMES_MAX = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Subject:
    """What quality is judged on: the measured columns and what was found out about them."""

    rows: int
    columns: Mapping[str, Measured]
    roles: Roles
    time_axis: TimeAxis | None = None
    order: RowOrder | None = None

    @property
    def facts(self) -> list[ColumnFacts]:
        """The facts, column by column."""
        return [measured.facts for measured in self.columns.values()]

    @property
    def panel(self) -> bool:
        """Whether several entities share the times."""
        return bool(self.roles.entity and self.roles.entity["panel"])


def judge(subject: Subject, primary_key: Sequence[str] | None) -> Quality:
    """Return what is wrong with the rows."""
    key = _key(subject, primary_key)
    complete, wrong, examples = _bars(subject)
    unique = key is not None and not key["duplicate_rows"] and not key["missing_rows"]
    return Quality(
        missing_cells=sum(facts.nulls for facts in subject.facts),
        duplicate_rows=0 if unique else duplicate_rows(list(subject.columns.values()), subject.rows),
        key=key,
        ohlc_complete=complete,
        ohlc_violations=wrong,
        ohlc_examples=examples,
    )


def _key(subject: Subject, primary_key: Sequence[str] | None) -> dict[str, Any] | None:
    names = list(primary_key or ())
    if not names and subject.time_axis:
        entity = [subject.roles.entity["column"]] if subject.roles.entity else []
        names = [*entity, subject.time_axis.column]
    if not names:
        return None
    if subject.order and set(names) == set(subject.order.key):
        found = subject.order.repeats
    else:
        found = key_repeats([subject.columns[name] for name in names])
    return {"columns": tuple(names), "duplicate_rows": found.rows, "missing_rows": found.missing}


def duplicate_rows(columns: Sequence[Measured], rows: int) -> int:
    """Return how many rows equal an earlier row in every cell.

    Rows are compared by a hash of all cells first; rows whose hashes meet are compared in full.
    """
    if not columns or any(m.facts.distinct == rows for m in columns):
        return 0
    parts = [part for measured in columns for part in _cells(measured)]
    mixed = np.zeros(rows, np.uint64)
    for part in parts:
        mixed ^= part.view(np.uint64)
        mixed *= np.uint64(0x9E3779B97F4A7C15)
        mixed ^= mixed >> np.uint64(29)
    ordered = np.sort(mixed)
    met = ordered[1:][ordered[1:] == ordered[:-1]]
    if len(met) == 0:
        return 0
    suspects = np.flatnonzero(np.isin(mixed, met))
    same = np.zeros(len(suspects), np.int64)
    for part in parts:
        _, codes = np.unique(part[suspects], return_inverse=True)
        _, same = np.unique(same * (int(codes.max()) + 1) + codes, return_inverse=True)
    return len(suspects) - (int(same.max()) + 1)


def _cells(measured: Measured) -> list[Array]:
    """Return a column as 64-bit integers that are equal where the cells are."""
    values = measured.values
    if values.dtype.kind == "f":
        # Adding zero makes one zero of two; a NaN keeps no sign.
        bits = np.where(np.isnan(values), np.nan, values + 0.0).view(np.int64)
    else:
        bits = np.ascontiguousarray(values, np.int64)
    if measured.nulls is None:
        return [bits]
    return [np.where(measured.nulls, 0, bits), measured.nulls.astype(np.int64)]


def _bars(subject: Subject) -> tuple[int | None, int | None, tuple[tuple[int, str], ...]]:
    if subject.roles.ohlc is None:
        return None, None, ()
    prices = {role: subject.columns[name] for role, name in subject.roles.ohlc.items()}
    complete, wrong = ohlc_order(prices)
    rows = np.flatnonzero(wrong)
    examples = tuple(
        (int(row), ", ".join(f"{role} {show(prices[role].values[row].item())}" for role in OHLC))
        for row in rows[:EXAMPLES]
    )
    return int(np.count_nonzero(complete)), len(rows), examples


# warnings ------------------------------------------------------------------------------------


def warn(subject: Subject, quality: Quality) -> list[Notice]:
    """Return the warnings about the rows and columns, the gravest first."""
    if subject.rows == 0:
        return [Notice("datasets", "no_rows")]
    return [
        *_price_warnings(subject, quality),
        *scale_changes(subject),
        *_time_warnings(subject),
        *stray_times(subject),
        *_row_warnings(subject, quality),
        *far_values(subject),
        *units_by_row(subject),
        *_column_warnings(subject),
        *many_labels(subject),
    ]


def warn_of_facts(subject: Subject, quality: Quality) -> list[Notice]:
    """Return the warnings that need no rows, only facts about them."""
    return [
        *_time_warnings(subject),
        *_row_warnings(subject, quality),
        *_column_warnings(subject),
        *many_labels(subject),
    ]


def capped(notices: Sequence[Notice]) -> tuple[Notice, ...]:
    """Return at most 32 different warnings, then one that counts the rest."""
    notices = tuple(dict.fromkeys(notices))  # an empty table is noticed by the reader too
    if len(notices) <= WARNINGS_MAX:
        return notices
    rest = Notice("describe", "warnings_capped", count=len(notices) - WARNINGS_MAX, shown=WARNINGS_MAX)
    return (*notices[:WARNINGS_MAX], rest)


def impossible_bars(quality: Quality) -> list[Notice]:
    """Return the warning about bars whose high or low contradicts open and close."""
    if not quality.ohlc_violations:
        return []
    row, example = quality.ohlc_examples[0]
    return [
        Notice("describe", "ohlc_inconsistent", count=quality.ohlc_violations,
               rows=quality.ohlc_complete, row=row, example=example)
    ]  # fmt: skip


def _price_warnings(subject: Subject, quality: Quality) -> list[Notice]:
    found = impossible_bars(quality)
    prices = [subject.columns[name] for name in (subject.roles.ohlc or {}).values()]
    if zeros := [m for m in prices if m.facts.zeros]:
        count = int(np.logical_or.reduce([(m.values == 0) & m.mask() for m in zeros]).sum())
        listed = _listed([m.facts.name for m in zeros])
        found.append(Notice("describe", "zero_price", columns=listed, count=count))
    if subject.roles.volume:
        volume = subject.columns[subject.roles.volume]
        if volume.facts.negatives:
            row = int(np.flatnonzero((volume.values < 0) & volume.mask())[0])
            found.append(
                Notice("describe", "negative_volume", column=volume.facts.name,
                       count=volume.facts.negatives, row=row, example=show(volume.values[row].item()))
            )  # fmt: skip
    return [*found, *price_jumps(subject)]


def _time_warnings(subject: Subject) -> list[Notice]:
    axis, found = subject.time_axis, []
    if axis is None:
        return _time_not_found(subject)
    if axis.sorted == "no":
        found.append(Notice("describe", "time_not_sorted", column=axis.column))
    if axis.duplicates and not subject.panel:
        found.append(Notice("describe", "time_duplicate", column=axis.column, count=axis.duplicates))
    if axis.gaps and axis.largest_gap:
        start, end = axis.largest_gap
        found.append(
            Notice("describe", "time_gap", column=axis.column, count=axis.gaps, start=start, end=end)
        )
    if axis.nulls:
        found.append(Notice("describe", "time_missing", column=axis.column, count=axis.nulls))
    return found


def _time_not_found(subject: Subject) -> list[Notice]:
    found = []
    across = [name for name in subject.columns if parse_time(name)]
    if len(across) > 1 and 2 * len(across) >= len(subject.columns):
        found.append(Notice("describe", "wide_dates", columns=_listed(across), count=len(across)))
    for facts in subject.facts:
        if facts.kind in ("text", "mixed") and facts.count and is_named(facts.name, "time"):
            shown = examples(value for value in (facts.first, facts.last) if value is not None)
            found.append(Notice("describe", "time_not_read", column=facts.name, examples=shown))
    return found


def _row_warnings(subject: Subject, quality: Quality) -> list[Notice]:
    """Return the warnings about repeated rows and keys, whatever their number."""
    found: list[Notice] = []
    if quality.duplicate_rows:
        found.append(Notice("describe", "duplicate_rows", count=quality.duplicate_rows))
    key = quality.key
    if key is None or _is_time_alone(subject, key["columns"]):
        return found
    names = list(key["columns"])
    if key["duplicate_rows"]:
        found.append(Notice("describe", "duplicate_key", columns=names, count=key["duplicate_rows"]))
    if key["missing_rows"]:
        found.append(Notice("describe", "missing_key", columns=names, count=key["missing_rows"]))
    return found


def _is_time_alone(subject: Subject, key: Sequence[str]) -> bool:
    """Tell whether the key says no more than the time axis, which has its own warnings."""
    entity = subject.roles.entity["column"] if subject.roles.entity else None
    return not subject.panel and set(key) <= {subject.roles.time, entity} and subject.roles.time in key


def _column_warnings(subject: Subject) -> list[Notice]:
    """Return what is said about columns as a whole.

    No value at all; more than half of the cells empty; NaN or infinities; two or more values that
    are all the same; a count of the rows; no column of numbers.
    """
    facts, found = subject.facts, []
    empty = [f.name for f in facts if f.count + f.non_finite == 0]
    sparse = [f.name for f in facts if f.name not in empty and f.nulls > subject.rows / 2]
    plain = (*NUMERIC, "boolean")
    same = [f.name for f in facts if f.constant and f.count > 1 and f.kind in plain]
    if empty:
        found.append(Notice("describe", "all_null", columns=_listed(empty), count=len(empty)))
    if sparse:
        found.append(Notice("describe", "mostly_null", columns=_listed(sparse), count=len(sparse)))
    wild = [m for m in subject.columns.values() if m.facts.non_finite]
    if wild:
        found.append(
            Notice("describe", "non_finite", columns=_listed([m.facts.name for m in wild]),
                   nan=sum(m.nan for m in wild), inf=sum(m.inf for m in wild))
        )  # fmt: skip
    if same:
        found.append(Notice("describe", "constant", columns=_listed(same), count=len(same)))
    for column in facts:
        others = [f"{word} = {code}" for word, code in (column.normal_codes or {}).items() if word != code]
        if others:
            told = {"column": column.name, "count": len(others), "examples": examples(others, 3)}
            found.append(Notice("describe", "code_spellings", **told))
    if index := [f.name for f in facts if is_row_number(f)]:
        found.append(Notice("describe", "row_number", columns=_listed(index), count=len(index)))
    if not any(f.kind in NUMERIC and f.count for f in facts):
        found.append(Notice("describe", "no_numeric_column", columns=len(facts)))
    return found


def _listed(names: Sequence[str]) -> str:
    more = "…" if len(names) > _NAMES_MAX else ""
    return ", ".join(names[:_NAMES_MAX]) + more
