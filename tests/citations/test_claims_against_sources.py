"""The contract as a table: a claim, the anchor it cites, and whether the source holds it."""

from __future__ import annotations

import json

import pytest

from capital_kit.citations import resolve_citation, verify_claim_against_source, verify_report
from capital_kit.errors import CitationError

G1, G11, G2 = (f"[guideline:MADE-UP-1:§2.{n}]" for n in ("1", "1.1", "2"))
P = "[pmid:1:abstract]"
LINE3, LINE4, LINE5 = (f"[evidence:note.md:line:{n}]" for n in (3, 4, 5))

TRUE = [
    ("格罗替宁商品名明澈", G1),
    ("格罗替宁（商品名：明澈）120mg，每日2次", G1),
    ("塔维珠单抗 3.5mg/kg，每3周1次", G1),
    ("颅内缓解率为74%", G11),
    ("颅内缓解率为74%", G1),
    ("对照组7.4个月", G2),
    ("HR 0.31（95%CI 0.22-0.44，P<0.001）", G2),
    ("血小板≥90×10^9/L", G2),
    ("体温变化-1.5℃", G2),
    ("剂量500 mg/m2", G2),
    ("剂量５００ｍｇ／ｍ²", G2),
    ("格罗替宁组未达到", "[guideline:MADE-UP-1]"),
    ("中位缓解持续时间", "[guideline:MADE-UP-3:§2.2]"),
    ("首选药物格罗替宁", "[guideline:MADE-UP-3:§2.1]"),
    ("每日2次", "[guideline:MADE-UP-1:line:10]"),
    ("Give 20 mg daily", "[guideline:MADE-UP-4:§4.1]"),
    ("Stop at 30 mg", "[guideline:MADE-UP-4:§4]"),
    ("首剂8 mg/kg", "[guideline:MADE-UP-2:§1.1]"),
    ("规格0.25g，12片", "[guideline:MADE-UP-2:§1.2]"),
    ("中性粒细胞≥1.5×10⁹/L", "[nmpa-page:Q2]"),
    ("2031年新发患者约4.7万例，渗透率63.5%", LINE3),
    ("市场规模38.2亿元", LINE4),
    ("同比下降-4.1%", LINE4),
    ("覆盖1480家医院", LINE5),
    ("也是同一行", LINE5),
    ("Median progression-free survival was 5.6 months with grelotine", P),
    ("median progression‐\nfree survival was 2.3 months with placebo", P),
    ("hazard ratio 0.48; 95% CI 0.35 to 0.66", P),
    ("P<.001", P),
    ("mean change was -3.2 kg", P),
    ("nadir was 1.4 × 10^9/L", P),
    ("17 (8.5%) of 200 patients", P),
    ("cost was $41.5 million", P),
    ("1230 centres", P),
    ("grade 3–4 rash", P),
    ("Grelotine in adults", "[pmid:1:title]"),
    ("Grelotine in adults, 5.6 months", "[pmid:1]"),
    ("Only a title", "[pmid:3:title]"),
    ("enrolled 64 adults", "[pmid:4:abstract:METHODS]"),
    ("response 41.0%", "[pmid:4:abstract]"),
    ("IC50 was 4.1 µM", "[europepmc:PMC7:abstract]"),
    ("p<0.05", "[europepmc:PMC7:abstract]"),
    ("glucose <126 mg/dl", "[nct:T-1:eligibility]"),
    ("Grelotine 21.40 kg/m²", "[nct:T-1:results]"),
    ("Grelotine chews 18 bites", "[aact:T-1:results]"),
    ("31; 0.50", "[aact:T-2:results]"),
    ("response 44.5%", "[bioc:PMC7:results]"),
    ("rash 4.5%", "[bioc:PMC7:table:T2]"),
    ("商品名：明澈，规格120mg", "[nmpa-page:Q1]"),
    ("虚准字Q20310001", "[nmpa-page:Q1:批准文号]"),
    ("中位无进展生存期5.6个月", P, ["5.6 months", "grelotine"]),
]  # fmt: skip

