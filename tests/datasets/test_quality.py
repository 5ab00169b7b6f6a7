"""Repetitions, impossible bars, jumps, and the warnings about them."""

import datetime as dt
import math

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capital_kit._core.notices import Notice
from capital_kit.datasets import Column, Dataset, Source, describe_dataset

DAYS = [dt.date(2024, 1, 1) + dt.timedelta(n) for n in range(6)]
TYPES = {"date": pa.date32(), "number": pa.float64(), "integer": pa.int64(), "boolean": pa.bool_()}


def describe(columns, *, warnings=(), **options):
    dataset = Dataset(
        table=pa.table({n: pa.array(v, TYPES.get(kind, pa.string())) for n, (v, kind) in columns.items()}),
        columns=tuple(Column(name=name, header=name, kind=kind) for name, (_, kind) in columns.items()),
        source=Source(format="frame", label="t"),
        warnings=tuple(warnings),
    )
    return describe_dataset(dataset, **options)


def codes(card):
    return [notice.code for notice in card.warnings]


def notice(card, code):
    return next(found for found in card.warnings if found.code == code)


def bars(closes, days=None, **extra):
    flat = (list(closes), "number")
    days = (days or DAYS[: len(closes)], "date")
    return {"date": days, "open": flat, "high": flat, "low": flat, "close": flat, **extra}


CELLS = st.tuples(
    st.sampled_from([0.0, -0.0, 1.5, math.nan, math.inf, None]),
    st.sampled_from([0, 1, None]),
    st.sampled_from(["a", "b", None]),
    st.sampled_from([True, False, None]),
)


@settings(max_examples=60)
@given(st.lists(CELLS, max_size=30))
def test_duplicate_rows_equal_those_of_a_plain_count(rows):
    columns = dict(zip("nitb", zip(*rows, strict=True), strict=True)) if rows else dict.fromkeys("nitb", ())
    kinds = {"n": "number", "i": "integer", "t": "text", "b": "boolean"}
    card = describe({name: (list(values), kinds[name]) for name, values in columns.items()})
    known = {tuple("nan" if isinstance(c, float) and math.isnan(c) else c for c in row) for row in rows}
    assert card.quality.duplicate_rows == len(rows) - len(known)


def test_duplicates_of_rows_and_keys_are_two_counts():
    card = describe({
        "symbol": (["A", "A", "A", "B"], "code"),
        "date": ([DAYS[0], DAYS[1], DAYS[1], DAYS[1]], "date"),
        "close": ([1.0, 2.0, 2.5, 3.0], "number"),
    })  # fmt: skip
    assert card.quality.key == {"columns": ("symbol", "date"), "duplicate_rows": 1, "missing_rows": 0}
    assert card.quality.duplicate_rows == 0
    assert card.time_axis.duplicates == 1
    assert "duplicate_key" in codes(card)
    assert "time_duplicate" not in codes(card)


def test_the_users_key_is_judged_and_missing_parts_are_told_apart():
    columns = {"id": (["a", "a", None, None], "text"), "x": ([1.0, 2.0, 3.0, 4.0], "number")}
    card = describe(columns, primary_key="id")
    assert card.quality.key == {"columns": ("id",), "duplicate_rows": 1, "missing_rows": 2}
    assert codes(card) == ["duplicate_key", "missing_key"]


def test_bars_that_contradict_themselves_are_counted_with_examples():
    closes = [10.0] * 30
    columns = bars(closes, [dt.date(2024, 1, 1) + dt.timedelta(n) for n in range(30)])
    columns["high"] = ([10.0, None, 9.0, *closes[3:]], "number")
    card = describe(columns)
    assert (card.quality.ohlc_complete, card.quality.ohlc_violations) == (29, 1)
    assert card.quality.ohlc_examples == ((2, "open 10, high 9, low 10, close 10"),)
    assert notice(card, "ohlc_inconsistent").details["row"] == 2


