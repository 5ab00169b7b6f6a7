"""Several files as one dataset, packed files, folders, names of files."""

import bz2
import datetime as dt
import gzip
import io
import lzma
import os
import zipfile
from pathlib import Path

import pyarrow as pa
import pytest
from pyarrow import parquet

from capital_kit.datasets import read_dataset
from capital_kit.datasets._reading import _containers, _files
from capital_kit.errors import DatasetError


def codes(dataset):
    return [notice.code for notice in dataset.warnings]


def values(dataset, name):
    return dataset.table.column(name).to_pylist()


def fill(folder, files):
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return str(folder / "*.csv")


def caught(data, **options):
    with pytest.raises(DatasetError) as error:
        read_dataset(data, **options)
    assert error.value.hint
    return error.value


# ------------------------------------------------------------------ one dataset from several files
YEARS = {"2024.csv": "日期,收盘\n2024-01-02,1.5\n", "2023.csv": "收盘,日期\n1.25,2023-01-03\n"}


def test_files_are_united_by_name_in_the_order_of_their_names(tmp_path):
    dataset = read_dataset(fill(tmp_path, YEARS))
    assert dataset.table.to_pydict() == {
        "收盘": [1.25, 1.5], "日期": [dt.date(2023, 1, 3), dt.date(2024, 1, 2)],
    }  # fmt: skip
    assert (dataset.source.label, dataset.source.format, dataset.source.encoding) == (
        "*.csv ×2",
        "csv",
        "utf-8",
    )
    assert codes(dataset) == []


def test_a_list_keeps_its_order(tmp_path):
    fill(tmp_path, YEARS)
    paths = [tmp_path / "2024.csv", tmp_path / "2023.csv"]
    for given in (paths, [str(path) for path in paths], tuple(paths)):
        dataset = read_dataset(given)
        assert values(dataset, "收盘") == [1.5, 1.25]
        assert dataset.source.label == "2024.csv … ×2"
    assert read_dataset(["a", "b"]).source.format == "records"
    assert read_dataset([tmp_path / "2024.csv"], name="甲").source.label == "甲"


def test_kinds_are_decided_over_all_rows(tmp_path):
    pattern = fill(
        tmp_path,
        {
            "a.csv": "id,x,y,z,d\n1,600519,5,12.5%,03/04/2024\n",
            "b.csv": "id,x,y,z,d\n2,000001,5.5,--,13/04/2024\n",
            "c.csv": "id,x,y,z,d\n3,000002,,3%,14/05/2024\n",
        },
    )
    dataset = read_dataset(pattern)
    assert values(dataset, "x") == ["600519", "000001", "000002"]
    assert values(dataset, "y") == [5.0, 5.5, None]
    assert values(dataset, "z") == [12.5, None, 3.0]
    assert values(dataset, "d") == [dt.date(2024, 4, 3), dt.date(2024, 4, 13), dt.date(2024, 5, 14)]


def test_words_for_nothing_are_counted_over_all_files(tmp_path):
    pattern = fill(
        tmp_path, {"a.csv": "d,x\n2024-01-02,--\n", "b.csv": "d,x\n2024-01-03,--\n2024-01-04,1.5\n"}
    )
    assert read_dataset(pattern).column("x").null_tokens == {"--": 2}


def test_a_kind_told_holds_for_all(tmp_path):
    pattern = fill(tmp_path, {"a.csv": "d,x\n2024-01-02,1\n", "b.csv": "d,x\n2024-01-03,2\n"})
    assert values(read_dataset(pattern, kinds={"x": "text"}), "x") == ["1", "2"]
    assert caught(pattern, kinds={"nope": "text"}).code == "dataset_column_not_found"
    assert caught(pattern, kinds={"x": "nope"}).code == "dataset_kind_invalid"


def test_the_file_is_named_where_rows_are_not_told_apart_without_it(tmp_path):
    bars = "日期,收盘\n2024-01-02,{}\n2024-01-03,1.75\n"
    dataset = read_dataset(fill(tmp_path, {"600519.csv": bars.format(1.5), "000001.csv": bars.format(2.5)}))
    assert values(dataset, "file") == ["000001.csv", "000001.csv", "600519.csv", "600519.csv"]
    assert dataset.column("file").kind == "category"
    assert codes(dataset) == ["file_column"]


def test_files_of_one_name_are_told_apart_by_their_folders(tmp_path):
    fill(tmp_path, {"甲/day.csv": "a,file\n1,x\n", "乙/day.csv": "a,file\n2,y\n"})
    dataset = read_dataset(str(tmp_path / "**" / "day.csv"))
    assert values(dataset, "file_2") == ["乙/day.csv", "甲/day.csv"]


