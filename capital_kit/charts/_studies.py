"""The indicators of a chart: computed on all rows, before the range and before any reduction."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from capital_kit._core.labels import tr
from capital_kit._core.notices import Notice
from capital_kit.charts import _indicators
from capital_kit.charts._study_spec import StudySpec

if TYPE_CHECKING:
    from capital_kit.charts._payload import Payload, Series
    from capital_kit.charts._sample import Floats, Rows

FORMULAS = {
    "ma": "MA[t] = mean(p[t-window+1..t])",
    "ema": "EMA[t] = EMA[t-1] + 2/(window+1) * (p[t] - EMA[t-1]), from mean(p[0..window-1])",
    "boll": "MID = MA(window); UPPER, LOWER = MID ± k * population deviation of the window",
    "macd": "DIF = EMA(fast) - EMA(slow); DEA = EMA(DIF, signal); MACD = 2 * (DIF - DEA)",
    "rsi": "RSI = 100 * U / (U + D); U, D = Wilder means (weight 1/window) of rises, falls; 50 if both 0",
    "drawdown": "DD[t] = 100 * (p[t] / max(p[0..t]) - 1)",
}
RULE = (
    "all rows before range and sampling; missing prices are left out of the windows and stay missing; "
    "warm-up is missing"
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Study:
    """An indicator with its lines."""

    spec: StudySpec
    of: str
    label: str
    lines: tuple[Series, ...]
    overlay: bool

    def rows(self, rows: Rows) -> Study:
        """Return the indicator at some of the rows."""
        return replace(self, lines=tuple(replace(line, values=line.values[rows]) for line in self.lines))

    def to_dict(self) -> dict[str, Any]:
        """Return what was computed and how; no values."""
        return {
            "name": self.label, **self.spec.to_dict(), "of": self.of,
            "formula": FORMULAS[self.spec.type], "rule": RULE,
        }  # fmt: skip


def with_studies(payload: Payload) -> Payload:
    """Compute the indicators that the specification asks for, of the close or of the first series."""
    spec = payload.spec
    if not spec.overlays and not spec.panes:
        return payload
    if payload.bars is not None:
        prices, of, unit = payload.bars[3], (spec.ohlc or {})["close"], None
    else:
        first = payload.series[0]
        prices, of, unit = first.values, first.label, first.unit
    studies = [
        *(_study(item, prices, of, unit, overlay=True) for item in spec.overlays),
        *(_study(item, prices, of, unit, overlay=False) for item in spec.panes),
    ]
    if payload.bars is None and len(payload.series) > 1:
        studies = [replace(study, label=f"{of} {study.label}") for study in studies]
    empty = [study.label for study in studies if all(np.isnan(line.values).all() for line in study.lines)]
    told = (Notice("charts", "studies_short", names=", ".join(empty), rows=int(np.sum(~np.isnan(prices)))),)
    return replace(
        payload, studies=tuple(studies), notices=(*payload.notices, *(told if empty else ()))
    )  # fmt: skip


def _study(spec: StudySpec, prices: Floats, of: str, unit: str | None, *, overlay: bool) -> Study:
    numbers = {name: int(value) if name != "k" else value for name, value in spec.parameters.items()}
    computed: Callable[..., Any] = _FUNCTIONS[spec.type]
    found = computed(prices, **numbers)
    arrays: Sequence[Floats] = found if isinstance(found, tuple) else (found,)
    label = tr("charts.label.drawdown") if spec.type == "drawdown" else spec.label
    names = _LINES.get(spec.type, (label,))
    return Study(spec=spec, of=of, label=label, overlay=overlay, lines=tuple(
        _line(name, values, unit if overlay else None, spec.type)
        for name, values in zip(names, arrays, strict=True)
    ))  # fmt: skip


def _line(name: str, values: Floats, unit: str | None, kind: str) -> Series:
    from capital_kit.charts._payload import Series

    shape = "column" if name == "MACD" else "area" if kind == "drawdown" else "line"
    return Series(
        field=f"{kind}:{name}", label=name, type=shape, values=values, unit=unit, percent=kind == "drawdown"
    )


_FUNCTIONS: dict[str, Callable[..., Any]] = {
    "ma": _indicators.moving_average,
    "ema": _indicators.exponential_average,
    "boll": _indicators.bollinger_bands,
    "macd": _indicators.macd,
    "rsi": _indicators.relative_strength,
    "drawdown": _indicators.drawdown,
}
_LINES = {"boll": ("MID", "UPPER", "LOWER"), "macd": ("DIF", "DEA", "MACD")}
