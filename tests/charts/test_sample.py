"""Fewer points, the same picture: the proof obligations of re-bucketing and M4."""

import datetime as dt
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capital_kit.charts._sample import (
    Period,
    bucket_bars,
    choose_period,
    even_positions,
    every,
    m4_rows,
    period_starts,
)  # fmt: skip

prices = st.integers(1, 10_000).map(lambda cents: cents / 100)


@st.composite
def bars(draw):
    n = draw(st.integers(1, 60))
    rows = [sorted(draw(st.lists(prices, min_size=4, max_size=4))) for _ in range(n)]
    swap = draw(st.lists(st.booleans(), min_size=n, max_size=n))
    low, one, two, high = np.array(rows).T
    opens, closes = np.where(swap, one, two), np.where(swap, two, one)
    volume = np.array(draw(st.lists(st.integers(0, 10**9), min_size=n, max_size=n)), dtype=float)
    return (opens, high, low, closes), volume


@given(bars(), st.integers(1, 9))
def test_buckets_keep_first_last_extremes_and_volume(given_bars, k):
    (opens, highs, lows, closes), volume = given_bars
    starts = every(len(opens), k)
    (o, h, low, c), total = bucket_bars((opens, highs, lows, closes), starts, volume)
    assert (o[0], c[-1]) == (opens[0], closes[-1])
    assert (h.max(), low.min()) == (highs.max(), lows.min())
    assert math.fsum(total) == math.fsum(volume)
    assert np.all(low <= np.minimum(o, c))
    assert np.all(h >= np.maximum(o, c))
    top = int(np.argmax(highs))
    assert h[np.searchsorted(starts, top, side="right") - 1] == highs[top]


@given(bars(), st.integers(1, 5), st.integers(1, 5))
def test_bucketing_twice_is_bucketing_once(given_bars, k, m):
    rows, volume = given_bars
    once, volume_once = bucket_bars(rows, every(len(volume), k * m), volume)
    half, volume_half = bucket_bars(rows, every(len(volume), k), volume)
    twice, volume_twice = bucket_bars(half, every(len(volume_half), m), volume_half)
    assert all(np.array_equal(a, b) for a, b in zip(once, twice, strict=True))
    assert np.array_equal(volume_once, volume_twice)


def test_missing_volume_is_not_zero():
    rows = tuple(np.ones(4) for _ in range(4))
    _, volume = bucket_bars(rows, every(4, 2), np.array([np.nan, np.nan, 3.0, np.nan]))
    assert np.isnan(volume[0])
    assert volume[1] == 3.0


def minutes(days, *, stamped="end"):
    shift = 1 if stamped == "end" else 0
    spans = [(570 + shift, 690 + shift), (780 + shift, 900 + shift)]
    day = np.datetime64("2025-12-01T00:00")
    return np.array([
        day + np.timedelta64(d * 1440 + m, "m") for d in range(days) for a, b in spans for m in range(a, b)
    ]).astype("datetime64[us]")  # fmt: skip


@pytest.mark.parametrize("stamped", ["end", "start"])
@pytest.mark.parametrize("k", [5, 15, 30, 60])
def test_minute_buckets_are_full_and_cross_no_session(stamped, k):
    times = minutes(3, stamped=stamped)
    starts = period_starts(times, Period(k * 60, "second"))
    assert set(np.diff(np.append(starts, len(times)))) == {k}
    ends = np.append(starts[1:], len(times)) - 1
    assert np.all(times[ends] - times[starts] == np.timedelta64(k - 1, "m"))


@given(st.lists(st.integers(0, 3), min_size=5, max_size=80))
def test_a_halt_ends_a_bucket(gaps):
    times = (
        np.datetime64("2025-12-01T09:31") + np.cumsum([1 + g for g in gaps]).astype("timedelta64[m]")
    ).astype("datetime64[us]")
    starts = period_starts(times, Period(300, "second"))
    assert starts[0] == 0
    assert np.all(np.diff(starts) > 0)
    inside = np.setdiff1d(np.arange(1, len(times)), starts)
    assert np.all(np.diff(times)[inside - 1] <= np.timedelta64(5, "m"))


