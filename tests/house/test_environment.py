"""environment.yml and constraints.txt say what pyproject.toml says; no channel is needed to tell."""

import re
import tomllib
from pathlib import Path

import pytest
import yaml
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONDA = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))["dependencies"]
CONSTRAINTS = (ROOT / "constraints.txt").read_text(encoding="utf-8")


def requirements(lines) -> dict[str, SpecifierSet]:
    parsed = [Requirement(line) for line in lines if isinstance(line, str)]
    assert len(parsed) == len({item.name for item in parsed}), "a name stands twice"
    return {item.name: item.specifier for item in parsed}


RUN = requirements(PROJECT["project"]["dependencies"])
GROUPS = requirements(line for group in PROJECT["dependency-groups"].values() for line in group)
IN_CONDA = requirements(line for line in CONDA if isinstance(line, str))
PIP = next(item["pip"] for item in CONDA if isinstance(item, dict))


@pytest.mark.parametrize("name", RUN | GROUPS)
def test_dependency_has_the_same_bounds(name):
    wanted = (RUN | GROUPS)[name]
    by_pip = requirements(line for line in PIP if not line.startswith("-e"))
    assert (IN_CONDA | by_pip)[name] == wanted


def test_environment_holds_nothing_unknown():
    assert set(IN_CONDA) - {"python"} <= set(RUN | GROUPS)


def test_environment_installs_the_package_itself():
    assert "-e ." in PIP


def test_python_bounds_agree():
    lowest = PROJECT["project"]["requires-python"].removeprefix(">=")
    assert SpecifierSet(f">={lowest},<3.14") == IN_CONDA["python"]


def test_no_build_strings():
    assert not [line for line in CONDA if isinstance(line, str) and re.search(r"[^<>=!]=[^=]", line)]


def test_constraints_pin_every_dependency_and_name_no_address():
    pinned = set(re.findall(r"^([\w.-]+)==", CONSTRAINTS, re.MULTILINE))
    assert set(RUN | GROUPS) <= pinned
    assert "://" not in CONSTRAINTS
