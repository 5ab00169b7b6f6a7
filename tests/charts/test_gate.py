"""The decision table, row by row; overrides, scope and invariants."""

import dataclasses
import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capital_kit import OptionError
from capital_kit._core.labels import catalogue
from capital_kit.charts import _gate
from capital_kit.charts._facts import OHLC, Category, Comparable, GateFacts, Measure
from capital_kit.charts._gate import GateDecision, decide
from capital_kit.charts._question import SCOPES, VIEWS, Asked
from capital_kit.charts._signals import GatePolicy, drawable, hard_signals


def measure(name="close", points=10, **more):
    return Measure(name=name, **{"count": points, "points": points, **more})


def facts(**more):
    return GateFacts(**{"rows": 10, "columns": 3, **more})


def timed(rows=10, **more):
    given = {"time": "date", "time_share": 1.0, "periods": rows, "measures": (measure(points=rows),)}
    return facts(rows=rows, **{**given, **more})


PRICES = {part: part for part in OHLC}
BARS = timed(
    measures=tuple(measure(part) for part in (*OHLC, "volume")),
    ohlc=PRICES, ohlc_rows=10, ohlc_found=OHLC, volume="volume",
)  # fmt: skip
YEARS = timed(rows=3, periodic=True)
TWO_YEARS = timed(rows=2, periodic=True, measures=(measure("a", 2), measure("b", 2)))
COMPARABLE = facts(
    measures=(measure("a"), measure("b")),
    comparables=(Comparable(columns=("a", "b"), shared_points=3),),
)
SCALAR = facts(rows=1, columns=1, measures=(measure(points=1),))
RANKED = facts(measures=(measure("value"),), categories=(Category(name="name", groups=10),))
TEXTS = facts(has_text=True, categories=())
DOCUMENT = GateFacts(shape="document", rows=4)

ASK = Asked(chart=True)
TABLE = [
    ("G1", GateFacts(shape="none"), Asked(), "blocked", ["dataset_unreadable"]),
    ("G2", DOCUMENT, ASK, "blocked", ["document_dataset"]),
    ("G2", dataclasses.replace(DOCUMENT, numeric_lists=True), Asked(), "blocked", ["document_dataset"]),
    ("G3", DOCUMENT, Asked(), "not_needed", ["text_only"]),
    ("G4", facts(rows=0), ASK, "blocked", ["no_rows"]),
    ("G4", facts(rows=0), Asked(), "not_needed", ["empty_result"]),
    ("G5", timed(), Asked(), "recommended", ["time_series"]),
    ("G5", timed(rows=5), ASK, "recommended", ["time_series", "user_requested"]),
    ("G5", BARS, Asked(), "recommended", ["time_series", "ohlc_volume"]),
    ("G5", YEARS, Asked(), "recommended", ["multi_period"]),
    ("G5", TWO_YEARS, Asked(), "recommended", ["multi_period"]),
    ("G5", COMPARABLE, Asked(), "recommended", ["multi_series"]),
    ("G6", RANKED, Asked(views=("ohlc",)), "blocked", ["view_not_expressible"]),
    ("G6", RANKED, Asked(views=("ohlc", "trend"), chart=True), "blocked", ["view_not_expressible"] * 2),
    ("G7", RANKED, ASK, "recommended", ["user_requested"]),
    ("G7", timed(rows=2), ASK, "recommended", ["user_requested"]),
    ("G7", RANKED, Asked(chart=True, views=("ohlc", "ranking")), "recommended", ["user_requested"]),
    ("G8", facts(has_text=True), ASK, "blocked", ["no_numeric_field"]),
    ("G8", SCALAR, ASK, "blocked", ["insufficient_points"]),
    ("G8", facts(rows=5, measures=(measure(points=5),)), ASK, "blocked", ["no_axis_field"]),
    ("G9", RANKED, Asked(), "recommended", ["ranking"]),
    ("G9", dataclasses.replace(RANKED, rows=40), Asked(), "recommended", ["concentration"]),
    ("G9", facts(rows=30, measures=(measure(points=30),)), Asked(), "recommended", ["distribution"]),
    ("G9", facts(categories=(Category(name="kind", groups=4),)), Asked(), "recommended", ["category_counts"]),
    ("G10", SCALAR, Asked(), "not_needed", ["scalar"]),
    ("G10", facts(rows=3, measures=(measure(points=3),)), Asked(), "not_needed", ["scalar"]),
    ("G10", timed(rows=2, measures=(measure("a", 2), measure("b", 2))), Asked(), "not_needed", ["few_rows"]),
    ("G11", facts(), Asked(), "blocked", ["no_usable_fields"]),
    ("G12", TEXTS, Asked(), "not_needed", ["text_only"]),
    ("G12", facts(measures=(measure(),)), Asked(), "not_needed", ["no_relation"]),
    ("G12", timed(rows=4), Asked(), "not_needed", ["table_clearer"]),
]  # fmt: skip


