"""A chart source: opaque, fifteen minutes, one task, any kernel."""

from dataclasses import replace

import pytest

from capital_kit.charts import prepare_chart_source
from capital_kit.charts._source import open_source
from capital_kit.datasets import Dataset, Source
from capital_kit.errors import ChartError
from capital_kit.workspace import SESSION_TASK, Workspace


class Clock:
    now = 1_700_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def place(tmp_path):
    return Workspace(tmp_path / "work", clock=Clock())


def test_what_it_says(make, place):
    data = make.bars(10)
    source = prepare_chart_source(data, "t1", workspace=place)
    assert source.to_dict() == {
        "chart_source_ref": source.chart_source_ref, "dataset_id": data.dataset_id, "task_id": "t1",
        "expires_at": 1_700_000_900_000,
    }  # fmt: skip
    assert source.chart_source_ref.startswith("cs_")
    assert source.chart_source_ref not in repr(source) + source._repr_html_()


def test_another_kernel_reads_the_same_data(make, place):
    data = make.bars(10)
    source = prepare_chart_source(data, "t1", workspace=place)
    _, found = open_source(Workspace(place.path, clock=place.clock), source.chart_source_ref, "t1")
    assert found.table.equals(data.table)
    assert found.columns == data.columns
    assert found.source == data.source
    assert found.fingerprint == data.fingerprint


def test_every_call_gives_another_reference(make, place):
    data = make.bars(10)
    refs = {prepare_chart_source(data, workspace=place).chart_source_ref for _ in range(3)}
    assert len(refs) == 3
    assert len(list((place.path / "datasets").iterdir())) == 1


def test_the_task_is_this_process_by_default(make, place):
    assert prepare_chart_source(make.bars(10), workspace=place).task_id == SESSION_TASK


def test_documents_and_empty_data_are_refused_with_a_cause(make, place):
    rows = make.bars(10)
    document = Dataset(
        table=rows.table, columns=rows.columns, source=Source(format="json", label="d"), shape="document"
    )
    empty = Dataset(table=rows.table.slice(0, 0), columns=rows.columns, source=rows.source)
    for data, cause in ((document, "dataset_format_unsupported"), (empty, "dataset_empty")):
        with pytest.raises(ChartError) as caught:
            prepare_chart_source(data, workspace=place)
        assert caught.value.code == "chart_source_invalid"
        assert caught.value.details["cause"] == cause


def test_a_missing_file_is_an_invalid_source(place, tmp_path):
    with pytest.raises(ChartError) as caught:
        prepare_chart_source(tmp_path / "none.csv", workspace=place)
    assert caught.value.code == "chart_source_invalid"
    assert caught.value.details["cause"] == "dataset_not_found"


@pytest.mark.parametrize("task", ["", "x" * 257, 7])
def test_a_task_is_a_short_text(make, place, task):
    with pytest.raises(ChartError) as caught:
        prepare_chart_source(make.bars(10), task, workspace=place)
    assert caught.value.code == "chart_source_invalid"


def test_a_refusing_workspace(make, tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(ChartError) as caught:
        prepare_chart_source(make.bars(10), workspace=tmp_path / "file")
    assert caught.value.code == "chart_write_failed"
    assert caught.value.details["cause"] == "workspace_not_writable"


def test_equal_rows_of_two_files_keep_their_own_label_and_unit(make, place):
    rows = make.dataset({"日期": (make.business_days(3), "date"), "量": ([1.0, 2.0, 3.0], "number", "手")})
    other = Dataset(
        table=rows.table,
        columns=(rows.columns[0], replace(rows.columns[1], unit="股")),
        source=Source(format="csv", label="另一份.csv"),
    )
    assert rows.dataset_id == other.dataset_id
    first, second = (prepare_chart_source(data, "t", workspace=place) for data in (rows, other))
    for source, data in ((first, rows), (second, other)):
        _, found = open_source(place, source.chart_source_ref, "t")
        assert (found.source, found.columns) == (data.source, data.columns)


def test_damaged_data_are_refused_and_mended_by_the_next_call(make, place):
    data = make.bars(10)
    source = prepare_chart_source(data, "t", workspace=place)
    [file] = (place.path / "datasets").iterdir()
    file.write_bytes(file.read_bytes()[:-9])
    with pytest.raises(ChartError) as caught:
        open_source(place, source.chart_source_ref, "t")
    assert (caught.value.code, caught.value.details["cause"]) == ("chart_source_invalid", "dataset_damaged")
    again = prepare_chart_source(data, "t", workspace=place)
    assert open_source(place, again.chart_source_ref, "t")[1].fingerprint == data.fingerprint
    file.unlink()
    with pytest.raises(ChartError) as caught:
        open_source(place, again.chart_source_ref, "t")
    assert (caught.value.code, caught.value.details["reason"]) == ("chart_source_expired", "unknown")
