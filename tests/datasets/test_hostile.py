"""Hostile input gives an error with a code or an honest result; never a bare traceback, never a hang."""

import io
import json
import os

import numpy as np
import pyarrow as pa
import pytest
from pyarrow import parquet

from capital_kit.datasets import describe_dataset, read_dataset
from capital_kit.errors import DatasetError


def code(data, **options):
    with pytest.raises(DatasetError) as caught:
        describe_dataset(read_dataset(data, **options))
    assert caught.value.message
    assert caught.value.hint
    return caught.value.code


class Broken:
    def __init__(self, result):
        self.result = result

    def read(self):
        if isinstance(self.result, Exception):
            raise self.result
        return self.result


def closed():
    file = io.BytesIO(b"a,b\n1,2\n")
    file.close()
    return file


@pytest.mark.parametrize(
    "address", ["https://a.example/x.csv", "ftp://a.example/x.csv", "file:///x.csv", "s3://b/x"]
)
def test_addresses_are_not_fetched(address):
    with pytest.raises(DatasetError) as caught:
        read_dataset(address)
    assert caught.value.code == "dataset_not_found"
    assert address in caught.value.message


def test_pipes_and_devices_are_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe.csv")
    assert code(tmp_path / "pipe.csv") == "dataset_not_row_readable"
    assert code("/dev/zero") == "dataset_not_row_readable"
    assert code(tmp_path) == "dataset_is_directory"
    assert code("a" * 5_000) == "dataset_not_row_readable"
    assert code("a\0b.csv") == "dataset_not_row_readable"


@pytest.mark.parametrize("result", [OSError("gone"), ValueError("closed"), None, 5, ["a"]])
def test_file_objects_that_fail(result):
    assert code(Broken(result)) == "dataset_not_row_readable"
    assert code(closed()) == "dataset_not_row_readable"


@pytest.mark.parametrize(
    "content",
    [
        b"a,b\n1," + b"x" * 1_000_000 + b"\n2,y\n",
        b'a,b\n1,"' + b"x,\n" * 400_000 + b'"\n2,y\n',
        b'a,b\n1,"' + b"x\n" * 300_000,
        b"x" * 1_000_000,
        b"a\n" + b"1" * 1_000_000 + b"\n2\n",
    ],
    ids=["cell", "quoted", "open quote", "line", "digits"],
)
def test_cells_of_megabytes(content):
    assert code(content) == "dataset_not_row_readable"


@pytest.mark.parametrize(
    "text",
    ["[" * 100_000 + "]" * 100_000, '{"a":' * 5_000 + "1" + "}" * 5_000, '[{"a":' + "9" * 10_000 + "}]",
     '{"a":1}\n' + "[" * 100_000, '[{"a":' + "[" * 900 + "]" * 900 + '},{"a":1}]'],
)  # fmt: skip
def test_json_too_deep_or_too_long(text):
    assert code(text.encode()) == "dataset_json_invalid"


def test_json_that_holds_itself():
    rows = []
    rows.append({"a": rows})
    assert code(rows) == "dataset_json_invalid"


def test_json_numbers_that_are_none():
    card = describe_dataset(b'[{"a":NaN,"b":1},{"a":Infinity,"b":2},{"a":1e999,"b":2},{"a":1.5,"b":2}]')
    facts = card.column("a")
    assert (facts.count, facts.nulls, facts.non_finite) == (1, 1, 2)
    json.dumps(card.to_dict(), allow_nan=False)


@pytest.mark.parametrize(
    "data",
    [{"a\ud800": ["x\ud800", "y"]}, b'[{"\\udfff":"\\ud800x"},{"\\udfff":"ok"}]'],
    ids=["memory", "json"],
)
def test_halves_of_surrogates_stay_visible(data):
    card = describe_dataset(data)
    assert card.columns[0].name.encode().startswith((b"a\\ud800", b"\\udfff"))
    assert "\\ud800" in card.columns[0].first
    assert len(card.dataset.fingerprint) == 64


@pytest.mark.parametrize("delimiter", ["", "ab", '"', "\n", "\r"])
def test_delimiters_that_cannot_be_one(delimiter):
    assert code(b"a,b\n1,2\n", delimiter=delimiter) == "dataset_delimiter_invalid"


@pytest.mark.parametrize("encoding", ["nope", "rot13", "base64", "\0", "utf-16"])
def test_encodings_that_cannot_be_one(encoding):
    assert code(b"a,b\n1,2\n", encoding=encoding) == "dataset_not_row_readable"


def test_cut_parquet():
    sink = io.BytesIO()
    parquet.write_table(pa.table({"a": list(range(1_000)), "b": ["x"] * 1_000}), sink)
    whole = sink.getvalue()
    for size in (4, 8, 12, 100, len(whole) // 2, len(whole) - 1):
        assert code(whole[:size]) == "dataset_not_row_readable"


@pytest.mark.parametrize(
    ("array", "kind", "first"),
    [
        (pa.array([2**60, 0], pa.timestamp("s")), "text", None),
        (pa.array([2**40], pa.duration("s")), "number", 2.0**40),
        (pa.array([1_500], pa.duration("ms")), "number", 1.5),
        (pa.array([0], pa.timestamp("us", "Mars/Phobos")), "date", "1970-01-01"),
        (pa.array([86_400_001], pa.date64()), "date", "1970-01-02"),
        (pa.array([10**60], pa.decimal256(70, 0)), "number", 1e60),
    ],
    ids=["far second", "far duration", "duration", "no zone", "odd day", "decimal"],
)
def test_values_at_the_edge_of_arrow(array, kind, first):
    facts = describe_dataset(pa.table({"t": array})).columns[0]
    assert facts.kind == kind
    assert first is None or facts.first == first


def test_objects_show_no_address():
    card = describe_dataset([{"a": object()}, {"a": 2}])
    assert card.column("a").first == "<object>"


def test_an_empty_object_is_empty():
    assert code({}) == "dataset_empty"
    assert code(b"{}") == "dataset_empty"


def test_two_thousand_columns():
    width = 2_000
    rows = "\n".join(
        ",".join(f"{value:.2f}" for value in row) for row in np.arange(3 * width).reshape(3, width)
    )
    card = describe_dataset((",".join(f"列{at}" for at in range(width)) + "\n" + rows).encode())
    assert (len(card.columns), card.rows) == (width, 3)
    assert len(card._repr_html_().encode()) < 2_000_000
