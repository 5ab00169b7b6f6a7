"""The shell of pages: policy, scripts, themes."""

import base64
import hashlib
import re

from capital_kit._core.html import Html
from capital_kit._core.page import page, policy


def test_policy_names_exactly_the_scripts_of_the_page():
    html = page("t", Html("<p>x</p>"), scripts=["let a = '</script>';\r\nb()", "c()"])
    scripts = re.findall(r"<script>(.*?)</script>", html, re.DOTALL)
    assert len(scripts) == 2
    for script in scripts:
        digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in html
    assert "'unsafe-inline'" not in re.search(r"script-src ([^;]*);", html)[1]


def test_page_without_scripts_allows_none():
    assert "script-src 'none'" in policy()
    assert "default-src 'none'" in policy()


def test_title_is_escaped():
    assert "<title>&lt;b&gt;</title>" in page("<b>", Html(""))


def test_both_themes_and_print():
    html = page("t", Html(""))
    assert "prefers-color-scheme: dark" in html
    assert "@media print" in html
