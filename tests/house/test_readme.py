"""What the README shows is run as it stands, in both languages."""

import re
import shutil
from pathlib import Path

import pytest

from capital_kit.cli import main

ROOT = Path(__file__).parents[2]


@pytest.fixture
def beside_the_data(tmp_path, monkeypatch):
    shutil.copytree(ROOT / "notebooks/data", tmp_path / "data")
    monkeypatch.chdir(tmp_path / "data")
    return tmp_path / "data"


def block(name, start):
    text = (ROOT / name).read_text(encoding="utf-8")
    return re.search(rf"```{start}(.*?)```", text, re.DOTALL)[0].removeprefix("```python").removesuffix("```")


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_one_screen_runs(name, beside_the_data):
    exec(compile(block(name, "python"), name, "exec"), {})  # the README is ours
    assert (beside_the_data / "report.html").stat().st_size > 100_000


@pytest.mark.parametrize("name", ["README.md", "README.zh-CN.md"])
def test_shell_lines_run(name, beside_the_data):
    lines = re.findall(
        r"^capital-kit (.*?)(?:\s+#.*)?$", (ROOT / name).read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(lines) == 4
    assert [main(line.split()) for line in lines] == [0, 0, 0, 0]
