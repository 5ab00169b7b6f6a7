"""Nothing outside the folder is read, nothing is guessed, and nothing of a source raises."""

from __future__ import annotations

import json
import os
import re
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import capital_kit
from capital_kit.citations import Citation, explain_citation, resolve_citation, verify_claim_against_source

PACKAGE = Path(capital_kit.__file__).parent


@pytest.fixture
def secret(sources):
    outside = sources.parent.parent / "outside"
    outside.mkdir()
    for name in ("secret.json", "secret.txt"):
        (outside / name).write_text('{"pmid": "5", "title": "secret 4242"}', encoding="utf-8")
    return outside


@pytest.mark.parametrize(
    "anchor",
    [
        "[evidence:../sources/pubmed/1.json]", "[pmid:../../outside/secret:title]", "[pmid:..:title]",
        "[pmid:/etc/passwd:title]",
        "[guideline:..\\..\\secret]", "[pmid:1\0:title]", "[evidence:note.md.]", "[pmid:CON:title]",
        "[pmid:nul.x:title]",
        "[guideline:~root]", "[pmid:%2e%2e:title]", "[pmid:" + "1" * 5000 + ":title]", "[evidence:1.json]",
        "[pmid:.1:title]",
    ],
)  # fmt: skip
def test_hostile_ids_lead_nowhere(anchor, sources, secret):
    assert resolve_citation(anchor, sources) is None
    assert explain_citation(anchor, sources)["code"] in {"bad_id", "bad_anchor"}
    assert verify_claim_against_source("secret 4242", anchor, sources)["verified"] is False


@pytest.mark.parametrize("citation", [
    Citation("pmid", "../../outside/secret", "title"), Citation("evidence",
    "../outside/secret.txt"), Citation("pmid", ""),
    Citation("x", "1"), Citation("pmid", "1", "title]"), Citation("pmid", "1", "a\nb"),
])  # fmt: skip
def test_a_citation_made_by_hand_is_held_to_the_grammar(citation, sources, secret):
    assert resolve_citation(citation, sources) is None


def test_links_out_of_the_folder_are_refused(sources, secret):
    (sources / "pubmed" / "5.json").symlink_to(secret / "secret.json")
    (sources / "nmpa" / "5.json").symlink_to("../pubmed/1.json")
    (sources / "../evidence/out.txt").symlink_to(secret / "secret.txt")
    for anchor in ("[pmid:5:title]", "[nmpa-page:5]", "[evidence:out.txt]"):
        assert resolve_citation(anchor, sources) is None
        assert explain_citation(anchor, sources)["code"] == "bad_id"


def test_a_linked_folder_is_refused(sources, secret):
    (sources / "bioc" / "PMC7.json").unlink()
    (sources / "bioc").rmdir()
    (sources / "bioc").symlink_to(secret)
    assert explain_citation("[bioc:secret]", sources)["code"] == "bad_id"


def test_a_table_of_contents_cannot_lead_out(sources, secret):
    (sources / "guidelines" / "MADE-UP-5.txt").write_text("one\ntwo", encoding="utf-8")
    toc = {"§1": {"start_line": 1, "file": "../../outside/secret.txt"}, "§2": "../x",
    "§3": {"start_line": True}, "§4": -1,
           "§5": {"start_line": 2, "end_line": 9}, "§6": {"start_line": 2, "end_line": 1}}  # fmt: skip
    (sources / "guidelines" / "MADE-UP-5.toc.json").write_text(json.dumps(toc), encoding="utf-8")
    assert resolve_citation("[guideline:MADE-UP-5:§1]", sources) == "one"
    for key in ("§2", "§3", "§4", "§5", "§6"):
        assert explain_citation(f"[guideline:MADE-UP-5:{key}]", sources)["code"] == "locator_not_found"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_pipes_and_folders_are_no_sources(sources):
    os.mkfifo(sources / "pubmed" / "6.json")
    (sources / "pubmed" / "7.json").mkdir()
    for number in (6, 7):
        assert explain_citation(f"[pmid:{number}]", sources)["code"] in {"bad_id", "unreadable"}


def test_names_are_taken_to_the_letter(sources):
    assert resolve_citation("[guideline:made-up-1]", sources) is None
    assert resolve_citation("[guideline:MADE-UP-1.txt]", sources) is None
    (sources / "guidelines" / "DOTTED-2031.txt").write_text("a decoy", encoding="utf-8")
    assert resolve_citation("[guideline:DOTTED-2031.v3]", sources) is None


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"[" * 100_000, "too_large"), (b'{"a":' * 50_000, "too_large"), (b"{", "undecodable"), (b"",
        "undecodable"),
        (b"\xff\xfe\x00\xd8", "undecodable"), (b"5", "unsupported_layout"), (b"[1, 2]", "unsupported_layout"),
        (b"null", "unsupported_layout"), (b'{"FullStudiesResponse": {}}', "unsupported_layout"),
        (b'{"pmid": "8"}', "identity_mismatch"), (b'{"result": {"9": 5}}', "identity_mismatch"),
        (b'{"PubmedArticle": [5, null]}', "identity_mismatch"), (b'{"pmid": "9", "title": true}',
        "locator_not_found"),
        (b'{"title": {"a": [[[["deep"]]]]}}', "ok"), (b'\xef\xbb\xbf{"pmid": 9, "title": "marked"}', "ok"),
    ],
)  # fmt: skip
def test_broken_records_have_a_code(sources, data, code):
    (sources / "pubmed" / "9.json").write_bytes(data)
    assert explain_citation("[pmid:9:title]", sources)["code"] == code
    assert (resolve_citation("[pmid:9:title]", sources) is None) == (code != "ok")


