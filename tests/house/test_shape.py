"""The size of modules, the wording of texts, the set of notebooks."""

import json
import re
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
MODULES = sorted((ROOT / "capital_kit").rglob("*.py"))
NOTEBOOKS = sorted((ROOT / "notebooks").glob("*.ipynb"))
TEXTS = [
    path
    for pattern in ("*.md", "*.toml", "*.yml", "*.txt", "Makefile", "docs/**/*.md", "scripts/*", ".ci/*",
                    "capital_kit/**/*.py", "capital_kit/**/*.toml", "tests/**/*.py", "benchmarks/*")
    for path in sorted(ROOT.glob(pattern))
    if path.is_file()
]  # fmt: skip


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_module_fits_one_reading(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) <= 450


def test_no_module_is_named_after_nothing():
    names = {path.stem.strip("_") for path in MODULES}
    assert not names & {"utils", "util", "helpers", "helper", "manager", "base", "common", "misc"}


@pytest.mark.parametrize("path", TEXTS, ids=lambda p: p.relative_to(ROOT).as_posix())
def test_text_names_no_machine_and_no_registry(path):
    text = path.read_text(encoding="utf-8")
    # Spelled in parts, so that this file may pass its own test.
    machine = "|".join(("/" + "root/", "/" + "home/\\w", "/" + "work/", "C:" + r"\\Users"))
    registry = "|".join(
        (r"pypi\." + "org", r"files\." + "pythonhosted", r"registry\." + "npmjs", r"deb\." + "debian")
    )
    assert not re.search(machine, text)
    assert not re.search(registry, text)


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda p: p.name)
def test_notebook_is_clean(path):
    text = path.read_text(encoding="utf-8")
    notebook = json.loads(text)
    code = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    assert [cell["execution_count"] for cell in code] == list(range(1, len(code) + 1))
    assert any(cell["outputs"] for cell in code)
    assert all("id" in cell for cell in notebook["cells"])
    assert notebook["metadata"]["kernelspec"] == {
        "display_name": "Python 3", "language": "python", "name": "python3",
    }  # fmt: skip
    assert "widgets" not in notebook["metadata"]
    assert len(text.encode()) < 300_000
    outputs = [output for cell in code for output in cell["outputs"]]
    assert not [out for out in outputs if out.get("name") == "stderr" or out["output_type"] == "error"]
    assert not re.search(r"/(root|home|work|tmp|Users)/", text)


def test_there_are_notebooks():
    assert NOTEBOOKS


def test_both_readmes_have_the_same_headings():
    def levels(name):
        text = (ROOT / name).read_text(encoding="utf-8")
        return [len(mark) for mark in re.findall(r"^(#+) ", text, re.MULTILINE)]

    assert levels("README.md") == levels("README.zh-CN.md")


def test_changelog_is_well_formed():
    text = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    headings = re.findall(r"^## (.*)$", text, re.MULTILINE)
    assert headings
    assert all(re.fullmatch(r"Unreleased|\d+\.\d+\.\d+ \(\d{4}-\d{2}-\d{2}\)", line) for line in headings)


def test_every_dependency_earns_a_line():
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    lines = (ROOT / "docs/dependencies.md").read_text(encoding="utf-8")
    groups = [line for group in project["dependency-groups"].values() for line in group]
    for requirement in project["project"]["dependencies"] + [
        line for line in groups if isinstance(line, str)
    ]:
        name = re.match(r"[\w.-]+", requirement)[0]
        assert f"`{name}`" in lines, name


def test_nothing_generated_is_kept():
    if not (ROOT / ".git").exists():
        pytest.skip("not a checkout")
    listed = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True)
    kept = listed.stdout.splitlines()
    assert not [name for name in kept if name.startswith(("build/", "dist/", ".venv/"))]
    assert not [name for name in kept if "/static/plotly" in name]
