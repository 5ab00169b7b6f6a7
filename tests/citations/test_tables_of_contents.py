"""What goes with the sources: suggestions for places, tables of contents, provenance, PDF text."""

from __future__ import annotations

import hashlib
import json

import pytest

from capital_kit.citations import (
    SourceStore,
    check_provenance,
    explain_citation,
    resolve_citation,
    verify_claim_against_source,
    verify_report,
    write_toc,
)
from capital_kit.errors import CitationError

PDF_ANCHOR = "[guideline:PAPER:§2]"


@pytest.mark.parametrize(
    ("anchor", "first"),
    [
        ("[guideline:MADE-UP-1:§2.3]", "§2"),
        ("[guideline:MADE-UP-3:§2.21]", "§2.2"),
        ("[guideline:MADE-UP-2:§1.3]", "§1."),
        ("[guideline:MADE-UP-4:4.11]", "§4.1"),
        ("[evidence:note.md:line:400]", "line:1-"),
        ("[pmid:1:abstracts]", "abstract"),
        ("[pmid:1:titel]", "title"),
        ("[nct:T-1:eligibilty]", "eligibility"),
        ("[aact:T-1:result]", "results"),
        ("[bioc:PMC7:resluts]", "results"),
        ("[nmpa-page:Q1:商品]", "商品名"),
        ("[europepmc:PMC7:abs]", "abstract"),
    ],
)
def test_a_place_that_is_not_there_is_answered_with_the_nearest_that_are(sources, anchor, first):
    found = explain_citation(anchor, sources)
    assert found["code"] == "locator_not_found"
    assert found["suggestions"][0].startswith(first)
    assert found["suggestions"][0] in found["message"]
    kind, name, _ = anchor[1:-1].split(":", 2)
    for place in found["suggestions"]:
        assert resolve_citation(f"[{kind}:{name}:{place}]", sources) is not None


def test_there_are_no_suggestions_where_nothing_is_amiss(sources):
    assert explain_citation("[pmid:1:title]", sources)["suggestions"] == []
    assert explain_citation("[pmid:404:title]", sources)["suggestions"] == []
    assert "pubmed/404.json" in explain_citation("[pmid:404:title]", sources)["message"]
    assert explain_citation("[nmpa-page:Q2:规格]", sources)["suggestions"] == []


def test_a_result_says_what_its_code_means(sources):
    result = verify_claim_against_source("121 mg", "[guideline:MADE-UP-1:§2.1]", sources)
    assert result["code"] == "missing"
    assert result["message"] == "The source does not hold all of it"


def test_a_written_toc_resolves_like_the_headings(sources):
    places = ["§2", "§2.1", "§2.1.1", "§2.2"]
    before = [resolve_citation(f"[guideline:MADE-UP-1:{place}]", sources) for place in places]
    toc = write_toc("MADE-UP-1", sources)
    assert list(toc.entries) == places
    assert toc.path == "guidelines/MADE-UP-1.toc.json"
    after = [resolve_citation(f"[guideline:MADE-UP-1:{place}]", sources) for place in places]
    assert [text.rstrip() for text in after] == [text.rstrip() for text in before]
    assert not [path.name for path in (sources / "guidelines").iterdir() if path.name.startswith(".tmp")]
    with pytest.raises(CitationError, match="toc_exists"):
        write_toc("MADE-UP-1", sources)
    assert write_toc("MADE-UP-1", sources, replace=True) == toc


def test_numbers_that_stand_twice_are_left_out_and_named(sources):
    (sources / "guidelines/TWICE.md").write_text("# 1 A\n\nx\n\n# 2 B\n\ny\n\n# 1 C\n\nz\n", encoding="utf-8")
    toc = write_toc("TWICE", sources)
    assert toc.ambiguous == ("1",)
    assert toc.to_dict()["entries"] == {"§2": {"start_line": 5, "end_line": 8}}


@pytest.mark.parametrize(
    ("name", "code"),
    [
        ("ABSENT", "toc_no_source"),
        ("../evidence/note", "toc_no_source"),
        ("MADE-UP-2", "toc_no_headings"),
        ("PLAIN", "toc_no_headings"),
        ("CON", "toc_no_source"),
        ("", "toc_no_source"),
    ],
)
def test_what_has_no_toc(sources, name, code):
    (sources / "guidelines/PLAIN.txt").write_text("no headings here\n", encoding="utf-8")
    with pytest.raises(CitationError) as caught:
        write_toc(name, sources)
    assert caught.value.code == code
    assert caught.value.hint


def sidecar(sources, name, **fields):
    (sources / f"pubmed/{name}.provenance.json").write_text(json.dumps(fields), encoding="utf-8")


