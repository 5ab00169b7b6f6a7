"""Results: identity, record, card, and how they are found again."""

import json
import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import pytest

import capital_kit as ck

DATA = {
    "日期": ["2024-01-02", "2024-01-03", "2024-02-01"],
    "代码": ["000001", "000001", None],
    "收盘价": [1234567.5, None, 9.25],
    "成交量(手)": [100, 2000000, 3],
    "季度": ["2023Q4", "2024Q1", "2024Q1"],
    "买入": ["是", "否", "是"],
}
BY_MONTH = {
    "group_by": {"column": "日期", "by": "month", "as": "月"},
    "aggregates": [
        {"function": "sum", "column": "成交量", "as": "量"},
        {"function": "avg", "column": "收盘价"},
    ],
    "filters": [
        {
            "any": [
                {"column": "收盘价", "operator": ">", "value": 9},
                {"column": "代码", "operator": "not_null"},
            ]
        }
    ],
    "order_by": {"column": "量", "direction": "desc"},
}


def test_record_holds_what_the_contract_names():
    record = ck.query_dataset(DATA, BY_MONTH).to_dict()
    dataset = ck.read_dataset(DATA)
    assert json.loads(json.dumps(record, allow_nan=False)) == record
    assert record["dataset_id"] == dataset.dataset_id
    assert record["fingerprint"] == dataset.fingerprint
    assert record["columns"][1] == {"name": "量", "kind": "integer", "unit": "手", "unit_scale": 100.0}
    assert record["rows"] == [
        {"月": "2024-01", "量": 2000100, "avg_收盘价": 1234567.5},
        {"月": "2024-02", "量": 3, "avg_收盘价": 9.25},
    ]
    counts = {key: record[key] for key in (
        "matched_row_count", "group_count", "total_count", "returned_count", "limit", "truncated",
    )}  # fmt: skip
    assert list(counts.values()) == [3, 2, 2, 2, 100, False]


def test_same_question_to_same_data_has_the_same_id():
    one = ck.query_dataset(DATA, BY_MONTH)
    two = ck.query_dataset(ck.read_dataset(DATA, name="another name"), BY_MONTH)
    other = ck.query_dataset({**DATA, "收盘价": [1, 2, 3]}, BY_MONTH)
    more = ck.query_dataset(DATA, {**BY_MONTH, "limit": 99})
    assert len({one.query_id, other.query_id, more.query_id}) == 3
    assert two.query_id == one.query_id
    assert one.query_id.startswith("q_")
    assert len(one.query_id) == 18


def test_id_does_not_hang_on_the_process(tmp_path):
    code = f"import capital_kit as ck; print(ck.query_dataset({DATA!r}, {BY_MONTH!r}).query_id)"
    for zone, language in (("UTC", "zh"), ("America/New_York", "en")):
        settings = {"TZ": zone, "CAPITAL_KIT_LANG": language, "CAPITAL_KIT_HOME": str(tmp_path)}
        done = subprocess.run(
            [sys.executable, "-X", "utf8", "-c", code], capture_output=True, text=True, check=True,
            env={**os.environ, **settings},
        )  # fmt: skip
        assert done.stdout.strip() == ck.query_dataset(DATA, BY_MONTH).query_id


def test_asking_a_dataset_needs_no_pandas(tmp_path):
    code = (
        f"import capital_kit as ck, sys; ck.query_dataset({DATA!r}, {BY_MONTH!r}).to_dict();"
        f"ck.query_dataset({DATA!r}, {{'order_by': '日期', 'distinct': True}})._repr_html_();"
        "print('pandas' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", code], capture_output=True, text=True, check=True,
        env={**os.environ, "CAPITAL_KIT_HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.stdout.strip() == "False"


def test_value_is_for_one_cell():
    assert ck.query_dataset(DATA, {"aggregates": {"function": "max", "column": "季度"}}).value == "2024Q1"
    with pytest.raises(ck.QueryError) as caught:
        _ = ck.query_dataset(DATA, {}).value
    assert caught.value.code == "query_not_one_value"


def test_frame_and_length():
    found = ck.query_dataset(DATA, BY_MONTH)
    frame = found.to_frame()
    assert list(frame.columns) == ["月", "量", "avg_收盘价"]
    assert str(frame["月"].dtype).startswith("datetime64")
    assert len(found) == len(frame) == 2
    assert repr(found) == f"QueryResult({found.query_id!r}, 2 rows × 3 columns)"


# found again ---------------------------------------------------------------------------------


NOTHING = {"filters": {"column": "收盘价", "operator": ">", "value": 1e9}}


@pytest.mark.parametrize("query", [BY_MONTH, {}, {"limit": 1}, NOTHING])
def test_result_is_found_as_it_was(query):
    found = ck.query_dataset(DATA, query)
    again = ck.find_query(found.query_id)
    assert again.to_dict() == found.to_dict()
    assert again.table.to_pylist() == found.table.to_pylist()
    assert [column.type for column in again.table.schema] == [column.type for column in found.table.schema]
    assert again._repr_html_() == found._repr_html_()


def test_moments_are_found_as_they_were():
    data = {"t": ["2024-01-05 09:31:00", "2024-01-05 09:31:30"], "year": ["2023年", "2024年"], "x": [1, 2]}
    found = ck.query_dataset(data, {})
    assert ck.find_query(found.query_id).table.to_pylist() == found.table.to_pylist()


def test_workspace_of_ones_own(tmp_path):
    found = ck.query_dataset(DATA, BY_MONTH, workspace=tmp_path)
    assert (tmp_path / "queries" / f"{found.query_id}.json").is_file()
    assert ck.find_query(found.query_id, workspace=tmp_path).rows == found.rows
    with pytest.raises(ck.QueryError):
        ck.find_query(found.query_id)


def test_several_may_keep_the_same_at_once(tmp_path):
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(lambda _: ck.query_dataset(DATA, BY_MONTH, workspace=tmp_path), range(24)))
    assert not any(result.warnings for result in found)
    assert [path.name for path in (tmp_path / "queries").iterdir()] == [f"{found[0].query_id}.json"]
    assert ck.find_query(found[0].query_id, workspace=tmp_path).to_dict() == found[0].to_dict()


