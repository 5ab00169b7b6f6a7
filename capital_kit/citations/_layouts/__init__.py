"""Layouts: which fields of which record a locator means. Field names only, never their contents.

Each layout takes the parsed JSON, the id and the locator, and returns the parts of the section.
A record that says it is another one, or is built in an unknown way, is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from capital_kit.citations._layouts import _aact, _bioc, _europepmc, _nmpa, _pubmed, _trials

Layout = Callable[[Any, str, str], list[str]]

LAYOUTS: dict[str, Layout] = {
    "pmid": _pubmed.parts,
    "europepmc": _europepmc.parts,
    "nct": _trials.parts,
    "aact": _aact.parts,
    "bioc": _bioc.parts,
    "nmpa-page": _nmpa.parts,
}

# The locators that a layout knows by name; a record has some of them.
PLACES: dict[str, tuple[str, ...]] = {
    "pmid": ("title", "abstract"),
    "europepmc": ("title", "abstract"),
    "nct": _trials.PLACES,
    "aact": _aact.PLACES,
    "bioc": _bioc.PLACES,
    "nmpa-page": (),
}

__all__ = ["LAYOUTS", "PLACES", "Layout"]
