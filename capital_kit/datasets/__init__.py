"""Read a table from what an analyst has, and describe it.

>>> from capital_kit.datasets import parse_number
>>> parse_number("1.2亿").value
120000000.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from capital_kit._core.lazy import lazy

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

__getattr__, __dir__ = lazy(
    __name__,
    {
        "_describe": ["describe_dataset"],
        "_description": ["Description"],
        "_model": ["Column", "Dataset", "Source"],
        "_read": ["as_dataset", "read_dataset"],
        "_times": ["TimePoint", "parse_time", "time_text"],
        "_values": ["Parsed", "parse_number"],
    },
)
