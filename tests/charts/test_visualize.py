"""From data to one summary: terminal states, corrections, the barrier and the record."""

import datetime as dt
import json
from types import SimpleNamespace

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import capital_kit as ck
from capital_kit.charts._gate import GateDecision, decide
from capital_kit.charts._outcomes import NOT_ISSUABLE, Tools, corrected, draw_all
from capital_kit.charts._signals import reason
from capital_kit.charts._visualize import VisualizationSummary, settle, visualize

N = 30
SENTINEL = 98765.4321
SUMMARY_KEYS = ["task_id", "dataset_id", "profile_ref", "visualization", "charts", "warnings", "failures"]
CHART_KEYS = {
    "state", "view", "role", "chart_id", "kind", "axis", "title", "points",
    "original_points", "downsampled", "warnings",
}  # fmt: skip


def bars(n=N):
    close = [10 + (i % 5) for i in range(n)]
    return pd.DataFrame({
        "date": [dt.date(2024, 1, 1) + dt.timedelta(days=i) for i in range(n)],
        "open": close, "high": [SENTINEL] * n, "low": [c - 1 for c in close], "close": close,
        "volume": [1000.5 * (i % 7 + 1) for i in range(n)],
    })  # fmt: skip


# ------------------------------------------------------------- the tools, replaced
PLAN = {
    "view": "trend", "role": "main", "title": "close", "kind": "line", "x": "date", "series": ["close"],
    "covers": [], "merged": [],
}  # fmt: skip


def error(code, **details):
    return ck.ChartError(code, "what was found", "what to do", **details)


def chart(spec):
    facts = {
        "chart_ref": "chart_1", "chart_id": "ch_1", "kind": spec["kind"], "axis": "time", "title": "t",
        "points": 5, "original_points": 5, "downsampled": False, "warnings": [],
    }  # fmt: skip
    return SimpleNamespace(receipt=facts, to_dict=lambda: facts, spec=spec)


class Fake:
    """Tools that fail as they are told, call by call, and then work."""

    def __init__(self, prepare=(), render=()):
        self.failures = {"prepare": list(prepare), "render": list(render)}
        self.calls = {"prepare": 0, "render": 0}
        self.tools = Tools(
            prepare=lambda plan: self._call("prepare", ("source", plan)),
            render=lambda source, spec: self._call("render", chart(spec)),
        )

    def _call(self, name, result):
        self.calls[name] += 1
        if self.failures[name]:
            failure = self.failures[name].pop(0)
            if failure:
                raise failure
        return result

    def outcome(self, **plan):
        (found,) = draw_all([{**PLAN, **plan}], self.tools)
        return found


GATE = GateDecision(decision="recommended", reasons=(reason("user_requested"),), execution="due", row="G7")


# ---------------------------------------------------------------- errors to states
@pytest.mark.parametrize("code", sorted(NOT_ISSUABLE))
def test_source_that_cannot_be_issued_blocks_without_a_retry(code):
    fake = Fake(prepare=[error(code)] * 3)
    outcome = fake.outcome()
    assert (outcome.state, outcome.failure.blocked, fake.calls["prepare"]) == ("failed", True, 1)
    final = settle(GATE, [outcome])
    assert (final.decision, final.execution) == ("blocked", "executed")
    assert [notice.code for notice in final.reasons] == ["token_not_issuable", "user_requested"]


@pytest.mark.parametrize("code", ["chart_write_failed", "workspace_corrupt", "dataset_manifest_invalid"])
def test_preparing_that_breaks_fails(code):
    final = settle(GATE, [Fake(prepare=[error(code)] * 3).outcome()])
    assert final.decision == "failed"
    assert final.reasons[0].code == "prepare_failed"


def test_refusal_of_the_system_is_tried_once_more_and_names_no_path():
    fake = Fake(prepare=[OSError(5, "Input/output error", "/secret/place")])
    assert fake.outcome().state == "rendered"
    outcome = Fake(prepare=[OSError(5, "Input/output error", "/secret/place")] * 2).outcome()
    assert (outcome.state, outcome.failure.attempts) == ("failed", 2)
    assert "secret" not in json.dumps(outcome.to_dict())


CORRECTABLE = [
    error("chart_field_not_found", missing="Close ", available="date, close"),
    error("chart_field_not_found", missing="volume", available="date, close"),
    error("chart_spec_invalid", axis="category", allowed=["time"]),
]


