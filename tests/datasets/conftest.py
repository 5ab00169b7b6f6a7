"""What every test of reading compares: a dataset as a few lines of text."""

import pytest

from capital_kit.datasets import time_text

_TEMPORAL = ("date", "datetime", "month", "quarter", "year")


def _cell(value, kind):
    return time_text(value, kind) if kind in _TEMPORAL else str(value).replace("\n", "⏎")


def _line(dataset, column):
    values = dataset.table.column(column.name).to_pylist()
    stated = [value for value in values if value is not None]
    kind = column.kind + (f" {column.timezone}" if column.timezone else "")
    ends = f"{_cell(values[0], column.kind)} … {_cell(values[-1], column.kind)}" if values else "…"
    sum_ = f"Σ {sum(stated):.12g}" if column.kind in ("number", "integer") else ""
    parts = [column.name, kind, column.unit or "", f"{len(values) - len(stated)} null", ends, sum_]
    return " | ".join(part for part in parts if part and part != "0 null")


@pytest.fixture
def facts():
    """Return a function that writes down how a dataset was read, its columns and what was said."""

    def write(dataset):
        source = dataset.source
        found = [source.format, source.encoding, f"{dataset.rows} rows"]
        for name in ("skip_top", "header_rows", "total_rows", "skip_bottom"):
            number = getattr(source, name)
            if number and (name, number) != ("header_rows", 1):
                found.append(f"{name} {number}")
        if source.delimiter not in (None, ",", "\t"):
            found.append(f"delimiter {source.delimiter}")
        if source.row_key:
            found.append(f"row_key {source.row_key}")
        lines = [", ".join(part for part in found if part), *(_line(dataset, c) for c in dataset.columns)]
        return "\n".join([*lines, *(f"! {notice.code}" for notice in dataset.warnings)])

    return write