FALSE = [
    ("格罗替宁商品名明朗", G1, "one character of a name"),
    ("格罗替宁12mg", G1, "a digit less"),
    ("格罗替宁1200mg", G1, "a digit more"),
    ("颅内缓解率4%", G11, "the tail of 74%"),
    ("颅内缓解率7%", G11, "the head of 74%"),
    ("格罗替宁120mg", G11, "the parent's text cited with the child"),
    ("格罗替宁120mg", G2, "the wrong section"),
    ("对照组7.4个周", G2, "another unit"),
    ("对照组7.40个月", G2, "another precision"),
    ("对照组74个月", G2, "the point lost"),
    ("P>0.001", G2, "another comparator"),
    ("P<0.01", G2, "a prefix of 0.001"),
    ("P=0.001", G2, "equal is not less"),
    ("血小板≥90×10^6/L", G2, "another exponent"),
    ("血小板>90×10^9/L", G2, "greater is not at least"),
    ("体温变化1.5℃", G2, "the sign lost"),
    ("剂量500 mg", G2, "the unit is mg/m²"),
    ("剂量500 mg/kg", G2, "another unit"),
    ("格罗替宁", "[guideline:MADE-UP-1:§2.3]", "no such section"),
    ("格罗替宁", "[guideline:MADE-UP-3:§2]", "not in the table of contents"),
    ("首选药物", "[guideline:MADE-UP-1:line:90]", "no such line"),
    ("首选药物", "[guideline:MADE-UP-1:line:9-90]", "lines are not clipped"),
    ("Stop at 30 mg", "[guideline:MADE-UP-4:§4.1]", "the next section"),
    ("隐藏99 mg", "[guideline:MADE-UP-2]", "not displayed"),
    ("注释98 mg", "[guideline:MADE-UP-2]", "a comment"),
    ("属性97 mg", "[guideline:MADE-UP-2]", "an attribute"),
    ("批准文号Q77777777", "[nmpa-page:Q2]", "a script"),
    ("中性粒细胞≥1.5×109/L", "[nmpa-page:Q2]", "a lost superscript"),
    ("市场规模38.2万元", LINE4, "万 for 亿"),
    ("市场规模38.2亿元", LINE3, "the next line"),
    ("市场规模38.2", LINE4, "the magnitude left out"),
    ("同比下降4.1%", LINE4, "the sign lost"),
    ("覆盖480家医院", LINE5, "the tail of 1,480"),
    ("覆盖1家医院", LINE5, "the head of 1,480"),
    ("survival was 5.6 weeks with grelotine", P, "another unit"),
    ("survival was 6.5 months with grelotine", P, "digits changed places"),
    ("survival was 5.6 months with grelotin", P, "a prefix of a word"),
    ("survival was 0.6 months", P, "a tail of a decimal"),
    ("mean change was 3.2 kg", P, "the sign lost"),
    ("mean change was -3.2 g", P, "another unit"),
    ("cost was €41.5 million", P, "another currency"),
    ("cost was $41.5 billion", P, "another magnitude"),
    ("cost was 41.5", P, "the magnitude left out"),
    ("95% CI 0.35 to 0.67", P, "one bound"),
    ("17 (85%) of 200 patients", P, "the point lost"),
    ("230 centres", P, "the tail of 1 230"),
    ("grelotine no longer works", P, "a negator must stand in the source"),
    ("Another record", "[pmid:2:title]", "the file holds another record"),
    ("Only a title", "[pmid:3:abstract]", "a summary has no abstract"),
    ("response 41.0%", "[pmid:4:abstract:METHODS]", "another label"),
    ("response 41%", "[pmid:4:abstract]", "another precision"),
    ("12.5%", "[europepmc:PMC7:abstract]", "another record of the answer"),
    ("glucose <126 mg/dl", "[nct:T-1:results]", "the wrong section"),
    ("Grelotine 24.75 lb", "[nct:T-1:results]", "another unit"),
    ("wears glasses", "[aact:T-1:results]", "eligibility is no result"),
    ("ratio 0.5", "[aact:T-2:results]", "0.50 is not 0.5"),
    ("true", "[aact:T-2]", "a boolean is no text"),
    ("control 71.5%", "[bioc:PMC7:results]", "the abstract"),
    ("rash 4.5%", "[bioc:PMC7:results]", "a table"),
    ("虚准字Q2031000", "[nmpa-page:Q1]", "the head of a number"),
    ("5.6 months", "[pmid:11:abstract]", "no such file"),
    ("5.6 months", "[PMID:1:abstract]", "the type is lower case"),
    ("5.6 months", "[paper:1:abstract]", "no such type"),
    ("中位无进展生存期5.6个月", P, "another language"),
    ("", P, "nothing to check"),
    ("的、of the", P, "nothing but function words"),
]  # fmt: skip


