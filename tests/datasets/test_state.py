"""States of columns and rows: whatever the partitions, merged they say what the whole says."""

import datetime as dt
import math
from functools import reduce
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capital_kit import describe_dataset
from capital_kit.datasets._model import Source
from capital_kit.datasets._partitions import _sketch
from capital_kit.datasets._partitions._codec import pack, unpack
from capital_kit.datasets._partitions._from_states import describe_partitions
from capital_kit.datasets._partitions._partitions import (
    Partitions,
    PartitionState,
    Plan,
    merge_partitions,
    partition_state,
)
from capital_kit.datasets._partitions._row_state import Told
from capital_kit.datasets._partitions._sketch import Sample, merge_samples, merge_words, sample_of, words_of

SOURCE = Source(format="frame", label="Table")
LEFT_OUT = ("trend",)


def pieces_of(table, cuts):
    bounds = [0, *sorted(min(cut, table.num_rows) for cut in cuts), table.num_rows]
    return [table.slice(start, end - start) for start, end in pairwise(bounds)]


def in_parts(table, cuts):
    """Describe a table cut at rows, each state sent through bytes as engines do."""

    def states(plan):
        return (PartitionState.unpack(partition_state(part, plan).pack()) for part in pieces_of(table, cuts))

    return describe_partitions(Partitions(first=table, source=SOURCE, states=states), lambda d: (d, {}))


def record(description):
    found = description.to_dict()
    for key in ("dataset_id", "profile_ref", "warnings", "source", "series_groups"):
        del found[key]
    for column in found["columns"]:
        for name in LEFT_OUT:
            del column[name]
    return found


def assert_same(whole, parts):
    whole, parts = record(whole), record(parts)
    if parts["quality"]["duplicate_rows"] is None:
        parts["quality"]["duplicate_rows"] = whole["quality"]["duplicate_rows"]
    assert parts == whole


FLOATS = st.floats(allow_nan=True, allow_infinity=True, width=64) | st.sampled_from([0.0, -0.0, 1.5, 1e300])
INTEGERS = st.integers(-(2**63), 2**63 - 1) | st.integers(-3, 3)
DAYS = st.dates(dt.date(2024, 1, 1), dt.date(2024, 1, 20))
WORDS = st.sampled_from(["甲", "乙", "丙", "", "x" * 250]) | st.text(
    st.characters(exclude_categories=["Cs", "Cc", "Z"]), min_size=1, max_size=3
)
CELLS = {
    "price": (FLOATS, pa.float64()), "shares": (INTEGERS, pa.int64()), "date": (DAYS, pa.date32()),
    "word": (WORDS, pa.string()), "flag": (st.booleans(), pa.bool_()),
    "symbol": (st.sampled_from(["600519.SH", "000001.SZ"]), pa.string()),
}  # fmt: skip


@st.composite
def tables(draw):
    rows = draw(st.integers(1, 24))
    names = draw(st.lists(st.sampled_from(list(CELLS)), min_size=1, unique=True))
    columns = {}
    for name in names:
        cells, storage = CELLS[name]
        values = draw(st.lists(st.none() | cells, min_size=rows, max_size=rows))
        columns[name] = pa.array(values, storage)
    return pa.table(columns)


@settings(max_examples=150)
@given(tables(), st.lists(st.integers(0, 24), max_size=4))
def test_any_partitions_say_what_the_whole_says(table, cuts):
    assert_same(describe_dataset(table), in_parts(table, cuts))


@settings(max_examples=40)
@given(tables(), st.integers(0, 24), st.integers(0, 24))
def test_merging_is_associative(table, one, two):
    told = Told(
        time="date" if "date" in table.column_names else None, key=tuple(table.column_names[:1])
    )  # fmt: skip
    plan = Plan(columns=describe_dataset(table).dataset.columns, told=told)
    first, second, third = (partition_state(part, plan) for part in pieces_of(table, [one, two]))
    left = merge_partitions(merge_partitions(first, second), third)
    right = merge_partitions(first, merge_partitions(second, third))
    assert left.pack() == right.pack()


BARS = 300


def bars(symbols=("600519.SH", "000001.SZ"), days=BARS, seed=0):
    generator = np.random.default_rng(seed)
    start = np.datetime64("2023-01-02")
    dates = np.array([start + n for n in range(2 * days) if np.is_busday(start + n)])[:days]
    size = len(symbols) * days
    close = np.round(20 + generator.normal(0, 1, size).cumsum() / 10, 2)
    open_ = np.round(close + generator.normal(0, 0.2, size), 2)
    return pa.table({
        "symbol": np.repeat(symbols, days), "date": np.tile(dates, len(symbols)).astype("datetime64[D]"),
        "open": open_, "high": np.maximum(open_, close) + 0.1, "low": np.minimum(open_, close) - 0.1,
        "close": pa.array(close, mask=generator.random(size) < 0.02),
        "volume": generator.integers(100, 10**6, size),
    })  # fmt: skip


