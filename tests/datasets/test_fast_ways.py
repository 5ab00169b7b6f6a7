"""The fast ways of reading say what the slow ones say."""

import datetime as dt
import threading
from collections import Counter

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capital_kit.datasets import read_dataset
from capital_kit.datasets._arrays import array_of, from_numpy, of_one_type
from capital_kit.datasets._cells import _typing
from capital_kit.datasets._cells._headers import read_headers
from capital_kit.datasets._cells._objects import type_objects
from capital_kit.datasets._facts._kernel import magnitude_of, measure
from capital_kit.datasets._facts._rows import key_repeats, repeats
from capital_kit.datasets._facts._time_axis import order_rows
from capital_kit.datasets._model import Column
from capital_kit.datasets._threads import over_columns

HEADER = read_headers(["x"])[0][0]
NUMBERS = st.floats(-1e9, 1e9).map(lambda value: round(value, 3))
FORMS = [
    NUMBERS.map(lambda value: f"{value:.3f}"),
    NUMBERS.map(lambda value: f"{value:,.2f}"),
    NUMBERS.map(lambda value: f"{value:.2f}%"),
    st.integers(-(10**12), 10**12).map(lambda value: f"{value:,}"),
]
WORDS = st.sampled_from(["--", "停牌", "", " -- "])


def slowly(column):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(_typing, "plain_column", lambda *_: None)
        return _typing.type_text(HEADER, column)


def same(fast, slow):
    assert fast.column == slow.column
    assert pa.chunked_array([fast.array]).to_pylist() == slow.array.to_pylist()
    assert fast.notices == slow.notices


@pytest.mark.parametrize(
    ("texts", "kind", "values", "tokens"),
    [
        (["1,234.50", "--", "-12.00"], "number", [1234.5, None, -12.0], {"--": 1}),
        (["1,234", "停牌", "56", ""], "integer", [1234, None, 56, None], {"停牌": 1}),
        (["12.30%", "-0.50%", " -- "], "percent", [12.3, -0.5, None], {"--": 1}),
        (["10.5", "--", "11", "--", "停牌"], "number", [10.5, None, 11.0, None, None], {"--": 2, "停牌": 1}),
        (["9,223,372,036,854,775,808", "1"], "number", [9.223372036854775808e18, 1.0], {}),
    ],
)
def test_exported_numbers(texts, kind, values, tokens):
    column = array_of(texts, pa.string())
    fast = _typing.type_text(HEADER, column)
    assert (fast.column.kind, fast.array.to_pylist(), dict(fast.column.null_tokens)) == (kind, values, tokens)
    same(fast, slowly(column))


@pytest.mark.parametrize("odd", ["12,34,567", "1234,567", ",5", "1,23", "5,", "1,234.", "007", "1,234%", "x"])
def test_one_odd_cell_among_many_gets_the_close_look(odd):
    column = array_of([f"{value:,}" for value in range(1000, 1200)] + [odd], pa.string())
    same(_typing.type_text(HEADER, column), slowly(column))


@pytest.mark.parametrize("texts", [["2024.01", "--"], ["20240102", "--"], ["600519", "--"], ["12:30", "--"]])
def test_what_may_be_a_time_or_a_code_gets_the_close_look(texts):
    column = array_of(texts, pa.string())
    same(_typing.type_text(HEADER, column), slowly(column))


@given(st.sampled_from(FORMS).flatmap(lambda form: st.lists(st.one_of(form, form, WORDS), min_size=1)))
def test_any_exported_numbers(texts):
    column = array_of(texts, pa.string())
    same(_typing.type_text(HEADER, column), slowly(column))


DAY, MOMENT = dt.date(2024, 1, 5), dt.datetime(2024, 1, 5, 9, 30)


@pytest.mark.parametrize(
    ("values", "storage"),
    [
        ([DAY, None, dt.date.min, dt.date.max], pa.date32()),
        (["行业", None, "", "ascii"], pa.string()),
        (["ascii", "only"], pa.string()),
    ],
)
def test_objects_of_one_type_become_an_array_at_once(values, storage):
    array = of_one_type(values)
    assert (array.type, array.to_pylist()) == (storage, values)
    slow = type_objects(HEADER, values)
    assert read_dataset({"x": values}).table.column(0).to_pylist() == slow.array.to_pylist()


@pytest.mark.parametrize(
    "values", [[], [None], [DAY, MOMENT], [MOMENT], ["a", 1], [1, 2], [True], ["\ud800"], [float("nan"), DAY]]
)
def test_objects_of_several_types_are_looked_at_one_by_one(values):
    assert of_one_type(values) is None


