"""Pairs of a source and a claim that differ in one thing, by kind, and what a reader would say to them."""

from __future__ import annotations

import json

import pytest

from capital_kit.citations import parse_citations_in_text, verify_claim_against_source, verify_report

FALSE = {
    "size": [
        ("$3.5bn", "$3.5"), ("$3.5B", "$3.5"), ("$3.5bn", "$3.5 million"), ("收入3.5亿元", "收入3.5万元"),
        ("收入3.5万亿元", "收入3.5万元"), ("50百万美元", "50百万元"), ("5千瓦时", "5千瓦"), ("50万千瓦",
        "50千瓦"),
        ("50亿立方米", "50立方米"), ("1.5e9", "1.5"), ("1.5×10⁹/L", "1.5×10^12/L"),
    ],
    "currency": [("HK$3.5 billion", "US$3.5 billion"), ("HK$3.5 billion", "$3.5 billion"), ("€3 million",
    "$3 million")],
    "han numeral": [("共十五个月", "五个月"), ("百分之三十五", "百分之三"), ("一百二十例", "二十例")],
    "sign": [("5.2 (1.1)", "5.2±1.1"), ("变化为-3.2%", "变化为3.2%"), ("5.2±1.1", "5.2±1.3")],
    "order": [("randomised 2:1", "randomised 1:2"), ("3/5 sites", "5/3 sites")],
    "grade": [("信用评级AA+", "信用评级AA"), ("信用评级AA+", "信用评级AA-"), ("HER9+ 患者", "HER9- 患者")],
    "unit": [("5个月", "5个"), ("5个百分点", "5%"), ("5平方公里", "5平方米"), ("50亿日元", "50亿元")],
}  # fmt: skip
TRUE = [
    ("US$3.5 billion", "$3.5 billion"), ("收入3.5亿美元", "收入3.5亿"), ("容量50万千瓦", "容量50万千瓦"),
    ("±5%", "5%"),
    ("5.2±1.1", "5.2 ± 1.1"), ("randomised 2:1", "randomised 2:1"), ("共十五个月", "十五个月"),
    ("不高于 4 mmol/L", "mmol/L"), ("信用评级AA+", "信用评级AA+"), ("组别A——甲", "组别A——甲"),
    ("统一部署一线药物", "部署一线药物"),
]  # fmt: skip


def verified(sources, source, claim):
    (sources / "pubmed" / "7.json").write_text(
        json.dumps({"pmid": "7", "abstract": source}), encoding="utf-8"
    )
    return verify_claim_against_source(claim, "[pmid:7:abstract]", sources)["verified"]


@pytest.mark.parametrize(
    ("kind", "source", "claim"), [(k, *pair) for k, pairs in FALSE.items() for pair in pairs]
)
def test_a_changed_claim_is_refused(sources, kind, source, claim):
    assert verified(sources, source, claim) is False
    assert verified(sources, source, source) is True


@pytest.mark.parametrize(("source", "claim"), TRUE)
def test_the_same_claim_is_verified(sources, source, claim):
    assert verified(sources, source, claim) is True


A, B = "[pmid:1:abstract]", "[guideline:MADE-UP-1:§2]"


@pytest.mark.parametrize(("text", "claims"), [
    (f"生存期延长（P＜0.001）。（{A}）", ["生存期延长（P＜0.001）。"]),
    (f"生存期延长（{A}；{B}）。", ["生存期延长。"] * 2),
    (f"生存期延长（来源：{A}）。", ["生存期延长。"]),
    (f"生存期延长 5 个月。来源：{A}", ["生存期延长 5 个月。"]),
    (f"生存期延长 5 个月。\n\n资料来源：{A}", ["生存期延长 5 个月。"]),
    (f"Survival rose (n = 12) [{A}]. Next.", ["Survival rose (n = 12)."]),
    (f"Survival rose (see {A}). Next.", ["Survival rose."]),
    (f"增长 5%{A}，" * 3, ["增长 5%"] * 3),
])  # fmt: skip
def test_labels_and_empty_brackets_are_no_claim(text, claims):
    assert [item["claim_text"] for item in parse_citations_in_text(text, format="markdown")] == claims


@pytest.mark.parametrize("line", [
    "本报告共分 5 个部分。", "我们将从 3 个方面展开。", "自 2015 年成立以来，公司专注创新药。",
    "第 3 页 共 12 页",
    "数据来源：统计部门，截至2024年5月", "5G 与 AI 是重点。",
    "https://example.org/2024/06/30/report_12345.html",
    "发布日期：2024年6月30日", "如图1-2和表 3.1 所示。", "3.2 疗效", "See Table 3 and Section 4.2.",
    "一成不变的格局。",
])  # fmt: skip
def test_ordinary_report_text_needs_no_citation(line, sources):
    assert verify_report(line + "\n", sources, format="markdown").uncited == ()


@pytest.mark.parametrize("line", [
    "HR为0.48。", "Hazard ratio was 0.48.", "该药于2018年12月获批上市。", "净利润翻了三倍。",
    "增长百分之三十五。",
    "市占率达三成。", "商业模式贡献 3 亿元。", "代表产品占 12%。", "PE 15.3x",
])  # fmt: skip
def test_figures_need_a_citation(line, sources):
    assert len(verify_report(line + "\n", sources, format="markdown").uncited) == 1


@pytest.mark.parametrize("text", [
    f"增长 5%{A}，" * 400, "|" + f"a{A}|" * 400, f"x{A}（{' ' * 9000}来源", f"x。（{' ' * 9000}{A}",
])  # fmt: skip
def test_long_sentences_are_read(text):
    assert parse_citations_in_text(text, format="text")


def test_a_common_word_counts_only_beside_the_rest_of_its_run(sources):
    far = "随访期间患者恢复良好，" * 4
    assert (
        verified(sources, f"格罗替宁显著降低（患者）远期复发率。{far}", "格罗替宁显著降低患者远期复发率")
        is True
    )
    assert (
        verified(sources, f"格罗替宁显著降低远期复发率。{far}儿童", "格罗替宁显著降低儿童远期复发率") is False
    )
    assert verified(sources, f"格罗替宁显著降低远期复发率。{far}", "格罗替宁显著降低远期复发率") is True
