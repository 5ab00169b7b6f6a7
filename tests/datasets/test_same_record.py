"""The same data give the same record, whatever brings them."""

import csv
import datetime as dt
import io
import json

import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import parquet

from capital_kit.datasets import describe_dataset

DAY = st.dates(dt.date(1990, 1, 1), dt.date(2035, 12, 31))
MOMENT = st.datetimes(dt.datetime(1990, 1, 1), dt.datetime(2035, 12, 31)).map(
    lambda t: t.replace(microsecond=0)
)
WORD = st.text("abcdefgh甲乙丙丁戊 ", min_size=2, max_size=8).map(lambda text: f"x{text.strip()}y")
COLUMNS = {
    "day": ("date", DAY, True),
    "moment": ("datetime", MOMENT, True),
    "amount": ("amount", st.integers(-(10**9), 10**9).map(lambda n: n / 8 + 0.0625), True),
    "count": ("count", st.integers(-(10**6), 10**6), False),
    "flag": ("active", st.booleans(), False),
    "word": ("备注", WORD, True),
    "code": ("代码", st.integers(0, 999_999).map("{:06}".format), True),
}  # fmt: skip


@st.composite
def tables(draw):
    """A dict of columns, each with two different values at least, and nulls where frames keep the type."""
    rows = draw(st.integers(3, 12))
    chosen = draw(st.lists(st.sampled_from(sorted(COLUMNS)), min_size=1, unique=True))
    table = {}
    for key in chosen:
        name, values, may_lack = COLUMNS[key]
        cells = draw(st.lists(values, min_size=rows, max_size=rows).filter(lambda cells: len(set(cells)) > 1))
        if may_lack and rows > 4 and draw(st.booleans()):
            cells[draw(st.integers(0, rows - 1))] = None
        table[name] = cells
    return table


def as_csv(table):
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(table)
    writer.writerows([_text(cell) for cell in row] for row in zip(*table.values(), strict=True))
    return out.getvalue().encode()


def _text(cell):
    if cell is None:
        return ""
    if isinstance(cell, bool):
        return str(cell).lower()
    return cell.isoformat(" ") if isinstance(cell, dt.datetime) else str(cell)


def as_json(table):
    rows = [dict(zip(table, row, strict=True)) for row in zip(*table.values(), strict=True)]
    return json.dumps(rows, default=_text, ensure_ascii=False).encode()


def as_parquet(table):
    out = io.BytesIO()
    parquet.write_table(pa.table(table), out)
    return out.getvalue()


def as_polars(table):
    return pytest.importorskip("polars").DataFrame(table)


WAYS = [as_csv, as_json, dict, pa.table, as_parquet, pd.DataFrame, as_polars]


def record(data):
    found = describe_dataset(data).to_dict()
    for key in ("source", "warnings"):
        del found[key]
    return found


@settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(tables())
def test_the_same_record_by_every_way(table):
    expected = record(table)
    for way in WAYS:
        assert record(way(table)) == expected, way.__name__
