"""The command line, run as a person runs it."""

import json
import os
import subprocess
import sys

import pytest

from capital_kit.cli import main
from capital_kit.datasets import query_dataset

FACTS = "# Facts\n\nRevenue was 12.40 million in 2025.\n"
NOTE = "# Sample review\n\nRevenue was 12.40 million in 2025 [evidence:facts.md:line:3].\n"
WRONG = "Revenue was 99.9 million in 2025 [evidence:facts.md:line:3].\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "evidence").mkdir()
    (tmp_path / "sources").mkdir()
    (tmp_path / "evidence/facts.md").write_text(FACTS, encoding="utf-8")
    (tmp_path / "note.md").write_text(NOTE, encoding="utf-8")
    (tmp_path / "wrong.md").write_text(WRONG, encoding="utf-8")
    rows = ["日期,开盘,最高,最低,收盘,成交量"]
    for n in range(40):
        base = 10 + n % 7
        rows.append(
            f"2025-{n // 20 + 1:02d}-{n % 20 + 1:02d},{base},{base + 1},{base - 1},{base + 0.5},{1000 + n}"
        )
    (tmp_path / "prices.csv").write_text("\n".join(rows), encoding="utf-8")
    return tmp_path


def report(*extra, text="note.md"):
    return main([
        "report", "prices.csv", "--text", text, "--sources", "sources", "-o", "report.html",
        "--question", "走势", "--date", "2025-05-01", *extra,
    ])  # fmt: skip


def test_report_is_written_and_told(folder, capsys):
    assert report("--lang", "en") == 0
    said = capsys.readouterr().out
    for words in ("40 rows", "2025-01-01", "recommended", "1/1 verified", "report.html", "MB"):
        assert words in said
    html = (folder / "report.html").read_text(encoding="utf-8")
    assert "<title>Sample review</title>" in html


def test_same_command_writes_the_same_bytes(folder):
    report()
    first = (folder / "report.html").read_bytes()
    report()
    assert (folder / "report.html").read_bytes() == first


def test_blocked_report_is_not_written(folder, capsys):
    assert report(text="wrong.md") == 1
    said = capsys.readouterr()
    assert "99.9 million" in said.out
    assert "[missing]" in said.out
    assert "report_blocked" in said.err
    assert not (folder / "report.html").exists()


def test_draft_is_written_and_still_has_findings(folder, capsys):
    assert report("--draft", "--lang", "zh", text="wrong.md") == 1
    assert "草稿" in (folder / "report.html").read_text(encoding="utf-8")
    assert "草稿" in capsys.readouterr().out


def test_report_as_json(folder, capsys):
    assert report("--json") == 0
    record = json.loads(capsys.readouterr().out)
    assert record["ok"] is True
    assert record["written"] == "report.html"
    assert record["check"]["verified"] == 1
    assert record["description"]["rows"] == 40


def test_describe(folder, capsys):
    assert main(["describe", "prices.csv", "--lang", "en"]) == 0
    said = capsys.readouterr().out
    assert "40 rows × 6 columns" in said
    assert "收盘" in said
    assert main(["describe", "prices.csv", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["rows"] == 40


@pytest.mark.parametrize("extra", [[], ["--kind", "line"], ["--question", "成交量", "--title", "T"]])
def test_chart(folder, capsys, extra):
    assert main(["chart", "prices.csv", "-o", "out.html", *extra]) == 0
    assert "<figure" in (folder / "out.html").read_text(encoding="utf-8")
    assert "out.html" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("text", "extra", "code"),
    [
        ("note.md", [], 0),
        ("wrong.md", [], 1),
        ("wrong.md", ["--fail-on", "uncited,near-miss"], 0),
        ("wrong.md", ["--fail-on", "unverified"], 1),
        ("wrong.md", ["--fail-on", "unresolved"], 0),
        ("wrong.md", ["--fail-on", "everything"], 2),
        ("absent.md", [], 2),
    ],
)
def test_verify_exit_codes(folder, capsys, text, extra, code):
    assert main(["verify", text, "--sources", "sources", *extra]) == code
    assert bool(capsys.readouterr().err) == (code == 2)


@pytest.mark.parametrize(("figure", "code"), [("14.5", 0), ("14.6", 1)])
def test_verify_opens_the_stored_queries_of_the_workspace(folder, figure, code):
    filters = {"column": "日期", "operator": "=", "value": "2025-01-05"}
    found = query_dataset("prices.csv", {"filters": filters, "select": ["日期", "收盘"]})
    anchor = f"[dataset:{found.dataset_id}:{found.query_id}]"
    text = f"2025年1月5日收盘 {figure}{anchor}。\n"
    (folder / "own.md").write_text(text, encoding="utf-8")
    assert main(["verify", "own.md", "--sources", "sources"]) == code


def test_verify_writes_json_and_a_page(folder, capsys):
    assert main(["verify", "wrong.md", "--sources", "sources", "--json", "--html", "v/out.html"]) == 1
    record = json.loads(capsys.readouterr().out)
    assert (record["ok"], record["failing"]) == (False, 1)
    assert "99.9" in (folder / "v/out.html").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "arguments",
    [
        ["describe", "absent.csv"],
        ["describe", "."],
        ["describe", "prices.csv", "--time-column", "nope"],
        ["chart", "absent.csv", "-o", "x.html"],
        ["report", "prices.csv", "--text", "absent.md", "--sources", "sources", "-o", "x.html"],
        ["report", "prices.csv", "--text", "note.md", "--sources", "nosuch", "-o", "x.html"],
        ["report", "prices.csv", "--text", "note.md", "--sources", "sources", "-o", "prices.csv/x.html"],
        [
            "report",
            "prices.csv",
            "--text",
            "note.md",
            "--sources",
            "sources",
            "-o",
            "x.html",
            "--date",
            "soon",
        ],
    ],
)
def test_bad_input_is_one_sentence(folder, capsys, arguments):
    assert main(arguments) == 2
    said = capsys.readouterr().err
    assert len(said.splitlines()) == 1
    assert said.rstrip().endswith("]")
    assert "Traceback" not in said
    assert not (folder / "x.html").exists()


