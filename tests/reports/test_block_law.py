"""No way round the check: what a reader sees as a claim or an anchor is what was compared."""

import re

import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capital_kit._core.html import Html
from capital_kit.errors import ReportError
from capital_kit.reports import Report
from capital_kit.reports._markdown import render
from capital_kit.reports._reading import checked, shown

ANCHOR = "[evidence:facts.md:line:3]"
WRONG = f"Revenue was 99.9 million in 2025 {ANCHOR}."
ZERO = "\u200b"


def codes(sources, *items, **more):
    report = Report("Review", sources=sources, created="2025-05-01", **more).add(*items)
    return [finding.code for finding in report.check().findings]


@pytest.mark.parametrize(
    "text",
    [
        f"---\n{WRONG}\n---\n\nx",
        f"---\n\n{WRONG}\n\n---\n\nx",
        f"`<!--`\n\n{WRONG}",
        f"a <!-- b\n\n{WRONG}",
        f"```x```\n\n{WRONG}",
        f"``` a`b\n\n{WRONG}",
        f"- ```\n  x\n  ```\n\n{WRONG}",
        f"- a\n\n  ```\n  x\n{WRONG}",
        f"- a\n\n  ~~~\n  x\n\n{WRONG}",
        f"> ```\n> x\n\n{WRONG}",
        f"x <!-- y -->```\n\n{WRONG}",
        f"```\nx\n<!-- y -->```\n```\n\n{WRONG}",
        f"# {WRONG}",
        f"## References\n\n{WRONG}",
        f"x[^1]\n\n[^1]: {WRONG}",
        f"| a | b |\n|---|---|\n| {WRONG} | x |",
        f"[{WRONG}](https://e.org)",
        f"~~{WRONG}~~",
    ],
)
def test_wrong_claim_is_found_wherever_it_is_shown(sources, text):
    assert "missing" in codes(sources, text)


MARKS = [
    "`", "``", "```", "~~~", "<!--", "-->", "<!-- x -->", "\n", "\n\n", "  ", "    ", "\t", "- ", "> ", "1. ",
    "---", "\r\n", "x", "|", "|-|-|", "\\", "&lt;", "[", "](", "*", "[^1]: ", "# ", ZERO, "===", "<div>",
    "&#96;",
]  # fmt: skip
RUN = st.lists(st.sampled_from(MARKS), max_size=8).map("".join)


@settings(max_examples=200, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(before=RUN, gap=st.sampled_from(["\n\n", "\n", ""]), after=RUN)
def test_no_run_of_marks_hides_a_claim_from_the_check(sources, before, gap, after):
    text = f"{before}{gap}{WRONG}{after}"
    check = Report("R", sources=sources, created="2025-05-01").add(text).check()
    spans = [(citation.position, citation.end) for citation in check.citations]
    markup = "".join(
        part.heading + part.body for part in render(text, spans, [Html("<sup>1</sup>")] * len(spans))
    )
    read = re.sub(r"<code[^>]*>.*?</code>", "", markup, flags=re.DOTALL)
    assert "99.9 million" not in read or not check.ok


@pytest.mark.parametrize(
    "text",
    [
        f"Revenue was 9{ZERO}9.9 million.",
        "Revenue grew 18&percnt; in all regions.",
        "Revenue grew 18&#37;.",
        "Revenue grew &#49;8&#46;6 million.",
        "Revenue was 99.9\\\nmillion.",
        "Revenue was ９９.９ million.",
        "![Revenue was 99.9 million](x.png)",
        "<div>Revenue was 99.9 million</div>",
    ],
)
def test_fact_without_citation_is_found_however_it_is_written(sources, text):
    assert codes(sources, text) == ["uncited"]


@pytest.mark.parametrize(
    "text",
    [
        f"The drug cures everybody [evi{ZERO}dence:facts.md:line:3].",
        f"The drug cures everybody [{ZERO}evidence:facts.md:line:3].",
        "The drug cures everybody &#91;evidence:facts.md:line:3&#93;.",
        f"The drug cures everybody \\`{ANCHOR}\\` now.",
        f"The drug cures everybody \\`\\` {ANCHOR} \\`\\` now.",
    ],
)
def test_anchor_that_is_shown_is_checked_or_a_finding(sources, text):
    assert set(codes(sources, text)) & {"not_read", "missing", "near_miss"}


@pytest.mark.parametrize("text", [f"`{ANCHOR}`", f"``a {ANCHOR}``", f"```\n{ANCHOR}\n```"])
def test_anchor_in_code_is_only_shown(sources, text):
    assert codes(sources, text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        (f"Revenue was 99.9 million {{kw: Revenue}} {ANCHOR}.", ["figure_not_checked"]),
        (f"营收为 12.40 {{kw: 12.40 million}} {ANCHOR}。", []),
        (f"收入增长很快 {{kw: Revenue}} {ANCHOR}。", []),
    ],
)
def test_keywords_of_the_author_hold_every_figure_and_are_told(sources, text, found):
    report = Report("R", sources=sources, created="2025-05-01", language="en").add(text)
    check = report.check()
    assert [finding.code for finding in check.findings] == found
    assert check.chosen == {1}
    assert "chosen by the author were looked for" in report.to_html(draft=True)


