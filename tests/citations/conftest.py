"""A made-up folder of sources; nothing in it exists outside these tests."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

GUIDE = """示例学会甲状腺样疾病处置手册（虚构）

目录
§2.1 初始处置 ........ 3
§2.2 后续处置 ........ 5

§2 处置
总则见各节。
§2.1 初始处置
首选药物：格罗替宁（商品名：明澈）120 mg，每日2次；备选药物：塔维珠单抗 3.5 mg/kg，每3周1次。
不推荐将放疗作为初始处置。
§2.1.1 脑部受累
颅内缓解率 74%，其中完全缓解率 61%。
§2.2 后续处置
中位缓解持续时间：格罗替宁组未达到，对照组 7.4 个月（HR 0.31，95%CI 0.22～0.44，P＜0.001）。
血小板 ≥90×10⁹/L，体温变化 −1.5 ℃，剂量 500 mg/m²。
"""

NOTE = (
    "# 笔记\n\n"
    "2031年新发患者约 4.7 万例，**渗透率** 63.5%。\n"
    "市场规模 38.2 亿元人民币，同比下降 −4.1%。\n"
    "覆盖 1,480 家医院\u2028仍是同一行\x0c也是同一行。\n"
)

ABSTRACT = (
    "BACKGROUND: Grelotine is a made-up agent. RESULTS: Median progression-free survival was 5.6 months "
    "with grelotine and 2.3 months with placebo (hazard ratio, 0.48; 95% CI, 0.35 to 0.66; P<0.001). "
    "Mean change was \u22123.2 kg. The nadir was 1\u00b74 \u00d7 10\u2079/L. "
    "Grade 3-4 rash occurred in 17 (8.5%) of 200 "
    "patients. Grelotine is not recommended for children. Cost was $41.5 million in 1\u202f230 centres."
)

PAGE = """<!doctype html><html><head><title>登记页</title>
<script>var x = "批准文号Q77777777";</script></head><body>
<h2>§1.1 适应症</h2><p>用于成人，首剂 8&nbsp;mg/kg。</p>
<h2>§1.2 规格</h2><table><tr><td><p><span>0.25</span><span>g</span></p></td><td>12片</td></tr></table>
<p style="display: none">隐藏 99 mg</p><!-- 注释 98 mg -->
<p title="属性 97 mg">中性粒细胞 &ge;1.5&times;10<sup>9</sup>/L</p>
</body></html>"""


@pytest.fixture(autouse=True)
def _language(monkeypatch, tmp_path):
    from capital_kit._core.options import options

    monkeypatch.setenv("CAPITAL_KIT_HOME", str(tmp_path / "capital-kit"))
    with options.override(language="en"):
        yield


@pytest.fixture
def sources(tmp_path: Path) -> Path:
    root = tmp_path / "work" / "sources"
    files = {
        "guidelines/MADE-UP-1.txt": GUIDE,
        "guidelines/MADE-UP-2.html": PAGE,
        "guidelines/MADE-UP-3.txt": GUIDE,
        "guidelines/MADE-UP-3.toc.json": json.dumps({"§2.1": {"start_line": 9, "end_line": 11}, "§2.2": 14}),
        "guidelines/MADE-UP-4.md": "# 4 Doses\n\nIntro.\n\n## 4.1 Start\n\nGive **20 mg** [daily](https://example.org).\n\n"
        "## 4.2 Stop\n\nStop at 30 mg.\n",
        "../evidence/note.md": NOTE,
        "pubmed/1.json": json.dumps({"pmid": "1", "title": "Grelotine in adults", "abstract": ABSTRACT,
        "year": 2031}),
        "pubmed/2.json": json.dumps({"pmid": "9", "title": "Another record", "abstract": "x"}),
        "pubmed/3.json": json.dumps({"header": {}, "result": {"uids": ["3"], "3": {"uid": "3",
        "title": "Only a title"}}}),
        "pubmed/4.json": json.dumps({"PubmedArticleSet": {"PubmedArticle": {"MedlineCitation": {
            "PMID": {"@Version": "1", "#text": "4"},
            "Article": {"ArticleTitle": "Labelled", "Abstract": {"AbstractText": [
                {"@Label": "METHODS", "#text": "We enrolled 64 adults."},
                {"@Label": "RESULTS", "#text": "Response was 41.0%."}]}},
        }}}}),
        "europepmc/PMC7.json": json.dumps({"resultList": {"result": [
            {"id": "8", "pmcid": "PMC8", "title": "Other", "abstractText": "12.5%"},
            {"id": "7", "pmcid": "PMC7", "title": "Wanted",
            "abstractText": "<h4>Results</h4>IC<sub>50</sub> was 4.1 μM; p<0.05."}]}}),
        "trials/T-1.json": json.dumps({
            "protocolSection": {
                "identificationModule": {"nctId": "T-1", "briefTitle": "A trial"},
                "eligibilityModule": {"eligibilityCriteria": "Glucose \\<126 mg/dL; age >=18 years",
                "sex": "ALL"},
            },
            "resultsSection": {"outcomeMeasuresModule": {"outcomeMeasures": [{
                "title": "Weight", "paramType": "MEAN", "unitOfMeasure": "Kg/m^2",
                "groups": [{"id": "G0", "title": "Grelotine"}, {"id": "G1", "title": "Placebo"}],
                "classes": [{"categories": [{"measurements": [
                    {"groupId": "G0", "value": "21.40", "lowerLimit": "19.1", "upperLimit": "23.0"},
                    {"groupId": "G1", "value": "24.75"}]}]}]}]}},
        }),
        "aact/T-1.json": json.dumps({
            "eligibilities": [{"nct_id": "T-1", "criteria": "Wears glasses"}],
            "result_groups": [{"nct_id": "T-1", "id": 5, "title": "Grelotine"}],
            "outcome_measurements": [{"nct_id": "T-1", "result_group_id": 5, "title": "Chews",
            "units": "bites",
                                      "param_value": "18", "param_value_num": 18.0}]}),
        "aact/T-2.json": '{"nct_id": "T-2", "results": {"ratio": 0.50, "events": 31, "masked": true}}',
        "bioc/PMC7.json": json.dumps([{"source": "PMC", "documents": [{"id": "7", "passages": [
            {"infons": {"section_type": "ABSTRACT"}, "text": "Control was 71.5%."},
            {"infons": {"section_type": "RESULTS"}, "text": "Response was 44.5%."},
            {"infons": {"section_type": "TABLE", "id": "T2"}, "text": "Rash 9 (4.5%)"}]}]}]),
        "nmpa/Q1.json": json.dumps({"批准文号": "虚准字Q20310001", "商品名": "明澈", "规格": "120mg"}),
        "nmpa/Q2.html": PAGE,
    }  # fmt: skip
    for name, text in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root