def test_workspace_that_cannot_be_written_does_not_stop_the_query(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("no folder")
    found = ck.query_dataset(DATA, BY_MONTH, workspace=blocked)
    assert [notice.code for notice in found.warnings] == ["query_not_stored"]
    assert found.returned_count == 2


@pytest.mark.parametrize("query_id", ["q_0123456789abcdef", "../../etc/passwd", "q_", "", None, 7])
def test_unknown_id_is_not_found(query_id, language):
    with pytest.raises(ck.QueryError) as caught:
        ck.find_query(query_id)
    assert caught.value.code == "query_not_found"


@pytest.mark.parametrize("content", ["", "{}", "[]", '{"columns": [{"name": "x"}], "rows": []}', "\x00"])
def test_damaged_record_is_said(tmp_path, content):
    found = ck.query_dataset(DATA, BY_MONTH, workspace=tmp_path)
    (tmp_path / "queries" / f"{found.query_id}.json").write_text(content)
    with pytest.raises(ck.QueryError) as caught:
        ck.find_query(found.query_id, workspace=tmp_path)
    assert caught.value.code == "query_not_found"


def test_altered_record_is_said(tmp_path):
    found = ck.query_dataset(DATA, BY_MONTH, workspace=tmp_path)
    file = tmp_path / "queries" / f"{found.query_id}.json"
    written = file.read_text("utf-8")
    other = file.with_name("q_0123456789abcdef.json")
    for path, content in (
        (file, written.replace('"limit": 100', '"limit": 200')),
        (file, "[" * 100_000),
        (other, written),
    ):
        path.write_text(content, "utf-8")
        with pytest.raises(ck.QueryError, match="query_not_found") as caught:
            ck.find_query(path.stem, workspace=tmp_path)
        assert caught.value.details["reason"]
    file.write_text(written, "utf-8")
    assert ck.find_query(found.query_id, workspace=tmp_path).to_dict() == found.to_dict()


# the card ------------------------------------------------------------------------------------


def test_card_says_the_question_and_shows_units(language):
    html = ck.query_dataset(DATA, BY_MONTH)._repr_html_()
    words = {"zh": "收盘价 &gt; 9 或 代码 有值", "en": "收盘价 &gt; 9 or 代码 is not null"}[language]
    assert words in html
    assert "手" in html
    assert "text-align:right" in html
    assert "2,000,100" in html


@pytest.mark.parametrize(
    "query",
    [
        {"select": "代码", "distinct": True},
        {"filters": {"not": {"column": "日期", "operator": "=", "value": {"period": "ytd"}}}},
        {"filters": {"all": [{"column": "日期", "operator": "between", "value": ["2024-01", "2024-02"]}]}},
        {"aggregates": {"function": "quantile", "column": "收盘价", "q": 0.9}, "having": {
            "column": "quantile_收盘价", "operator": "in", "value": [1, 2]}},
    ],
)  # fmt: skip
def test_every_query_has_words(query, language):
    assert "<section" in ck.query_dataset(DATA, query)._repr_html_()


def test_card_escapes_names_cells_and_questions():
    data = ck.read_dataset({"<script>a": ["<img src=x onerror=1>", "b"], "x": [1, 2]}, name="<b>")
    query = {"filters": {"column": "<script>a", "operator": "!=", "value": "<i>"}}
    html = ck.query_dataset(data, query)._repr_html_()
    assert not any(bad in html for bad in ("<script>", "<img", "<i>", "<b></b>", "<b>"))


def test_card_shows_some_of_many_rows_and_says_so():
    data = ck.read_dataset({"x": list(range(1000, 1300))})
    html = ck.query_dataset(data, {"limit": 200})._repr_html_()
    assert "1,019" in html
    assert "1,020" not in html
    assert "仅前 200 行，共 300 行" in html
    assert "显示前 20 行" in html
