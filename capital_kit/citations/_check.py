"""One run over a parsed report: its claims against their sources, side by side or each for itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from capital_kit.citations._anchor import Citation
from capital_kit.citations._claims import Claim, Parsed
from capital_kit.citations._match import Found
from capital_kit.citations._sources import Refused
from capital_kit.citations._store import Section, SourceFolder, SourceStore
from capital_kit.citations._uncited import is_factual
from capital_kit.citations._verify import Outcome, Scope, claim_keywords, judge

Grouping = Literal["adjacent", "each"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Rules:
    """How a report is checked.

    ``keywords`` are given by anchor and stand in for the words of the claims that cite it.
    """

    scope: Scope = "section"
    group: Grouping = "adjacent"
    keywords: Mapping[str, Sequence[str]] = field(default_factory=dict)


class Check:
    """One run over a report; each section is opened once, so that all claims see the same files."""

    def __init__(self, files: SourceFolder, store: SourceStore, rules: Rules) -> None:
        self._folder = files
        self._store = store
        self._rules = rules
        self._sections: dict[Citation, Section | str] = {}
        self.factual: dict[str, bool] = {}

    def outcomes(self, parsed: Parsed) -> Iterator[tuple[Claim, Outcome]]:
        """Yield what becomes of every claim."""
        groups: dict[int, list[Claim]] = {}
        for claim in parsed.claims:
            groups.setdefault(claim.group, []).append(claim)
        for group in groups.values():
            for members in [group] if self._rules.group == "adjacent" else [[claim] for claim in group]:
                yield from self._together(members)

    def _section(self, citation: Citation) -> Section | str:
        if citation not in self._sections:
            try:
                self._sections[citation] = self._store.section(citation, self._folder)
            except Refused as refusal:
                self._sections[citation] = refusal.code
        return self._sections[citation]

    def _keywords(self, claims: Sequence[Claim]) -> Sequence[str] | None:
        """Return the keywords that the report, else the caller, gives for a claim."""
        given = [word for claim in claims for word in self._rules.keywords.get(claim.citation.anchor_str, ())]
        return claims[0].keywords or given or None

    def _together(self, claims: Sequence[Claim]) -> Iterator[tuple[Claim, Outcome]]:
        """Check anchors that stand side by side: a keyword may come from any of them."""
        said = claims[0].claim_text
        wanted = claim_keywords(said, self._keywords(claims))
        # Asked here, while the claim is at hand in its parts.
        self.factual[said] = is_factual(said)
        if wanted is None:
            yield from ((claim, Outcome("claim_too_long", verified=False)) for claim in claims)
            return
        sections = [self._section(claim.citation) for claim in claims]
        tables = [
            tuple(section.index.find(keyword) for keyword in wanted) if isinstance(section, Section) else None
            for section in sections
        ]
        together = [any(table is not None and table[i].ok for table in tables) for i in range(len(wanted))]
        for claim, section, table in zip(claims, sections, tables, strict=True):
            if not isinstance(section, Section) or table is None:
                unchecked = tuple(Found(keyword, (), (keyword.text,)) for keyword in wanted)
                code = section if isinstance(section, str) else "no_file"
                yield claim, Outcome(code, verified=False, found=unchecked)
                continue
            own = _own_part(table, together)
            outcome = judge(own, section, said, scope=self._rules.scope, located=bool(claim.citation.locator))
            if len(claims) > 1 and wanted and not any(item.ok for item in table):
                outcome = Outcome("idle_anchor", verified=False, found=table, section=section,
                                  excerpt=outcome.excerpt, excerpt_start=outcome.excerpt_start)  # fmt: skip
            yield claim, outcome


def _own_part(table: tuple[Found, ...], together: Sequence[bool]) -> tuple[Found, ...]:
    """Leave out what this source lacks and another of the group has."""
    return tuple(item for item, held in zip(table, together, strict=True) if item.ok or not held)
