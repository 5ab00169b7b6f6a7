"""Delimited text as analysts get it: encodings, layouts, cells."""

import datetime as dt

import pytest

from capital_kit.datasets import read_dataset
from capital_kit.errors import DatasetError


def read(text, stored_as="utf-8", **options):
    return read_dataset(text.encode(stored_as), **options)


def kinds(dataset):
    return [column.kind for column in dataset.columns]


def codes(dataset):
    return [notice.code for notice in dataset.warnings]


def values(dataset, name):
    return dataset.table.column(name).to_pylist()


# ------------------------------------------------------------------ encodings
@pytest.mark.parametrize(
    ("encoding", "stated"),
    [
        ("utf-8", "utf-8"),
        ("utf-8-sig", "utf-8"),
        ("gb2312", "gbk"),
        ("gbk", "gbk"),
        ("utf-16", "utf-16-le"),
    ],
)
def test_encoding_is_found(encoding, stated):
    dataset = read("代码,名称\n000001,平安\n", encoding)
    assert dataset.source.encoding == stated
    assert dataset.table.to_pylist() == [{"代码": "000001", "名称": "平安"}]


def test_characters_outside_gbk_are_gb18030():
    dataset = read("名称\n㼆䶮𬭊\n", "gb18030")
    assert (dataset.source.encoding, values(dataset, "名称")) == ("gb18030", ["㼆䶮𬭊"])


def test_gbk_cut_at_any_block_is_whole(monkeypatch):
    from capital_kit.datasets._reading import _sniff

    monkeypatch.setattr(_sniff, "_BLOCK", 3)
    assert values(read("名称,x\n平安银行,1\n", "gbk"), "名称") == ["平安银行"]


def test_encoding_may_be_given():
    assert values(read("名稱,x\n臺灣,1\n", "big5", encoding="big5"), "名稱") == ["臺灣"]


@pytest.mark.parametrize("encoding", ["utf-8", "no-such-encoding"])
def test_wrong_encoding_is_refused(encoding):
    with pytest.raises(DatasetError) as caught:
        read("名称\n平安\n", "gbk", encoding=encoding)
    assert caught.value.code == "dataset_not_row_readable"


@pytest.mark.parametrize("content", [b"\x00\x01\x02abc", b"a,b\n\xff\xfe\xfa,1\n\x81"])
def test_binary_content_is_refused(content):
    with pytest.raises(DatasetError) as caught:
        read_dataset(content, name="x.csv")
    assert caught.value.code == "dataset_not_row_readable"
    assert "x.csv" in str(caught.value)


# ------------------------------------------------------------------ layouts
@pytest.mark.parametrize("delimiter", [",", "\t", ";", "|", "｜"])
def test_delimiter_is_found(delimiter):
    rows = [["名称", "收盘", "量"], ["甲", "1.5", "10"], ["乙", "2.5", "20"]]
    dataset = read("\n".join(delimiter.join(row) for row in rows))
    assert dataset.source.delimiter == delimiter
    assert kinds(dataset) == ["text", "number", "integer"]


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_line_ends(end):
    assert values(read(end.join(["a,b", "1,2", "3,4", ""])), "b") == [2, 4]


def test_lines_above_and_notes_below_are_no_rows():
    dataset = read(
        "指标:CPI\n频率:月\n单位:%\n\n月份,当月,累计\n2024-01,100.1,100.1\n2024-02,100.5,100.3\n注:初步数\n数据来源：某局\n"
    )
    assert kinds(dataset) == ["month", "number", "number"]
    assert dataset.rows == 2
    source = dataset.source
    assert (source.skip_top, source.header_rows, source.skip_bottom) == (3, 1, 2)
    assert codes(dataset) == ["lines_skipped"]


def test_unit_row_gives_units():
    dataset = read(
        "报告期,营业收入,同比增速,每股收益\n,亿元,%,元/股\n2022Q1,105.91,,0.141\n2022Q2,92.07,18.67,0.577\n"
    )
    assert dataset.source.header_rows == 2
    assert kinds(dataset) == ["quarter", "number", "percent", "number"]
    assert [(c.unit, c.unit_scale) for c in dataset.columns[1:]] == [
        ("亿元", 1e8),
        ("%", None),
        ("元/股", None),
    ]


