"""Equal data have equal fingerprints, and only they."""

import itertools

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from capital_kit.datasets import Column, Dataset, Source, read_dataset

ROWS = [
    {"date": "2024-01-02", "close": 1.5, "n": 1, "name": "甲", "ok": True},
    {"date": "2024-01-03", "close": None, "n": None, "name": None, "ok": None},
    {"date": "2024-01-04", "close": 2.5, "n": 3, "name": "", "ok": False},
    {"date": None, "close": 3.5, "n": 4, "name": "丁丁", "ok": True},
]


def with_table(dataset, table):
    return Dataset(table=table, columns=dataset.columns, source=dataset.source)


def test_is_stable_over_versions():
    dataset = read_dataset({"a": [1, 2], "b": ["x", None]})
    assert dataset.fingerprint == "5ab42b35e2f5e77f5732fe4080ab2af76584dade2c841134dc37c76934a93b6e"
    assert dataset.dataset_id == f"ds_{dataset.fingerprint[:16]}"


@given(st.lists(st.integers(0, 8), max_size=4))
def test_chunks_and_slices_do_not_count(cuts):
    dataset = read_dataset(ROWS * 2)
    edges = [0, *sorted(cuts), 8]
    pieces = [dataset.table.slice(start, end - start) for start, end in itertools.pairwise(edges)]
    assert with_table(dataset, pa.concat_tables(pieces)).fingerprint == dataset.fingerprint


def test_what_lies_under_a_null_does_not_count():
    columns = (Column(name="x", header="x", kind="number"),)
    source = Source(format="frame", label="x")
    valid = pa.py_buffer(bytes([0b01]))
    arrays = [
        pa.Array.from_buffers(pa.float64(), 2, [valid, pa.array(values).buffers()[1]])
        for values in ([1.0, 7.0], [1.0, 9.0])
    ]
    prints = {
        Dataset(table=pa.table({"x": array}), columns=columns, source=source).fingerprint for array in arrays
    }
    assert len(prints) == 1


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows[::-1],
        lambda rows: rows[:-1],
        lambda rows: [{**rows[0], "close": 1.6}, *rows[1:]],
        lambda rows: [rows[0], {**rows[1], "close": 0.0}, *rows[2:]],
        lambda rows: [rows[0], {**rows[1], "name": "乙"}, *rows[2:]],
        lambda rows: [
            {("day" if key == "date" else key): value for key, value in row.items()} for row in rows
        ],
    ],
)
def test_any_change_shows(change):
    assert read_dataset(change(ROWS)).fingerprint != read_dataset(ROWS).fingerprint


def test_text_boundaries_count():
    assert read_dataset({"a": ["ab", "c"]}).fingerprint != read_dataset({"a": ["a", "bc"]}).fingerprint


def test_source_does_not_count(tmp_path):
    path = tmp_path / "x.csv"
    path.write_text("a,b\n1.5,x\n2.5,y\n", encoding="utf-8")
    assert read_dataset(path).fingerprint == read_dataset({"a": [1.5, 2.5], "b": ["x", "y"]}).fingerprint


def test_empty_table_has_a_fingerprint():
    assert len(read_dataset(b"a,b\n").fingerprint) == 64
