"""Where the commands write to."""

from __future__ import annotations

import json
import sys
from typing import Any, TextIO


def put(line: object, *, to: TextIO | None = None) -> None:
    """Write one line at once, so that a reader behind a pipe sees each step."""
    stream = to or sys.stdout
    if stream is None:  # closed by the caller, who wants no words
        return
    stream.write(f"{line}\n")
    stream.flush()


def put_json(record: dict[str, Any]) -> None:
    """Write a record as one strict JSON document."""
    put(json.dumps(record, ensure_ascii=False, indent=2, allow_nan=False))
