"""Draw a dataset, decide whether to draw it, and keep what was drawn.

>>> from capital_kit.charts import ChartSpec
>>> ChartSpec(kind="column", series=()).kind
'column'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from capital_kit._core.lazy import lazy

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

__getattr__, __dir__ = lazy(
    __name__,
    {
        "_artifact": ["render_chart"],
        "_chart": ["Chart", "chart"],
        "_gate": ["GateDecision", "decide_visualization"],
        "_signals": ["GatePolicy"],
        "_source": ["ChartSource", "prepare_chart_source"],
        "_spec": ["ChartSpec"],
        "_visualize": ["VisualizationSummary", "visualize"],
    },
)