@pytest.mark.parametrize(("row", "given_facts", "asked", "decision", "codes"), TABLE)
def test_row(row, given_facts, asked, decision, codes):
    result = decide(given_facts, asked)
    assert (result.row, result.decision) == (row, decision)
    assert [notice.code for notice in result.reasons] == codes


# ------------------------------------------------------------------ hard overrides
def test_explicit_scalar_is_blocked_never_not_needed():
    assert decide(SCALAR, ASK).decision == "blocked"


def test_explicit_two_rows_that_can_be_drawn_are_recommended():
    assert decide(timed(rows=2), ASK).decision == "recommended"


@pytest.mark.parametrize("given_facts", [BARS, YEARS, timed()])
def test_confirmed_signal_needs_no_request(given_facts):
    assert decide(given_facts, Asked()).decision == "recommended"


def test_explicit_document_is_blocked():
    assert decide(DOCUMENT, ASK).decision == "blocked"


def test_candles_of_a_close_only_series_become_a_trend():
    result = decide(timed(ohlc_found=("close",)), Asked(chart=True, views=("ohlc",)))
    assert result.decision == "recommended"
    assert result.candidate_views == ("trend",)
    assert result.unmet_views[0].missing == ("open", "high", "low")
    assert [notice.code for notice in result.warnings] == ["unmet_view"]


def test_strict_reading_blocks_a_view_that_cannot_be_drawn():
    policy = GatePolicy(unmet_view="block")
    result = decide(timed(), Asked(chart=True, views=("ohlc",)), policy=policy)
    assert (result.decision, result.row) == ("blocked", "G6")
    assert decide(timed(), Asked(views=("ohlc", "trend")), policy=policy).decision == "recommended"
    assert decide(timed(), Asked(), policy=policy).decision == "recommended"


def test_pie_is_drawn_as_a_ranking_with_a_warning():
    result = decide(RANKED, Asked(chart=True, views=("ranking",), substitutes=("pie",)))
    assert result.decision == "recommended"
    assert result.candidate_views[0] == "ranking"
    assert [notice.code for notice in result.warnings] == ["pie_substituted"]


def test_overlay_is_drawn_as_a_comparison_with_a_warning():
    both = timed(measures=(measure("a"), measure("b")))
    result = decide(both, Asked(chart=True, views=("comparison",), substitutes=("overlay",)))
    assert result.decision == "recommended"
    assert [notice.code for notice in result.warnings] == ["overlay_substituted"]


@pytest.mark.parametrize(
    ("asked", "decision"), [(Asked(), "not_needed"), (Asked(chart=True, views=("trend",)), "blocked")]
)
def test_time_column_that_too_few_rows_state_is_no_time_series(asked, decision):
    assert decide(timed(time_share=0.79), asked).decision == decision
    assert decide(timed(time_share=0.8), asked).decision == "recommended"


def test_signal_without_a_usable_measure_is_not_confirmed():
    assert not hard_signals(timed(measures=()), GatePolicy())
    assert not hard_signals(timed(measures=(measure(constant=True),)), GatePolicy())
    assert decide(timed(measures=()), ASK).decision == "blocked"


def test_candles_of_a_panel_lack_one_instrument():
    result = decide(dataclasses.replace(BARS, panel=True, entities=4), Asked(views=("ohlc",)))
    assert result.unmet_views[0].missing == ("one_entity",)
    assert result.candidate_views[0] == "trend"


def test_window_on_data_without_time_is_told():
    asked = Asked(window="last_1_year")
    assert [notice.code for notice in decide(RANKED, asked).warnings] == ["window_without_time"]
    assert not decide(BARS, asked).warnings


