"""Many reports over the same sources, one after the other or in an executor."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import lru_cache, partial
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from capital_kit.citations._check import Grouping, Rules
from capital_kit.citations._report import (
    ReportVerdict,
    check_text,
    read_patterns,
    read_rules,
    require_anchors,
    require_sources,
)
from capital_kit.citations._report_file import AnyFormat, read_report
from capital_kit.citations._store import SourceStore
from capital_kit.citations._verify import Scope, sources_folder, workspace_of
from capital_kit.workspace import Workspace

if TYPE_CHECKING:
    from concurrent.futures import Executor


def verify_reports(
    texts_or_paths: Iterable[str | PathLike[str]],
    sources_dir: str | PathLike[str],
    *,
    format: AnyFormat = "auto",  # noqa: A002 - the contract's word
    scope: Scope = "section",
    group: Grouping = "adjacent",
    keywords: Mapping[str, Sequence[str]] | None = None,
    fact_patterns: Sequence[str] = (),
    executor: Executor | None = None,
    workspace: Workspace | str | Path | None = None,
) -> list[ReportVerdict]:
    """Check many reports over the same sources.

    Parameters
    ----------
    texts_or_paths : iterable of str or path
        The reports; see :func:`verify_report` for these and for the other parameters. Here
        ``keywords`` may name anchors that only some of the reports hold.
    sources_dir : path
        The folder of the source files, which the workers of an executor must see too.
    executor : concurrent.futures.Executor, optional
        Where the reports are checked: a pool of threads or processes, or the executor of a Dask
        client. The verdicts are the same as without one.
    workspace : Workspace or path, optional
        Where query results are stored; the workers must see it too.

    Returns
    -------
    list of ReportVerdict
        In the order of the reports.
    """
    folder = sources_folder(sources_dir)
    rules = read_rules(scope=scope, group=group, keywords=keywords, stored=workspace is not None)
    patterns = read_patterns(fact_patterns)
    require_sources(folder)
    reports = [read_report(item, format) for item in texts_or_paths]
    work = partial(
        _checked, sources_dir=folder, rules=rules, patterns=patterns, workspace=workspace_of(workspace)
    )
    apply = map if executor is None else executor.map
    verdicts = list(apply(work, reports))
    require_anchors(rules, verdicts)
    return verdicts


def _checked(
    report: tuple[str, AnyFormat], sources_dir: Path, rules: Rules, patterns: tuple[re.Pattern[str], ...],
    workspace: Workspace | None,
) -> ReportVerdict:  # fmt: skip
    text, kind = report
    return check_text(text, sources_dir, kind, rules=rules, patterns=patterns, store=_store(),
                      workspace=workspace)  # fmt: skip


@lru_cache(maxsize=1)
def _store() -> SourceStore:
    """Return the store of this process, so that its reports share what was read."""
    return SourceStore(64 << 20)
