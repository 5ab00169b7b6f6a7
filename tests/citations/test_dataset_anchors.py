"""Figures of stored query results: the value, its written forms, and nothing beside it."""

from __future__ import annotations

import json
from concurrent.futures import ProcessPoolExecutor
from decimal import ROUND_HALF_UP, Decimal
from multiprocessing import get_context

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

import capital_kit as ck
from capital_kit.citations._stored import forms

DATASET, QUERY = "ds_0123456789abcdef", "q_fedcba9876543210"
ANCHOR = f"[dataset:{DATASET}:{QUERY}]"


def column(name, kind="number", unit=None):
    return {"name": name, "header": name, "kind": kind, "unit": unit, "unit_scale": None}


COLUMNS = [
    column("日期", "date"), column("公司名称", "category"), column("收盘价", "number", "元"),
    column("成交量", "integer", "手"), column("涨跌幅", "percent", "%"), column("市值", "number", "元"),
    column("成交额", "number", "万元"), column("户数", "integer"),
]  # fmt: skip
ROWS = [
    ["2025-09-25", "示例药业", 12.345, 81747, -2.46, 1234567890.0, 33983.75, 1204],
    ["2025-09-26", "样本科技", 13.7, 90811, 0.85, 987654321.5, 45477.54, None],
]


def record(**changes):
    names = [one["name"] for one in COLUMNS]
    return {
        "dataset_id": DATASET, "query_id": QUERY, "columns": COLUMNS,
        "rows": [dict(zip(names, row, strict=True)) for row in ROWS],
        "query": {"filters": [
            {"column": "日期", "operator": "=", "value": "2025-09"},
            {"column": "收盘价", "operator": ">", "value": "7.77"},
            {"column": "公司名称", "operator": "in", "value": ["甲方实业", "乙方实业"]},
            {"not": {"column": "公司名称", "operator": "=", "value": "丙方实业"}},
            {"all": [{"column": "板块分类", "operator": "=", "value": "主板市场"}]},
        ]},
    } | changes  # fmt: skip


@pytest.fixture
def workspace(tmp_path):
    return ck.Workspace(tmp_path / "ws")


@pytest.fixture
def stored(workspace):
    workspace.write("queries", f"{QUERY}.json", data=json.dumps(record(), ensure_ascii=False).encode())
    return workspace


def verdict(claim, workspace, folder, **options):
    return ck.verify_claim_against_source(claim, ANCHOR, folder, workspace=workspace, **options)


ACCEPTED = [
    "收盘价 12.345 元", "收盘价 12.35 元", "收盘价 12.3 元", "收盘价 12 元", "收盘价 12.3450", "12.345",
    "成交量 81,747 手",
    "成交量 8.17 万手", "成交量 8.1747 万手", "成交量 8 万手", "涨跌幅 -2.46%", "涨跌幅 -2.5%",
    "市值 1234567890 元", "市值 1,234,567,890 元", "市值 12.35 亿元", "市值 12.3 亿", "市值 123456.789 万元",
    "市值 12.3457亿元", "成交额 33983.75 万元", "成交额 3.4 亿元", "成交额 3.40 亿元", "成交额 339837500 元",
    "成交额 33,983.8 万元",
    "2025-09-25 收盘价 12.35 元", "2025年9月25日收盘价为 12.35 元", "2025年9月收盘价 12.35 元",
    "2025-09，收盘价 12.35 元",
    "示例药业收盘价 12.35 元", "样本科技收盘价 13.70 元", "主板市场 收盘价 13.7 元",
    "户数 1204", "户数 1,204", "样本科技市值 9.88 亿元", "样本科技涨跌幅 0.9%",
]  # fmt: skip
REFUSED = {
    "收盘价 12.34 元": "missing",  # cut off, not rounded
    "收盘价 12.4 元": "missing",
    "收盘价 12.3451 元": "missing",
    "收盘价 12.345 万元": "missing",
    "收盘价 12.345 美元": "missing",
    "收盘价 12.345%": "missing",
    "收盘价 -12.345 元": "missing",
    "收盘价 13 元": "missing",  # 13.7 is 14
    "收盘价 10 元": "missing",  # to whole numbers, not to tens
    "成交量 81747 股": "missing",
    "成交量 8.18 万手": "missing",  # 8.1747
    "成交量 81747 万手": "missing",
    "成交量 81747.5 手": "missing",
    "涨跌幅 2.46%": "missing",  # a fall
    "下跌 2.46%": "missing",
    "涨跌幅 -2.4%": "missing",
    "涨跌幅 -2.46 个百分点": "missing",
    "市值 12.34 亿元": "missing",
    "市值 12.35 万元": "missing",
    "市值 12.35 亿美元": "missing",
    "市值 1.235 亿元": "missing",
    "市值 12.34568 亿元": "missing",  # five decimals
    "成交额 33983.75 元": "missing",
    "成交额 3.3 亿元": "missing",
    "成交额 0.34 万亿元": "missing",
    "2025年9月27日收盘价 12.35 元": "missing",
    "2024-09，收盘价 12.35 元": "missing",
    "收盘价 7.77 元": "missing",  # the bound of a filter is no result
    "甲方实业收盘价 12.35 元": "missing",  # one of several values
    "丙方实业收盘价 12.35 元": "missing",  # under "not"
    "开盘价 12.35 元": "missing",
    "样本科技收盘价 12.35 元": "scattered",  # the other company's
    "2025-09-26 收盘价 12.35 元": "scattered",
    "2025年9月26日成交量 81747 手": "scattered",
    "样本科技户数 1204": "missing",  # the cell is empty
    "收盘价由 12.35 元升至 13.70 元": "missing",
    "收盘价 12.35 元、13.70 元": "scattered",  # two rows, two anchors
}


