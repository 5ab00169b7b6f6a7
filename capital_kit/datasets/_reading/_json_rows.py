"""Where the rows lie in a JSON value, and how they become columns."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from capital_kit._core.notices import Notice
from capital_kit.datasets._cells._times import parse_time
from capital_kit.datasets._cells._typed import examples
from capital_kit.datasets._cells._values import fold
from capital_kit.datasets._reading._candles import candle_names
from capital_kit.datasets._reading._header_rows import looks_like_header
from capital_kit.datasets._reading._json_pages import page_notice
from capital_kit.datasets._reading._text_rows import Row
from capital_kit.errors import DatasetError

ROW_KEYS = ("item", "items", "data", "rows", "list", "records", "result", "results", "stock_items", "values")
_NAME_KEYS = ("columns", "fields", "headers", "header")
_DEEPEST = 4
_SHOWN_FIELDS = 12
_FENCED = re.compile(r"\s*```\w*\n(.*)\n```\s*", re.DOTALL)
_CODE_KEY = re.compile(r"(?:sh|sz|bj|hk|us|SH|SZ|BJ)?\.?\d{5,6}(?:\.(?:SH|SZ|BJ|HK|SS|OF))?")


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows of a JSON value as columns, where they lay, and what lay beside them."""

    names: list[str]
    columns: list[list[Any]]
    row_key: str | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()


def find_rows(value: Any, name: str, row_key: str | None = None) -> Rows | None:
    """Find the rows in a JSON-like value; None where it holds none.

    Raises
    ------
    DatasetError
        ``dataset_rows_ambiguous`` with ``array_keys``, ``dataset_empty`` for an empty array.
    """
    value, unpacked = _unpacked(value)
    rows = _rows_of(value, name, row_key)
    return rows and replace(rows, notices=(*unpacked, *rows.notices))


def _rows_of(value: Any, name: str, row_key: str | None) -> Rows | None:
    if isinstance(value, list):
        if not value:
            raise DatasetError.of("dataset_empty", "rows", name=name)
        return _table(value, None)
    if not isinstance(value, Mapping):
        return None
    if not value:
        raise DatasetError.of("dataset_empty", "rows", name=name)
    if row_key is None and _are_columns(value):
        return _from_columns(value, None)
    if row_key is not None and (tables := [(p, t) for p, t in _mappings(value, "") if p == row_key]):
        return _from_mapping(value, *tables[0])
    arrays = dict(_arrays(value, ""))
    chosen = _chosen(arrays, name, row_key)
    if chosen is None:
        tables = list(_mappings(value, ""))
        return _from_mapping(value, *tables[0]) if len(tables) == 1 else None
    parent = _parent(value, chosen)
    rows = _table(arrays[chosen], chosen, parent)
    others = [key for key in arrays if key != chosen and arrays[key] and not _names_rows(key, chosen)]
    notices = [*rows.notices, *_beside(parent, chosen, others)]
    if page := page_notice({**value, **parent}, len(arrays[chosen])):
        notices.append(page)
    return replace(rows, notices=tuple(notices))


def _unpacked(value: Any) -> tuple[Any, tuple[Notice, ...]]:
    """Take the answer out of a tool call's envelope: result.content[].text holds JSON again."""
    holder = value.get("result", value) if isinstance(value, Mapping) else None
    parts = holder.get("content") if isinstance(holder, Mapping) else None
    if holder is None or not isinstance(parts, list) or "structuredContent" in holder:
        return value, ()
    texts = [
        str(part.get("text")) for part in parts if isinstance(part, Mapping) and part.get("type") == "text"
    ]
    found = {text: inner for text in texts if isinstance(inner := _json_in(text), dict | list)}
    if not found:
        return value, ()
    values = [found[text] for text in texts if text in found]
    prose = [text.strip() for text in texts if text not in found and text.strip()]
    notice = Notice("datasets", "lines_skipped", count=len(prose), examples=examples(prose, 2))
    return (values[0] if len(values) == 1 else values), ((notice,) if prose else ())


