"""From a decision to chart specifications: at most four, in order, none twice."""

import datetime as dt

import pandas as pd
import pytest

import capital_kit as ck
from capital_kit.charts._aggregate import aggregate
from capital_kit.charts._gate import decide_visualization
from capital_kit.charts._plan import plan_charts, window_words
from capital_kit.charts._window import of_a_year, window_range

N = 40


def days(n):
    return [dt.date(2024, 1, 1) + dt.timedelta(days=i) for i in range(n)]


@pytest.fixture(scope="module")
def bars():
    close = [10 + (i % 5) for i in range(N)]
    return ck.describe_dataset(pd.DataFrame({
        "date": days(N), "open": close, "high": [c + 1 for c in close], "low": [c - 1 for c in close],
        "close": close, "volume": [1000.5 * (i % 7 + 1) for i in range(N)],
    }))  # fmt: skip


@pytest.fixture(scope="module")
def snapshot():
    return ck.describe_dataset(pd.DataFrame({
        "名称": [f"股票{chr(0x4E00 + i)}" for i in range(N)],
        "行业": [f"行业{'甲乙丙丁'[i % 4]}" for i in range(N)],
        "市值": [float((i * 37) % 101) for i in range(N)],
    }))  # fmt: skip


@pytest.fixture(scope="module")
def panel():
    frames = [
        pd.DataFrame({"date": days(8), "symbol": symbol, "close": [base + i % 3 for i in range(8)]})
        for symbol, base in (("600519", 1500.5), ("000001", 10.5), ("300750", 200.5))
    ]
    return ck.describe_dataset(pd.concat(frames))


def plans(data, question="", **keys):
    return plan_charts(decide_visualization(data, question=question, **keys), data)


def test_bars_unasked_are_one_chart_with_a_volume_pane(bars):
    (plan,) = plans(bars)
    assert plan["kind"] == "candlestick"
    assert plan["ohlc"] == {part: part for part in ("open", "high", "low", "close")}
    assert (plan["x"], plan["volume"], plan["role"], plan["covers"]) == ("date", "volume", "main", ["volume"])


@pytest.mark.parametrize("question", ["近一个月走势和成交量", "近一个月的 K 线和成交量"])
def test_candles_tell_the_trend_of_prices_and_the_volume(bars, question):
    (first,) = plans(bars, question)
    assert (first["view"], first["role"], first["volume"]) == ("ohlc", "requested", "volume")
    assert first["range"] == {"from": "2024-01-10"}


def test_a_window_without_data_is_told_and_not_written_into_titles(bars):
    gate = decide_visualization(bars, "2019年走势")
    assert [notice.code for notice in gate.warnings] == ["window_outside"]
    for plan in plan_charts(gate, bars):
        assert "2019" not in plan["title"]
        assert "range" not in plan


@pytest.mark.parametrize(("question", "n"), [("top 3 by close", 3), ("前十排名", 10), ("排名", 20)])
def test_a_ranking_has_as_many_as_were_asked(snapshot, question, n):
    ranking = next(plan for plan in plans(snapshot, question) if plan["view"] == "ranking")
    assert ranking["table"]["top"] == n


def test_a_named_column_is_drawn_first_and_as_it_was_asked(bars):
    first, second = plans(bars, "近一个月 close 走势")
    assert (first["view"], first["role"], first["series"]) == ("trend", "requested", ["close"])
    assert (second["view"], second["role"]) == ("ohlc", "explaining")
    assert first["range"] == second["range"] == {"from": "2024-01-10"}


@pytest.fixture(scope="module")
def ranked():
    return ck.describe_dataset(pd.DataFrame({
        "日期": days(N), "排名": [1 + i % 7 for i in range(N)], "涨幅": [0.5 + i % 5 for i in range(N)],
    }))  # fmt: skip


def test_a_rank_is_drawn_only_where_it_is_named(ranked):
    assert [plan["series"] for plan in plans(ranked, "走势")] == [["涨幅"]]
    assert ["排名"] in [plan.get("series") for plan in plans(ranked, "排名走势")]


def test_a_table_of_nothing_but_ranks_is_drawn_all_the_same():
    data = ck.describe_dataset(
        pd.DataFrame({"日期": days(N), "排名": [1 + i % 7 for i in range(N)], "常数": [2.5] * N})
    )
    assert [plan["series"] for plan in plans(data, "走势")] == [["排名"]]