def test_threads_read_the_same(monkeypatch):
    columns = {"日期": ["20240105", "20240108"], "价": ["1,234.5", "--"], "x": [DAY, None]}
    before = read_dataset(columns)
    monkeypatch.setattr("capital_kit.datasets._threads._FROM", 0)
    monkeypatch.setattr("capital_kit.datasets._threads._ROWS_EACH", 0)
    after = read_dataset(columns)
    assert (after.columns, after.warnings, after.fingerprint) == (
        before.columns, before.warnings, before.fingerprint
    )  # fmt: skip


@pytest.mark.parametrize(("length", "others"), [(300_000, True), (100, False)])
def test_only_long_columns_are_worth_a_thread(length, others):
    columns = [None] * (600_000 // length)
    found = over_columns(lambda _: threading.get_ident(), columns, cells=length * len(columns))
    assert len(found) == len(columns)
    assert (threading.get_ident() not in found) == others


def test_texts_are_not_copied():
    texts = [pa.array(["600519.SH", "000001.SZ"]), pa.array(["600519.SH", None])]
    column = read_dataset(pa.table({"名称": pa.chunked_array(texts)})).table.column(0)
    assert [chunk.buffers()[2].address for chunk in column.chunks] == [
        array.buffers()[2].address for array in texts
    ]


def test_texts_in_several_chunks_are_encoded_together():
    column = Column(name="x", header="x", kind="text")
    parts = pa.chunked_array([["b", None], [], ["a", "b"], [None]], pa.string())
    found, whole = measure(column, parts), measure(column, pa.chunked_array([parts.combine_chunks()]))
    assert found.facts == whole.facts
    assert (found.facts.top, found.facts.nulls, found.facts.last) == ((("b", 2), ("a", 1)), 2, None)
    assert found.values[found.mask()].tolist() == [0, 1, 0]


@given(st.lists(st.integers(-(2**63), 2**63 - 1) | st.integers(-9, 9), min_size=1))
def test_the_median_magnitude_is_that_of_the_absolute_values(values):
    ordered = np.sort(np.array(values, np.int64))
    if (ordered < 0).any():
        assert magnitude_of(ordered) == float(sorted(map(abs, values))[len(values) // 2])


CODES = {
    "text": (pa.string(), st.sampled_from(["a", "b", None])),
    "integer": (pa.int64(), st.sampled_from([-1, 0, 2**40, None])),
    "number": (pa.float64(), st.sampled_from([-1.0, 1.25, 1.5, None])),
    None: (None, st.none()),
}
DAYS = st.integers(0, 3) | st.none()


@pytest.mark.parametrize("kind", CODES)
@given(st.data(), st.booleans())
def test_what_a_key_repeats_is_seen_in_the_order_of_the_rows(kind, data, in_order):
    storage, codes = CODES[kind]
    rows = data.draw(st.lists(st.tuples(codes, DAYS)))
    if in_order:
        rows.sort(key=str)
    days = pa.array([day for _, day in rows], pa.int32()).cast(pa.date32())
    time = measure(Column(name="t", header="t", kind="date"), pa.chunked_array([days]))
    entity = None
    if kind:
        cells = pa.chunked_array([[code for code, _ in rows]], storage)
        entity = measure(Column(name="c", header="c", kind=kind), cells)
    found = order_rows(time, entity)
    assert found.repeats == key_repeats([time] if entity is None else [entity, time])
    stated = [row for row, (_, day) in enumerate(rows) if day is not None]
    assert sorted(found.of(np.arange(len(rows))).tolist()) == stated


@pytest.mark.parametrize("kind", ["number", "integer"])
def test_what_stands_under_nulls_does_not_count(kind):
    storage, dtype = (pa.float64(), "f8") if kind == "number" else (pa.int64(), "i8")
    missing = np.array([False, True, False, True])
    column = Column(name="x", header="x", kind=kind)
    one, two = (
        measure(column, pa.chunked_array([from_numpy(np.array(values, dtype), storage, missing)]))
        for values in ([3, 0, 1, 0], [3, -7, 1, 99])
    )
    assert one.facts == two.facts
    assert (one.facts.min, one.facts.max, one.facts.nulls) == (1, 3, 2)
    assert one.mask().tolist() == two.mask().tolist() == [True, False, True, False]


@given(st.lists(st.integers(0, 9)))
def test_repeats_of_sorted_and_unsorted_codes(codes):
    for ordered in (codes, sorted(codes), sorted(set(codes)) + codes[:1]):
        counts = Counter(ordered)
        expected = len(ordered) - len(counts), sum(count > 1 for count in counts.values())
        assert repeats(np.array(ordered, np.int64), 10) == expected