# ---------------------------------------------------------------------------- scope
SCOPE_TABLE = [
    (SCALAR, Asked(), "profile_only", "none", None, []),
    (SCALAR, ASK, "no_chart", "none", None, []),
    (BARS, Asked(), "full", "due", None, []),
    (BARS, Asked(), "profile_only", "withheld", "scope_narrowed", []),
    (BARS, Asked(), "no_chart", "withheld", "scope_narrowed", []),
    (BARS, ASK, "no_chart", "withheld", "scope_narrowed", ["scope_conflicts_with_user_request"]),
    (BARS, Asked(scope="no_chart"), "full", "withheld", "scope_narrowed", []),
    (BARS, Asked(scope="no_chart"), "profile_only", "withheld", "scope_narrowed", []),
]


@pytest.mark.parametrize(("given_facts", "asked", "scope", "execution", "why", "warnings"), SCOPE_TABLE)
def test_scope(given_facts, asked, scope, execution, why, warnings):
    result = decide(given_facts, asked, scope)
    assert (result.execution, result.withheld_reason) == (execution, why)
    assert [notice.code for notice in result.warnings] == warnings
    assert result.decision == decide(given_facts, asked, "full").decision


# ------------------------------------------------------------------------ invariants
small = st.integers(0, 60)
measures = st.lists(
    st.builds(
        Measure, name=st.sampled_from("abcdef"), kind=st.sampled_from(["number", "percent"]),
        count=small, points=small, constant=st.booleans(),
    ),
    max_size=4,
).map(tuple)  # fmt: skip
any_facts = st.builds(
    GateFacts,
    shape=st.sampled_from(["rows", "rows", "rows", "document", "none"]),
    rows=small, columns=st.integers(0, 9),
    time=st.sampled_from([None, "date"]), time_share=st.floats(0, 1), periods=small, periodic=st.booleans(),
    entities=st.integers(0, 5), panel=st.booleans(), measures=measures,
    ohlc=st.sampled_from([None, PRICES]), ohlc_rows=small, ohlc_found=st.sampled_from([(), ("close",), OHLC]),
    volume=st.sampled_from([None, "volume"]),
    categories=st.lists(st.builds(Category, name=st.just("name"), groups=small), max_size=2).map(tuple),
    comparables=st.lists(
        st.builds(Comparable, columns=st.sampled_from([("a",), ("a", "b")]), shared_points=small), max_size=2
    ).map(tuple),
    has_text=st.booleans(), numeric_lists=st.booleans(),
)  # fmt: skip
any_asked = st.builds(
    Asked,
    views=st.lists(st.sampled_from(VIEWS), unique=True).map(tuple), chart=st.booleans(),
    substitutes=st.sampled_from([(), ("pie",), ("overlay",)]), scope=st.sampled_from(SCOPES),
    unread=st.sampled_from([(), ("近20个交易日",)]),
)  # fmt: skip
policies = st.builds(GatePolicy, unmet_view=st.sampled_from(["draw", "block"]))


@given(any_facts, any_asked, st.sampled_from(SCOPES), policies)
def test_invariants(given_facts, asked, scope, policy):
    result = decide(given_facts, asked, scope, policy)
    assert result == decide(given_facts, asked, scope, policy)
    assert result.reasons
    assert result.decision != "failed"
    assert len(result.candidate_views) <= 4
    assert {decide(given_facts, asked, other, policy).decision for other in SCOPES} == {result.decision}
    signals = hard_signals(given_facts, policy) if given_facts.shape == "rows" and given_facts.rows else []
    if result.decision == "not_needed":
        assert not asked.chart
        assert not signals
    if signals and policy.unmet_view == "draw":
        assert result.decision == "recommended"
    assert (result.execution == "none") == (result.decision != "recommended")
    assert (result.execution == "withheld") == (result.withheld_reason is not None)
    if result.decision != "recommended":
        assert not result.candidate_views
    for view in result.candidate_views:
        assert drawable(view, given_facts, policy)
    assert not {item.view for item in result.unmet_views} & set(result.candidate_views)
    json.dumps(result.to_dict(), allow_nan=False)
    assert all(notice.message for notice in (*result.reasons, *result.warnings))


@given(any_facts.filter(lambda f: f.shape == "rows" and f.rows >= 2), st.builds(Asked, chart=st.just(True)))
def test_recommended_says_what_to_draw(given_facts, asked):
    result = decide(given_facts, asked)
    if result.row == "G7":
        assert result.candidate_views