def test_total_rows_are_taken_out_and_told():
    dataset = read("产品,数量\n甲,1\n小计,1\n乙,2\n合计,3\n")
    assert values(dataset, "产品") == ["甲", "乙"]
    assert dataset.source.total_rows == 2
    assert codes(dataset) == ["total_rows_removed"]


def test_first_line_of_values_is_data():
    dataset = read("2024-01-02,1.5\n2024-01-03,1.6\n")
    assert dataset.names == ("column_1", "column_2")
    assert dataset.rows == 2
    assert codes(dataset) == ["no_header"]


def test_header_may_be_given():
    assert read("t,x\na,b\n1,2\n", header=1).names == ("a", "b")
    assert read("a,b\n1,2\n", header=False).rows == 2
    with pytest.raises(DatasetError) as caught:
        read("a,b\n1,2\n", header=9)
    assert caught.value.code == "dataset_header_invalid"


def test_periods_as_names_are_a_header():
    dataset = read("指标,2023Q1,2023Q2\n营收,1.5,2\n利润,3,4\n")
    assert dataset.names == ("指标", "2023Q1", "2023Q2")


def test_names_are_made_unique_and_told():
    dataset = read("代码,名称,名称,,是否\n000001,a,b,,是\n000002,c,d,,否\n")
    assert dataset.names == ("代码", "名称", "名称_2", "column_4", "是否")
    assert kinds(dataset) == ["code", "text", "text", "empty", "boolean"]
    assert codes(dataset) == ["duplicate_names", "missing_names"]


def test_row_labels_without_a_name():
    assert read("a,b\nr1,1,2\nr2,3,4\n").names == ("column_1", "a", "b")


def test_unit_stands_in_the_header():
    column = read("成交量（手）,市盈率(TTM)\n1,2.5\n").columns[0]
    assert (column.name, column.header, column.unit, column.unit_scale) == (
        "成交量",
        "成交量（手）",
        "手",
        100,
    )


def test_ragged_rows_are_kept_and_told():
    dataset = read("a,b,c\n1,2,3\n4,5\n6,7,8,9\n")
    assert dataset.table.num_rows == 3
    assert values(dataset, "c") == [3, None, 8]
    assert values(dataset, "column_4") == [None, None, 9]
    assert dataset.warnings[-1].details["examples"] == "3, 4"


def test_quotes():
    dataset = read('a,b\n"x\ny",1\n"say ""hi""",2\n"1,2",3\n')
    assert values(dataset, "a") == ["x\ny", 'say "hi"', "1,2"]
    assert values(read('a,b\n5" pipe,1\nx,2\n'), "a") == ['5" pipe', "x"]


def test_quote_that_is_never_closed_is_an_error_with_its_line():
    with pytest.raises(DatasetError) as caught:
        read('a,b\nx,1\n"cut,2\nz,3\n')
    assert caught.value.details["line"] == 3


def test_two_thousand_columns():
    names = [f"c{at}" for at in range(2000)]
    dataset = read(
        "\n".join([",".join(names), *[",".join(map(str, range(row, row + 2000))) for row in range(3)]])
    )
    assert dataset.names == tuple(names)
    assert values(dataset, "c1999") == [1999, 2000, 2001]


def test_header_only_is_an_honest_empty_table():
    dataset = read("代码,名称\n", "gbk")
    assert (dataset.rows, dataset.names, codes(dataset)) == (0, ("代码", "名称"), ["no_rows"])


@pytest.mark.parametrize("content", ["", "\n\n", "\ufeff"])
def test_nothing_is_an_error(content):
    with pytest.raises(DatasetError) as caught:
        read(content)
    assert caught.value.code == "dataset_empty"


