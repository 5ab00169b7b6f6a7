"""Errors of the package.

::

    KitError
    ├── OptionError(ValueError)     option_invalid
    ├── WorkspaceError              workspace_not_writable, workspace_corrupt, workspace_path_invalid
    ├── DatasetError(ValueError)    dataset_not_found, dataset_empty, dataset_not_row_readable, …
    │   └── QueryError              query_spec_invalid, query_column_not_found, query_type_conflict, …
    ├── ChartError(ValueError)      chart_spec_invalid, chart_field_not_found, chart_source_expired, …
    ├── CitationError(ValueError)   report_not_found, report_too_large, …
    └── ReportError                 report_blocked, report_empty, …

Every error has a stable English ``code``, a sentence that says what was asked and what was found,
a ``hint`` that says what to do, and ``details`` with the values that are allowed or available.
"""

from __future__ import annotations

from typing import Any, ClassVar, Self

from capital_kit._core.labels import tr
from capital_kit._core.records import plain

__all__ = [
    "ChartError",
    "CitationError",
    "DatasetError",
    "KitError",
    "OptionError",
    "QueryError",
    "ReportError",
    "WorkspaceError",
]


class KitError(Exception):
    """Base of all errors that capital_kit raises on purpose.

    Parameters
    ----------
    code : str
        Stable identifier, the same in every language.
    message : str
        What was asked and what was found.
    hint : str
        What to do now.
    **details
        Values that help: ``allowed``, ``available``, ``path`` …
    """

    area: ClassVar[str] = "core"

    def __init__(self, code: str, message: str, hint: str = "", **details: Any) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.details = details

    @classmethod
    def of(cls, code: str, variant: str = "", **details: Any) -> Self:
        """Build the error from the catalogue, in the language of ``options.language``.

        The sentence is ``<area>.error.<code>`` and the hint ``<area>.hint.<code>``; where one code
        has several causes, ``variant`` is appended to both keys: ``<code>_<variant>``.
        """
        key = f"{code}_{variant}" if variant else code
        message = tr(f"{cls.area}.error.{key}", **details)
        hint = tr(f"{cls.area}.hint.{key}", **details)
        return cls(code, message, hint, **details)

    def __reduce__(self) -> tuple[Any, ...]:
        # An error comes back whole from a worker process.
        return _again, (type(self), self.code, self.message, self.hint, self.details)

    def __str__(self) -> str:
        return f"{self.message} {self.hint} [{self.code}]".replace("  ", " ")

    def to_dict(self) -> dict[str, Any]:
        """Return the error as strict JSON: ``error``, ``detail``, ``hint`` and the details."""
        details: dict[str, Any] = plain(self.details)
        return {"error": self.code, "detail": self.message, "hint": self.hint, **details}


def _again(kind: type[KitError], code: str, message: str, hint: str, details: dict[str, Any]) -> KitError:
    return kind(code, message, hint, **details)


class OptionError(KitError, ValueError):
    """A value that an option or a parameter does not accept."""


class WorkspaceError(KitError):
    """The workspace folder cannot be used."""


class DatasetError(KitError, ValueError):
    """Data that cannot be read, described or found."""

    area = "datasets"


class QueryError(DatasetError):
    """A query, or a period, that cannot be understood or answered."""

    area = "query"


class ChartError(KitError, ValueError):
    """A chart that cannot be specified, prepared or drawn."""

    area = "charts"


class CitationError(KitError, ValueError):
    """A report that cannot be checked. A missing source is a verdict, never an error."""

    area = "citations"


class ReportError(KitError):
    """A report that may not or cannot be written."""

    area = "reports"
