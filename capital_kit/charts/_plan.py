"""From a decision to the charts that tell it: at most four, none twice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from capital_kit._core.labels import tr
from capital_kit.charts._facts import Category, GateFacts, Measure, facts_of
from capital_kit.charts._gate import GateDecision
from capital_kit.charts._question import View
from capital_kit.charts._signals import (
    MAX_VIEWS,
    GatePolicy,
    drawable,
    named_measures,
    ranked_category,
    telling_measures,
)
from capital_kit.charts._window import meets, window_range

if TYPE_CHECKING:
    from capital_kit.datasets._description import Description, TimeAxis

MAX_SERIES = 6
TOP = 20
_PER_VIEW = 2
# A column whose labels differ on nearly every row names the rows; others sort them into groups.
_NAMES_ROWS = 0.8

Plan = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _Subject:
    """What the charts are about."""

    facts: GateFacts
    fields: tuple[str, ...]
    views: tuple[View, ...]
    range: dict[str, str] | None
    top: int
    timed: bool


def plan_charts(decision: GateDecision, description: Description) -> tuple[Plan, ...]:
    """Return the charts of a decision, the most telling first.

    Parameters
    ----------
    decision : GateDecision
        A recommended one; any other needs no chart.
    description : Description
        The same data described.

    Returns
    -------
    tuple of dict
        At most four specifications in the chart language, each with its ``view``, its ``role``
        (requested, main, explaining, risk, extra), the views it ``covers`` beside its own, which of
        those were asked for (``merged``), the end of its title that tells the ``window``, and, where
        rows must be grouped or counted first, the ``table`` to make of them.
    """
    if decision.decision != "recommended":
        return ()
    subject = _subject(decision, description)
    plans: list[Plan] = []
    for view in decision.candidate_views:
        for plan in _charts_of(view, subject):
            _take(plans, {"view": view, **plan, "covers": []}, widen=not subject.fields)
    plans = _ordered(_with_volume_pane(plans, subject), decision)[:MAX_VIEWS]
    for place, plan in enumerate(plans):
        plan["merged"] = [view for view in plan["covers"] if view in decision.asked.views]
        plan["role"] = _role(plan, place, decision, subject)
        plan["window"] = _window_title(plan, decision)
        plan["title"] = _title(plan) + plan["window"]
    return tuple(plans)


def _subject(decision: GateDecision, description: Description) -> _Subject:
    facts = facts_of(description)
    axis = description.time_axis
    return _Subject(
        facts=facts,
        fields=named_measures(facts, decision.asked),
        views=decision.asked.views,
        range=_range(decision, axis),
        top=decision.asked.top or TOP,
        timed=axis is not None and drawable("trend", facts, GatePolicy()),
    )


def _range(decision: GateDecision, axis: TimeAxis | None) -> dict[str, str] | None:
    range_ = window_range(decision.asked.window, axis.end) if axis else None
    return range_ if range_ and axis and meets(range_, axis.start, axis.end) else None


def _charts_of(view: View, subject: _Subject) -> list[Plan]:
    facts = subject.facts
    if view == "ohlc":
        return [_over_time(subject, "candlestick", ohlc=dict(facts.ohlc or {}))]
    if view == "volume":
        return _volume(subject)
    if view == "ranking":
        return _ranking(subject)
    if view == "distribution":
        return _distribution(subject)
    return _trend(subject) if view == "trend" else _comparison(subject)


# ------------------------------------------------------------------------- one view
def _over_time(subject: _Subject, kind: str, **members: Any) -> Plan:
    range_ = {"range": subject.range} if subject.range else {}
    return {"kind": kind, "x": subject.facts.time, **members, **range_}


def _trend(subject: _Subject) -> list[Plan]:
    scales = _scales(subject)
    if subject.facts.panel:
        return [_over_time(subject, "line", series=[scale[0]]) for scale in scales]
    return [_over_time(subject, "line", series=scale) for scale in scales]


def _comparison(subject: _Subject) -> list[Plan]:
    facts = subject.facts
    if subject.timed and (facts.panel or not facts.periodic or facts.periods > 24):
        return _trend(subject)[:1]
    scales = _scales(subject)
    if subject.timed:
        return [_over_time(subject, "column", series=scale) for scale in scales]
    label = _label(facts)
    if label is None:
        return [{"kind": "column", "series": scales[0]}]
    if label.groups == facts.rows <= GatePolicy().max_groups:
        return [{"kind": "column", "x": label.name, "series": scales[0]}]
    return [_grouped(subject, label, scales[0])]


def _volume(subject: _Subject) -> list[Plan]:
    facts = subject.facts
    series = [str(facts.volume)]
    if subject.timed:
        return [_over_time(subject, "line" if facts.panel else "column", series=series)]
    label = _label(facts)
    return [_grouped(subject, label, series)] if label else []


def _ranking(subject: _Subject) -> list[Plan]:
    label, measure = _label(subject.facts), _first_measure(subject)
    return [_grouped(subject, label, [measure.name])] if label and measure else []


def _distribution(subject: _Subject) -> list[Plan]:
    facts, policy = subject.facts, GatePolicy()
    many = [m for m in telling_measures(facts) if m.count >= policy.min_bins]
    named = [m for m in many if m.name in subject.fields and not m.order]
    changes = [m for m in many if m.kind == "percent"]
    chosen = next(iter([*named, *changes, *many]), None)
    if chosen:
        table = {"make": "bins", "of": chosen.name, "time": facts.time, "range": subject.range}
        return [{"kind": "column", "table": table}]
    label = next((c for c in facts.categories if 2 <= c.groups < facts.rows), None)
    return [{"kind": "column", "table": {"make": "counts", "of": label.name, "top": TOP}}] if label else []


def _grouped(subject: _Subject, label: Category, series: Sequence[str]) -> Plan:
    """Return a chart of one value a label: the value itself, or the mean where rows repeat it."""
    facts = subject.facts
    latest = subject.timed and facts.panel and label.name == facts.entity
    table = {
        "make": "groups", "by": label.name, "of": list(series),
        "top": subject.top, "cut": label.groups > subject.top,
        "time": facts.time, "range": subject.range, "latest": latest,
        "mean": not latest and label.groups < facts.rows,
    }  # fmt: skip
    return {"kind": "column", "x": label.name, "series": list(series), "table": table}


# -------------------------------------------------------------------------- columns
def _scales(subject: _Subject) -> list[list[str]]:
    """Return the columns to draw, one list for each scale; those that were named come first."""
    facts = subject.facts
    pane = {facts.volume} if "volume" not in subject.fields else set()
    if subject.fields:
        names = list(subject.fields)
    elif facts.ohlc:
        names = [facts.ohlc["close"], *_beside(facts, facts.ohlc["close"])]
    else:
        drawn = [m for m in facts.measures if not m.constant and m.points >= 2 and m.name not in pane]
        names = [m.name for m in drawn if not m.order] or [m.name for m in drawn]
        names = names or [m.name for m in facts.measures]
    scales: list[list[str]] = []
    for name in names:
        if any(name in scale for scale in scales):
            continue
        peers = {name, *_beside(facts, name)}
        scales.append([other for other in names if other in peers][:MAX_SERIES])
    return scales if subject.fields else scales[:_PER_VIEW]


def _beside(facts: GateFacts, name: str) -> tuple[str, ...]:
    group = next((group.columns for group in facts.comparables if name in group.columns), ())
    return tuple(other for other in group if other != name)


def _label(facts: GateFacts) -> Category | None:
    """Return the labels to draw by: the instruments, else what names the rows, else their groups."""
    if facts.panel:
        return next((c for c in facts.categories if c.name == facts.entity), None)
    names = [c for c in facts.categories if c.groups >= _NAMES_ROWS * facts.rows]
    if names:
        return max(names, key=lambda category: category.groups)
    return ranked_category(facts, GatePolicy()) or next(iter(facts.categories), None)


def _first_measure(subject: _Subject) -> Measure | None:
    facts = subject.facts
    # "排名" may be a column too; what is ranked is the measure.
    found = [measure for name in subject.fields if (measure := facts.measure(name))]
    named = [measure for measure in found if not measure.order]
    return next(iter([*named, *telling_measures(facts), *facts.measures]), None)


# -------------------------------------------------------------------- the whole set
def _information(plan: Plan) -> set[str]:
    names: Iterable[str] = [*plan.get("series", ()), *plan.get("ohlc", {}).values(), plan.get("volume", "")]
    return {name for name in names if name}


def _tells(one: Plan, other: Plan) -> bool:
    """Tell whether the first chart already shows all that the second would."""
    if one.get("table") or other.get("table"):
        return one.get("table") == other.get("table")
    same_place = one.get("x") == other.get("x")
    return same_place and _information(other) <= _information(one)


def _take(plans: list[Plan], plan: Plan, *, widen: bool) -> None:
    """Add a chart, unless another tells all of it.

    Where no column was named (``widen``), it takes the place of one that it tells all of: a trend
    of prices is told by the candles.
    """
    for place, other in enumerate(plans):
        if _tells(other, plan):
            _cover(other, plan)
            return
        if widen and _tells(plan, other):
            _cover(plan, other)
            plans[place] = plan
            return
    plans.append(plan)


def _cover(plan: Plan, other: Plan) -> None:
    views = [other["view"], *other["covers"]]
    plan["covers"] += [view for view in views if view != plan["view"] and view not in plan["covers"]]


def _with_volume_pane(plans: list[Plan], subject: _Subject) -> list[Plan]:
    """Put the volume under the first price chart instead of into a chart of its own."""
    volume = subject.facts.volume
    alone = next((p for p in plans if p["view"] == "volume" and not p.get("table")), None)
    price = next((p for p in plans if p["kind"] in ("candlestick", "line")
                  and p["view"] != "volume" and volume not in p.get("series", ())), None)  # fmt: skip
    if alone is None or price is None or subject.facts.panel:
        return plans
    price["volume"] = volume
    price["covers"].append("volume")
    return [plan for plan in plans if plan is not alone]


def _ordered(plans: list[Plan], decision: GateDecision) -> list[Plan]:
    """Put requested views first, and the first chart of every view before the second of any."""

    def rank(place: int) -> tuple[bool, bool, int]:
        view = plans[place]["view"]
        again = any(plan["view"] == view for plan in plans[:place])
        return view not in decision.asked.views, again, place

    return [plans[place] for place in sorted(range(len(plans)), key=rank)]


def _role(plan: Plan, place: int, decision: GateDecision, subject: _Subject) -> str:
    if plan["view"] in decision.asked.views or set(plan["covers"]) & set(decision.asked.views):
        return "requested"
    if place == 0:
        return "main"
    if plan["view"] == "distribution" and subject.timed:
        return "risk"
    return "explaining" if place < MAX_VIEWS - 1 else "extra"


def _title(plan: Plan) -> str:
    table = plan.get("table") or {}
    prices: dict[str, str] = plan.get("ohlc") or {}
    of: str | list[str] = table.get("of") or plan.get("series") or [prices["close"]]
    names = [of] if isinstance(of, str) else of
    what = tr("gate.title.join").join(names[:3]) + ("…" if len(names) > 3 else "")
    # One series has nothing to be compared with but its own past.
    view = "trend" if plan["view"] == "comparison" and len(names) == 1 else str(plan["view"])
    if view == "ohlc" and "volume" in plan:
        view = "ohlc_volume"
    key = f"{table['make']}{'_mean' if table.get('mean') else ''}" if table else view
    title = tr(f"gate.title.{key}", what=what, by=table.get("by", ""))
    return title + (tr("gate.title.top", n=table["top"]) if table.get("cut") else "")


def _window_title(plan: Plan, decision: GateDecision) -> str:
    window = decision.asked.window
    return tr("gate.title.window", window=window_words(window)) if window and _timed(plan) else ""


def _timed(plan: Plan) -> bool:
    return bool(plan.get("range") or (plan.get("table") or {}).get("range"))


def window_words(window: str) -> str:
    """Return a window as people say it: 近 3 个月, the last 3 months."""
    kind, _, rest = window.partition("_")
    if kind == "last":
        count, unit = rest.split("_")
        one = "one_" if count == "1" else ""
        return tr(f"gate.window.last_{one}{unit.removesuffix('s')}", n=int(count))
    if window in ("ytd", "previous_year"):
        return tr(f"gate.window.{window}")
    first, slash, last = window.partition("/")
    return tr(f"gate.window.{'between' if last else 'since'}", first=first, last=last) if slash else window
