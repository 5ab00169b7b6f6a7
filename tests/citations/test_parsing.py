"""Anchors and the claims they stand for."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capital_kit.citations import Citation, lint_anchors, parse_citations_in_text

A, B = "[pmid:1:abstract]", "[evidence:note.md:line:3-5]"


def claims(text, kind="text"):
    return [item["claim_text"] for item in parse_citations_in_text(text, format=kind)]


@pytest.mark.parametrize(
    ("text", "kind", "expected"),
    [
        (f"甲有效{A}。乙无效。", "text", ["甲有效。"]),
        (f"甲有效。{A}乙无效。", "text", ["甲有效。"]),
        (f"“甲有效。”{A}", "text", ["“甲有效。”"]),
        (f"甲有效。\n{A}\n", "text", ["甲有效。"]),
        (f"甲有效。\n\n{A}\n", "text", ["甲有效。"]),
        (f"{A} 甲有效。乙无效。", "text", ["甲有效。"]),
        (f"甲有效{A}{B}。", "text", ["甲有效。", "甲有效。"]),
        (f"甲有效{A}、{B}。", "text", ["甲有效。", "甲有效。"]),
        (f"甲的缓解率为 41%{A}，乙的缓解率为 52%{B}。", "text", ["甲的缓解率为 41%", "乙的缓解率为 52%。"]),
        (f"Response was 4.5 months. Survival was 9.1 months {A}.", "text", ["Survival was 9.1 months."]),
        (f"Approx. 12.5% (i.e. one in eight) of the U.S. cohort {A}. More.", "text",
         ["Approx. 12.5% (i.e. one in eight) of the U.S. cohort."]),
        (f"As J. Doe et al. wrote, it fell {A}. More.", "text", ["As J. Doe et al. wrote, it fell."]),
        (f"甲（见下文。后者更好）有效{A}。", "text", ["甲（见下文。后者更好）有效。"]),
        (f"第一行\n第二行 41%{A}。", "text", ["第一行 第二行 41%。"]),
        (f"前一段\n\n后一段{A}", "text", ["后一段"]),
        (f"- 甲 41%{A}\n- 乙 52%{B}", "markdown", ["甲 41%", "乙 52%"]),
        (f"1. 甲 41%\n2. 乙 52%{B}", "markdown", ["乙 52%"]),
        (f"# 标题\n甲**显著**有效，`41%`{A}", "markdown", ["甲显著有效，41%"]),
        (f"甲见[链接](https://example.org/a_b)有效{A}", "markdown", ["甲见链接有效"]),
        ("甲有效[pmid:1:abstract](https://example.org/1)。", "markdown", ["甲有效。"]),
        (f"| 药 | 值 |\n|---|---|\n| 甲 | 41%{A} |\n| 乙 | 52% |", "markdown", ["甲 | 41%"]),
        (f"| 甲 | 41%{A} | 7.5{B} |", "markdown", ["甲 | 41%", "甲 | 7.5"]),
        (f"<p>甲&nbsp;<b>41</b>%{A}</p><p>乙</p>", "html", ["甲 41%"]),
        (f"<ul><li>甲 41%{A}<li>乙 52%</ul>", "html", ["甲 41%"]),
        (f"<tr><td>甲</td><td>41%{A}</td></tr><tr><td>乙</td></tr>", "html", ["甲 | 41%"]),
        ("<p>甲 41%[pmid:<b>1</b>:abstract]</p>", "html", ["甲 41%"]),
        ("<p>甲 41%&#91;pmid:1:abstract&#93;</p>", "html", ["甲 41%"]),
        (f"甲有效 {{kw: works; 41%}} {A}。", "text", ["甲有效。"]),
        (f"{'甲' * 900}{A}", "text", ["甲" * (600 - len(A)) ]),
    ],
)  # fmt: skip
def test_the_claim_of_an_anchor(text, kind, expected):
    if len(text) > 800:
        (claim,) = claims(text, kind)
        assert 500 <= len(claim) <= 600
    else:
        assert claims(text, kind) == expected


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        (f"```\n{A}\n```", "markdown"),
        (f"见 `{A}` 的写法", "markdown"),
        (f"<!-- {A} -->", "markdown"),
        (f"<script>{A}</script><style>{A}</style><!-- {A} --><p title='{A}'></p>", "html"),
        (f"<pre>{A}</pre><code>{A}</code>", "html"),
        ("[PMID:1:abstract] [pmid：1：abstract] [paper:12345678:title] [pmid:] (pmid:1)", "text"),
        ("[pmid:a/b:title] [pmid:..:title] [pmid:1\n\n:title] [ pmid:1]", "text"),
        ("[https://example.org] [Fig:2] [注：见下] [12:30]", "text"),
    ],
)
def test_what_is_no_anchor(text, kind):
    assert parse_citations_in_text(text, format=kind) == []


@pytest.mark.parametrize(
    ("raw", "code", "suggestion"),
    [
        ("[PMID:1:abstract]", "type_spelling", "[pmid:1:abstract]"),
        ("[pmid：1：abstract]", "width_or_bracket", "[pmid:1:abstract]"),
        ("【pmid:1:abstract】", "width_or_bracket", "[pmid:1:abstract]"),
        ("(pmid:1:abstract)", "width_or_bracket", "[pmid:1:abstract]"),
        ("[nmpa_page:Q1]", "type_spelling", "[nmpa-page:Q1]"),
        ("[guidelines:G-1:§2]", "type_spelling", "[guideline:G-1:§2]"),
        ("[paper:12345678:title]", "unknown_type", None),
        ("[pmid::title]", "bad_id", None),
        ("[pmid:]", "empty_id", None),
        ("[pmid:1:abstract", "unclosed", "[pmid:1:abstract]"),
        ("[pmid:../../1:title]", "bad_id", None),
    ],
)
def test_near_misses_are_told_with_their_spelling(raw, code, suggestion):
    text = f"甲有效 {raw}"
    (miss,) = lint_anchors(text, format="text")
    assert (miss["code"], miss["suggestion"]) == (code, suggestion)
    assert text[miss["position"] : miss["end"]] == miss["raw"] == raw


@pytest.mark.parametrize(
    "text", ["[https://example.org]", "[Fig:2]", "[注：见下]", "(ratio: 2)", A, f"[见{A}]", "[1:2]"]
)
def test_other_brackets_are_no_near_misses(text):
    assert lint_anchors(text, format="text") == []


def test_the_grammar_of_ids_and_locators():
    text = "[guideline:指南-2031.v3:§INV-1] [evidence:a.md : line:4-5][nct:N-1] [[pmid:1:  a   b ]]"
    found = [item["anchor"] for item in parse_citations_in_text(text, format="text")]
    assert found == [
        Citation("guideline", "指南-2031.v3", "§INV-1"), Citation("evidence", "a.md", "line:4-5"),
        Citation("nct", "N-1"), Citation("pmid", "1", "a b"),
    ]  # fmt: skip
    assert found[2].anchor_str == "[nct:N-1]"


def test_groups_and_inline_keywords():
    text = f"甲有效{{kw: 4.1 months; alpha}}{A}{B}，乙的缓解率更高{A}。"
    items = parse_citations_in_text(text, format="text")
    assert items[0]["group"] == items[1]["group"] != items[2]["group"]
    assert items[1]["keywords"] == ["4.1 months", "alpha"]
    assert items[2]["keywords"] is None
    assert [item["context"] for item in parse_citations_in_text(f"# 标题{A}\n\n- 项{A}")] == [
        "heading",
        "item",
    ]


FRAGMENTS = st.sampled_from([
    A, B, "甲有效", "41%", "。", ".", " ", "\n", "\n\n", "“", "”", "（", "|", "|---|", "# ", "- ", "<p>",
    "</p>", "<td>", "<tr>",
    "<b", "<!--", "-->", "&lt;", "&#", "`", "```", "*", "_", "[", "]", "](", "\\", "e.g.", "\x00",
    "\u2028", "\ud800", "⁹", "~",
    "<script>", "<sup>2</sup>", "{kw:", "}", "、", "\r", "\"", "'",
])  # fmt: skip


@settings(max_examples=150, deadline=None)
@given(st.lists(FRAGMENTS, max_size=30).map("".join), st.sampled_from(["auto", "text", "markdown", "html"]))
def test_any_text_is_read_and_offsets_are_those_of_the_text(text, kind):
    for item in parse_citations_in_text(text, format=kind):
        assert text[item["position"] : item["end"]] == item["raw"]
        assert 0 <= item["claim_span"][0] <= item["claim_span"][1] <= len(text)
        assert len(item["claim_text"]) <= 700
        if kind == "text":
            assert item["raw"].startswith("[")
            assert item["raw"].endswith("]")
    for miss in lint_anchors(text, format=kind):
        assert text[miss["position"] : miss["end"]] == miss["raw"]


@pytest.mark.parametrize(
    "unit",
    ["[pmid:", "<!--", "<a ", "<p", "[[", "`", "**", "“", "（", "|a", "<td>", "<code>x</code>", A,
    f"甲{A}。", "- a\n", "&amp", "1.",
     "[x](", "<script>", "{kw:a}", "\u0301", "．１"],
)  # fmt: skip
def test_hostile_texts_take_linear_work(unit):
    import sys

    def work(times):
        count = 0

        def tick(frame, event, argument):
            nonlocal count
            count += 1

        text = unit * times
        sys.setprofile(tick)
        try:
            for kind in ("markdown", "html"):
                parse_citations_in_text(text, format=kind)
        finally:
            sys.setprofile(None)
        return count

    assert work(800) <= 2.6 * work(400) + 2000
