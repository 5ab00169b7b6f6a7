"""Whole reports: verdicts, uncited claims, waivers, cards."""

from __future__ import annotations

import json
import pickle
from html.parser import HTMLParser

import pytest

from capital_kit._core.labels import catalogue
from capital_kit._core.options import options
from capital_kit.citations import CitationVerdict, SourceStore, verify_report
from capital_kit.errors import CitationError

GOOD = """# 简报 2031

格罗替宁 120 mg，每日2次[guideline:MADE-UP-1:§2.1]。Survival was 5.6 months with grelotine [pmid:1:abstract].

| 药物 | 缓解率 |
|---|---|
| 脑部受累 | 颅内缓解率 74%[guideline:MADE-UP-1:§2.1.1] |

中位生存 5.6 个月 {kw: 5.6 months; grelotine} [pmid:1:abstract]。
"""


def test_a_report_that_passes(sources):
    verdict = verify_report(GOOD, sources)
    assert verdict.ok, verdict.findings
    assert verdict.findings == ()
    assert verdict.stats["anchors"] == verdict.stats["verified"] == 4
    assert verdict.stats["coverage"] == 1.0
    assert repr(verdict) == "ReportVerdict(ok, 4 of 4 anchors verified)"


@pytest.mark.parametrize(
    ("text", "codes"),
    [
        ("格罗替宁 121 mg[guideline:MADE-UP-1:§2.1]。", ["claim_not_verified_missing"]),
        ("格罗替宁 120 mg[guideline:MADE-UP-1:§9]。", ["claim_not_verified"]),
        ("缓解率 74%。", ["uncited_claim"]),
        ("Response was 74% in 31 patients.", ["uncited_claim"]),
        ("登记号 Q20310001。", ["uncited_claim"]),
        ("| 药 | 值 |\n|---|---|\n| 甲 | 74% |", ["uncited_claim"]),
        ("格罗替宁 120 mg[GUIDELINE:MADE-UP-1:§2.1]。", ["near_miss_suggestion", "uncited_claim"]),
        ("格罗替宁有效 [paper:12345678:title]。", ["near_miss"]),
        ("格罗替宁 120 mg[guideline:MADE-UP-1:§2.1][pmid:1:title]。", ["claim_not_verified"]),
        ("[pmid:1:abstract]", ["claim_not_verified"]),
    ],
)
def test_what_keeps_a_report_from_passing(text, codes, sources):
    verdict = verify_report(text, sources)
    assert not verdict.ok
    assert [finding.code for finding in verdict.findings] == codes


@pytest.mark.parametrize(
    "text",
    [
        "本节概述总体思路。", "# 缓解率 74%", "见第3章、图2与表 4。", "See Figure 2 and Table 3.",
        "```\n缓解率 74%\n```",
        "| 缓解率 74% | 值 5% |\n|---|---|", "## 参考文献\n\n1. Doe, 74%, 31 patients.",
        "[^1]: 缓解率 74%", "日期：2031年5月1日",
        "缓解率 74%。<!-- cite:none 内部数据 -->", "---\nversion: 74%\n---\n正文。", "1. 第一\n2. 第二", "",
    ],
)  # fmt: skip
def test_what_needs_no_citation(text, sources):
    verdict = verify_report(text, sources)
    assert verdict.ok, verdict.findings


def test_waivers_are_counted_and_must_give_a_reason(sources):
    waived = verify_report("缓解率 74%。<!-- cite:none 内部数据 -->\n生存 5.6 个月。", sources)
    assert waived.stats["waived"] == 1
    assert [claim.text for claim in waived.uncited] == ["生存 5.6 个月。"]
    assert not verify_report("缓解率 74%。<!-- cite:none -->", sources).ok
    page = "<p>缓解率 74%。<!-- cite:none 内部数据 --></p><p>生存 5.6 个月。</p>"
    assert [claim.text for claim in verify_report(page, sources).uncited] == ["生存 5.6 个月。"]


def test_anchors_side_by_side_hold_a_claim_together(sources):
    both = "颅内缓解率 74%，对照组 7.4 个月[guideline:MADE-UP-1:§2.1.1][guideline:MADE-UP-1:§2.2]。"
    assert verify_report(both, sources).ok
    one = verify_report(both.replace("[guideline:MADE-UP-1:§2.2]", ""), sources)
    assert not one.ok
    assert "7.4 个月" in one.citations[0].missing_keywords


def test_places_are_those_of_the_report(sources):
    page = "<h1>简报</h1><p>格罗替宁&nbsp;<b>120</b> mg，每日2次[guideline:MADE-UP-1:§2.1]。</p>"
    verdict = verify_report(page, sources)
    (item,) = verdict.citations
    assert item.verified
    assert page[item.position : item.end] == item.anchor_str
    assert page[slice(*item.claim_span)].startswith("格罗替宁&nbsp;")
    words = [item.source_excerpt[start:end] for start, end in item.excerpt_spans]
    assert "120 mg" in words


