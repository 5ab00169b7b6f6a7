"""Options of the check, and many reports in executors."""

from __future__ import annotations

import multiprocessing
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor

import pytest

from capital_kit.citations import SourceStore, verify_report, verify_reports
from capital_kit.errors import CitationError

P, G, N = "[pmid:1:abstract]", "[guideline:MADE-UP-1:§2.1]", "[evidence:note.md:line:3]"
REPORTS = [
    f"Survival was 5.6 months with grelotine{P}.",
    f"格罗替宁 121 mg{G}。缓解率 74%。",
    f"渗透率 63.5%{N}。",
    "没有锚点的一句话。",
    f"<p>每日2次{G}</p>",
    f"格罗替宁 120 mg{G}{P}。",
]


def test_a_list_of_reports_is_checked_in_order(sources, tmp_path):
    path = tmp_path / "report.md"
    path.write_text(REPORTS[0], encoding="utf-8")
    found = verify_reports([path, *REPORTS[1:]], sources)
    assert found == [verify_report(report, sources) for report in [path, *REPORTS[1:]]]
    assert verify_reports([], sources) == []


@pytest.mark.parametrize("pool", ["processes", "threads"])
def test_an_executor_gives_the_same(sources, pool):
    alone = verify_reports(REPORTS, sources, scope="near")
    if pool == "processes":
        executor = ProcessPoolExecutor(2, mp_context=multiprocessing.get_context("spawn"))
    else:
        executor = ThreadPoolExecutor(4)
    with executor:
        assert verify_reports(REPORTS, sources, scope="near", executor=executor) == alone
        with pytest.raises(CitationError) as caught:
            verify_reports([P * 50_001], sources, executor=executor)
    assert caught.value.code == "report_too_large"
    assert caught.value.hint


def test_the_executor_of_a_dask_client_gives_the_same(sources):
    distributed = pytest.importorskip("distributed")
    cluster = distributed.LocalCluster(
        n_workers=1,
        threads_per_worker=2,
        processes=False,
        protocol="tcp://",
        host="127.0.0.1",
        dashboard_address=None,
    )
    with cluster, distributed.Client(cluster) as client:
        found = verify_reports(REPORTS, sources, executor=client.get_executor())
    assert found == verify_reports(REPORTS, sources)


def test_each_anchor_alone_or_neighbours_together(sources):
    text = "格罗替宁 120 mg，对照组 7.4 个月[guideline:MADE-UP-1:§2.1][guideline:MADE-UP-1:§2.2]。"
    assert [c.verified for c in verify_report(text, sources).citations] == [True, True]
    each = verify_report(text, sources, group="each").citations
    assert [c.code for c in each] == ["missing", "missing"]
    assert ["7.4 个月" in each[0].missing_keywords, "120 mg" in each[1].missing_keywords] == [True, True]
    idle = f"格罗替宁 120 mg{G}[pmid:1:title]。"
    assert verify_report(idle, sources).citations[1].code == "idle_anchor"
    assert verify_report(idle, sources, group="each").citations[1].code == "missing"


def test_keywords_of_the_caller_stand_for_the_claims_of_an_anchor(sources):
    text = f"中位生存 5.6 个月{P}。"
    assert not verify_report(text, sources).ok
    verdict = verify_report(text, sources, keywords={P: ["5.6 months", "grelotine"]})
    assert verdict.ok
    assert verdict.citations[0].matched_keywords == ("5.6 months", "grelotine")
    assert not verify_report(text, sources, keywords={P: ["5.7 months"]}).ok
    inline = f"中位生存 {{kw: 5.7 months}}{P}。"
    assert not verify_report(inline, sources, keywords={P: ["5.6 months"]}).ok


@pytest.mark.parametrize("anchor", ["[pmid:2:title]", "pmid:1", "[PMID:1:abstract]"])
def test_keywords_for_an_anchor_that_is_not_there_are_an_error(sources, anchor):
    with pytest.raises(CitationError, match="anchor_not_in_report"):
        verify_report(f"生存 5.6 个月{P}。", sources, keywords={anchor: ["5.6 months"]})


def test_keywords_reach_the_reports_that_hold_their_anchor(sources):
    reports = [f"生存 5.6 个月{P.replace(':1', ': 1')}。", "没有锚点。"]
    with pytest.raises(CitationError, match="anchor_not_in_report"):
        verify_reports(reports, sources, keywords={G: ["5.6 months"]})
    assert all(verdict.ok for verdict in verify_reports(reports, sources, keywords={P: ["5.6 months"]}))


def test_patterns_of_the_caller_add_factual_claims(sources):
    text = "格罗替宁是首选药物。其他句子。"
    assert verify_report(text, sources).ok
    verdict = verify_report(text, sources, fact_patterns=["首选|一线"])
    assert [claim.text for claim in verdict.uncited] == ["格罗替宁是首选药物。"]
    assert verdict.stats["factual_claims"] == 1
    cited = verify_report(f"首选药物{G}。", sources, fact_patterns=["首选|一线"])
    assert cited.stats["coverage"] == 1.0
    with pytest.raises(CitationError, match="fact_pattern_invalid"):
        verify_report(text, sources, fact_patterns=["("])


@pytest.mark.parametrize(
    "wrong",
    [
        {"scope": "far"},
        {"group": "all"},
        {"fact_patterns": "首选"},
        {"keywords": {P: "5.6 months"}},
    ],
)
def test_wrong_options_are_a_type_error(sources, wrong):
    with pytest.raises(TypeError):
        verify_report("x", sources, **wrong)
    with pytest.raises(TypeError):
        verify_reports(["x"], sources, **wrong)


def test_a_store_never_answers_for_a_file_that_changed(sources):
    store = SourceStore()
    text = f"渗透率 63.5%{N}。"
    path = sources / "../evidence/note.md"
    before = path.read_text(encoding="utf-8")
    assert verify_report(text, sources, store=store).ok
    path.write_text(before.replace("63.5", "64.5"), encoding="utf-8")
    assert not verify_report(text, sources, store=store).ok
    path.unlink()
    assert verify_report(text, sources, store=store).citations[0].code == "no_file"
    path.write_text(before, encoding="utf-8")
    assert verify_report(text, sources, store=store).ok
