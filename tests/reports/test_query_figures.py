"""Figures of the report's own data: cited by the id of their query, verified like every source."""

from __future__ import annotations

import pytest

import capital_kit as ck

TEXT = "# 复盘\n\n最高收盘价为 12.71，合计成交额 3.40 亿元{anchor}。\n"


@pytest.fixture
def workspace(tmp_path):
    return ck.Workspace(tmp_path / "own")


@pytest.fixture
def anchor(workspace, tmp_path):
    table = "日期,收盘价,成交额(万元)\n2025-09-24,12.705,20000.75\n2025-09-25,12.11,13983\n"
    (tmp_path / "own.csv").write_text(table, encoding="utf-8")
    query = {"aggregates": [
        {"function": "max", "column": "收盘价", "as": "最高收盘价"},
        {"function": "sum", "column": "成交额", "as": "合计成交额"},
    ]}  # fmt: skip
    found = ck.query_dataset(tmp_path / "own.csv", query, workspace=workspace)
    return f"[dataset:{found.dataset_id}:{found.query_id}]"


def report(text, **options):
    return ck.Report("复盘", created="2025-10-01", language="zh", **options).add(text)


def test_a_figure_of_the_own_data_is_verified_without_a_sources_folder(anchor, workspace, tmp_path):
    made = report(TEXT.format(anchor=anchor), workspace=workspace)
    assert made.check().ok, made.check().findings
    page = made.save(tmp_path / "r.html").read_text(encoding="utf-8")
    assert anchor in page
    assert "<mark>12.71</mark>" in page
    assert f"{anchor[-19:-1]}.json" in page
    assert str(tmp_path) not in page


@pytest.mark.parametrize(
    ("old", "new"),
    [("12.71", "12.70"), ("12.71", "12.72"), ("3.40", "3.41"), ("亿元", "万元"),
     ("最高", "最低"), ("3.40", "-3.40")],
)  # fmt: skip
def test_one_change_blocks(old, new, anchor, workspace, tmp_path):
    made = report(TEXT.format(anchor=anchor).replace(old, new), workspace=workspace)
    with pytest.raises(ck.ReportError) as caught:
        made.save(tmp_path / "r.html")
    assert [finding["code"] for finding in caught.value.details["findings"]] == ["missing"]
    assert not (tmp_path / "r.html").exists()


def test_a_result_of_another_workspace_is_not_found(anchor, tmp_path):
    made = report(TEXT.format(anchor=anchor), workspace=tmp_path / "other")
    finding = made.check().findings[0]
    assert finding.code == "no_file"
    assert f"queries/{anchor[-19:-1]}.json" in finding.message


def test_the_usual_workspace_is_asked_if_none_is_named(anchor, workspace, monkeypatch):
    monkeypatch.setenv("CAPITAL_KIT_HOME", str(workspace.path))
    assert report(TEXT.format(anchor=anchor)).check().ok


def test_an_anchor_of_another_form_blocks(anchor, workspace):
    made = report(TEXT.format(anchor=anchor.replace(":q_", ":")), workspace=workspace)
    assert "near_miss" in [finding.code for finding in made.check().findings]


def test_an_anchor_where_nobody_checks_it_blocks(anchor, workspace):
    made = ck.Report(f"标题 {anchor}", created="2025-10-01", workspace=workspace).add("无。")
    assert [finding.code for finding in made.check().findings] == ["outside_text"]


def test_a_figure_without_a_citation_still_blocks(workspace):
    made = report("合计成交额 3.40 亿元。", workspace=workspace)
    assert [finding.code for finding in made.check().findings] == ["uncited"]
