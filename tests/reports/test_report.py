"""Reports: what goes in, what blocks them, and how they are written."""

import datetime as dt
import json
import re
import stat

import pandas as pd
import pytest

from capital_kit._core.html import Html, tag
from capital_kit._core.options import options
from capital_kit.charts import chart, visualize
from capital_kit.citations import verify_report
from capital_kit.datasets import describe_dataset, read_dataset
from capital_kit.errors import ReportError
from capital_kit.reports import Report, ReportCheck

WRONG = "Revenue was 99.9 million in 2025 [evidence:facts.md:line:3].\n"


class Exhibit:
    def _repr_html_(self):
        return "<table><tr><td onclick='x()'>seen</td></tr></table><script>alert(1)</script><img onerror=y()>"


class Carded:
    def _card(self) -> Html:
        return tag("p", "a card & more")


def make(sources=None, **more):
    return Report("Review", sources=sources, created="2025-05-01", **more)


def test_report_of_everything_is_written_whole(sources, note, prices, tmp_path):
    described = describe_dataset(prices)
    report = make(sources, author="Desk", subtitle="One quarter")
    report.add(note, visualize(described, question="trend"), described, read_dataset(prices))
    report.add(chart(described, kind="line"), verify_report(note, sources, format="markdown"))
    report.add(pd.DataFrame({"a": [1, 2]}), Exhibit(), Carded())
    path = report.save(tmp_path / "new/folder/report.html")
    html = path.read_text(encoding="utf-8")
    assert html == report.to_html()
    assert [p.name for p in path.parent.iterdir()] == ["report.html"]
    assert stat.S_IMODE(path.stat().st_mode) & 0o044
    assert html.count("<!doctype html>") == 1
    assert html.count("Plotly.newPlot") or "plotly" in html
    assert "2025-05-01" in html
    assert "Desk" in html
    assert "<mark>12.40 million</mark>" in html
    assert described.dataset.fingerprint[:16] in html
    assert str(tmp_path) not in html


def test_bytes_are_the_same_for_the_same_input(sources, note, prices):
    def once():
        return make(sources).add(note, chart(prices, kind="candlestick"), describe_dataset(prices)).to_html()

    assert once() == once()


def test_marks_lead_to_the_appendix_and_back(sources, note):
    html = make(sources).add(note).to_html()
    for number in (1, 2):
        assert f'href="#v-{number}"' in html
        assert f'id="v-{number}"' in html
        assert f'href="#c-{number}"' in html
        assert f'id="c-{number}"' in html
    prose = html.split('id="s-1"')[1].split('id="verification"')[0]
    assert "[evidence:" not in re.sub(r"<[^>]+>", "", prose)
    ids = re.findall(r' id="([^"]+)"', html)
    assert len(ids) == len(set(ids))
    assert set(re.findall(r'href="#([^"]+)"', html)) <= set(ids)


def test_citations_are_numbered_through_all_texts(sources, note):
    html = make(sources).add(note, note).to_html()
    assert [n for n in range(1, 9) if f'id="v-{n}"' in html] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (WRONG, "missing"),
        ("Revenue was 12.40 million [evidence:absent.md].", "no_file"),
        ("Revenue was 12.40 million [evidence:facts.md:line:999].", "locator_not_found"),
        ("Revenue grew by 18.6%.", "uncited"),
        ("Revenue was fine [Evidence:facts.md:line:3].", "near_miss"),
    ],
)
def test_finding_blocks_the_final_report(sources, tmp_path, text, code):
    report = make(sources).add(text)
    target = tmp_path / "out/report.html"
    with pytest.raises(ReportError) as caught:
        report.save(target)
    assert caught.value.code == "report_blocked"
    findings = caught.value.details["findings"]
    assert code in {finding["code"] for finding in findings}
    assert all(set(finding) == {"code", "message", "claim", "anchor"} for finding in findings)
    assert json.dumps(caught.value.to_dict(), allow_nan=False)
    assert not target.parent.exists()


