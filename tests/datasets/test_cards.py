"""The cards: well-formed, bounded, readable without scripts and sight, and true to the record."""

import datetime as dt
import re
from html.parser import HTMLParser

import pytest

from capital_kit import options
from capital_kit.datasets import Dataset, Source, describe_dataset, read_dataset
from capital_kit.datasets._cards._columns import moment, telling
from capital_kit.datasets._cards._pictures import bars, blocks, line, shares, span
from capital_kit.datasets._cards._wording import exact, number, share, shown

N = 120
DAYS = [(dt.date(2024, 1, 1) + dt.timedelta(n)).isoformat() for n in range(N)]
EVIL = '<script>alert(1)</script><img src="//x.example/y" onerror=alert(1)>'
VOID = {"br", "hr", "img", "input", "meta", "link"}


class Outline(HTMLParser):
    """Reads markup strictly: every element is closed in its turn."""

    def __init__(self, markup):
        super().__init__()
        self.open, self.elements, self.texts = [], [], []
        self.feed(markup)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag, attrs):
        self.elements.append((tag, dict(attrs)))
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.texts.append(data)

    def all(self, tag):
        return [attrs for name, attrs in self.elements if name == tag]

    @property
    def text(self):
        return "".join(self.texts)


def outline(markup):
    """Return the outline of markup that keeps the rules of every card."""
    found = Outline(markup)
    assert not {"script", "style", "link", "iframe", "img", "object"} & {name for name, _ in found.elements}
    for name, attrs in found.elements:
        assert not {"href", "src", "xlink:href"} & set(attrs)
        assert not [key for key in attrs if key.startswith("on")]
        assert not re.search(r"url\(|(?<![\w-])color:", attrs.get("style") or "")
        assert all(attrs.get(key, "none") in ("none", "currentColor") for key in ("fill", "stroke"))
        if name == "svg":
            assert attrs["role"] == "img"
            assert attrs["aria-label"].strip()
        if name == "th":
            assert attrs["scope"] in ("col", "row")
    for name in ("\u202e", "\u202a", "\x00", "\ud800"):
        assert name not in markup
    return found


