"""The one normaliser of text for comparison, with a map back to the text it was made from.

Claim and source go through the same steps, in the same order, so that only the way of writing is
levelled (widths, dashes, superscripts, group marks, line-end hyphens) and never the meaning:
0.5 stays apart from 0.50, 50% from 0.5, 万 from digits, simplified from traditional characters.

``SEPARATOR`` (U+001E) stands between parts that no match may cross; it passes through untouched.
"""

from __future__ import annotations

import re
import unicodedata
from array import array
from collections.abc import Callable
from dataclasses import dataclass

__all__ = ["CJK", "HAN", "LETTER", "SEPARATOR", "Normalised", "normalise", "rewrite", "unchanged"]

SEPARATOR = "\x1e"

# Character classes for use inside [...]; letters are casefolded, and never Han.
HAN = "\u3005\u3007\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff"
CJK = HAN + "\u3001-\u3003\u3008-\u301f"
LETTER = "a-z\u00df-\u00f6\u00f8-\u024f\u0370-\u03ff\u0400-\u052f\u0590-\u0fff\u1e00-\u1fff\uac00-\ud7a3"

_BLANK = " \t\n\r\f\v\x85\u00a0\u1680\u2000-\u200a\u2028\u2029\u202f\u205f\u3000"
_THIN = " \u00a0\u2009\u202f"
_SUPERSCRIPTS = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_SUPER = "⁰¹²³⁴-⁹⁺⁻"
_CASED = "A-Za-zµμＡ-Ｚａ-ｚ"
# Unicode's equivalent ideographs for the radicals that NFKC leaves alone or maps to another form.
_RADICALS = str.maketrans(
    "⺁⺊⺍⺎⺒⺓⺜⺝⺟⺠⺬⺶⻁⻄⻅⻆⻉⻋⻑⻓⻔⻗⻘⻙⻚⻛⻜⻝⻢⻣⻤⻥⻦⻧⻨⻩⻪⻫⻬⻭⻮⻯⻰⻱⻲⻳⼾",
    "厂卜小兀巳幺日月母民示羊虎西见角贝车長长门雨青韦页风飞食马骨鬼鱼鸟卤麦黄黾斉齐歯齿竜龙龜亀龟户",
)
_SIGNS = str.maketrans({
    **dict.fromkeys("‐‑‒–—―−", "-"), **dict.fromkeys("〜∼", "~"), **dict.fromkeys("“”„‟", '"'),
    **dict.fromkeys("‘’‚‛", "'"), **dict.fromkeys("×✕✖", "x"), **dict.fromkeys("∙⋅‧・", "·"), "⁄": "/",
})  # fmt: skip

Replacement = str | Callable[[re.Match[str]], str]


@dataclass(frozen=True, slots=True)
class Normalised:
    """Normalised text and, for each of its characters, the span of the original it stands for."""

    text: str
    starts: array[int]
    ends: array[int]

    def span(self, start: int, end: int) -> tuple[int, int]:
        """Return the span of the original text behind ``text[start:end]``."""
        if start >= end:
            at = self.starts[start] if start < len(self.starts) else (self.ends[-1] if self.ends else 0)
            return at, at
        return self.starts[start], max(self.ends[end - 1], self.starts[start])


def normalise(text: str) -> Normalised:
    """Return ``text`` in the form in which claims and sources are compared.

    Parameters
    ----------
    text : str
        Anything; lone surrogates and control characters are allowed.

    Returns
    -------
    Normalised
        The new text with its map of offsets.
    """
    work = unchanged(text)
    # Most claims hold none of the characters of the first steps.
    for pattern, replacement in _BEFORE_FOLDING if _UNUSUAL.search(text) else _ALWAYS:
        work = rewrite(work, pattern, replacement)
    work = _fold(work)
    for needed, pattern, replacement in _AFTER_FOLDING:
        if needed in work.text:
            work = rewrite(work, pattern, replacement)
    return work


