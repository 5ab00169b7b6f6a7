"""Queries at the edges of 64 bits, and SQL whose answer would change from one run to the next."""

import datetime as dt
import math
import statistics
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest

import capital_kit as ck
from capital_kit.datasets import query_dataset, read_dataset

STD = {"aggregates": {"function": "std", "column": "v"}}
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


@pytest.mark.parametrize(
    "values",
    [[1e15 + n * 0.125 for n in range(2000)], [1e300 + n * 1e285 for n in range(9)], [1e308, -1e308],
     [3.3] * 5, [1e-300, 2e-300, 5e-300], [2**62 + n for n in range(9)], [-(2**63), 0, 2**63 - 1]],
    ids=["close and large", "close and huge", "wide", "constant", "tiny", "close integers", "all integers"],
)  # fmt: skip
def test_the_deviation_is_exact_and_that_of_the_description(values):
    exact = [Fraction(value) for value in values]
    middle = sum(exact) / len(exact)
    square = sum((value - middle) ** 2 for value in exact) / (len(exact) - 1)
    scale = max(abs(value - middle) for value in exact) or Fraction(1)
    expected = math.sqrt(square / scale**2) * float(scale)
    found = query_dataset({"v": values}, STD).value
    assert found == pytest.approx(expected, rel=1e-14, abs=0)
    assert found == ck.describe_dataset({"v": values}).column("v").std


ZONED = ["2024-01-02 09:30:00+08:00", "2024-01-02 09:31:00+08:00"]


@pytest.mark.parametrize(
    ("cells", "operator", "value", "count"),
    [
        ([1.5, 2.5], "<", 10**400, 2),
        ([1, 2], ">", -(10**400), 2),
        ([1.5, 2.5], ">", Decimal("1.5"), 1),
        (["2024-01-02", "2024-01-03"], "=", np.datetime64("2024-01-03T00:00:00.000000000"), 1),
        (["2024-01-02", "2024-02-03"], "=", np.datetime64("2024-02"), 1),
        (["\ud800", "b"], "=", "\ud800", 1),
    ],
)
def test_values_of_any_size_and_library_are_compared(cells, operator, value, count):
    asked = {"filters": {"column": "v", "operator": operator, "value": value}}
    assert query_dataset({"v": cells}, asked).matched_row_count == count


@pytest.mark.parametrize(
    ("cells", "value", "code"),
    [
        ([1.5, 2.5], np.array([1, 2]), "query_spec_invalid"),
        ([1.5, 2.5], Decimal("nan"), "query_type_conflict"),
        (["2024-01-02"], pd.NaT, "query_type_conflict"),
        (["2024-01-02"], np.datetime64("NaT"), "query_type_conflict"),
        (ZONED, dt.datetime.max.replace(tzinfo=dt.timezone(dt.timedelta(hours=-5))), "query_type_conflict"),
    ],
)
def test_values_that_are_none_are_refused_by_name(cells, value, code):
    with pytest.raises(ck.QueryError) as caught:
        query_dataset({"v": cells}, {"filters": {"column": "v", "value": value}})
    assert caught.value.code == code


def test_names_may_hold_half_a_surrogate_pair():
    found = query_dataset({"v\ud800": [1]}, {"group_by": {"column": "v\ud800", "as": "w\ud800"}})
    assert found.rows == [{"w\\ud800": 1}]
    assert ck.find_query(found.query_id).rows == found.rows


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