def test_one_chart_says_what_is_left_out(folder, capsys):
    asked = ["chart", "prices.csv", "-o", "out.csv", "--title", "T", "--question", "走势和成交量的分布"]
    assert main([*asked, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert len(record["charts"]) == 1
    assert record["left_out"]
    assert record["not_used"] == ["--title"]
    assert main([*asked, "--lang", "en"]) == 0
    said = capsys.readouterr().out
    assert record["left_out"][0] not in said.splitlines()[0]
    assert "Left out" in said
    assert "Not used  --title" in said


def test_kind_and_question_exclude_each_other(folder, capsys):
    assert main(["chart", "prices.csv", "-o", "x.html", "--kind", "line", "--question", "走势"]) == 2
    assert "--question" in capsys.readouterr().err
    assert not (folder / "x.html").exists()


@pytest.mark.parametrize("name", ["report", "report.pdf", "note.md", "."])
def test_report_is_only_written_as_a_page(folder, capsys, name):
    assert report("-o", name) == 2
    assert "report_path_invalid" in capsys.readouterr().err
    assert (folder / "note.md").read_text(encoding="utf-8") == NOTE


def test_error_as_json(folder, capsys):
    assert main(["describe", "absent.csv", "--json"]) == 2
    assert json.loads(capsys.readouterr().out)["error"] == "dataset_not_found"


@pytest.mark.parametrize("arguments", [[], ["nonsense"], ["report"], ["describe", "x", "--lang", "fr"]])
def test_usage(capsys, arguments):
    assert main(arguments) == 2
    assert "usage" in capsys.readouterr().err


@pytest.mark.parametrize(("language", "word"), [("en", "draw a data file"), ("zh", "画成图表")])
def test_help_speaks_the_language(capsys, language, word):
    assert main(["--lang", language, "--help"]) == 0
    assert word in capsys.readouterr().out


def run(*arguments, **more):
    command = [sys.executable, "-m", "capital_kit", *arguments]
    return subprocess.run(command, capture_output=True, check=False, **more)


def test_module_speaks_utf8_on_any_pipe(folder):
    environment = {**os.environ, "PYTHONIOENCODING": "ascii", "LC_ALL": "C"}
    result = run("verify", "note.md", "--sources", "sources", "--lang", "zh", env=environment)
    assert result.returncode == 0
    assert "已核对 1/1" in result.stdout.decode()
    assert result.stderr == b""


def test_closed_pipe_is_no_error(folder):
    command = [sys.executable, "-m", "capital_kit", "describe", "prices.csv", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        process.stdout.close()
        said = process.stderr.read()
    assert said == b""


@pytest.mark.parametrize("arguments", [["describe", "absent.csv", "--json"], ["describe", "prices.csv"]])
def test_full_disk_is_one_sentence(folder, arguments):
    with open("/dev/full", "wb") as full:
        result = subprocess.run(
            [sys.executable, "-m", "capital_kit", *arguments],
            stdout=full,
            stderr=subprocess.PIPE,
            check=False,
        )
    assert result.returncode == 2
    assert len(result.stderr.splitlines()) == 1
    assert b"output_failed" in result.stderr


def test_interrupt_says_nothing(folder, capsys, monkeypatch):
    def stop(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr("capital_kit.reports.Report.save", stop)
    assert report() == 130
    assert capsys.readouterr().err == ""


def test_file_name_that_is_no_utf8(folder):
    name = os.fsdecode(b"bad\xff.csv")
    (folder / name).write_bytes((folder / "prices.csv").read_bytes())
    for extra in ([], ["--json"]):
        result = run("describe", name, *extra)
        assert result.returncode == 0
        assert result.stderr == b""
        assert b"bad" in result.stdout


def test_start_loads_nothing_heavy():
    heavy = {"numpy", "pandas", "pyarrow", "plotly", "markdown_it"}
    code = f"import sys, capital_kit.cli; print({heavy!r} & set(sys.modules))"
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "set()"


def test_version(capsys):
    from capital_kit import __version__

    assert main(["--version"]) == 0
    assert capsys.readouterr().out.split() == ["capital-kit", __version__]