def unchanged(text: str, offset: int = 0) -> Normalised:
    """Return ``text`` as it is, with the map of a text that begins at ``offset``."""
    last = offset + len(text)
    if last < len(_COUNT):
        return Normalised(text, _COUNT[offset:last], _COUNT[offset + 1 : last + 1])
    return Normalised(text, array("I", range(offset, last)), array("I", range(offset + 1, last + 1)))


def rewrite(work: Normalised, pattern: re.Pattern[str], replacement: Replacement) -> Normalised:
    """Return ``work`` with every match replaced and its map kept."""
    if pattern.search(work.text) is None:
        return work
    pieces: list[str] = []
    starts, ends = array("I"), array("I")
    at = 0
    for match in pattern.finditer(work.text):
        new = replacement if isinstance(replacement, str) else replacement(match)
        if new == match[0]:
            continue
        first, last = match.span()
        pieces += (work.text[at:first], new)
        starts += work.starts[at:first]
        ends += work.ends[at:first]
        if len(new) == last - first:
            starts += work.starts[first:last]
            ends += work.ends[first:last]
        elif new:
            starts.extend([work.starts[first]] * len(new))
            ends.extend([work.ends[last - 1]] * len(new))
        at = last
    if not pieces:
        return work
    pieces.append(work.text[at:])
    starts += work.starts[at:]
    ends += work.ends[at:]
    return Normalised("".join(pieces), starts, ends)


def _fold(work: Normalised) -> Normalised:
    """NFKC, casefold and signs. Characters that stay single need no new map."""
    if work.text.isascii():
        return Normalised(work.text.lower(), work.starts, work.ends)
    if _MARKS.search(work.text):
        work = rewrite(work, _COMPOSED, lambda m: unicodedata.normalize("NFKC", m[0]))
    folded = work.text.translate(_FOLDED)
    if len(folded) == len(work.text):
        return Normalised(folded, work.starts, work.ends)
    forms = {char: _FOLDED[ord(char)] for char in set(work.text)}
    single = {ord(char): new for char, new in forms.items() if len(new) == 1}
    longer = "".join(sorted(char for char, new in forms.items() if len(new) > 1))
    work = Normalised(work.text.translate(single), work.starts, work.ends)
    return rewrite(work, re.compile(f"[{re.escape(longer)}]"), lambda m: forms[m[0]])


class _Folds(dict[int, str]):
    """The folded form of every character seen; none is ever empty."""

    def __missing__(self, code: int) -> str:
        if len(self) >= _MOST_FOLDS:
            self.clear()
        self[code] = new = _fold_character(chr(code))
        return new


def _fold_character(char: str) -> str:
    if char in _COMPARATORS:
        return _COMPARATORS[char]
    plain = unicodedata.normalize("NFKC", char.translate(_RADICALS)).casefold()
    # Casefolding can undo the composition (as for U+0390), hence the second round.
    return unicodedata.normalize("NFKC", plain).translate(_RADICALS).translate(_SIGNS)


def _plain_superscript(match: re.Match[str]) -> str:
    return match[1].translate(_SUPERSCRIPTS)


_COMPARATORS = {**dict.fromkeys("≥≧⩾", ">="), **dict.fromkeys("≤≦⩽", "<=")}
# A base with its marks; the limit keeps the reordering of hostile stacks of marks cheap.
_MARK = (
    "[\u0300-\u036f\u0483-\u0487\u0591-\u05bd\u064b-\u065f\u1161-\u11ff"
    "\u1ab0-\u1aff\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a\ufe20-\ufe2f]"
)
_MARKS = re.compile(_MARK)
_COMPOSED = re.compile(f"[^\u0300-\u036f]{_MARK}{{1,30}}")
_MOST_FOLDS = 8192
_FOLDED = _Folds()
_COUNT = array("I", range(4096))

