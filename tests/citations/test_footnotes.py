"""Anchors in footnotes stand for the sentences that carry the mark."""

from __future__ import annotations

import pytest

from capital_kit.citations import parse_citations_in_text, verify_report

A, B = "[pmid:1:abstract]", "[guideline:MADE-UP-1:§2.1]"


def claims(text, report_format="auto"):
    found = parse_citations_in_text(text, format=report_format)
    return [(item["anchor_str"], item["claim_text"]) for item in found]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (f"每日2次[^1]。\n\n[^1]: {B}\n", [(B, "每日2次。")]),
        (f"每日2次。[^1] 另一句 5%。\n\n[^1]: 见 {B}。\n", [(B, "每日2次。")]),
        (f"甲 5%[^a]，乙 6 mg[^b]。\n\n[^a]: {A}\n[^b]: {B}\n", [(A, "甲 5%"), (B, "乙 6 mg。")]),
        (f"甲 5%[^a][^b]。\n\n[^a]: {A}\n[^b]: {B}\n", [(A, "甲 5%。"), (B, "甲 5%。")]),
        (f"甲 5%[^a]{B}。\n\n[^a]: {A}\n", [(B, "甲 5%。"), (A, "甲 5%。")]),
        (f"甲 5%[^a]。\n\n[^a]: Smith, 6 mg\n    {A} and {B}\n", [(A, "甲 5%。"), (B, "甲 5%。")]),
        (f"| 甲 | 5%[^1] |\n|---|---|\n| 乙 | 6%[^1] |\n\n[^1]: {A}\n", [(A, "甲 | 5%"), (A, "乙 | 6%")]),
        (f"甲 5%[^x]。\n\n[^1]: {A}\n", [(A, "甲 5%。")]),
        (f"甲 5%[^1]。\n\n[^1]: `{A}`\n", []),
    ],
)
def test_the_claim_is_the_sentence_with_the_mark(text, expected):
    assert sorted(claims(text)) == sorted(expected)


def test_a_mark_in_code_is_none():
    text = f"甲 `[^1]` 5%。乙 6%[^1]。\n\n[^1]: {A}\n"
    assert claims(text) == [(A, "乙 6%。")]


@pytest.mark.parametrize(
    "mark",
    [
        '<sup><a href="#fn1">1</a></sup>',
        '<a class="footnote-ref" href="#fn1">[1]</a>',
        '<a role="doc-noteref" href="#fn1">*</a>',
        '<sup id="r1"><a href="#fn1" title="note">1</a></sup>',
    ],
)
@pytest.mark.parametrize(
    "note",
    [
        '<ol><li id="fn1">{}</li></ol>',
        '<ol><li id="fn1"><p>{} <a href="#r1">↩</a></p></li></ol>',
        '<div id="fn1">{}</div>',
        '<p id="fn1">{}</p>',
    ],
)
def test_footnotes_of_pages(mark, note):
    page = f"<p>首选 120 mg{mark}。其他。</p>{note.format(B)}"
    assert claims(page) == [(B, "首选 120 mg。")]


def test_a_link_inside_a_page_is_no_footnote():
    page = f'<p>见<a href="#part">第 5% 节</a>{A}。</p><h2 id="part">节</h2>'
    assert claims(page) == [(A, "见第 5% 节。")]


def test_a_figure_in_a_source_is_never_taken_for_a_mark(sources):
    path = sources / "guidelines" / "MADE-UP-9.html"
    path.write_text('<p>首选 120<sup><a href="#x">2</a></sup> mg</p><p id="x">x</p>', encoding="utf-8")
    assert verify_report("首选 120^2 mg[guideline:MADE-UP-9]。", sources).citations[0].verified


def test_a_sentence_with_a_footnote_is_cited(sources):
    text = f"格罗替宁 120 mg，每日2次[^1]。没有出处 9%。[^2]\n\n[^1]: 手册 {B}\n[^2]: 无锚点，第 9 页\n"
    verdict = verify_report(text, sources)
    (item,) = verdict.citations
    assert item.verified
    assert text[item.position : item.end] == B
    assert [claim.text for claim in verdict.uncited] == ["没有出处 9%。"]


def test_one_footnote_marked_twice_is_checked_twice(sources):
    text = f"格罗替宁 120 mg[^1]。格罗替宁 121 mg[^1]。\n\n[^1]: {B}\n"
    verdict = verify_report(text, sources)
    assert [item.verified for item in verdict.citations] == [True, False]
    assert len({item.position for item in verdict.citations}) == 1
    assert verdict.to_html().count('class="ck-anchor') == 2
