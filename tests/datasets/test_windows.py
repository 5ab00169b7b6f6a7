"""Windows that end with the last time, and the sessions of a day."""

import datetime as dt

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capital_kit.datasets import describe_dataset

MONTHS = [f"2023-{month:02}" for month in range(1, 13)]
QUARTERS = [f"2023Q{quarter}" for quarter in range(1, 5)]
THREE_DAYS = ("2024-01-02", "2024-01-03", "2024-01-04")


def axis_of(times, **more):
    return describe_dataset({"date": times, "x": [float(n) for n in range(len(times))], **more}).time_axis


def window(times, name):
    return next(found for found in axis_of(times).windows if found.name == name)


def weekdays(first, last):
    span = range(dt.date.fromisoformat(first).toordinal(), dt.date.fromisoformat(last).toordinal() + 1)
    return [day for day in map(dt.date.fromordinal, span) if day.weekday() < 5]


def bars(day, *spans, step=1):
    times = []
    for begin, end in spans:
        moment, last = (dt.datetime.fromisoformat(f"{day} {clock}") for clock in (begin, end))
        while moment <= last:
            times.append(moment)
            moment += dt.timedelta(minutes=step)
    return times


@pytest.mark.parametrize(
    ("name", "start", "data_from"),
    [
        ("last_1_month", "2024-05-29", "2024-05-29"),
        ("last_3_months", "2024-03-29", "2024-03-29"),
        ("last_1_year", "2023-06-29", "2023-06-29"),
        ("ytd", "2024-01-01", "2024-01-01"),
    ],
)
def test_windows_count_back_from_the_last_time(name, start, data_from):
    found = window(weekdays("2023-01-02", "2024-06-28"), name)
    assert (found.start, found.end) == (start, "2024-06-28")
    assert (found.data_from, found.data_to) == (data_from, "2024-06-28")
    assert found.points == len(weekdays(start, "2024-06-28"))
    assert found.complete


def test_the_order_of_the_file_does_not_matter():
    times = weekdays("2023-01-02", "2024-06-28")
    assert axis_of(times[::-1]).windows == axis_of(times).windows


@pytest.mark.parametrize(
    ("first", "complete"),
    [("2023-06-28", True), ("2023-06-29", True), ("2023-07-03", True), ("2023-07-04", False)],
)
def test_a_window_is_complete_if_data_begin_within_a_weekend_of_it(first, complete):
    assert window(weekdays(first, "2024-06-28"), "last_1_year").complete == complete


def test_two_months_of_data_are_no_complete_year():
    found = window(weekdays("2024-05-01", "2024-06-28"), "last_1_year")
    assert (found.complete, found.data_from, found.points) == (False, "2024-05-01", 43)


@pytest.mark.parametrize(
    ("times", "name", "expected"),
    [
        (MONTHS, "last_1_year", ("2023-01-01", "2023-01", 12, True)),
        (MONTHS[1:], "last_1_year", ("2023-01-01", "2023-02", 11, False)),
        (MONTHS, "last_1_month", ("2023-12-01", "2023-12", 1, True)),
        (QUARTERS, "last_1_year", ("2023-01-01", "2023Q1", 4, True)),
        (QUARTERS[1:], "last_1_year", ("2023-01-01", "2023Q2", 3, False)),
        (QUARTERS, "last_1_month", ("2023-10-01", "2023Q4", 1, True)),
    ],
)
def test_months_and_quarters_are_meant_as_a_whole(times, name, expected):
    found = window(times, name)
    assert (found.start, found.data_from, found.points, found.complete) == expected
    assert (found.end, found.data_to) == ("2023-12-31", times[-1])


@settings(max_examples=60, deadline=None)
@given(st.sets(st.dates(dt.date(1, 1, 1), dt.date(9999, 12, 31)), min_size=2, max_size=30))
def test_windows_hold_what_a_plain_count_finds(days):
    axis = axis_of(list(days), note=["x"] * len(days))
    assert [found.name for found in axis.windows] == ["last_1_month", "last_3_months", "last_1_year", "ytd"]
    for found in axis.windows:
        inside = sorted(day for day in days if found.start <= day.isoformat() <= found.end)
        assert found.end == max(days).isoformat()
        assert found.points == len(inside)
        assert (found.data_from, found.data_to) == (inside[0].isoformat(), inside[-1].isoformat())


def test_times_beyond_the_calendar_have_no_windows():
    import numpy as np
    import pyarrow as pa

    table = pa.table({"date": pa.array(np.array([0, 2**30], np.int32)).cast(pa.date32()), "x": [1.0, 2.0]})
    assert describe_dataset(table, time_column="date").time_axis.windows == ()


A_SHARE = (("09:30", "11:30"), ("13:00", "15:00"))


@pytest.mark.parametrize(
    ("spans", "step", "expected", "a_day"),
    [
        (A_SHARE, 1, A_SHARE, 242),
        ((("09:35", "11:30"), ("13:05", "15:00")), 5, (("09:35", "11:30"), ("13:05", "15:00")), 48),
        ((("10:30", "11:30"), ("14:00", "15:00")), 60, (("10:30", "11:30"), ("14:00", "15:00")), 4),
        ((("14:00", "14:57"), ("15:00", "15:00")), 1, (("14:00", "15:00"),), 59),
        ((("09:00", "10:15"), ("10:30", "11:30")), 1, (("09:00", "10:15"), ("10:30", "11:30")), 137),
        ((("00:00", "23:45"),), 15, (("00:00", "23:45"),), 96),
    ],
)
def test_sessions_are_the_spans_that_bars_fill(spans, step, expected, a_day):
    axis = axis_of([t for day in THREE_DAYS for t in bars(day, *spans, step=step)])
    assert (axis.sessions, axis.bars_per_day) == (expected, a_day)


def test_a_half_day_and_a_missing_bar_do_not_change_the_sessions():
    times = [t for day in THREE_DAYS for t in bars(day, *A_SHARE)]
    axis = axis_of([*times[:100], *times[103:], *bars("2024-01-05", A_SHARE[0])])
    assert axis.sessions == A_SHARE
    assert axis.gaps == 1


def test_only_bars_have_sessions():
    assert axis_of(weekdays("2024-01-01", "2024-01-19")).sessions is None
    events = [dt.datetime(2024, 1, 1 + n // 5, 9 + n % 5 * n % 11, n * 7 % 60) for n in range(40)]
    axis = axis_of(events)
    assert (axis.frequency, axis.sessions, axis.bars_per_day) == ("irregular", None, None)


def test_bars_at_many_scattered_hours_have_no_sessions():
    times = [dt.datetime(2024, 1, 2, hour, minute) for hour in range(4, 22, 2) for minute in range(10)]
    assert axis_of(times).sessions is None