# ------------------------------------------------------------------ cells
COLUMNS = [
    ("代码", ["000001", "600000"], "code", ["000001", "600000"]),
    ("序", ["01", "02"], "code", ["01", "02"]),
    ("symbol", ["SH600519", "sz000001"], "code", ["SH600519", "sz000001"]),
    ("股票", ["600519.SH", "430047.BJ"], "code", ["600519.SH", "430047.BJ"]),
    ("代码", ['="600519"', '="000001"'], "code", ["600519", "000001"]),
    ("成交量", ["86464", "33366"], "integer", [86464, 33366]),
    ("id", ["9223372036854775808", "1"], "code", ["9223372036854775808", "1"]),
    ("日期", ["20240102", "20240103"], "date", [dt.date(2024, 1, 2), dt.date(2024, 1, 3)]),
    ("月份", ["202401", "202402"], "month", [dt.date(2024, 1, 1), dt.date(2024, 2, 1)]),
    ("年份", ["2023", "2024"], "year", [dt.date(2023, 1, 1), dt.date(2024, 1, 1)]),
    ("金额", ["2023", "2024"], "integer", [2023, 2024]),
    ("报告期", ["2023年年报", "2024年一季报"], "quarter", [dt.date(2023, 10, 1), dt.date(2024, 1, 1)]),
    ("d", ["2024/1/5", "2024/1/8"], "date", [dt.date(2024, 1, 5), dt.date(2024, 1, 8)]),
    ("t", ["2024-01-05 9:30", "2024-01-05 09:31"], "datetime",
     [dt.datetime(2024, 1, 5, 9, 30), dt.datetime(2024, 1, 5, 9, 31)]),
    ("t", ["2024-01-05 00:00:00", "2024-01-06 00:00:00"], "date", [dt.date(2024, 1, 5), dt.date(2024, 1, 6)]),
    ("首次封板时间", ["092500", "105703"], "text", ["092500", "105703"]),
    ("v", ["1.5", ""], "number", [1.5, None]),
    ("v", ["1.5", "停牌"], "number", [1.5, None]),
    ("v", ["1.2亿", "5000"], "number", [1.2e8, 5000.0]),
    ("v", ["1.5", "nan"], "number", [1.5, None]),
    ("v", ["3.10E-05", "2"], "number", [3.1e-05, 2.0]),
    ("p", ["12.3%", "0"], "percent", [12.3, 0.0]),
    ("涨跌幅(%)", ["1.53", "-2.80"], "percent", [1.53, -2.8]),
    ("是否", ["是", ""], "boolean", [True, None]),
    ("flag", ["TRUE", "false"], "boolean", [True, False]),
    ("名称", ["甲", "--"], "text", ["甲", None]),
    ("名称", [" 甲 ", "乙"], "text", ["甲", "乙"]),
    ("e", ["--", ""], "empty", [None, None]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "cells", "kind", "expected"), COLUMNS)
def test_column_is_typed(name, cells, kind, expected):
    quoted = ['"' + cell.replace('"', '""') + '"' for cell in cells]
    dataset = read("\n".join([f"{name},other", *[f"{cell},x" for cell in quoted]]))
    assert dataset.columns[0].kind == kind
    assert dataset.table.column(0).to_pylist() == expected


def test_missing_words_are_counted():
    assert read("a,v\nx,1.5\ny,--\nz,停牌\nw,--\nu,\n").columns[1].null_tokens == {"--": 2, "停牌": 1}


def test_mixed_units_of_percent_stay_text():
    dataset = read("a,p\nx,12.3%\ny,12\nz,停\n")
    assert kinds(dataset)[1] == "mixed"
    assert codes(dataset) == ["mixed_types"]


def test_one_odd_value_in_a_hundred_is_told():
    cells = [f"{number}.5" for number in range(200)]
    dataset = read("\n".join(["v", *cells, "abc"]))
    assert dataset.columns[0].kind == "number"
    assert dataset.warnings[0].details == {"column": "v", "count": 1, "examples": "abc"}


def test_zero_led_digits_far_below_the_sample_keep_the_column_text():
    cells = [str(600000 + number) for number in range(5000)] + ["000001"]
    dataset = read("\n".join(["n,x", *[f"{cell},1" for cell in cells]]))
    assert dataset.columns[0].kind == "code"
    assert values(dataset, "n")[-1] == "000001"


def test_decimals_that_end_in_words_are_read_again():
    cells = [f"{number / 2:.1f}" for number in range(5000)] + ["停牌"]
    dataset = read("\n".join(["v,d", *[f"{cell},2024-01-02" for cell in cells]]))
    assert kinds(dataset) == ["number", "date"]
    assert dataset.columns[0].null_tokens == {"停牌": 1}


