"""Records as strict JSON."""

from __future__ import annotations

import dataclasses
import datetime as dt
import math
from collections.abc import Mapping
from pathlib import PurePath
from typing import Any


def plain(value: Any) -> Any:
    """Return ``value`` as dicts, lists, str, int, float, bool and None that strict JSON accepts.

    Dataclasses become dicts by field, unless they have ``to_dict``; NaN and infinities become
    None; dates and times become ISO text; paths become their name only, so that no record tells
    where on a machine it was made; numpy scalars become Python's.
    """
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value + 0.0 if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {str(key): plain(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if isinstance(value, set | frozenset):
        return sorted((plain(item) for item in value), key=str)
    return _plain_object(value)


def _plain_object(value: Any) -> Any:
    if hasattr(value, "to_dict"):
        return plain(value.to_dict())
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {f.name: plain(getattr(value, f.name)) for f in dataclasses.fields(value)}
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return value.isoformat()
    if isinstance(value, PurePath):
        return value.name
    if hasattr(value, "item"):
        return plain(value.item())
    return str(value)
