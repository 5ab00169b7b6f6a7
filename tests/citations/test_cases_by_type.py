"""The eight types, in both languages: claims that their sources hold, and claims wrong in one small thing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from capital_kit.citations import verify_claim_against_source

GUIDE = """示例学会关节炎处置手册（虚构）
§1 总则
本手册共收录 36 项研究，2030年9月8日发布。
§3 治疗
§3.1 起始治疗
推荐格罗替宁 40 mg 口服，每日1次；体重低于50kg者减至 20 mg。
不推荐单独使用糖皮质激素超过3个月。
§3.1.1 老年患者
≥65岁者起始剂量为 10～20 mg，严重感染发生率 2.9%。
§3.2 维持治疗
持续缓解满6个月后可考虑减量，复发率为 18.4%（95%CI 15.1%～22.0%）。
血红蛋白 <90 g/L 或 eGFR <30 mL/min/1.73m² 时停用。
§3.20 附录
IL-6 抑制剂与 JAK1 抑制剂不得联用。
"""
NOTE = """# Market note
In fiscal 2031 the company sold 1,250 thousand units, up 12.5% from 1,111 thousand.
Net revenue was US$3.42 billion; operating margin narrowed to 21.7%.
The contract with Tallis Ltd. ends on 2033-06-30 and does not renew automatically.
公司2031年研发费用 4.86 亿元，占营业收入的 9.3%，同比增加 1.2 个百分点。
经营活动现金流净额为 -0.75 亿元，资产负债率由 48.1% 降至 45.6%。
"该产品尚未在境内上市"，管理层在电话会上表示。
"""
PUBMED = {
    "pmid": "81",
    "title": "Grelotine versus placebo in refractory arthritis: the QUILL-2 study",
    "abstract": "We randomised 412 adults 2:1 to grelotine 40 mg or placebo. At week 24, 58.7% versus 31.2% "
    "reached the primary endpoint (difference 27.5 percentage points; P < .001). "
    "Median time to response was 4.2 weeks. Serious infections occurred in 8 of 275 patients. "
    "LDL-C rose by 0.4 mmol/L. No deaths were reported. "
    "Grelotine did not improve fatigue scores. IC₅₀ was 3.1 nM; counts were 2.4×10⁹/L.",
}
LABELLED = {
    "PubmedArticle": [
        {
            "MedlineCitation": {
                "PMID": "82",
                "Article": {
                    "ArticleTitle": "中国成人示例病的随访研究",
                    "Abstract": {
                        "AbstractText": [
                            {"@Label": "方法", "#text": "纳入2028年至2031年间收治的 286 例患者。"},
                            {
                                "@Label": "结果",
                                "#text": "中位随访 31.5 个月，3年无复发生存率 64.2%，高危组仅 41.0%。",
                            },
                            {"@Label": "结论", "#text": "维持治疗未能降低远期复发风险。"},
                        ]
                    },
                },
            }
        }
    ]
}
TRIAL = {
    "protocolSection": {
        "identificationModule": {
            "nctId": "T-81",
            "briefTitle": "QUILL-2",
            "officialTitle": "Grelotine in Arthritis",
        },
        "statusModule": {"overallStatus": "COMPLETED", "startDateStruct": {"date": "2029-04-15"}},
        "designModule": {"phases": ["PHASE3"], "enrollmentInfo": {"count": 412, "type": "ACTUAL"}},
        "eligibilityModule": {
            "eligibilityCriteria": "* Age \\>=18 years\n* DAS28 \\>3.2\n* ALT \\<2 x ULN",
            "minimumAge": "18 Years",
        },
    },
    "resultsSection": {
        "outcomeMeasuresModule": {
            "outcomeMeasures": [
                {
                    "title": "Change in joint count",
                    "paramType": "MEAN",
                    "unitOfMeasure": "joints",
                    "groups": [{"id": "G0", "title": "Grelotine 40 mg"}, {"id": "G1", "title": "Placebo"}],
                    "classes": [
                        {
                            "categories": [
                                {
                                    "measurements": [
                                        {"groupId": "G0", "value": "-7.30", "spread": "2.1"},
                                        {"groupId": "G1", "value": "-2.65"},
                                    ]
                                }
                            ]
                        }
                    ],
                    "analyses": [{"pValue": "<0.001", "ciPctValue": "95"}],
                }
            ]
        },
        "adverseEventsModule": {
            "eventGroups": [{"id": "G0", "title": "Grelotine 40 mg"}],
            "seriousEvents": [
                {"term": "Pneumonia", "stats": [{"groupId": "G0", "numAffected": 5, "numAtRisk": 275}]}
            ],
        },
    },
}
AACT = {
    "studies": [{"nct_id": "T-81", "brief_title": "QUILL-2", "phase": "Phase 3", "enrollment": "412"}],
    "eligibilities": [
        {"nct_id": "T-81", "gender": "All", "minimum_age": "18 Years", "criteria": "DAS28 above 3.2"}
    ],
    "result_groups": [{"nct_id": "T-81", "id": 7, "title": "Grelotine"}],
    "outcome_measurements": [
        {
            "nct_id": "T-81",
            "result_group_id": 7,
            "title": "Joint count",
            "units": "joints",
            "param_value": "-7.30",
        }
    ],
    "outcome_analyses": [{"nct_id": "T-81", "p_value_modifier": "<", "p_value": "0.001"}],
}
EPMC = {
    "resultList": {
        "result": [
            {
                "id": "81",
                "pmcid": "PMC81",
                "title": "Grelotine and bone loss",
                "abstractText": "<h4>Results</h4>Bone density rose by 1.9% &plusmn; 0.4% (p<0.05) "
                "at 12 months in 96 women. "
                "<h4>Conclusion</h4>Vitamin D<sub>3</sub> was not needed.",
                "doi": "10.9999/81.2031",
            }
        ]
    }
}
EPMC_ZH = {
    "id": "82",
    "pmcid": "PMC82",
    "title": "示例药物经济学评价",
    "abstractText": "增量成本效果比为 86,400 元/QALY，低于 3 倍人均GDP；敏感性分析显示药价为最敏感参数。",
}
BIOC = {
    "documents": [
        {
            "id": "81",
            "passages": [
                {"infons": {"section_type": "TITLE"}, "text": "Long-term safety of grelotine"},
                {"infons": {"section_type": "ABSTRACT"}, "text": "Of 1,024 patients, 61 (6.0%) withdrew."},
                {
                    "infons": {"section_type": "METHODS"},
                    "text": "Visits took place every 12 weeks.",
                },
                {
                    "infons": {"section_type": "RESULTS"},
                    "text": "The hazard ratio was 0.72 (95% CI, 0.58-0.89). Shingles occurred "
                    "in 3.3 per 100 patient-years.",
                },
                {"infons": {"section_type": "TABLE", "id": "T1"}, "text": "Herpes zoster | 34 | 3.3"},
                {"infons": {"section_type": "TABLE", "id": "T2"}, "text": "Anaemia | 27 | 2.6"},
                {
                    "infons": {"section_type": "DISCUSS"},
                    "text": "真实世界中老年人群的感染风险更高，需谨慎解读。",
                },
            ],
        }
    ]
}
NMPA_PAGE = """<html><body><script>var a = "Q20319999";</script><table>
<tr><td>批准文号</td><td><p><span>虚准字Q2031</span><span>0081</span></p></td></tr>
<tr><td>产品名称</td><td>格罗替宁片</td></tr><tr><td>规格</td><td>40mg</td></tr>
<tr><td>批准日期</td><td><span>2031</span><span>年9月8日</span></td></tr>
<tr><td>上市许可持有人</td><td>虚构制药（示例）有限公司</td></tr></table>
<div hidden>作废 80mg</div></body></html>"""
NMPA_JSON = {
    "批准文号": "虚准字Q20310082",
    "产品名称": "塔维珠注射液",
    "规格": "5ml:150mg",
    "有效期": "24个月",
}

FILES = {
    "guidelines/ARTH-2030.txt": GUIDE,
    "guidelines/ARTH-TOC.txt": GUIDE,
    "guidelines/ARTH-TOC.toc.json": json.dumps({"起始": {"start_line": 5, "end_line": 7}, "§3.2": 10}),
    "../evidence/market.md": NOTE,
    "pubmed/81.json": json.dumps(PUBMED),
    "pubmed/82.json": json.dumps(LABELLED),
    "trials/T-81.json": json.dumps(TRIAL),
    "aact/T-81.json": json.dumps(AACT),
    "europepmc/PMC81.json": json.dumps(EPMC),
    "europepmc/PMC82.json": json.dumps(EPMC_ZH),
    "bioc/PMC81.json": json.dumps([BIOC]),
    "nmpa/Q20310081.html": NMPA_PAGE,
    "nmpa/Q20310082.json": json.dumps(NMPA_JSON),
}

HOLDS: dict[str, list[str]] = {
    "[guideline:ARTH-2030:§3.1]": [
        "推荐格罗替宁40mg口服，每日1次",
        "体重低于50 kg者减至20mg",
        "不推荐单独使用糖皮质激素超过3个月",
        "老年患者严重感染发生率2.9%",
        "格罗替宁 ４０ ｍｇ 口服",
    ],
    "[guideline:ARTH-2030:§3.1.1]": ["≥65岁者起始剂量为10-20 mg", "严重感染发生率为2.9%"],
    "[guideline:ARTH-2030:§3.2]": [
        "复发率为18.4%（95%CI 15.1%-22.0%）",
        "血红蛋白＜90g/L",
        "持续缓解满 6 个月后可考虑减量",
        "eGFR<30 mL/min/1.73m2时停用",
    ],
    "[guideline:ARTH-2030:§3.20]": ["IL‑6抑制剂与JAK1抑制剂不得联用"],
    "[guideline:ARTH-2030:line:3]": ["共收录36项研究", "2030年9月8日发布"],
    "[guideline:ARTH-TOC:起始]": ["推荐格罗替宁40 mg", "每日1次"],
    "[guideline:ARTH-TOC:§3.2]": ["复发率 18.4%", "不得联用"],
    "[guideline:ARTH-2030]": ["本手册共收录 36 项研究，复发率18.4%"],
    "[evidence:market.md:line:2]": [
        "the company sold 1,250 thousand units",
        "up 12.5% from 1111 thousand",
        "In fiscal 2031, 1250 thousand units",
    ],
    "[evidence:market.md:line:3]": ["Net revenue was $3.42 billion", "operating margin narrowed to 21.7 %"],
    "[evidence:market.md:line:4]": [
        "the contract ends on 2033-06-30",
        "Tallis Ltd. does not renew automatically",
    ],
    "[evidence:market.md:line:5]": [
        "2031年研发费用4.86亿元",
        "研发费用4.86亿，占营业收入的9.3%",
        "同比增加1.2个百分点",
    ],
    "[evidence:market.md:line:6]": ["现金流净额为−0.75亿元", "资产负债率降至45.6%"],
    "[evidence:market.md:line:7]": ["“该产品尚未在境内上市”", "管理层在电话会上表示"],
    "[evidence:market.md:line:5-6]": ["研发费用4.86亿元，资产负债率45.6%"],
    "[pmid:81:abstract]": [
        "412 adults were randomised 2:1",
        "58.7% versus 31.2%",
        "a difference of 27.5 percentage points",
        "P<.001",
        "p < 0.001",
        "median time to response was 4.2 weeks",
        "8 of 275 patients",
        "LDL-C rose by 0.4 mmol/L",
        "Grelotine did not improve fatigue scores",
        "IC50 was 3.1 nM",
        "counts were 2.4 × 10^9/L",
        "no deaths were reported",
    ],
    "[pmid:81:title]": ["Grelotine versus placebo in refractory arthritis", "the QUILL-2 study"],
    "[pmid:82:abstract:结果]": ["中位随访31.5个月", "3年无复发生存率64.2%", "高危组仅41.0%"],
    "[pmid:82:abstract:方法]": ["纳入2028年至2031年间收治的286例患者"],
    "[pmid:82:abstract]": ["286 例患者，中位随访 31.5 个月", "维持治疗未能降低远期复发风险"],
    "[pmid:82:title]": ["中国成人示例病的随访研究"],
    "[nct:T-81:eligibility]": ["age ≥18 years", "DAS28 >3.2", "ALT <2 x ULN"],
    "[nct:T-81:design]": ["412"],
    "[nct:T-81:status]": ["completed", "started 2029-04-15".replace("started ", "")],
    "[nct:T-81:title]": ["Grelotine in arthritis"],
    "[nct:T-81:results]": [
        "grelotine 40 mg: -7.30 joints",
        "placebo −2.65 joints",
        "<0.001",
        "pneumonia 5/275",
    ],
    "[aact:T-81:results]": ["grelotine joint count -7.30 joints"],
    "[aact:T-81:eligibility]": ["DAS28 above 3.2", "minimum age 18 years".replace("minimum age ", "")],
    "[aact:T-81:studies]": ["412", "QUILL-2"],
    "[europepmc:PMC81:abstract]": [
        "bone density rose by 1.9% ± 0.4%",
        "p<0.05",
        "at 12 months in 96 women",
        "vitamin D3 was not needed",
    ],
    "[europepmc:PMC81:title]": ["grelotine and bone loss"],
    "[europepmc:PMC82:abstract]": ["增量成本效果比为86400元/QALY", "低于3倍人均GDP", "药价为最敏感参数"],
    "[bioc:PMC81:results]": ["the hazard ratio was 0.72 (95% CI 0.58–0.89)", "3.3 per 100 patient-years"],
    "[bioc:PMC81:abstract]": ["61 (6.0%) of 1024 patients withdrew"],
    "[bioc:PMC81:methods]": ["visits every 12 weeks"],
    "[bioc:PMC81:table:T2]": ["anaemia 27"],
    "[bioc:PMC81:discussion]": ["老年人群的感染风险更高"],
    "[nmpa-page:Q20310081]": [
        "虚准字Q20310081",
        "格罗替宁片，规格40mg",
        "批准日期2031年9月8日",
        "虚构制药（示例）有限公司",
    ],
    "[nmpa-page:Q20310082]": ["产品名称：塔维珠注射液", "有效期24个月"],
    "[nmpa-page:Q20310082:规格]": ["150mg"],
}

LACKS: dict[str, list[tuple[str, str]]] = {
    "[guideline:ARTH-2030:§3.1]": [
        ("推荐格罗替宁40 g口服", "another unit"),
        ("推荐格罗替尼40mg", "one character of a name"),
        ("体重高于50kg者减至20mg", "the other direction"),
        ("超过3年", "another unit of time"),
        ("每日10次", "a digit more"),
        ("复发率为18.4%", "the sibling section"),
        ("每日1次或2次", "a dose that is not there"),
    ],
    "[guideline:ARTH-2030:§3.1.1]": [
        (">65岁者", "another comparator"),
        ("起始剂量为40 mg", "the parent's text"),
        ("严重感染发生率29%", "the point lost"),
        ("严重感染发生率2.90%", "another precision"),
    ],
    "[guideline:ARTH-2030:§3.2]": [
        ("复发率为8.4%", "the tail of a number"),
        ("95%CI 15.1%～22.2%", "one digit"),
        ("血红蛋白≤90g/L", "another comparator"),
        ("持续缓解满6周", "another unit"),
        ("IL-6抑制剂", "§3.2 is not §3.20"),
    ],
    "[guideline:ARTH-2030:§3.2.1]": [("复发率为18.4%", "no such section")],
    "[guideline:ARTH-2030:3.1 ]": [("每日12次", "a digit more")],
    "[guideline:ARTH-2030:line:3]": [
        ("共收录6项研究", "the tail of a number"),
        ("2030年8月9日发布", "day and month changed"),
    ],
    "[guideline:ARTH-TOC:起始]": [("复发率18.4%", "the toc ends before")],
    "[guideline:ARTH-TOC:§3.1]": [("推荐格罗替宁40mg", "the toc has no such key")],
    "[guideline:ARTH-2031]": [("推荐格罗替宁40mg", "another year's guideline")],
    "[evidence:market.md:line:2]": [
        ("sold 1,250 million units", "another magnitude"),
        ("sold 1,250 units", "the magnitude lost"),
        ("up 2.5%", "the tail of a number"),
        ("In fiscal 2030", "another year"),
    ],
    "[evidence:market.md:line:3]": [
        ("net revenue was HK$3.42 billion", "another currency"),
        ("net revenue was $3.42 million", "another magnitude"),
        ("operating margin widened to 21.7%", "the other direction"),
        ("net revenue was $3.4 billion", "rounded"),
        ("operating margin narrowed to 0.217", "a share for a per cent"),
        ("-21.7%", "a sign"),
    ],
    "[evidence:market.md:line:4]": [
        ("ends on 2033-06-03", "another day"),
        ("ends on 2033-06-3", "a day cut short"),
        ("Talli Ltd.", "a name cut short"),
    ],
    "[evidence:market.md:line:5]": [
        ("研发费用4.86万元", "another magnitude"),
        ("研发费用48.6亿元", "the point moved"),
        ("增加1.2%", "points are no per cent"),
        ("占营业成本的9.3%", "another name"),
        ("研发费用4.86亿美元", "another currency"),
    ],
    "[evidence:market.md:line:6]": [
        ("现金流净额为0.75亿元", "the sign lost"),
        ("资产负债率由45.1%", "one digit"),
        ("研发费用4.86亿元", "the line before"),
    ],
    "[evidence:market.md:line:7]": [
        ("“该产品已在境内上市”", "a changed quotation"),
        ("“该产品尚未在境外上市”", "one character"),
    ],
    "[evidence:market.md:line:99]": [("该产品尚未在境内上市", "no such line")],
    "[evidence:market.md:line:3-2]": [("21.7%", "lines in the wrong order")],
    "[evidence:market.txt:line:2]": [("12.5%", "another suffix")],
    "[pmid:81:abstract]": [
        ("412 adults were randomised 1:2", "the ratio turned"),
        ("421 adults", "two digits changed places"),
        ("57.8% versus 31.2%", "two digits changed places"),
        ("a difference of 27.5%", "points are no per cent"),
        ("P > .001", "another comparator"),
        ("P = .001", "another comparator"),
        ("4.2 months", "another unit"),
        ("8 of 27 patients", "the head of a number"),
        ("HDL-C rose by 0.4 mmol/L", "another name"),
        ("LDL-C rose by 0.4 mg/L", "another unit"),
        ("IC90 was 3.1 nM", "another index"),
        ("IC50 was 3.1 μM", "another unit"),
        ("counts were 2.4×10^12/L", "another power"),
        ("grelotine 400 mg", "a digit more"),
        ("refractory arthritis", "in the title"),
        ("week 12", "another week"),
        ("grelotin", "a word cut short"),
    ],
    "[pmid:81:title]": [
        ("the QUILL-1 study", "another number"),
        ("58.7%", "in the abstract"),
        ("the QUILL-20 study", "a digit more"),
    ],
    "[pmid:81:abstract:RESULTS]": [("58.7%", "no such label")],
    "[pmid:82:abstract:结果]": [
        ("中位随访31.5年", "another unit"),
        ("5年无复发生存率64.2%", "another year"),
        ("286例患者", "another part"),
        ("低危组仅41.0%", "another group"),
        ("3年无复发生存率64.20%", "another precision"),
    ],
    "[pmid:82:abstract:方法]": [("286名患者", "another unit"), ("2028年至2032年", "another year")],
    "[pmid:83:title]": [("中国成人示例病的随访研究", "no such file")],
    "[nct:T-81:eligibility]": [
        ("age >18 years", "another comparator"),
        ("DAS28 >=3.2", "another comparator"),
        ("412", "in another module"),
    ],
    "[nct:T-81:design]": [("41", "the head of a number"), ("phase 4", "another phase")],
    "[nct:T-81:status]": [("recruiting", "another status"), ("2029-04-51", "no such day")],
    "[nct:T-81:results]": [
        ("-7.3 joints", "another precision"),
        ("7.30 joints", "the sign lost"),
        ("-7.30 points", "another unit"),
        ("pneumonia 5/27", "the head of a number"),
        ("pneumonia 275/5", "turned round"),
    ],
    "[nct:T-81:result]": [("P<0.001", "no such module")],
    "[nct:T-8:title]": [("QUILL-2", "the head of an id")],
    "[aact:T-81:results]": [
        ("joint count -7.30 points", "another unit"),
        ("412", "in another table"),
        ("P>0.001", "another comparator"),
    ],
    "[aact:T-81:eligibility]": [("DAS28 below 3.2", "the other direction"), ("16 years", "another age")],
    "[aact:T-81:sponsors]": [("QUILL-2", "no such table")],
    "[europepmc:PMC81:abstract]": [
        ("1.9% ± 0.5%", "one digit"),
        ("p>0.05", "another comparator"),
        ("at 12 weeks", "another unit"),
        ("96 men", "another word"),
        ("10.9999/81.2031", "a DOI is no text"),
        ("vitamin D2", "another index"),
    ],
    "[europepmc:PMC8:abstract]": [("96 women", "the head of an id")],
    "[europepmc:PMC82:abstract]": [
        ("86400美元/QALY", "another currency"),
        ("8640元/QALY", "a digit less"),
        ("高于3倍人均GDP", "the other direction"),
        ("药价为最不敏感参数", "a negator more"),
    ],
    "[bioc:PMC81:results]": [
        ("hazard ratio 0.72 (95% CI 0.58–0.98)", "two digits changed places"),
        ("6.0%", "in the abstract"),
        ("herpes zoster 34", "in the table"),
        ("3.3 per 1000 patient-years", "a digit more"),
    ],
    "[bioc:PMC81:abstract]": [
        ("61 (6.0%) of 1042 patients", "two digits changed places"),
        ("61 (6%)", "another precision"),
    ],
    "[bioc:PMC81:table:T1]": [("anaemia 27", "another table")],
    "[bioc:PMC81:table:T3]": [("anaemia 27", "no such table")],
    "[bioc:PMC81:result]": [("hazard ratio 0.72", "no such section")],
    "[bioc:PMC81:discussion]": [("青年人群的感染风险更高", "another group")],
    "[nmpa-page:Q20310081]": [
        ("虚准字Q20310080", "one digit"),
        ("虚准字Q2031008", "a digit less"),
        ("规格80mg", "hidden on the page"),
        ("Q20319999", "in a script"),
        ("批准日期2031年9月18日", "a digit more"),
        ("虚构制药有限责任公司", "another name"),
    ],
    "[nmpa-page:Q20310081:规格]": [("40mg", "a page has no keys")],
    "[nmpa-page:Q20310082]": [
        ("有效期24天", "another unit"),
        ("塔维珠片", "another form"),
        ("5ml:15mg", "a digit less"),
    ],
    "[nmpa-page:Q20310082:有效期]": [("150mg", "another field")],
}


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> Path:
    root = tmp_path_factory.mktemp("types") / "sources"
    for name, text in FILES.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


@pytest.mark.parametrize(("anchor", "claim"), [(a, claim) for a, claims in HOLDS.items() for claim in claims])
def test_the_source_holds_it(made, anchor, claim):
    result = verify_claim_against_source(claim, anchor, made)
    assert result["verified"] is True, result["reason"]


@pytest.mark.parametrize(
    ("anchor", "claim", "why"), [(a, *case) for a, cases in LACKS.items() for case in cases]
)
def test_the_source_does_not_hold_it(made, anchor, claim, why):
    result = verify_claim_against_source(claim, anchor, made)
    assert result["verified"] is False, why
    assert result["code"] not in {"ok", "no_keywords"}


def test_every_type_has_claims_of_both_kinds():
    for table in (HOLDS, LACKS):
        assert len({anchor[1:].split(":")[0] for anchor in table}) == 8