@pytest.mark.parametrize("cuts", [[], [1], [299], [300], [301, 450], list(range(0, 600, 7))])
def test_bars_of_several_symbols(cuts):
    table = bars()
    whole, parts = describe_dataset(table), in_parts(table, cuts)
    assert_same(whole, parts)
    assert parts.roles.entity["panel"]
    assert parts.quality.duplicate_rows == 0
    assert parts.column("close").approx == {}
    group = parts.series_groups[0]
    assert group.columns == whole.series_groups[0].columns
    assert 500 < group.shared_points <= whole.series_groups[0].shared_points


@pytest.mark.parametrize("order", ["ascending", "descending", "shuffled", "by day"])
@pytest.mark.parametrize("cuts", [[], [300], [10, 20, 333]])
def test_order_and_repetition_of_the_key_across_borders(order, cuts):
    table = bars()
    table = pa.concat_tables([table.slice(0, 12), table.slice(11, 9), table.slice(19)])
    rows = np.arange(table.num_rows)
    if order == "descending":
        rows = rows[::-1]
    elif order == "shuffled":
        rows = np.random.default_rng(1).permutation(rows)
    elif order == "by day":
        rows = np.argsort(table["date"].to_numpy(), kind="stable")
    table = table.take(rows)
    whole, parts = describe_dataset(table), in_parts(table, cuts)
    assert whole.quality.key["duplicate_rows"] == 2
    assert_same(whole, parts)
    assert parts.quality.duplicate_rows is None


@pytest.mark.parametrize(
    "times", [[1, 1, 1, 2, 2, 3], [3, 2, 2, 2, 2, 1], [5, 5, 5, 5, 5, 5], [1, 2, 1, 2, 1, 3]]
)
@pytest.mark.parametrize("cut", range(7))
def test_times_of_one_series_that_repeat(times, cut):
    days = [dt.date(2024, 1, day) for day in times]
    table = pa.table({"date": days, "close": [1.0, 2.0, 3.0, 4.0, 5.0, 6.5]})
    assert_same(describe_dataset(table, time_column="date"), in_parts_with(table, [cut], "date"))


def in_parts_with(table, cuts, time):
    def states(plan):
        return (partition_state(part, plan) for part in pieces_of(table, cuts))

    parts = Partitions(first=table, source=SOURCE, states=states)
    found = describe_partitions(parts, lambda d: (d, {"time": time}))
    import dataclasses

    return dataclasses.replace(found, overrides={"time_column": time})


# beyond the limits -------------------------------------------------------------------------


GENERATOR = np.random.default_rng(7)
SHAPES = {
    "uniform": GENERATOR.random(60_000),
    "log-normal": GENERATOR.lognormal(3, 2, 60_000),
    "two heaps": np.concatenate((GENERATOR.normal(-1e9, 1, 30_000), GENERATOR.normal(1e-9, 1e-12, 30_000))),
    "one heap and a tail": np.concatenate((np.full(50_000, 12.34), GENERATOR.exponential(1e6, 10_000))),
    "close and large": 1e12 + GENERATOR.random(60_000),
    "all magnitudes": 10.0 ** GENERATOR.uniform(-290, 290, 60_000) * GENERATOR.choice([-1, 1], 60_000),
    "integers": GENERATOR.integers(-(2**62), 2**62, 60_000),
    "sorted": np.arange(60_000) * 0.01,
}  # fmt: skip


@pytest.mark.parametrize("values", SHAPES.values(), ids=SHAPES)
def test_approximate_facts_keep_their_stated_errors(values):
    table = pa.table({"x": values})
    exact, parts = (
        describe_dataset(table).column("x"),
        in_parts(table, [1, 20_000, 20_001, 50_000]).column("x"),
    )
    approx = parts.approx
    assert set(approx) == {"distinct", "histogram", "p01", "p05", "p25", "p50", "p75", "p95", "p99"}
    for name in ("count", "nulls", "min", "max", "zeros", "negatives", "first", "last"):
        assert getattr(parts, name) == getattr(exact, name), name
    assert parts.mean == pytest.approx(exact.mean, rel=1e-9, abs=1e-12 * np.abs(values).max())
    assert parts.std == pytest.approx(exact.std, rel=1e-7)
    assert parts.distinct == pytest.approx(exact.distinct, rel=approx["distinct"])
    ordered = np.sort(values).astype(float)
    for share in (1, 5, 25, 50, 75, 95, 99):
        name = f"p{share:02}"
        place = (len(ordered) - 1) * share / 100
        beside = np.abs(ordered[[math.floor(place), math.ceil(place)]]).max()
        assert abs(getattr(parts, name) - getattr(exact, name)) <= beside * approx[name] * 1.000001, name
    off = np.abs(np.array(parts.histogram) - np.array(exact.histogram))
    assert off.max() <= approx["histogram"] * len(values) + 1e-6
    assert sum(parts.histogram) == len(values)
    assert parts.outliers is None


