"""Which indicators a chart shows: their names, parameters and short forms."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from capital_kit.errors import ChartError

Parameters = Mapping[str, float]

OVERLAYS: Mapping[str, Parameters] = {
    "ma": {"window": 20}, "ema": {"window": 12}, "boll": {"window": 20, "k": 2},
}  # fmt: skip
PANES: Mapping[str, Parameters] = {
    "volume": {}, "macd": {"fast": 12, "slow": 26, "signal": 9}, "rsi": {"window": 14}, "drawdown": {},
}  # fmt: skip
STUDY_KINDS = ("candlestick", "bar", "line", "area")
MAX_OVERLAYS = 6
MAX_WINDOW = 1000
MAX_K = 10
_SHORT = re.compile(r"([a-z]+)\s*\(?(\d*)\)?")


@dataclass(frozen=True, slots=True, kw_only=True)
class StudySpec:
    """One indicator: ``ma``, ``ema`` or ``boll`` over the prices, ``macd``, ``rsi`` or ``drawdown`` below."""

    type: str
    parameters: Parameters

    @property
    def label(self) -> str:
        """What the legend calls it: MA20, BOLL(20,2), MACD(12,26,9)."""
        numbers = [f"{value:g}" for value in self.parameters.values()]
        name = self.type.upper()
        return name + (numbers[0] if len(numbers) == 1 else f"({','.join(numbers)})" if numbers else "")

    def to_dict(self) -> dict[str, Any]:
        """Return the long form."""
        return {"type": self.type, **self.parameters}


def overlay_specs(value: Any) -> tuple[StudySpec, ...]:
    """Check the indicators that are drawn over the prices."""
    return _studies(value, "overlays", OVERLAYS, f"0–{MAX_OVERLAYS}", MAX_OVERLAYS)


def pane_specs(value: Any) -> tuple[StudySpec, ...]:
    """Check the indicators that have a pane of their own, ``volume`` among them."""
    found = _studies(value, "panes", PANES, f"0–{len(PANES)}", len(PANES))
    types = [item.type for item in found]
    twice = next((name for name in types if types.count(name) > 1), None)
    if twice:
        raise ChartError.of("chart_spec_invalid", "study_twice", type=twice, allowed=list(PANES))
    return found


def _studies(
    value: Any, member: str, known: Mapping[str, Parameters], allowed: str, limit: int
) -> tuple[StudySpec, ...]:
    items = [value] if isinstance(value, str | Mapping | StudySpec) else value
    if not isinstance(items, Sequence):
        raise ChartError.of("chart_spec_invalid", "study_type", member=member, value=str(value)[:80],
                            allowed=list(known))  # fmt: skip
    if len(items) > limit:
        raise ChartError.of(
            "chart_spec_invalid", "study_count", member=member, count=len(items), allowed=allowed
        )
    found = [_one(item, member, known) for item in items]
    return tuple(item for i, item in enumerate(found) if item not in found[:i])


def _one(item: Any, member: str, known: Mapping[str, Parameters]) -> StudySpec:
    if isinstance(item, StudySpec):
        item = item.to_dict()
    given = dict(item) if isinstance(item, Mapping) else _from_short(str(item))
    name = str(given.pop("type", "")).strip().lower()
    if name not in known:
        raise ChartError.of("chart_spec_invalid", "study_type", member=member, value=str(item)[:80],
                            allowed=list(known))  # fmt: skip
    strange = [str(key)[:80] for key in given if key not in known[name]]
    if strange:
        raise ChartError.of("chart_spec_invalid", "study_key", type=name, key=strange[0],
                            allowed=list(known[name]) or "—")  # fmt: skip
    found = {key: _number(name, key, given.get(key), usual) for key, usual in known[name].items()}
    if name == "macd" and found["fast"] >= found["slow"]:
        raise ChartError.of("chart_spec_invalid", "study_parameter", type=name, parameter="fast",
                            value=f"{found['fast']:g}", allowed=f"< slow ({found['slow']:g})")  # fmt: skip
    return StudySpec(type=name, parameters=found)


def _from_short(text: str) -> dict[str, Any]:
    match = _SHORT.fullmatch(text.strip().lower())
    if match is None:
        return {"type": text}
    return {"type": match[1], **({"window": int(match[2])} if match[2] else {})}


def _number(name: str, key: str, given: Any, usual: float) -> float:
    if given is None:
        return usual
    number = given if isinstance(given, int | float) and not isinstance(given, bool) else float("nan")
    whole = key != "k"
    fits = (2 <= number <= MAX_WINDOW and number == int(number)) if whole else 0 < number <= MAX_K
    if not fits:
        allowed = f"2–{MAX_WINDOW}" if whole else f"0–{MAX_K}"
        raise ChartError.of("chart_spec_invalid", "study_parameter", type=name, parameter=key,
                            value=str(given)[:80], allowed=allowed)  # fmt: skip
    return int(number) if whole else number