@pytest.mark.parametrize("claim", ACCEPTED)
def test_a_form_of_the_stored_value_is_verified(claim, stored, tmp_path):
    result = verdict(claim, stored, tmp_path)
    assert (result["verified"], result["code"]) == (True, "ok"), result["reason"]
    assert result["source_path"] == f"queries/{QUERY}.json"
    assert result["warnings"] == []


@pytest.mark.parametrize(("claim", "code"), REFUSED.items())
def test_what_the_result_does_not_say_is_refused(claim, code, stored, tmp_path):
    result = verdict(claim, stored, tmp_path)
    assert (result["verified"], result["code"]) == (False, code)


@pytest.mark.parametrize(
    ("text", "kind", "unit", "held", "lacking"),
    [
        ("0.125", "number", "", {"0.125", "0.13", "0.1"}, {"0.12", "0"}),  # half up, as printed, no nothing
        ("-0.125", "number", "", {"-0.13", "-0.1"}, {"-0.12", "-0"}),
        ("2.675", "number", "", {"2.68", "3"}, {"2.67", "2"}),  # not by its binary value
        ("0.00001", "number", "", {"0.00001"}, {"0.0000", "0"}),
        ("0", "number", "", {"0", "0.00"}, set()),
        ("1e+16", "number", "元", {"10000000000000000元", "100000000亿元"}, {"1e+16万元"}),
        ("1e-07", "number", "", {"0.0000001"}, {"0.0000"}),
        ("1e+300", "number", "", set(), {"0"}),
        ("999", "integer", "", {"999", }, {"0.1万", "0.0999万", "999.0"}),
        ("1500", "integer", "", {"0.15万", "0.2万"}, {"0万"}),
        ("5", "percent", "%", {"5%", "5.00%"}, {"0.05", "5"}),
        ("2025-09", "month", "", {"2025年9月"}, {"2025年09月"}),
        ("2025Q3", "quarter", "", {"2025年第三季度"}, {"2025年第四季度"}),
        ("2025", "year", "", {"2025年"}, set()),
        ("2025-09-25T10:30:00", "datetime", "", {"2025-09-25", "10:30:00", "2025年9月25日"}, set()),
        ("12.5", "string", "", set(), {"13", "12.50"}),  # a code is no number
    ],
)  # fmt: skip
def test_forms(text, kind, unit, held, lacking):
    found = set(forms(text, kind, unit))
    assert held <= found
    assert not lacking & found


