"""Read a table from what an analyst has, and describe it.

>>> from capital_kit.datasets import parse_number
>>> parse_number("1.2亿").value
120000000.0
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from capital_kit.datasets._describe import describe_dataset
    from capital_kit.datasets._description import Description
    from capital_kit.datasets._model import Column, Dataset, Source
    from capital_kit.datasets._read import as_dataset, read_dataset
    from capital_kit.datasets._times import TimePoint, parse_time, time_text
    from capital_kit.datasets._values import Parsed, parse_number

__all__ = [
    "Column",
    "Dataset",
    "Description",
    "Parsed",
    "Source",
    "TimePoint",
    "as_dataset",
    "describe_dataset",
    "parse_number",
    "parse_time",
    "read_dataset",
    "time_text",
]

_MODULE_OF = {
    "Column": "_model",
    "Dataset": "_model",
    "Description": "_description",
    "Parsed": "_values",
    "Source": "_model",
    "TimePoint": "_times",
    "as_dataset": "_read",
    "describe_dataset": "_describe",
    "parse_number": "_values",
    "parse_time": "_times",
    "read_dataset": "_read",
    "time_text": "_times",
}


def __getattr__(name: str) -> Any:
    if name not in _MODULE_OF:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = getattr(import_module(f"{__name__}.{_MODULE_OF[name]}"), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return __all__
