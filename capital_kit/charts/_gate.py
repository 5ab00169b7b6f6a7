"""The visualization gate: should this dataset be drawn, and as what."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from capital_kit._core.html import Html
from capital_kit._core.notices import Notice
from capital_kit._core.records import plain
from capital_kit.charts._facts import GateFacts, facts_of
from capital_kit.charts._question import SCOPES, VIEWS, Asked, Scope, View, read_question
from capital_kit.charts._signals import (
    GateNotice,
    GatePolicy,
    candidate_views,
    checked,
    drawable,
    hard_signals,
    longest,
    missing_for,
    named_measures,
    reason,
    soft_signals,
    time_usable,
)
from capital_kit.charts._window import meets, of_a_year, window_range

if TYPE_CHECKING:
    from capital_kit.datasets._description import Description

Decision = Literal["not_needed", "recommended", "blocked", "failed"]


@dataclass(frozen=True, slots=True, kw_only=True)
class UnmetView:
    """A view that was asked for, and what the data lack for it."""

    view: View
    missing: tuple[str, ...]


@dataclass(frozen=True, kw_only=True, repr=False)
class GateDecision:
    """What the gate decided, and why.

    Attributes
    ----------
    decision : {"not_needed", "recommended", "blocked", "failed"}
        Whether the data should be drawn. How far the work may go never changes it.
    reasons : tuple of Notice
        At least one.
    candidate_views : tuple of str
        At most four: requested ones first, then what explains them, then risk.
    execution : {"none", "withheld", "due", "executed"}
        ``withheld`` where the scope stops a recommended chart.
    withheld_reason : {None, "scope_narrowed"}
        Why it is withheld.
    unmet_views : tuple of UnmetView
        Views that were asked for and cannot be drawn, with what is missing.
    warnings : tuple of Notice
        What the reader must know beside the reasons.
    question, asked, scope : str, Asked, str
        What was asked, as it was read, and how far the work may go.
    row : str
        The row of the decision table that decided.
    """

    decision: Decision
    reasons: tuple[Notice, ...]
    candidate_views: tuple[View, ...] = ()
    execution: Literal["none", "withheld", "due", "executed"] = "none"
    withheld_reason: Literal["scope_narrowed"] | None = None
    unmet_views: tuple[UnmetView, ...] = ()
    warnings: tuple[Notice, ...] = ()
    question: str = ""
    asked: Asked = Asked()  # noqa: RUF009 (frozen)
    scope: Scope = "full"
    row: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the decision as strict JSON."""
        return {name: plain(getattr(self, name)) for name in self.__dataclass_fields__}

    def __repr__(self) -> str:
        codes = ", ".join(notice.code for notice in self.reasons)
        views = f", views={list(self.candidate_views)}" if self.candidate_views else ""
        return f"GateDecision({self.decision}: {codes}{views}, execution={self.execution})"

    def _repr_html_(self) -> str:
        return str(self._card())

    def _card(self) -> Html:
        from capital_kit.charts._gate_cards import decision_card

        return decision_card(self)


def decide_visualization(
    data: Any,
    question: str = "",
    *,
    chart_requested: bool = False,
    requested_views: Sequence[View] = (),
    scope: Scope = "full",
    policy: GatePolicy = GatePolicy(),  # noqa: B008 (frozen)
) -> GateDecision:
    """Decide whether a dataset should be drawn, before anything is drawn.

    Parameters
    ----------
    data : Description or anything ``describe_dataset`` takes
        The data, best already described.
    question : str
        What the reader wants to know; views, window and columns are read from it.
    chart_requested : bool
        The reader asked for a chart, in the question or elsewhere.
    requested_views : sequence of str
        Views the reader wants: trend, comparison, volume, distribution, ranking, ohlc.
    scope : {"full", "profile_only", "no_chart"}
        How far the work may go. It withholds charts, it never changes the decision.
    policy : GatePolicy
        The thresholds.

    Returns
    -------
    GateDecision
        One of four states with its reasons.

    Raises
    ------
    DatasetError
        The data cannot be read; without a description there is no decision.
    """
    description = described(data)
    facts = facts_of(description)
    read = read_question(question, facts.spoken)
    asked = replace(read, window=of_a_year(read.window, facts.covered[1]) if facts.covered else read.window)
    views = (*(checked("requested_views", view, VIEWS) for view in requested_views), *asked.views)
    asked = replace(asked, chart=asked.chart or chart_requested, views=tuple(dict.fromkeys(views)))
    nothing_read = bool(question.strip()) and read == Asked()
    decision = decide(facts, asked, checked("scope", scope, SCOPES), policy)
    told = (*decision.warnings, reason("question_not_read")) if nothing_read else decision.warnings
    return replace(decision, question=question, warnings=told)


def described(data: Any) -> Description:
    """Return the description of the data, making it where there is none yet."""
    from capital_kit.datasets import describe_dataset
    from capital_kit.datasets._description import Description

    if isinstance(data, Description):
        return data
    made: Description = describe_dataset(data)
    return made