def test_real_result_is_found_by_its_ids(workspace, tmp_path):
    rows = [{"日期": f"2025-09-{day:02d}", "收盘价": 10 + day / 7} for day in range(1, 20)]
    query = {"aggregates": [{"function": "max", "column": "收盘价", "as": "最高收盘价"}]}
    found = ck.query_dataset(rows, query, workspace=workspace)
    anchor = f"[dataset:{found.dataset_id}:{found.query_id}]"
    for claim, ok in (("最高收盘价 12.71", True), ("最高收盘价 12.72", False), ("最高收盘价 12.714", True)):
        result = ck.verify_claim_against_source(claim, anchor, tmp_path, workspace=workspace)
        assert result["verified"] is ok
    assert "最高收盘价 12.71428" in ck.resolve_citation(anchor, tmp_path, workspace=workspace)


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (None, "no_file"),
        (b"{", "unreadable"),
        (b"[]", "unreadable"),
        (b"{}", "unreadable"),
        (json.dumps(record(columns=[{"name": "x"}])).encode(), "unreadable"),
        (json.dumps(record(rows=[{"x": 1}])).encode(), "unreadable"),
        (json.dumps(record(rows=None)).encode(), "unreadable"),
        (json.dumps(record(query=None)).encode(), "unreadable"),
        (json.dumps(record(dataset_id="ds_0123456789abcdee")).encode(), "identity_mismatch"),
        (json.dumps(record(query_id="q_fedcba9876543211")).encode(), "identity_mismatch"),
        (json.dumps(record(rows=[])).encode(), "no_rows"),
        (json.dumps(record(rows=[dict.fromkeys([one["name"] for one in COLUMNS])])).encode(), "no_rows"),
        (b"[" * 100_000, "too_large"),
    ],
)
def test_a_result_that_cannot_be_used_is_refused(data, code, workspace, tmp_path):
    if data is not None:
        workspace.write("queries", f"{QUERY}.json", data=data)
    result = verdict("2025-09 收盘价 12.345 元", workspace, tmp_path)
    assert (result["verified"], result["code"]) == (False, code)
    assert ck.resolve_citation(ANCHOR, tmp_path, workspace=workspace) is None
    assert ck.explain_citation(ANCHOR, tmp_path, workspace=workspace)["code"] == code


def test_a_link_in_place_of_a_result_is_not_followed(stored, tmp_path):
    path = stored.file("queries", f"{QUERY}.json")
    path.rename(tmp_path / "elsewhere.json")
    path.symlink_to(tmp_path / "elsewhere.json")
    assert verdict("收盘价 12.345 元", stored, tmp_path)["code"] == "unreadable"


@pytest.mark.parametrize(
    ("anchor", "code"),
    [
        (f"[dataset:{DATASET}]", "bad_id"),
        (f"[dataset:{DATASET}:]", "bad_id"),
        (f"[dataset:{QUERY}:{DATASET}]", "bad_id"),
        (f"[dataset:{DATASET}:{QUERY}0]", "bad_id"),
        (f"[dataset:{DATASET}:q_FEDCBA9876543210]", "bad_id"),
        (f"[dataset:{DATASET}:../{QUERY}]", "bad_id"),
        ("[dataset:prices.csv:q_1]", "bad_id"),
        (f"[data:{DATASET}:{QUERY}]", "unknown_type"),
    ],
)
def test_both_ids_have_one_form(anchor, code, stored, tmp_path):
    assert ck.explain_citation(anchor, tmp_path, workspace=stored)["code"] == code
    assert ck.parse_citations_in_text(f"收盘价 12.345 元{anchor}。", extra_types=True) == []
    assert [miss["code"] for miss in ck.lint_anchors(f"收盘价 12.345 元{anchor}。", extra_types=True)] == [
        code
    ]


def test_full_width_spelling_is_suggested():
    miss = ck.lint_anchors(f"收盘价 12.345 元［dataset：{DATASET}：{QUERY}］。", extra_types=True)[0]
    assert (miss["code"], miss["suggestion"]) == ("width_or_bracket", ANCHOR)


def test_without_the_switch_the_type_is_unknown(stored, tmp_path):
    text = f"收盘价 12.345 元{ANCHOR}。"
    assert ck.parse_citations_in_text(text) == []
    assert ck.lint_anchors(text)[0]["code"] == "unknown_type"
    assert ck.resolve_citation(ANCHOR, tmp_path) is None
    assert ck.verify_claim_against_source("收盘价 12.345 元", ANCHOR, tmp_path)["code"] == "unknown_type"
    citation = ck.parse_citations_in_text(text, extra_types=True)[0]["anchor"]
    assert ck.verify_claim_against_source("收盘价 12.345 元", citation, tmp_path)["code"] == "bad_anchor"
    assert not ck.verify_report(text, tmp_path).citations