@pytest.mark.parametrize("first", CORRECTABLE)
def test_one_correction_and_only_one(first):
    plan = {"series": ["Close ", "close"][:1] if "Close" in str(first.details) else ["close"],
            "volume": "volume", "range": {"from": "2024"}}  # fmt: skip
    fake = Fake(render=[first])
    outcome = fake.outcome(**plan)
    assert (outcome.state, fake.calls["render"]) == ("rendered", 2)
    assert {notice.code for notice in outcome.warnings} <= {"spec_corrected", "range_dropped"}
    assert outcome.warnings
    again = Fake(render=[first, first, None])
    outcome = again.outcome(**plan)
    assert (outcome.state, outcome.failure.attempts, again.calls["render"]) == ("failed", 2, 2)


@pytest.mark.parametrize(
    ("spec", "refused", "better"),
    [
        ({"series": ["CLOSE"]}, {"missing": "CLOSE", "available": "date, close"}, {"series": ["close"]}),
        ({"series": ["a", "b"]}, {"missing": "b", "available": "a"}, {"series": ["a"]}),
        ({"series": ["a", "b"]}, {"field": "b"}, {"series": ["a"]}),
        ({"series": ["a"], "volume": "v"}, {"field": "v"}, {"series": ["a"]}),
        ({"series": ["a"]}, {"missing": "a", "available": "b"}, None),
        ({"x": "t", "series": ["a"]}, {"missing": "t", "available": "a"}, None),
        ({"ohlc": {"open": "o", "close": "c"}}, {"missing": "o", "available": "c"}, None),
        ({"series": ["a"]}, {}, None),
    ],
)
def test_correction_uses_what_is_available_and_never_makes_another_chart(spec, refused, better):
    assert corrected(spec, error("chart_field_not_found", **refused)) == better


def test_too_many_series_are_cut():
    spec = {"series": list("abcdefgh")}
    mended = corrected(spec, error("chart_spec_invalid", count=8, allowed="1–6"))
    assert mended == {"series": list("abcdef")}


def test_expired_source_is_issued_once_more():
    fake = Fake(render=[error("chart_source_expired")])
    assert fake.outcome().state == "rendered"
    assert fake.calls == {"prepare": 2, "render": 2}
    fake = Fake(render=[error("chart_source_expired")] * 3)
    assert fake.outcome().state == "failed"
    assert fake.calls == {"prepare": 2, "render": 2}


def test_window_without_rows_is_dropped_once():
    fake = Fake(render=[error("chart_no_rows")])
    outcome = fake.outcome(range={"from": "2019", "to": "2019"})
    assert [notice.code for notice in outcome.warnings] == ["range_dropped"]
    assert "range" not in outcome.chart.spec
    assert Fake(render=[error("chart_no_rows")]).outcome().state == "failed"
    fake = Fake(prepare=[error("chart_no_rows")])
    outcome = fake.outcome(table={"make": "bins", "of": "close", "range": {"from": "2019"}})
    assert [notice.code for notice in outcome.warnings] == ["range_dropped"]


WINDOWED = {"title": "close (2019)", "window": " (2019)", "range": {"from": "2019", "to": "2019"}}


def test_a_title_names_no_window_that_is_not_drawn():
    outcome = Fake(render=[error("chart_no_rows")]).outcome(**WINDOWED)
    assert outcome.title == outcome.chart.spec["title"] == "close"
    table = {"make": "bins", "of": "close", "range": {"from": "2019"}}
    outcome = Fake(prepare=[error("chart_no_rows")]).outcome(**{**WINDOWED, "range": None, "table": table})
    assert outcome.title == outcome.chart.spec["title"] == "close"


def test_another_correction_keeps_the_window_and_its_title():
    refused = error("chart_field_not_found", missing="Close ", available="date, close")
    outcome = Fake(render=[refused]).outcome(**{**WINDOWED, "series": ["Close "]})
    assert outcome.title == outcome.chart.spec["title"] == "close (2019)"
    assert outcome.chart.spec["range"] == WINDOWED["range"]
    assert "window" not in outcome.chart.spec


@pytest.mark.parametrize(
    "code",
    ["chart_source_scope_mismatch", "chart_too_large", "chart_write_failed", "chart_runtime_unavailable"],
)
def test_other_failures_of_drawing_are_not_tried_again(code):
    fake = Fake(render=[error(code)] * 2)
    outcome = fake.outcome()
    assert (outcome.state, fake.calls["render"]) == ("failed", 1)
    assert settle(GATE, [outcome]).decision == "failed"


