"""Periods: what a name means, seen from the last time of the data."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

import capital_kit as ck
from capital_kit.datasets import resolve_period

FRIDAY = dt.date(2024, 6, 28)


@pytest.mark.parametrize(
    ("period", "start", "end"),
    [
        ("today", "2024-06-28", "2024-06-28"),
        ("yesterday", "2024-06-27", "2024-06-27"),
        ("last_1_day", "2024-06-28", "2024-06-28"),
        ("last_3_days", "2024-06-26", "2024-06-28"),
        ("last_1_week", "2024-06-22", "2024-06-28"),
        ("last_1_month", "2024-05-29", "2024-06-28"),
        ("last_3_months", "2024-03-29", "2024-06-28"),
        ("last_2_quarters", "2023-12-29", "2024-06-28"),
        ("last_1_year", "2023-06-29", "2024-06-28"),
        ("ytd", "2024-01-01", "2024-06-28"),
        ("current_year", "2024-01-01", "2024-06-28"),
        ("previous_year", "2023-01-01", "2023-12-31"),
        ("2023", "2023-01-01", "2023-12-31"),
        ("2023-02", "2023-02-01", "2023-02-28"),
        ("2023Q4", "2023-10-01", "2023-12-31"),
        ("2024年一季度", "2024-01-01", "2024-03-31"),
        # A period that the anchor lies in ends with it: nothing is promised that is not there yet.
        ("2024", "2024-01-01", "2024-06-28"),
        ("2024-06", "2024-06-01", "2024-06-28"),
        ("2024Q2", "2024-04-01", "2024-06-28"),
        ("all", "0001-01-01", "2024-06-28"),
        ({"unit": "month", "count": 3}, "2024-03-29", "2024-06-28"),
        ('{"unit": "week", "count": "2"}', "2024-06-15", "2024-06-28"),
        ("LAST_3_DAYS", "2024-06-26", "2024-06-28"),
    ],
)
def test_period_of_a_day(period, start, end):
    found = resolve_period(period, FRIDAY)
    assert (found.start.isoformat(), found.end.isoformat()) == (start, end)


@pytest.mark.parametrize(
    ("anchor", "period", "start"),
    [
        ("2024-03-31", "last_1_month", "2024-03-01"),
        ("2024-05-31", "last_3_months", "2024-03-01"),
        ("2024-02-29", "last_1_year", "2023-03-01"),
        ("2025-02-28", "last_1_year", "2024-03-01"),
        ("2024-05-30", "last_3_months", "2024-03-01"),
    ],
)
def test_months_stop_at_the_end_of_a_shorter_month(anchor, period, start):
    assert resolve_period(period, dt.date.fromisoformat(anchor)).start.isoformat() == start


@pytest.mark.parametrize("count", [1, 3, 6, 12, 24])
@pytest.mark.parametrize("month", range(1, 13))
@pytest.mark.parametrize("year", [2023, 2024, 2100])
def test_months_before_the_end_of_a_month_are_whole_months(year, month, count):
    end = dt.date(year + month // 12, month % 12 + 1, 1) - dt.timedelta(days=1)
    found = resolve_period({"unit": "month", "count": count}, end)
    assert found.start.day == 1
    assert 12 * (year - found.start.year) + month - found.start.month == count - 1


@pytest.mark.parametrize(
    ("kind", "anchor", "period", "start", "end"),
    [
        ("month", "2024-06-01", "last_3_months", "2024-04-01", "2024-06-30"),
        ("month", "2024-06-01", "last_1_year", "2023-07-01", "2024-06-30"),
        ("month", "2024-06-01", "last_3_days", "2024-06-01", "2024-06-30"),
        ("quarter", "2024-04-01", "last_1_year", "2023-07-01", "2024-06-30"),
        ("quarter", "2024-04-01", "last_1_month", "2024-04-01", "2024-06-30"),
        ("quarter", "2024-04-01", "2024", "2024-01-01", "2024-06-30"),
        ("year", "2024-01-01", "last_3_years", "2022-01-01", "2024-12-31"),
    ],
)
def test_a_period_of_the_data_counts_as_a_whole(kind, anchor, period, start, end):
    found = resolve_period(period, dt.date.fromisoformat(anchor), kind)
    assert (found.start.isoformat(), found.end.isoformat()) == (start, end)


@given(
    st.dates(), st.sampled_from(["day", "week", "month", "quarter", "year"]), st.integers(1, 999_998),
    st.sampled_from(["date", "month", "quarter", "year"]),
)  # fmt: skip
def test_windows_grow_with_their_count_and_end_with_the_data(anchor, unit, count, kind):
    if kind != "date":
        months = {"month": 1, "quarter": 3, "year": 12}[kind]
        anchor = anchor.replace(day=1, month=(anchor.month - 1) // months * months + 1)
    one, more = (resolve_period(f"last_{n}_{unit}s", anchor, kind) for n in (count, count + 1))
    assert more.start <= one.start <= anchor <= one.end == more.end
    if unit in ("day", "week") and kind == "date" and one.start > dt.date.min:
        assert one.days == count * (7 if unit == "week" else 1)


@pytest.mark.parametrize(
    "period", ["", "last_week", "last_0_days", "last_-1_days", "近一年", "2024-13", None, 3, {},
               {"unit": "month"}, {"unit": "month", "count": 0}, {"unit": "fortnight", "count": 1},
               {"unit": "month", "count": True},
               "{bad", "2024-01-05 09:30"],
)  # fmt: skip
def test_what_is_no_period_is_refused_with_the_forms(period):
    with pytest.raises(ck.QueryError) as caught:
        resolve_period(period, FRIDAY)
    assert caught.value.code == "period_invalid"
    assert "last_N_days" in caught.value.details["allowed"]


# laid over a dataset -------------------------------------------------------------------------

DAYS = ["2024-01-02", "2024-01-31", "2024-01-26", "2024-02-01", None]


def test_range_of_a_dataset_counts_from_its_exact_last_day():
    found = ck.resolve_data_time_range({"date": DAYS, "close": [1, 2, 3, 4, 5]}, "last_1_week")
    assert found.to_dict() == {
        "mode": "dataset", "time_column": "date", "format": "date", "timezone": None, "period": "last_1_week",
        "range": {"from": "2024-01-26", "to": "2024-02-01", "days": 7},
        "data": {"from": "2024-01-26", "to": "2024-02-01", "days": 3},
        "bounds": {"bound_ge": "2024-01-26", "bound_le": "2024-02-01", "inclusive": True},
        "bounds_are_intraday": False,
        "dataset": {"covered_from": "2024-01-02", "covered_to": "2024-02-01"},
        "complete": True, "warnings": [],
    }  # fmt: skip


def test_last_day_is_found_wherever_it_stands():
    days = [(dt.date(2010, 1, 1) + dt.timedelta(days=at)).isoformat() for at in range(5000)]
    days.insert(2345, "2030-01-01")
    found = ck.resolve_data_time_range({"date": days, "x": list(range(5001))}, "today")
    assert (found.data_from, found.data_to) == ("2030-01-01", "2030-01-01")


def test_window_that_begins_before_the_data_is_not_complete():
    found = ck.resolve_data_time_range({"date": DAYS, "close": [1, 2, 3, 4, 5]}, "last_1_year")
    assert (found.complete, found.data_from) == (False, "2024-01-02")
    assert [notice.code for notice in found.warnings] == ["period_part_missing"]


def test_all_begins_with_the_data():
    found = ck.resolve_data_time_range({"date": DAYS, "close": [1, 2, 3, 4, 5]}, "all")
    assert (found.start, found.days, found.complete) == ("2024-01-02", 31, True)


def test_minutes_are_bounded_by_moments():
    times = ["2024-01-04 15:00", "2024-01-05 09:31", "2024-01-05 15:00"]
    found = ck.resolve_data_time_range({"time": times, "close": [1, 2, 3]}, "today")
    assert (found.bound_ge, found.bound_le, found.data_days) == ("2024-01-05 09:31", "2024-01-05 15:00", 1)
    assert found.to_dict()["bounds_are_intraday"]


def test_months_are_named_as_months():
    found = ck.resolve_data_time_range(
        {"月份": ["2024-01", "2024-02", "2024-03"], "cpi": [1, 2, 3]}, "last_2_months"
    )
    assert (found.bound_ge, found.bound_le, found.end) == ("2024-02", "2024-03", "2024-03-31")


def test_period_without_rows_names_what_is_covered(language):
    with pytest.raises(ck.QueryError) as caught:
        ck.resolve_data_time_range({"date": DAYS, "close": [1, 2, 3, 4, 5]}, "2019")
    assert caught.value.code == "period_without_rows"
    assert "2024-01-02 … 2024-02-01" in str(caught.value)


@pytest.mark.parametrize(("data", "column"), [({"a": [1, 2]}, None), ({"d": DAYS, "a": [1] * 5}, "a")])
def test_a_range_needs_a_time_column(data, column):
    with pytest.raises(ck.QueryError) as caught:
        ck.resolve_data_time_range(data, "ytd", time_column=column)
    assert caught.value.code == "period_no_time"