def _json_in(text: str) -> Any:
    match = _FENCED.fullmatch(text)
    try:
        return json.loads(match[1] if match else text)
    except ValueError:
        return None


def _are_columns(value: Mapping[str, Any]) -> bool:
    """Tell whether a value holds columns: lists of one length, with single fields beside two or more."""
    lists = [column for column in value.values() if isinstance(column, list | tuple)]
    if not lists or len({len(column) for column in lists}) != 1 or not lists[0]:
        return False
    if len(lists) < len(value) and (len(lists) < 2 or any(isinstance(v, Mapping) for v in value.values())):
        return False
    nested = [
        key for key, column in value.items() if isinstance(column, list | tuple) and _holds_more(column)
    ]
    if not nested or len(lists) < len(value) or len(nested) > len(lists) - 2:
        return not nested
    # A column of lists or objects beside others is a column, unless it is named like the rows.
    return not {*nested}.intersection(ROW_KEYS) and not {*value}.intersection(_NAME_KEYS)


def _holds_more(column: Sequence[Any]) -> bool:
    return any(isinstance(cell, Mapping | list) for cell in column[:5])


def _from_columns(value: Mapping[str, Any], key: str | None) -> Rows:
    lists = {str(name): list(column) for name, column in value.items() if isinstance(column, list | tuple)}
    beside = () if len(lists) == len(value) else _beside(value, key or "", ())
    return Rows(names=list(lists), columns=list(lists.values()), row_key=key, notices=tuple(beside))


# ------------------------------------------------------------------ rows without an array of rows
def _from_mapping(value: Mapping[str, Any], path: str, table: Mapping[str, Any]) -> Rows:
    """Return the table that an object holds as columns, or as records by key."""
    if _are_columns(table):
        return _from_columns(table, path or None)
    rows = _from_records(table, path or None)
    parent = _parent(value, path) if path else {}
    return replace(rows, notices=(*rows.notices, *_beside(parent, path, ())))


def _mappings(value: Mapping[str, Any], path: str, depth: int = 1) -> Any:
    """Yield the tables, with their paths, that need no array of rows."""
    if (path and _are_columns(value)) or _are_records(value) or _are_records(_turned(value)):
        yield path, value
        return
    for key, child in value.items():
        if isinstance(child, Mapping) and depth < _DEEPEST:
            yield from _mappings(child, f"{path}.{key}" if path else str(key), depth + 1)


def _are_records(value: Mapping[str, Any]) -> bool:
    """Tell whether keys that are days, codes or numbers from 0 lead to one record each."""
    records = list(value.values())
    if len(records) < 2 or not all(isinstance(record, Mapping) and record for record in records):
        return False
    if not all(_are_scalars(list(record.values())) for record in records[:5]):
        return False
    return _label(list(value)) is not None


def _label(keys: list[str]) -> str | None:
    """Return the name for keys that label rows; an empty one for 0, 1, 2 …, which say nothing."""
    if keys == [str(number) for number in range(len(keys))]:
        return ""
    if all(_CODE_KEY.fullmatch(key) for key in keys):
        return "code"
    return "date" if all(parse_time(key) for key in keys) else None


def _turned(value: Mapping[str, Any]) -> dict[str, Any]:
    """Return records by row from columns that are mappings with the same row labels; empty if none are."""
    columns = list(value.values())
    if len(columns) < 2 or not all(isinstance(column, Mapping) for column in columns):
        return {}
    if any(column.keys() != columns[0].keys() for column in columns):
        return {}
    return {label: {name: value[name][label] for name in value} for label in columns[0]}


def _from_records(value: Mapping[str, Any], key: str | None) -> Rows:
    records = value if _are_records(value) else _turned(value)
    rows = _table(list(records.values()), key)
    label = _label(list(records))
    if not label:
        return rows
    notice = Notice("datasets", "keys_as_column", column=label)
    return replace(
        rows,
        names=[label, *rows.names],
        columns=[list(records), *rows.columns],
        notices=(*rows.notices, notice),
    )


