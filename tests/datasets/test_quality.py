"""Repetitions, impossible bars, jumps, and the warnings about them."""

import datetime as dt
import math

import numpy as np
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


# what may be wrong though it is possible -------------------------------------------------------


def days_from(count, start=dt.date(2020, 1, 1)):
    return [start + dt.timedelta(n) for n in range(count)]


def series(values, name="x", kind="number"):
    return {"date": (days_from(len(values)), "date"), name: (list(values), kind)}


LEVEL = [10 + math.sin(n) for n in range(60)]


@pytest.mark.parametrize(
    ("place", "value", "found"),
    [
        (7, 110.0, True),
        (7, 0.0011, True),
        (7, -90.0, True),
        (7, 12.0, False),
        (7, 0.0, False),
        (59, 1e300, True),
    ],
)
def test_a_value_far_from_all_others_is_told_with_its_row(place, value, found):
    card = describe(series([*LEVEL[:place], value, *LEVEL[place + 1 :]], name="存货"))
    assert ("outliers" in codes(card)) == found
    if found:
        details = notice(card, "outliers").details
        assert (details["columns"], details["count"], details["row"]) == (["存货"], 1, place)


@pytest.mark.parametrize(("far", "told"), [(1, True), (6, True), (7, False)])
def test_more_than_one_in_a_hundred_are_no_outliers(far, told):
    values = (LEVEL * 10)[: 600 - far] + [5000.0 + n for n in range(far)]
    assert ("outliers" in codes(describe(series(values)))) == told


def test_short_columns_and_row_numbers_have_no_outliers():
    assert "outliers" not in codes(describe(series([*LEVEL[:20], 110.0])))
    ids = {"user_id": ([*range(40), 10**9], "integer"), "x": (LEVEL[:41], "number")}
    assert "outliers" not in codes(describe(ids))


@pytest.mark.parametrize(
    ("factor", "told"),
    [(1e-4, "1/10,000"), (1e4, "10,000"), (1e3, "1,000"), (1e-8, "1/100,000,000"), (1.5e4, "10,000"),
     (1e5, None), (50, None), (1, None)],
)  # fmt: skip
def test_a_level_that_changes_by_a_unit_and_stays_is_told(factor, told):
    values = [1e9 * level for level in LEVEL[:30]] + [1e9 * factor * level for level in LEVEL[30:]]
    card = describe(series(values, name="成交额"))
    assert ("scale_change" in codes(card)) == (told is not None)
    if told:
        details = notice(card, "scale_change").details
        assert (details["column"], details["factor"]) == ("成交额", told)
        assert (details["row"], details["count"]) == (30, 1)
        assert details["example"].startswith("2020-01-31: ")


@pytest.mark.parametrize(
    "scales",
    [
        [1] * 29 + [1e4] + [1] * 30,
        [1] * 57 + [1e4] * 3,
        [1, 1e4] * 30,
    ],
)
def test_a_level_that_does_not_stay_has_not_changed_its_unit(scales):
    values = [level * scale for level, scale in zip(LEVEL, scales, strict=True)]
    assert "scale_change" not in codes(describe(series(values)))


def test_changes_of_scale_are_looked_for_in_order_of_time():
    values = [1e9 * level for level in LEVEL[:30]] + [1e5 * level for level in LEVEL[30:]]
    columns = {name: ([*cells[::2], *cells[1::2]], kind) for name, (cells, kind) in series(values).items()}
    assert notice(describe(columns), "scale_change").details["count"] == 1


def test_growth_changes_no_unit():
    assert codes(describe(series([1.2**n for n in range(120)]))) == []


@pytest.mark.parametrize(
    ("name", "words", "units"),
    [
        ("单位", ["万元", "%", "万元"], ["%", "万元"]),
        ("Unit", ["USD", "EUR", "USD"], ["EUR", "USD"]),
        ("指标", ["营业收入(万元)", "毛利率(%)", "每股收益(元/股)"], ["%", "万元", "元/股"]),
        ("指标", ["营业收入(万元)", "净利润(万元)", "毛利(万元)"], None),
        ("单位", ["万元", "万元", "万元"], None),
        ("单位", ["一车间", None, None], None),
        ("公司", ["甲(人)", "乙公司", "丙公司"], None),
    ],
)
def test_rows_of_different_units_are_told(name, words, units):
    card = describe({name: (words, "text"), "x": ([1.5, 2.5, 4.5], "number")})
    found = notice(card, "units_by_row").details if units else None
    assert ("units_by_row" in codes(card)) == (units is not None)
    if found:
        assert (found["column"], found["units"], found["count"]) == (name, units, len(units))


