"""Hostile texts: nothing raises, places stay inside, and work grows no faster than the text."""

from __future__ import annotations

import json
import sys

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from capital_kit._core.normalise import normalise
from capital_kit.citations import (
    explain_citation,
    lint_anchors,
    parse_citations_in_text,
    resolve_citation,
    verify_claim_against_source,
    verify_report,
)

BITS = [
    "[pmid:1:abstract]",
    "[evidence:note.md:line:3]",
    "[guideline:MADE-UP-1:§2.1]",
    "[",
    "]",
    "[^1]",
    "[^1]: ",
    "[[",
    "]]",
    "[pmid:",
    "[PMID：1]",
    "［pmid：1］",
    "{kw: a; b}",
    "{kw:",
    "<!-- cite:none x -->",
    "<!--",
    "-->",
    "<p>",
    "</p>",
    "<table>",
    "<tr><td>",
    "</td>",
    '<a href="#n">1</a>',
    "<li id=n>",
    "<sup>",
    "</sup>",
    "<script>",
    "&lt;",
    "&#x110000;",
    "&amp",
    "<b",
    "|",
    "\n|---|---|\n",
    "```\n",
    "`",
    "**",
    "~~",
    "# ",
    "\n\n",
    "\r\n",
    "\x1e",
    "\x00",
    "\ud800",
    "\u202e",
    "\u0301" * 3,
    "\xad\n",
    "10⁹",
    "²",
    "½",
    "①",
    "㎡",
    "１，２",
    "1,234",
    "-3.2",
    "≥",
    "±",
    "5%",
    "3.5亿元",
    "e.g. ",
    "J. ",
    "“",
    "”",
    '"',
    "（",
    "）",
    "不",
    "增长",
    "的",
    "。",
    "；",
    ".",
    " ",
    "x" * 50,
    "9" * 40,
    "PD-L1",
    "2:1",
    "2031-01-02",
    "\U0001f600",
    "\U00020000",
]
TEXTS = st.lists(st.one_of(st.sampled_from(BITS), st.text(max_size=6)), max_size=40).map("".join)
FORMATS = st.sampled_from(["auto", "text", "markdown", "html"])
MANY = settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])


@MANY
@given(TEXTS, FORMATS)
def test_parsing_never_raises_and_points_into_the_text(text, report_format):
    for item in parse_citations_in_text(text, format=report_format):
        assert 0 <= item["position"] < item["end"] <= len(text)
        assert text[item["position"] : item["end"]] == item["raw"]
        start, end = item["claim_span"]
        assert 0 <= start <= end <= len(text)
    for miss in lint_anchors(text, format=report_format):
        assert text[miss["position"] : miss["end"]] == miss["raw"]


@MANY
@given(TEXTS, TEXTS, FORMATS)
def test_checking_never_raises(sources, text, source, report_format):
    (sources / "pubmed/1.json").write_text(json.dumps({"pmid": "1", "abstract": source}), encoding="utf-8")
    (sources / "../evidence/note.md").write_text(
        source.encode("utf-8", "replace").decode(), encoding="utf-8", newline=""
    )
    verdict = verify_report(text, sources, format=report_format)
    json.dumps(verdict.to_dict(), allow_nan=False)
    verdict.to_html().encode("utf-8")
    verdict._repr_html_()
    for item in verdict.citations:
        for start, end in item.excerpt_spans:
            assert 0 <= start < end <= len(item.source_excerpt)


@MANY
@given(TEXTS, TEXTS)
def test_resolving_never_raises(sources, anchor, claim):
    for name in (anchor, f"[pmid:{anchor}:title]", f"[evidence:{anchor}]", f"[guideline:MADE-UP-1:{anchor}]"):
        text = resolve_citation(name, sources)
        assert (explain_citation(name, sources)["code"] == "ok") is (text is not None)
        assert verify_claim_against_source(claim, name, sources)["verified"] in {True, False}


@MANY
@given(TEXTS)
def test_normalising_keeps_its_map(text):
    norm = normalise(text)
    assert len(norm.text) == len(norm.starts) == len(norm.ends)
    assert all(0 <= a <= b <= len(text) for a, b in zip(norm.starts, norm.ends, strict=True))
    assert list(norm.starts) == sorted(norm.starts)


def steps(work) -> int:
    """Count the lines of Python that run: a measure of work that no machine changes."""
    count = 0

    def trace(frame, event, arg):
        nonlocal count
        count += 1
        return trace

    before = sys.gettrace()
    sys.settrace(trace)
    try:
        work()
    finally:
        sys.settrace(before)
    return count


REPEATED = [
    "增长 5%[pmid:1:abstract]。",
    "[pmid:1:abstract]",
    "[pmid:",
    "［pmid：1",
    "[[",
    "{kw: a}[pmid:1:abstract]",
    "(",
    "“",
    '"a',
    "`",
    "<p>",
    "<a ",
    "<!--",
    "&amp;",
    "|a|\n",
    "# a\n",
    "a. ",
    "。",
    "[^1]",
    "x[^1]\n\n[^1]: [pmid:1:title]\n\n",
    "\u0301",
    "1,234 ",
    "²",
    "5.6 months ",
    "不",
    "-\n",
    "{kw:",
    "<!-- cite:none x -->",
]


@pytest.mark.parametrize("bit", REPEATED)
@pytest.mark.parametrize("report_format", ["markdown", "html"])
def test_work_grows_no_faster_than_the_report(sources, bit, report_format):
    small, large = (
        steps(lambda n=n: verify_report(bit * n, sources, format=report_format).to_html()) for n in (150, 600)
    )
    assert large <= 5.5 * small + 5000


@pytest.mark.parametrize(
    "bit", ["5.6 months ", "格罗替宁 ", "增长", "不", "a", "5%\n", "\x1e", "2:1 ", "“甲”"]
)
def test_work_grows_no_faster_than_the_source(sources, bit):
    def check(count):
        (sources / "pubmed/1.json").write_text(
            json.dumps({"pmid": "1", "abstract": bit * count}), encoding="utf-8"
        )
        claim = "格罗替宁组增长 5.6 months, 5% 2:1 a，不增长“甲”"
        return steps(lambda: verify_claim_against_source(claim, "[pmid:1:abstract]", sources))

    assert check(1600) <= 5 * check(400) + 5000