# ------------------------------------------------------------------ which array holds the rows
def _arrays(value: Mapping[str, Any], path: str, depth: int = 1) -> Any:
    for key, child in value.items():
        here = f"{path}.{key}" if path else str(key)
        if isinstance(child, list):
            if not child or any(isinstance(cell, Mapping | list) for cell in child):
                yield here, child
            elif (lines := _split(child)) is not None:
                yield here, lines
        elif isinstance(child, Mapping) and depth < _DEEPEST:
            yield from _arrays(child, here, depth + 1)


def _split(lines: list[Any]) -> list[list[str]] | None:
    """Return the rows of lines such as ``2024-01-02,9.39,9.21,9.42,9.21``; None for any other strings."""
    if not all(isinstance(line, str) for line in lines):
        return None
    rows = [line.split(",") for line in lines]
    width = len(rows[0])
    if width < 4 or any(len(row) != width for row in rows) or not all(parse_time(row[0]) for row in rows):
        return None
    return rows


def _chosen(arrays: Mapping[str, list[Any]], name: str, row_key: str | None) -> str | None:
    if row_key is not None:
        fitting = [key for key in arrays if key == row_key or key.endswith(f".{row_key}")]
        if len(fitting) != 1:
            raise _ambiguous(name, list(arrays), "" if fitting else "missing", row_key)
        return fitting[0]
    filled = [key for key in arrays if arrays[key]]
    filled = [key for key in filled if not any(_names_rows(key, other) for other in filled if other != key)]
    known = [key for key in filled if key.rsplit(".", 1)[-1] in ROW_KEYS]
    for candidates in (filled, known):
        if len(candidates) == 1:
            return candidates[0]
    if filled:
        raise _ambiguous(name, filled, "", None)
    if any(key.rsplit(".", 1)[-1] in ROW_KEYS for key in arrays):
        raise DatasetError.of("dataset_empty", "rows", name=name)
    return None


def _ambiguous(name: str, keys: list[str], variant: str, row_key: str | None) -> DatasetError:
    if variant:
        return DatasetError.of(
            "dataset_rows_ambiguous", "missing", name=name, row_key=row_key, array_keys=keys
        )  # fmt: skip
    return DatasetError.of("dataset_rows_ambiguous", name=name, array_keys=keys)


def _names_rows(key: str, rows: str) -> bool:
    """Tell whether ``data.columns`` names the columns of ``data.rows``."""
    parent, _, last = key.rpartition(".")
    other, _, last_of_rows = rows.rpartition(".")
    return parent == other and last in _NAME_KEYS and last_of_rows in ROW_KEYS


def _parent(value: Mapping[str, Any], path: str) -> Mapping[str, Any]:
    keys = path.split(".")
    for at in range(len(keys)):
        # A key may itself hold a dot; the longest that leads on is taken.
        if ".".join(keys[at:]) in value:
            return value
        value = value[keys[at]]
    return value


def _beside(parent: Mapping[str, Any], chosen: str, others: Sequence[str]) -> list[Notice]:
    notices = []
    if others:
        notices.append(Notice("datasets", "rows_chosen", row_key=chosen, others=", ".join(others)))
    fields = [
        f"{key}={str(field)[:60]}"
        for key, field in parent.items()
        if field is not None and not isinstance(field, Mapping | list)
    ]
    known = {chosen, *others}
    prefix = chosen.rpartition(".")[0]
    fields += [
        f"{key}=[{len(field)}]"
        for key, field in parent.items()
        if isinstance(field, list) and field and key not in (*_NAME_KEYS, "index", "units")
        if (f"{prefix}.{key}" if prefix else str(key)) not in known
    ]
    if fields:
        notices.append(Notice("datasets", "envelope_fields", fields=", ".join(fields[:_SHOWN_FIELDS])))
    return notices


