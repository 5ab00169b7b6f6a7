"""From data and a question to drawn charts and one summary."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from capital_kit._core.html import Html
from capital_kit._core.notices import Notice
from capital_kit._core.records import plain
from capital_kit.charts._gate import Decision, GateDecision, decide_visualization, described
from capital_kit.charts._outcomes import Failure, Outcome, Tools, as_reason, draw_all, skipped
from capital_kit.charts._plan import Plan, plan_charts
from capital_kit.charts._question import Scope
from capital_kit.charts._signals import MAX_VIEWS, reason
from capital_kit.workspace import SESSION_TASK, Workspace

if TYPE_CHECKING:
    from pathlib import Path

    from capital_kit.charts._chart import Chart
    from capital_kit.datasets._description import Description


@dataclass(frozen=True, kw_only=True, repr=False, eq=False)
class VisualizationSummary:
    """What became of a dataset: the decision, the charts, and what did not work.

    Attributes
    ----------
    decision : {"not_needed", "recommended", "blocked", "failed"}
        The state after everything that was to be done is done.
    gate : GateDecision
        The decision with its reasons and warnings.
    outcomes : tuple of Outcome
        Every chart with its terminal state.
    description : Description
        The data, described; numbers come from here and never from a chart.
    task_id : str
        The task that the charts belong to.
    """

    gate: GateDecision
    outcomes: tuple[Outcome, ...]
    description: Description
    task_id: str

    @property
    def decision(self) -> Decision:
        """The final state."""
        return self.gate.decision

    @property
    def charts(self) -> tuple[Chart, ...]:
        """The charts that were drawn."""
        return tuple(outcome.chart for outcome in self.outcomes if outcome.state == "rendered")

    @property
    def failures(self) -> tuple[Failure, ...]:
        """What did not work."""
        return tuple(outcome.failure for outcome in self.outcomes if outcome.failure)

    def to_dict(self) -> dict[str, Any]:
        """Return the summary as strict JSON: references and reasons, no data."""
        gate = self.gate
        record: dict[str, Any] = plain({
            "task_id": self.task_id,
            "dataset_id": self.description.dataset.dataset_id,
            "profile_ref": self.description.profile_ref,
            "visualization": {
                "decision": gate.decision,
                "reasons": [as_reason(notice) for notice in gate.reasons],
                "candidate_views": gate.candidate_views,
                "execution": gate.execution,
                "withheld_reason": gate.withheld_reason,
                "pending": 0,
            },
            "charts": [outcome.to_dict() for outcome in self.outcomes],
            "warnings": [as_reason(notice) for notice in gate.warnings],
            "failures": [failure.to_dict() for failure in self.failures],
        })  # fmt: skip
        return record

    def __repr__(self) -> str:
        views = ", ".join(f"{outcome.view} {outcome.state}" for outcome in self.outcomes)
        return f"VisualizationSummary({self.decision}, execution={self.gate.execution}, charts=[{views}])"

    def _repr_html_(self) -> str:
        return str(self._card())

    def _ipython_display_(self) -> None:
        """Show the card and, below it, every chart."""
        from IPython.display import display

        display({"text/plain": repr(self), "text/html": self._repr_html_()}, raw=True)
        for chart in self.charts:
            display(chart)

    def _card(self) -> Html:
        from capital_kit.charts._gate_cards import summary_card

        return summary_card(self)


def visualize(
    data: Any,
    question: str = "",
    *,
    chart_requested: bool = False,
    scope: Scope = "full",
    task_id: str | None = None,
    workspace: Workspace | str | Path | None = None,
) -> VisualizationSummary:
    """Describe data, decide whether they should be drawn, and draw them.

    Parameters
    ----------
    data : Dataset, Description or anything ``read_dataset`` takes
        The data. A description is not made again.
    question : str
        What the reader wants to know, as "近一年走势和成交量".
    chart_requested : bool
        The reader asked for a chart, whatever the question says.
    scope : {"full", "profile_only", "no_chart"}
        How far the work may go; a narrower scope withholds charts and says so.
    task_id : str, optional
        The task that the charts belong to. Default: the session's.
    workspace : Workspace or path, optional
        Where charts are kept.

    Returns
    -------
    VisualizationSummary
        One summary, when every chart is rendered, skipped or failed.

    Raises
    ------
    DatasetError
        The data cannot be read or described. Everything later is a state, not an error.
    """
    description = described(data)
    gate = decide_visualization(
        description, question=question, chart_requested=chart_requested, scope=scope
    )  # fmt: skip
    task = task_id or SESSION_TASK
    outcomes: tuple[Outcome, ...] = ()
    if gate.execution == "due":
        plans = plan_charts(gate, description)
        outcomes = draw_all(plans, _tools(description, task, workspace)) + left_out(gate, plans)
    return VisualizationSummary(
        gate=settle(gate, outcomes), outcomes=outcomes, description=description, task_id=task
    )  # fmt: skip


def settle(gate: GateDecision, outcomes: Sequence[Outcome]) -> GateDecision:
    """Return the decision after the work: what the outcomes make of ``due``.

    Parameters
    ----------
    gate : GateDecision
        The decision before.
    outcomes : sequence of Outcome
        One terminal state a chart.

    Returns
    -------
    GateDecision
        ``recommended`` if one chart was drawn or all were skipped, ``blocked`` if no source could
        be issued, else ``failed``.
    """
    if gate.execution != "due":
        return gate
    told = (notice for outcome in outcomes for notice in outcome.warnings if notice.code == "range_dropped")
    gate = replace(gate, execution="executed", warnings=(*gate.warnings, *told))
    failures = [outcome.failure for outcome in outcomes if outcome.failure]
    if not failures or any(outcome.state == "rendered" for outcome in outcomes):
        return gate
    blocked = all(failure.blocked for failure in failures)
    why: list[Notice] = []
    for code in dict.fromkeys(failure.code for failure in failures):
        same = [failure for failure in failures if failure.code == code]
        name = "token_not_issuable" if blocked else f"{same[0].stage}_failed"
        why.append(reason(name, cause=code, detail=same[0].detail, charts=len(same)))
    return replace(gate, decision="blocked" if blocked else "failed", reasons=(*why, *gate.reasons))


def left_out(gate: GateDecision, plans: Sequence[Plan]) -> tuple[Outcome, ...]:
    """Return a skipped outcome for every requested view that could be drawn but was not."""
    told = {view for plan in plans for view in (plan["view"], *plan["covers"])}
    told |= {item.view for item in gate.unmet_views}
    absent = [view for view in gate.asked.views if view not in told]
    code = "over_limit" if len(plans) >= MAX_VIEWS else "nothing_to_draw"
    return tuple(skipped(view, reason(code, view=view, limit=MAX_VIEWS)) for view in absent)


def _tools(description: Description, task: str, workspace: Workspace | str | Path | None) -> Tools:
    from capital_kit.charts._artifact import render_chart
    from capital_kit.charts._source import prepare_chart_source

    def prepare(plan: Plan) -> tuple[Any, Plan]:
        data = description.dataset
        if plan.get("table"):
            from capital_kit.charts._aggregate import aggregate

            data, drawn = aggregate(data, plan["table"])
            plan = {**plan, **drawn}
        return prepare_chart_source(data, task, workspace=workspace), plan

    def render(source: Any, spec: Mapping[str, Any]) -> Any:
        return render_chart(source.chart_source_ref, task, dict(spec), workspace=workspace)

    return Tools(prepare=prepare, render=render)