def decide(
    facts: GateFacts,
    asked: Asked = Asked(),  # noqa: B008 (frozen)
    scope: Scope = "full",
    policy: GatePolicy = GatePolicy(),  # noqa: B008 (frozen)
) -> GateDecision:
    """Apply the decision table to the facts; the first row that fits decides.

    Parameters
    ----------
    facts, asked : GateFacts, Asked
        What the data are and what was asked.
    scope : {"full", "profile_only", "no_chart"}
        How far the work may go; the question can narrow it further, never widen it.
    policy : GatePolicy
        The thresholds.

    Returns
    -------
    GateDecision
        Pure: equal arguments give equal decisions.
    """
    scope = asked.scope if scope == "full" else scope
    row, decision, reasons = _row(facts, asked, policy)
    withheld = decision == "recommended" and scope != "full"
    unmet = _unmet(facts, asked, policy) if facts.shape == "rows" and facts.rows else ()
    return GateDecision(
        decision=decision,
        reasons=tuple(reasons),
        candidate_views=candidate_views(facts, asked, policy) if decision == "recommended" else (),
        execution="withheld" if withheld else "due" if decision == "recommended" else "none",
        withheld_reason="scope_narrowed" if withheld else None,
        unmet_views=unmet,
        warnings=(
            *_warnings(asked, unmet, decision, withheld, timed=time_usable(facts, policy)),
            *_window_outside(facts, asked),
        ),
        asked=asked,
        scope=scope,
        row=row,
    )


_Row = tuple[str, Decision, list[GateNotice]]


def _row(facts: GateFacts, asked: Asked, policy: GatePolicy) -> _Row:
    if facts.shape == "none":
        return "G1", "blocked", [reason("dataset_unreadable")]
    if facts.shape == "document":
        if asked.chart or facts.numeric_lists:
            return "G2", "blocked", [reason("document_dataset")]
        return "G3", "not_needed", [reason("text_only")]
    if not facts.rows:
        if asked.chart:
            return "G4", "blocked", [reason("no_rows")]
        return "G4", "not_needed", [reason("empty_result")]
    return (
        (_asked_in_vain(facts, asked, policy) if policy.unmet_view == "block" else None)
        or _confirmed(facts, asked, policy)
        or _asked_in_vain(facts, asked, policy)
        or (_explicit(facts, asked, policy) if asked.chart else None)
        or _unasked(facts, policy)
    )


def _confirmed(facts: GateFacts, asked: Asked, policy: GatePolicy) -> _Row | None:
    signals = hard_signals(facts, policy, named_measures(facts, asked))
    if not signals:
        return None
    return "G5", "recommended", signals + [reason("user_requested")] * asked.chart


def _asked_in_vain(facts: GateFacts, asked: Asked, policy: GatePolicy) -> _Row | None:
    unmet = _unmet(facts, asked, policy)
    if not unmet or len(unmet) < len(asked.views):
        return None
    return "G6", "blocked", [reason("view_not_expressible", view=u.view, missing=u.missing) for u in unmet]


def _explicit(facts: GateFacts, asked: Asked, policy: GatePolicy) -> _Row:
    if any(drawable(view, facts, policy) for view in asked.views or VIEWS):
        return "G7", "recommended", [reason("user_requested")]
    if not facts.numbers and not facts.categories:
        return "G8", "blocked", [reason("no_numeric_field", columns=facts.columns)]
    if facts.rows < 2 or (time_usable(facts, policy) and not longest(facts, 2)):
        return "G8", "blocked", [reason("insufficient_points", rows=facts.rows)]
    return "G8", "blocked", [reason("no_axis_field", rows=facts.rows)]


def _unasked(facts: GateFacts, policy: GatePolicy) -> _Row:
    soft = soft_signals(facts, policy)
    if soft:
        return "G9", "recommended", soft
    if 0 < facts.numbers <= 3:
        return "G10", "not_needed", [reason("scalar", numbers=facts.numbers)]
    if facts.rows <= 2:
        return "G10", "not_needed", [reason("few_rows", rows=facts.rows)]
    if not (time_usable(facts, policy) or facts.categories or facts.measures or facts.has_text):
        return "G11", "blocked", [reason("no_usable_fields", columns=facts.columns)]
    if not facts.measures and facts.has_text:
        return "G12", "not_needed", [reason("text_only")]
    if not facts.measures or not (time_usable(facts, policy) or facts.categories):
        return "G12", "not_needed", [reason("no_relation", columns=len(facts.measures))]
    return "G12", "not_needed", [reason("table_clearer", rows=facts.rows)]


def _unmet(facts: GateFacts, asked: Asked, policy: GatePolicy) -> tuple[UnmetView, ...]:
    lacking = ((view, missing_for(view, facts, policy)) for view in asked.views)
    return tuple(UnmetView(view=view, missing=missing) for view, missing in lacking if missing)


def _window_outside(facts: GateFacts, asked: Asked) -> list[Notice]:
    if facts.covered is None:
        return []
    range_ = window_range(asked.window, facts.covered[1])
    if range_ is None or meets(range_, *facts.covered):
        return []
    first, last = facts.covered
    return [reason("window_outside", window=asked.window, first=first, last=last)]


def _warnings(
    asked: Asked, unmet: Sequence[UnmetView], decision: Decision, withheld: bool, *, timed: bool
) -> list[Notice]:
    warnings: list[Notice] = []
    if decision == "recommended":
        warnings += [reason("unmet_view", view=item.view, missing=item.missing) for item in unmet]
        warnings += [reason(f"{kind}_substituted") for kind in asked.substitutes]
        warnings += [reason("window_without_time")] * (asked.window is not None and not timed)
    if withheld and asked.chart:
        warnings.append(reason("scope_conflicts_with_user_request"))
    warnings += [reason("view_not_offered", phrase=phrase) for phrase in asked.not_offered]
    return warnings + [reason("window_not_read", phrase=phrase) for phrase in asked.unread]
