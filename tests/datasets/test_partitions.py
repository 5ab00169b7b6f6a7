"""Data in partitions through the public door: files larger than memory, streams, what is said of them."""

import dataclasses
import datetime as dt
import json
import time
import tracemalloc

import numpy as np
import pyarrow as pa
import pyarrow.dataset
import pyarrow.parquet
import pytest

import capital_kit as ck
from capital_kit import ChartError, DatasetError, describe_dataset
from capital_kit.datasets import PartitionedDataset, _progress
from capital_kit.datasets._partitions import _engines, _from_states, _partitions, _row_state
from capital_kit.datasets._progress import watched


def codes(description):
    return [notice.code for notice in description.warnings]


def notice(description, code):
    return next(found for found in description.warnings if found.code == code)


def bars(rows=1200):
    generator = np.random.default_rng(5)
    days = np.array([np.datetime64("2018-01-01") + n for n in range(3 * rows)])
    days = days[np.is_busday(days)][: rows // 2]
    close = np.round(30 + generator.normal(0, 0.3, rows).cumsum(), 2)
    return pa.table({
        "代码": np.repeat(["600519.SH", "000001.SZ"], rows // 2),
        "日期": np.tile(days, 2).astype("datetime64[D]"),
        "开盘价": close, "最高价": close + 0.5, "最低价": close - 0.5, "收盘价": close + 0.1,
        "成交量(手)": generator.integers(1, 10**6, rows), "备注": pa.array([None] * (rows - 1) + ["除权"]),
    })  # fmt: skip


@pytest.fixture
def small(monkeypatch):
    """Make the partitions so small that a short table has many."""
    monkeypatch.setattr(_engines, "PART_ROWS", (1, 100))
    monkeypatch.setattr(_engines, "EXACT_ROWS", 150)


@pytest.fixture
def path(tmp_path):
    file = tmp_path / "日线.parquet"
    pa.parquet.write_table(bars(), file, row_group_size=250)
    return file


def facts(description):
    """Return a record without what depends on how the rows were read."""
    record = description.to_dict()
    for key in ("dataset_id", "profile_ref", "source", "warnings"):
        del record[key]
    return record


# ways in -----------------------------------------------------------------------------------


def test_parquet_is_described_row_group_by_row_group(path, small):
    whole, parts = describe_dataset(path), describe_dataset(path, partitioned=True)
    assert isinstance(parts.dataset, PartitionedDataset)
    assert (parts.rows, parts.source.format, parts.source.label) == (1200, "parquet", "日线.parquet")
    assert parts.time_axis == whole.time_axis
    assert parts.roles == whole.roles
    assert parts.column("成交量(手)" if "成交量(手)" in parts.dataset.names else "成交量").unit == "手"
    for name in parts.dataset.names:
        one, other = parts.column(name), whole.column(name)
        for fact in (
            "kind",
            "count",
            "nulls",
            "distinct",
            "min",
            "max",
            "first",
            "last",
            "top",
            "points",
            "p50",
        ):
            assert getattr(one, fact) == getattr(other, fact), (name, fact)
    assert notice(parts, "partitioned").details["rows"] == 1200
    assert json.loads(json.dumps(parts.to_dict()))["rows"] == 1200


def test_large_parquet_takes_the_partitioned_way_by_itself(path, monkeypatch):
    assert not isinstance(describe_dataset(path).dataset, PartitionedDataset)
    monkeypatch.setattr(_engines, "PARTITIONED_MIB", 0)
    assert isinstance(describe_dataset(path).dataset, PartitionedDataset)
    assert not isinstance(describe_dataset(path, partitioned=False).dataset, PartitionedDataset)


def table_of(rows):
    return pa.table({"x": np.arange(rows) * 1.5, "w": [f"词{n % 7}" for n in range(rows)]})


def streams(table):
    batches = table.to_batches(max_chunksize=33)
    return {
        "table": table,
        "dataset": pa.dataset.dataset(table),
        "stream": pa.RecordBatchReader.from_batches(table.schema, batches),
    }


@pytest.mark.parametrize("way", ["table", "dataset", "stream"])
@pytest.mark.parametrize("rows", [1, 99, 100, 101, 640])
def test_arrow_in_partitions(way, rows, small):
    table = table_of(rows)
    parts = describe_dataset(streams(table)[way], partitioned=True)
    whole = describe_dataset(table)
    assert isinstance(parts.dataset, PartitionedDataset)
    assert facts(parts)["columns"] == facts(whole)["columns"]
    assert parts.dataset.head(2).equals(whole.dataset.head(2))


@pytest.mark.parametrize("way", ["dataset", "stream"])
@pytest.mark.parametrize("rows", [0, 1, 150])
def test_few_rows_are_described_in_memory(way, rows, small):
    table = table_of(rows)
    found = describe_dataset(streams(table)[way])
    assert not isinstance(found.dataset, PartitionedDataset)
    assert facts(found) == facts(describe_dataset(table))
    assert found.dataset.fingerprint == describe_dataset(table).dataset.fingerprint


def test_a_folder_of_parts_has_the_columns_of_its_folders(tmp_path, small):
    folder = tmp_path / "bars"
    for year, rows in ((2023, 120), (2024, 230)):
        place = folder / f"year={year}"
        place.mkdir(parents=True)
        table = table_of(rows) if year == 2023 else table_of(rows).append_column("late", pa.array([1] * rows))
        pa.parquet.write_table(table, place / "part-0.parquet")
    parts, whole = describe_dataset(folder, partitioned=True), describe_dataset(folder)
    assert parts.dataset.names == whole.dataset.names
    assert facts(parts)["columns"] == [{**c, "trend": None} for c in facts(whole)["columns"]]
    assert parts.time_axis == whole.time_axis
    assert parts.column("late").nulls == 120
    pattern = describe_dataset(str(folder / "*" / "*.parquet"), partitioned=True)
    assert (pattern.rows, pattern.column("x").count) == (350, 350)


@pytest.mark.parametrize("data", [{"x": [1]}, "a.csv", b"x\n1\n", [1, 2]])
def test_what_has_no_partitions_says_so(data):
    with pytest.raises(DatasetError) as error:
        describe_dataset(data, partitioned=True)
    assert error.value.code == "dataset_not_partitioned"
    assert "Parquet" in error.value.hint


def test_a_damaged_file_is_named(tmp_path):
    file = tmp_path / "x.parquet"
    file.write_bytes(b"PAR1 nothing PAR1")
    with pytest.raises(DatasetError, match=r"x\.parquet") as error:
        describe_dataset(file, partitioned=True)
    assert error.value.code == "dataset_not_row_readable"


@pytest.mark.parametrize("way", [str, pa.dataset.dataset], ids=["file", "dataset"])
def test_a_damaged_row_group_in_the_middle_is_named(way, path, small):
    content = bytearray(path.read_bytes())
    begin = pa.parquet.read_metadata(path).row_group(3).column(2).data_page_offset
    content[begin + 30 : begin + 200] = bytes(170)
    path.write_bytes(content)
    with pytest.raises(DatasetError) as error:
        describe_dataset(way(path), partitioned=True)
    assert error.value.code == "dataset_not_row_readable"
    assert str(path.parent) not in str(error.value)


def test_an_empty_file_has_its_columns(tmp_path):
    file = tmp_path / "x.parquet"
    pa.parquet.write_table(table_of(0), file)
    found = describe_dataset(file, partitioned=True)
    assert (found.rows, found.dataset.names) == (0, ("x", "w"))


# kinds held to the first rows --------------------------------------------------------------


def parts_of(cells, name="值"):
    return describe_dataset(pa.table({name: cells}), partitioned=True)


@pytest.mark.parametrize(
    ("first", "later", "kind", "nulls"),
    [
        (["1.5"] * 100, ["2.5"] * 100, "number", 0),
        (["1.5"] * 100, ["甲"] * 100, "text", 0),
        (["1.5"] * 300, ["甲"] * 3, "number", 3),
        ([None] * 100, ["1.5"] * 100, "number", 100),
        ([None] * 100, [None] * 100, "empty", 200),
        (["7"] * 100, ["1.5"] * 100, "number", 0),
        (["2024-01-02"] * 100, ["2024-01-03"] * 100, "date", 0),
        (["2024-01-02"] * 100, ["某日"] * 100, "text", 0),
        (["甲"] * 100, ["2"] * 100, "text", 0),
        (["01/02/2024"] * 100, ["01/03/2024"] * 100, "text", 0),
        (["1.2亿"] * 100, ["3.4亿"] * 100, "number", 0),
        (["12元"] * 100, ["34美元"] * 100, "text", 0),
        (["停牌"] * 50 + ["1.5"] * 50, ["停牌"] * 100, "number", 150),
        # Read as the kind of the first rows, each of these later cells would say something else.
        (["600519"] * 400, ["000001"], "code", 0),
        (["5"] * 100, ["5%"] * 100, "text", 0),
        (["5%"] * 100, ["5"] * 100, "text", 0),
        (["5%"] * 100, ["0"] * 100, "percent", 0),
        (["2024-01-02"] * 100, ["2024-03"] * 100, "text", 0),
        (["2024-01-02"] * 100, ["2024"] * 100, "text", 0),
        (["2024-01"] * 100, ["2024-03-17"] * 100, "text", 0),
        (["2024-01-02"] * 100, ["2024-03-17 09:30:15"] * 100, "datetime", 0),
        (["2024-03-17 09:30:15"] * 100, ["2024-01-02"] * 100, "datetime", 0),
        (["7"] * 100, ["5%", "6"] * 50, "text", 0),
        (["7"] * 100, ["12345678901234567890"] * 100, "code", 0),
    ],
)
def test_kinds_of_later_rows(first, later, kind, nulls, small):
    found = parts_of(pa.array([*first, *later], pa.string()))
    facts = found.column("值")
    assert (facts.kind, facts.nulls) == (kind, nulls)
    assert facts.count == len(first) + len(later) - nulls


def test_a_changed_kind_is_told(small):
    found = parts_of(pa.array(["1.5"] * 100 + ["甲"] * 100))
    assert notice(found, "kind_by_later_rows").details["columns"] == ["值"]
    assert found.column("值").top == (("1.5", 100), ("甲", 100))


def test_few_misfits_are_counted_and_told(small):
    found = parts_of(pa.array(["1.5"] * 300 + ["甲"] * 3))
    assert notice(found, "values_unfit").details == {"column": "值", "count": 3, "kind": "number"}


def test_a_stream_says_that_later_codes_are_no_numbers(small):
    table = pa.table({"值": ["600519"] * 300 + ["000001"]})
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=100))
    found = describe_dataset(reader, partitioned=True)
    facts = found.column("值")
    assert (facts.kind, facts.min, facts.nulls) == ("integer", 600519, 1)
    assert {"values_unfit", "decided_too_early"} <= {*codes(found)}