def test_one_rendered_chart_keeps_the_decision_and_lists_the_failure():
    fake = Fake(render=[error("chart_write_failed"), None])
    outcomes = draw_all([PLAN, {**PLAN, "view": "ohlc"}], fake.tools)
    assert [outcome.state for outcome in outcomes] == ["failed", "rendered"]
    assert settle(GATE, outcomes).decision == "recommended"


def test_all_sources_are_issued_before_the_first_chart_is_drawn():
    order = []
    tools = Tools(
        prepare=lambda plan: (order.append("prepare"), plan),
        render=lambda source, spec: order.append("render") or chart(spec),
    )
    draw_all([PLAN, PLAN], tools)
    assert order == ["prepare", "prepare", "render", "render"]


codes = st.sampled_from([
    None, "chart_write_failed", "chart_too_large", "chart_source_expired", "chart_spec_invalid",
    "chart_field_not_found", "chart_no_rows", "chart_source_invalid", "chart_source_scope_mismatch",
])  # fmt: skip
scripts = st.lists(codes.map(lambda code: code and error(code)), max_size=8)


@given(st.integers(0, 4), scripts, scripts)
def test_every_chart_ends_and_the_states_agree(n, prepare, render):
    fake = Fake(prepare, render)
    outcomes = draw_all([PLAN] * n, fake.tools)
    final = settle(GATE, outcomes)
    assert len(outcomes) == n
    assert {outcome.state for outcome in outcomes} <= {"rendered", "skipped", "failed"}
    assert final.reasons
    assert final.execution == "executed"
    assert final.decision != "not_needed"
    if final.decision in ("failed", "blocked"):
        assert fake.calls["prepare"] + fake.calls["render"] >= 1
    assert (final.decision == "recommended") == (n == 0 or any(o.state == "rendered" for o in outcomes))
    for outcome in outcomes:
        record = outcome.to_dict()
        assert ("chart_ref" in record) == (outcome.state == "rendered")
        assert ("error" in record) == (outcome.state == "failed")
        assert outcome.failure is None or outcome.failure.attempts <= 2
        json.dumps(record, allow_nan=False)


# -------------------------------------------------------------------- the real thing
@pytest.fixture(scope="module")
def described():
    frame = bars()
    return ck.describe_dataset(frame)


def test_summary_of_drawn_charts(described, tmp_path):
    summary = visualize(described, question="走势和成交量", task_id="t1", workspace=tmp_path)
    record = summary.to_dict()
    assert list(record) == SUMMARY_KEYS
    assert (record["task_id"], record["profile_ref"]) == ("t1", described.profile_ref)
    assert record["dataset_id"] == described.dataset.dataset_id
    assert list(record["visualization"]) == [
        "decision", "reasons", "candidate_views", "execution", "withheld_reason", "pending",
    ]  # fmt: skip
    assert record["visualization"]["decision"] == "recommended"
    assert record["visualization"]["execution"] == "executed"
    assert record["visualization"]["pending"] == 0
    assert record["failures"] == []
    assert [entry["view"] for entry in record["charts"]] == ["ohlc"]
    for entry in record["charts"]:
        assert set(entry) == CHART_KEYS | {"chart_ref"}
        assert entry["points"] == N
    assert len(summary.charts) == 1
    assert summary.description is described
    assert repr(summary) == "VisualizationSummary(recommended, execution=executed, charts=[ohlc rendered])"


def test_notebook_shows_the_card_and_the_charts(described, tmp_path, monkeypatch):
    shown = []
    monkeypatch.setattr("IPython.display.display", lambda item, **_: shown.append(item))
    summary = visualize(described, question="走势", workspace=tmp_path)
    summary._ipython_display_()
    assert shown == [{"text/plain": repr(summary), "text/html": summary._repr_html_()}, *summary.charts]


def test_summary_holds_no_data_and_no_path(described, tmp_path):
    text = json.dumps(visualize(described, question="走势", workspace=tmp_path).to_dict(), ensure_ascii=False)
    assert "98765" not in text
    assert str(tmp_path) not in text
    assert "<" not in text


