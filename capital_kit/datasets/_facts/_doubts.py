"""Values that may be wrong though each is possible: far ones, changed units, stray dates, splits.

Every rule is meant to be silent on ordinary data, heavy tails included: a warning that is always
there warns of nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from capital_kit._core.notices import Notice
from capital_kit._core.numbers import show
from capital_kit.datasets._cells._headers import read_headers
from capital_kit.datasets._facts._kernel import Measured, time_name
from capital_kit.datasets._facts._roles import CATEGORY_MAX, folded
from capital_kit.datasets._model import NUMERIC, TEMPORAL

if TYPE_CHECKING:
    from capital_kit.datasets._facts._quality import Subject

Array = npt.NDArray[Any]

JUMP = 0.3
_NEARLY = 0.29
SPLITS = (2, 3, 4, 5, 7, 10, 20)
SPLIT_WITHIN = 0.05
WILD = 3
FAR_ROWS = 30
FAR_SHARE = 100
FAR_GAP = 2.0
SCALE_POWERS = (3, 4, 6, 8)
SCALE_STEP = 2.0
SCALE_WITHIN = 0.3
SCALE_ROWS = 5
STRAY_TIMES = 8
STRAY_DAYS = 366

_SLOW = ("week", "month", "quarter", "year")
_UNIT_NAMES = ("单位", "计量单位", "数据单位", "unit", "units", "unitname")
_LABELS_MAX = 1000
_SHOWN = 1e15


# far values ----------------------------------------------------------------------------------


def far_values(subject: Subject) -> list[Notice]:
    """Return a warning about the few values that lie far from all others of their column.

    Values are compared by the inverse hyperbolic sine of their ratio to the median magnitude, which
    is a logarithm for large ones, so that heavy tails are no outliers. At most one in a hundred may
    be far (one in a short column), on one side, and their distance to the next value must be twice
    the width of all the rest. Zeros, columns of fewer than 30 values, row numbers and codes are
    left out.
    """
    measures = [subject.columns[name] for name in subject.roles.measures]
    found = [(measured, rows) for measured in measures if len(rows := _far_rows(measured))]
    if not found:
        return []
    first, rows = found[0]
    example = f"{first.facts.name} = {show(first.values[rows[0]].item())}"
    return [
        Notice("describe", "outliers", columns=[m.facts.name for m, _ in found],
               count=sum(len(rows) for _, rows in found), row=int(rows[0]), example=example)
    ]  # fmt: skip


def _far_rows(measured: Measured) -> Array:
    facts, size = measured.facts, measured.magnitude
    nothing = np.empty(0, np.int64)
    if facts.count < FAR_ROWS or not size or facts.p05 is None or facts.p95 is None:
        return nothing
    low, high, least, most = _places(np.array([facts.p05, facts.p95, facts.min, facts.max], float), size)
    width = high - low
    # The rest holds these two quantiles, so that most columns need no look at their rows.
    if not width or max(most - high, low - least) <= FAR_GAP * width:
        return nothing
    mask = measured.mask() & (measured.values != 0)
    rows = np.flatnonzero(mask & ((measured.values > facts.p95) | (measured.values < facts.p05)))
    place = _places(measured.values[rows], size)
    enough = max(facts.count // FAR_SHARE, 1)
    above = _apart(place[place > high], high, width, enough)
    below = _apart(-place[place < low], -low, width, enough)
    far: Array = rows[(place >= above) | (-place >= below)]
    return far


def _places(values: Array, size: float) -> Array:
    with np.errstate(over="ignore"):
        ratio = values / size
    # The sizes of two floats may be further apart than a float can say.
    places: Array = np.arcsinh(np.nan_to_num(ratio))
    return places


def _apart(places: Array, inner: float, width: float, enough: int) -> float:
    """Return from where on the places stand apart from the rest, infinity if none does."""
    ordered = np.concatenate(([inner], np.sort(places)))
    for start in range(len(ordered) - 1, max(len(ordered) - 1 - enough, 0), -1):
        rest = width + ordered[start - 1] - inner
        if ordered[start] - ordered[start - 1] > FAR_GAP * rest:
            return float(ordered[start])
    return float("inf")


# units ---------------------------------------------------------------------------------------


def scale_changes(subject: Subject) -> list[Notice]:
    """Return a warning about each column whose level changes by a power of a unit, and stays.

    In order of time, positive values step by a factor of 100 or more once, twice or three times;
    between these steps stand at least five values that differ among themselves by less than that,
    and the medians on both sides differ by 10^3, 10^4, 10^6 or 10^8 up to a factor of two. Not
    looked for in panels, in columns with negative values and without a time axis.
    """
    if subject.order is None or subject.panel:
        return []
    found = []
    for name in subject.roles.measures:
        measured = subject.columns[name]
        if _may_change_scale(measured):
            notice = _scale_change(measured, subject)
            if notice:
                found.append(notice)
    return found


def _may_change_scale(measured: Measured) -> bool:
    facts = measured.facts
    if facts.negatives or facts.count < 2 * SCALE_ROWS or not measured.magnitude:
        return False
    low = facts.p05 or facts.p25
    return bool(low and facts.p95 and facts.p95 / low > 10**SCALE_STEP)


def _scale_change(measured: Measured, subject: Subject) -> Notice | None:
    assert subject.order is not None
    rows = subject.order.of(np.arange(subject.rows))
    rows = rows[measured.mask()[rows] & (measured.values[rows] > 0)]
    power = np.log10(measured.values[rows].astype(float))
    steps = np.flatnonzero(np.abs(np.diff(power)) >= SCALE_STEP) + 1
    if not 1 <= len(steps) <= 3:
        return None
    parts = np.split(power, steps)
    if any(len(part) < SCALE_ROWS or np.ptp(part) >= SCALE_STEP for part in parts):
        return None
    levels = [float(np.median(part)) for part in parts]
    changes = np.diff(levels)
    off = np.abs(np.abs(changes)[:, None] - np.array(SCALE_POWERS))
    if (off.min(axis=1) > SCALE_WITHIN).any():
        return None
    factor = 10 ** SCALE_POWERS[int(off[0].argmin())]
    before, after = int(rows[steps[0] - 1]), int(rows[steps[0]])
    return Notice(
        "describe", "scale_change", column=measured.facts.name, count=len(steps), row=after,
        factor=f"{'1/' if changes[0] < 0 else ''}{factor:,}",
        example=_named(subject, after, _step(measured, before, after)),
    )  # fmt: skip


def units_by_row(subject: Subject) -> list[Notice]:
    """Return a warning about each column that gives the rows different units.

    It is named 单位 or unit and holds several texts, or at least half of its texts, at most 1,000,
    end in a unit in brackets, as 营业收入(万元) and 毛利率(%) do, and these differ.
    """
    found = []
    for name, measured in subject.columns.items():
        facts = measured.facts
        if facts.kind not in ("text", "category") or not 2 <= facts.distinct <= _LABELS_MAX:
            continue
        assert measured.words is not None
        words = [word for word in measured.words.to_pylist() if word]
        if folded(name) in _UNIT_NAMES:
            units = words
        else:
            stated = [header.unit for header in read_headers(words)[0] if header.unit]
            units = stated if 2 * len(stated) >= len(words) else []
        units = sorted(set(units))
        if len(units) > 1:
            found.append(
                Notice("describe", "units_by_row", column=name, count=len(units), units=units[:5])
            )  # fmt: skip
    return found


# times and labels ----------------------------------------------------------------------------


def stray_times(subject: Subject) -> list[Notice]:
    """Return a warning about each first or last time that lies far from all others of its column.

    It stands in at most one row in a hundred (one in a short column), and its distance to the next
    time is more than 366 days and more than all the others span; at least eight distinct times.
    """
    found = []
    for measured in subject.columns.values():
        facts = measured.facts
        if facts.kind not in TEMPORAL or facts.distinct < STRAY_TIMES:
            continue
        assert measured.times is not None
        unit = 86_400_000_000 if facts.kind == "datetime" else 1
        least, low, high, most = (int(measured.times[place]) for place in (0, 1, -2, -1))
        wide = max(high - low, STRAY_DAYS * unit)
        early = _rows_at(measured, least) if low - least > wide else ()
        late = _rows_at(measured, most) if most - high > wide else ()
        if stray := [*early, *late]:
            found.append(
                Notice("describe", "time_out_of_range", column=facts.name, count=len(stray), row=stray[0],
                       example=time_name(int(measured.values[stray[0]]), facts.kind),
                       start=time_name(low if len(early) else least, facts.kind),
                       end=time_name(high if len(late) else most, facts.kind))
            )  # fmt: skip
    return found


def _rows_at(measured: Measured, time: int) -> Sequence[int]:
    """Return the rows with a time, none if they are more than a stray few."""
    rows = np.flatnonzero(measured.mask() & (measured.values == time))
    few: list[int] = rows.tolist() if len(rows) <= max(measured.facts.count // FAR_SHARE, 1) else []
    return few


def many_labels(subject: Subject) -> list[Notice]:
    """Return a warning about columns of labels that are too many to be categories.

    More than 50 distinct texts that occur twice on average or more; the entity is none of them.
    """
    entity = subject.roles.entity["column"] if subject.roles.entity else None
    names = [
        facts.name
        for facts in subject.facts
        if facts.kind in ("text", "category", "code") and facts.name != entity
        if facts.distinct > CATEGORY_MAX and 2 * facts.distinct <= facts.count
    ]
    if not names:
        return []
    most = max(facts.distinct for facts in subject.facts if facts.name in names)
    return [Notice("describe", "high_cardinality", columns=names[:8], count=len(names), distinct=most)]


# prices --------------------------------------------------------------------------------------


def price_jumps(subject: Subject) -> list[Notice]:
    """Return warnings about closes that move by more than 30 % from one bar of an entity to the next.

    A second one tells the falls to 1/2, 1/3, 1/4, 1/5, 1/7, 1/10 or 1/20, within 5 %, after which
    the price stays within 30 %: splits that were not adjusted for. Where more than three closes and
    one in twenty jump, prices are wild and no split can be told. Weekly and slower bars may move
    further and are not looked at.
    """
    name = _close(subject)
    if name is None or (subject.time_axis and subject.time_axis.frequency in _SLOW):
        return []
    close = subject.columns[name]
    rows, price, same = _prices_in_order(close, subject)
    with np.errstate(over="ignore"):
        ratio = price[1:] / price[:-1]
        far = np.flatnonzero(same & ((ratio > 1 + _NEARLY) | (ratio < 1 - _NEARLY)))
        # Rounded, so that a change of exactly 30 % is none on any machine.
        jumps = far[np.round(np.abs(ratio[far] - 1), 9) > JUMP]
    if len(jumps) == 0:
        return []
    stays = ~np.isin(jumps + 1, jumps)
    wild = len(jumps) > max(WILD, len(ratio) // 20)
    splits = [] if wild else [place for place in jumps[stays].tolist() if _split(ratio[place])]
    found = [_jump(subject, close, "price_jump", rows, jumps, ratio)]
    if splits:
        found.append(_jump(subject, close, "price_split", rows, splits, ratio))
    return found


def _prices_in_order(close: Measured, subject: Subject) -> tuple[Array | None, Array, Array]:
    """Return the rows that state a price, in order of time, and their prices; None for all as they stand.

    Last which of them, from the second on, are of the same entity as the one before.
    """
    order = subject.order
    rows = order.rows if order else None
    price = order.of(close.values) if order else close.values
    priced = price > 0
    if close.valid is not None:
        priced &= order.of(close.valid) if order else close.valid
    starts = order.starts if order else np.zeros(len(price), bool)
    if priced.all():
        return rows, price.astype(float, copy=False), ~starts[1:]
    group = np.cumsum(starts, dtype=np.int32)[priced]
    rows = np.flatnonzero(priced) if rows is None else rows[priced]
    return rows, price[priced].astype(float), group[1:] == group[:-1]


def _split(ratio: float) -> int | None:
    return next((n for n in SPLITS if abs(float(ratio) * n - 1) <= SPLIT_WITHIN), None)


def _jump(
    subject: Subject,
    close: Measured,
    code: str,
    rows: Array | None,
    places: Sequence[int] | Array,
    ratio: Array,
) -> Notice:
    place = int(places[0])
    before, after = (place, place + 1) if rows is None else (int(rows[place]), int(rows[place + 1]))
    change = (float(ratio[place]) - 1) * 100
    share = {"change": f"{change:+,.1f}%" if change < _SHOWN else f"+{show(change)}%"}
    if code == "price_split":
        share = {"ratio": f"1/{_split(ratio[place])}"}
    return Notice(
        "describe", code, column=close.facts.name, count=len(places), row=after,
        example=_named(subject, after, _step(close, before, after)), **share,
    )  # fmt: skip


def _close(subject: Subject) -> str | None:
    if subject.roles.ohlc:
        return subject.roles.ohlc["close"]
    exact = ("close", "closeprice", "收盘价", "收盘")
    return next((f.name for f in subject.facts if f.kind in NUMERIC and folded(f.name) in exact), None)


def _step(measured: Measured, before: int, after: int) -> str:
    return f"{show(measured.values[before].item())} → {show(measured.values[after].item())}"


def _named(subject: Subject, row: int, text: str) -> str:
    """Return an example with the time of its row, where there is a time axis."""
    if not (subject.order and subject.time_axis):
        return text
    time = subject.columns[subject.time_axis.column]
    return f"{time_name(int(time.values[row]), time.facts.kind)}: {text}"
