"""Roles are told from names and values; the user's word wins."""

import datetime as dt

import numpy as np
import pyarrow as pa
import pytest

from capital_kit.datasets import Column, Dataset, Source, describe_dataset
from capital_kit.errors import DatasetError

N = 20
DAYS = [dt.date(2024, 1, 1) + dt.timedelta(n) for n in range(N)]
OPEN = [10 + 0.1 * n for n in range(N)]
CLOSE = [10.05 + 0.1 * n for n in range(N)]
HIGH = [10.2 + 0.1 * n for n in range(N)]
LOW = [9.9 + 0.1 * n for n in range(N)]
VOLUME = [1000 + n for n in range(N)]
TYPES = {"date": pa.date32(), "number": pa.float64(), "integer": pa.int64(), "percent": pa.float64(),
         "boolean": pa.bool_()}  # fmt: skip


def dataset(columns, units=None):
    """Build a dataset of ``{name: (values, kind)}``."""
    return Dataset(
        table=pa.table({n: pa.array(v, TYPES.get(kind, pa.string())) for n, (v, kind) in columns.items()}),
        columns=tuple(
            Column(name=n, header=n, kind=kind, unit=(units or {}).get(n)) for n, (_, kind) in columns.items()
        ),
        source=Source(format="frame", label="t"),
    )


def bars(names, **extra):
    values = (DAYS, OPEN, HIGH, LOW, CLOSE, VOLUME)
    kinds = ("date", "number", "number", "number", "number", "integer")
    return {name: (v, kind) for name, v, kind in zip(names, values, kinds, strict=True)} | extra


def roles_of(columns, units=None, **options):
    return describe_dataset(dataset(columns, units), **options).roles


@pytest.mark.parametrize(
    "names",
    [
        ["trade_date", "open", "high", "low", "close", "vol"],
        ["日期", "开盘", "最高", "最低", "收盘", "成交量"],
        ["交易日期", "开盘价", "最高价", "最低价", "收盘价", "总手"],
        ["交易日期", "开盘价(元)", "最高价(元)", "最低价(元)", "收盘价(元)", "成交量(手)"],
        ["date_ms", "open_price", "high_price", "low_price", "close_price", "volume"],
        ["TIME", "OPEN", "HIGH", "LOW", "MATCH", "VOLUME"],
        ["Date", "Open", "High", "Low", "Close", "Volume"],
        ["Time", "Open", "High", "Low", "Last", "Volume"],
        ["timestamp", "1. open", "2. high", "3. low", "4. close", "5. volume"],
        ["日期", "OPEN", "HIGH", "LOW", "CLOSE", " Vol. "],
    ],
)
def test_prices_and_volume_are_known_by_many_names(names):
    roles = roles_of(bars(names))
    assert roles.time == names[0]
    assert roles.ohlc == dict(zip(("open", "high", "low", "close"), names[1:5], strict=True))
    assert roles.volume == names[5]
    assert set(roles.evidence) == {"time", "ohlc", "volume"}


def test_the_adjusted_close_is_not_the_close():
    names = ["Date", "Open", "High", "Low", "Close", "Volume"]
    columns = {"Adj Close": ([c / 2 for c in CLOSE], "number"), **bars(names)}
    assert roles_of(columns).ohlc["close"] == "Close"
    assert roles_of({name: v for name, v in columns.items() if name != "Close"}).ohlc is None


def test_names_alone_are_no_proof():
    columns = bars(["date", "open", "low", "high", "close", "volume"])
    card = describe_dataset(dataset(columns))
    assert card.roles.ohlc is None
    assert "ohlc" in card.roles.evidence
    notice = next(w for w in card.warnings if w.code == "ohlc_rejected")
    assert (notice.details["fine"], notice.details["rows"]) == (0, N)


@pytest.mark.parametrize(("wrong", "accepted"), [(1, True), (2, False)])
def test_nineteen_of_twenty_bars_are_enough(wrong, accepted):
    columns = bars(["date", "open", "high", "low", "close", "volume"])
    columns["high"] = ([1.0] * wrong + HIGH[wrong:], "number")
    card = describe_dataset(dataset(columns))
    assert (card.roles.ohlc is not None) == accepted
    assert card.quality.ohlc_violations == (wrong if accepted else None)


def test_incomplete_bars_prove_nothing():
    columns = bars(["date", "open", "high", "low", "close", "volume"])
    columns["high"] = ([None] * N, "number")
    assert roles_of(columns).ohlc is None


def test_prices_in_different_units_are_no_bars():
    columns = bars(["date", "open", "high", "low", "close", "volume"])
    card = describe_dataset(dataset(columns, {"open": "元", "high": "美元"}))
    assert card.roles.ohlc is None
    assert [w.code for w in card.warnings] == ["ohlc_units_differ"]


def test_text_is_no_price():
    columns = bars(["date", "open", "high", "low", "close", "volume"])
    columns["open"] = (["a"] * N, "text")
    assert roles_of(columns).ohlc is None