@pytest.mark.parametrize(
    ("stray", "told"),
    [
        (dt.date(1900, 1, 1), True),
        (dt.date(9999, 12, 31), True),
        (dt.date(2022, 3, 1), True),
        (dt.date(2021, 1, 9), False),
    ],
)
def test_a_date_far_from_the_rest_is_told(stray, told):
    days = days_from(30)
    card = describe({"date": ([*days[:9], stray, *days[9:]], "date"), "x": (LEVEL[:31], "number")})
    assert ("time_out_of_range" in codes(card)) == told
    if told:
        details = notice(card, "time_out_of_range").details
        assert (details["count"], details["row"], details["example"]) == (1, 9, stray.isoformat())
        assert (details["start"], details["end"]) == ("2020-01-01", "2020-01-30")


def test_both_ends_may_be_stray_and_a_far_end_that_many_rows_have_is_meant():
    days = days_from(300)
    ends = [dt.date(1900, 1, 1), *days, dt.date(2999, 1, 1)]
    both = {"date": (ends, "date"), "x": ((LEVEL * 6)[:302], "number")}
    assert notice(describe(both), "time_out_of_range").details["count"] == 2
    meant = {"到期日": ([*days, *[dt.date(9999, 12, 31)] * 20], "date"), "x": ((LEVEL * 6)[:320], "number")}
    assert "time_out_of_range" not in codes(describe(meant))


def test_labels_that_repeat_but_are_too_many_are_no_categories():
    labels = [f"行业{n % 60}" for n in range(180)]
    card = describe({"行业": (labels, "text"), "x": ((LEVEL * 3)[:180], "number")})
    assert notice(card, "high_cardinality").details["distinct"] == 60
    assert card.roles.categories == ()
    few = {"行业": ([f"行业{n % 50}" for n in range(180)], "text"), "x": ((LEVEL * 3)[:180], "number")}
    assert "high_cardinality" not in codes(describe(few))
    titles = {"标题": ([f"第{n}条" for n in range(180)], "text"), "x": ((LEVEL * 3)[:180], "number")}
    assert "high_cardinality" not in codes(describe(titles))


@pytest.mark.parametrize(
    ("closes", "ratio"),
    [
        ([10.0, 10.2, 5.1, 5.0], "1/2"),
        ([10.0, 3.4, 3.3], "1/3"),
        ([10.0, 1.02, 1.0], "1/10"),
        ([10.0, 1.02], "1/10"),
        ([10.0, 4.4, 4.3], None),
        ([10.0, 1.0, 10.0], None),
        ([1.0, 10.0, 10.0], None),
        ([10.0, 5.0, 10.0, 5.0, 10.0, 5.0, 5.0], None),
    ],
)
def test_a_fall_to_a_simple_share_that_stays_is_a_split(closes, ratio):
    found = [w for w in describe(bars(closes, days_from(len(closes)))).warnings if w.code == "price_split"]
    assert [w.details["ratio"] for w in found] == ([ratio] if ratio else [])


def ordinary(seed, n=400):
    """Return columns as markets and companies make them: heavy tails, trends, zeros, seasons."""
    random = np.random.default_rng(seed)
    dates = [day for day in days_from(2 * n) if day.weekday() < 5][:n]
    money, count = random.lognormal(10, 2, n), random.poisson(0.05, n)
    numbers = {
        "price": 10 * np.exp(np.cumsum(random.normal(0, 0.02, n))),
        "volume": np.exp(random.normal(13, 1.5, n)).round(),
        "pct": random.standard_t(3, n),
        "flow": random.standard_t(2.5, n) * 1e8,
        "balance": 1e10 * np.exp(np.arange(n) * 0.02),
        "rate": np.repeat([3.0, 3.25, 3.5, 4.35], n // 4),
        "value": (random.pareto(1.1, n) + 1) * 2e9,
        "rare": count * money,
        "share": random.beta(2, 4, n) * 100,
        "season": (1 + 0.5 * np.sin(np.arange(n) / 30)) * random.lognormal(9, 0.6, n),
    }
    return {"date": (dates, "date")} | {name: (v.tolist(), "number") for name, v in numbers.items()}


@pytest.mark.parametrize("seed", range(25))
def test_ordinary_series_give_no_false_alarm(seed):
    assert codes(describe(ordinary(seed))) == []
