"""JSON: find the rows in what an interface answered."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from capital_kit._core.notices import Notice
from capital_kit.datasets._assemble import assemble
from capital_kit.datasets._headers import Header, read_headers, read_unit
from capital_kit.datasets._model import Dataset, Kind, Source
from capital_kit.datasets._sniff import to_utf8
from capital_kit.datasets._values import fold
from capital_kit.errors import DatasetError

ROW_KEYS = ("item", "items", "data", "rows", "list", "records", "result", "results", "stock_items", "values")
_NAME_KEYS = ("columns", "fields", "headers", "header")
_DEEPEST = 4
_SHOWN_FIELDS = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class Rows:
    """The rows of a JSON value as columns, where they lay, and what lay beside them."""

    names: list[str]
    columns: list[list[Any]]
    row_key: str | None = None
    units: Mapping[str, str] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()


def read_json(
    data: bytes,
    name: str,
    *,
    encoding: str | None = None,
    row_key: str | None = None,
    kinds: Mapping[str, Kind] | None = None,
) -> Dataset:
    """Read a JSON document or JSON Lines."""
    decoded = to_utf8(data, name, encoding)
    text = decoded.data.decode("utf-8")
    if not text.strip():
        raise DatasetError.of("dataset_empty", name=name)
    notices: tuple[Notice, ...] = ()
    source = Source(format="json", label=name, encoding=decoded.encoding)
    try:
        value = json.loads(text)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data" or "\n" not in text.strip():
            raise _invalid(name, error) from None
        value, notices = _lines(text, name)
        source = replace(source, format="jsonl")
    except (RecursionError, ValueError):
        raise _too_deep(name) from None
    return from_value(value, source, row_key=row_key, kinds=kinds, notices=notices)


def _too_deep(name: str) -> DatasetError:
    return DatasetError.of("dataset_json_invalid", "deep", name=name)


def _invalid(name: str, error: json.JSONDecodeError, line: int | None = None) -> DatasetError:
    return DatasetError.of(
        "dataset_json_invalid", name=name, line=line or error.lineno, position=error.colno, reason=error.msg
    )


def _lines(text: str, name: str) -> tuple[list[Any], tuple[Notice, ...]]:
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    values = []
    for number, line in lines:
        try:
            values.append(json.loads(line))
        except json.JSONDecodeError as error:
            if number == lines[-1][0] and not text.endswith("\n") and len(values) > 1:
                return values, (Notice("datasets", "truncated_lines"),)
            raise _invalid(name, error, number) from None
        except (RecursionError, ValueError):
            raise _too_deep(name) from None
    return values, ()


def from_value(
    value: Any,
    source: Source,
    *,
    row_key: str | None = None,
    kinds: Mapping[str, Kind] | None = None,
    notices: Sequence[Notice] = (),
) -> Dataset:
    """Return the dataset in a JSON-like value; without rows its leaves, as a document.

    Raises
    ------
    DatasetError
        ``dataset_json_invalid`` for a value nested too deeply, and what :func:`find_rows` raises.
    """
    try:
        rows = find_rows(value, source.label, row_key)
        if rows is None:
            headers, _ = read_headers(["path", "value"])
            leaves = list(_leaves(value, ""))
            columns = [[path for path, _ in leaves], [leaf for _, leaf in leaves]]
            told: dict[str, Kind] = {"path": "text", "value": "text"}
            notes = [*notices, Notice("datasets", "document")]
            return assemble(headers, columns, source, kinds=told, notices=notes, shape="document")
        headers, found = read_headers(rows.names)
        headers = [_with_unit(header, rows.units) for header in headers]
        source = replace(source, row_key=rows.row_key)
        return assemble(headers, rows.columns, source, kinds=kinds, notices=[*notices, *rows.notices, *found])
    except RecursionError:
        raise _too_deep(source.label) from None


def _with_unit(header: Header, units: Mapping[str, str]) -> Header:
    unit = units.get(header.written)
    found = read_unit(unit) if unit and header.unit is None else None
    return replace(header, unit=found[0], unit_scale=found[1]) if found else header


def _leaves(value: Any, path: str) -> Any:
    if isinstance(value, Mapping) and value:
        for key, child in value.items():
            yield from _leaves(child, f"{path}.{key}" if path else str(key))
    elif isinstance(value, list) and value:
        for at, child in enumerate(value):
            yield from _leaves(child, f"{path}[{at}]")
    else:
        as_it_is = value is None or isinstance(value, str)
        yield path, value if as_it_is else json.dumps(value, ensure_ascii=False)


# ------------------------------------------------------------------ where the rows are
def find_rows(value: Any, name: str, row_key: str | None = None) -> Rows | None:
    """Find the rows in a JSON-like value; None where it holds none.

    Raises
    ------
    DatasetError
        ``dataset_rows_ambiguous`` with ``array_keys``, ``dataset_empty`` for an empty array.
    """
    value = _unpacked(value)
    if isinstance(value, list):
        if not value:
            raise DatasetError.of("dataset_empty", name=name)
        return _table(value, None)
    if not isinstance(value, Mapping):
        return None
    if not value:
        raise DatasetError.of("dataset_empty", name=name)
    if row_key is None and _are_columns(value):
        return Rows(names=[str(key) for key in value], columns=[list(column) for column in value.values()])
    arrays = dict(_arrays(value, ""))
    chosen = _chosen(arrays, name, row_key)
    if chosen is None:
        return None
    parent = _parent(value, chosen)
    rows = _table(arrays[chosen], chosen, parent)
    others = [key for key in arrays if key != chosen and arrays[key] and not _names_rows(key, chosen)]
    return replace(rows, notices=(*rows.notices, *_beside(parent, chosen, others)))


def _unpacked(value: Any) -> Any:
    """Take the answer out of a tool call's envelope: result.content[].text holds JSON again."""
    try:
        texts = [part["text"] for part in value["result"]["content"] if part.get("type") == "text"]
        values = [json.loads(text) for text in texts]
    except (KeyError, TypeError, AttributeError, ValueError):
        return value
    if not values:
        return value
    return values[0] if len(values) == 1 else values


def _are_columns(value: Mapping[str, Any]) -> bool:
    lengths = {len(column) if isinstance(column, list | tuple) else None for column in value.values()}
    if len(lengths) != 1 or None in lengths or lengths == {0}:
        return False
    return not any(isinstance(cell, Mapping | list) for column in value.values() for cell in column[:5])


def _arrays(value: Mapping[str, Any], path: str, depth: int = 1) -> Any:
    for key, child in value.items():
        here = f"{path}.{key}" if path else str(key)
        if isinstance(child, list):
            if not child or any(isinstance(cell, Mapping | list) for cell in child):
                yield here, child
        elif isinstance(child, Mapping) and depth < _DEEPEST:
            yield from _arrays(child, here, depth + 1)


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
        raise DatasetError.of("dataset_empty", name=name)
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
    first = rows[0]
    if given is None and len(rows) > 1 and first and all(isinstance(cell, str) for cell in first):
        names, rows = list(first), rows[1:]
    width = max([len(names), *map(len, rows)])
    uneven = [at + 1 for at, row in enumerate(rows) if len(row) != width]
    columns = [[row[at] if at < len(row) else None for row in rows] for at in range(width)]
    notices: tuple[Notice, ...] = ()
    if uneven:
        shown = ", ".join(map(str, uneven[:3]))
        notices = (Notice("datasets", "ragged_rows", count=len(uneven), width=width, examples=shown),)
    names += [""] * (width - len(names))
    return Rows(names=names, columns=columns, row_key=key, units=_units(parent), notices=notices)


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
