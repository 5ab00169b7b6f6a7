"""The shell of every HTML file that leaves the house: one file, offline, both themes, printable.

A page carries a policy that forbids every request and every script but those written here: each
inline script is named in it by its SHA-256, so that markup from outside can never run.
"""

from __future__ import annotations

import base64
import hashlib
import html
import re
from collections.abc import Sequence
from pathlib import Path

from capital_kit._core.html import Html
from capital_kit._core.options import options

_LANG = {"zh": "zh-CN", "en": "en"}
_STYLE = Path(__file__).with_name("page.css")


def policy(scripts: Sequence[str] = ()) -> str:
    """Return the content security policy of a page that holds exactly these inline scripts."""
    allowed = " ".join(f"'sha256-{_digest(script)}'" for script in scripts) or "'none'"
    return (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; font-src data:; base-uri 'none'; form-action 'none'"
    )


def page(
    title: str,
    body: Html,
    *,
    styles: str = "",
    scripts: Sequence[str] = (),
    lang: str | None = None,
) -> str:
    """Return a whole HTML document around ``body`` (what goes inside ``<main>``).

    ``styles`` and ``scripts`` are our own or a library's, never a user's; each script becomes one
    inline element at the end of the page. The policy of the page forbids every request.
    """
    language = lang or _LANG[options.language]
    look = _STYLE.read_text(encoding="utf-8")
    inert = [_inert(_whole(script)) for script in scripts]
    inline = "".join(f"<script>{script}</script>\n" for script in inert)
    return (
        f'<!doctype html>\n<html lang="{language}">\n<head>\n<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{policy(inert)}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        '<meta name="referrer" content="no-referrer">\n'
        '<meta http-equiv="x-dns-prefetch-control" content="off">\n'
        f"<title>{html.escape(_whole(title))}</title>\n<style>\n{look}{styles}</style>\n</head>\n"
        f"<body>\n<main>\n{_whole(body)}\n</main>\n{inline}</body>\n</html>\n"
    )


def _inert(script: str) -> str:
    # A browser reads CR and CRLF as LF before it takes the digest, and so must we.
    text = script.replace("\r\n", "\n").replace("\r", "\n")
    return re.sub("</(?=script)", "<\\\\/", text, flags=re.IGNORECASE).replace("<!--", "<\\!--")


def _whole(text: str) -> str:
    # Half a surrogate pair, as in the name of an undecodable file, cannot be written as UTF-8.
    return re.sub("[\ud800-\udfff]", "\ufffd", text)


def _digest(script: str) -> str:
    return base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