@pytest.mark.parametrize("case", TRUE, ids=lambda case: f"{case[0]} {case[1]}")
def test_claim_that_the_source_holds(case, sources):
    claim, anchor, *rest = case
    result = verify_claim_against_source(claim, anchor, sources, keywords=rest[0] if rest else None)
    assert (result["verified"], result["reason"]) == (True, "all keywords matched"), result
    assert result["missing_keywords"] == []
    assert result["matched_keywords"]
    assert len(result["source_excerpt"]) <= 300


@pytest.mark.parametrize(("claim", "anchor", "why"), FALSE)
def test_claim_that_the_source_does_not_hold(claim, anchor, why, sources):
    result = verify_claim_against_source(claim, anchor, sources)
    assert result["verified"] is False, f"{why}: {result}"
    assert result["reason"].startswith(("source missing: ", "anchor unresolvable: ", "no keywords to verify"))


def test_the_result_is_a_plain_record(sources):
    result = verify_claim_against_source("5.6 months [pmid:1:abstract]", P, str(sources))
    assert list(result)[:5] == [
        "verified",
        "matched_keywords",
        "missing_keywords",
        "source_excerpt",
        "reason",
    ]
    assert json.loads(json.dumps(result))["source_path"] == "pubmed/1.json"
    section = resolve_citation(P, sources)
    assert [section[span["start"] : span["end"]] for span in result["spans"]] == ["5.6 months"]


@pytest.mark.parametrize(
    ("claim", "anchor", "warning"),
    [
        ("推荐将放疗作为初始处置", G1, "negation"),
        ("Grelotine is recommended for children", P, "negation"),
        ("12片", "[guideline:MADE-UP-2]", "whole_document"),
        ("74", G11, "weak"),
        ("缓解5.6个月", P, "cross_language"),
    ],
)
def test_limits_of_a_substring_law_are_said(claim, anchor, warning, sources):
    result = verify_claim_against_source(claim, anchor, sources)
    assert warning in [notice["code"] for notice in result["warnings"]]


def test_a_negation_that_the_claim_repeats_is_no_warning(sources):
    result = verify_claim_against_source("不推荐将放疗作为初始处置", G1, sources)
    assert result["verified"] is True
    assert result["warnings"] == []


def test_near_scope_asks_for_one_place(sources, tmp_path):
    far = "Alpha response was 31.5%. " + "Filler text stands here. " * 40 + "Beta survival was 9.5 months."
    (sources / "pubmed" / "6.json").write_text(json.dumps({"pmid": "6", "abstract": far}), encoding="utf-8")
    anchor = "[pmid:6:abstract]"
    wide = verify_claim_against_source("Alpha survival was 9.5 months", anchor, sources)
    near = verify_claim_against_source("Alpha survival was 9.5 months", anchor, sources, scope="near")
    assert wide["verified"] is True
    assert [notice["code"] for notice in wide["warnings"]] == ["scattered"]
    assert near["verified"] is False
    assert near["code"] == "scattered"
    assert verify_claim_against_source("Beta survival was 9.5 months", anchor, sources, scope="near")[
        "verified"
    ]


def test_two_letter_pieces_do_not_add_up_to_a_claim(sources):
    text = "患者 疾病 治疗 药物 缓解 时间 方案 评价"
    (sources / "../evidence/pairs.txt").write_text(text, encoding="utf-8")
    claim = "患者治疗缓解方案疾病时间"
    assert verify_claim_against_source(claim, "[evidence:pairs.txt]", sources)["verified"] is False


@pytest.mark.parametrize("word", ["4.8", "months", "5.6 weeks", "grelotine placebo"])
def test_given_keywords_are_checked_word_for_word(word, sources):
    result = verify_claim_against_source("任意", P, sources, keywords=[word])
    assert result["verified"] is (word == "months")