def test_lacking_columns_are_missing_values(tmp_path):
    pattern = fill(
        tmp_path, {"a.csv": "日期,收盘\n2024-01-02,1.5\n", "b.csv": "日期,成交量\n2024-01-03,100\n"}
    )
    dataset = read_dataset(pattern)
    assert values(dataset, "收盘") == [1.5, None]
    assert values(dataset, "成交量") == [None, 100]
    assert [n.details["columns"] for n in dataset.warnings] == [["成交量"], ["收盘"]]


def test_files_that_do_not_belong_together(tmp_path):
    pattern = fill(tmp_path, {"a.csv": "日期,收盘\n2024-01-02,1.5\n", "b.csv": "姓名,年龄\n甲,30\n"})
    error = caught(pattern)
    assert error.code == "dataset_files_differ"
    assert "b.csv" in error.message
    assert "姓名" in error.hint


def test_units_that_differ_are_never_mixed(tmp_path):
    pattern = fill(
        tmp_path, {"a.csv": "d,额(万元)\n2024-01-02,1.5\n", "b.csv": "d,额(元)\n2024-01-03,15000.5\n"}
    )
    assert caught(pattern).code == "dataset_files_differ"


def test_notices_say_in_how_many_files(tmp_path):
    text = "标题\n日期,值\n2024-01-{},1.5\n注：完\n"
    dataset = read_dataset(fill(tmp_path, {f"{at}.csv": text.format(f"{at:02}") for at in range(1, 6)}))
    assert codes(dataset) == ["lines_skipped", "notice_in_files"]
    assert dataset.warnings[1].details == {"notice": "lines_skipped", "count": 5}
    assert (dataset.source.skip_top, dataset.source.skip_bottom) == (1, 5)


def test_one_match_is_one_file_and_none_is_an_error(tmp_path):
    pattern = fill(tmp_path, {"2024.csv": YEARS["2024.csv"]})
    assert read_dataset(pattern).source.label == "2024.csv"
    error = caught(str(tmp_path / "*.tsv"))
    assert error.code == "dataset_not_found"
    assert "*.tsv" in error.message
    assert str(tmp_path) not in str(error)


def test_a_name_with_brackets_is_a_name_first(tmp_path):
    fill(tmp_path, {"bars[1].csv": YEARS["2024.csv"]})
    assert read_dataset(tmp_path / "bars[1].csv").rows == 1


def test_formats_may_differ(tmp_path):
    fill(tmp_path, YEARS)
    parquet.write_table(pa.table({"日期": [dt.date(2025, 1, 2)], "收盘": [2]}), tmp_path / "2025.parquet")
    dataset = read_dataset(str(tmp_path / "20*"))
    assert (dataset.source.format, values(dataset, "收盘")) == ("several", [1.25, 1.5, 2.0])


def test_a_missing_file_of_a_list(tmp_path):
    fill(tmp_path, YEARS)
    error = caught([tmp_path / "2024.csv", tmp_path / "2022.csv"])
    assert (error.code, "2022.csv" in error.message) == ("dataset_not_found", True)


# ------------------------------------------------------------------ folders
def test_folder_of_parquet_parts(tmp_path):
    for year, close in ((2023, [1.5]), (2024, [2, 3])):
        part = tmp_path / "bars" / f"year={year}"
        part.mkdir(parents=True)
        parquet.write_table(pa.table({"close": close}), part / "part-0.parquet")
    (tmp_path / "bars" / "_SUCCESS").write_bytes(b"")
    dataset = read_dataset(tmp_path / "bars")
    assert values(dataset, "close") == [1.5, 2.0, 3.0]
    assert (values(dataset, "year")[-1], dataset.column("year").kind) == (dt.date(2024, 1, 1), "year")
    assert (dataset.source.label, dataset.source.format) == ("bars/", "parquet")


def test_folder_without_parts_suggests_a_pattern(tmp_path):
    fill(tmp_path / "data", YEARS)
    error = caught(tmp_path / "data")
    assert error.code == "dataset_is_directory"
    assert "data/*.csv" in error.hint


# ------------------------------------------------------------------ packed files
TEXT = "日期,收盘\n2024-01-02,1.5\n"


def zipped(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name, content)
    return out.getvalue()


PACKED = [
    ("a.csv.gz", gzip.compress(TEXT.encode()), "a.csv"),
    ("a.csv.bz2", bz2.compress(TEXT.encode()), "a.csv"),
    ("a.csv.xz", lzma.compress(TEXT.encode()), "a.csv"),
    ("a.zip", zipped({"数据/行情.csv": TEXT.encode("gbk"), "__MACOSX/._x": b"\0"}), "行情.csv"),
]


