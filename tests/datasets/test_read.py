"""The one way in: paths, containers, objects, errors."""

import io
import subprocess
import sys

import pyarrow as pa
import pytest
from pyarrow import feather, parquet

from capital_kit.datasets import as_dataset, read_dataset
from capital_kit.datasets._reading import _files
from capital_kit.errors import DatasetError

CSV = "日期,收盘\n2024-01-02,1.5\n2024-01-03,1.6\n"


@pytest.fixture
def prices(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text(CSV, encoding="utf-8")
    return path


def test_all_ways_to_give_a_file(prices):
    dataset = read_dataset(prices)
    assert repr(dataset) == "Dataset('prices.csv', 2 rows × 2 columns)"
    others = [str(prices), CSV.encode(), bytearray(CSV.encode()), io.BytesIO(CSV.encode()), io.StringIO(CSV)]
    for other in others:
        assert read_dataset(other).fingerprint == dataset.fingerprint
    with prices.open("rb") as file:
        assert read_dataset(file).source.label == "prices.csv"


def test_dataset_is_returned_as_it_is(prices):
    dataset = read_dataset(prices)
    assert read_dataset(dataset) is dataset
    assert as_dataset(dataset) is dataset
    assert as_dataset(prices).fingerprint == dataset.fingerprint


def test_name_may_be_given(prices):
    assert read_dataset(prices, name="收盘价").source.label == "收盘价"


def test_columnar_files(tmp_path):
    table = pa.table({"a": [1, 2], "b": ["x", None]})
    parquet.write_table(table, tmp_path / "t.parquet")
    feather.write_feather(table, str(tmp_path / "t.feather"))
    with pa.OSFile(str(tmp_path / "t.arrows"), "wb") as sink, pa.ipc.new_stream(sink, table.schema) as writer:
        writer.write_table(table)
    formats = []
    for name in ("t.parquet", "t.feather", "t.arrows"):
        dataset = read_dataset(tmp_path / name)
        formats.append(dataset.source.format)
        assert dataset.fingerprint == read_dataset(table).fingerprint
    assert formats == ["parquet", "feather", "arrow-stream"]


def test_content_decides_not_the_ending(tmp_path):
    path = tmp_path / "Table.xls"
    path.write_bytes(
        '自选股\n代码\t日期\n="600519"\t"2024-05-06,一"\n="000001"\t"2024-05-06,一"\n#来源\n'.encode("gbk")
    )
    dataset = read_dataset(path)
    assert dataset.source.format == "tsv"
    assert dataset.table.column("代码").to_pylist() == ["600519", "000001"]


FAILURES = [
    ("missing.csv", None, "dataset_not_found"),
    ("folder", "folder", "dataset_is_directory"),
    ("empty.csv", b"", "dataset_empty"),
    ("book.xlsx", b"PK\x03\x04....xl/workbook.xml", "dataset_not_row_readable"),
    ("book.xls", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "dataset_not_row_readable"),
    ("book.xlsb", b"PK\x03\x04....xl/workbook.bin", "dataset_format_unsupported"),
    ("page.xls", b"<html><p>no table</p></html>", "dataset_not_row_readable"),
    ("note.xml", b"<?xml version='1.0'?><a/>", "dataset_format_unsupported"),
    ("a.csv.gz", b"\x1f\x8b\x08", "dataset_not_row_readable"),
    ("a.zip", b"PK\x03\x04", "dataset_not_row_readable"),
    ("a.csv.zst", b"\x28\xb5\x2f\xfd", "dataset_format_unsupported"),
    ("cut.parquet", b"PAR1....", "dataset_not_row_readable"),
    ("image.csv", b"\x89PNG\r\n", "dataset_format_unsupported"),
    ("null.csv", b"a,b\n\x00,1\n", "dataset_not_row_readable"),
]


@pytest.mark.parametrize(("name", "content", "code"), FAILURES)
def test_failure_has_a_code_and_shows_no_path(tmp_path, name, content, code):
    path = tmp_path / name
    if content == "folder":
        path.mkdir()
    elif content is not None:
        path.write_bytes(content)
    with pytest.raises(DatasetError) as caught:
        read_dataset(path)
    assert caught.value.code == code
    assert caught.value.hint
    assert name in str(caught.value)
    assert str(tmp_path) not in str(caught.value)


def test_limit_of_size(prices, monkeypatch):
    monkeypatch.setattr(_files, "LIMIT_MIB", 0)
    with pytest.raises(DatasetError) as caught:
        read_dataset(prices)
    assert caught.value.code == "dataset_too_large"


@pytest.mark.parametrize("data", [42, None, object()])
def test_unknown_type_says_what_is_accepted(data):
    with pytest.raises(DatasetError) as caught:
        read_dataset(data)
    assert caught.value.code == "dataset_type_unsupported"
    assert "DataFrame" in caught.value.hint


def test_reading_a_file_loads_no_pandas(prices):
    program = (
        "import sys; from capital_kit.datasets import read_dataset;"
        f"read_dataset({str(prices)!r}).fingerprint; print('pandas' in sys.modules)"
    )
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "False"


def test_reading_does_not_depend_on_the_zone_of_the_host(tmp_path):
    path = tmp_path / "t.csv"
    path.write_text("time,v\n2024-03-31T02:30:00+08:00,1\n1/15/2024,2\n", encoding="utf-8")
    stamps = tmp_path / "s.csv"
    stamps.write_text("timestamp,v\n1704447060,1\n1704447121,2\n", encoding="utf-8")
    program = (
        "from capital_kit.datasets import read_dataset;"
        f"print(read_dataset({str(path)!r}).fingerprint, read_dataset({str(stamps)!r}).fingerprint)"
    )
    outputs = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, env={"TZ": zone}
        ).stdout
        for zone in ("Asia/Shanghai", "America/New_York")
    }
    assert len(outputs) == 1


