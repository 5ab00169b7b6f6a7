"""The wheel holds the package and nothing else, and works where nothing of the checkout is."""

import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def test_wheel_holds_the_package_and_nothing_else(wheel):
    names = zipfile.ZipFile(wheel).namelist()
    package = {name for name in names if name.startswith("capital_kit/")}
    others = {name for name in names if ".dist-info/" in name}
    assert package | others == set(names)
    in_tree = {
        path.relative_to(ROOT).as_posix()
        for path in (ROOT / "capital_kit").rglob("*")
        if path.is_file() and "__pycache__" not in path.parts
    }
    assert package == in_tree
    assert any(name.endswith("licenses/LICENSE") for name in names)
    assert "capital_kit/py.typed" in names


def test_installed_wheel_runs_the_demo(wheel, tmp_path):
    venv.create(tmp_path / "bare", with_pip=False, symlinks=True)
    python = tmp_path / "bare/bin/python"
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        capture_output=True, text=True, check=True,
    ).stdout.strip()  # fmt: skip
    pip = [sys.executable, "-m", "pip", "--python", str(python), "install", "--no-deps", "--no-index"]
    subprocess.run([*pip, str(wheel)], check=True, capture_output=True)
    # The dependencies come from the environment of the tests, its editable install does not:
    # .pth files of a folder that is itself named in a .pth file are not read.
    Path(site, "dependencies.pth").write_text(sysconfig.get_path("purelib"), encoding="utf-8")
    data = ROOT / "notebooks/data"
    demo = [
        tmp_path / "bare/bin/capital-kit", "report", data / "prices.csv", "--text", data / "note.md",
        "--sources", data / "sources", "--output", tmp_path / "report.html",
    ]  # fmt: skip
    result = subprocess.run(demo, cwd=tmp_path, capture_output=True, text=True, check=False)
    assert result.returncode == 0, result.stderr
    assert (tmp_path / "report.html").stat().st_size > 100_000
    where = subprocess.run(
        [python, "-c", "import capital_kit; print(capital_kit.__file__)"],
        cwd=tmp_path, capture_output=True, text=True, check=True,
    ).stdout  # fmt: skip
    assert where.startswith(site)
