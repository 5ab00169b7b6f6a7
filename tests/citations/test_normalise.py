"""The normaliser: the table of its contract, and a map that always leads back."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from capital_kit._core.normalise import SEPARATOR, normalise


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("长\u200b期\ufeff", "长期"), ("post\u00admar\u00ad\nketing", "postmarketing"), ("progres\x02sion",
        "progression"),
        ("⻓期⻅效⽤药", "长期见效用药"), ("⼾籍", "户籍"),
        ("14·8", "14.8"), ("14•8 A·B", "14.8 a·b"), ("１，２３４．５", "1234.5"), ("1,086", "1086"),
        ("1\u2009086", "1086"),
        ("1,08", "1,08"), ("2031,2032", "2031,2032"),
        ("10⁹/L", "10^9/l"), ("10 ⁹ /L", "10^9/l"), ("10⁻³", "10^-3"), ("m²", "m2"), ("m^2", "m2"),
        ("10^9", "10^9"),
        ("study²", "study 2"), ("ｍ²", "m2"), ("IC₅₀", "ic50"), ("β ₂ 受体", "β2受体"),
        ("2½", "2 1/2"), ("①", "(1)"), ("℃％Ⅲﬁ㎎µ", "°c%iiifimgμ"), ("e\u0301", "é"),
        ("a–b−c", "abc"), ("3–4", "3-4"), ("−3.2", "-3.2"), ("～〜∼", "~~~"), ("“a” ‘b’", "\"a\" 'b'"),
        ("≥1 ≧1 ≤1 ⩽1", ">=1 >=1 <=1 <=1"), ("3 × 4", "3x4"), ("1⁄2", "1/2"),
        ("progres-\nsion", "progression"), ("progression-free", "progressionfree"), ("H2031-\n7",
        "h2031-7"), ("PD-1", "pd-1"),
        ("P < .001", "p <0.001"), ("5.5.2", "5.5.2"), ("v.1", "v.1"),
        ("生存 期 为 4.8  个月", "生存期为4.8个月"), ("18 %", "18%"), ("38.5 ℃", "38.5°c"), ("a \n\t b",
        "a b"),
        (f"甲{SEPARATOR} 乙", f"甲{SEPARATOR}乙"), ("0.50 0.5", "0.50 0.5"), ("亿 萬", "亿萬"),
    ],
)  # fmt: skip
def test_the_contract(written, expected):
    assert normalise(written).text == expected


@settings(max_examples=300, deadline=None)
@given(st.text(max_size=60) | st.text(alphabet="1２·⁹²₅ \n-甲乙mL.,×≥½①\u00ad\u0301\x02％‰°〜", max_size=40))
def test_the_map_leads_back_in_order(text):
    result = normalise(text)
    assert len(result.text) == len(result.starts) == len(result.ends)
    assert all(0 <= a < b <= len(text) for a, b in zip(result.starts, result.ends, strict=True))
    assert list(result.starts) == sorted(result.starts)
    assert result.span(0, len(result.text))[1] <= len(text)
    assert normalise(text).text == result.text


@pytest.mark.parametrize("text", ["The MEDIAN was 4.8 months", "中位无进展生存期为18.6个月"])
def test_a_place_is_found_in_the_original(text):
    result = normalise(f"\u00ad \u200b{text}")
    start = result.text.index("8")
    assert f"\u00ad \u200b{text}"[slice(*result.span(start, start + 1))] == "8"


def test_plain_text_survives_a_second_round():
    for text in ("患者 4.8 个月", "10⁹/L", "P<0.001", "progression-free survival"):
        once = normalise(text).text
        assert normalise(once).text == once