def test_what_is_ranked_or_binned_is_the_measure_and_not_the_rank_that_is_named():
    data = ck.describe_dataset(pd.DataFrame({
        "名称": [f"股票{chr(0x4E00 + i)}" for i in range(N)], "排名": [1 + i % 39 for i in range(N)],
        "市值": [float((i * 37) % 101) for i in range(N)],
    }))  # fmt: skip
    assert plans(data, "排名")[0]["table"]["of"] == ["市值"]
    assert plans(data, "排名的分布")[-1]["table"]["of"] == "市值"


def test_the_end_of_a_title_tells_the_window(bars, language):
    (first, *_) = plans(bars, "2024年1月收盘价走势")
    assert first["window"].strip() == ("（2024-01）" if language == "zh" else "(2024-01)")
    assert first["title"].endswith(first["window"])
    assert plans(bars, "收盘价走势")[0]["window"] == ""


WORDS = [
    ("last_1_day", "近 1 天", "last day"),
    ("last_1_week", "近 1 周", "last week"),
    ("last_1_month", "近 1 个月", "last month"),
    ("last_1_year", "近 1 年", "last 12 months"),
    ("last_3_months", "近 3 个月", "last 3 months"),
    ("previous_year", "上一自然年", "previous calendar year"),
    ("2024-01/2024-06", "2024-01 至 2024-06", "2024-01 to 2024-06"),
    ("2024/", "2024 以来", "since 2024"),
    ("2024-05", "2024-05", "2024-05"),
]


@pytest.mark.parametrize(("window", "zh", "en"), WORDS)
def test_windows_are_said_as_people_say_them(window, zh, en, language):
    assert window_words(window) == {"zh": zh, "en": en}[language]


@pytest.mark.parametrize(
    ("window", "end", "expected"),
    [
        ("04/06", "2025-03-31", "2024-04/2024-06"),
        ("04/06", "2025-04-01", "2025-04/2025-06"),
        ("04/06", "2025-12", "2025-04/2025-06"),
        ("01/03", "2025Q1", "2025-01/2025-03"),
        ("2024-04/2024-06", "2025-03-31", "2024-04/2024-06"),
        ("last_1_year", "2025-03-31", "last_1_year"),
        (None, "2025-03-31", None),
        ("04/06", "no time", "04/06"),
    ],
)
def test_months_without_a_year_are_of_the_year_in_which_the_data_last_reach_them(window, end, expected):
    assert of_a_year(window, end) == expected


def test_named_columns_are_drawn(bars):
    assert plans(bars, "最低价走势")[0]["series"] == ["low"]
    assert plans(bars, "low over time")[0]["series"] == ["low"]


def test_different_units_get_charts_of_their_own():
    data = ck.describe_dataset(pd.DataFrame({
        "季度": [f"202{y}Q{q}" for y in (2, 3) for q in (1, 2, 3, 4)],
        "营收(亿元)": [84.5, 90.5, 101.5, 132.5, 88.5, 94.5, 110.5, 140.5],
        "同比(%)": [0.5, 0.2, -0.3, 0.4, 0.1, 0.3, 0.2, 0.6],
    }))  # fmt: skip
    found = plans(data)
    assert [plan["series"] for plan in found] == [["营收"], ["同比"]]
    assert {plan["kind"] for plan in found} == {"column"}


def test_more_than_six_series_are_never_put_in_one_chart():
    columns = {f"项目{chr(0x7532 + i)}": [float(i + j + 5) for j in range(N)] for i in range(9)}
    data = ck.describe_dataset(pd.DataFrame({"date": days(N), **columns}))
    assert all(len(plan["series"]) <= 6 for plan in plans(data, "走势对比"))


def test_panel_draws_one_column_for_all_instruments(panel):
    first = plans(panel, "走势")[0]
    assert (first["kind"], first["series"], first.get("volume")) == ("line", ["close"], None)


def test_panel_ranking_takes_the_latest_day(panel):
    plan = plans(panel, "收盘价排名")[0]
    assert plan["table"]["latest"]
    derived, drawn = aggregate(panel.dataset, plan["table"])
    assert drawn == {"x": "symbol", "series": ["close"]}
    assert derived.table.column("symbol").to_pylist() == ["600519", "300750", "000001"]
    assert derived.table.column("close").to_pylist() == [1501.5, 201.5, 11.5]


def test_ranking_shows_the_largest_of_many_labels(snapshot):
    plan = plans(snapshot, "市值排名")[0]
    assert (plan["view"], plan["table"]["by"], plan["table"]["mean"]) == ("ranking", "名称", False)
    derived, _ = aggregate(snapshot.dataset, plan["table"])
    values = derived.table.column("市值").to_pylist()
    all_values = snapshot.dataset.table.column("市值").to_pylist()
    assert values == sorted(all_values, reverse=True)[:20]
    assert "20" in plan["title"]


