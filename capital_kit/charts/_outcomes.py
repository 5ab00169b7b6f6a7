"""One chart from its plan to its terminal state: rendered, skipped or failed."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeVar

from capital_kit._core.notices import Notice
from capital_kit._core.records import plain
from capital_kit.charts._plan import MAX_SERIES, Plan
from capital_kit.charts._signals import reason
from capital_kit.errors import KitError

State = Literal["rendered", "skipped", "failed"]
Stage = Literal["prepare", "render"]
_T = TypeVar("_T")

# Known before any attempt could help: the data or the scope do not allow a source.
NOT_ISSUABLE = frozenset({
    "chart_source_invalid", "chart_source_not_found", "chart_source_scope_mismatch", "chart_too_large",
    "dataset_empty", "dataset_expired", "dataset_format_unsupported", "dataset_not_found",
    "dataset_not_row_readable", "dataset_session_mismatch", "dataset_too_large",
})  # fmt: skip
_CORRECTABLE = frozenset({"chart_spec_invalid", "chart_field_not_found"})
_RECEIPT = ("chart_id", "kind", "axis", "title", "points", "original_points", "downsampled")


@dataclass(frozen=True, slots=True, kw_only=True)
class Failure:
    """What went wrong, where, and after how many attempts."""

    stage: Stage
    code: str
    detail: str
    attempts: int

    @property
    def blocked(self) -> bool:
        """Whether no source could be issued at all, so that nothing was tried in vain."""
        return self.stage == "prepare" and self.code in NOT_ISSUABLE

    def to_dict(self) -> dict[str, Any]:
        """Return the failure as strict JSON."""
        return {"stage": self.stage, "code": self.code, "detail": self.detail, "attempts": self.attempts}


@dataclass(frozen=True, slots=True, kw_only=True)
class Tools:
    """The two calls that make a chart: ``prepare(plan)`` a source, ``render(source, spec)`` of it."""

    prepare: Callable[[Plan], tuple[Any, Plan]]
    render: Callable[[Any, Mapping[str, Any]], Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """The terminal state of one planned chart."""

    state: State
    view: str
    role: str
    title: str
    kind: str
    chart: Any = None
    failure: Failure | None = None
    warnings: tuple[Notice, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the state with the facts of the receipt; ``chart_ref`` only for a rendered chart."""
        receipt: Mapping[str, Any] = self.chart.to_dict() if self.chart is not None else {}
        record: dict[str, Any] = {"state": self.state, "view": self.view, "role": self.role}
        if self.state == "rendered":
            record["chart_ref"] = receipt["chart_ref"]
        record |= {name: receipt.get(name) for name in _RECEIPT}
        record |= {"kind": record["kind"] or self.kind, "title": record["title"] or self.title}
        told = [as_reason(notice) for notice in self.warnings]
        record["warnings"] = [*(as_reason(notice) for notice in receipt.get("warnings", ())), *told]
        if self.failure:
            record["error"] = {"code": self.failure.code, "detail": self.failure.detail}
        strict: dict[str, Any] = plain(record)
        return strict


def as_reason(notice: Any) -> Any:
    """Return a notice as ``{"code", "detail"}``, from its object or its record."""
    if isinstance(notice, Notice):
        return {"code": notice.code, "detail": notice.message}
    if isinstance(notice, Mapping):
        return {"code": notice.get("code"), "detail": notice.get("detail", notice.get("message"))}
    return notice


def skipped(view: str, notice: Notice) -> Outcome:
    """Return the outcome of a view that was deliberately not drawn."""
    return Outcome(state="skipped", view=view, role="requested", title="", kind="", warnings=(notice,))


def draw_all(plans: Sequence[Plan], tools: Tools) -> tuple[Outcome, ...]:
    """Issue all sources, then draw; return when every chart has a terminal state."""
    prepared = [_prepare(plan, tools) for plan in plans]
    return tuple(item if isinstance(item, Outcome) else item.draw(tools) for item in prepared)


def _prepare(plan: Plan, tools: Tools) -> Outcome | _Drawing:
    source, failure = _attempt("prepare", lambda: tools.prepare(plan))
    warnings: list[Notice] = []
    if failure and failure.code == "chart_no_rows" and (plan.get("table") or {}).get("range"):
        warnings.append(reason("range_dropped", view=plan["view"]))
        plan = {**_without_window(plan), "table": {**plan["table"], "range": None}}
        source, failure = _attempt("prepare", lambda: tools.prepare(plan), 2)
    elif failure and failure.code == "OSError":
        source, failure = _attempt("prepare", lambda: tools.prepare(plan), 2)
    if source is None:
        return _outcome(plan, failure=failure, warnings=tuple(warnings))
    return _Drawing(plan=plan, source=source[0], spec=_spec_of(source[1]), warnings=warnings)