@pytest.mark.parametrize(
    ("days", "unit"), [(3000, "week"), (9000, "month"), (30_000, "quarter"), (250_000, "year")]
)
def test_daily_bars_climb_the_ladder_of_natural_periods(days, unit):
    times = (np.datetime64("1900-01-01") + np.arange(days)).astype("datetime64[us]")
    period, starts = choose_period(times)
    assert period == Period(1, unit)
    assert len(starts) <= 800


def test_weeks_begin_on_monday():
    times = np.array([dt.date(2024, 1, d) for d in range(1, 22)], dtype="datetime64[us]")
    starts = period_starts(times, Period(1, "week"))
    assert [times[i].item().isoweekday() for i in starts] == [1, 1, 1]


# ------------------------------------------------------------------------------------------ lines
def raster(values, x, width, height, low, high):
    """Draw a polyline column by column: the pixels that M4 must keep."""
    column = np.minimum(x, width - 1)
    row = np.rint((values - low) / ((high - low) or 1) * (height - 1)).astype(int)
    pixels = np.zeros((height, width), dtype=bool)
    for i in range(width):
        inside = row[column == i]
        if len(inside):
            pixels[inside.min() : inside.max() + 1, i] = True
    edges = np.flatnonzero(np.diff(column)) + 1
    for a, b, i in zip(row[edges - 1], row[edges], column[edges], strict=True):
        pixels[min(a, b) : max(a, b) + 1, i] = True
    return pixels


@pytest.mark.parametrize("width", [300, 1000, 1600])
@pytest.mark.parametrize("kind", ["walk", "noise", "steps"])
def test_a_reduced_line_draws_the_same_pixels(width, kind):
    rng = np.random.default_rng(7)
    noise = rng.normal(size=40_000)
    values = {"walk": np.cumsum(noise), "noise": noise, "steps": np.repeat(noise[:400], 100)}[kind]
    n = len(values)
    rows = m4_rows([values], width)
    column = np.arange(n) * width // n
    low, high = values.min(), values.max()
    full = raster(values, column, width, 400, low, high)
    reduced = raster(values[rows], column[rows], width, 400, low, high)
    assert int(np.sum(full != reduced)) == 0
    assert len(rows) <= 4 * width


values_with_gaps = st.lists(
    st.one_of(st.floats(-1e6, 1e6, allow_nan=False), st.just(math.nan)), min_size=2, max_size=300
).filter(lambda values: not all(math.isnan(value) for value in values))


@settings(max_examples=200)
@given(values_with_gaps, st.integers(2, 40), st.sets(st.integers(0, 299), max_size=5))
def test_line_rows_keep_ends_extremes_gaps_and_markers(values, columns, forced):
    array = np.array(values)
    forced = {row for row in forced if row < len(array)}
    rows = m4_rows([array], columns, forced)
    assert np.all(np.diff(rows) > 0)
    kept = set(rows.tolist())
    assert {0, len(array) - 1} | forced <= kept
    assert array[rows][~np.isnan(array[rows])].max() == np.nanmax(array)
    assert array[rows][~np.isnan(array[rows])].min() == np.nanmin(array)
    turns = np.flatnonzero(np.diff(np.isnan(array)))
    if 2 * len(turns) <= 4 * columns:
        assert set(turns.tolist()) | set((turns + 1).tolist()) <= kept


def test_all_series_share_one_set_of_rows():
    rng = np.random.default_rng(1)
    one, two = rng.normal(size=5000), rng.normal(size=5000)
    rows = m4_rows([one, two], 200)
    for values in (one, two):
        assert {int(values.argmax()), int(values.argmin())} <= set(rows.tolist())


@given(st.integers(50, 5000), st.integers(10, 50))
def test_positions_are_increasing_and_give_columns_equal_width(n, columns):
    values = np.sin(np.arange(n) * 1.7)
    rows = m4_rows([values], columns)
    x, slots = even_positions(rows, n, columns)
    assert np.all(np.diff(x) > 0)
    assert np.array_equal(x // slots, rows * columns // n)
