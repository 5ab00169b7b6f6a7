"""Queries at the edges of 64 bits, and SQL whose answer would change from one run to the next."""

import statistics

import pytest

import capital_kit as ck
from capital_kit.datasets import query_dataset, read_dataset

BIG = [2**62, 2**62, 2**62, -(2**63)]


def test_integers_whose_sum_needs_more_than_64_bits_have_a_mean():
    made = [{"function": f, "column": "v", "as": f} for f in ("avg", "std")]
    (row,) = query_dataset({"v": BIG}, {"aggregates": made}).rows
    assert row["avg"] == pytest.approx(statistics.mean(BIG))
    assert row["std"] == pytest.approx(statistics.stdev(BIG))
    assert query_dataset({"v": [2**62] * 3}, {"aggregates": made[0]}).value == 2**62


def test_a_spread_that_no_float_holds_is_refused():
    with pytest.raises(ck.QueryError) as caught:
        query_dataset({"v": [1.7e308, -1.7e308]}, {"aggregates": {"function": "std", "column": "v"}})
    assert caught.value.code == "query_type_conflict"


@pytest.mark.parametrize(
    ("operator", "value", "count"),
    [(">", 1.5, 3), ("<", 1.5, 1), ("!=", 0.5, 4), ("<", 2**70, 4), (">", -(2**70), 4),
     ("<", float("inf"), 4), ("=", 2**62, 3), ("in", [-(2**63), 0.5], 1), ("between", [-0.5, 2**70], 3)],
)  # fmt: skip
def test_large_integers_are_compared_with_any_number(operator, value, count):
    asked = {"filters": {"column": "v", "operator": operator, "value": value}}
    assert query_dataset({"v": BIG}, asked).matched_row_count == count


def test_large_integers_under_a_name_of_percents_are_percents():
    assert read_dataset({"涨跌幅(%)": [2**62, 1]}).table.column(0).to_pylist() == [2.0**62, 1.0]


def test_a_text_that_differs_in_width_or_case_is_named_however_many_there_are():
    asked = {"filters": {"column": "cat", "value": "Ｖ4999"}}
    (told,) = query_dataset({"cat": [f"v{n}" for n in range(5000)]}, asked).warnings
    assert (told.code, told.details["near"]) == ("no_rows_alike", "v4999")


@pytest.mark.parametrize(
    "sql",
    ["SELECT now()", "SELECT today()", "SELECT current_date", "SELECT CURRENT_TIMESTAMP", "SELECT localtime",
     "SELECT random()", "SELECT uuid()", "SELECT v FROM data ORDER BY random()",
     "SELECT * FROM data USING SAMPLE 2", "SELECT * FROM data TABLESAMPLE 50%",
     "SELECT age(timestamp '2024-01-01')", "SELECT (SELECT max(current_date) FROM data)"],
)  # fmt: skip
def test_sql_reads_no_clock_and_throws_no_dice(sql):
    pytest.importorskip("duckdb")
    with pytest.raises(ck.QueryError) as caught:
        query_dataset({"v": [1, 2, 3]}, sql=sql)
    assert caught.value.code == "query_sql_refused"


def test_columns_may_be_named_like_a_clock():
    pytest.importorskip("duckdb")
    data = {"today": [1], "current_date": [5]}
    assert query_dataset(data, sql="SELECT today, current_date FROM data").rows == [
        {"today": 1, "current_date": 5}
    ]
    sample = "SELECT v FROM data USING SAMPLE reservoir(2 ROWS) REPEATABLE (1)"
    assert query_dataset({"v": [1, 2, 3]}, sql=sample).returned_count == 2
