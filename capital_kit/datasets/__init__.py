"""Read a table from what an analyst has, and describe it.

>>> from capital_kit.datasets import parse_number
>>> parse_number("1.2亿").value
120000000.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from capital_kit._core.lazy import lazy

if TYPE_CHECKING:
    from capital_kit.datasets._describe import describe_dataset, inspect_dataset, profile_dataset
    from capital_kit.datasets._description import Description, Inspection
    from capital_kit.datasets._model import Column, Dataset, Source
    from capital_kit.datasets._partitioned import PartitionedDataset
    from capital_kit.datasets._periods import Period, resolve_period
    from capital_kit.datasets._query import query_dataset
    from capital_kit.datasets._query_result import QueryResult
    from capital_kit.datasets._query_spec import QuerySpec
    from capital_kit.datasets._query_store import find_query
    from capital_kit.datasets._read import as_dataset, read_dataset
    from capital_kit.datasets._time_range import DataTimeRange, resolve_data_time_range
    from capital_kit.datasets._times import TimePoint, parse_time, time_text
    from capital_kit.datasets._values import Parsed, parse_number

__all__ = [
    "Column",
    "DataTimeRange",
    "Dataset",
    "Description",
    "Inspection",
    "Parsed",
    "PartitionedDataset",
    "Period",
    "QueryResult",
    "QuerySpec",
    "Source",
    "TimePoint",
    "as_dataset",
    "describe_dataset",
    "find_query",
    "inspect_dataset",
    "parse_number",
    "parse_time",
    "profile_dataset",
    "query_dataset",
    "read_dataset",
    "resolve_data_time_range",
    "resolve_period",
    "time_text",
]

__getattr__, __dir__ = lazy(
    __name__,
    {
        "_describe": ["describe_dataset", "inspect_dataset", "profile_dataset"],
        "_description": ["Description", "Inspection"],
        "_model": ["Column", "Dataset", "Source"],
        "_partitioned": ["PartitionedDataset"],
        "_periods": ["Period", "resolve_period"],
        "_query": ["query_dataset"],
        "_query_result": ["QueryResult"],
        "_query_spec": ["QuerySpec"],
        "_query_store": ["find_query"],
        "_read": ["as_dataset", "read_dataset"],
        "_time_range": ["DataTimeRange", "resolve_data_time_range"],
        "_times": ["TimePoint", "parse_time", "time_text"],
        "_values": ["Parsed", "parse_number"],
    },
)
