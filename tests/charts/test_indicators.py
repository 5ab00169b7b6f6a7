"""Indicators: values computed by hand, and what holds for every row of prices."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capital_kit.charts._indicators import (
    bollinger_bands,
    drawdown,
    exponential_average,
    macd,
    moving_average,
    relative_strength,
)

NAN = np.nan
SPREAD = (2 / 3) ** 0.5
FUNCTIONS = {
    "ma": lambda p: [moving_average(p, 3)],
    "ema": lambda p: [exponential_average(p, 3)],
    "boll": lambda p: list(bollinger_bands(p, 3, 2.0)),
    "macd": lambda p: list(macd(p, 2, 4, 3)),
    "rsi": lambda p: [relative_strength(p, 3)],
    "drawdown": lambda p: [drawdown(p)],
}
BY_HAND = [
    ("ma", [1, 2, 3, 4], [[NAN, NAN, 2, 3]]),
    ("ma", [1, NAN, 2, 3, 4], [[NAN, NAN, NAN, 2, 3]]),
    ("ma", [1, 2], [[NAN, NAN]]),
    # Begins with the mean 2, then half of the way to 6, then to 0.
    ("ema", [1, 2, 3, 6, 0], [[NAN, NAN, 2, 4, 2]]),
    ("ema", [1, 2, NAN, 3, 6], [[NAN, NAN, NAN, 2, 4]]),
    # The population deviation of 1, 2, 3 is √(2/3).
    (
        "boll",
        [1, 2, 3],
        [[NAN, NAN, 2], [NAN, NAN, 2 + 2 * (2 / 3) ** 0.5], [NAN, NAN, 2 - 2 * (2 / 3) ** 0.5]],
    ),
    # EMA2 of 1…6 is 1.5, 2.5, … and EMA4 is 2.5, 3.5, …: they differ by 1 throughout.
    ("macd", [1, 2, 3, 4, 5, 6], [[NAN, NAN, NAN, 1, 1, 1], [NAN] * 5 + [1], [NAN] * 5 + [0]]),
    # Rises 2, 0, 1 and falls 0, 1, 0: U = 1, D = 1/3; then a fall of 2: U = 2/3, D = 8/9.
    ("rsi", [1, 3, 2, 3, 1], [[NAN, NAN, NAN, 75, 100 * (2 / 3) / (2 / 3 + 8 / 9)]]),
    ("rsi", [5, 5, 5, 5], [[NAN, NAN, NAN, 50]]),
    ("rsi", [1, 2, 3, 4], [[NAN, NAN, NAN, 100]]),
    ("drawdown", [10, 8, NAN, 12, 9], [[0, -20, NAN, 0, -25]]),
    ("drawdown", [-1, 0, 2, 1], [[NAN, NAN, 0, -50]]),
]

prices = st.lists(
    st.one_of(st.floats(0.01, 1e6), st.just(NAN)), min_size=0, max_size=40
).map(lambda found: np.array(found, dtype=np.float64))  # fmt: skip
names = st.sampled_from(sorted(FUNCTIONS))


@pytest.mark.parametrize(("name", "given_prices", "expected"), BY_HAND)
def test_the_values_are_those_computed_by_hand(name, given_prices, expected):
    found = FUNCTIONS[name](np.array(given_prices, dtype=np.float64))
    for line, hoped in zip(found, expected, strict=True):
        np.testing.assert_allclose(line, hoped, rtol=1e-12, atol=1e-12)


@given(names, prices, st.integers(0, 40))
def test_the_past_does_not_know_the_future(name, values, cut):
    whole, past = FUNCTIONS[name](values), FUNCTIONS[name](values[:cut])
    for line, early in zip(whole, past, strict=True):
        np.testing.assert_array_equal(line[:cut], early)


@given(names, prices, st.sampled_from([0.5, 2.0, 1024.0]))
def test_the_scale_of_the_prices_is_kept(name, values, factor):
    # Powers of two are exact, so the equality is too.
    by = 1.0 if name in ("rsi", "drawdown") else factor
    for line, larger in zip(FUNCTIONS[name](values), FUNCTIONS[name](factor * values), strict=True):
        np.testing.assert_allclose(larger, by * line, rtol=1e-12, atol=1e-12 * factor)


@given(names, prices)
def test_a_missing_price_is_missing_and_changes_no_other_value(name, values):
    known = ~np.isnan(values)
    for line, alone in zip(FUNCTIONS[name](values), FUNCTIONS[name](values[known]), strict=True):
        assert np.isnan(line[~known]).all()
        np.testing.assert_array_equal(line[known], alone)


@given(st.floats(0.01, 1e6), st.integers(4, 40))
def test_of_a_constant_every_average_is_the_constant(value, n):
    constant = np.full(n, value)
    for name in ("ma", "ema", "boll"):
        for line in FUNCTIONS[name](constant):
            np.testing.assert_allclose(line[2:], value, rtol=1e-9)
    assert drawdown(constant).tolist() == [0.0] * n


def test_a_huge_price_is_forgotten_once_it_has_left_the_window():
    values = np.array([1e17, 1.0, 2.0, 3.0, 4.0])
    assert moving_average(values, 3)[3:].tolist() == [2.0, 3.0]


def test_blocks_join_without_a_seam():
    values = np.arange(40_000, dtype=np.float64)
    assert np.array_equal(moving_average(values, 5)[4:], values[2:-2])
