"""Records of numbers, texts and numpy arrays as bytes and back; nothing in them can be executed."""

from __future__ import annotations

import dataclasses
import io
import json
from collections.abc import Mapping
from typing import Any

import numpy as np

_ARRAY, _RECORD = "#array", "#record"


def pack(record: Any) -> bytes:
    """Return a record as bytes: its arrays as numpy stores them, all else as JSON."""
    arrays: list[np.ndarray[Any, Any]] = []

    def lower(value: Any) -> Any:
        if isinstance(value, np.ndarray):
            arrays.append(value)
            return {_ARRAY: len(arrays) - 1}
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {f.name: lower(getattr(value, f.name)) for f in dataclasses.fields(value)}
            return {_RECORD: type(value).__name__, "fields": fields}
        if isinstance(value, Mapping):
            return {"items": [[key, lower(item)] for key, item in value.items()]}
        if isinstance(value, tuple | list):
            return [lower(item) for item in value]
        return value

    text = json.dumps(lower(record), ensure_ascii=False).encode("utf-8", "surrogatepass")
    sink = io.BytesIO()
    named = {f"a{place}": array for place, array in enumerate(arrays)}
    np.savez_compressed(sink, record=np.frombuffer(text, np.uint8), **named)  # type: ignore[arg-type]
    return sink.getvalue()


def unpack(data: bytes, *records: type) -> Any:
    """Return what :func:`pack` packed; ``records`` are the dataclasses that may occur in it."""
    kinds = {kind.__name__: kind for kind in records}
    with np.load(io.BytesIO(data), allow_pickle=False) as stored:

        def raised(value: Any) -> Any:
            if isinstance(value, list):
                return tuple(map(raised, value))
            if not isinstance(value, dict):
                return value
            if _ARRAY in value:
                return stored[f"a{value[_ARRAY]}"]
            if _RECORD in value:
                fields = {name: raised(item) for name, item in value["fields"].items()}
                return kinds[value[_RECORD]](**fields)
            return {key: raised(item) for key, item in value["items"]}

        return raised(json.loads(stored["record"].tobytes().decode("utf-8", "surrogatepass")))