PAGE = """<html><head><meta charset="gb2312"></head><body><table border=1>
<tr><th>证券代码</th><th>最新价</th><th>股息率</th><th>更新日期</th></tr>
<tr><td>000651</td><td>42.62</td><td>13.4%</td><td rowspan=2>2024-06-28</td>
<tr><td>600690<td>1,045.39</td><td>13.81%</td></tr></table></body></html>"""


def test_html_table_named_xls(tmp_path):
    path = tmp_path / "导出.xls"
    path.write_bytes(PAGE.encode("gb2312"))
    dataset = read_dataset(path)
    source = dataset.source
    assert (source.format, source.encoding, source.header_rows) == ("html", "gbk", 1)
    assert [column.kind for column in dataset.columns] == ["code", "number", "percent", "date"]
    assert dataset.table.column("证券代码").to_pylist() == ["000651", "600690"]
    assert dataset.table.column("更新日期").null_count == 0


def test_several_html_tables_need_a_choice():
    page = b"<table><tr><td>c<td>d<tr><td>3<td>4</table><table><tr><td>a<td>b<tr><td>1<td>2</table>"
    with pytest.raises(DatasetError) as caught:
        read_dataset(page)
    assert caught.value.details["array_keys"] == ["table0", "table1"]
    assert read_dataset(page, row_key="table1").table.to_pylist() == [{"a": 1, "b": 2}]


SOURCES = {
    "text": CSV.encode(),
    "json": b'[{"a":1}]',
    "page": b"<table><tr><td>a<td>b<tr><td>1<td>2</table>",
    "records": [{"a": 1}],
    "columns": {"a": [1]},
    "table": pa.table({"a": [1]}),
}
WRONG = [
    ("header", "x"), ("header", [0]), ("header", 1.5), ("encoding", 5), ("encoding", b"gbk"),
    ("delimiter", 5), ("delimiter", [","]), ("row_key", ["a"]), ("sheet", 1.5), ("sheet", [0]),
    ("name", 5), ("kinds", "x"), ("kinds", ["a"]),
]  # fmt: skip


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(("option", "value"), WRONG)
def test_options_of_the_wrong_type_say_what_is_meant(source, option, value):
    with pytest.raises(DatasetError) as caught:
        read_dataset(SOURCES[source], **{option: value})
    assert caught.value.code == ("dataset_kinds_invalid" if option == "kinds" else "dataset_option_invalid")
    assert caught.value.hint


@pytest.mark.parametrize("data", ["", ".", "/", "~"])
def test_folders_are_not_searched(data):
    with pytest.raises(DatasetError) as caught:
        read_dataset(data)
    assert caught.value.code == "dataset_is_directory"


def test_names_that_no_text_can_hold():
    with pytest.raises(DatasetError) as caught:
        read_dataset("\udcff.csv")
    assert str(caught.value).encode()


@pytest.mark.parametrize("data", [[{}], [[]], b"[{}]"])
def test_records_without_fields_are_empty(data):
    with pytest.raises(DatasetError) as caught:
        read_dataset(data)
    assert caught.value.code == "dataset_empty"
