"""The record as a whole, from the data to strict JSON."""

import datetime as dt
import json
import math

import pyarrow as pa
import pytest

from capital_kit.datasets import Column, Dataset, Source, describe_dataset
from capital_kit.datasets._describe import _measure_all

N = 12
DAYS = [dt.date(2024, 1, 1) + dt.timedelta(n) for n in range(N)]
TYPES = {"date": pa.date32(), "number": pa.float64(), "integer": pa.int64(), "boolean": pa.bool_()}


def dataset(columns, **options):
    return Dataset(
        table=pa.table({n: pa.array(v, TYPES.get(kind, pa.string())) for n, (v, kind) in columns.items()}),
        columns=tuple(Column(name=name, header=name, kind=kind) for name, (_, kind) in columns.items()),
        source=Source(format="csv", label="bars.csv"),
        **options,
    )


def bars():
    close = [10 + 0.1 * n for n in range(N)]
    return {
        "代码": (["000001"] * N, "code"),
        "日期": (DAYS, "date"),
        "开盘": (close, "number"),
        "最高": ([c + 0.1 for c in close], "number"),
        "最低": ([c - 0.1 for c in close], "number"),
        "收盘": (close, "number"),
        "成交量": ([100 * n for n in range(N)], "integer"),
    }


def test_daily_bars_are_understood_at_once():
    card = describe_dataset(dataset(bars()))
    assert card.rows == N
    assert [column.role for column in card.columns] == [
        "entity",
        "time",
        "open",
        "high",
        "low",
        "close",
        "volume",
    ]
    assert card.time_axis.frequency == "day"
    assert (card.time_axis.start, card.time_axis.end) == ("2024-01-01", "2024-01-12")
    assert card.quality.ohlc_violations == 0
    assert card.column("成交量").sum == 6600
    assert card.series_groups[0].columns == ("开盘", "最高", "最低", "收盘")
    assert repr(card) == "Description('bars.csv', 12 rows × 7 columns, day 2024-01-01…2024-01-12)"


def test_the_record_is_strict_json():
    columns = {**bars(), "wild": ([math.nan, math.inf, 1e308, 1e308] * 3, "number")}
    record = describe_dataset(dataset(columns)).to_dict()
    text = json.dumps(record, allow_nan=False, ensure_ascii=False)
    assert json.loads(text) == record
    assert list(record) == [
        "dataset_id", "profile_ref", "shape", "rows", "columns", "time_axis", "roles", "quality",
        "series_groups", "source", "warnings",
    ]  # fmt: skip


def test_the_same_data_give_the_same_record():
    one, two = (describe_dataset(dataset(bars())).to_dict() for _ in range(2))
    assert one == two


def test_threads_change_nothing(monkeypatch):
    before = describe_dataset(dataset(bars())).columns
    monkeypatch.setattr("capital_kit.datasets._describe._THREADED_CELLS", 0)
    assert describe_dataset(dataset(bars())).columns == before
    assert list(_measure_all(dataset(bars()))) == list(bars())


@pytest.mark.parametrize("rows", [0, 1, 2])
def test_very_short_tables(rows):
    card = describe_dataset(dataset({name: (v[:rows], kind) for name, (v, kind) in bars().items()}))
    assert card.rows == rows
    assert (card.time_axis is None) == (rows == 0)
    assert ([w.code for w in card.warnings] == ["no_rows"]) == (rows == 0)
    assert json.dumps(card.to_dict(), allow_nan=False)


def test_a_table_without_columns():
    card = describe_dataset(dataset({}))
    assert (card.columns, card.time_axis, card.warnings[0].code) == ((), None, "no_rows")


def test_a_document_has_no_roles():
    leaves = {"path": (["a", "b", "b"], "text"), "value": (["1", "2", "2"], "text")}
    card = describe_dataset(dataset(leaves, shape="document"))
    assert card.roles.categories == ()
    assert card.time_axis is None


def test_two_thousand_columns():
    card = describe_dataset(dataset({f"c{n}": ([float(n), 1.0 + n], "number") for n in range(2000)}))
    assert len(card.columns) == len(card.roles.measures) == 2000
    assert "c39" in card._repr_html_()
    assert len(card._repr_html_()) < 100_000


def test_the_frame_has_one_row_a_column():
    frame = describe_dataset(dataset(bars())).to_frame()
    assert list(frame["name"]) == list(bars())
    assert frame.loc[frame["name"] == "成交量", "role"].item() == "volume"


def test_card_of_a_description(language):
    columns = {**bars(), "停牌": ([True, False] * 6, "boolean"), "价差": ([None] * 11 + [1.0], "number")}
    html = describe_dataset(dataset(columns))._repr_html_()
    assert html.startswith("<section")
    assert html.count("<tr") == 1 + len(columns) + 1 + 4
    assert html.count("<svg") == 5
    assert "bars.csv" in html
    assert "2024-01-01 … 2024-01-12" in html
    assert "color:" not in html.replace("currentColor", "")


def test_card_of_a_dataset(language):
    html = dataset(bars())._repr_html_()
    assert "000001" in html
    assert "CSV" in html
    assert html.count("2024-01-0") == 5


@pytest.mark.parametrize("columns", [{}, {"x": ([], "number")}, {"x": ([None], "empty")}])
def test_cards_of_nothing(columns, language):
    assert dataset(columns)._repr_html_()
    assert describe_dataset(dataset(columns))._repr_html_()


def test_cards_escape_what_comes_from_outside():
    evil = "<script>alert(1)</script>"
    columns = {
        evil: ([evil, evil, "x"], "text"),
        "日期": (DAYS[:3], "date"),
        "x": ([1.0, 2.0, 3.0], "number"),
    }
    data = Dataset(
        table=dataset(columns).table,
        columns=tuple(
            Column(name=c.name, header=evil + c.name, kind=c.kind, unit=evil)
            for c in dataset(columns).columns
        ),
        source=Source(format="csv", label=evil, encoding=evil, delimiter=evil, sheet=evil),
    )
    for html in (data._repr_html_(), describe_dataset(data)._repr_html_()):
        assert "<script" not in html
        assert "&lt;script&gt;" in html


def test_wide_cards_say_what_they_leave_out(language):
    data = dataset({f"c{n}": ([1.0, 2.0], "number") for n in range(45)})
    html = describe_dataset(data)._repr_html_()
    assert html.count("<svg") == 40
    assert "c44" in html
    assert "+33" in data._repr_html_()


def test_latest_is_the_value_at_the_last_time_not_in_the_last_row():
    found = describe_dataset({"day": ["2024-01-03", "2024-01-02"], "v": [2.5, 1.5], "name": ["b", "a"]})
    assert (found.column("v").last, found.column("v").latest) == (1.5, 2.5)
    assert found.column("name").latest is None
    panel = describe_dataset({"day": ["2024-01-03"] * 2, "code": ["000001", "000002"], "v": [2.5, 1.5]})
    assert panel.column("v").latest is None


def test_ranks_are_no_measures():
    found = describe_dataset({"name": ["a", "b", "c"], "rank": [1, 2, 3], "sales": [3.5, 2.5, 1.5]})
    assert found.column("rank").role == "rank"
    assert found.roles.measures == ("sales",)


def test_head_gives_a_frame_of_the_first_rows():
    data = dataset(bars())
    assert data.head(3)["收盘"].tolist() == pytest.approx([10, 10.1, 10.2])
    assert len(data.head()) == 5
