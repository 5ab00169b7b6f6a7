"""Draw a dataset, decide whether to draw it, and keep what was drawn.

>>> from capital_kit.charts import ChartSpec
>>> ChartSpec(kind="column", series=()).kind
'column'
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from capital_kit.charts._artifact import render_chart
    from capital_kit.charts._chart import Chart, chart
    from capital_kit.charts._gate import GateDecision, decide_visualization
    from capital_kit.charts._signals import GatePolicy
    from capital_kit.charts._source import ChartSource, prepare_chart_source
    from capital_kit.charts._spec import ChartSpec
    from capital_kit.charts._visualize import VisualizationSummary, visualize

__all__ = [
    "Chart",
    "ChartSource",
    "ChartSpec",
    "GateDecision",
    "GatePolicy",
    "VisualizationSummary",
    "chart",
    "decide_visualization",
    "prepare_chart_source",
    "render_chart",
    "visualize",
]

_MODULE_OF = {
    "Chart": "_chart",
    "ChartSource": "_source",
    "ChartSpec": "_spec",
    "GateDecision": "_gate",
    "GatePolicy": "_signals",
    "VisualizationSummary": "_visualize",
    "chart": "_chart",
    "decide_visualization": "_gate",
    "prepare_chart_source": "_source",
    "render_chart": "_artifact",
    "visualize": "_visualize",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
