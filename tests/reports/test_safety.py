"""What comes from outside never becomes more than text, and no write leaves half a file."""

from html.parser import HTMLParser

import pandas as pd
import pytest

from capital_kit._core.html import Html
from capital_kit._core.page import page
from capital_kit.charts import chart, visualize
from capital_kit.citations import verify_report
from capital_kit.datasets import describe_dataset, read_dataset
from capital_kit.errors import ReportError
from capital_kit.reports import Report
from capital_kit.reports._foreign import inert

EVIL = (
    "\"'><script>evil()</script><img src=https://e.example/x onerror=evil()><svg onload=evil()>"
    "<iframe src=//e.example></iframe><meta http-equiv=refresh content='0;url=//e.example'>"
    "<link rel=stylesheet href=//e.example><form action=//e.example><input autofocus onfocus=evil()></form>"
    "<a href='javascript:evil()'>x</a><base href=//e.example><style>*{background:url(//e.example)}</style>"
)
SHORT = "<img src=//e.example onerror=evil()><a href='javascript:evil()'>y</a>"
TEXT = f"""# {EVIL}

Revenue was 12.40 million in 2025 [evidence:facts.md:line:3].

{EVIL} [a](javascript:evil()) [b]( data:text/html,x ) <javascript:evil()> ![i](https://e.example/i.png) [r]

[r]: javascript:evil() "t"

`{EVIL}`

```html"><script>evil()</script>
{EVIL}
```

| {EVIL} | b |
|---|---|
| {EVIL} | c |

&lt;script&gt;evil()&lt;/script&gt;
"""


class Foreign:
    def _repr_html_(self):
        table = f"<table><tr><td>{EVIL}<plaintext><img onerror=evil()>"
        return f"<div style='position:fixed;inset:0'>{EVIL}</div>{table}"


class Carded:
    def _card(self):
        return EVIL


class Elements(HTMLParser):
    def __init__(self):
        super().__init__()
        self.found = []

    def handle_starttag(self, name, attributes):
        self.found.append((name, dict(attributes)))


@pytest.fixture
def hostile(sources, tmp_path):
    facts = next(sources.parent.rglob("facts.md"))
    facts.write_text(f"# F\n\nRevenue was 12.40 million in 2025 {EVIL}.\n", encoding="utf-8")
    quoted = EVIL.replace('"', '""')
    rows = [f'2025-{i // 20 + 1:02d}-{i % 20 + 1:02d},"{quoted}",{10 + i % 7}' for i in range(60)]
    data = tmp_path / "<img src=x onerror=evil()>&.csv"
    data.write_text("\n".join([f'date,"{quoted}",close', *rows]), encoding="utf-8")
    described = describe_dataset(read_dataset(data))
    frame = pd.DataFrame({EVIL: [EVIL]}, index=pd.Index([EVIL], name=EVIL))
    points = [{"date": f"2025-01-{i + 1:02d}", SHORT: i} for i in range(28)]
    report = Report(EVIL, subtitle=EVIL, author=EVIL, sources=sources, created="2025-05-01")
    report.add(TEXT, described, described.dataset, frame, Foreign(), Carded())
    report.add(chart(points, kind="line", title=SHORT), visualize(described, question=f"{EVIL} 走势"))
    claim = "Revenue was 12.40 million in 2025 [evidence:facts.md:line:3].\n"
    return report.add(verify_report(claim, sources, format="markdown"))


def test_nothing_from_outside_becomes_an_element_that_acts(hostile):
    html = hostile.to_html()
    reader = Elements()
    reader.feed(html)
    names = {name for name, _ in reader.found}
    assert not names & {"img", "iframe", "link", "form", "input", "base", "object", "embed", "plaintext"}
    assert sum(name == "script" for name, _ in reader.found) == 2
    assert sum(name == "style" for name, _ in reader.found) == 1
    assert all(name != "meta" or "refresh" not in attributes.values() for name, attributes in reader.found)
    for _, attributes in reader.found:
        assert not [name for name in attributes if name.startswith("on")]
        assert attributes.get("href", "#").startswith("#")
        assert "position" not in attributes.get("style", "")
    assert "<script" not in hostile._repr_html_()


@pytest.mark.parametrize(
    "style",
    [
        "background:image-set('//e.example' 1x)", "background:url(//e.example)", "b\\61 ckground:url(x)",
        "position:fixed", "inset:0", "transform:scale(9)", "margin:-99em", "display:none", "float:left",
        "width:expression(x)", "color:var(--x)", "content:'x'", "width:calc(1px)", "color:red}*{color:blue",
    ],
)  # fmt: skip
def test_style_that_moves_hides_or_loads_is_dropped(style):
    assert inert(f'<b style="{style};color:red">x</b>') == '<b style="color:red">x</b>'


def test_every_element_left_out_is_counted():
    assert "3" in inert("<img/><iframe/><video>x")


def test_undecodable_characters_do_not_break_the_page():
    html = page("a\udcff", Html("b\udcff"), scripts=["'\udcff'", "'</SCRIPT>'"])
    assert html.encode("utf-8")
    assert html.lower().count("</script>") == 2


@pytest.mark.parametrize("name", ["report", "report.pdf", "report.htm", ".html", "folder/", ""])
def test_name_that_is_no_page_is_refused(tmp_path, name):
    with pytest.raises(ReportError, match="report_path_invalid"):
        Report("R").add("x").save(f"{tmp_path}/{name}")
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize("name", ["报告 (1).html", "a'b\"c<d>.HTML", "%20#?.html", f"{'x' * 250}.html"])
def test_odd_names_are_written(tmp_path, name):
    assert Report("R").add("x").save(tmp_path / name).is_file()
    assert [path.name for path in tmp_path.iterdir()] == [name]


@pytest.mark.parametrize("name", ["a\0.html", f"{'x' * 300}.html"])
def test_impossible_names_are_an_error(tmp_path, name):
    with pytest.raises(ReportError, match="report_not_writable"):
        Report("R").add("x").save(tmp_path / name)


@pytest.mark.parametrize("step", ["os.fsync", "pathlib.Path.replace", "pathlib.Path.chmod"])
@pytest.mark.parametrize("error", [KeyboardInterrupt, MemoryError])
def test_interrupted_write_keeps_the_old_report(tmp_path, monkeypatch, step, error):
    target = tmp_path / "report.html"
    target.write_text("old", encoding="utf-8")

    def stop(*_):
        raise error

    monkeypatch.setattr(step, stop)
    with pytest.raises(error):
        Report("R").add("x").save(target)
    monkeypatch.undo()
    assert target.read_text(encoding="utf-8") == "old"
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


def test_many_claims(sources):
    facts = next(sources.parent.rglob("facts.md"))
    lines = [f"Revenue of unit {i} was {i}.40 million in 2025." for i in range(1, 501)]
    facts.write_text("\n".join(lines), encoding="utf-8")
    claims = [f"{line[:-1]} [evidence:facts.md:line:{i}]." for i, line in enumerate(lines, 1)]
    report = Report("R", sources=sources, created="2025-05-01").add("\n\n".join(claims))
    assert (report.check().verified, report.check().ok) == (500, True)
    assert 'id="v-500"' in report.to_html()


def test_very_wide_data():
    frame = pd.DataFrame({f"column_{i}": range(3) for i in range(2000)})
    html = Report("R", created="2025-05-01", language="en").add(frame, describe_dataset(frame)).to_html()
    assert "1,984 are left out" in html
    assert len(html) < 1_000_000