@dataclass(slots=True, kw_only=True)
class _Drawing:
    """A chart whose source is issued."""

    plan: Plan
    source: Any
    spec: dict[str, Any]
    warnings: list[Notice] = field(default_factory=list)
    error: KitError | None = None

    def draw(self, tools: Tools) -> Outcome:
        """Render, with one second try where one can help."""
        chart, failure = self._try(tools, 1)
        if failure and self._mended(tools):
            chart, failure = self._try(tools, 2)
        into = self.plan["view"]
        merged = tuple(reason("view_merged", view=view, into=into) for view in self.plan["merged"])
        return _outcome(self.plan, chart=chart, failure=failure, warnings=(*self.warnings, *merged))

    def _try(self, tools: Tools, attempt: int) -> tuple[Any, Failure | None]:
        self.error = None

        def render() -> Any:
            try:
                return tools.render(self.source, self.spec)
            except KitError as error:
                self.error = error
                raise

        return _attempt("render", render, attempt)

    def _mended(self, tools: Tools) -> bool:
        error = self.error
        if error is None:
            return False
        if error.code == "chart_source_expired":
            # Only the issuer may issue again, and only once.
            again, _ = _attempt("prepare", lambda: tools.prepare(self.plan))
            self.source = again[0] if again else self.source
            return again is not None
        better = corrected(self.spec, error)
        if better is None:
            return False
        dropped = "range" in self.spec and "range" not in better
        code = "range_dropped" if dropped else "spec_corrected"
        self.warnings.append(reason(code, view=self.plan["view"]))
        self.plan = _without_window(self.plan) if dropped else self.plan
        self.spec = {**better, "title": self.plan["title"]}
        return True


def _without_window(plan: Plan) -> Plan:
    """Take the window out of a title, which must not name one that is not drawn."""
    return {**plan, "title": plan["title"].removesuffix(plan.get("window", "")), "window": ""}


def _attempt(stage: Stage, call: Callable[[], _T], attempt: int = 1) -> tuple[_T | None, Failure | None]:
    try:
        return call(), None
    except KitError as error:
        return None, Failure(stage=stage, code=error.code, detail=error.message, attempts=attempt)
    except OSError as error:
        # The text of an OSError names a path of the machine; its reason does not.
        detail = error.strerror or type(error).__name__
        return None, Failure(stage=stage, code="OSError", detail=detail, attempts=attempt)


def _outcome(
    plan: Plan, *, chart: Any = None, failure: Failure | None = None, warnings: tuple[Notice, ...] = ()
) -> Outcome:
    return Outcome(
        state="failed" if failure else "rendered", view=plan["view"], role=plan["role"], title=plan["title"],
        kind=plan["kind"], chart=chart, failure=failure, warnings=warnings,
    )  # fmt: skip


def _spec_of(plan: Plan) -> dict[str, Any]:
    return {
        name: value
        for name, value in plan.items()
        if name not in ("view", "role", "covers", "merged", "table", "window")
    }


# ------------------------------------------------------------------- the one correction
def corrected(spec: Mapping[str, Any], error: KitError) -> dict[str, Any] | None:
    """Return the specification mended by what the error says is allowed or available.

    Parameters
    ----------
    spec : mapping
        What was refused.
    error : KitError
        Why.

    Returns
    -------
    dict or None
        None where nothing honest can be done: a chart is never mended into another one.
    """
    if error.code == "chart_no_rows" and spec.get("range"):
        return {name: value for name, value in spec.items() if name != "range"}
    if error.code not in _CORRECTABLE:
        return None
    if error.code == "chart_field_not_found":
        return _with_fields(dict(spec), error.details)
    series = spec.get("series", ())
    if len(series) > MAX_SERIES:
        return {**spec, "series": list(series)[:MAX_SERIES]}
    if spec.get("range") and ("axis" in error.details or "value" in error.details):
        return {name: value for name, value in spec.items() if name != "range"}
    return None


def _with_fields(spec: dict[str, Any], details: Mapping[str, Any]) -> dict[str, Any] | None:
    available = {_folded(name): name for name in _names(details.get("available", ()))}
    wrong = set(_names(details.get("missing", ()))) | set(_names(details.get("field", ())))
    renamed = {name: available.get(_folded(name)) for name in wrong}
    renamed = {name: new if new != name else None for name, new in renamed.items()}
    if not wrong:
        return None

    def new(name: str) -> str | None:
        return renamed.get(name, name)

    needed = [*([spec["x"]] if spec.get("x") else []), *spec.get("ohlc", {}).values()]
    if any(new(name) is None for name in needed):
        return None
    had_series = bool(spec.get("series"))
    better = {
        **spec,
        "x": new(spec["x"]) if spec.get("x") else None,
        "series": [name for old in spec.get("series", ()) if (name := new(old))],
        "ohlc": {part: new(name) for part, name in spec.get("ohlc", {}).items()},
        "volume": new(spec["volume"]) if spec.get("volume") else None,
    }
    if had_series and not better["series"]:
        return None
    better = {name: value for name, value in better.items() if value not in (None, [], {})}
    return better if better != spec else None


def _names(value: Any) -> list[str]:
    if isinstance(value, str):
        return [name for name in value.split(", ") if name]
    return [str(name) for name in value]


def _folded(name: str) -> str:
    return "".join(unicodedata.normalize("NFKC", name).casefold().split())
