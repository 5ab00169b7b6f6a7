"""AACT: tables of rows, a list of rows, or one flat record."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from capital_kit.citations._layouts._leaves import field, found, is_same, leaves
from capital_kit.citations._sources import Refused

_RESULT_TABLES = (
    "outcomes", "outcome_measurements", "outcome_analyses", "outcome_analysis_groups", "outcome_counts",
    "result_groups", "reported_events", "reported_event_totals", "baseline_measurements", "baseline_counts",
    "drop_withdrawals", "milestones", "participant_flows",
)  # fmt: skip
_FLAT = frozenset({"title", "brief_title", "phase", "eligibility", "results"})
_TABLES_OF = {"results": _RESULT_TABLES, "eligibility": ("eligibilities",)}

PLACES = tuple(_TABLES_OF)


def parts(data: Any, nct: str, locator: str) -> list[str]:
    """Return the results, the eligibility, one table, one field, or everything."""
    if isinstance(data, list):
        data = {"rows": data}
    if not isinstance(data, dict):
        raise Refused("unsupported_layout")
    if "nct_id" in data:
        if not is_same(data["nct_id"], nct):
            raise Refused("identity_mismatch")
        return field(data, locator, markdown=True) if locator else found(leaves(data, markdown=True))
    if _FLAT & data.keys() and all(isinstance(data[key], str | dict) for key in _FLAT & data.keys()):
        return field(data, locator, markdown=True) if locator else found(leaves(data, markdown=True))
    tables = {name: rows for name, rows in data.items() if isinstance(rows, list)}
    _check(tables, nct)
    if not locator:
        return found(_texts(tables, tuple(tables)))
    names = _TABLES_OF.get(locator, (locator,))
    if not any(tables.get(name) for name in names):
        raise Refused("locator_not_found")
    return found(_texts(tables, names))


def _check(tables: dict[str, list[Any]], nct: str) -> None:
    rows = [row for table in tables.values() for row in table]
    if not rows or not all(isinstance(row, dict) and "nct_id" in row for row in rows):
        raise Refused("unsupported_layout")
    if not all(is_same(row["nct_id"], nct) for row in rows):
        raise Refused("identity_mismatch")


def _texts(tables: dict[str, list[Any]], names: tuple[str, ...]) -> list[str]:
    chosen = [tables[name] for name in names if name in tables]
    return [*leaves(chosen, markdown=True), *_lines(tables, names)]


def _lines(tables: dict[str, list[Any]], names: tuple[str, ...]) -> Iterator[str]:
    """Yield one line a measurement or event: what, which group, the value beside its unit."""
    groups: dict[str, str] = {}
    for row in tables.get("result_groups", ()):
        for key in ("id", "ctgov_group_code"):
            groups.setdefault(_text(row, key), _text(row, "title"))
    for name in ("outcome_measurements", "baseline_measurements"):
        for row in tables.get(name, ()) if name in names else ():
            yield _line(
                _text(row, "title"), _text(row, "param_type"), _text(row, "classification"),
                _text(row, "category"), _group(row, groups), _value(row),
            )  # fmt: skip
    for row in tables.get("reported_events", ()) if "reported_events" in names else ():
        share = f"{_text(row, 'subjects_affected')}/{_text(row, 'subjects_at_risk')}"
        yield _line(_text(row, "adverse_event_term"), _group(row, groups), share)


def _value(row: dict[str, Any]) -> str:
    text = f"{_text(row, 'param_value')} {_text(row, 'units')}".strip()
    low, high = _text(row, "dispersion_lower_limit"), _text(row, "dispersion_upper_limit")
    spread = _text(row, "dispersion_value")
    return f"{text} ({low}–{high})" if low and high else f"{text} ({spread})" if spread else text


def _group(row: dict[str, Any], groups: dict[str, str]) -> str:
    return groups.get(_text(row, "result_group_id")) or groups.get(_text(row, "ctgov_group_code"), "")


def _text(row: dict[str, Any], key: str) -> str:
    value = row.get(key)
    return value if isinstance(value, str) else ""


def _line(*cells: str) -> str:
    return " | ".join(cell for cell in cells if cell)
