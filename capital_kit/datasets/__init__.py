"""Read a table from what an analyst has, and describe it.

>>> from capital_kit.datasets import parse_number
>>> parse_number("1.2亿").value
120000000.0
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from capital_kit._core.lazy import lazy

if TYPE_CHECKING:
    from capital_kit.datasets._cells._codes import normal_code
    from capital_kit.datasets._cells._periods import Period, resolve_period
    from capital_kit.datasets._cells._times import TimePoint, parse_time, time_text
    from capital_kit.datasets._cells._values import Parsed, parse_number
    from capital_kit.datasets._describe import describe_dataset, inspect_dataset, profile_dataset
    from capital_kit.datasets._description import Description, Inspection
    from capital_kit.datasets._model import Column, Dataset, Source
    from capital_kit.datasets._partitions._partitioned import PartitionedDataset
    from capital_kit.datasets._queries._query import query_dataset
    from capital_kit.datasets._queries._result import QueryResult
    from capital_kit.datasets._queries._spec import QuerySpec
    from capital_kit.datasets._queries._store import find_query
    from capital_kit.datasets._queries._time_range import DataTimeRange, resolve_data_time_range
    from capital_kit.datasets._read import as_dataset, read_dataset

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
    "normal_code",
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
        "_partitions._partitioned": ["PartitionedDataset"],
        "_cells._codes": ["normal_code"],
        "_cells._periods": ["Period", "resolve_period"],
        "_queries._query": ["query_dataset"],
        "_queries._result": ["QueryResult"],
        "_queries._spec": ["QuerySpec"],
        "_queries._store": ["find_query"],
        "_read": ["as_dataset", "read_dataset"],
        "_queries._time_range": ["DataTimeRange", "resolve_data_time_range"],
        "_cells._times": ["TimePoint", "parse_time", "time_text"],
        "_cells._values": ["Parsed", "parse_number"],
    },
)