# ------------------------------------------------------------------------ the record
def test_record_and_repr():
    result = decide(BARS, Asked(views=("trend",), window="last_1_year", fields=("close",)))
    record = result.to_dict()
    assert list(record) == [
        "decision", "reasons", "candidate_views", "execution", "withheld_reason", "unmet_views", "warnings",
        "question", "asked", "scope", "row",
    ]  # fmt: skip
    assert record["asked"]["window"] == "last_1_year"
    assert record["reasons"][0]["code"] == "time_series"
    assert repr(result) == (
        "GateDecision(recommended: time_series, ohlc_volume, views=['trend', 'ohlc', 'volume'], "
        "execution=due)"
    )


def test_every_reason_that_the_code_gives_has_its_sentence_and_every_sentence_a_use():
    sources = "".join(path.read_text(encoding="utf-8") for path in Path(_gate.__file__).parent.glob("_*.py"))
    written = {key.removeprefix("gate.notice.") for key in catalogue() if key.startswith("gate.notice.")}
    given = set(re.findall(r'reason\(\s*"(\w+)"', sources))
    assert given <= written
    assert {code for code in written if f'"{code}"' not in sources} == {
        "pie_substituted", "overlay_substituted", "prepare_failed", "render_failed",
    }  # fmt: skip


@pytest.mark.parametrize("decision", ["not_needed", "recommended", "blocked", "failed"])
def test_every_state_is_said_in_a_sentence(decision, language):
    for area in ("decision", "lead"):
        assert catalogue()[f"gate.{area}.{decision}"][language]


def test_card_tells_decision_reasons_views_and_what_is_missing(language):
    asked = Asked(chart=True, views=("ohlc",), window="last_3_months", fields=("close",))
    result = dataclasses.replace(decide(timed(ohlc_found=("close",)), asked), question="<b>K线</b>")
    card = result._repr_html_()
    assert "<b>K线" not in card
    assert "&lt;b&gt;K线" in card
    for key in (
        "decision.recommended",
        "lead.recommended",
        "view.trend",
        "view.ohlc",
        "missing.open",
    ):
        assert catalogue()[f"gate.{key}"][language] in card
    assert result.reasons[0].message.replace("'", "&#x27;") in card


def test_unknown_choice_is_refused():
    with pytest.raises(OptionError) as caught:
        GatePolicy(unmet_view="maybe")
    assert caught.value.code == "option_invalid"
    assert isinstance(decide(BARS), GateDecision)


# ------------------------------------------------------------ which measure, which view
def told_of(given_facts, asked=Asked()):  # noqa: B008 (frozen)
    return decide(given_facts, asked).reasons[0].details["measure"]


@pytest.mark.parametrize(
    ("views", "fields", "told"),
    [
        ((), (), "close"),
        (("trend",), ("low",), "low"),
        (("trend",), ("high", "low"), "high"),
        (("volume", "trend"), ("volume",), "volume"),
        (("trend", "volume"), ("volume",), "close"),
        (("trend",), ("date",), "close"),
    ],
)
def test_a_trend_is_told_of_the_measure_that_was_asked_for(views, fields, told):
    assert told_of(BARS, Asked(views=views, fields=fields)) == told


def test_a_trend_is_told_of_no_measure_with_too_few_points_and_of_no_rank():
    rows = (measure("rank", order=True), measure("few", points=4), measure("value", points=9))
    for fields in ((), ("few",)):
        assert told_of(timed(measures=rows), Asked(fields=fields)) == "value"
    assert decide(timed(measures=rows), Asked(fields=("few",))).reasons[0].details["points"] == 9


def test_a_view_that_there_is_not_is_said_and_the_rest_is_drawn(language):
    data = [{"day": f"2024-01-{day:02d}", "close": day * 1.5} for day in range(1, 20)]
    gate = _gate.decide_visualization(
        data, "close与天气的关系" if language == "zh" else "scatter plot of close"
    )
    (notice,) = gate.warnings
    assert (gate.decision, notice.code) == ("recommended", "view_not_offered")
    assert ("关系" if language == "zh" else "scatter plot") in notice.message


def test_sentences_count_without_brackets():
    english = [text["en"] for key, text in catalogue().items() if key.startswith("gate.")]
    assert not [text for text in english if "(s)" in text]


def test_a_question_that_says_nothing_to_the_rules_is_answered_with_a_warning():
    data = [{"day": f"2024-01-{day:02d}", "close": day * 1.5} for day in range(1, 20)]
    told = [notice.code for notice in _gate.decide_visualization(data, "你好").warnings]
    assert told == ["question_not_read"]
    assert _gate.decide_visualization(data, "走势").warnings == ()
    assert _gate.decide_visualization(data).warnings == ()
