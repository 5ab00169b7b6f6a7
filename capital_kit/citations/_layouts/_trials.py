"""ClinicalTrials.gov: API v2 studies, search answers with several of them, flat records."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from capital_kit.citations._layouts._leaves import field, found, is_same, leaves, one, walk
from capital_kit.citations._sources import Refused

_MODULES: dict[str, tuple[str, ...]] = {
    "eligibility": ("protocolSection", "eligibilityModule"),
    "status": ("protocolSection", "statusModule"),
    "sponsor": ("protocolSection", "sponsorCollaboratorsModule"),
    "description": ("protocolSection", "descriptionModule"),
    "conditions": ("protocolSection", "conditionsModule"),
    "design": ("protocolSection", "designModule"),
    "arms": ("protocolSection", "armsInterventionsModule"),
    "outcomes": ("protocolSection", "outcomesModule"),
    "locations": ("protocolSection", "contactsLocationsModule"),
    "references": ("protocolSection", "referencesModule"),
    "results": ("resultsSection",),
    "baseline": ("resultsSection", "baselineCharacteristicsModule"),
    "flow": ("resultsSection", "participantFlowModule"),
    "outcome-results": ("resultsSection", "outcomeMeasuresModule"),
    "adverse": ("resultsSection", "adverseEventsModule"),
}
_FLAT = frozenset({"title", "phase", "eligibility", "results", "interventions"})
_SECTIONS = ("protocolSection", "resultsSection", "annotationSection", "documentSection", "derivedSection")

PLACES = ("title", *_MODULES)


def parts(data: Any, nct: str, locator: str) -> list[str]:
    """Return a module, a section, a dotted path, a field, or everything."""
    record = _study(data, nct)
    if "protocolSection" not in record:
        if not locator:
            return found(leaves(record, markdown=True))
        return field(record, locator, markdown=True)
    if not locator:
        return found(_texts({name: record[name] for name in _SECTIONS[:2] if name in record}))
    if locator == "title":
        module = walk(record, "protocolSection", "identificationModule") or {}
        return found(leaves([module.get("briefTitle"), module.get("officialTitle")], markdown=True))
    path = _MODULES.get(locator) or tuple(locator.split("."))
    node = walk(record, *path)
    if node is None and path[0] not in _SECTIONS:
        node = walk(record, "protocolSection", *path) or walk(record, "resultsSection", *path)
    if node is None:
        raise Refused("locator_not_found")
    return found(_texts(node))


def _study(data: Any, nct: str) -> dict[str, Any]:
    studies = data.get("studies") if isinstance(data, dict) else None
    rows = studies if isinstance(studies, list) else [data]
    if not all(isinstance(row, dict) for row in rows) or not rows:
        raise Refused("unsupported_layout")
    if rows == [data] and "protocolSection" not in data and _identity(data) is None and _FLAT & data.keys():
        flat: dict[str, Any] = data
        return flat
    known = [row for row in rows if "protocolSection" in row or "nct_id" in row or "nctId" in row]
    if not known:
        raise Refused("unsupported_layout")
    record: dict[str, Any] = one([row for row in known if is_same(_identity(row), nct)])
    return record


def _identity(row: dict[str, Any]) -> Any:
    if "protocolSection" in row:
        return walk(row, "protocolSection", "identificationModule", "nctId")
    return row.get("nct_id", row.get("nctId"))


def _texts(node: Any) -> list[str]:
    """Return the leaves, and one line a measurement: its value beside its unit and its group."""
    return [*leaves(node, markdown=True), *_measurements(node), *_events(node)]


def _measurements(node: Any) -> Iterator[str]:
    for measure in _holders(node, "classes"):
        groups = _titles(measure.get("groups")) or _titles(_near_groups(node))
        unit = _plain(measure.get("unitOfMeasure"))
        names = [_plain(measure.get(key)) for key in ("title", "paramType")]
        for group_class in _dicts(measure["classes"]):
            for category in _dicts(group_class.get("categories")):
                for row in _dicts(category.get("measurements")):
                    group = groups.get(_plain(row.get("groupId")), "")
                    heads = [_plain(holder.get("title")) for holder in (group_class, category)]
                    yield _line(*names, *heads, group, _value(row, unit))


def _value(row: dict[str, Any], unit: str) -> str:
    text = f"{_plain(row.get('value'))} {unit}".strip()
    low, high, spread = (_plain(row.get(key)) for key in ("lowerLimit", "upperLimit", "spread"))
    return f"{text} ({low}–{high})" if low and high else f"{text} ({spread})" if spread else text


def _events(node: Any) -> Iterator[str]:
    for holder in _holders(node, "eventGroups"):
        groups = _titles(holder["eventGroups"])
        for kind in ("seriousEvents", "otherEvents"):
            for event in _dicts(holder.get(kind)):
                for row in _dicts(event.get("stats")):
                    share = f"{_plain(row.get('numAffected'))}/{_plain(row.get('numAtRisk'))}"
                    yield _line(_plain(event.get("term")), groups.get(_plain(row.get("groupId")), ""), share)


def _near_groups(node: Any) -> Any:
    holder = next(_holders(node, "measures"), None)
    return holder.get("groups") if holder else None


def _holders(node: Any, key: str) -> Iterator[dict[str, Any]]:
    stack = [node]
    while stack:
        item = stack.pop()
        if isinstance(item, dict):
            if isinstance(item.get(key), list):
                yield item
            stack.extend(reversed(item.values()))
        elif isinstance(item, list):
            stack.extend(reversed(item))


def _titles(groups: Any) -> dict[str, str]:
    return {_plain(group.get("id")): _plain(group.get("title")) for group in _dicts(groups)}


def _dicts(value: Any) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _plain(value: Any) -> str:
    return value if isinstance(value, str) else ""


def _line(*cells: str) -> str:
    return " | ".join(cell for cell in cells if cell)