def test_means_that_no_float_holds_are_none(small):
    cells = np.linspace(-1, 1, 9000) * 1.7e308
    facts = describe_dataset(pa.table({"x": cells}), partitioned=True).column("x")
    assert json.dumps(dataclasses.asdict(facts), allow_nan=False)
    assert (facts.mean, facts.std, facts.min) == (None, None, -1.7e308)


def test_a_stream_keeps_its_kinds_and_says_what_did_not_fit(small):
    table = pa.table({"值": ["1.5"] * 100 + ["甲"] * 100})
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=100))
    found = describe_dataset(reader, partitioned=True)
    assert (found.column("值").kind, found.column("值").nulls) == ("number", 100)
    assert notice(found, "values_unfit").details["count"] == 100


def test_words_for_nothing_are_counted_over_all_rows(small):
    found = parts_of(pa.array((["停牌"] * 10 + ["1.5"] * 90) * 3))
    assert found.column("值").null_tokens == {"停牌": 30}
    assert notice(found, "words_as_missing").details["columns"] == ["值 30"]


def test_partitions_of_other_columns_are_refused():
    plan = _partitions.Plan(columns=ck.read_dataset({"a": [1], "b": [2]}).columns)
    with pytest.raises(DatasetError) as error:
        _partitions.partition_state(pa.table({"a": [1], "c": [2]}), plan)
    assert error.value.details == {"found": ["a", "c"], "expected": ["a", "b"]}


