"""What speaks for a chart, which views the data allow, and the words of both."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from capital_kit._core.labels import tr
from capital_kit._core.notices import Notice
from capital_kit._core.options import options
from capital_kit.charts._facts import OHLC, Category, GateFacts, Measure
from capital_kit.charts._question import VIEWS, Asked, View
from capital_kit.errors import OptionError

MAX_VIEWS = 4


def checked(name: str, value: Any, allowed: Sequence[str]) -> Any:
    """Return the value if the parameter accepts it, else raise ``option_invalid``."""
    if value not in allowed:
        raise OptionError.of("option_invalid", name=name, value=repr(value), allowed=list(allowed))
    return value


@dataclass(frozen=True, slots=True, kw_only=True)
class GatePolicy:
    """The thresholds of the gate.

    Attributes
    ----------
    min_points : int
        Points from which a series over time is a time series.
    min_time_share : float
        Share of rows that must state a time, else the axis is of no use.
    min_periods : int
        Periods from which one measure makes a comparison of periods.
    min_shared_points : int
        Points that comparable series must share.
    min_groups, max_groups : int
        Labels between which a ranking is readable.
    min_numbers : int
        Numbers from which a distribution is worth a chart unasked.
    min_bins : int
        Numbers from which a distribution can be drawn when it is asked for.
    unmet_view : {"draw", "block"}
        When no view that was asked for can be drawn but others can: draw those and say what is
        missing, or block.
    """

    min_points: int = 5
    min_time_share: float = 0.8
    min_periods: int = 3
    min_shared_points: int = 3
    min_groups: int = 3
    max_groups: int = 50
    min_numbers: int = 30
    min_bins: int = 10
    unmet_view: Literal["draw", "block"] = "draw"

    def __post_init__(self) -> None:
        checked("unmet_view", self.unmet_view, ("draw", "block"))


class GateNotice(Notice):
    """A reason or warning of the gate; its sentence names views and columns in words."""

    __slots__ = ()

    @property
    def message(self) -> str:
        """The sentence, in ``options.language``."""
        words = {name: in_words(name, value) for name, value in self.details.items()}
        return tr(f"gate.notice.{self.code}", **words)


def reason(code: str, **details: Any) -> GateNotice:
    """Return one reason or warning of the gate."""
    return GateNotice("gate", code, **details)


def in_words(name: str, value: object) -> object:
    """Return a detail of a notice as people say it: views and what is missing by their names."""
    if isinstance(value, list | tuple):
        shown = [str(in_words(name, item)) for item in value[:6]] + ["…"] * (len(value) > 6)
        return ("、" if options.language == "zh" else ", ").join(shown)
    if name in {"view", "views", "into"}:
        return tr(f"gate.view.{value}")
    return tr(f"gate.missing.{value}") if name == "missing" else value


# ---------------------------------------------------------------------- signals
def hard_signals(facts: GateFacts, policy: GatePolicy, named: Sequence[str] = ()) -> list[GateNotice]:
    """Return the confirmed signals that force ``recommended``, told of the columns named."""
    varying = [measure for measure in facts.measures if not measure.constant]
    signals: list[GateNotice] = []
    if time_usable(facts, policy) and varying:
        best = max(varying, key=lambda measure: measure.points)
        long = [measure for measure in varying if measure.points >= policy.min_points]
        if long:
            told = next((m for name in named for m in long if m.name == name), None)
            told = told or next(m for m in telling_measures(facts) if m in long)
            signals.append(reason("time_series", column=facts.time, measure=told.name, points=told.points))
        if facts.ohlc and not facts.panel and facts.volume and facts.ohlc_rows >= 2:
            signals.append(reason("ohlc_volume", rows=facts.ohlc_rows, volume=facts.volume))
        if facts.periodic and _compares_periods(facts, best.points, len(varying), policy):
            signals.append(reason("multi_period", periods=facts.periods, measures=len(varying)))
    columns = max((c for c in facts.comparables if _comparable(c.columns, c.shared_points, policy)),
                  key=lambda c: len(c.columns), default=None)  # fmt: skip
    if columns:
        shared = columns.shared_points
        signals.append(
            reason("multi_series", n=len(columns.columns), columns=columns.columns, points=shared)
        )  # fmt: skip
    return signals


def _compares_periods(facts: GateFacts, points: int, measures: int, policy: GatePolicy) -> bool:
    return points >= policy.min_periods or (points >= 2 and (facts.entities >= 2 or measures >= 2))


def _comparable(columns: Sequence[str], shared: int, policy: GatePolicy) -> bool:
    return len(columns) >= 2 and shared >= policy.min_shared_points


def soft_signals(facts: GateFacts, policy: GatePolicy) -> list[GateNotice]:
    """Return the signals that recommend a chart only if nothing harder is in the way."""
    told = telling_measures(facts)
    measure = next(iter(told), None)
    label = ranked_category(facts, policy)
    signals: list[GateNotice] = []
    if label and measure:
        code = "ranking" if label.groups == facts.rows else "concentration"
        signals.append(reason(code, column=label.name, measure=measure.name, groups=label.groups))
    many = next((m for m in told if m.count >= policy.min_numbers), None)
    if many:
        signals.append(reason("distribution", column=many.name, numbers=many.count))
    elif label and not measure and label.groups < facts.rows:
        signals.append(reason("category_counts", column=label.name, groups=label.groups))
    return signals


def named_measures(facts: GateFacts, asked: Asked) -> tuple[str, ...]:
    """Return the numeric columns that a question is about, in its order.

    "走势和成交量" names the volume beside the prices, "成交量走势" the trend of the volume.
    """
    views = asked.views
    before = views[: views.index("volume")] if "volume" in views else ()
    beside = {facts.volume} if {"trend", "ohlc"} & set(before) else set()
    return tuple(name for name in asked.fields if facts.measure(name) and name not in beside)


def telling_measures(facts: GateFacts) -> list[Measure]:
    """Return the measures that vary, the most telling first: the close, then the others.

    Volume comes late, and a column that only numbers the rows comes last.
    """
    close = facts.ohlc["close"] if facts.ohlc else None

    def rank(measure: Measure) -> tuple[bool, bool, bool]:
        return measure.order, measure.name != close, measure.name == facts.volume

    return sorted((measure for measure in facts.measures if not measure.constant), key=rank)


def ranked_category(facts: GateFacts, policy: GatePolicy) -> Category | None:
    """Return the best column of labels to rank by, few enough to read."""
    return next(
        (c for c in facts.categories if policy.min_groups <= c.groups <= policy.max_groups), None
    )  # fmt: skip


# ------------------------------------------------------------------------ views
def time_usable(facts: GateFacts, policy: GatePolicy) -> bool:
    """Tell whether there is a time axis that enough rows state."""
    return facts.time is not None and facts.periods > 0 and facts.time_share >= policy.min_time_share


def longest(facts: GateFacts, at_least: int) -> Measure | None:
    """Return the measure with the most points, if they are enough."""
    best = max(facts.measures, key=lambda measure: measure.points, default=None)
    return best if best and best.points >= at_least else None


def missing_for(view: View, facts: GateFacts, policy: GatePolicy) -> tuple[str, ...]:
    """Return what the data lack for a view; empty where it can be drawn."""
    time = () if time_usable(facts, policy) else ("time",)
    return _LACKS[view](facts, policy, time)


def _lacks_trend(facts: GateFacts, _: GatePolicy, time: tuple[str, ...]) -> tuple[str, ...]:
    measure = ("measure",) if not facts.measures else () if longest(facts, 2) else ("points",)
    return time + measure


def _lacks_ohlc(facts: GateFacts, _: GatePolicy, time: tuple[str, ...]) -> tuple[str, ...]:
    if facts.ohlc:
        return time + ("one_entity",) * facts.panel
    return time + (tuple(part for part in OHLC if part not in facts.ohlc_found) or ("consistent_ohlc",))


def _lacks_volume(facts: GateFacts, _: GatePolicy, time: tuple[str, ...]) -> tuple[str, ...]:
    return (() if facts.categories else time) + (() if facts.volume else ("volume",))


def _lacks_comparison(facts: GateFacts, _: GatePolicy, time: tuple[str, ...]) -> tuple[str, ...]:
    if not facts.measures:
        return ("measure",)
    periods = not time and facts.periods >= 2
    return () if len(facts.measures) >= 2 or periods else ("second_measure",)


def _lacks_ranking(facts: GateFacts, _: GatePolicy, __: tuple[str, ...]) -> tuple[str, ...]:
    return (() if facts.categories else ("category",)) + (() if facts.measures else ("measure",))


def _lacks_distribution(facts: GateFacts, policy: GatePolicy, _: tuple[str, ...]) -> tuple[str, ...]:
    numbers = any(measure.count >= policy.min_bins for measure in facts.measures)
    counts = any(2 <= category.groups < facts.rows for category in facts.categories)
    return () if numbers or counts else ("numbers",)


_Lacks = Callable[[GateFacts, GatePolicy, tuple[str, ...]], tuple[str, ...]]
_LACKS: dict[View, _Lacks] = {
    "trend": _lacks_trend, "ohlc": _lacks_ohlc, "volume": _lacks_volume,
    "comparison": _lacks_comparison, "ranking": _lacks_ranking, "distribution": _lacks_distribution,
}  # fmt: skip


def drawable(view: View, facts: GateFacts, policy: GatePolicy) -> bool:
    """Tell whether a view can be drawn with at least two points."""
    if missing_for(view, facts, policy) or facts.rows < 2:
        return False
    return facts.ohlc_rows >= 2 if view == "ohlc" else True


def candidate_views(facts: GateFacts, asked: Asked, policy: GatePolicy) -> tuple[View, ...]:
    """Return the views worth drawing: requested, explaining, risk, extra; at most four."""
    wanted = [view for view in asked.views if drawable(view, facts, policy)]
    natural = [view for view in _natural_views(facts, policy) if drawable(view, facts, policy)]
    views = dict.fromkeys([*wanted, *natural])
    return tuple(views or [view for view in VIEWS if drawable(view, facts, policy)])[:MAX_VIEWS]


def _natural_views(facts: GateFacts, policy: GatePolicy) -> list[View]:
    views: list[View] = []
    if time_usable(facts, policy):
        if facts.ohlc and not facts.panel:
            views += ["ohlc", "volume"]
        elif facts.periodic and facts.periods <= 24:
            views += ["comparison", "volume"]
        else:
            views += ["trend", "volume"]
        if facts.periodic or any(_comparable(c.columns, c.shared_points, policy) for c in facts.comparables):
            views += ["comparison"]
        # What a change can come to is the risk; it needs enough changes to tell.
        if any(m.kind == "percent" and m.count >= policy.min_numbers for m in facts.measures):
            views += ["distribution"]
        return views
    if any(_comparable(c.columns, c.shared_points, policy) for c in facts.comparables):
        views += ["comparison"]
    signals = {signal.code for signal in soft_signals(facts, policy)}
    views += ["ranking"] if signals & {"ranking", "concentration"} else []
    return views + (["distribution"] if signals & {"distribution", "category_counts"} else [])