def prices(rows=N):
    close = [10 + 0.1 * n for n in range(rows)]
    return {
        "代码": ["000001"] * rows,
        "日期": DAYS[:rows],
        "开盘": close,
        "最高": [c + 0.1 for c in close],
        "最低": [c - 0.1 for c in close],
        "收盘": close,
        "成交量": [100 * n for n in range(1, rows + 1)],
        "涨跌幅": [(-1) ** n * 0.5 for n in range(rows)],
        "板块": ["主板", "主板", "创业板"] * (rows // 3),
        "停牌": [n % 4 == 0 for n in range(rows)],
        "备注": [f"第 {n} 条" if n % 2 else None for n in range(rows)],
    }


def wide(count):
    numbers = {f"指标{n}": [float((n * row) % 17) for row in range(N)] for n in range(count - 2)}
    return {**numbers, "日期": DAYS, "成交量": [100 * row for row in range(1, N + 1)]}


def test_the_card_tells_each_column_by_its_kind(language):
    card = describe_dataset(prices())
    found = outline(card._repr_html_())
    rows = [attrs for attrs in found.all("th") if attrs["scope"] == "row"]
    assert len(rows) == len(card.columns)
    assert "2024-01-01 … 2024-04-29" in found.text
    assert card.dataset.fingerprint[:8] in found.text
    assert "66.7%" in found.text
    assert "60 (50%)" in found.text
    # Six numbers with a course and a histogram; a span, three shares and a gauge.
    course, histogram = ("按时间", "由小到大") if language == "zh" else ("means of", "counts of")
    labels = [attrs["aria-label"] for attrs in found.all("svg")]
    assert sum(label.startswith(course) for label in labels) == 6
    assert sum(label.startswith(histogram) for label in labels) == 6


def test_words_follow_the_language():
    rows = {"date": DAYS, "value": [1.2e9 + row for row in range(N)], "gone": [None] * N}
    with options.override(language="zh"):
        assert "12.00亿" in describe_dataset(rows)._repr_html_()
    with options.override(language="en"):
        english = describe_dataset(rows)._repr_html_()
    assert "1.20B" in english
    assert not re.search("[\u4e00-\u9fff，。：（）]", english)


def test_only_what_is_wrong_is_in_the_strip(language):
    rows = {"日期": [*DAYS[:9], DAYS[8]], "收盘": [*map(float, range(9)), 8.0]}
    wrong = outline(describe_dataset(rows)._repr_html_()).text
    right = outline(describe_dataset({"日期": DAYS, "收盘": list(map(float, range(N)))})._repr_html_()).text
    twice, clean = (
        ("重复 1 行", "无缺失") if language == "zh" else ("rows that occur twice: 1", "nothing missing")
    )
    assert twice in wrong
    assert twice not in right
    assert clean in right
    assert clean not in wrong


@pytest.mark.parametrize(("columns", "most"), [(11, 300_000), (200, 2_000_000), (2000, 2_000_000)])
def test_cards_are_bounded(columns, most):
    data = read_dataset(prices() if columns == 11 else wide(columns))
    card = describe_dataset(data)
    for html in (card._repr_html_(), data._repr_html_()):
        assert len(html.encode()) < most
        found = outline(html)
    # No column is left out without a word.
    assert not [name for name in card.dataset.names if name not in found.text]


def test_many_columns_start_with_the_telling_ones():
    card = describe_dataset(wide(2000))
    found = outline(card._repr_html_())
    text = found.text
    assert text.index("成交量") < text.index("指标0")
    assert len([attrs for attrs in found.all("th") if attrs["scope"] == "row"]) == 200
    with options.override(language="en"):
        text = outline(card._repr_html_()).text
    assert "40 most telling of 2,000 columns" in text
    assert "160 more columns" in text
    assert "1,800 further columns by name only" in text


def test_telling_puts_roles_first_and_empty_columns_last():
    rows = {
        "empty": [None] * 9,
        "same": [1.5] * 9,
        "sparse": [None] * 8 + [2.5],
        "note": [f"text {n}" for n in range(9)],
        "rate": [n / 7 for n in range(9)],
        "date": DAYS[:9],
        "volume": list(range(9)),
    }
    names = [column.name for column in telling(describe_dataset(rows).columns)]
    assert names == ["date", "volume", "rate", "note", "same", "sparse", "empty"]


@pytest.mark.parametrize(
    "rows", [{}, {"x": []}, {"x": [None]}, {"x": [None] * 9, "y": [1.5] * 9}, {"x": [1]}]
)
def test_cards_of_nothing(rows, language):
    data = (
        read_dataset(rows)
        if rows
        else Dataset(table=_no_columns(), columns=(), source=Source(format="csv", label="x"))
    )
    outline(data._repr_html_())
    outline(describe_dataset(data)._repr_html_())


def _no_columns():
    import pyarrow as pa

    return pa.table({})


def test_a_column_without_values_says_so(language):
    text = outline(describe_dataset({"日期": DAYS, "空列": [None] * N})._repr_html_()).text
    assert "120 (100%)" in text
    assert ("没有值" if language == "zh" else "no value") in text


def test_card_of_a_document(language):
    card = describe_dataset(b'{"a": {"b": 1, "c": "<b>x</b>"}, "d": null}')
    assert card.dataset.shape == "document"
    text = outline(card._repr_html_()).text
    assert "<b>x</b>" in text
    assert ("文档" if language == "zh" else "document") in outline(card.dataset._repr_html_()).text


def test_what_comes_from_outside_is_cut_and_escaped(language):
    rows = {
        EVIL: [EVIL] * 3,
        "abc\u202egpj.exe\u202c": ["\u202eevil", "\x00", "x"],
        "名" * 500: ["长" * 10_000, "文" * 10_000, None],
        "日期": DAYS[:3],
        "收盘": [1.0, 2.0, None],
    }
    data = read_dataset(rows)
    for found in (data, describe_dataset(data)):
        html = found._repr_html_()
        text = outline(html).text
        assert "<script>alert" in text
        assert "abc\ufffdgpj" in text
        assert "名" * 41 not in text
        assert "长" * 41 not in text
        assert len(html) < 40_000


def test_the_source_is_escaped_too():
    source = Source(format=EVIL, label=EVIL * 99, encoding=EVIL, delimiter=EVIL, sheet=EVIL, row_key=EVIL)
    data = read_dataset(prices(9))
    hostile = Dataset(table=data.table, columns=data.columns, source=source, warnings=data.warnings)
    for html in (hostile._repr_html_(), describe_dataset(hostile)._repr_html_()):
        outline(html)
        assert "&lt;script&gt;" in html


def test_the_time_column_tells_its_order_and_its_day(language):
    minutes = [f"2024-01-02 {hour}:{minute:02}" for hour in (10, 14) for minute in range(60)]
    down = describe_dataset({"时间": minutes[::-1], "收盘": list(map(float, range(120)))})
    text = outline(down._repr_html_()).text
    assert ("降序" if language == "zh" else "descending") in text
    assert "10:00–10:59" in text
    assert "120 根" in text or "120 bars a day" in text


def test_the_dataset_card_shows_first_values_and_how_it_was_read(language):
    data = read_dataset("日期,收盘(元)\n2024-01-02,9.25\n2024-01-03,9.5\n".encode("gbk"))
    text = outline(data._repr_html_()).text
    assert "GB" in text
    assert "收盘(元)" in text
    assert "2024-01-03" in text
    assert "9.25" in text


def test_queries_are_shown_with_their_results_and_failures(language):
    card = describe_dataset(prices(), queries=[{"no such key": 1}, {"select": ["收盘"], "limit": 2}])
    text = outline(card._repr_html_()).text
    assert card.queries[0].error["detail"] in text
    assert card.queries[0].error["hint"] in text
    assert card.queries[1].result.query_id in text


def test_columns_that_were_not_asked_for_are_named(language):
    card = describe_dataset(prices(), columns_of_interest=["收盘"])
    found = outline(card._repr_html_())
    assert ("未统计的 9 列" if language == "zh" else "9 columns left out") in found.text
    # The share of missing cells is that of the whole table, as is their number.
    assert "60" in found.text
    assert "4.55%" in found.text


# pictures ------------------------------------------------------------------------------------


def test_bars_are_as_tall_as_their_counts_and_never_vanish():
    tall = re.findall(r"v-([\d.]+)", bars([1, 1000, 0, 500], "label"))
    assert tall == ["1.5", "24", "12"]


def test_a_line_breaks_where_there_is_no_value():
    assert line([1, 2, None, 4, 3], "label").count("M") == 2
    assert "h.1" in line([1, 2, None, 4], "label")
    assert "dasharray" in line([-1, 1], "label")
    assert "dasharray" not in line([0, 1], "label")


@pytest.mark.parametrize("values", [[1e308, -1e308], [5e-324, 0], [3.5, 3.5], [None, 1], [7]])
def test_a_line_stays_in_its_frame(values):
    numbers = [
        float(found)
        for found in re.findall(r"-?\d*\.?\d+", re.search(r' d="M([^"]*)"', line(values, "x"))[1])
    ]
    assert all(0 <= value <= 88 for value in numbers)


def test_shares_fill_the_bar_together():
    widths = [
        float(found)
        for found in re.findall(r'width="([\d.]+)" height="10" fill-opacity=".[^1]', shares([3, 1], 4, "x"))
    ]
    assert sum(widths) == pytest.approx(88 - 2)


def test_a_span_has_a_hole_where_it_is_broken():
    assert span(0, 1, "x").count("<rect") == 2
    assert span(0, 1, "x", (0.4, 0.6)).count("<rect") == 3
    # The last time of all, alone after the hole, is not pushed out of the picture.
    assert 'x="86" y="9" width="2"' in span(0, 1, "x", (0.4, 1))


def test_the_course_survives_where_pictures_are_removed():
    assert blocks([0, 1, None, 7], 0) == "▁▂·█"
    assert "▁" in Outline(line([1, 2, 3], "label")).text


@pytest.mark.parametrize(
    ("earlier", "later"),
    [
        ("2023", "2024"),
        ("2023Q4", "2024Q1"),
        ("2024-01-31", "2024-02-01"),
        ("2024-01-02 09:30", "2024-01-02 15:00"),
        ("2024-01", "2024-01-02"),
    ],
)
def test_times_are_placed_in_their_order(earlier, later):
    assert moment(earlier) < moment(later) <= moment(earlier) + 1


# words ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("plain", "plain"),
        ("a\nb\tc", "a b c"),
        ("\u202eabc", "\ufffdabc"),
        ("\ud800", "\ufffd"),
        ("👨\u200d👩", "👨\u200d👩"),
        ("x" * 41, "x" * 39 + "…"),
        ("x" * 40, "x" * 40),
    ],
)
def test_texts_are_shown_in_one_plain_line(text, said):
    assert shown(text) == said