# facts about rows --------------------------------------------------------------------------


def test_impossible_bars_are_counted_and_shown_with_their_row(small):
    table = bars()
    high = table["最高价"].to_numpy().copy()
    high[[150, 151, 900]] = 1.0
    table = table.set_column(3, "最高价", pa.array(high))
    parts, whole = describe_dataset(table, partitioned=True), describe_dataset(table)
    assert parts.quality.ohlc_violations == 3
    assert [row for row, _ in parts.quality.ohlc_examples] == [150, 151, 900]
    assert parts.quality.ohlc_examples == whole.quality.ohlc_examples
    assert notice(parts, "ohlc_inconsistent") == notice(whole, "ohlc_inconsistent")
    assert parts.roles.confidence["ohlc"] == whole.roles.confidence["ohlc"]
    assert parts.roles.evidence == whole.roles.evidence


def test_prices_that_later_rows_disprove_are_no_prices(small):
    table = bars()
    high = table["最高价"].to_numpy().copy()
    high[600:] = 1.0
    found = describe_dataset(table.set_column(3, "最高价", pa.array(high)), partitioned=True)
    assert found.roles.ohlc is None
    assert found.quality.ohlc_violations is None
    assert notice(found, "ohlc_rejected").details["rows"] == 1200
    assert "ohlc" not in found.roles.confidence