def test_texts_without_sources_cannot_be_checked():
    report = make().add(WRONG)
    assert [finding.code for finding in report.check().findings] == ["no_sources"]
    with pytest.raises(ReportError, match="report_blocked"):
        report.to_html()
    assert make().add("Nothing to cite here.").check().ok


def test_text_that_looks_like_a_file_name_is_text(sources):
    assert "see note.md" in make(sources).add("see note.md").to_html()


def test_verdict_that_failed_blocks_too(sources):
    verdict = verify_report(WRONG, sources, format="markdown")
    report = make(sources).add("Fine.", verdict)
    assert [finding.code for finding in report.check().findings] == ["missing"]
    with pytest.raises(ReportError, match="report_blocked"):
        report.to_html()


def test_draft_is_marked(sources, tmp_path):
    report = make(sources).add(WRONG)
    with options.override(language="en"):
        html = report.save(tmp_path / "draft.html", draft=True).read_text(encoding="utf-8")
    assert "<title>[DRAFT] Review</title>" in html
    assert 'class="ck-draft-banner"' in html
    assert 'class="ck-watermark"' in html
    assert "✗" in html
    assert "ck-status ck-ok" not in html


def test_final_report_has_no_draft_marks(sources, note):
    html = make(sources).add(note).to_html()
    assert "ck-watermark" not in html
    assert 'class="ck-draft' not in html


def test_empty_report(tmp_path):
    with pytest.raises(ReportError, match="report_empty"):
        make().save(tmp_path / "r.html")
    assert not list(tmp_path.glob("r.html"))


@pytest.mark.parametrize("item", [3, None, b"x", object(), Exhibit, [1]])
def test_unsupported_item_adds_nothing(item):
    report = make()
    with pytest.raises(ReportError) as caught:
        report.add("text", item)
    assert caught.value.code == "report_item_unsupported"
    assert "Dataset" in str(caught.value)
    assert len(report) == 0


def test_target_that_cannot_be_written(tmp_path):
    report = make().add("Fine.")
    (tmp_path / "file").write_text("in the way", encoding="utf-8")
    (tmp_path / "folder.html").mkdir()
    for target in (tmp_path / "file/report.html", tmp_path / "folder.html"):
        with pytest.raises(ReportError) as caught:
            report.save(target)
        assert caught.value.code == "report_not_writable"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "folder.html"]