@pytest.mark.parametrize(
    ("closes", "count"),
    [
        ([10.0, 13.0, 9.1], 0),
        ([10.0, 13.01, 13.0], 1),
        ([10.0, 1.0, 10.0], 2),
        ([10.0, None, 1.0], 1),
        ([0.0, 10.0, 0.0], 0),
        ([10.0], 0),
    ],
)
def test_jumps_of_the_close(closes, count):
    found = [w.details["count"] for w in describe(bars(closes)).warnings if w.code == "price_jump"]
    assert found == ([count] if count else [])


def test_jumps_are_looked_for_in_order_of_time():
    card = describe(bars([10.0, 30.0, 14.0, 20.0], [DAYS[0], DAYS[3], DAYS[1], DAYS[2]]))
    jump = notice(card, "price_jump")
    assert (jump.details["count"], jump.details["row"]) == (3, 2)
    assert jump.details["example"] == "2024-01-02: 10 → 14"
    assert "time_not_sorted" in codes(card)


def test_a_change_of_entity_is_no_jump():
    columns = bars([10.0, 10.5, 99.0, 99.5], [DAYS[0], DAYS[1]] * 2, symbol=(["A", "A", "B", "B"], "code"))
    assert codes(describe(columns)) == []


def test_yearly_values_may_jump():
    years = [dt.date(2000 + n, 1, 1) for n in range(5)]
    assert "price_jump" not in codes(describe(bars([1.0, 2.0, 4.0, 8.0, 16.0], years)))


def test_negative_volume_and_zero_prices():
    card = describe(bars([0.0, 10.0, 10.0], volume=([5, -1, -2], "integer")))
    volume = notice(card, "negative_volume").details
    assert (volume["count"], volume["row"], volume["example"]) == (2, 1, "-1")
    assert notice(card, "zero_price").details == {"columns": "open, high, low, close", "count": 1}


@pytest.mark.parametrize(
    ("columns", "code"),
    [
        ({"x": ([], "number")}, "no_rows"),
        ({"x": (["a"], "text")}, "no_numeric_column"),
        ({"x": ([None], "empty"), "y": ([1.0], "number")}, "all_null"),
        ({"x": ([1.0, None, None], "number"), "n": (["a", "b", "c"], "text")}, "mostly_null"),
        ({"x": ([math.nan, math.inf, 1.0, 2.0], "number")}, "non_finite"),
        ({"x": ([7.0, 7.0], "number"), "n": (["a", "b"], "text")}, "constant"),
        ({"id": ([1, 2, 3], "integer"), "x": ([1.0, 3.0, 2.0], "number")}, "row_number"),
        ({"date": ([DAYS[0], DAYS[0], DAYS[1]], "date"), "x": ([1.0, 3.0, 2.0], "number")}, "time_duplicate"),
        ({"date": ([DAYS[0], None, DAYS[1]], "date"), "x": ([1.0, 3.0, 2.0], "number")}, "time_missing"),
        ({"x": ([1.0, 1.0, 2.0], "number")}, "duplicate_rows"),
    ],
)
def test_each_doubt_has_its_warning(columns, code, language):
    card = describe(columns)
    assert codes(card) == [code]
    assert card.warnings[0].message


def test_nan_and_infinity_are_told_apart():
    card = describe({"x": ([math.nan, math.inf, -math.inf, 1.0, 2.0], "number")})
    assert notice(card, "non_finite").details["nan"] == 1
    assert notice(card, "non_finite").details["inf"] == 2


def test_clean_data_get_no_warning():
    assert codes(describe(bars([10.0, 10.5, 10.2], volume=([5, 1, 2], "integer")))) == []


def test_what_reading_said_comes_first_and_the_list_is_bounded():
    said = [Notice("describe", "no_rows", columns=n) for n in range(40)]
    card = describe({"x": ([7.0, 7.0], "number")}, warnings=said)
    assert card.warnings[:32] == tuple(said[:32])
    assert (len(card.warnings), card.warnings[-1].code) == (33, "warnings_capped")
    assert card.warnings[-1].details["count"] == 10


def test_many_columns_share_one_warning():
    card = describe({f"c{n}": ([1.0, 1.0], "number") for n in range(500)})
    assert codes(card) == ["duplicate_rows", "constant"]
    assert notice(card, "constant").details["count"] == 500
    assert len(card.warnings[-1].message) < 120