def test_zero_prices_and_negative_volumes_keep_their_rows(small):
    table = bars()
    volume = table["成交量(手)"].to_numpy().copy()
    volume[[777, 800]] = -5
    low = table["最低价"].to_numpy().copy()
    low[430] = 0
    table = table.set_column(6, "成交量(手)", pa.array(volume)).set_column(4, "最低价", pa.array(low))
    parts, whole = describe_dataset(table, partitioned=True), describe_dataset(table)
    for code in ("zero_price", "negative_volume"):
        assert notice(parts, code) == notice(whole, code)


@pytest.mark.parametrize("key", [None, ["代码", "日期"], ["收盘价"]])
def test_repetitions_of_a_key(key, small):
    table = pa.concat_tables([bars(), bars().slice(500, 3)])
    parts = describe_dataset(table, primary_key=key, partitioned=True)
    whole = describe_dataset(table, primary_key=key)
    assert parts.quality.key == whole.quality.key
    assert parts.quality.key["duplicate_rows"] >= 3
    assert parts.quality.duplicate_rows is None
    assert "整行重复" in notice(parts, "not_measured").message


def test_keys_beyond_the_limit_are_unknown_not_zero(small, monkeypatch):
    monkeypatch.setattr(_row_state, "KEYS_MAX", 200)
    found = describe_dataset(bars(), primary_key=["收盘价", "日期"], partitioned=True)
    assert found.quality.key["duplicate_rows"] is None
    assert "键的重复" in notice(found, "not_measured").message
    assert "duplicate_key" not in codes(found)
    ordered = describe_dataset(bars(), partitioned=True)
    assert ordered.quality.key["duplicate_rows"] == 0, "rows in order of time need no list of keys"
    shuffled = bars().take(np.random.default_rng(0).permutation(1200))
    panel = describe_dataset(shuffled, partitioned=True)
    assert panel.time_axis.duplicates is None
    assert panel.time_axis.sorted == "no"
    assert panel._repr_html_()