def test_wrong_types_are_the_callers_fault(sources):
    with pytest.raises(TypeError):
        verify_claim_against_source(5, P, sources)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        verify_claim_against_source("x", 5, sources)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        verify_claim_against_source("x", P, sources, keywords="word")
    with pytest.raises(TypeError):
        resolve_citation(P, None)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["nowhere", "file"])
def test_without_a_folder_nothing_resolves_not_even_evidence_beside_it(tmp_path, name):
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence/note.md").write_text("Margin was 81.2%.", encoding="utf-8")
    (tmp_path / "sources").mkdir()
    (tmp_path / "file").write_text("no folder")
    claim, anchor = "Margin was 81.2%", "[evidence:note.md:line:1]"
    assert verify_claim_against_source(claim, anchor, tmp_path / "sources")["verified"]
    assert verify_claim_against_source(claim, anchor, tmp_path / name)["code"] == "no_file"
    with pytest.raises(CitationError) as caught:
        verify_report(f"{claim} {anchor}.", tmp_path / name)
    assert caught.value.code == "sources_not_found"


def test_missing_folder_is_a_verdict(tmp_path):
    assert resolve_citation(P, tmp_path / "nowhere") is None
    assert verify_claim_against_source("x", P, tmp_path / "nowhere")["code"] == "no_file"


@pytest.mark.parametrize(
    ("claim", "verified"),
    [
        ("QX2+ adults", True),
        ("QX2- adults", False),
        ("ER- tumours", True),
        ("ER+ tumours", False),
        ("QX2 adults", True),
    ],
)
def test_a_plus_or_minus_that_closes_a_name_counts(claim, verified, sources):
    (sources / "pubmed" / "6.json").write_text(
        json.dumps({"abstract": "QX2+ adults with ER\u2212 tumours"}), encoding="utf-8"
    )
    assert verify_claim_against_source(claim, "[pmid:6:abstract]", sources)["verified"] is verified


def _pdf(pages):
    """Write a PDF by hand: one line of text a page."""
    bodies = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"",
        b"<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    kids = []
    for text in pages:
        stream = f"BT /F1 12 Tf 72 720 Td ({text}) Tj ET".encode("ascii")
        bodies.append(b"<< /Length %d >>\nstream\n%s\nendstream" % (len(stream), stream))
        bodies.append(
            b"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Contents %d 0 R "
            b"/Resources << /Font << /F1 3 0 R >> >> >>" % len(bodies)
        )
        kids.append(b"%d 0 R" % len(bodies))
    bodies[1] = b"<< /Type /Pages /Kids [%s] /Count %d >>" % (b" ".join(kids), len(kids))
    data, places = b"%PDF-1.4\n", []
    for number, body in enumerate(bodies, 1):
        places.append(len(data))
        data += b"%d 0 obj\n%s\nendobj\n" % (number, body)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    head = b"xref\n0 %d\n0000000000 65535 f \n" % (len(bodies) + 1)
    trailer = b"trailer\n<< /Size %d /Root 1 0 R >>\nstartxref\n%d\n%%%%EOF\n" % (len(bodies) + 1, len(data))
    return data + head + table + trailer


def test_a_pdf_is_read_where_its_reader_is_installed(sources):
    pytest.importorskip("pypdf")
    pages = ["Grelotine at 120 mg lowered relapse counts", "Placebo patients relapsed after 7.4 months"]
    (sources / "guidelines" / "PRINTED.pdf").write_bytes(_pdf(pages))
    toc = {"§1": {"start_page": 1}, "§2": {"start_page": 2, "end_page": 2}, "§3": {"start_line": 1}}
    (sources / "guidelines" / "PRINTED.toc.json").write_text(json.dumps(toc), encoding="utf-8")

    def holds(claim, locator):
        return verify_claim_against_source(claim, f"[guideline:PRINTED{locator}]", sources)["verified"]

    assert holds("Grelotine 120 mg", "")
    assert holds("Grelotine 120 mg", ":§1")
    assert holds("7.4 months", ":§2")
    assert not holds("7.4 months", ":§1")
    assert not holds("Grelotine 120 mg", ":§3")
    assert not holds("Grelotine 120 mg", ":line:1")