def test_reports_are_read_from_files(sources, tmp_path):
    path = tmp_path / "report.md"
    path.write_text(GOOD, encoding="utf-8")
    assert (
        verify_report(path, sources) == verify_report(str(path), str(sources)) == verify_report(GOOD, sources)
    )
    (tmp_path / "page.html").write_bytes("<meta charset=gbk><p>缓解率 74%。</p>".encode("gb18030"))
    assert verify_report(tmp_path / "page.html", sources).uncited[0].text == "缓解率 74%。"


@pytest.mark.parametrize(("name", "code"), [
    ("absent.md", "report_not_found"), ("folder", "report_unreadable"), ("broken.txt",
    "report_undecodable"), ("big.md", "report_too_large"),
])  # fmt: skip
def test_reports_that_cannot_be_read(name, code, sources, tmp_path):
    (tmp_path / "folder").mkdir()
    (tmp_path / "broken.txt").write_bytes(b"\xff\xff\xff")
    with (tmp_path / "big.md").open("wb") as file:
        file.truncate((20 << 20) + 1)
    with pytest.raises(CitationError) as caught:
        verify_report(tmp_path / name, sources)
    assert caught.value.code == code
    assert caught.value.hint


def test_a_mistyped_name_is_no_empty_report(sources):
    with pytest.raises(CitationError, match="report_not_found"):
        verify_report("no-such-report.md", sources)


def test_records_and_frames(sources):
    verdict = verify_report(
        GOOD + "\n缓解率 75%[guideline:MADE-UP-1:§2.1.1]。[PMID:1]", sources, store=SourceStore()
    )
    record = json.loads(json.dumps(verdict.to_dict(), allow_nan=False))
    assert record["ok"] is False
    assert record["stats"]["by_code"] == {"missing": 1, "ok": 4}
    frame = verdict.to_frame()
    assert list(frame["verified"]) == [True, True, True, True, False]
    assert list(verify_report("", sources).to_frame().columns) == list(frame.columns)
    assert isinstance(verdict.citations[0], CitationVerdict)
    assert pickle.loads(pickle.dumps(verdict)) == verdict


@pytest.mark.parametrize("language", ["zh", "en"])
def test_the_card_tells_the_verdict_and_escapes_the_rest(language, sources):
    (sources / "pubmed" / "66.json").write_text(
        json.dumps({"pmid": "66",
        "abstract": "x<y 41% <script>alert(1)</script> \"q\" & <img src=x onerror=e>"}), encoding="utf-8",
    )  # fmt: skip
    text = "反应 <img src=x onerror=alert(1)> 41%[pmid:66:abstract]。\n\n缓解率 74%。\n\n[PMID:1:<b>]"
    with options.override(language=language):
        verdict = verify_report(text, sources, format="text")
        card, page = verdict._repr_html_(), verdict.to_html()
    assert "✗" in card
    assert "<script" not in card
    assert "<img" not in card + page
    assert "<mark" in card
    assert "<script" not in page

    class Balanced(HTMLParser):
        depth = 0

        def handle_starttag(self, tag, attrs):
            self.depth += tag not in {"meta", "br"}

        def handle_endtag(self, tag):
            self.depth -= 1

    parser = Balanced()
    parser.feed(page)
    assert parser.depth == 0


def test_every_code_has_its_sentences():
    entries = catalogue()
    for key, texts in entries.items():
        if key.startswith("citations."):
            assert set(texts) == {"zh", "en"}, key
            assert all(texts.values()), key
    errors = {key.rsplit(".", 1)[1] for key in entries if key.startswith("citations.error.")}
    assert errors == {key.rsplit(".", 1)[1] for key in entries if key.startswith("citations.hint.")}


@pytest.mark.parametrize(
    ("anchor", "said"),
    [
        ("[evidnce:note.md:line:1]", "[evidence:note.md:line:1]"),
        ("[guidelin:MADE-UP-1:§2.1]", "[guideline:MADE-UP-1:§2.1]"),
        ("[evidence:nte.md:line:1]", "../evidence/nte.md"),
        ("[guideline:MADE-UP-99:§2.1]", "guidelines/MADE-UP-99.txt"),
    ],
)
def test_a_slip_in_an_anchor_is_answered_with_what_to_write_or_where_it_looked(tmp_path, anchor, said):
    finding = verify_report(f"利润 3 亿元{anchor}。", tmp_path).findings[0]
    assert said in finding.message


def test_a_chinese_claim_with_an_english_source_is_told_what_helps(tmp_path):
    (tmp_path / "pubmed").mkdir()
    record = '{"pmid": "90000001", "title": "T", "abstract": "Survival was 14.8 months."}'
    (tmp_path / "pubmed/90000001.json").write_text(record, encoding="utf-8")
    verdict = verify_report("生存期 14.8 个月[pmid:90000001:abstract]。", tmp_path)
    assert verdict.citations[0].advice
    assert verdict.citations[0].advice in verdict.findings[0].message
