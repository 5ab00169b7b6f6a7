"""What a chart draws where the caller leaves it open: the roles of the columns decide."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from capital_kit._core.notices import Notice
from capital_kit.charts._spec import KIND_ALIASES, MAX_SERIES, OHLC_KINDS
from capital_kit.charts._study_spec import pane_specs
from capital_kit.datasets._model import NUMERIC
from capital_kit.errors import ChartError

if TYPE_CHECKING:
    from capital_kit.datasets import Description


def complete_spec(
    description: Description, wanted: Mapping[str, Any]
) -> tuple[dict[str, Any], tuple[Notice, ...]]:
    """Return the specification with its open members filled in, and what was left out on the way."""
    roles = description.roles
    spec = {key: value for key, value in wanted.items() if value is not None}
    notices: tuple[Notice, ...] = ()
    if "kind" not in spec:
        series_only = "series" in spec and "ohlc" not in spec
        spec["kind"] = _kind(description, ohlc=bool(spec.get("ohlc") or (roles.ohlc and not series_only)))
    kind = str(spec["kind"]).strip().lower()
    bars = KIND_ALIASES.get(kind, kind) in OHLC_KINDS
    if bars and "ohlc" not in spec and not roles.ohlc:
        raise ChartError.of(
            "chart_spec_invalid", "no_bars", kind=kind, source=description.source.label,
            allowed=["line", "area", "column"] if roles.time else ["column"],
        )  # fmt: skip
    if "x" not in spec:
        spec["x"] = roles.time or (None if bars else _category(description))
    if bars and roles.ohlc:
        spec.setdefault("ohlc", dict(roles.ohlc))
    panes = pane_specs(wanted.get("panes") or ())
    given = wanted.get("volume")
    asked = given is None and any(pane.type == "volume" for pane in panes)
    spec["volume"] = _volume(description, True if asked else given, bars=bars)
    if not bars and "series" not in spec:
        spec["series"], notices = _series(description)
    return spec, notices


def _kind(description: Description, *, ohlc: bool) -> str:
    if ohlc:
        return "candlestick"
    return "line" if description.roles.time else "column"


def _category(description: Description) -> str | None:
    roles = description.roles
    entity = roles.entity.get("column") if roles.entity else None
    named = (facts.name for facts in description.columns if facts.kind in ("category", "code", "text"))
    return entity or next(iter(roles.categories), None) or next(named, None)


def _volume(description: Description, given: Any, *, bars: bool) -> str | None:
    if isinstance(given, str):
        return given
    found = description.roles.volume
    if given is True and found is None:
        allowed = [facts.name for facts in description.columns if facts.kind in NUMERIC]
        raise ChartError.of(
            "chart_spec_invalid", "volume", source=description.source.label, allowed=list(allowed[:15])
        )  # fmt: skip
    return found if given is True or (given is None and bars) else None


def _series(description: Description) -> tuple[list[str], tuple[Notice, ...]]:
    roles = description.roles
    measures = list(roles.measures)
    group = next((list(item.columns) for item in description.series_groups), [])
    names = [name for name in group if name in measures] or measures[:1]
    if not names and roles.ohlc:
        names = [roles.ohlc["close"]]
    if not names:
        names = [facts.name for facts in description.columns if facts.kind in NUMERIC][:1]
    if not names:
        raise ChartError.of("chart_spec_invalid", "nothing", source=description.source.label, allowed="—")
    entity = roles.entity
    if entity and int(entity.get("distinct") or 0) > 1 and roles.time:
        return names[:1], ()
    told = (
        (Notice("charts", "series_cut", shown=MAX_SERIES, total=len(names)),)
        if len(names) > MAX_SERIES
        else ()
    )
    return names[:MAX_SERIES], told