def test_many_distinct_grouped_numbers():
    cells = [f'"{number * 7 + 1000:,}.25"' for number in range(25_000)]
    dataset = read("\n".join(["v,x", *[f"{cell},1" for cell in cells]]))
    assert kinds(dataset)[0] == "number"
    assert values(dataset, "v")[:2] == [1000.25, 1007.25]


# ------------------------------------------------------------------ days and months
def test_order_of_day_and_month_is_proved_by_the_column():
    assert values(read("d\n11/1/2019\n11/29/2019\n"), "d") == [dt.date(2019, 11, 1), dt.date(2019, 11, 29)]
    assert values(read("d\n1/11/2019\n29/11/2019\n"), "d") == [dt.date(2019, 11, 1), dt.date(2019, 11, 29)]


def test_order_is_inferred_where_the_other_one_has_weekends():
    dataset = read("d\n11/5/2019 9:30\n11/6/2019 9:30\n11/7/2019 9:30\n11/8/2019 9:30\n")
    assert values(dataset, "d")[0] == dt.datetime(2019, 11, 5, 9, 30)
    assert codes(dataset) == ["dates_order_inferred"]


def test_ambiguous_days_stay_text_until_told():
    text = "d,v\n1/2/2019,1\n1/3/2019,2\n"
    dataset = read(text)
    assert (kinds(dataset)[0], codes(dataset)) == ("text", ["dates_ambiguous"])
    told = read(text, kinds={"d": "date"})
    assert values(told, "d") == [dt.date(2019, 1, 2), dt.date(2019, 1, 3)]
    assert codes(told) == ["dates_order_told"]


def test_zone_is_kept_beside_the_wall_time():
    dataset = read("t,v\n2024-01-05T09:31:00+08:00,1\n2024-01-05T13:00:00+08:00,2\n")
    assert dataset.columns[0].timezone == "+08:00"
    assert values(dataset, "t")[0] == dt.datetime(2024, 1, 5, 9, 31)


def test_several_zones_become_utc():
    dataset = read("t,v\n2024-01-05T09:31:00+08:00,1\n2024-01-05T01:31:00Z,2\n")
    assert values(dataset, "t") == [dt.datetime(2024, 1, 5, 1, 31)] * 2
    assert (dataset.columns[0].timezone, codes(dataset)) == ("UTC", ["mixed_timezones"])


@pytest.mark.parametrize("factor", [1, 1000])
def test_epochs_at_one_midnight_are_days_there(factor):
    start = 1_782_748_800 * factor
    dataset = read(f"date_ms,v\n{start},1\n{start + 86_400 * factor},2\n")
    assert values(dataset, "date_ms") == [dt.date(2026, 6, 30), dt.date(2026, 7, 1)]
    assert (dataset.columns[0].timezone, codes(dataset)) == ("+08:00", ["epoch_offset_inferred"])


def test_other_epochs_are_utc_and_told():
    dataset = read("timestamp,v\n1704447060,1\n1704447121,2\n")
    assert values(dataset, "timestamp")[0] == dt.datetime(2024, 1, 5, 9, 31)
    assert codes(dataset) == ["epoch_zone_assumed"]


# ------------------------------------------------------------------ kinds that the caller says
def test_told_kinds():
    dataset = read(
        "a,b,c\n1,2,2024-05-06\nx,4,2024-07-08\n", kinds={"a": "number", "b": "text", "c": "quarter"}
    )
    assert kinds(dataset) == ["number", "text", "quarter"]
    assert values(dataset, "a") == [1.0, None]
    assert values(dataset, "b") == ["2", "4"]
    assert values(dataset, "c") == [dt.date(2024, 4, 1), dt.date(2024, 7, 1)]
    assert codes(dataset) == ["values_unparsed"]


def test_told_kind_that_nothing_fits_leaves_text():
    dataset = read("a\nx\ny\n", kinds={"a": "date"})
    assert (kinds(dataset), codes(dataset)) == (["text"], ["kind_not_met"])


@pytest.mark.parametrize(
    ("told", "code"),
    [({"z": "number"}, "dataset_column_not_found"), ({"a": "float"}, "dataset_kind_invalid")],
)
def test_told_kinds_that_do_not_exist(told, code):
    with pytest.raises(DatasetError) as caught:
        read("a,b\n1,2\n", kinds=told)
    assert caught.value.code == code
