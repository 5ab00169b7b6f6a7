"""The kernel's numbers against plain Python and numpy."""

import math
import statistics

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capital_kit.datasets._facts._kernel import histogram, measure, number_facts, quantile
from capital_kit.datasets._facts._rows import combine, dense, repeats
from capital_kit.datasets._model import Column


def measured(values, kind="number", type_=None):
    defaults = {"number": pa.float64(), "integer": pa.int64(), "boolean": pa.bool_(), "text": pa.string()}
    array = pa.chunked_array([pa.array(values, type_ or defaults[kind])])
    return measure(Column(name="x", header="x", kind=kind), array)


def test_nulls_nan_and_infinities_are_three_counts():
    found = measured([1.5, None, math.nan, math.inf, -math.inf, -0.0])
    assert (found.facts.nulls, found.nan, found.inf) == (1, 1, 2)
    assert (found.facts.count, found.facts.non_finite, found.facts.distinct) == (2, 3, 2)
    assert str(found.facts.min) == "0.0"


@pytest.mark.parametrize("values", [[], [None, None], [math.nan], [math.inf, None]])
def test_a_column_without_values_has_no_statistics(values):
    facts = measured(values).facts
    assert facts.count == facts.distinct == 0
    assert (facts.min, facts.sum, facts.mean, facts.histogram, facts.constant) == (None,) * 4 + (False,)


def test_one_value_is_constant_and_has_no_spread():
    facts = measured([3], "integer").facts
    assert facts.constant
    assert (facts.sum, facts.std, facts.p25, facts.histogram) == (3, None, 3.0, None)


@pytest.mark.parametrize(
    "values",
    [[2**62, 2**62, 2**62], [-(2**63), -(2**63)], [2**63 - 1, -(2**63), 2**63 - 1], [2**40] * 5],
)
def test_sums_of_integers_do_not_overflow(values):
    facts = measured(values, "integer").facts
    assert facts.sum == sum(values)
    assert isinstance(facts.sum, int)


def test_huge_integers_that_lie_close_keep_their_spread():
    assert measured([2**62, 2**62 + 2], "integer").facts.std == pytest.approx(math.sqrt(2))


def test_floats_near_the_limit_give_no_infinity():
    facts = measured([1.7e308, 1.7e308, -1.7e308, 1e308]).facts
    assert facts.p50 is not None
    assert math.isfinite(facts.p50)
    assert math.isfinite(facts.mean)
    assert sum(facts.histogram) == 4


@given(st.lists(st.floats(-1e12, 1e12), min_size=2, max_size=60))
def test_numbers_agree_with_plain_python(values):
    values = [value + 0.0 for value in values]
    found = number_facts(np.sort(np.array(values)))
    scale = max(*map(abs, values), 1e-290)
    assert found["distinct"] == len(set(values))
    assert (found["min"], found["max"]) == (min(values), max(values))
    assert found["sum"] == pytest.approx(math.fsum(values), abs=1e-9 * scale)
    assert found["std"] == pytest.approx(statistics.stdev(values), rel=1e-6, abs=1e-9 * scale)
    for share, name in ((0.25, "p25"), (0.5, "p50"), (0.75, "p75")):
        assert found[name] == pytest.approx(float(np.quantile(values, share)), abs=1e-9 * scale)
    assert found["negatives"] == sum(value < 0 for value in values)
    assert found["zeros"] == values.count(0)
    if found["histogram"]:
        assert len(found["histogram"]) == 20
        assert sum(found["histogram"]) == len(values)


def test_the_order_of_rows_changes_no_fact_but_first_and_last():
    values = np.random.default_rng(3).normal(0, 1e6, 999).tolist()
    one, two = measured(values).facts, measured(values[::-1]).facts
    assert (one.sum, one.mean, one.std) == (two.sum, two.mean, two.std)
    assert (one.first, one.last) == (two.last, two.first)


def test_histogram_counts_equal_bins_from_min_to_max():
    assert histogram(np.arange(0.0, 20.0)) == (1,) * 20
    assert histogram(np.array([5.0, 5.0])) is None


def test_quantile_of_two_values_lies_between():
    assert quantile(np.array([1, 2]), 0.5) == 1.5


def test_text_is_ranked_by_count_then_code_point():
    facts = measured(["b", "a", None, "b", "甲", "a", "乙"], "text").facts
    assert facts.top == (("a", 2), ("b", 2), ("乙", 1), ("甲", 1))
    assert (facts.min, facts.max, facts.nulls, facts.distinct) == ("a", "甲", 1, 4)


def test_unique_text_has_no_most_frequent_values():
    assert measured(["a", "b", "c"], "text").facts.top is None


def test_ties_among_many_texts_are_settled_by_code_point():
    words = [f"w{n:03}" for n in range(50, 0, -1)] * 2
    assert [word for word, _ in measured(words, "text").facts.top] == [f"w{n:03}" for n in range(1, 6)]


def test_long_text_is_cut_in_the_record():
    first = measured(["长" * 5000], "text").facts.first
    assert len(first) == 200
    assert first.endswith("…")


def test_booleans_count_both_answers():
    facts = measured([True, None, False, True], "boolean").facts
    assert facts.top == (("true", 2), ("false", 1))
    assert (facts.first, facts.last, facts.distinct) == (True, True, 2)


def test_several_chunks_are_one_column():
    array = pa.chunked_array([pa.array([1.0, 2.0]), pa.array([], pa.float64()), pa.array([None, 3.0])])
    facts = measure(Column(name="x", header="x", kind="number"), array).facts
    assert (facts.sum, facts.nulls, facts.last) == (6.0, 1, 3.0)


def test_a_column_without_chunks_is_empty():
    facts = measure(Column(name="x", header="x", kind="empty"), pa.chunked_array([], pa.string())).facts
    assert (facts.count, facts.distinct) == (0, 0)


@pytest.mark.parametrize(
    ("kind", "days", "text"),
    [("date", 19724, "2024-01-02"), ("month", 19723, "2024-01"), ("quarter", 19723, "2024Q1"),
     ("year", 19723, "2024")],
)  # fmt: skip
def test_times_are_written_by_kind(kind, days, text):
    array = pa.chunked_array([pa.array([days, None], pa.int32()).cast(pa.date32())])
    facts = measure(Column(name="t", header="t", kind=kind), array).facts
    assert (facts.min, facts.max, facts.first, facts.last, facts.nulls) == (text, text, text, None, 1)


def test_a_day_beyond_the_calendar_of_python_is_still_written():
    array = pa.chunked_array([pa.array([5_000_000], pa.int32()).cast(pa.date32())])
    assert measure(Column(name="t", header="t", kind="date"), array).facts.min.startswith("15659")


@given(st.lists(st.tuples(st.integers(-(2**62), 2**62), st.integers(0, 3)), max_size=40))
def test_keys_of_several_columns_repeat_where_all_parts_do(rows):
    parts = [np.array([row[part] for row in rows], np.int64) for part in (0, 1)]
    codes, size = combine([*parts, parts[0]])
    counts = {row: rows.count(row) for row in rows}
    extra, repeated = repeats(codes, size)
    assert extra == len(rows) - len(counts)
    assert repeated == sum(count > 1 for count in counts.values())


@given(st.lists(st.integers(-(2**63), 2**63 - 1), max_size=30))
def test_dense_codes_keep_order_and_equality(values):
    codes, size = dense(np.array(values, np.int64))
    assert all(0 <= code < size for code in codes)
    for a, x in zip(values, codes.tolist(), strict=True):
        for b, y in zip(values, codes.tolist(), strict=True):
            assert (a < b) == (x < y)
