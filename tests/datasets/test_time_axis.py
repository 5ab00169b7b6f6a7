"""Frequency, order, duplicates and gaps of the time axis."""

import datetime as dt

import pyarrow as pa
import pytest

from capital_kit.datasets import Column, Dataset, Source, describe_dataset

MONDAY = dt.date(2024, 1, 1)


def axis_of(times, kind="date", symbols=None, **options):
    type_ = pa.timestamp("us") if kind == "datetime" else pa.date32()
    columns = {"t": (pa.array(times, type_), kind)}
    if symbols:
        columns = {"symbol": (pa.array(symbols, pa.string()), "code"), **columns}
    columns["x"] = (pa.array([float(n) for n in range(len(times))], pa.float64()), "number")
    dataset = Dataset(
        table=pa.table({name: array for name, (array, _) in columns.items()}),
        columns=tuple(Column(name=name, header=name, kind=k) for name, (_, k) in columns.items()),
        source=Source(format="frame", label="t"),
    )
    return describe_dataset(dataset, **options).time_axis


def days(*steps, start=MONDAY):
    result = [start]
    for step in steps:
        result.append(result[-1] + dt.timedelta(step))
    return result


def months(count, every=1):
    return [dt.date(2020 + m // 12, m % 12 + 1, 1) for m in range(0, count * every, every)]


def month_ends(count):
    return [first - dt.timedelta(1) for first in months(count + 1)[1:]]


def session(day, clock="09:30", count=5, step=1):
    start = dt.datetime.combine(day, dt.time.fromisoformat(clock))
    return [start + dt.timedelta(minutes=step * n) for n in range(count)]


A_SHARE_HOURS = [
    dt.datetime.combine(day, dt.time(h, m))
    for day in days(1, 1)
    for h, m in ((10, 30), (11, 30), (14, 0), (15, 0))
]


@pytest.mark.parametrize(
    ("times", "kind", "frequency"),
    [
        (days(1, 1, 1, 1, 3, 1, 1, 1, 1), "date", "business-day"),
        (days(*[1] * 12), "date", "day"),
        (days(*[7] * 6), "date", "week"),
        (days(7, 7, 9, 5, 7, 7), "date", "week"),
        (months(14), "month", "month"),
        (month_ends(14), "date", "month"),
        (months(8, 3), "quarter", "quarter"),
        (months(8, 3), "month", "quarter"),
        (months(5, 12), "year", "year"),
        (days(3, 41, 2, 90, 17), "date", "irregular"),
        (months(1), "month", "month"),
        (days(), "date", "irregular"),
        (session(MONDAY, count=30), "datetime", "minute"),
        (session(MONDAY, count=30, step=5), "datetime", "minute"),
        (A_SHARE_HOURS, "datetime", "hour"),
        ([dt.datetime.combine(d, dt.time(15)) for d in days(1, 1, 1, 1, 3, 1)], "datetime", "business-day"),
    ],
)
def test_frequency_is_told_from_the_steps(times, kind, frequency):
    assert axis_of(times, kind).frequency == frequency


def test_steps_are_days_or_seconds():
    assert axis_of(days(1, 1, 3)).median_step_days == 1
    minutes = axis_of(session(MONDAY, count=9, step=5), "datetime")
    assert (minutes.median_step_days, minutes.median_step_seconds) == (None, 300)


@pytest.mark.parametrize(
    ("times", "word"),
    [
        (days(1, 1), "ascending"),
        (days(1, 1)[::-1], "descending"),
        ([*days(1, 1), MONDAY], "no"),
        (days(1, 0, 1), "ascending"),
        ([None, *days(1, 1)], "ascending"),
        (days(), "ascending"),
    ],
)
def test_order_in_the_file(times, word):
    assert axis_of(times).sorted == word


@pytest.mark.parametrize("by_day", [True, False])
def test_a_panel_is_in_order_when_each_entity_is(by_day):
    pairs = [(s, d) for s in ("600000", "600001") for d in days(1, 1)]
    if by_day:
        pairs.sort(key=lambda pair: pair[1])
    symbols, times = zip(*pairs, strict=True)
    assert axis_of(list(times), symbols=list(symbols)).sorted == "ascending"
    assert axis_of(list(times[::-1]), symbols=list(symbols[::-1])).sorted == "descending"


def test_duplicates_count_times_or_pairs_with_the_entity():
    times = [*days(1, 0, 0, 1)]
    assert axis_of(times).duplicates == 1
    assert (
        axis_of([MONDAY, MONDAY, MONDAY], symbols=["600000", "600001", "600001"], time_column="t").duplicates
        == 1
    )
    panel = axis_of(days(0, 1, 0, 0), symbols=["600000", "600001", "600000", "600001", "600001"])
    assert (panel.duplicates, panel.points) == (1, 2)


def test_rows_without_a_code_repeat_nothing():
    axis = axis_of(days(0, 1, 0, 0), symbols=["600000", "600001", "600000", None, None])
    assert axis.duplicates == 0


@pytest.mark.parametrize(
    ("times", "kind", "gaps", "largest"),
    [
        (days(1, 1, 1, 1, 3, 11), "date", 0, None),
        (days(1, 1, 1, 1, 3, 1, 13, 1), "date", 1, ("2024-01-09", "2024-01-22")),
        (days(*[1] * 8, 2, *[1] * 8), "date", 1, ("2024-01-09", "2024-01-11")),
        ([*months(6), *months(9)[8:]], "month", 1, ("2020-06", "2020-09")),
        (days(3, 41, 2, 90, 17), "date", 0, None),
    ],
)
def test_gaps(times, kind, gaps, largest):
    axis = axis_of(times, kind)
    assert (axis.gaps, axis.largest_gap) == (gaps, largest)


def test_nights_and_breaks_that_return_are_no_gaps():
    times = [
        moment
        for day in days(1, 1)
        for clock in ("09:30", "13:45")
        for moment in session(day, clock, count=20)
    ]
    assert axis_of(times, "datetime").gaps == 0
    del times[50:53]
    axis = axis_of(times, "datetime")
    assert (axis.gaps, axis.largest_gap) == (1, ("2024-01-02 09:39", "2024-01-02 09:43"))


def test_the_lunch_break_of_a_single_day_is_no_gap():
    times = [*session(MONDAY, "11:00", count=31), *session(MONDAY, "13:01", count=30)]
    assert axis_of(times, "datetime").gaps == 0


def test_the_closing_auction_of_a_single_day_is_no_gap():
    times = [*session(MONDAY, "14:00", count=58), *session(MONDAY, "15:00", count=1)]
    assert axis_of(times, "datetime").gaps == 0


def test_a_snapshot_of_one_day_is_no_axis_unless_asked_for():
    assert axis_of([MONDAY] * 3) is None
    assert axis_of([MONDAY] * 3, time_column="t").points == 1


def test_a_column_without_times_is_no_axis():
    assert axis_of([None, None]) is None
    assert axis_of([None, None], time_column="t") is None


def test_the_time_zone_of_the_column_is_kept():
    table = pa.table({"t": pa.array(session(MONDAY), pa.timestamp("us"))})
    column = Column(name="t", header="t", kind="datetime", timezone="+08:00")
    dataset = Dataset(table=table, columns=(column,), source=Source(format="frame", label="t"))
    assert describe_dataset(dataset).time_axis.timezone == "+08:00"
