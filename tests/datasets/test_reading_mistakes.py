"""Mistakes that users make when they read: each message is enough to go on."""

import pytest

from capital_kit.datasets import read_dataset
from capital_kit.errors import DatasetError

CSV = "日期,收盘\n2024-01-02,1\n".encode()
PAGE = (
    b"<table><tr><th>code</th></tr><tr><td>1</td></tr></table>"
    b"<table><tr><th>name</th></tr><tr><td>a</td></tr></table>"
)


def caught(data, **options):
    with pytest.raises(DatasetError) as error:
        read_dataset(data, **options)
    return error.value


MISTAKES = [
    (CSV, {"row_key": "data"}, "dataset_rows_ambiguous", "row_key="),
    (b"PAR1", {"row_key": "data"}, "dataset_rows_ambiguous", "row_key="),
    (PAGE, {}, "dataset_rows_ambiguous", "table1 (name, 2)"),
    (PAGE, {"row_key": "table7"}, "dataset_rows_ambiguous", "table0 (code, 2)"),
    (b"{", {"row_key": "data"}, "dataset_json_invalid", "完整"),
    (CSV, {"delimiter": "tab"}, "dataset_delimiter_invalid", r'delimiter="\t"'),
    (CSV, {"header": "日期"}, "dataset_option_invalid", "header=False"),
    (CSV, {"header": [0, 1]}, "dataset_option_invalid", "多行表头"),
    (CSV, {"kinds": {"收盘": float}}, "dataset_kind_invalid", "number"),
    (b"%PDF-1.7", {}, "dataset_format_unsupported", "Excel"),
    (b"\x89PNG\r\n", {}, "dataset_format_unsupported", "CSV"),
    (b"SQLite format 3\0", {}, "dataset_format_unsupported", "pandas.read_sql"),
    ([], {}, "dataset_empty", "条件"),
    (b'{"data": {"list": []}}', {}, "dataset_empty", "条件"),
    (None, {}, "dataset_type_unsupported", "文件路径"),
]


@pytest.mark.parametrize(("data", "options", "code", "hint"), MISTAKES)
def test_hint_says_what_to_do(data, options, code, hint):
    error = caught(data, **options)
    assert error.code == code
    assert hint in error.hint


def test_kind_that_is_a_type_is_named_by_its_name():
    assert "“float”" in caught(CSV, kinds={"收盘": float}).message


def test_name_that_is_nearly_right_is_answered_with_the_right_one(tmp_path):
    (tmp_path / "prices_2024.csv").write_bytes(CSV)
    error = caught(tmp_path / "price_2024.csv")
    assert (error.code, "prices_2024.csv" in error.hint) == ("dataset_not_found", True)
    assert str(tmp_path) not in str(error)
    assert "prices_2024.csv" not in str(caught(tmp_path / "other.xlsx"))
    assert caught(tmp_path / "none" / "prices_2024.csv").code == "dataset_not_found"


def test_answer_that_is_a_refusal_shows_what_it_says():
    (notice,) = read_dataset('{"code": 40001, "msg": "没有访问该接口的权限", "data": null}'.encode()).warnings
    assert (notice.code, "没有访问该接口的权限" in str(notice)) == ("document", True)
