"""The report: what an analyst puts together, checked before it is written."""

from __future__ import annotations

import datetime as dt
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Self

from capital_kit._core.html import Html, card, facts, table
from capital_kit._core.labels import tr
from capital_kit._core.options import Language, Options, options
from capital_kit.errors import ReportError
from capital_kit.reports._check import Finding, ReportCheck, check_report, findings_table, readiness
from capital_kit.reports._file import write_whole
from capital_kit.reports._items import Item, item_of
from capital_kit.workspace import Workspace

if TYPE_CHECKING:
    from os import PathLike

_LISTED = 10


class Report:
    """One HTML file of cards, charts, text and verdicts, final only when every claim was verified.

    Parameters
    ----------
    title : str
        Title of the report.
    sources : path, optional
        Folder of the sources that the texts cite.
    workspace : Workspace or path, optional
        Where the query results are stored that the texts cite; the usual workspace if not given.
    author, subtitle : str, optional
        Lines of the title block.
    language : {"zh", "en"}, optional
        Language of the page; ``options.language`` if not given.
    created : datetime.date or str, optional
        Date of the report (``2024-01-31``); today if not given. With a fixed date the same items
        give the same bytes.

    Examples
    --------
    >>> report = Report("Review", created="2024-01-31").add("# Result", "Nothing to cite.")
    >>> report.check().ok
    True
    """

    def __init__(
        self,
        title: str,
        *,
        sources: str | PathLike[str] | None = None,
        workspace: Workspace | str | Path | None = None,
        author: str | None = None,
        subtitle: str | None = None,
        language: Language | None = None,
        created: dt.date | str | None = None,
    ) -> None:
        self.title = str(title)
        self.sources = Path(sources) if sources is not None else None
        self.workspace = Workspace.of(workspace)
        self.author = str(author or "")
        self.subtitle = str(subtitle or "")
        self.language = language
        self.created = _date(created)
        self._items: list[Item] = []

    def add(self, *items: object) -> Self:
        """Add items in reading order and return the report.

        A heading of a Markdown text opens a section; charts, tables and exhibits that follow a
        text belong to its section; all else stands in a section of its own kind.

        Raises
        ------
        ReportError
            ``report_item_unsupported``; then none of ``items`` was added.
        """
        with self._in_language():
            self._items += [item_of(item) for item in items]
        return self

    def check(self) -> ReportCheck:
        """Compare every citation of every text with its source, now.

        What is read are the Markdown texts. Anchors elsewhere (title block, tables, exhibits, chart
        titles) are findings, since nobody checks them. Not searched for facts without a citation
        are title block, headings, table headers, code blocks, footnotes, lists of references and
        all that is data: tables, charts, cards. Comments are not shown, sentences that the author
        waived are listed in the report.
        """
        texts = [item.value for item in self._items if item.kind == "text"]
        verdicts = [item.value for item in self._items if item.kind == "verdict"]
        with self._in_language():
            from capital_kit.reports._sections import words_outside

            outside = [self.title, self.subtitle, self.author, *words_outside(self._items)]
            return check_report(texts, self.sources, verdicts, outside, self.workspace)

    def to_html(self, *, draft: bool = False) -> str:
        """Return the page.

        Raises
        ------
        ReportError
            ``report_empty``; ``report_blocked`` with ``findings``, unless ``draft``.
        """
        from capital_kit.reports._compose import Front, compose

        check = self.check()
        with self._in_language():
            if not self._items:
                raise ReportError.of("report_empty", title=self.title)
            if not check.ok and not draft:
                raise self._blocked(check)
            front = Front(title=self.title, subtitle=self.subtitle, author=self.author, created=self.created)
            return compose(front, self._items, check, draft=draft)

    def save(self, path: str | PathLike[str], *, draft: bool = False) -> Path:
        """Write the page to ``path`` in one step and return the path; folders are made.

        Raises
        ------
        ReportError
            ``report_empty``, ``report_blocked`` with ``findings`` (nothing is written),
            ``report_path_invalid`` for a name that does not end in ``.html``, or
            ``report_not_writable``.
        """
        target = Path(path)
        if target.suffix.lower() != ".html":
            with self._in_language():
                raise ReportError.of("report_path_invalid", name=target.name)
        data = self.to_html(draft=draft).encode("utf-8")
        try:
            write_whole(target, data)
        except (OSError, ValueError) as error:
            with self._in_language():
                reason = getattr(error, "strerror", None) or str(error)
                raise ReportError.of("report_not_writable", name=target.name, reason=reason) from error
        return target

    def _blocked(self, check: ReportCheck) -> ReportError:
        return ReportError.of(
            "report_blocked", title=self.title, count=len(check.findings), first=_in_full(check.findings[0]),
            findings=[finding.to_dict() for finding in check.findings],
        )  # fmt: skip

    def _in_language(self) -> AbstractContextManager[Options]:
        return options.override(language=self.language or options.language)

    def __len__(self) -> int:
        return len(self._items)

    def __bool__(self) -> bool:
        return True

    def __repr__(self) -> str:
        return f"Report({self.title!r}, {len(self._items)} items)"

    def _repr_html_(self) -> str:
        return str(self._card())

    def _card(self) -> Html:
        check = self.check()
        with self._in_language():
            if not self._items:
                return card(self.title, tr("reports.card.empty"), subtitle=self.subtitle)
            counted = tr("reports.page.verified", verified=check.verified, total=check.total)
            lines = facts(
                [(tr("reports.card.parts"), len(self._items)), (tr("reports.card.citations"), counted)]
            )
            headers = [tr(f"reports.card.{name}") for name in ("number", "kind", "content")]
            rows = [(n, tr(f"reports.part.{i.kind}"), _outline(i)) for n, i in enumerate(self._items, 1)]
            found = [findings_table(check.findings, _LISTED)] if check.findings else []
            return card(self.title, lines, table(headers, rows), *found, subtitle=self.subtitle,
                        badges=[readiness(check)])  # fmt: skip


def _outline(item: Item) -> str:
    if item.kind == "text":
        line = next((line for line in item.value.splitlines() if line.strip()), "").strip("# ")
        return line if len(line) <= 60 else f"{line[:59]}…"
    if item.kind == "table":
        return f"DataFrame {item.value.shape[0]} × {item.value.shape[1]}"
    if item.kind == "card":
        return type(item.value).__name__
    return item.outline or repr(item.value)


def _date(value: dt.date | str | None) -> dt.date:
    if value is None:
        return dt.datetime.now().astimezone().date()
    if isinstance(value, dt.datetime):
        return value.date()
    if isinstance(value, dt.date):
        return value
    try:
        return dt.date.fromisoformat(value)
    except (TypeError, ValueError):
        raise ReportError.of("report_date_invalid", value=value) from None


def _in_full(finding: Finding) -> str:
    """Return a finding with its claim and anchor, so that it can be corrected from the message alone."""
    where = " ".join(part for part in (finding.claim, finding.anchor) if part)
    return f"{where}: {finding.message}" if where else finding.message