@pytest.mark.parametrize(
    ("part", "whole", "said"),
    [
        (0, 0, "0%"),
        (0, 9, "0%"),
        (9, 9, "100%"),
        (1, 10_000, "<0.1%"),
        (9999, 10_000, ">99.9%"),
        (1, 3, "33.3%"),
    ],
)
def test_a_share_is_whole_only_where_it_is_exactly_so(part, whole, said):
    assert share(part, whole) == said


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (1234567890123, "1,234,567,890,123"),
        (1e300, "1e+300"),
        (1.5e-9, "1.5e-09"),
        (0.0, "0"),
        (12.3456789, "12.3457"),
    ],
)
def test_exact_numbers(value, said):
    assert exact(value) == said


def test_no_number_is_an_empty_cell():
    assert number(None) == ""
    assert number("2024") == ""


def test_a_column_in_ten_thousands_is_not_shortened_once_more():
    frame = {"营业收入(万元)": [110540.0, 120000.0], "股数": [110540.0, 120000.0]}
    with options.override(language="zh"):
        html = describe_dataset(frame)._repr_html_()
    assert "110,540" in html.split("股数")[0]
    assert "11.05万" in html.split("股数")[1]
    assert "11.05万" not in html.split("股数")[0]


def test_a_day_is_shown_as_long_as_it_is_beside_its_times():
    card = describe_dataset({
        "day": ["2024-01-05", "2024-01-05"],
        "time": ["2024-01-05 09:30:00", "2024-01-05 11:30:00"],
    })._repr_html_()  # fmt: skip
    drawn = re.findall(r'<rect x="([\d.]+)" y="9" width="([\d.]+)"', card)
    assert drawn == [("0", "88"), ("34.8", "7.3")]


def test_names_of_the_facts_stay_in_one_line():
    heads = re.findall(r'<th scope="col" style="([^"]*)"', describe_dataset({"v": [1, 2]})._repr_html_())
    assert heads
    assert all("white-space:nowrap" in style for style in heads[:6])