def test_provenance(sources):
    raw = sources / "_raw/pubmed"
    raw.mkdir(parents=True)
    (raw / "1.xml").write_bytes(b"<xml/>")
    good = "sha256:" + hashlib.sha256(b"<xml/>").hexdigest()
    sidecar(
        sources,
        "1",
        raw_path="_raw/pubmed/1.xml",
        checksum=good,
        fetched_at="2031-01-01T00:00:00Z",
        endpoint="e",
    )
    sidecar(sources, "2", raw_path="_raw/pubmed/1.xml", checksum="sha256:" + "0" * 64)
    sidecar(sources, "3", raw_path="_raw/pubmed/3.xml", checksum=good)
    sidecar(sources, "4", raw_path="../../outside.xml", checksum=good)
    sidecar(sources, "5", raw_path="_raw/pubmed/1.xml", checksum="md5:1")
    (sources / "pubmed/6.provenance.json").write_text("[", encoding="utf-8")
    (sources.parent.parent / "outside.xml").write_bytes(b"<xml/>")
    found = {entry.path.split("/")[1][0]: entry for entry in check_provenance(sources)}
    assert {key: entry.code for key, entry in found.items()} == {
        "1": "ok",
        "2": "checksum_differs",
        "3": "raw_missing",
        "4": "raw_missing",
        "5": "no_checksum",
        "6": "sidecar_unreadable",
    }
    assert found["1"].fetched_at == "2031-01-01T00:00:00Z"
    assert all(json.dumps(entry.to_dict()) and entry.message for entry in found.values())
    with pytest.raises(CitationError, match="sources_not_found"):
        check_provenance(sources / "absent")


@pytest.fixture
def paper(sources, tmp_path, monkeypatch):
    monkeypatch.setenv("CAPITAL_KIT_HOME", str(tmp_path / "home"))
    (sources / "guidelines/PAPER.pdf").write_bytes(b"%PDF-1.7 made up")
    toc = {"§1": {"start_page": 1}, "§2": {"start_page": 2, "end_page": 2}}
    (sources / "guidelines/PAPER.toc.json").write_text(json.dumps(toc), encoding="utf-8")
    return sources


PAGES = ["§1 General words of the first page", "§2 Doses: the first dose is 20 mg daily"]


def test_another_pdf_reader_may_be_given(paper):
    asked = []

    def reader(data):
        asked.append(data)
        return PAGES

    store = SourceStore(pdf_reader=reader)
    text = f"The first dose is 20 mg{PDF_ANCHOR}. The dose is 30 mg{PDF_ANCHOR}."
    assert [c.verified for c in verify_report(text, paper, store=store).citations] == [True, False]
    assert asked == [b"%PDF-1.7 made up"]


@pytest.mark.parametrize(
    "pages",
    [
        [],
        ["x"],
        ["\ue000\ue001" * 40],
        ["�" * 50, "words"],
        ["page of words enough for it"] * 1501,
    ],
)
def test_the_gate_of_quality_holds_for_every_reader(paper, pages):
    store = SourceStore(pdf_reader=lambda data: pages)
    (item,) = verify_report(f"20 mg{PDF_ANCHOR}.", paper, store=store).citations
    assert item.code in {"pdf_unreadable", "too_large"}


def test_a_reader_that_fails_is_no_crash(paper):
    def broken(data):
        raise RuntimeError("broken")

    (item,) = verify_report(f"20 mg{PDF_ANCHOR}.", paper, store=SourceStore(pdf_reader=broken)).citations
    assert item.code == "pdf_unreadable"


def test_the_text_of_a_pdf_is_read_once_for_its_contents(paper, tmp_path, monkeypatch):
    pypdf = pytest.importorskip("pypdf")
    read = []

    class Document:
        def __init__(self, stream):
            read.append(stream.read())
            self.pages = [
                type("Page", (), {"extract_text": lambda self, text=text: text})() for text in PAGES
            ]

    monkeypatch.setattr(pypdf, "PdfReader", Document)
    assert "20 mg" in resolve_citation(PDF_ANCHOR, paper)
    assert "20 mg" in resolve_citation(PDF_ANCHOR, paper)
    assert len(read) == 1
    (kept,) = (tmp_path / "home/cache/pdf-text").iterdir()
    assert pypdf.__version__ in kept.name
    kept.write_text("{", encoding="utf-8")
    assert "20 mg" in resolve_citation(PDF_ANCHOR, paper)
    (paper / "guidelines/PAPER.pdf").write_bytes(b"%PDF-1.7 another")
    resolve_citation(PDF_ANCHOR, paper)
    assert read[-1] == b"%PDF-1.7 another"
    assert len(read) == 3


def test_a_workspace_that_cannot_be_written_changes_no_answer(paper, tmp_path, monkeypatch):
    pypdf = pytest.importorskip("pypdf")
    (tmp_path / "home").write_text("a file, no folder", encoding="utf-8")

    class Document:
        def __init__(self, stream):
            self.pages = [
                type("Page", (), {"extract_text": lambda self, text=text: text})() for text in PAGES
            ]

    monkeypatch.setattr(pypdf, "PdfReader", Document)
    assert "20 mg" in resolve_citation(PDF_ANCHOR, paper)