@pytest.mark.parametrize("name", ["换手率", "turnover_rate", "volume_ratio", "量比", "成交笔数"])
def test_a_rate_is_no_volume(name):
    assert roles_of({"日期": (DAYS, "date"), name: (OPEN, "number")}).volume is None


@pytest.mark.parametrize(
    ("turnover", "amount"),
    [
        ([v * c for v, c in zip(VOLUME, CLOSE, strict=True)], "turnover"),
        ([100 * v * c for v, c in zip(VOLUME, CLOSE, strict=True)], "turnover"),
        ([0.003 + n / 1e5 for n in range(N)], None),
    ],
)
def test_the_size_of_turnover_tells_value_from_rate(turnover, amount):
    columns = bars(["date", "open", "high", "low", "close", "volume"], turnover=(turnover, "number"))
    assert roles_of(columns).amount == amount


def test_the_unit_of_turnover_tells_it_too():
    columns = {"date": (DAYS, "date"), "turnover": (OPEN, "number")}
    assert roles_of(columns).amount is None
    assert roles_of(columns, {"turnover": "万元"}).amount == "turnover"


@pytest.mark.parametrize("name", ["成交额", "amount", "成交金额", "Money"])
def test_amount_is_known_by_name(name):
    assert roles_of({name: (OPEN, "number")}).amount == name


@pytest.mark.parametrize("name", ["ts_code", "thscode", "symbol", "证券代码", "代码"])
def test_a_code_column_is_the_entity(name):
    columns = {"date": (DAYS[:10] * 2, "date"), name: (["600000.SH"] * 10 + ["600001.SH"] * 10, "code")}
    assert roles_of(columns).entity == {"column": name, "distinct": 2, "panel": True}


def test_one_entity_is_no_panel():
    roles = roles_of({"date": (DAYS, "date"), "代码": (["600000"] * N, "code"), "x": (OPEN, "number")})
    assert roles.entity == {"column": "代码", "distinct": 1, "panel": False}
    assert roles.categories == ()


def test_the_surer_code_column_wins():
    codes = [f"{n:06}" for n in range(N)]
    roles = roles_of({"行业代码": (codes, "code"), "股票代码": (codes, "code")})
    assert roles.entity["column"] == "股票代码"


