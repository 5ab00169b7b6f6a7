"""The report of the demo, as a person meets it: offline, wide and narrow, light and dark, printed."""

import unicodedata
from pathlib import Path

import pytest
from pypdf import PdfReader

from capital_kit.charts import _embed
from capital_kit.cli import main

DATA = Path(__file__).parents[2] / "notebooks/data"
PARTS = (".boxlayer path", ".barlayer path", ".xtick", ".ytick")
DRAWN = "() => document.querySelectorAll('.js-plotly-plot .main-svg').length > 0"


def written(folder, *extra, text="note.md"):
    path = folder / "report.html"
    arguments = [
        "report", str(DATA / "prices.csv"), "--text", str(DATA / text), "--sources", str(DATA / "sources"),
        "--title", "示例药业 复盘", "--question", "近一年走势和成交量", "--output", str(path), *extra,
    ]  # fmt: skip
    return main(arguments), path


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    status, path = written(tmp_path_factory.mktemp("report"))
    assert status == 0
    return path


@pytest.fixture(scope="module")
def full_report(tmp_path_factory):
    """The report of an installation without the small plotly.js."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("capital_kit.charts._embed._SMALL", Path("none"))
        status, path = written(tmp_path_factory.mktemp("full"))
    assert status == 0
    return path


@pytest.fixture(scope="module")
def draft(tmp_path_factory):
    status, path = written(tmp_path_factory.mktemp("draft"), "--draft", text="note_wrong.md")
    assert status == 1
    return path


def test_report_is_one_small_file(report, full_report):
    assert full_report.stat().st_size < 6_000_000
    assert [path.name for path in report.parent.iterdir()] == ["report.html"]
    if _embed._SMALL.is_file():
        assert report.stat().st_size < 2_000_000


def test_both_plotlys_draw_the_same(report, full_report, visit):
    shapes = []
    for path in (report, full_report):
        seen = visit(path.as_uri(), width=1000)
        seen.page.wait_for_function(DRAWN)
        shapes.append([seen.page.locator(f".js-plotly-plot {part}").count() for part in PARTS])
        assert seen.refused == []
        assert seen.console == []
    assert shapes[0] == shapes[1]
    assert min(shapes[0]) > 0


@pytest.mark.parametrize("theme", ["light", "dark"])
@pytest.mark.parametrize("width", [400, 1400])
def test_report_draws_offline_and_fits(report, visit, width, theme):
    seen = visit(report.as_uri(), width=width, theme=theme)
    page = seen.page
    page.wait_for_function(DRAWN)
    kinds = page.evaluate(
        "() => [...document.querySelectorAll('.js-plotly-plot')].flatMap(e => e.data.map(t => t.type))"
    )
    assert "candlestick" in kinds
    assert "bar" in kinds
    assert page.locator(".js-plotly-plot .boxlayer path").count() > 100
    assert page.evaluate("() => document.documentElement.scrollWidth <= window.innerWidth")
    assert page.locator("figure figcaption").count() >= 1
    assert page.locator("figure table th").count() >= 5
    assert seen.refused == []
    assert seen.console == []
    paper = page.evaluate("() => getComputedStyle(document.body).backgroundColor")
    assert paper == ("rgb(255, 255, 255)" if theme == "light" else "rgb(18, 22, 28)")


def test_verdicts_stand_in_the_report(report, visit):
    page = visit(report.as_uri()).page
    text = page.inner_text("main")
    assert "6/6" in text
    assert "14.8 months" in text
    assert page.locator("mark").count() >= 6


def test_figure_can_be_read_without_seeing_it(report, visit):
    page = visit(report.as_uri()).page
    for figure in page.locator("figure").all():
        assert figure.locator("[aria-label], [aria-labelledby]").count() or figure.get_attribute("aria-label")
        assert figure.locator("figcaption").inner_text().strip()


def test_report_reads_without_scripts(report, visit):
    page = visit(report.as_uri(), java_script_enabled=False).page
    assert "示例药业" in page.inner_text("main")
    assert page.locator("figure table").count() >= 1


def test_draft_is_marked_on_every_printed_page(draft, visit, tmp_path):
    seen = visit(draft.as_uri())
    seen.page.wait_for_function(DRAWN)
    pdf = tmp_path / "draft.pdf"
    seen.page.pdf(path=str(pdf), format="A4")
    pages = [unicodedata.normalize("NFKC", page.extract_text()) for page in PdfReader(pdf).pages]
    assert len(pages) >= 2
    assert all("草稿" in page for page in pages)


def test_blocked_report_is_not_written(tmp_path, capsys):
    status, path = written(tmp_path, text="note_wrong.md")
    assert status == 1
    assert not path.exists()
    said = capsys.readouterr()
    assert "report_blocked" in said.out + said.err