def test_deep_values_are_walked_without_recursion(sources):
    (sources / "pubmed" / "9.json").write_text(
        '{"title": ' + "[" * 900 + '"deep"' + "]" * 900 + "}", encoding="utf-8"
    )
    assert resolve_citation("[pmid:9:title]", sources) == "deep"


def test_large_files_are_refused(sources):
    with (sources / "guidelines" / "BIG.txt").open("wb") as file:
        file.truncate(33 << 20)
    assert explain_citation("[guideline:BIG]", sources)["code"] == "too_large"


@pytest.mark.parametrize(
    ("name", "data", "expected"),
    [
        ("GBK.txt", "长期见效".encode("gb18030"), "长期见效"),
        ("GBK.html", '<meta charset="gb2312"><p>长期见效</p>'.encode("gb18030"), "长期见效"),
        ("WIDE.txt", "长期见效".encode("utf-16"), "长期见效"),
        ("MARK.txt", "长期见效".encode("utf-8-sig"), "长期见效"),
        ("WRONG.html", '<meta charset="rot13"><p>长期见效</p>'.encode(), "长期见效"),
        ("BROKEN.txt", b"abc\xff\xff\xff", None),
    ],
)
def test_encodings(sources, name, data, expected):
    (sources / "guidelines" / name).write_bytes(data)
    assert resolve_citation(f"[guideline:{name.split('.', maxsplit=1)[0]}]", sources) == expected


def test_a_pdf_without_text_is_said_to_be_so(sources, monkeypatch):
    (sources / "guidelines" / "SCAN.pdf").write_bytes(b"%PDF-1.4 nothing")
    assert explain_citation("[guideline:SCAN]", sources)["code"] in {"no_pdf_reader", "pdf_unreadable"}
    monkeypatch.setitem(sys.modules, "pypdf", None)
    assert explain_citation("[guideline:SCAN]", sources)["code"] == "no_pdf_reader"
    assert resolve_citation("[guideline:SCAN]", sources) is None


def test_a_source_that_changes_is_read_again(sources):
    path = sources / "pubmed" / "8.json"
    path.write_text('{"pmid": "8", "title": "dose 41 mg"}', encoding="utf-8")
    state = path.stat()
    assert verify_claim_against_source("41 mg", "[pmid:8:title]", sources)["verified"] is True
    path.write_text('{"pmid": "8", "title": "dose 42 mg"}', encoding="utf-8")
    os.utime(path, ns=(state.st_atime_ns, state.st_mtime_ns))
    assert verify_claim_against_source("41 mg", "[pmid:8:title]", sources)["verified"] is False
    path.unlink()
    assert verify_claim_against_source("42 mg", "[pmid:8:title]", sources)["code"] == "no_file"


JSON = st.recursive(
    st.none() | st.booleans() | st.floats(allow_nan=False) | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from([
        "pmid", "uid", "title", "abstract", "result", "X-1", "PubmedArticle", "MedlineCitation", "PMID",
        "Article", "Abstract",
        "AbstractText", "#text", "@Label", "resultList", "pmcid", "id", "protocolSection",
        "identificationModule", "nctId",
        "resultsSection", "studies", "nct_id", "results", "outcome_measurements", "classes", "categories",
        "measurements", "groups",
        "eventGroups", "documents", "passages", "infons", "section_type", "text", "data", "detail", "商品名",
    ]), inner, max_size=4),
    max_leaves=12,
)  # fmt: skip


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(JSON, st.sampled_from([("pmid", "pubmed"), ("europepmc", "europepmc"), ("nct", "trials"), ("aact",
"aact"),
                              ("bioc", "bioc"), ("nmpa-page", "nmpa")]),
       st.sampled_from(["", "title", "abstract", "abstract:X", "results", "eligibility", "a.b", "table:1",
       "text"]))  # fmt: skip
def test_any_record_is_a_verdict(sources, value, place, locator):
    kind, folder = place
    (sources / folder / "X-1.json").write_text(json.dumps(value), encoding="utf-8")
    result = verify_claim_against_source("甲 4.1 mg", Citation(kind, "X-1", locator), sources)
    assert isinstance(result["verified"], bool)


@settings(max_examples=100, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.binary(max_size=200),
    st.sampled_from([".txt", ".md", ".html"]),
    st.text(max_size=30),
    st.text(max_size=12),
)
def test_any_file_is_a_verdict(sources, data, suffix, claim, locator):
    for old in (sources / "guidelines").glob("ANY.*"):
        old.unlink()
    (sources / "guidelines" / f"ANY{suffix}").write_bytes(data)
    result = verify_claim_against_source(claim, f"[guideline:ANY:{locator}]", sources)
    assert isinstance(result["verified"], bool)


def test_the_iron_law_stands_in_the_code():
    """No list of known things, no built-in answer, no network."""
    forbidden = re.compile(
        r"KNOWN_|_fallback|BUILT_?IN_ANSWERS|NCT[0-9]{8}|PMC[0-9]{5,}|国药准字|\b[HZSJ][0-9]{8}\b|pmid:[0-9]{5,}|替尼|单抗|mab\b|tinib",
    )
    for path in [*PACKAGE.rglob("*.py"), *PACKAGE.rglob("*.toml")]:
        found = forbidden.search(path.read_text(encoding="utf-8"))
        assert found is None, f"{path.name}: {found and found[0]}"
    client = re.compile(
        r"^\s*(?:import|from)\s+(?:urllib|http|socket|ssl|requests|httpx|aiohttp|ftplib)\b", re.MULTILINE
    )
    for path in (PACKAGE / "citations").rglob("*.py"):
        assert client.search(path.read_text(encoding="utf-8")) is None, path.name