# ------------------------------------------------------------------ rows to columns
def _table(rows: list[Any], key: str | None, parent: Mapping[str, Any] | None = None) -> Rows:
    if all(isinstance(row, list | tuple) for row in rows):
        return _from_lists(rows, key, parent or {})
    unfolded, notices = _unfold(rows)
    others = sum(not isinstance(row, Mapping) for row in unfolded)
    names = list(dict.fromkeys(name for row in unfolded if isinstance(row, Mapping) for name in row))
    columns = [[row.get(name) if isinstance(row, Mapping) else None for row in unfolded] for name in names]
    names = [str(name) for name in names]
    if others:
        names.append("value")
        columns.append([None if isinstance(row, Mapping) else row for row in unfolded])
        if others < len(unfolded):
            notices = (*notices, Notice("datasets", "not_rows", count=others, column="value"))
    return Rows(names=names, columns=columns, row_key=key, notices=notices)


def _from_lists(rows: list[Any], key: str | None, parent: Mapping[str, Any]) -> Rows:
    given = next((parent[name] for name in _NAME_KEYS if isinstance(parent.get(name), list)), None)
    names = [str(c.get("name", "")) if isinstance(c, Mapping) else str(c) for c in given or []]
    if given is None and len(rows) > 1 and _is_header(rows[0]):
        names, rows = list(rows[0]), rows[1:]
    width = max([len(names), *map(len, rows)])
    uneven = [at + 1 for at, row in enumerate(rows) if len(row) != width]
    columns = [[row[at] if at < len(row) else None for row in rows] for at in range(width)]
    notices: tuple[Notice, ...] = ()
    if uneven:
        shown = ", ".join(map(str, uneven[:3]))
        notices = (Notice("datasets", "ragged_rows", count=len(uneven), width=width, examples=shown),)
    if not names and (names := candle_names(columns)):
        notices = (*notices, Notice("datasets", "candles_named", names=list(names)))
    names += [""] * (width - len(names))
    index = parent.get("index")
    if given is not None and isinstance(index, list) and len(index) == len(rows) != 0 and not _counts(index):
        names, columns = ["index", *names], [list(index), *columns]
    return Rows(names=names, columns=columns, row_key=key, units=_units(parent), notices=notices)


def _is_header(row: Sequence[Any]) -> bool:
    if not row or not all(isinstance(cell, str) for cell in row):
        return False
    return looks_like_header(Row(cells=list(row), first_line=0, next_line=1), len(row))


def _counts(index: list[Any]) -> bool:
    return index == list(range(len(index)))


def _units(parent: Mapping[str, Any]) -> dict[str, str]:
    """Return the units that an answer lists beside its rows: ``{"HIGH 单位：": "元"}``."""
    listed = parent.get("unit") or parent.get("units")
    if not isinstance(listed, Mapping):
        return {}
    return {
        fold(str(key)).removesuffix(":").removesuffix("单位").strip(): str(unit)
        for key, unit in listed.items()
    }


def _unfold(rows: list[Any]) -> tuple[list[Any], tuple[Notice, ...]]:
    """Give each element its row where records hold series: ``{"date": [...], "value": [...]}``."""
    if not all(isinstance(row, Mapping) for row in rows):
        return rows, ()
    series = [
        name
        for name in rows[0]
        if all(isinstance(row.get(name), list) and _are_scalars(row[name]) for row in rows)
    ]
    same_length = all(len({len(row[name]) for name in series}) == 1 for row in rows if series)
    if len(series) < 2 or not same_length:
        return rows, ()
    out = []
    for row in rows:
        fixed = _flat({name: cell for name, cell in row.items() if name not in series})
        out += [
            {**fixed, **dict(zip(series, cells, strict=True))}
            for cells in zip(*(row[name] for name in series), strict=True)
        ]
    return out, (Notice("datasets", "rows_unfolded", fields=", ".join(series)),)


def _are_scalars(cells: list[Any]) -> bool:
    return not any(isinstance(cell, Mapping | list) for cell in cells)


def _flat(record: Mapping[str, Any]) -> dict[str, Any]:
    flat: dict[str, Any] = {}
    for name, cell in record.items():
        parts = cell if isinstance(cell, Mapping) else {name: cell}
        for part, child in parts.items():
            flat[part if part not in flat else f"{name}.{part}"] = child
    return flat