class Exhibit:
    def __init__(self, *pages):
        self.pages = iter(pages)

    def _repr_html_(self):
        return next(self.pages)


class Carded:
    def _card(self):
        return Html(f"<p>{WRONG}</p>")


@pytest.mark.parametrize(
    "item", [pd.DataFrame({"a": [WRONG]}), pd.DataFrame({WRONG: [1]}), Exhibit(f"<b>{WRONG}</b>"), Carded()]
)
def test_anchor_outside_the_texts_is_a_finding(sources, item):
    assert codes(sources, item) == ["outside_text"]


@pytest.mark.parametrize("name", ["subtitle", "author"])
def test_anchor_in_the_title_block_is_a_finding(sources, name):
    assert codes(sources, "x", **{name: ANCHOR}) == ["outside_text"]


def test_exhibit_is_taken_once(sources):
    report = Report("R", sources=sources, created="2025-05-01").add(Exhibit("<b>fine</b>", f"<b>{WRONG}</b>"))
    assert report.check().ok
    assert "99.9" not in report.to_html()


def test_exhibit_without_markup_is_refused():
    with pytest.raises(ReportError, match="report_item_unsupported"):
        Report("R").add(Exhibit(None))


class Sly(str):
    def __str__(self):
        return "fine"

    def __format__(self, spec):
        return "fine"


def test_subclass_of_text_is_read_as_what_it_holds(sources):
    assert codes(sources, Sly(WRONG)) == ["missing"]
    assert codes(sources, Html(WRONG)) == ["missing"]


def test_markup_in_the_title_is_text():
    html = Report(Html("<b>t</b>"), author=Html("<i>a</i>"), created="2025-05-01").add("x").to_html()
    assert "<b>t</b>" not in html
    assert "<i>a</i>" not in html


def test_source_that_changed_after_the_check_blocks(sources, tmp_path):
    text = f"Revenue was 12.40 million in 2025 {ANCHOR}."
    report = Report("R", sources=sources, created="2025-05-01").add(text)
    assert report.check().ok
    facts = next(sources.parent.rglob("facts.md"))
    facts.write_text("# Facts\n\nRevenue was 13.00 million in 2025.\n", encoding="utf-8")
    with pytest.raises(ReportError, match="report_blocked"):
        report.save(tmp_path / "r.html")


def test_text_that_came_after_the_check_blocks(sources, tmp_path):
    report = Report("R", sources=sources, created="2025-05-01").add("x")
    assert report.check().ok
    with pytest.raises(ReportError, match="report_blocked"):
        report.add(WRONG).save(tmp_path / "r.html")


def test_folder_that_nobody_named_is_no_source(sources, monkeypatch):
    monkeypatch.chdir(sources.parent)
    (sources.parent / "no-sources-given").mkdir()
    assert codes(None, f"Revenue was 12.40 million in 2025 {ANCHOR}.") == ["no_sources"]


def test_waived_sentences_are_listed(sources):
    text = "Half of 18.6% is 9.3%. <!-- cite:none arithmetic -->\n\nOther words."
    report = Report("R", sources=sources, created="2025-05-01").add(text)
    assert report.check().waived_claims == ("Half of 18.6% is 9.3%.",)
    html = report.to_html()
    assert "Half of 18.6% is 9.3%." in html.split('id="verification"')[1]
    assert "arithmetic" not in html


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("a<!-- Revenue 99.9 million -->\nb", "a\nb"),
        ("---\ntitle: x\ntags:\n  - y\n---\nbody", "body"),
        ("---\n\nx\n\n---", "x"),
    ],
)
def test_comments_and_front_matter_are_not_shown(sources, text, seen):
    html = Report("R", sources=sources, created="2025-05-01").add(text).to_html()
    body = html.split('class="ck-prose"')[1].split("</section>")[0]
    assert seen in body
    assert "99.9" not in body
    assert "title: x" not in body
    assert "<br" not in body


@pytest.mark.parametrize(
    "text", ["", "\n", "a\r\nb\r", "```\nx", "---", "&#10;&amp;x", "<!--a-->b<!--", "\ufdd0"]
)
def test_places_stay_where_they_were(text):
    assert len(shown(text)) == len(text)
    assert len(checked(text)) == len(text)
