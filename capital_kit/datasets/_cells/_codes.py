"""One spelling for the codes of exchanges: ``600519.SH``, however a source writes it."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

SPELLINGS_MAX = 50
_MARKETS = {
    "SH": "SH", "SS": "SH", "XSHG": "SH", "SZ": "SZ", "XSHE": "SZ", "BJ": "BJ", "XBSE": "BJ",
    "HK": "HK", "XHKG": "HK",
}  # fmt: skip
_NAMES = "|".join(_MARKETS)
_SPELLING = re.compile(rf"(?:({_NAMES})[.:]?)?(\d{{1,6}})(?:[.:]?({_NAMES}))?")


def normal_code(text: str) -> str | None:
    """Return a code of Shanghai, Shenzhen, Beijing or Hong Kong as digits, dot and market.

    Parameters
    ----------
    text : str
        ``SH600519``, ``600519.XSHG``, ``sh.600519``, ``00700.HK``; width and case make no difference.

    Returns
    -------
    str or None
        None where no market is named, and for everything else: ``000001`` alone may be a share of
        Shenzhen or an index of Shanghai.

    Examples
    --------
    >>> from capital_kit.datasets import normal_code
    >>> normal_code("SH600519"), normal_code("0700.HK"), normal_code("600519")
    ('600519.SH', '00700.HK', None)
    """
    match = _SPELLING.fullmatch(unicodedata.normalize("NFKC", text).strip().upper())
    if match is None or bool(match[1]) == bool(match[3]):
        return None
    market = _MARKETS[match[1] or match[3]]
    if market == "HK":
        return f"{match[2]:0>5}.HK" if len(match[2]) <= 5 else None
    return f"{match[2]}.{market}" if len(match[2]) == 6 else None


def normal_codes(words: Iterable[str]) -> dict[str, str] | None:
    """Return the normal form of codes, at most 50 of them; None where all are written so already."""
    found = {word: normal for word in words if (normal := normal_code(word))}
    if all(word == normal for word, normal in found.items()):
        return None
    return dict(sorted(found.items(), key=lambda pair: (pair[1], pair[0]))[:SPELLINGS_MAX])
