"""Imports go down only, and importing the package loads nothing heavy."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "capital_kit"
FLOOR = {
    "errors": 0, "workspace": 0, "_core": 0,
    "datasets": 1, "citations": 1,
    "charts": 2,
    "reports": 3,
    "cli": 4,
    "__main__": 5,
}  # fmt: skip
THIRD_PARTY = {
    "errors": set(), "workspace": set(), "_core": set(),
    "datasets": {
        "dask", "duckdb", "narwhals", "numpy", "pandas", "polars", "pyarrow", "pyspark", "tqdm", "xlrd",
    },
    "citations": {"pandas", "pypdf"},
    "charts": {"IPython", "kaleido", "numpy", "pandas", "plotly", "pyarrow"},
    "reports": {"markdown_it", "mdit_py_plugins", "pandas", "plotly"},
    "cli": set(), "__main__": set(),
}  # fmt: skip
HEAVY = [
    "numpy", "pandas", "pyarrow", "plotly", "ipywidgets", "httpx", "pypdf", "duckdb", "openpyxl", "xlrd",
    "tqdm", "narwhals", "markdown_it",
]  # fmt: skip


def part_of(path: Path) -> str:
    top = path.relative_to(PACKAGE).parts[0]
    return top.removesuffix(".py")


def imported(path: Path) -> set[str]:
    names = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path.name}: relative import"
            names.add(node.module)
            names |= {f"{node.module}.{alias.name}" for alias in node.names}
    return names


MODULES = [path for path in sorted(PACKAGE.rglob("*.py")) if path != PACKAGE / "__init__.py"]


@pytest.mark.parametrize("path", MODULES, ids=lambda p: p.relative_to(PACKAGE).as_posix())
def test_imports_go_down(path):
    part = part_of(path)
    for name in imported(path):
        root, _, rest = name.partition(".")
        if root == "capital_kit":
            other = rest.split(".")[0]
            if other in FLOOR and other != part:
                allowed = FLOOR[other] < FLOOR[part] or FLOOR[part] == FLOOR[other] == 0
                assert allowed, f"{part} imports {other}"
        elif root not in sys.stdlib_module_names:
            assert root in THIRD_PARTY[part], f"{part} imports {root}"


def test_every_part_of_the_package_has_a_floor():
    parts = {part_of(path) for path in MODULES}
    assert parts == set(FLOOR)


def loaded_by(code: str) -> set[str]:
    program = f"{code}\nimport sys; print(' '.join(sys.modules))"
    result = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    return set(result.stdout.split())


def test_importing_the_package_loads_nothing_heavy():
    assert not loaded_by("import capital_kit") & set(HEAVY)


@pytest.mark.parametrize("package", ["datasets", "citations", "charts", "reports"])
def test_importing_a_package_loads_nothing_heavy(package):
    assert not loaded_by(f"import capital_kit.{package}") & set(HEAVY)


def test_reading_and_describing_a_file_needs_no_pandas(tmp_path):
    path = tmp_path / "prices.csv"
    path.write_text("date,close\n2024-01-02,1.5\n2024-01-03,1.6\n", encoding="utf-8")
    loaded = loaded_by(f"import capital_kit as ck; ck.describe_dataset({str(path)!r})")
    assert not loaded & {"pandas", "plotly"}


def test_importing_changes_nothing_outside(tmp_path):
    subprocess.run([sys.executable, "-c", "import capital_kit"], cwd=tmp_path, check=True)
    assert list(tmp_path.iterdir()) == []


FOLDERS = ["_cells", "_reading", "_facts", "_partitions", "_queries", "_cards"]
"""The folders of the dataset package, in the order in which a file passes through them."""


@pytest.mark.parametrize(
    "path",
    [path for path in MODULES if path.parent.name in FOLDERS],
    ids=lambda p: f"{p.parent.name}/{p.stem}",
)
def test_folders_of_datasets_know_only_earlier_ones(path):
    here = FOLDERS.index(path.parent.name)
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom) and node.module.startswith("capital_kit.datasets._"):
            other = node.module.split(".")[2]
            assert other not in FOLDERS[here + 1 :], f"{path.parent.name} imports {other}"