def test_too_many_times_give_no_axis_and_say_so(small, monkeypatch):
    monkeypatch.setattr(_partitions, "TIMES_MAX", 300)
    found = describe_dataset(bars(), partitioned=True)
    assert found.time_axis is None
    assert found.roles.time == "日期"
    assert notice(found, "times_too_many").details == {"column": "日期", "limit": 300}
    assert found._repr_html_()


def test_points_and_ends_in_time_across_borders(small):
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=n) for n in range(250)]
    cells = [None if n in (0, 120, 249) else float(n) for n in range(250)]
    table = pa.table({"date": days, "a": cells, "b": np.arange(250.0)})
    parts, whole = describe_dataset(table, partitioned=True), describe_dataset(table)
    for name in ("a", "b"):
        for fact in ("points", "earliest", "latest"):
            assert getattr(parts.column(name), fact) == getattr(whole.column(name), fact)
    assert (parts.column("a").points, parts.column("a").earliest, parts.column("b").latest) == (
        247,
        None,
        249.0,
    )


def by_day():
    days = [dt.date(2024, 1, 2) + dt.timedelta(days=n // 100) for n in range(300)]
    return pa.table(
        {"date": days, "symbol": [f"{n % 100:06d}" for n in range(300)], "close": np.arange(300.0)}
    )


def test_a_first_partition_of_one_day_hides_no_axis(small):
    parts, whole = describe_dataset(by_day(), partitioned=True), describe_dataset(by_day())
    assert parts.time_axis == whole.time_axis
    assert parts.quality.key == whole.quality.key
    assert parts.roles.evidence == whole.roles.evidence


def test_a_role_that_only_later_rows_show_takes_another_pass(small):
    # For a hundred rows the first column of days could be the axis; later it states too little.
    days = [dt.date(2020, 1, 1) + dt.timedelta(days=n) for n in range(400)]
    table = pa.table({"date": days[:100] + [None] * 300, "t": days, "x": np.arange(400.0)})
    parts, whole = describe_dataset(table, partitioned=True), describe_dataset(table)
    assert whole.roles.time == "t"
    assert parts.time_axis == whole.time_axis
    reader = pa.RecordBatchReader.from_batches(table.schema, table.to_batches(max_chunksize=50))
    stream = describe_dataset(reader, partitioned=True)
    assert stream.time_axis is None
    assert notice(stream, "decided_too_early").details["columns"] == ["t"]


def test_what_cannot_be_told_in_partitions_is_none(small):
    found = describe_dataset(bars(), partitioned=True)
    assert {column.trend for column in found.columns} == {None}
    message = notice(found, "not_measured").message
    assert "走势" in message
    assert "价格跳变" in message


# what the caller decides -------------------------------------------------------------------


def test_decisions_of_the_caller_hold(path, small):
    found = describe_dataset(
        path, partitioned=True, units={"收盘价": "元"}, roles={"volume": None, "entity": "备注"},
        columns_of_interest=["收盘价"],
    )  # fmt: skip
    assert found.column("收盘价").unit == "元"
    assert (found.roles.volume, found.roles.entity["column"]) == (None, "备注")
    assert found.overrides["units"] == {"收盘价": "元"}
    assert {column.name for column in found.columns} == {"收盘价", "日期"}
    with pytest.raises(DatasetError, match="无此列"):
        describe_dataset(path, partitioned=True, primary_key="无此列")


# the dataset -------------------------------------------------------------------------------


def test_a_partitioned_dataset_refuses_its_rows_with_a_hint(path, small):
    card = describe_dataset(path, partitioned=True, queries=[{"limit": 1}])
    dataset = card.dataset
    assert dataset.head(3).shape == (3, 8)
    assert repr(dataset) == "PartitionedDataset('日线.parquet', 1200 rows × 8 columns)"
    assert dataset.to_dict()["dataset_id"].startswith("ds_")
    assert "600519.SH" in dataset._repr_html_()
    assert ck.inspect_dataset(dataset).to_dict()["first_rows"][0]["代码"] == "600519.SH"
    asked = [
        lambda: dataset.table,
        dataset.to_pandas,
        lambda: dataset["代码"],
        lambda: describe_dataset(dataset),
    ]
    for ask in asked:
        with pytest.raises(DatasetError) as error:
            ask()
        assert error.value.code == "dataset_too_large"
        assert error.value.details["rows"] == 1200
        assert "SQL" in error.value.hint
    assert card.queries[0].error["code"] == "dataset_too_large"


def test_charts_of_partitioned_data_are_refused_with_a_reason(path, small):
    card = describe_dataset(path, partitioned=True)
    assert ck.decide_visualization(card, question="近一年走势").candidate_views
    with pytest.raises(ChartError) as error:
        ck.prepare_chart_source(card)
    assert error.value.details["cause"] == "dataset_too_large"
    with pytest.raises(ck.KitError):
        ck.chart(card, kind="line")


def test_the_fingerprint_does_not_depend_on_the_partitions(path, small, monkeypatch):
    one = describe_dataset(path, partitioned=True).dataset.fingerprint
    monkeypatch.setattr(_engines, "PART_ROWS", (1, 37))
    assert describe_dataset(path, partitioned=True).dataset.fingerprint == one
    assert describe_dataset(bars(), partitioned=True).dataset.fingerprint == one
    assert describe_dataset(bars().slice(1), partitioned=True).dataset.fingerprint != one


def test_memory_does_not_grow_with_the_rows(tmp_path, monkeypatch):
    monkeypatch.setattr(_engines, "PART_ROWS", (1, 2_000))
    peaks = []
    for rows in (8_000, 64_000):
        file = tmp_path / f"{rows}.parquet"
        generator = np.random.default_rng(0)
        columns = {f"c{n}": generator.random(rows) for n in range(6)}
        pa.parquet.write_table(pa.table(columns), file, row_group_size=4_000)
        before = pa.total_allocated_bytes()
        tracemalloc.start()
        describe_dataset(file, partitioned=True)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
        assert pa.total_allocated_bytes() - before < 2**20
    assert peaks[1] < 1.5 * peaks[0]


# progress ----------------------------------------------------------------------------------


def test_progress_appears_only_for_work_that_lasts(capsys, monkeypatch):
    assert list(watched(range(3), total=3, label="短")) == [0, 1, 2]
    assert capsys.readouterr().err == ""
    clock = iter(range(100))
    monkeypatch.setattr(time, "monotonic", lambda: next(clock))
    monkeypatch.setattr(_progress, "DELAY", 1.0)
    assert list(watched(range(5), total=5, label="长")) == [0, 1, 2, 3, 4]
    assert "长" in capsys.readouterr().err


def test_an_interrupt_closes_the_work_and_passes_through():
    closed = []

    def work():
        try:
            yield 1
            raise KeyboardInterrupt
        finally:
            closed.append(True)

    with pytest.raises(KeyboardInterrupt):
        list(watched(work()))
    assert closed == [True]


def test_a_consumer_that_stops_closes_the_work():
    closed = []

    def work():
        try:
            yield from range(9)
        finally:
            closed.append(True)

    for _ in watched(work()):
        break
    else:
        pytest.fail("nothing came")
    import gc

    gc.collect()
    assert closed == [True]


def test_an_interrupt_in_the_middle_of_a_file_leaves_it_closed(path, small, monkeypatch):
    calls = []

    def interrupted(*told):
        calls.append(told)
        if len(calls) == 3:
            raise KeyboardInterrupt
        return _partitions.partition_state(*told)

    monkeypatch.setattr(_engines, "partition_state", interrupted)
    with pytest.raises(KeyboardInterrupt):
        describe_dataset(path, partitioned=True)
    assert _from_states.merge_all(iter(())) is None
    path.rename(path.with_suffix(".moved"))