@pytest.mark.parametrize(("name", "content", "inner"), PACKED, ids=[name for name, _, _ in PACKED])
def test_packed_text(tmp_path, name, content, inner):
    (tmp_path / name).write_bytes(content)
    dataset = read_dataset(tmp_path / name)
    assert dataset.fingerprint == read_dataset(TEXT.encode()).fingerprint
    assert (dataset.source.label, codes(dataset)) == (name, ["unpacked"])
    assert dataset.warnings[0].details["name"] == inner
    for size in (5, len(content) // 2, len(content) - 5):
        assert caught(content[:size]).code in ("dataset_not_row_readable", "dataset_rows_ambiguous")


def test_packed_json_lines_are_known_by_their_name(tmp_path):
    (tmp_path / "a.jsonl.gz").write_bytes(gzip.compress(b'{"a":1}\n{"a":2}\n'))
    assert values(read_dataset(tmp_path / "a.jsonl.gz"), "a") == [1, 2]


def test_archives_of_several_or_no_files():
    error = caught(zipped({"a.csv": TEXT, "b.csv": TEXT}))
    assert (error.code, error.details["members"]) == ("dataset_rows_ambiguous", ["a.csv", "b.csv"])
    assert caught(zipped({})).code in ("dataset_rows_ambiguous", "dataset_not_row_readable")


def test_packed_twice():
    assert caught(gzip.compress(gzip.compress(TEXT.encode()))).code == "dataset_format_unsupported"


def test_zip_with_a_password():
    content = bytearray(zipped({"a.csv": TEXT}))
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.find(mark) + offset] |= 1
    assert "密码" in caught(bytes(content)).message


@pytest.mark.parametrize(
    "pack", [gzip.compress, bz2.compress, lzma.compress, lambda raw: zipped({"a.csv": raw})]
)
def test_bombs_stop_at_the_limit(pack, monkeypatch):
    bomb = pack(bytes(3 * 2**20))
    monkeypatch.setattr(_files, "_HARMLESS_MIB", 1)
    monkeypatch.setattr(_files, "LIMIT_RATIO", 10)
    assert caught(bomb).code == "dataset_too_large"


# ------------------------------------------------------------------ names and contents
def test_home_and_path_objects(tmp_path, monkeypatch):
    fill(tmp_path, YEARS)
    monkeypatch.setenv("HOME", str(tmp_path))
    assert read_dataset("~/2024.csv").rows == 1

    class Named(os.PathLike):
        def __fspath__(self):
            return str(tmp_path / "2024.csv")

    assert read_dataset(Named()).source.label == "2024.csv"
    assert caught(Path("~nobody_of_this_name/x.csv")).code == "dataset_not_found"


@pytest.mark.parametrize(
    "text", ["a,b\n1,2", '{"a": 1}', "[1, 2]", "<table></table>", "日期,收盘\r\n2024-01-02,1.5"]
)
def test_content_instead_of_a_name(text):
    error = caught(text)
    assert error.code == "dataset_not_found"
    assert "bytes" in error.hint


def test_half_read_file(tmp_path):
    file = io.StringIO("标题\n" + TEXT)
    file.readline()
    assert read_dataset(file).fingerprint == read_dataset(TEXT.encode()).fingerprint
    assert read_dataset(memoryview(TEXT.encode())).rows == 1


# ------------------------------------------------------------------ columnar files
def columnar(table, **options):
    out = io.BytesIO()
    parquet.write_table(table, out, **options)
    return out.getvalue()


def test_claimed_rows_are_bounded(monkeypatch):
    content = columnar(pa.table({"a": [1] * 1_000}))
    monkeypatch.setattr(_containers, "LIMIT_VALUES", 999)
    assert caught(content).code == "dataset_too_large"


def test_encrypted_parquet():
    assert "密码" in caught(b"PARE" + bytes(20) + b"PARE").message
    assert "密码" in caught(b"PAR1" + bytes(20) + b"PARE").message


def test_damaged_pages():
    content = bytearray(
        columnar(pa.table({"a": list(range(1_000)), "b": ["x" * 50] * 1_000}), compression="zstd")
    )
    content[20:200] = b"\xff" * 180
    assert caught(bytes(content)).code == "dataset_not_row_readable"


@pytest.mark.parametrize("compression", ["lz4", "zstd"])
def test_packed_feather(compression):
    from pyarrow import feather

    out = io.BytesIO()
    feather.write_feather(pa.table({"a": [1, 2]}), out, compression=compression)
    assert values(read_dataset(out.getvalue()), "a") == [1, 2]
    assert caught(out.getvalue()[:-40]).code == "dataset_not_row_readable"
