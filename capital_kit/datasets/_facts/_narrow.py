"""The record cut to what was asked for, and the answers to the queries that came with it."""

from __future__ import annotations

import contextlib
import dataclasses
import json
from collections.abc import Sequence
from typing import Any

from capital_kit._core.notices import Notice
from capital_kit.datasets._description import Description, QueryOutcome
from capital_kit.errors import KitError, QueryError

QUERIES_MAX = 8


def narrowed(whole: Description, asked: Sequence[str]) -> Description:
    """Return a record with the columns of interest and that of time; the others are only named.

    ``roles.categories``, ``roles.measures`` and ``series_groups`` are narrowed with them, so that
    everything they name can be looked up. A document has no columns to choose from.
    """
    if whole.dataset.shape == "document":
        return _warned(whole, Notice("describe", "document_whole"))
    kept = {*asked, whole.roles.time}
    roles = dataclasses.replace(
        whole.roles,
        categories=tuple(name for name in whole.roles.categories if name in kept),
        measures=tuple(name for name in whole.roles.measures if name in kept),
    )
    found = dataclasses.replace(
        whole,
        columns=tuple(facts for facts in whole.columns if facts.name in kept),
        left_out=tuple(facts.name for facts in whole.columns if facts.name not in kept),
        roles=roles,
        series_groups=tuple(group for group in whole.series_groups if kept.issuperset(group.columns)),
    )
    unknown = [name for name in dict.fromkeys(asked) if name not in whole.dataset.names]
    if not unknown:
        return found
    return _warned(found, Notice("describe", "columns_unknown", columns=unknown, count=len(unknown)))


def listed_queries(queries: Any) -> list[Any]:
    """Return the queries as a list; one alone may come without it, and all as JSON text."""
    if queries is None:
        return []
    if isinstance(queries, str) and queries.lstrip().startswith("["):
        with contextlib.suppress(ValueError, RecursionError):  # as a query it says what is wrong
            queries = json.loads(queries)
    asked = list(queries) if isinstance(queries, list | tuple) else [queries]
    if len(asked) > QUERIES_MAX:
        raise QueryError.of(
            "query_spec_invalid", "too_many", key="queries", count=len(asked), allowed=QUERIES_MAX
        )
    return asked


def with_queries(found: Description, queries: Sequence[Any]) -> Description:
    """Return the record with what became of each query; one that fails stops nothing."""
    if not queries:
        return found
    if found.dataset.shape == "document":
        return _warned(found, Notice("describe", "queries_skipped", count=len(queries)))
    from capital_kit.datasets._queries._query import query_dataset

    outcomes = []
    for index, query in enumerate(queries):
        try:
            result = query_dataset(found.dataset, query, time_column=found.roles.time)
            outcomes.append(QueryOutcome(index=index, result=result))
        except KitError as error:
            told = {"code": error.code, "detail": error.message, "hint": error.hint}
            outcomes.append(QueryOutcome(index=index, error=told))
    return dataclasses.replace(found, queries=tuple(outcomes))


def _warned(found: Description, notice: Notice) -> Description:
    return dataclasses.replace(found, warnings=(notice, *found.warnings))
