"""Which measures may be drawn on one scale."""

from __future__ import annotations

import re
from typing import Any

import numpy as np

from capital_kit.datasets._description import SeriesGroup
from capital_kit.datasets._facts._quality import Subject

SERIES_SPREAD = 20
_RATE = re.compile(
    r"率|幅|同比|环比|增速|占比|(?:^|[_\W])(?:pct|ratio|rate|return|yield|growth)(?:$|[_\W])|%", re.IGNORECASE
)
_PLACE = re.compile(r"经度|纬度|lat|lon|lng|latitude|longitude", re.IGNORECASE)


def series_groups(subject: Subject) -> tuple[SeriesGroup, ...]:
    """Return the measures that may share one scale: two or more of one sort, unit and magnitude.

    Measures of one unit are taken from the smallest on; a group ends where the next median
    magnitude is more than 20 times its first.
    """
    units: dict[tuple[Any, ...], list[tuple[float, str]]] = {}
    for name in subject.roles.measures:
        measured = subject.columns[name]
        facts = measured.facts
        if measured.magnitude:
            unit = (facts.unit, facts.unit_scale, facts.kind == "percent", _measured_thing(subject, name))
            units.setdefault(unit, []).append((measured.magnitude, name))
    place = {name: index for index, name in enumerate(subject.columns)}
    groups = []
    for unit, members in units.items():
        group: list[tuple[float, str]] = []
        for member in sorted(members, key=lambda pair: (pair[0], place[pair[1]])):
            if group and member[0] > SERIES_SPREAD * group[0][0]:
                groups.append((unit[0], group))
                group = []
            group.append(member)
        groups.append((unit[0], group))
    found = [
        _series_group(subject, sorted((name for _, name in group), key=place.__getitem__), unit)
        for unit, group in groups
        if len(group) > 1
    ]
    return tuple(sorted(found, key=lambda group: place[group.columns[0]]))


def _measured_thing(subject: Subject, name: str) -> str:
    """Return what sets a measure apart though its unit is not stated: a rate is no price."""
    if name in (subject.roles.volume, subject.roles.amount):
        return name
    return "rate" if _RATE.search(name) else name if _PLACE.fullmatch(name) else ""


def _series_group(subject: Subject, names: list[str], unit: str | None) -> SeriesGroup:
    partial = [valid for name in names if (valid := subject.columns[name].valid) is not None]
    shared = int(np.count_nonzero(np.logical_and.reduce(partial))) if partial else subject.rows
    return SeriesGroup(columns=tuple(names), unit=unit, shared_points=shared)