def test_old_report_survives_a_failed_write(tmp_path, monkeypatch):
    target = tmp_path / "report.html"
    target.write_text("old", encoding="utf-8")

    def refuse(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("os.fsync", refuse)
    with pytest.raises(ReportError, match="No space left"):
        make().add("Fine.").save(target)
    assert target.read_text(encoding="utf-8") == "old"
    assert [p.name for p in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize("language", ["zh", "en"])
def test_language_of_the_report_wins(sources, note, language):
    html = Report("Review", sources=sources, language=language, created="2025-05-01").add(note).to_html()
    assert ("核对附录" in html) == (language == "zh")
    assert f'lang="{"zh-CN" if language == "zh" else "en"}"' in html


@pytest.mark.parametrize(
    ("created", "shown"),
    [
        ("2024-01-31", "2024-01-31"),
        (dt.date(2024, 1, 31), "2024-01-31"),
        (dt.datetime(2024, 1, 31, 9, tzinfo=dt.UTC), "2024-01-31"),
    ],
)
def test_date(created, shown):
    assert shown in Report("R", created=created).add("x").to_html()


def test_date_that_is_none():
    assert Report("R").created == dt.datetime.now().astimezone().date()
    with pytest.raises(ReportError, match="report_date_invalid"):
        Report("R", created="yesterday")


def test_outside_text_is_escaped(sources):
    evil = "<script>alert(1)</script>"
    frame = pd.DataFrame({evil: [evil]})
    html = (
        Report(evil, author=evil, subtitle=evil, created="2025-05-01").add(evil, frame, Exhibit()).to_html()
    )
    assert evil not in html
    assert "onerror" not in html
    assert "onclick" not in html
    assert "seen" in html


def test_sections_follow_headings_and_kinds(sources, prices):
    described = describe_dataset(prices)
    report = make(sources, language="en")
    report.add("# First\n\nwords", chart(prices, kind="line"), described, "plain words", "# 2. Second")
    html = report.to_html()
    heads = re.findall(r'<section id="s-\d+"><h2>(.*?)</h2>', html)
    words = [re.sub(r"<[^>]+>", "|", head).strip("|") for head in heads]
    assert words == ["1|First", "2||Data", "3||Text", "2. Second"]
    assert html.index("Figure 1") < html.index("Data</span>")


def test_title_in_the_text_is_not_repeated(sources):
    html = Report("Same", created="2025-05-01").add("# Same\n\n## One\n\na\n\n## Two\n\nb").to_html()
    assert html.count(">Same<") == 2
    assert "One" in html


def test_large_frame_says_what_is_left_out():
    with options.override(language="en"):
        html = make().add(pd.DataFrame({f"c{i}": range(1000) for i in range(40)})).to_html()
    assert "970 are left out" in html
    assert "24 are left out" in html


def test_frame_keeps_index_and_missing_values():
    frame = pd.DataFrame({"v": [1.5, None], "d": pd.to_datetime(["2024-01-31", None])}, index=["a", "b"])
    html = make().add(frame).to_html()
    assert ">a</td>" in html
    assert "2024-01-31</td>" in html
    assert html.count(">—</td>") == 2


def test_warnings_of_the_data_are_listed(prices):
    rows = [*prices, prices[-1]]
    described = describe_dataset(rows)
    assert described.warnings
    html = make().add(described).to_html()
    sources = html.split('id="sources"')[1]
    assert described.warnings[0].message.split("“")[0][:6] in sources


def test_check_is_a_record(sources, note):
    check = make(sources).add(note, WRONG).check()
    assert isinstance(check, ReportCheck)
    assert (check.ok, check.verified, check.total) == (False, 2, 3)
    assert check.findings[0].citation == 3
    assert list(check.to_frame().columns) == ["code", "message", "claim", "anchor"]
    assert len(check.to_frame()) == 1
    assert json.dumps(check.to_dict(), allow_nan=False)
    assert repr(check) == "ReportCheck(2/3 verified, 1 findings)"
    assert "99.9 million" in check._repr_html_()


def test_outline_card_and_repr(sources, note, prices):
    report = make(sources).add(note, describe_dataset(prices), WRONG, Exhibit(), pd.DataFrame({"a": [1]}))
    assert repr(report) == "Report('Review', 5 items)"
    card = report._repr_html_()
    assert "Sample review" in card
    assert "Exhibit" in card
    assert "0x" not in card
    assert "99.9 million" in card
    assert make()._repr_html_()


def test_a_file_name_or_path_is_read(sources, note, tmp_path, monkeypatch):
    (tmp_path / "note.md").write_text(note, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    for given in ("note.md", tmp_path / "note.md"):
        assert Report("t", sources=sources).add(given).check().total == 2
    with pytest.raises(ReportError) as caught:
        Report("t").add("absent.md")
    assert caught.value.code == "text_not_found"


def test_blocked_message_alone_lets_one_correct_the_first_claim(sources):
    report = Report("t", sources=sources).add("Revenue was 13.40 million [evidence:facts.md:line:3].")
    with pytest.raises(ReportError) as caught:
        report.save(sources / "r.html")
    for part in ("Revenue was 13.40 million", "[evidence:facts.md:line:3]", "13.40 million"):
        assert part in str(caught.value)


def test_missing_sources_folder_is_the_finding(tmp_path, note):
    check = Report("t", sources=tmp_path / "nosuch").add(note).check()
    assert {finding.code for finding in check.findings} == {"no_sources"}
    assert all("nosuch" in finding.message for finding in check.findings)
