"""Markdown in a report: what is drawn, what is refused, and where the marks stand."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capital_kit._core.html import Html
from capital_kit.reports._foreign import inert
from capital_kit.reports._markdown import first_title, render

MARK = Html("<sup>M</sup>")


def body(text, spans=(), marks=()):
    return "".join(f"{part.heading}{part.body}" for part in render(text, spans, marks))


def with_anchor(text, anchor="[evidence:a.md]"):
    at = text.index(anchor)
    return body(text, [(at, at + len(anchor))], [MARK])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("**涨 5%**[evidence:a.md]。", "<p><strong>涨 5%</strong><sup>M</sup>。</p>"),
        ("words [evidence:a.md].", "<p>words<sup>M</sup>.</p>"),
        ("- item[evidence:a.md]", "<ul>\n<li>item<sup>M</sup></li>\n</ul>"),
        ("x[evidence:a.md](http://e.org)", "<p>x<sup>M</sup>(http://e.org)</p>"),
        ("第一行[evidence:a.md]。\n第二行", "<p>第一行<sup>M</sup>。第二行</p>"),
        ("one[evidence:a.md]\ntwo", "<p>one<sup>M</sup>\ntwo</p>"),
        ("# Head [evidence:a.md]", "Head<sup>M</sup>"),
        ("`[evidence:a.md]`", "<p><code>[evidence:a.md]</code></p>"),
        ("a {kw: 4.8 months} [evidence:a.md]", "<p>a<sup>M</sup></p>"),
    ],
)
def test_anchor_becomes_a_mark(text, expected):
    assert with_anchor(text) == expected


@pytest.mark.parametrize(
    "url",
    [
        "javascript:alert(1)",
        "JAVASCRIPT:x",
        "data:text/html,x",
        "file:///etc/x",
        "//e.org",
        "vbscript:x",
        "a.md",
    ],
)
def test_unsafe_link_stays_text(url):
    assert "<a" not in body(f"[click]({url})")


@pytest.mark.parametrize("url", ["https://e.org/a?b=1", "http://e.org", "mailto:a@e.org"])
def test_safe_link(url):
    html = body(f'[click]({url} "t")')
    assert f'<a href="{url}"' in html
    assert 'rel="noreferrer noopener"' in html


@pytest.mark.parametrize(
    "image", ["![alt](https://e.org/x.png)", "![alt](x.png)", "![alt](data:image/png;base64,AA)"]
)
def test_images_are_left_out_and_named(image):
    html = body(image)
    assert "<img" not in html
    assert "alt" in html


def test_html_is_text():
    assert "<b" not in body('<b onclick="x()">x</b>\n\n<div>\n<script>y</script>\n</div>')


def test_waiver_is_not_shown():
    assert "cite:none" not in body("Half of 10% is 5%. <!-- cite:none arithmetic -->")


def test_table_scrolls():
    assert '<div class="ck-scroll"' in body("| a | b |\n|---|---|\n| 1 | 2 |")


def test_parts_follow_the_highest_heading():
    parts = render("intro\n\n## A\n\na\n\n### A1\n\nb\n\n## B\n", (), ())
    assert [part.title for part in parts] == ["", "A", "B"]
    assert "<h3>A1</h3>" in parts[1].body


@pytest.mark.parametrize(
    ("text", "title"), [("# T\n\nx", "T"), ("## T", ""), ("# A\n\n# B", ""), ("", ""), ("> # T", "")]
)
def test_first_title(text, title):
    assert first_title(text) == title


@settings(max_examples=150, deadline=None)
@given(st.text(alphabet=st.sampled_from(list("<>&\"'`*_[]()!#|-:\n ax1网⟦⟧\ufdd0")), max_size=80))
def test_no_text_makes_markup_of_its_own(text):
    html = body(f"{text}\n<script>x</script> <img src=x onerror=y>")
    assert "<script" not in html
    assert "<img" not in html
    assert "\ufdd0" not in html


@pytest.mark.parametrize(
    ("markup", "expected"),
    [
        ("<b>x</b>", "<b>x</b>"),
        ("<h1>x</h1>", "<h3>x</h3>"),
        ("<div id=a class=b style='color:red'>x</div>", '<div style="color:red">x</div>'),
        ("<td colspan=2>x", '<td colspan="2">x</td>'),
        ("a<br/>b", "a<br>b"),
        ("x < y &amp; z", "x &lt; y &amp; z"),
        ("</div>x", "x"),
    ],
)
def test_foreign_markup_keeps_what_is_inert(markup, expected):
    assert inert(markup) == expected


@pytest.mark.parametrize(
    "markup",
    [
        "<script>evil()</script>", "<style>evil{}</style>", "<iframe srcdoc='evil'></iframe>",
        "<img src=x onerror=evil()>",
        "<div style='background:url(evil)'>x</div>", "<div style='position:fixed;evil:1'>x</div>",
        "<a href='javascript:evil()'>x</a>", "<svg><text>evil</text></svg>", "<b onclick='evil()'>x</b>",
    ],
)  # fmt: skip
def test_foreign_markup_loses_what_acts(markup):
    assert "evil" not in inert(markup)
