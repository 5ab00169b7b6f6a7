"""Damaged and strange exports: an error that says where, or the right rows with a warning."""

import datetime as dt

import pytest
from hypothesis import given
from hypothesis import strategies as st

from capital_kit.datasets import read_dataset
from capital_kit.errors import DatasetError

DAMAGED = [
    ("quote never closed", b'id,note,v\n1,"ok",2\n2,"cut here', "dataset_not_row_readable", {"line": 3}),
    ("quote opened far above", b'id,note\n1,"cut\n2,b\n3,c\n', "dataset_not_row_readable", {"line": 2}),
    ("zero byte", b"a,b\n1,\0\n2,3\n", "dataset_not_row_readable", {"offset": 6}),
    ("a lone quote", b'"\t', "dataset_empty", {}),
    ("nothing but blanks", b" \n\t\n", "dataset_empty", {}),
    ("json cut", b'[{"a":1},{"a":', "dataset_json_invalid", {"line": 1, "position": 15}),
    ("page without a table", b"<html><body>x</body></html>", "dataset_not_row_readable", {}),
]


@pytest.mark.parametrize(
    ("content", "code", "details"), [pytest.param(*rest, id=title) for title, *rest in DAMAGED]
)
def test_damage_is_an_error_that_says_where(content, code, details):
    with pytest.raises(DatasetError) as caught:
        read_dataset(content)
    assert caught.value.code == code
    assert details.items() <= caught.value.details.items()


STRANGE = [
    ("mark of UTF-8 before GBK", b"\xef\xbb\xbf" + "代码,名称\n000001,平安\n".encode("gbk"), "gbk", "平安"),
    ("UTF-16 with the big end first", b"\xfe\xff" + "代码,名称\n000001,平安\n".encode("utf-16-be"),
     "utf-16-be", "平安"),
    ("Big5 with characters that GB18030 keeps private",
     "代碼,名稱\n000001,臺灣\n".encode("big5"), "big5", "臺灣"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("content", "encoding", "name"), [pytest.param(*rest, id=title) for title, *rest in STRANGE]
)
def test_encodings_against_the_odds(content, encoding, name):
    dataset = read_dataset(content)
    assert (dataset.source.encoding, dataset.table.column(1).to_pylist()) == (encoding, [name])


def test_ten_thousand_columns():
    names = ",".join(f"c{at}" for at in range(10_000))
    rows = [",".join(str(at + row) for at in range(10_000)) for row in range(3)]
    dataset = read_dataset("\n".join([names, *rows]).encode())
    assert (dataset.rows, len(dataset.columns)) == (3, 10_000)
    assert dataset.table.column("c9999").to_pylist() == [9999, 10_000, 10_001]


def test_decimal_commas_in_rows_of_uneven_length():
    dataset = read_dataset(b"d;v;w\n05.01.2024;1,5;2,5\n08.01.2024;1,75\n09.01.2024;1.000,5;3,5\n")
    assert dataset.table.column("v").to_pylist() == [1.5, 1.75, 1000.5]
    assert dataset.table.column("w").to_pylist() == [2.5, None, 3.5]
    assert [notice.code for notice in dataset.warnings] == ["ragged_rows", "decimal_comma"]


def test_a_word_that_begins_like_a_remark_is_a_row():
    dataset = read_dataset("名称,v\n第一中学,1\n#1 机组,2\n第1页,\n第2页,3\nPage 3,\n".encode())
    assert dataset.table.column("名称").to_pylist() == ["第一中学", "#1 机组", "第2页"]
    assert dataset.warnings[0].details["count"] == 2


def test_a_single_column_of_marks_is_data():
    assert read_dataset("标签\n#新能源\n#白酒\n".encode()).rows == 2


def test_quotes_inside_cells_keep_the_blanks_before_them():
    dataset = read_dataset(b'd, name, v\n1, "a, ""b"" c", 2\n2, "", 3\n')
    assert dataset.table.column("name").to_pylist() == ['a, "b" c', None]
    assert dataset.table.column("v").to_pylist() == [2, 3]


@pytest.mark.parametrize(
    ("cell", "told", "expected"),
    [("24-01-05", "date", dt.date(2024, 1, 5)), ("Jan-24", "month", dt.date(2024, 1, 1)),
     ("2024年1-2月", "month", dt.date(2024, 2, 1)), ("2024年前三季度", "quarter", dt.date(2024, 7, 1))],
)  # fmt: skip
def test_what_is_doubted_may_be_told(cell, told, expected):
    dataset = read_dataset([{"期间": cell, "v": 1}], kinds={"期间": told})
    assert dataset.table.column("期间").to_pylist() == [expected]
    assert dataset.warnings[0].code in ("short_years_read", "spans_by_end")


def test_half_years_stay_text():
    dataset = read_dataset([{"报告期": cell, "v": 1.5} for cell in ("2023H1", "2023H2", "2024年上半年")])
    assert dataset.column("报告期").kind == "text"


def test_the_other_table_can_be_read():
    text = "代码,收盘\n000001,1.5\n000002,1.6\n\n名称,备注,市盈率\n甲,无,10\n乙,无,11\n"
    told = read_dataset(text.encode()).warnings[0]
    assert (told.code, told.details["count"]) == ("other_tables", 2)
    other = read_dataset(text.encode(), header=told.details["header"])
    assert (other.names, other.rows) == (("名称", "备注", "市盈率"), 2)


CELLS = [
    "1", "2024-01-05", "20240105", "12.3%", "1.2亿", "--", "停牌", "合计", "代码", "日期", "收盘(元)", "#c",
    "第1页", '"', "'", '"a\nb"', '="1"', "(1,234.5)", "1.234,5", "Jan-24", "是", "单位", "%", "sep=;", "---",
    "5²", "$5", "", " ", "\u3000", "2024年1-2月", "45292.5", "0001", "注：x", "a", "\ufeff",
]  # fmt: skip
ROWS = st.lists(st.lists(st.sampled_from(CELLS), min_size=1, max_size=5), min_size=1, max_size=9)


@given(ROWS, st.sampled_from(",\t;|｜ "), st.sampled_from(["\n", "\r\n", "\r", "\n\n"]))
def test_any_rows_are_a_dataset_or_an_error_with_a_code(rows, delimiter, end):
    text = end.join(delimiter.join(row) for row in rows)
    try:
        names = read_dataset(text.encode()).names
    except DatasetError as error:
        names = (error.code,)
    assert len(set(names)) == len(names) > 0
