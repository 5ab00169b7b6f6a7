"""NMPA: flat records whose Chinese keys are labels, and answers of the data search."""

from __future__ import annotations

import re
from typing import Any

from capital_kit.citations._layouts._leaves import field, found, leaves, walk
from capital_kit.citations._sources import Refused

_HAN = re.compile(r"[\u3400-\u9fff]")


def parts(data: Any, _identity: str, locator: str) -> list[str]:
    """Return the record as ``label:value`` lines, or one field."""
    detail = walk(data, "data", "detail")
    record = detail if isinstance(detail, dict) else data
    if not isinstance(record, dict) or not any(isinstance(value, str) for value in record.values()):
        raise Refused("unsupported_layout")
    if locator:
        return field(record, locator)
    return found([
        f"{key}:{text}" if _HAN.search(key) else text
        for key, value in record.items() for text in leaves({key: value})
    ])  # fmt: skip
