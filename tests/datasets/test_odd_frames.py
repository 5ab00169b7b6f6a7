"""What a hostile analyst hands over: no crash, and what a careful colleague would say."""

import datetime as dt
import json

import numpy as np
import pandas as pd
import pytest

import capital_kit as ck
from capital_kit.datasets import describe_dataset, query_dataset, resolve_period


def codes(found):
    return [notice.code for notice in found.warnings]


def days(count):
    return [dt.date(2024, 1, 1) + dt.timedelta(n) for n in range(count)]


def far(*texts):
    return pd.DataFrame({"date": np.array(texts, "datetime64[s]"), "x": range(len(texts))})


FRAMES = {
    "no rows": pd.DataFrame({"date": [], "close": []}),
    "one row": pd.DataFrame({"date": ["2024-01-02"], "close": [1.5]}),
    "all null": pd.DataFrame({"a": [None] * 3, "b": [np.nan] * 3}),
    "all infinite": pd.DataFrame({"date": days(3), "x": [np.inf] * 3}),
    "names twice": pd.DataFrame([[1, 2, 3]], columns=["a", "a", "A"]),
    "no names": pd.DataFrame([[1, 2]], columns=["", None]),
    "before 1900": far("1750-01-01", "1750-02-01", "1750-03-01"),
    "after 2262": far("2300-01-01", "2300-02-01", "9999-12-31"),
    "the first day": far("0001-01-01"),
    "no calendar": far("-2000-01-01", "20000-01-01"),
    "huge": pd.DataFrame({"date": days(40), "x": [1e308, -1e308] * 20, "close": [5e-324, 1e308] * 20}),
    "tiny": pd.DataFrame({"date": days(40), "x": [5e-324] * 38 + [1e308, 2.0]}),
    "html": pd.DataFrame({"<script>alert(1)</script>": ["<img src=x onerror=alert(1)>"], "b": [1]}),
}


@pytest.mark.parametrize("name", FRAMES)
def test_every_form_of_every_frame(name, language):
    found = describe_dataset(FRAMES[name], queries=[{}, {"aggregates": {"function": "count"}}])
    json.dumps([found.to_dict(), ck.inspect_dataset(found.dataset).to_dict()], allow_nan=False)
    assert [outcome.error for outcome in found.queries] == [None, None]
    page = found._repr_html_() + found.dataset._repr_html_() + found.queries[0].result._repr_html_()
    assert "<script>" not in page
    assert "<img" not in page
    assert len(max((notice.message for notice in found.warnings), key=len, default="")) < 300
    assert len(found.to_frame()) == len(FRAMES[name].columns)


@pytest.mark.parametrize("period", ["last_1_year", "ytd", "all", "previous_year", "yesterday", "today"])
@pytest.mark.parametrize("name", [name for name in FRAMES if name not in ("no rows", "all null")])
def test_every_period_of_every_frame_is_an_answer_or_a_clear_no(name, period):
    refused = {"period_no_time", "period_without_rows", "period_invalid"}
    try:
        said = {ck.resolve_data_time_range(FRAMES[name], period).period}
    except ck.QueryError as error:
        said = refused & {error.code}
    assert said


@pytest.mark.parametrize("period", ["last_1_day", "last_9_months", "last_999999_years", "ytd", "2024", "all"])
@pytest.mark.parametrize("anchor", [dt.date.min, dt.date(1, 1, 31), dt.date.max])
def test_periods_at_the_ends_of_the_calendar_hold_their_anchor(anchor, period):
    found = resolve_period(period, anchor)
    assert found.start <= found.end
    assert period == "2024" or found.start <= anchor == found.end


def test_years_as_days_are_named_as_they_are():
    found = ck.inspect_dataset(FRAMES["no calendar"]).to_dict()
    assert [row["date"] for row in found["first_rows"]] == ["-2000-01-01", "20000-01-01"]


def test_ten_thousand_columns_are_all_there():
    wide = pd.DataFrame(np.arange(30_000.0).reshape(3, 10_000), columns=[f"c{n}" for n in range(10_000)])
    found = describe_dataset(wide)
    assert len(found.columns) == 10_000
    assert len(found._repr_html_()) < 2_000_000
    assert query_dataset(found.dataset, {"select": "c9999"}).rows[-1] == {"c9999": 29_999.0}
    with pytest.raises(ck.QueryError) as caught:
        query_dataset(found.dataset, {"select": "c10000"})
    assert caught.value.details["available_total"] == 10_000
    assert len(str(caught.value)) < 300


def test_fifty_thousand_labels():
    many = pd.DataFrame({"cat": [f"v{n % 50_000}" for n in range(100_000)], "x": range(100_000)})
    found = describe_dataset(many)
    assert (found.column("cat").distinct, len(found.column("cat").top)) == (50_000, 5)
    assert codes(found) == ["high_cardinality"]
    count = {"group_by": "cat", "aggregates": {"function": "count", "as": "n"}}
    with pytest.raises(ck.QueryError) as caught:
        query_dataset(found.dataset, count)
    assert caught.value.details["groups"] == 50_000
    top = query_dataset(
        found.dataset, {**count, "order_by": {"column": "n", "direction": "desc"}, "limit": 3}
    )
    assert (top.returned_count, top.group_count, top.truncated) == (3, 50_000, True)


def test_a_panel_in_no_order_is_described_as_if_it_were_in_order():
    rows = [(code, day, n + 10.5) for code in ("000001", "600519") for n, day in enumerate(days(30))]
    data = pd.DataFrame(rows, columns=["code", "date", "close"])
    one, two = describe_dataset(data), describe_dataset(data.sample(frac=1, random_state=1))
    assert (two.time_axis.sorted, codes(two)) == ("no", ["time_not_sorted"])
    assert (two.time_axis.windows, two.quality) == (one.time_axis.windows, one.quality)
    assert two.roles == one.roles


def test_units_of_rows_and_of_cells_are_not_mixed():
    rows = pd.DataFrame({"指标": ["营业收入(万元)", "毛利率(%)", "员工数(人)"], "值": [1e5, 33.2, 1200]})
    assert "units_by_row" in codes(describe_dataset(rows))
    cells = describe_dataset({"v": ["1.2亿元", "3400万股", "5"], "x": [1, 2, 3]})
    assert (cells.column("v").kind, cells.column("v").sum, "units_vary" in codes(cells)) == (
        "text",
        None,
        True,
    )


def test_infinity_is_in_no_statistic():
    found = describe_dataset({"x": [1.0, np.inf, -np.inf, np.nan, 3.0]})
    facts = found.column("x")
    assert (facts.min, facts.max, facts.mean, facts.count, facts.non_finite) == (1.0, 3.0, 2.0, 2, 2)
    assert facts.nulls == 1
