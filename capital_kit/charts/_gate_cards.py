"""Cards of the gate: what was decided, why, and what became of the charts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from capital_kit._core.html import Html, Tone, badge, bullets, card, facts, join, table, tag
from capital_kit._core.labels import tr
from capital_kit._core.notices import Notice
from capital_kit._core.numbers import show
from capital_kit.charts._outcomes import as_reason
from capital_kit.charts._plan import window_words
from capital_kit.charts._signals import in_words

if TYPE_CHECKING:
    from capital_kit.charts._gate import GateDecision
    from capital_kit.charts._outcomes import Outcome
    from capital_kit.charts._visualize import VisualizationSummary

_TONE: dict[str, Tone] = {"recommended": "ok", "not_needed": "muted", "blocked": "warn", "failed": "bad"}
_STATE_TONE: dict[str, Tone] = {"rendered": "ok", "skipped": "muted", "failed": "bad"}
_PLACES = "①②③④"


def decision_card(gate: GateDecision) -> Html:
    """Return the card of a decision."""
    return card(
        tr("gate.card.decision"), _lead(gate), *_body(gate),
        subtitle=_subtitle(gate), badges=_badges(gate),
    )  # fmt: skip


def summary_card(summary: VisualizationSummary) -> Html:
    """Return the card of a summary: the decision, and every chart with its state."""
    gate, outcomes = summary.gate, summary.outcomes
    counts = [(state, sum(outcome.state == state for outcome in outcomes)) for state in _STATE_TONE]
    marks = [badge(tr(f"gate.card.{_COUNTED[state]}", n=n), _STATE_TONE[state]) for state, n in counts if n]
    return card(
        tr("gate.card.summary"),
        _lead(gate),
        _chart_table(outcomes) if outcomes else "",
        *_body(gate),
        subtitle=_subtitle(gate, summary.description.source.label),
        badges=[*_badges(gate), *marks],
    )


_COUNTED = {"rendered": "drawn", "skipped": "skipped", "failed": "failed"}


def _lead(gate: GateDecision) -> Html:
    return tag("p", tr(f"gate.lead.{gate.decision}"), style="margin:6px 0 2px;")


def _subtitle(gate: GateDecision, label: str = "") -> str:
    asked = tr("gate.card.question", question=gate.question) if gate.question else ""
    return " · ".join(part for part in (label, asked) if part)


def _badges(gate: GateDecision) -> list[Html]:
    badges = [badge(tr(f"gate.decision.{gate.decision}"), _TONE[gate.decision])]
    if gate.execution in ("withheld", "due"):
        tone: Tone = "warn" if gate.execution == "withheld" else "info"
        badges.append(badge(tr(f"gate.execution.{gate.execution}"), tone))
    return badges


def _body(gate: GateDecision) -> list[object]:
    parts: list[object] = [_heading("why"), bullets(notice.message for notice in gate.reasons)]
    if gate.candidate_views:
        parts += [_heading("views"), _views(gate.candidate_views)]
    # Where nothing can be drawn, the reasons already say what is missing.
    if gate.unmet_views and gate.candidate_views:
        rows = [(in_words("view", item.view), in_words("missing", item.missing)) for item in gate.unmet_views]
        headers = (tr("gate.card.view"), tr("gate.card.missing"))
        parts.append(table(headers, rows, caption=tr("gate.card.unmet")))
    notes = [notice for notice in gate.warnings if notice.code != "unmet_view"]
    if notes:
        parts += [_heading("notes"), bullets(notice.message for notice in notes)]
    return [*parts, facts(_read(gate))]


def _read(gate: GateDecision) -> Iterable[tuple[str, object]]:
    if gate.asked.window:
        yield tr("gate.card.window"), window_words(gate.asked.window)
    if gate.asked.fields:
        yield tr("gate.card.fields"), in_words("fields", gate.asked.fields)


def _heading(name: str) -> Html:
    return tag("div", tr(f"gate.card.{name}"), style="font-weight:600;font-size:.9em;margin-top:8px;")


def _views(views: Iterable[str]) -> Html:
    named = zip(_PLACES, views, strict=False)
    marks = [badge(f"{place} {tr(f'gate.view.{view}')}", "info") for place, view in named]
    return tag("div", join(marks), style="margin:4px 0;")


def _chart_table(outcomes: Iterable[Outcome]) -> Html:
    headers = [tr(f"gate.card.{name}") for name in ("state", "view", "title", "role", "points", "remarks")]
    rows = [_chart_row(outcome) for outcome in outcomes]
    shown = len(headers) if any(row[-1] for row in rows) else len(headers) - 1
    return table(
        headers[:shown], [row[:shown] for row in rows], caption=tr("gate.card.charts"), numeric=[4]
    )  # fmt: skip


def _chart_row(outcome: Outcome) -> tuple[object, ...]:
    receipt = outcome.chart.to_dict() if outcome.chart is not None else {}
    remarks = [_text(notice) for notice in receipt.get("warnings", ())]
    remarks += [notice.message for notice in outcome.warnings]
    if outcome.failure:
        failure = outcome.failure
        remarks.insert(0, tr("gate.card.attempts", detail=failure.detail, n=failure.attempts))
    return (
        badge(tr(f"gate.state.{outcome.state}"), _STATE_TONE[outcome.state]),
        tr(f"gate.view.{outcome.view}"),
        receipt.get("title") or outcome.title or "—",
        tr(f"gate.role.{outcome.role}"),
        _points(receipt.get("points"), receipt.get("original_points")),
        join(tag("div", remark) for remark in remarks),
    )


def _points(shown: int | None, all_: int | None) -> str:
    if shown is None or all_ is None or shown == all_:
        return show(shown)
    return tr("gate.card.points_of", shown=show(shown), all=show(all_))


def _text(notice: Notice | object) -> str:
    record = as_reason(notice)
    return str(record["detail"]) if isinstance(record, dict) else str(record)
