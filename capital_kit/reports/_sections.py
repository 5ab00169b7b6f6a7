"""From the items of a report to its numbered sections."""

from __future__ import annotations

import html
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from capital_kit._core.html import Html, join, tag
from capital_kit._core.labels import tr
from capital_kit._core.numbers import show
from capital_kit.reports._annotate import mark
from capital_kit.reports._check import ReportCheck
from capital_kit.reports._items import Item, PartKind
from capital_kit.reports._markdown import render

MAX_ROWS = 30
MAX_COLUMNS = 16
_NUMBERED = re.compile(
    r"\s*(?:\d+(?:\.\d+)*[.、．\s]|[一二三四五六七八九十]+[、．.]|[（(][一二三四五六七八九十\d]+[)）])"
)
# A chart, a table or an exhibit that follows a text belongs to what the text says.
_JOINS_TEXT: frozenset[PartKind] = frozenset({"text", "chart", "table", "card", "foreign"})


@dataclass(slots=True)
class Section:
    """One numbered section: its heading as words and as markup, and its parts."""

    kind: PartKind
    title: str
    heading: Html
    parts: list[Html] = field(default_factory=list)

    @property
    def is_numbered(self) -> bool:
        """Whether the author numbered the heading already."""
        return bool(_NUMBERED.match(self.title))


@dataclass(slots=True)
class Sections:
    """The sections of a report and the figures in them, built item by item."""

    title: str
    check: ReportCheck
    all: list[Section] = field(default_factory=list)
    figures: list[tuple[str, Any]] = field(default_factory=list)
    _texts: int = 0
    _citations: int = 0

    def add(self, item: Item) -> None:
        """Put one item into the section it belongs to."""
        builders: dict[PartKind, Callable[[Any], None]] = {
            "text": self._add_text,
            "chart": self._add_chart,
            "summary": self._add_summary,
            "table": self._add_table,
            "foreign": self._add_foreign,
        }
        builders.get(item.kind, lambda value: self._put(item.kind, value._card()))(item.value)

    def _put(self, kind: PartKind, part: Html) -> None:
        last = self.all[-1].kind if self.all else None
        if last != kind and not (last == "text" and kind in _JOINS_TEXT):
            title = tr(f"reports.part.{kind}")
            self.all.append(Section(kind, title, tag("span", title)))
        self.all[-1].parts.append(part)

    def _add_text(self, text: str) -> None:
        verdict = self.check.verdicts[self._texts]
        spans = [(citation.position, citation.end) for citation in verdict.citations]
        first = self._citations + 1
        marks = [mark(number, citation) for number, citation in enumerate(verdict.citations, first)]
        self._texts += 1
        self._citations += len(marks)
        for part in render(text, spans, marks, title="" if self.all else self.title):
            if part.title:
                self.all.append(Section("text", part.title, part.heading))
            if part.body:
                self._put("text", tag("div", part.body, class_="ck-prose"))

    def _add_chart(self, chart: Any) -> None:
        self._put("chart", self._figure(chart))

    def _add_summary(self, summary: Any) -> None:
        for chart in summary.charts:
            self._put("summary", self._figure(chart))
        self._put("summary", summary_note(summary))

    def _figure(self, chart: Any) -> Html:
        from capital_kit.charts._embed import figure_html

        element = f"figure-{len(self.figures) + 1}"
        self.figures.append((element, chart))
        number = tag("span", tr("reports.page.figure", n=len(self.figures)))
        title = tag("h3", number, " ", str(chart.title), class_="ck-figure-title")
        return tag("div", title, figure_html(chart, element, heading=False), class_="ck-numbered")

    def _add_table(self, frame: Any) -> None:
        self._put("table", frame_table(frame))

    def _add_foreign(self, value: Any) -> None:
        self._put("foreign", tag("div", value, class_="ck-scroll ck-foreign"))


def summary_note(summary: Any) -> Html:
    """Return why the charts of a summary were drawn, and what was not drawn."""
    gate = summary.gate
    told = [*gate.reasons, *(notice for notice in gate.warnings if notice.code != "unmet_view")]
    lines = [tag("li", notice.message) for notice in told]
    for outcome in summary.outcomes:
        if outcome.state != "rendered":
            words = [outcome.failure.detail] if outcome.failure else [n.message for n in outcome.warnings]
            state = tr(f"reports.summary.{outcome.state}", title=outcome.title or outcome.view)
            lines.append(tag("li", state, " ", " ".join(words)))
    asked = tag("p", tr("reports.summary.question", question=gate.question)) if gate.question else ""
    title = tr("reports.summary.title" if summary.charts else "reports.summary.none")
    return tag("div", tag("h3", title), asked, tag("ul", *lines), class_="ck-why")


def words_outside(items: Sequence[Item]) -> list[str]:
    """Return the words that the items show outside the Markdown texts."""
    words: list[str] = []
    for item in items:
        if item.kind == "table":
            words.append(_words(frame_table(item.value)))
        elif item.kind == "foreign":
            words.append(_words(item.value))
        elif item.kind == "card":
            words.append(_words(item.value._card()))
        elif item.kind in {"chart", "summary"}:
            charts = item.value.charts if item.kind == "summary" else (item.value,)
            words += [f"{chart.title}\n{chart.summary}" for chart in charts]
    return words


def _words(markup: str) -> str:
    return html.unescape(re.sub(r"<[^>]*>", "", markup))


def frame_table(frame: Any) -> Html:
    """Return the first rows and columns of a DataFrame and say how many are left out."""
    rows, columns = frame.shape
    head = frame.iloc[:MAX_ROWS, :MAX_COLUMNS]
    numeric = {i for i, kind in enumerate(head.dtypes) if getattr(kind, "kind", "O") in "iuf"}
    index = [] if _is_plain(frame.index) else [str(frame.index.name or "")]
    header = [*index, *(str(name) for name in head.columns)]
    cells = head.itertuples(index=bool(index), name=None)
    right = {i + len(index) for i in numeric}
    body = [[_cell(value) for value in row] for row in cells]
    caption = tr("reports.text.shape", rows=f"{rows:,}", columns=columns)
    for name, total, shown in (("rows", rows, len(head)), ("columns", columns, head.shape[1])):
        if total > shown:
            caption += tr(f"reports.text.{name}_left_out", shown=shown, left=f"{total - shown:,}")
    return tag("div", grid(header, body, right, caption), class_="ck-scroll", tabindex="0")


def grid(
    headers: Sequence[object], rows: Sequence[Sequence[object]], right: set[int], caption: str = ""
) -> Html:
    """Return a ruled table; ``right`` names the columns of numbers."""

    def cell(name: str, i: int, value: object, **extra: object) -> Html:
        return tag(name, value, class_="ck-num" if i in right else None, **extra)

    head = tag("tr", join(cell("th", i, value, scope="col") for i, value in enumerate(headers)))
    body = join(tag("tr", join(cell("td", i, value) for i, value in enumerate(row))) for row in rows)
    title = tag("caption", caption) if caption else ""
    return tag("table", title, tag("thead", head), tag("tbody", body), class_="ck-grid")


def _is_plain(index: Any) -> bool:
    return index.name is None and type(index).__name__ == "RangeIndex"


def _cell(value: Any) -> str:
    if value is None or value != value or type(value).__name__ in {"NaTType", "NAType"}:
        return "—"
    if isinstance(value, bool):
        return str(value)
    if isinstance(value, int | float):
        return show(value)
    text = str(value)
    return text.removesuffix(" 00:00:00") if hasattr(value, "isoformat") else text