_BEFORE_FOLDING: tuple[tuple[re.Pattern[str], Replacement], ...] = (
    # 1 what nobody sees; a line-end hyphen as PDF readers write it
    (re.compile("\u00ad(?:\r\n|\n|\r)?"), ""),
    (re.compile(
        "[\x00\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff"
        "\U000e0000-\U000e01ef]+",
    ), ""),
    (re.compile("[\x02\ufffe]"), "-\n"),
    # 3 middle dots as decimal points (step 2, the radicals, is a part of the folding)
    (re.compile("(?<=[0-9０-９])[·∙⋅•‧・．](?=[0-9０-９])"), "."),
    # 4 full-width digits and group marks
    (re.compile("(?<=[０-９])，(?=[０-９])"), ","),
    (re.compile("[０-９]"), lambda m: unicodedata.normalize("NFKC", m[0])),
    (re.compile(r"(?<![0-9.])[0-9]{1,3}(?:[,'’\u2009\u202f\u00a0][0-9]{3})+(?![0-9])"),
     lambda m: re.sub("[^0-9]", "", m[0])),
    # 5 superscripts and subscripts
    (re.compile(f"(?<=[0-9])[{_THIN}]{{0,3}}([{_SUPER}]+)(?:[{_THIN}]{{1,3}}(?=[/·]))?"),
     lambda m: "^" + _plain_superscript(m)),
    (re.compile(f"(?:(?<=(?<![{_CASED}])[{_CASED}])|(?<=(?<![{_CASED}])[{_CASED}]{{2}})"
                f"|(?<=(?<![{_CASED}])[{_CASED}]{{3}}))([{_SUPER}]+)"), _plain_superscript),
    (re.compile(f"([{_SUPER}]+)"), lambda m: " " + _plain_superscript(m)),
    (re.compile(r"(?<=[A-Za-z])\^(?=-?[0-9])"), ""),
    (re.compile(f"(?<=[^\\W_])[{_THIN}]{{0,3}}([₀-₉]+)"), lambda m: unicodedata.normalize("NFKC", m[1])),
    # 6 fractions after a number, numbers in circles
    (re.compile("(?<=[0-9])[¼½¾⅐-⅞]"), lambda m: " " + unicodedata.normalize("NFKC", m[0])),
    (re.compile("[①-⑳]"), lambda m: f"({unicodedata.normalize('NFKC', m[0])})"),
)  # fmt: skip

# The steps that also change text of everyday characters, and what only the others look for.
_ALWAYS = tuple(step for step in _BEFORE_FOLDING if "[,'" in step[0].pattern or r"\^" in step[0].pattern)
_UNUSUAL = re.compile(
    "[\x00\x02\u00ad\u061c\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufe00-\ufe0f\ufeff\ufffe"
    "\U000e0000-\U000e01ef·∙⋅•‧・．０-９¹²³⁰-₉¼-¾⅐-⅞①-⑳]",
)

# What a text must hold for the step to matter, the step, and what it leaves.
_AFTER_FOLDING: tuple[tuple[str, re.Pattern[str], Replacement], ...] = (
    # 9 hyphens inside words, also at a line end
    ("-", re.compile(f"(?<=[{LETTER}])-(?:[ \t]{{0,3}}(?:\r\n|\n|\r)[ \t]{{0,9}})?(?=[{LETTER}])"), ""),
    ("-", re.compile(f"(?<=[{LETTER}0-9])-[ \t]{{0,3}}(?:\r\n|\n|\r)[ \t]{{0,9}}(?=[0-9])"), "-"),
    # 10 a decimal point without its zero
    (".", re.compile(f"(?<![{LETTER}0-9_.])\\.(?=[0-9])"), "0."),
    # 11 blanks
    ("", re.compile(f"[{_BLANK}]{{2,}}|[{_BLANK[1:]}]"), " "),
    (" ", re.compile(f"(?<=[{CJK}]) | (?=[{CJK}])"), ""),
    (" ", re.compile("(?<=[0-9]) (?=[%‰°])|(?<=[<>=]) "), ""),
    ("x", re.compile("(?<=[0-9]) ?x ?(?=[0-9])"), "x"),
)  # fmt: skip
