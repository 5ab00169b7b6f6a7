"""Rendering a source: the order of the checks, one success, three equal files."""

import hashlib
import json
import os
import subprocess
import sys
import threading

import pytest

from capital_kit.charts import prepare_chart_source, render_chart
from capital_kit.errors import ChartError
from capital_kit.workspace import StagedFolder, Workspace

SPEC = {"kind": "line", "x": "日期", "series": ["甲"], "title": "走势"}


class Clock:
    now = 1_700_000_000.0

    def __call__(self):
        return self.now


@pytest.fixture
def place(tmp_path):
    return Workspace(tmp_path / "work", clock=Clock())


@pytest.fixture
def ref(make, place):
    return prepare_chart_source(make.wave(), "t1", workspace=place).chart_source_ref


def refused(*args, **kwargs):
    with pytest.raises(ChartError) as caught:
        render_chart(*args, **kwargs)
    return caught.value


def test_a_rendered_chart_and_its_files(ref, place):
    chart = render_chart(ref, "t1", SPEC, workspace=place)
    receipt = chart.receipt
    assert receipt["chart_id"].startswith("ch_")
    assert receipt["chart_ref"].startswith("chart_")
    folder = place.path / "charts" / receipt["chart_id"]
    assert sorted(path.name for path in folder.iterdir()) == ["chart.html", "series.json", "spec.json"]
    series = json.loads((folder / "series.json").read_text(encoding="utf-8"))
    assert series["meta"]["points"] == 30
    assert json.loads((folder / "spec.json").read_text(encoding="utf-8"))["spec"] == SPEC | {
        "series": [{"field": "甲", "label": None, "type": "line"}]
    }
    record = place.get("chart", receipt["chart_ref"])
    assert record.body["chart_id"] == receipt["chart_id"]
    assert str(place.path) not in json.dumps(chart.to_dict())


def test_title_replaces_that_of_the_spec(ref, place):
    assert render_chart(ref, "t1", SPEC, title="另一个", workspace=place).title == "另一个"


@pytest.mark.parametrize("bad", [None, "", "x", "cs_", "cs_../../etc", 7])
def test_a_reference_has_a_form(bad, place):
    assert refused(bad, "t1", SPEC, workspace=place).code == "chart_source_invalid"


def test_unknown(place):
    error = refused("cs_unknown", "t1", SPEC, workspace=place)
    assert (error.code, error.details["reason"]) == ("chart_source_expired", "unknown")
    assert not place.path.exists()


def test_expired_at_the_very_moment(ref, place):
    place.clock.now += 15 * 60 - 0.001
    assert refused(ref, "t1", {"kind": "x"}, workspace=place).code == "chart_spec_invalid"
    place.clock.now += 0.001
    error = refused(ref, "t1", SPEC, workspace=place)
    assert (error.code, error.details["reason"]) == ("chart_source_expired", "expired")


def test_one_source_one_chart(ref, place):
    render_chart(ref, "t1", SPEC, workspace=place)
    error = refused(ref, "t1", SPEC, workspace=place)
    assert (error.code, error.details["reason"]) == ("chart_source_expired", "consumed")


def test_another_task(ref, place):
    assert refused(ref, "t2", SPEC, workspace=place).code == "chart_source_scope_mismatch"
    assert refused(ref, None, SPEC, workspace=place).code == "chart_source_scope_mismatch"


@pytest.mark.parametrize(
    ("spec", "code", "detail"),
    [
        ({"kind": "pie"}, "chart_spec_invalid", "allowed"),
        (None, "chart_spec_invalid", "allowed"),
        ({**SPEC, "series": ["丙"]}, "chart_field_not_found", "available"),
        ({**SPEC, "range": ["2030", None]}, "chart_no_rows", "covered_to"),
    ],
)
def test_a_refused_spec_leaves_the_source_open(ref, place, spec, code, detail):
    error = refused(ref, "t1", spec, workspace=place)
    assert error.code == code
    assert detail in error.details
    assert render_chart(ref, "t1", SPEC, workspace=place).receipt


def test_a_disk_that_refuses_leaves_the_source_open(ref, place, monkeypatch):
    def full(self):
        with self.workspace.writing():
            raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(StagedFolder, "commit", full)
        error = refused(ref, "t1", SPEC, workspace=place)
    assert (error.code, error.details["cause"]) == ("chart_write_failed", "workspace_not_writable")
    assert list((place.path / "charts").iterdir()) == []
    assert render_chart(ref, "t1", SPEC, workspace=place).receipt


def test_of_two_at_once_one_wins(ref, place):
    outcomes = []

    def run():
        try:
            render_chart(ref, "t1", SPEC, workspace=Workspace(place.path, clock=place.clock))
            outcomes.append("drawn")
        except ChartError as error:
            outcomes.append(error.details["reason"])

    threads = [threading.Thread(target=run) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert sorted(outcomes) == ["consumed"] * 3 + ["drawn"]
    assert len(list((place.path / "charts").iterdir())) == 1


RACE = """
import sys
from capital_kit.charts import render_chart
from capital_kit.errors import ChartError
work, ref = sys.argv[1:]
try:
    render_chart(ref, "t1", {"kind": "line", "x": "日期", "series": ["甲"]}, workspace=work)
    print("drawn")
except ChartError as error:
    print(error.details["reason"])
"""


def test_of_two_processes_one_wins(make, tmp_path):
    work = tmp_path / "work"
    ref = prepare_chart_source(make.wave(), "t1", workspace=work).chart_source_ref
    runs = [
        subprocess.Popen([sys.executable, "-c", RACE, str(work), ref], stdout=subprocess.PIPE, text=True)
        for _ in range(2)
    ]
    assert sorted(run.communicate()[0].strip() for run in runs) == ["consumed", "drawn"]
    assert [path.name[:3] for path in (work / "charts").iterdir()] == ["ch_"]


def test_another_unit_is_another_chart(make, place):
    ids = set()
    for unit in ("手", "股"):
        data = make.dataset(
            {"日期": (make.business_days(3), "date"), "甲": ([1.0, 2.0, 3.0], "number", unit)}
        )
        ref = prepare_chart_source(data, "t1", workspace=place).chart_source_ref
        ids.add(render_chart(ref, "t1", SPEC, workspace=place).receipt["chart_id"])
    assert len(ids) == 2


RENDER = """
import hashlib, sys
from capital_kit.charts import prepare_chart_source, render_chart
path, work = sys.argv[1:]
source = prepare_chart_source(path, "t", workspace=work)
spec = {"kind": "line", "x": "time", "series": ["a"]}
chart = render_chart(source.chart_source_ref, "t", spec, workspace=work)
from pathlib import Path
folder = Path(work) / "charts" / chart.receipt["chart_id"]
for name in ("spec.json", "series.json", "chart.html"):
    print(name, hashlib.sha256((folder / name).read_bytes()).hexdigest())
"""


def test_equal_files_in_every_time_zone(tmp_path):
    table = tmp_path / "t.csv"
    table.write_text("time,a\n" + "".join(f"2024-01-{d:02} 09:3{d % 10},{d}.5\n" for d in range(2, 20)))
    found = set()
    for zone in ("UTC", "Asia/Shanghai", "America/New_York"):
        run = subprocess.run(
            [sys.executable, "-c", RENDER, str(table), str(tmp_path / zone.replace("/", "_"))],
            capture_output=True, text=True, check=True, env={**os.environ, "TZ": zone},
        )  # fmt: skip
        found.add(hashlib.sha256(run.stdout.encode()).hexdigest())
    assert len(found) == 1