@settings(max_examples=30)
@given(st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=1, max_size=200), st.data())
def test_a_bounded_sample_does_not_depend_on_the_cuts(values, data):
    values = np.array(values)
    cuts = data.draw(st.lists(st.integers(0, len(values)), max_size=5))
    parts = [sample_of(np.sort(part), 4096) for part in np.split(values, sorted(cuts)) if len(part)]
    small = [sample_of(np.sort(part), 5000) for part in np.split(values, sorted(cuts)) if len(part)]
    assert pack(reduce(merge_samples, parts)) == pack(sample_of(np.sort(values), 4096))
    assert reduce(merge_samples, small).distinct() == len(np.unique(values))


@pytest.mark.parametrize("values", SHAPES.values(), ids=SHAPES)
def test_buckets_do_not_depend_on_the_cuts(values):
    whole = sample_of(np.sort(values))
    parts = [sample_of(np.sort(part)) for part in np.split(values, [1, 100, 5_000, 5_000, 59_999])]
    assert pack(reduce(merge_samples, parts)) == pack(whole)
    assert pack(reduce(merge_samples, parts[::-1])) == pack(whole)
    assert len(whole.points) <= _sketch.VALUES_MAX
    assert whole.weights.sum() == len(values)


@pytest.mark.parametrize("size", [0, 1, 100, 5_000, 50_000, 400_000])
def test_distinct_values_are_counted_within_the_stated_error(size):
    for seed in range(5):
        values = np.random.default_rng(seed).random(size)
        found = _sketch.estimate(_sketch.registers_of(_sketch.hash_numbers(values)))
        assert found == pytest.approx(size, rel=_sketch.DISTINCT_ERROR)


def test_texts_are_hashed_by_their_bytes_alone():
    texts = pa.array(["", "a", "b", "ab", "ba", "é", "中文", "a" * 70, "a" * 71, "\x00", "\x00\x00"])
    hashes = _sketch.hash_texts(texts)
    assert len(set(hashes.tolist())) == len(texts)
    assert (_sketch.hash_texts(texts.slice(3, 4)) == hashes[3:7]).all()
    many = pa.array([f"symbol {n}" for n in range(200_000)])
    assert len(np.unique(_sketch.hash_texts(many))) == len(many)


def test_frequent_words_survive_a_flood_of_rare_ones(monkeypatch):
    monkeypatch.setattr(_sketch, "WORDS_MAX", 50)
    parts, truth = [], {}
    for part in range(8):
        counts = {f"rare {part} {n}": 1 + n % 2 for n in range(200)} | {"frequent": 400, "usual": 90 + part}
        for word, n in counts.items():
            truth[word] = truth.get(word, 0) + n
        parts.append(words_of(pa.array(list(counts)), np.array(list(counts.values()))))
    found = reduce(merge_words, parts)
    assert len(found.counts) <= 50
    for word in ("frequent", "usual"):
        assert truth[word] - found.lost <= found.counts[word] <= truth[word]
    assert found.lost < 100
    assert found.distinct(10**6) == pytest.approx(len(truth), rel=_sketch.DISTINCT_ERROR)


def test_top_says_when_counts_are_lower_bounds(monkeypatch):
    monkeypatch.setattr(_sketch, "WORDS_MAX", 20)
    words = [f"w{n}" for n in range(400)] + ["经常"] * 500 + ["x" * 300] * 3
    facts = in_parts(pa.table({"name": words}), [100, 450]).column("name")
    assert facts.top[0][0] == "经常"
    assert 400 < facts.top[0][1] <= 500
    assert 0 < facts.approx["top"] < 0.2
    assert facts.length_max == 300


def test_states_travel_as_bytes_without_pickle():
    table = pa.table({"x": [1.5, None, float("nan"), 3.0], "w": ["甲", None, "乙\ud83d\ude00"[:1], "丙"]})
    plan = Plan(columns=describe_dataset(table).dataset.columns)
    state = partition_state(table, plan)
    data = state.pack()
    assert PartitionState.unpack(data).pack() == data
    assert b"pickle" not in data
    with pytest.raises(KeyError):
        unpack(pack(state), Sample)


def test_equal_rows_have_one_fingerprint_whatever_their_order():
    table = bars()
    shuffled = table.take(np.random.default_rng(3).permutation(table.num_rows))
    one, two = in_parts(table, [100]), in_parts(shuffled, [7, 400])
    assert one.dataset.fingerprint == two.dataset.fingerprint
    changed = table.set_column(6, "volume", pa.array(np.append(table["volume"].to_numpy()[:-1], 1)))
    assert in_parts(changed, []).dataset.fingerprint != one.dataset.fingerprint
