"""The annotated report: every anchor with its word and sign, the sources beside it, nothing that runs."""

from __future__ import annotations

import re
from html.parser import HTMLParser

import pytest

from capital_kit._core.options import options
from capital_kit.citations import verify_report

REPORT = """# 简报 2031

格罗替宁 120 mg，每日2次[guideline:MADE-UP-1:§2.1]。颅内缓解率 75%[guideline:MADE-UP-1:§2.1.1]。

| 药物 | 缓解率 |
|---|---|
| 脑部受累 | 74%[guideline:MADE-UP-1:§2.1.1] |

- 没有出处的 9.5%。
- 写错的 5%[PMID:1:abstract]。

见脚注 5.6 个月[^1]。

[^1]: 出处 [pmid:404:title]
"""


class Page(HTMLParser):
    """Collects ids, links and the text of marks; holds every tag to its end."""

    def __init__(self, text):
        super().__init__()
        self.ids, self.links, self.open, self.marks, self.names = [], [], [], [], set()
        self.feed(text)
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.names.add(tag)
        pairs = dict(attrs)
        if "id" in pairs:
            self.ids.append(pairs["id"])
        if tag == "a":
            self.links.append(pairs["href"])
        if tag not in {"meta", "br"}:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        if "mark" in self.open:
            self.marks.append(data)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_anchor_is_marked_with_a_word(sources, language):
    with options.override(language=language):
        verdict = verify_report(REPORT, sources)
        html, first = verdict.to_html(), verdict.findings[0].message
    page = Page(html)
    assert [name for name in page.ids if name.startswith("c-")] == [f"c-{n}" for n in range(1, 5)]
    assert len(page.ids) == len(set(page.ids))
    assert {link.removeprefix("#") for link in page.links} <= set(page.ids)
    words = {"zh": ("✓ 已核实", "✗ 未核实"), "en": ("✓ Verified", "✗ Not verified")}[language]
    signs = re.findall(r'class="ck-anchor ck-(?:ok|bad)">\[\d\] (.*?) <code>', html)
    assert signs == [words[0], words[1], words[0], words[1]]
    assert first in html.replace("&#x27;", "'")


def test_words_are_marked_in_the_claim_and_in_the_source(sources):
    page = Page(verify_report(REPORT, sources).to_html())
    assert page.marks.count("120 mg") >= 2
    assert "75%" in page.marks


def test_the_source_stands_beside_its_block(sources):
    html = verify_report(REPORT, sources).to_html()
    first = html.index('id="c-1"')
    assert first < html.index('id="v-1"') < html.index("<table")
    assert "guidelines/MADE-UP-1.txt" in html
    assert "备选药物：塔维珠单抗" in html.replace("<mark>", "").replace("</mark>", "")


def test_findings_lead_to_their_places(sources):
    verdict = verify_report(REPORT, sources)
    page = Page(verdict.to_html())
    assert len([link for link in page.links if link[1] in "ncu"]) >= len(verdict.findings)
    assert {"n-1", "u-1", "c-2", "c-4"} <= set(page.ids)


@pytest.mark.parametrize("report_format", ["text", "markdown", "html"])
def test_nothing_of_a_report_or_source_runs(sources, report_format):
    (sources / "../evidence/evil.txt").write_text(
        '<script>alert(1)</script><img src=x onerror=e> 41% "quoted" &amp;', encoding="utf-8"
    )
    text = '反应 <img src=x onerror=alert(1)> <a href="javascript:x">y</a> 41%[evidence:evil.txt].'
    text += "\n\n<script>z</script>"
    html = verify_report(text, sources, format=report_format).to_html()
    page = Page(html)
    assert not page.names & {"script", "img", "iframe", "form", "link"}
    assert all(link.startswith("#") for link in page.links)
    assert "default-src 'none'; script-src 'none'" in html.replace("&#x27;", "'")


@pytest.mark.parametrize(
    "text", ["", "\n", "没有锚点。", "[pmid:1:abstract]", "<p></p>", "```\nx\n```", "|a|\n|---|\n"]
)
def test_reports_with_little_in_them(sources, text):
    Page(verify_report(text, sources).to_html())


def test_the_page_of_a_page(sources):
    report = "<h1>简报</h1><p>格罗替宁&nbsp;<b>120</b> mg，每日2次[guideline:MADE-UP-1:§2.1]。</p>"
    report += "<table><tr><td>甲</td></tr></table>"
    page = Page(verify_report(report, sources).to_html())
    assert "c-1" in page.ids
    assert "每日2次" in "".join(page.marks)


def test_a_word_that_also_stands_in_an_anchor_leaves_the_anchor_whole(sources):
    html = verify_report("An abstract of 5.6 months[pmid:1:abstract].", sources).to_html()
    assert html.count("<code>[pmid:1:abstract]</code>") == 2
    assert Page(html).marks.count("5.6 months") == 2