def test_a_text_that_makes_times_unique_is_the_entity():
    columns = {
        "地区": (["北京", "上海"] * 10, "text"),
        "备注": (["甲"] * 19 + ["乙"], "text"),
        "year": ([DAYS[n // 2] for n in range(N)], "date"),
        "gdp": (OPEN, "number"),
    }
    assert roles_of(columns).entity == {"column": "地区", "distinct": 2, "panel": True}


def test_categories_repeat_and_are_few():
    columns = {
        "行业": (["银行", "证券"] * 10, "text"),
        "名称": ([f"n{n}" for n in range(N)], "text"),
        "停牌": ([True, False] * 10, "boolean"),
        "市场": (["沪"] * N, "text"),
    }
    assert roles_of(columns).categories == ("行业", "停牌")


def test_measures_leave_out_times_codes_row_numbers_and_constants():
    columns = {
        "序号": (list(range(1, N + 1)), "integer"),
        "代码": ([f"{n:06}" for n in range(N)], "code"),
        "价格": (OPEN, "number"),
        "倍数": ([1.0] * N, "number"),
        "空列": ([None] * N, "number"),
    }
    card = describe_dataset(dataset(columns))
    assert card.roles.measures == ("价格",)
    assert card.column("序号").role == "id"
    assert card.column("代码").role == "entity"


@pytest.mark.parametrize(
    ("columns", "time"),
    [
        ({"上市日期": DAYS, "日期": DAYS}, "日期"),
        ({"更新日期": DAYS, "某日": DAYS}, "某日"),
        ({"日期": [None] * 10 + DAYS[10:], "某日": DAYS}, "某日"),
        ({"date_ms": DAYS, "date": DAYS}, "date"),
        ({"甲日": DAYS[:5] * 4, "乙日": DAYS}, "乙日"),
        ({"公告日": DAYS}, "公告日"),
        ({"快照日": [DAYS[0]] * N}, None),
    ],
)
def test_the_time_column_is_chosen_by_name_then_coverage(columns, time):
    assert roles_of({name: (values, "date") for name, values in columns.items()}).time == time


def test_the_user_decides():
    columns = bars(["date", "open", "high", "low", "close", "volume"], 后复权=(CLOSE, "number"))
    roles = roles_of(columns, roles={"close": "后复权", "volume": None, "entity": None})
    assert roles.ohlc["close"] == "后复权"
    assert roles.volume is None
    assert roles_of(columns, roles={"time": None}).time is None
    wrong = {"open": "open", "high": "low", "low": "high", "close": "close"}
    card = describe_dataset(dataset(columns), roles=wrong)
    assert card.roles.ohlc == wrong
    assert card.quality.ohlc_violations == N


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ({"time_column": "nope"}, "dataset_column_not_found"),
        ({"primary_key": ["date", "nope"]}, "dataset_column_not_found"),
        ({"roles": {"close": "nope"}}, "dataset_column_not_found"),
        ({"roles": {"clsoe": "close"}}, "dataset_role_invalid"),
        ({"roles": {"close": "date"}}, "dataset_role_invalid"),
        ({"time_column": "close"}, "dataset_role_invalid"),
    ],
)
def test_a_wrong_decision_is_refused(options, code, language):
    with pytest.raises(DatasetError) as caught:
        roles_of(bars(["date", "open", "high", "low", "close", "volume"]), **options)
    assert caught.value.code == code
    assert caught.value.hint


def test_series_groups_share_unit_and_magnitude():
    rng = np.random.default_rng(1)
    sizes = {"a": 10, "big": 1e6, "b": 150, "c": 3000, "other": 12}
    values = {name: (rng.normal(size, size / 10, N).tolist(), "number") for name, size in sizes.items()}
    values["b"][0][0] = None
    groups = describe_dataset(dataset(values, {"other": "%"})).series_groups
    assert [(group.columns, group.unit, group.shared_points) for group in groups] == [
        (("a", "b"), None, N - 1)
    ]


def test_points_count_distinct_times_with_a_value():
    columns = {
        "date": ([*DAYS[:10], *DAYS[:10]], "date"),
        "half": ([*OPEN[:5], *[None] * 5, *OPEN[:3], *[None] * 7], "number"),
        "full": (OPEN, "number"),
    }
    card = describe_dataset(dataset(columns))
    assert (card.column("half").points, card.column("full").points, card.column("date").points) == (
        5,
        10,
        None,
    )
    assert describe_dataset(dataset({"full": columns["full"]})).column("full").points is None


# confidence ------------------------------------------------------------------------------------

BARS = ["date", "open", "high", "low", "close", "volume"]


def confidence_of(columns, units=None, **options):
    return roles_of(columns, units, **options).confidence


def test_names_whose_values_agree_are_certain():
    assert confidence_of(bars(BARS, 代码=(["600519"] * N, "code"))) == {
        "time": 1.0, "ohlc": 1.0, "volume": 1.0, "entity": 1.0,
    }  # fmt: skip


def test_every_role_with_a_column_has_a_confidence_and_a_reason():
    amount = ([v * c for v, c in zip(VOLUME, CLOSE, strict=True)], "number")
    roles = roles_of(bars(BARS, amount=amount))
    assert set(roles.confidence) == set(roles.evidence) == {"time", "ohlc", "volume", "amount"}
    rejected = roles_of(bars(["date", "open", "low", "high", "close", "volume"]))
    assert "ohlc" in rejected.evidence
    assert "ohlc" not in rejected.confidence


def test_prices_are_as_sure_as_their_bars_are_right():
    columns = bars(BARS)
    columns["high"] = ([1.0, *HIGH[1:]], "number")
    assert confidence_of(columns)["ohlc"] == 0.95


@pytest.mark.parametrize(
    ("columns", "units", "role", "expected"),
    [
        ({"发生": (DAYS, "date"), "x": (OPEN, "number")}, None, "time", 0.6),
        ({"日期": (DAYS, "date"), "成交量": ([-1, *VOLUME[1:]], "integer")}, None, "volume", 0.8),
        ({"日期": (DAYS, "date"), "成交额": (OPEN, "number")}, None, "amount", 0.8),
        ({"日期": (DAYS, "date"), "成交额": (OPEN, "number")}, {"成交额": "万元"}, "amount", 1.0),
        ({"日期": (DAYS, "date"), "turnover": (OPEN, "number")}, {"turnover": "元"}, "amount", 0.8),
        ({"日期": (DAYS, "date"), "symbol": (["AAPL"] * N, "text")}, None, "entity", 0.8),
        ({"日期": (DAYS, "date"), "品种": (["600519"] * N, "code")}, None, "entity", 0.6),
        ({"日期": (DAYS[:10] * 2, "date"), "地区": (["京"] * 10 + ["沪"] * 10, "text")}, None, "entity", 0.6),
    ],
)
def test_a_name_alone_or_values_alone_are_less_sure(columns, units, role, expected):
    assert confidence_of(columns, units)[role] == expected


def test_what_the_user_says_is_certain():
    columns = bars(BARS, other=(OPEN, "number"), 地区=(["京"] * N, "text"))
    told = {
        "time": "date", "open": "open", "high": "high", "low": "low", "close": "other", "volume": "other",
        "amount": "other", "entity": "地区",
    }  # fmt: skip
    certain = dict.fromkeys(("time", "ohlc", "volume", "amount", "entity"), 1.0)
    assert confidence_of(columns, roles=told) == certain


def test_one_stated_unit_does_not_contradict_prices_without_units():
    assert roles_of(bars(BARS), {"close": "元"}).ohlc is not None
