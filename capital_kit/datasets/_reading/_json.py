"""JSON: find the rows in what an interface answered."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from capital_kit._core.notices import Notice
from capital_kit.datasets._cells._assemble import assemble
from capital_kit.datasets._cells._headers import Header, read_headers, read_unit
from capital_kit.datasets._cells._typed import examples
from capital_kit.datasets._model import Dataset, Kind, Source
from capital_kit.datasets._reading._json_rows import find_rows
from capital_kit.datasets._reading._sniff import to_utf8
from capital_kit.errors import DatasetError

_LINES_ENDINGS = (".jsonl", ".ndjson")


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
    keys = _Keys()
    try:
        value = json.loads(text, object_pairs_hook=keys)
    except json.JSONDecodeError as error:
        if error.msg != "Extra data" or "\n" not in text.strip():
            raise _invalid(name, error) from None
        value, notices = _lines(text, name, keys)
        source = replace(source, format="jsonl")
    except (RecursionError, ValueError):
        raise _too_deep(name) from None
    else:
        if name.lower().endswith(_LINES_ENDINGS) and isinstance(value, Mapping):
            value, source = [value], replace(source, format="jsonl")
    if keys.repeated:
        shown = ", ".join(sorted(keys.repeated)[:10])
        notices = (*notices, Notice("datasets", "repeated_keys", names=shown))
    return from_value(value, source, row_key=row_key, kinds=kinds, notices=notices)


class _Keys:
    """Makes the objects of a JSON text and remembers the names that stand twice in one of them."""

    def __init__(self) -> None:
        self.repeated: set[str] = set()

    def __call__(self, pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            names = [name for name, _ in pairs]
            self.repeated.update(name for name in made if names.count(name) > 1)
        return made


def _too_deep(name: str) -> DatasetError:
    return DatasetError.of("dataset_json_invalid", "deep", name=name)


def _invalid(name: str, error: json.JSONDecodeError, line: int | None = None) -> DatasetError:
    return DatasetError.of(
        "dataset_json_invalid", name=name, line=line or error.lineno, position=error.colno, reason=error.msg
    )


def _lines(text: str, name: str, keys: _Keys) -> tuple[list[Any], tuple[Notice, ...]]:
    lines = [(number, line) for number, line in enumerate(text.split("\n"), 1) if line.strip()]
    values = []
    for number, line in lines:
        try:
            values.append(json.loads(line, object_pairs_hook=keys))
        except json.JSONDecodeError as error:
            if number == lines[-1][0] and not text.endswith("\n") and values:
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
            shown = examples([f"{path}={leaf}" for path, leaf in leaves if leaf not in (None, "")])
            notes = [*notices, Notice("datasets", "document", examples=shown)]
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