def test_a_workspace_changes_nothing_for_the_eight_types(stored, sources):
    text = (
        "首选药物：格罗替宁 120 mg，每日2次[guideline:MADE-UP-1:§2.1]。\n\n"
        "缓解率 75%[guideline:MADE-UP-1:§2.1.1]。\n\n[Pmid:1]，[nct:T-1:results"
    )
    plain = ck.verify_report(text, sources, format="markdown").to_dict()
    assert ck.verify_report(text, sources, format="markdown", workspace=stored).to_dict() == plain


def test_a_report_mixes_results_and_sources(stored, sources):
    text = (
        f"示例药业收盘价 12.35 元{ANCHOR}，颅内缓解率 74%[guideline:MADE-UP-1:§2.1.1]。\n\n"
        f"| 公司名称 | 收盘价 |\n|---|---|\n| 样本科技 | 13.7 元{ANCHOR} |\n"
    )
    good = ck.verify_report(text, sources, format="markdown", workspace=stored)
    assert good.ok, good.findings
    bad = ck.verify_report(text.replace("13.7", "13.8"), sources, format="markdown", workspace=stored)
    assert [item.verified for item in bad.citations] == [True, True, False]
    assert ck.verify_reports([text], sources, format="markdown", workspace=stored)[0].ok


def test_the_excerpt_is_the_row_of_the_claim(stored, tmp_path):
    result = verdict("样本科技涨跌幅 0.85%", stored, tmp_path)
    assert "样本科技" in result["source_excerpt"]
    assert "示例药业" not in result["source_excerpt"]
    text = ck.resolve_citation(ANCHOR, tmp_path, workspace=stored)
    assert "0.85%" in [text[span["start"] : span["end"]] for span in result["spans"]]


def test_every_row_of_a_large_result_can_be_cited(workspace, tmp_path):
    rows = [{"日期": None, "收盘价": 1000 + n, "公司名称": f"ID-{n:04d}"} for n in range(1000)]
    wide = record(columns=[COLUMNS[0], COLUMNS[2], COLUMNS[1]], rows=rows)
    workspace.write("queries", f"{QUERY}.json", data=json.dumps(wide).encode())
    assert verdict("ID-0999 收盘价 1,999 元", workspace, tmp_path)["verified"]
    assert verdict("ID-0998 收盘价 1,999 元", workspace, tmp_path)["code"] == "scattered"


@pytest.mark.parametrize("name", ["a\x1eb", "<b>x</b>", "|"])
def test_names_and_cells_of_the_data_make_no_rows(name, workspace, tmp_path):
    rows = [{"x": name, "收盘价": 1.5}, {"x": "丁方实业", "收盘价": 2.5}]
    odd = record(columns=[column("x", "category"), COLUMNS[2]], rows=rows)
    workspace.write("queries", f"{QUERY}.json", data=json.dumps(odd).encode())
    assert verdict("丁方实业 收盘价 2.5 元", workspace, tmp_path)["verified"]
    assert not verdict("丁方实业 收盘价 1.5 元", workspace, tmp_path)["verified"]


@given(
    value=st.decimals(-(10**12), 10**12, places=6),
    decimals=st.integers(0, 4),
    size=st.sampled_from([("", 0), ("万", 4), ("亿", 8)]),
    step=st.sampled_from([-1, 0, 1]),
)
def test_of_two_neighbours_only_the_rounding_is_a_form(value, decimals, size, step):
    name, power = size
    scaled = value.scaleb(-power)
    unit = Decimal(1).scaleb(-decimals)
    rounded = scaled.quantize(unit, ROUND_HALF_UP)
    assume(abs(scaled) >= 1)
    written = f"{rounded + step * unit:f}{name}"
    # Written out, the value itself may be the neighbour only if it is the rounding.
    assert (written in forms(f"{value:f}", "number")) is (step == 0)


def test_workers_see_the_workspace(stored, sources):
    texts = [f"示例药业收盘价 {price} 元{ANCHOR}。" for price in ("12.35", "12.36")]
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        verdicts = ck.verify_reports(texts, sources, format="markdown", workspace=stored, executor=pool)
    assert [one.ok for one in verdicts] == [True, False]
