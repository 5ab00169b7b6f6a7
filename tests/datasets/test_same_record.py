"""The same data give the same record, whatever brings them."""

import csv
import datetime as dt
import decimal
import io
import json
import math

import openpyxl
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from pyarrow import feather, parquet

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


def as_polars_lazily(table):
    return as_polars(table).lazy()


def as_duckdb(table):
    return pytest.importorskip("duckdb").from_arrow(pa.table(table))


def as_feather(table):
    out = io.BytesIO()
    feather.write_feather(pa.table(table), out)
    return out.getvalue()


def as_xlsx(table):
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.append(list(table))
    for row in zip(*table.values(), strict=True):
        sheet.append(row)
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


WAYS = [
    as_xlsx,
    as_polars_lazily,
    as_duckdb,
    as_feather,
    as_csv,
    as_json,
    dict,
    pa.table,
    as_parquet,
    pd.DataFrame,
    as_polars,
]


def record(data):
    found = describe_dataset(data).to_dict()
    for key in ("source", "warnings"):
        del found[key]
    return found


@settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.filter_too_much]
)
@given(tables())
def test_the_same_record_by_every_way(table):
    expected = record(table)
    has_blank_rows = any(set(row) == {None} for row in zip(*table.values(), strict=True))
    for way in WAYS:
        # On a sheet a blank row is none.
        if way is not as_xlsx or not has_blank_rows:
            assert record(way(table)) == expected, way.__name__


# ------------------------------------------------------------------ what only typed frames can hold
MONEY = decimal.Decimal("0.001")
TYPED = {
    "float": (pa.float64(), st.floats(width=64) | st.sampled_from([math.nan, math.inf, -math.inf, -0.0])),
    "single": (pa.float32(), st.floats(width=32)),
    "int": (pa.int64(), st.integers(-(2**63), 2**63 - 1)),
    "small": (pa.int16(), st.integers(-(2**15), 2**15 - 1)),
    "unsigned": (pa.uint64(), st.integers(0, 2**64 - 1)),
    "flag": (pa.bool_(), st.booleans()),
    "text": (pa.string(), st.text(st.characters(codec="utf-8", exclude_characters="\0"), max_size=6)),
    "day": (pa.date32(), DAY),
    "moment": (pa.timestamp("us"), MOMENT),
    "instant": (pa.timestamp("us", "UTC"), MOMENT.map(lambda t: t.replace(tzinfo=dt.UTC))),
    "money": (pa.decimal128(12, 3), st.integers(-(10**8), 10**8).map(lambda n: n * MONEY)),
    "industry": (pa.dictionary(pa.int32(), pa.string()), st.sampled_from(["银行", "白酒", "医药"])),
    "nothing": (pa.string(), st.none()),
}  # fmt: skip


@st.composite
def typed_tables(draw):
    rows = draw(st.integers(0, 12))
    names = draw(st.lists(st.sampled_from(sorted(TYPED)), min_size=1, unique=True))
    columns = {}
    for name in names:
        storage, cells = TYPED[name]
        drawn = draw(st.lists(st.none() | cells, min_size=rows, max_size=rows))
        value_type = storage.value_type if pa.types.is_dictionary(storage) else storage
        array = pa.array(drawn, value_type)
        columns[name] = array.dictionary_encode() if pa.types.is_dictionary(storage) else array
    return pa.table(columns)


def as_pandas_of_arrow(table):
    return table.to_pandas(types_mapper=pd.ArrowDtype)


def in_polars(table):
    return pytest.importorskip("polars").from_arrow(table)


def as_batches(table):
    return table.to_reader(max_chunksize=2)


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(typed_tables())
def test_the_same_record_by_every_engine(table):
    expected = record(table)
    for way in (as_parquet, as_feather, as_batches, as_duckdb, in_polars, as_pandas_of_arrow):
        assert record(way(table)) == expected, way.__name__
