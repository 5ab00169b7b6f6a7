"""A true claim with one thing changed is never verified."""

from __future__ import annotations

import json
import re

import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from capital_kit.citations import verify_claim_against_source

ZH = "中位生存期为{a}个月，缓解率{b}%，共纳入{n}例患者，剂量{d}mg/kg，市场规模{m}亿元"
EN = "Median survival was {a} months, response {b}% in {n} patients, dose {d} mg/kg, sales were {m} million"
UNITS = {
    "zh": [("个月", "个周"), ("个月", "年"), ("例", "名"), ("mg", "g"), ("mg/kg", "mg/m2"), ("亿", "万"),
    ("%", "‰"), ("%", "")],
    "en": [("months", "weeks"), ("patients", "events"), ("mg/kg", "g/kg"), ("mg/kg", "mg"), ("million",
    "billion"), ("%", "‰")],
}  # fmt: skip
NUMBERS = st.fixed_dictionaries({
    "a": st.decimals(1, 99, places=1).map(str), "b": st.decimals(1, 99, places=1).map(str),
    "n": st.integers(10, 9999).map(str), "d": st.integers(2, 900).map(str),
    "m": st.decimals(1, 99, places=2).map(str),
})  # fmt: skip


def check(sources, text, claim, anchor="[pmid:7:abstract]"):
    (sources / "pubmed" / "7.json").write_text(
        json.dumps({"pmid": "7", "title": "Other", "abstract": text}), encoding="utf-8"
    )
    return verify_claim_against_source(claim, anchor, sources)


SLOW_FIXTURE = settings(
    max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)


@SLOW_FIXTURE
@given(NUMBERS, st.sampled_from([ZH, EN]))
def test_the_text_itself_is_verified(sources, numbers, template):
    text = template.format(**numbers)
    assert check(sources, f"Before. {text}. After.", text)["verified"] is True


@SLOW_FIXTURE
@given(NUMBERS, st.sampled_from([ZH, EN]), st.data())
def test_one_changed_digit_is_refused(sources, numbers, template, data):
    text = template.format(**numbers)
    places = [match.start() for match in re.finditer("[0-9]", text)]
    at = data.draw(st.sampled_from(places))
    digit = data.draw(st.sampled_from("0123456789"))
    changed = text[:at] + digit + text[at + 1 :]
    tokens = {*re.findall(r"[0-9.]+", changed)} - {*re.findall(r"[0-9.]+", text)}
    assume(tokens)
    assert check(sources, f"Before. {text}. After.", changed)["verified"] is False


@SLOW_FIXTURE
@given(NUMBERS, st.sampled_from([ZH, EN]), st.data())
def test_a_digit_more_or_less_or_a_sign_is_refused(sources, numbers, template, data):
    text = template.format(**numbers)
    number = data.draw(st.sampled_from(re.findall(r"[0-9.]+[0-9]", text)))
    changed_number = data.draw(
        st.sampled_from([number[1:], number[:-1], number + "1", "1" + number, "-" + number, "<" + number])
    )
    changed = text.replace(number, changed_number, 1)
    assume(re.fullmatch(r"[-<]?[0-9]+(?:\.[0-9]+)?", changed_number))
    assume(changed_number not in re.findall(r"[0-9.]+[0-9]", text))
    assert check(sources, f"Before. {text}. After.", changed)["verified"] is False


@pytest.mark.parametrize(
    ("language", "old", "new"), [(key, *pair) for key, pairs in UNITS.items() for pair in pairs]
)
def test_one_changed_unit_is_refused(sources, language, old, new):
    text = {"zh": ZH, "en": EN}[language].format(a="5.6", b="41.5", n="208", d="12", m="38.25")
    changed = text.replace(old, new, 1)
    result = check(sources, f"Before. {text}. After.", changed)
    # A unit that is left out is not a unit that is changed.
    assert result["verified"] is (new == "")


@pytest.mark.parametrize("locator", ["title", "abstracts", "abstract:RESULTS", "results", "line:1"])
def test_another_locator_is_refused(sources, locator):
    text = EN.format(a="5.6", b="41.5", n="208", d="12", m="38.25")
    assert check(sources, text, text, f"[pmid:7:{locator}]")["verified"] is False


@SLOW_FIXTURE
@given(st.data())
def test_one_changed_word_is_refused(sources, data):
    text = "Grelotine lowered weekly relapse counts among adults with severe sleep disorder"
    words = text.split()
    at = data.draw(st.sampled_from([i for i, word in enumerate(words) if word not in {"with", "among"}]))
    words[at] = data.draw(st.sampled_from(["zq", words[at] + "x", words[at][:-1] + "q", "x" + words[at]]))
    assert check(sources, text, " ".join(words))["verified"] is False


@SLOW_FIXTURE
@given(st.data())
def test_one_changed_han_letter_is_refused(sources, data):
    text = "格罗替宁显著降低成人重度睡眠障碍复发次数"
    at = data.draw(st.integers(0, len(text) - 1))
    changed = text[:at] + data.draw(st.sampled_from("鑫淼焱犇")) + text[at + 1 :]
    assert check(sources, text, changed)["verified"] is False