def test_narrow_scope_writes_nothing_and_can_be_resumed(described, tmp_path):
    place = tmp_path / "workspace"
    summary = visualize(described, question="画图", scope="no_chart", workspace=place)
    assert (summary.decision, summary.gate.execution, summary.charts) == ("recommended", "withheld", ())
    assert summary.to_dict()["visualization"]["withheld_reason"] == "scope_narrowed"
    assert not place.exists()
    resumed = visualize(summary.description, question="画图", workspace=place)
    assert resumed.description is described
    assert resumed.charts


@pytest.mark.parametrize(
    ("data", "question", "decision"),
    [
        ([{"市值": 1.5}], "", "not_needed"),
        ([{"市值": 1.5}], "画图", "blocked"),
        ({"标题": "年报"}, "", "not_needed"),
    ],
)
def test_states_without_charts_are_complete_summaries(data, question, decision, tmp_path):
    record = visualize(data, question=question, workspace=tmp_path).to_dict()
    assert list(record) == SUMMARY_KEYS
    assert record["visualization"]["decision"] == decision
    assert record["visualization"]["reasons"]
    assert record["visualization"]["execution"] == "none"
    assert record["charts"] == record["failures"] == []


@pytest.mark.parametrize("question", ["2024年2月收盘价走势", "2024年2月收盘价分布"])
def test_a_window_in_a_gap_of_the_data_is_told_once_and_is_in_no_title(question, tmp_path):
    days = [dt.date(2024, month, day) for month in (1, 3) for day in range(1, 29)]
    data = pd.DataFrame({"日期": days, "收盘价": [10.5 + i % 7 for i in range(len(days))]})
    summary = visualize(data, question=question, workspace=tmp_path)
    assert summary.charts
    assert "range_dropped" in [notice.code for notice in summary.gate.warnings]
    for outcome in summary.outcomes:
        assert "2024" not in outcome.title
        assert "2024" not in outcome.chart.title


def test_workspace_that_cannot_be_written_is_a_failure(described, tmp_path):
    (tmp_path / "file").write_text("in the way")
    summary = visualize(described, workspace=tmp_path / "file")
    assert summary.decision == "failed"
    assert summary.gate.reasons[0].code == "prepare_failed"
    assert summary.failures[0].code == "chart_write_failed"
    assert summary.to_dict()["charts"][0]["state"] == "failed"
    assert str(tmp_path) not in json.dumps(summary.to_dict())


def test_requested_view_beyond_the_limit_is_skipped_with_a_reason(tmp_path):
    data = bars().assign(kind=list("abc") * 10)
    summary = visualize(data, question="走势、对比、分布、排名、K线", workspace=tmp_path)
    entries = summary.to_dict()["charts"]
    assert sum(entry["state"] == "rendered" for entry in entries) <= 4
    for entry in entries:
        if entry["state"] == "skipped":
            assert entry["warnings"][0]["code"] in ("over_limit", "nothing_to_draw")
            assert "chart_ref" not in entry


def test_data_that_cannot_be_read_is_the_error_of_reading(tmp_path):
    with pytest.raises(ck.KitError) as caught:
        visualize(tmp_path / "absent.csv")
    assert not isinstance(caught.value, ck.ChartError)


def test_ranking_and_distribution_are_drawn_from_grouped_rows(tmp_path):
    data = pd.DataFrame(
        {"名称": [f"股{chr(0x4E00 + i)}" for i in range(N)], "市值": [float(i * i) for i in range(N)]}
    )
    summary = visualize(data, question="市值排名和分布", workspace=tmp_path)
    assert [outcome.view for outcome in summary.outcomes] == ["ranking", "distribution"]
    assert {outcome.state for outcome in summary.outcomes} == {"rendered"}
    assert [drawn.to_dict()["points"] for drawn in summary.charts] == [20, 20]


def test_card_lists_charts_and_failures(described, tmp_path, language):
    summary = visualize(described, question="<i>走势</i>", workspace=tmp_path)
    card = summary._repr_html_()
    assert "<i>" not in card
    assert summary.charts[0].title in card
    (tmp_path / "file").write_text("in the way")
    failed = visualize(described, workspace=tmp_path / "file")._repr_html_()
    assert ("出图失败" if language == "zh" else "Chart failed") in failed


def test_summary_is_made_of_a_decision():
    gate = decide(ck.charts._facts.GateFacts(rows=1))
    summary = VisualizationSummary(gate=gate, outcomes=(), description=None, task_id="t")
    assert summary.decision == gate.decision
    assert settle(gate, ()) is gate