def test_groups_that_repeat_are_averaged_and_the_title_says_so(language):
    data = ck.describe_dataset(
        pd.DataFrame({"行业": list("甲乙丙") * 4, "市盈率": [float(i) for i in range(12)]})
    )
    plan = plans(data, "排名")[0]
    derived, _ = aggregate(data.dataset, plan["table"])
    assert derived.table.to_pylist() == [
        {"行业": "丙", "市盈率": 6.5}, {"行业": "乙", "市盈率": 5.5}, {"行业": "甲", "市盈率": 4.5},
    ]  # fmt: skip
    assert ("平均" if language == "zh" else "Mean") in plan["title"]


def test_bins_count_every_number_once(snapshot):
    plan = plans(snapshot, "市值分布")[0]
    derived, drawn = aggregate(snapshot.dataset, plan["table"])
    counts = derived.table.column(drawn["series"][0]).to_pylist()
    assert sum(counts) == N
    assert len(set(derived.table.column(drawn["x"]).to_pylist())) == len(counts) == 20


def test_bins_keep_to_the_window(bars):
    plan = plans(bars, "2024年2月收盘价分布")[0]
    derived, drawn = aggregate(bars.dataset, plan["table"])
    assert sum(derived.table.column(drawn["series"][0]).to_pylist()) == N - 31
    assert "range" not in plan


def test_empty_window_is_an_error_not_a_chart_of_zeros(bars):
    plan = plans(bars, "收盘价分布")[0]
    with pytest.raises(ck.ChartError) as caught:
        aggregate(bars.dataset, {**plan["table"], "range": {"from": "2019", "to": "2019"}})
    assert caught.value.code == "chart_no_rows"


@pytest.mark.parametrize(
    "question", ["", "走势、对比、成交量、分布、排名、K线", "走势和分布", "对比", "k线", "排名"]
)
@pytest.mark.parametrize("name", ["bars", "snapshot", "panel"])
def test_never_more_than_four_and_none_twice(name, question, request):
    data = request.getfixturevalue(name)
    gate = decide_visualization(data, question=question, chart_requested=True)
    found = plan_charts(gate, data)
    assert (gate.decision == "recommended") == (1 <= len(found) <= 4)
    told = [
        (plan.get("x"), plan.get("table") and str(plan["table"]), tuple(plan.get("series", ())), plan["kind"])
        for plan in found
    ]
    assert len(set(told)) == len(told)
    roles = [plan["role"] for plan in found]
    assert roles == sorted(roles, key=["requested", "main", "explaining", "risk", "extra"].index)
    assert all(plan["title"] for plan in found)


def test_only_a_recommended_decision_is_planned():
    data = ck.describe_dataset([{"市值": 1.5}])
    assert plans(data) == ()


@pytest.mark.parametrize(
    ("window", "end", "expected"),
    [
        (None, "2024-06-28", None),
        ("last_1_year", "2024-06-28", {"from": "2023-06-29"}),
        ("last_3_months", "2024-05-31", {"from": "2024-03-01"}),
        ("last_1_month", "2024-03-31", {"from": "2024-03-01"}),
        ("last_3_days", "2024-03-01", {"from": "2024-02-28"}),
        ("last_2_weeks", "2024-01-14", {"from": "2024-01-01"}),
        ("last_12_months", "2024-06", {"from": "2023-07-01"}),
        ("last_1_year", "2024-06-28 15:00", {"from": "2023-06-29"}),
        ("last_1_year", "2024Q2", {"from": "2023-07-01"}),
        ("last_9999_years", "2024-06-28", {"from": "1900-01-01"}),
        ("last_9999_days", "2024-06-28", {"from": "1997-02-12"}),
        ("ytd", "2024-06-28", {"from": "2024-01-01"}),
        ("previous_year", "2024-06-28", {"from": "2023", "to": "2023"}),
        ("2024", "2024-06-28", {"from": "2024", "to": "2024"}),
        ("2024-05", "2024-06-28", {"from": "2024-05", "to": "2024-05"}),
        ("2023/2024-03", "2024-06-28", {"from": "2023", "to": "2024-03"}),
        ("2023-06/", "2024-06-28", {"from": "2023-06"}),
        ("ytd", "no time", None),
    ],
)
def test_window_counts_back_from_the_last_time_of_the_data(window, end, expected):
    assert window_range(window, end) == expected
