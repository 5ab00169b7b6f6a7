"""Workbooks as analysts have them: formats, merged headers, titles, totals, several sheets, damage."""

import datetime as dt
import io
import zipfile

import openpyxl
import pytest
import xlwt

from capital_kit.datasets import describe_dataset, read_dataset
from capital_kit.datasets._reading import _excel_cells, _files
from capital_kit.datasets._reading._excel_formats import read_format
from capital_kit.errors import DatasetError


def saved(book):
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def workbook(rows, formats=None, *, start=(1, 1), merges=(), title="Sheet1", more=None):
    """Build an .xlsx: rows of values, formats by column letter for the cells that hold numbers or times."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = title
    put(sheet, rows, formats or {}, start)
    for merge in merges:
        sheet.merge_cells(merge)
    if more:
        more(book)
    return saved(book)


def put(sheet, rows, formats, start=(1, 1)):
    for down, row in enumerate(rows):
        for right, value in enumerate(row):
            if value is None:
                continue
            cell = sheet.cell(start[0] + down, start[1] + right, value)
            if not isinstance(value, str) and cell.column_letter in formats:
                cell.number_format = formats[cell.column_letter]


def codes(dataset):
    return [notice.code for notice in dataset.warnings]


def kinds(dataset):
    return {column.name: column.kind for column in dataset.columns}


def values(dataset, name):
    return dataset.table.column(name).to_pylist()


def one(cells, form="General", name="x"):
    """Read one column of a workbook beside a column of letters."""
    rows = [["行", name], *([f"r{at}", cell] for at, cell in enumerate(cells))]
    dataset = read_dataset(workbook(rows, {"B": form}))
    column = dataset.columns[1]
    return column.kind, column.unit, values(dataset, column.name)


# ------------------------------------------------------------------ one cell, one format
COLUMNS = [
    ("x", [1, 2], "General", "integer", None, [1, 2]),
    ("x", [1, 2], "0.00", "number", None, [1.0, 2.0]),
    ("x", [1.5, None], "General", "number", None, [1.5, None]),
    ("x", [0.123, 1.0], "0.00%", "percent", "%", [12.3, 100.0]),
    ("x", [0.07, -0.0015], "0%", "percent", "%", [7.0, -0.15]),
    ("x", [0.123, "--"], "0.00%", "percent", "%", [12.3, None]),
    ("x", ["12.3%", "-0.5%"], "General", "percent", "%", [12.3, -0.5]),
    ("x", ["12.3%", 0.045], "0.0%", "percent", "%", [12.3, 4.5]),
    ("涨跌幅(%)", [1.23, -0.5], "0.00", "percent", "%", [1.23, -0.5]),
    ("x", [1, 600519], "000000", "code", None, ["000001", "600519"]),
    ("x", [600519, 300750], "000000", "code", None, ["600519", "300750"]),
    ("x", ["000001", "600519"], "@", "code", None, ["000001", "600519"]),
    ("x", [1234.5, 2], "¥#,##0.00", "number", "元", [1234.5, 2.0]),
    ("x", [1234.5], "[$$-409]#,##0.00", "number", "美元", [1234.5]),
    ("x", [1234.5], '"US$"#,##0.00', "number", "美元", [1234.5]),
    ("x", [12.5, 3], '0.00"万元"', "number", "万元", [12.5, 3.0]),
    ("收入(千元)", [1234567], "#,##0,", "integer", "元", [1234567]),
    ("x", [123456.5, 8000], '0!.0,"万"', "number", None, [123456.5, 8000.0]),
    ("x", [0.5, 2.25], "# ?/?", "number", None, [0.5, 2.25]),
    ("x", [True, False], "General", "boolean", None, [True, False]),
    ("x", ["是", "否"], "General", "boolean", None, [True, False]),
    ("x", [dt.date(2024, 1, 5)], "yyyy-mm-dd", "date", None, [dt.date(2024, 1, 5)]),
    ("x", [dt.date(2024, 1, 5)], '[$-804]yyyy"年"m"月"d"日"', "date", None, [dt.date(2024, 1, 5)]),
    ("x", [dt.datetime(2024, 1, 5, 9, 30)], "yyyy/m/d h:mm", "datetime", None,
     [dt.datetime(2024, 1, 5, 9, 30)]),
    ("x", [dt.date(2024, 1, 31), dt.date(2024, 2, 29)], 'yyyy"年"m"月"', "month", None,
     [dt.date(2024, 1, 1), dt.date(2024, 2, 1)]),
    ("x", [dt.date(2024, 1, 5), dt.date(2024, 2, 8)], "yyyy-mm", "date", None,
     [dt.date(2024, 1, 5), dt.date(2024, 2, 8)]),
    ("x", [dt.date(2023, 12, 31), dt.date(2024, 12, 31)], "yyyy", "year", None,
     [dt.date(2023, 1, 1), dt.date(2024, 1, 1)]),
    ("日期", ["2024/1/5", "2024年1月8日"], "General", "date", None,
     [dt.date(2024, 1, 5), dt.date(2024, 1, 8)]),
    ("日期", ["2024/1/5", dt.date(2024, 1, 8)], "yyyy/m/d", "date", None,
     [dt.date(2024, 1, 5), dt.date(2024, 1, 8)]),
    ("日期", [20240105, 20240108], "General", "date", None, [dt.date(2024, 1, 5), dt.date(2024, 1, 8)]),
    ("日期", [45296, 45299], "General", "date", None, [dt.date(2024, 1, 5), dt.date(2024, 1, 8)]),
    ("x", [dt.time(9, 30), dt.time(15, 0)], "h:mm", "text", None, ["09:30:00", "15:00:00"]),
    ("x", [dt.timedelta(hours=30)], "[h]:mm", "number", "秒", [108000.0]),
    ("x", [1.5, "停牌", "--"], "0.00", "number", None, [1.5, None, None]),
    ("x", ["1.2亿", "3456.7万"], "General", "number", None, [1.2e8, 34567000.0]),
]  # fmt: skip


@pytest.mark.parametrize(("name", "cells", "form", "kind", "unit", "expected"), COLUMNS)
def test_cells_and_their_format_make_the_column(name, cells, form, kind, unit, expected):
    assert one(cells, form, name) == (kind, unit, expected)


FORMATS = [
    ("_ * #,##0.00_ ;_ * \\-#,##0.00_ ;_ * \"-\"??_ ;_ @_ ", "plain", None, 1.0),
    ('[Red]0.00;[Blue]-0.00', "plain", None, 1.0),
    ("0.00E+00", "plain", None, 1.0),
    ("Standard", "plain", None, 1.0),
    ("G/通用格式", "plain", None, 1.0),
    ("[$￥-411]#,##0", "plain", "日元", 1.0),
    ('#,##0,,"百万"', "plain", "百万", 1e6),
    ('"第"0"名"', "plain", None, 1.0),
    ("[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", "day", None, 1.0),
    ("上午/下午h\"时\"mm\"分\"", "clock", None, 1.0),
    ("mm:ss.0", "clock", None, 1.0),
    ("[mm]:ss", "duration", None, 1.0),
    ("mmm-yy", "month", None, 1.0),
]  # fmt: skip


@pytest.mark.parametrize(("code", "shown", "unit", "factor"), FORMATS)
def test_formats_as_they_occur(code, shown, unit, factor):
    form = read_format(code)
    assert (form.shown, form.unit, form.factor) == (shown, unit, factor)


def test_formats_that_disagree_are_read_as_text_is():
    kind, _, found = one([12.5, "x"], "0.00")
    assert (kind, found) == ("text", ["12.5", "x"])
    book = openpyxl.Workbook()
    put(book.active, [["行", "x"], ["a", 0.5], ["b", 3], ["c", 4]], {})
    book.active["B2"].number_format = "0.0%"
    dataset = read_dataset(saved(book))
    assert values(dataset, "x") == ["50%", "3", "4"]
    assert "units_vary" in codes(dataset)


def test_serials_become_days_only_under_the_name_of_a_day():
    rows = [["日期", "成交笔数"], [45296, 45100], [45299, 45311], [45300, 45290]]
    dataset = read_dataset(workbook(rows))
    assert kinds(dataset) == {"日期": "date", "成交笔数": "integer"}
    assert "serials_as_days" in codes(dataset)


def test_days_counted_from_1904():
    book = openpyxl.Workbook()
    book.epoch = openpyxl.utils.datetime.CALENDAR_MAC_1904
    put(book.active, [["日期", "值", "公告日"], [dt.datetime(2024, 1, 5), 1, 43834]], {"A": "yyyy-mm-dd"})
    dataset = read_dataset(saved(book))
    assert values(dataset, "日期") == values(dataset, "公告日") == [dt.date(2024, 1, 5)]


def test_errors_in_cells_are_no_values_and_are_counted():
    rows = [
        ["代码", "市盈率"],
        ["600519", 30.5],
        ["000001", "#N/A"],
        ["300750", "#DIV/0!"],
        ["002594", "#NUM!"],
    ]
    dataset = read_dataset(workbook(rows))
    assert values(dataset, "市盈率") == [30.5, None, None, None]
    assert dataset.column("市盈率").null_tokens == {"#N/A": 1, "#DIV/0!": 1, "#NUM!": 1}


def test_formulas_have_the_value_that_was_stored():
    content = workbook([["a", "b"], [1, "=A2*2"], [2, "=A3*2"]])
    dataset = read_dataset(content)
    assert values(dataset, "b") == [None, None]
    (notice,) = [n for n in dataset.warnings if n.code == "formulas_without_value"]
    assert notice.details["columns"] == "b 2"
    stored = edited(
        content,
        "xl/worksheets/sheet1.xml",
        lambda xml: xml.replace("<v />", "<v>8</v>").replace("<v></v>", "<v>8</v>"),
    )
    assert values(read_dataset(stored), "b") == [8, 8]


def edited(content, part, change):
    """Return a workbook with one of its parts changed."""
    out = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, change(data.decode()).encode() if name == part else data)
    return out.getvalue()


MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
LINKS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
STRINGS = (
    f'<sst xmlns="{MAIN}"><si><t>代码</t></si><si><r><t>收</t></r><r><t xml:space="preserve">盘</t></r>'
    '<rPh sb="0" eb="1"><t>shou</t></rPh></si><si><t>甲_x000D_\n乙</t></si></sst>'
)
STYLES = f"""<styleSheet xmlns="{MAIN}">
<numFmts count="1"><numFmt numFmtId="176" formatCode="0.0%"/></numFmts>
<cellStyleXfs count="1"><xf numFmtId="14"/></cellStyleXfs>
<cellXfs count="3"><xf numFmtId="0"/><xf numFmtId="176"/><xf numFmtId="31"/></cellXfs></styleSheet>"""
SHEET = f"""<worksheet xmlns="{MAIN}"><sheetData>
<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c></row>
<row r="2"><c r="A2" t="s"><v>2</v></c><c r="B2" s="1"><v>0.123</v></c></row></sheetData></worksheet>"""


def excel(sheet=SHEET, strings=STRINGS, styles=STYLES, book=""):
    """Build a workbook part by part, as Excel itself lays it out."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w") as archive:
        archive.writestr(
            "xl/workbook.xml",
            f'{book}<workbook xmlns="{MAIN}" xmlns:r="{LINKS}"><sheets>'
            '<sheet name="表" sheetId="1" r:id="rId1"/><sheet name="图" sheetId="2" r:id="rId4"/>'
            "</sheets></workbook>",
        )
        targets = [
            ("rId1", "worksheet", "worksheets/sheet1.xml"), ("rId2", "styles", "styles.xml"),
            ("rId3", "sharedStrings", "/xl/sharedStrings.xml"), ("rId4", "chartsheet", "chart.xml"),
        ]  # fmt: skip
        links = "".join(
            f'<Relationship Id="{key}" Type="{LINKS}/{sort}" Target="{path}"/>' for key, sort, path in targets
        )
        archive.writestr("xl/_rels/workbook.xml.rels", f"<Relationships>{links}</Relationships>")
        for name, content in (("styles", styles), ("sharedStrings", strings), ("worksheets/sheet1", sheet)):
            archive.writestr(f"xl/{name}.xml", content)
    return out.getvalue()


def test_the_parts_that_excel_writes():
    dataset = read_dataset(excel())
    assert dataset.table.to_pydict() == {"代码": ["甲\r\n乙"], "收盘": [12.3]}
    assert dataset.source.sheet == "表"


def test_days_in_iso_as_the_strict_format_writes_them():
    sheet = SHEET.replace('<c r="B2" s="1"><v>0.123', '<c r="B2" t="d"><v>2024-01-05T09:30:00')
    assert values(read_dataset(excel(sheet)), "收盘") == [dt.datetime(2024, 1, 5, 9, 30)]


def test_days_in_the_built_in_formats_of_a_chinese_excel():
    sheet = SHEET.replace('s="1"><v>0.123', 's="2"><v>45296')
    assert values(read_dataset(excel(sheet)), "收盘") == [dt.date(2024, 1, 5)]


# ------------------------------------------------------------------ whole sheets
def test_title_merged_header_of_two_rows_total_and_percent():
    rows = [
        ["2024年5月行情汇总"], ["代码", "价格(元)", None, "成交", None, "涨跌幅"],
        [None, "开盘", "收盘", "量(手)", "额(万元)", None],
        ["600519", 1700.5, 1710.0, 25000, 427000.5, 0.0123],
        ["000001", 10.1, 10.05, 900000, 90500.2, -0.005],
        ["合计", None, None, 925000, 517500.7, None], ["注：数据为示例"],
    ]  # fmt: skip
    content = workbook(
        rows, {"F": "0.00%"}, merges=["A1:F1", "A2:A3", "B2:C2", "D2:E2", "F2:F3"], title="行情"
    )
    dataset = read_dataset(content)
    source = dataset.source
    assert (source.format, source.sheet) == ("xlsx", "行情")
    assert (source.skip_top, source.header_rows, source.total_rows, source.skip_bottom) == (1, 2, 1, 1)
    assert dataset.names == ("代码", "价格 开盘", "价格 收盘", "成交 量", "成交 额", "涨跌幅")
    assert [column.unit for column in dataset.columns] == [None, "元", "元", "手", "万元", "%"]
    assert values(dataset, "涨跌幅") == [1.23, -0.5]
    assert codes(dataset) == ["lines_skipped", "total_rows_removed"]


def test_header_of_three_rows():
    rows = [
        ["指标", "2023年", None, None, None], [None, "收入", None, "利润", None],
        [None, "上半年", "下半年", "上半年", "下半年"], ["甲", 1.5, 2.5, 3.5, 4.5],
    ]  # fmt: skip
    dataset = read_dataset(workbook(rows, merges=["A1:A3", "B1:E1", "B2:C2", "D2:E2"]))
    assert dataset.names[1:3] == ("2023年 收入 上半年", "2023年 收入 下半年")
    assert dataset.source.header_rows == 3


def test_title_beside_a_unit_is_no_header():
    rows = [
        ["利润表", None, None, "单位：万元"],
        ["科目", "2022", "2023", "2024"],
        ["收入", 1, 2, 3],
        ["成本", 4, 5, 6],
    ]
    dataset = read_dataset(workbook(rows, merges=["A1:C1"]))
    assert dataset.names == ("科目", "2022", "2023", "2024")
    rows[0] = ["利润表", None, None, "（合并）"]
    assert read_dataset(workbook(rows, merges=["A1:C1"])).names == ("科目", "2022", "2023", "2024")


def test_header_of_a_frame_with_columns_of_two_levels():
    rows = [[None, "价格", None], [None, "开", "收"], ["日期"], [dt.datetime(2024, 1, 5), 1.5, 2.5]]
    dataset = read_dataset(workbook(rows, {"A": "yyyy-mm-dd"}, merges=["B1:C1"]))
    assert (dataset.names, dataset.rows) == (("日期", "价格 开", "价格 收"), 1)


def test_blank_rows_and_columns_before_the_table():
    dataset = read_dataset(workbook([["日期", "值"], ["2024-01-05", 1.5]], start=(6, 28)))
    assert (dataset.names, dataset.rows) == (("日期", "值"), 1)
    assert codes(dataset) == []


def test_unit_row():
    rows = [
        ["日期", "成交量", "成交额"],
        ["单位", "手", "万元"],
        ["2024-01-05", 5, 6.5],
        ["2024-01-08", 7, 8.5],
    ]
    dataset = read_dataset(workbook(rows))
    assert [column.unit for column in dataset.columns] == [None, "手", "万元"]
    assert (dataset.source.header_rows, dataset.rows) == (2, 2)


def test_blank_rows_within_a_table_part_nothing():
    rows = [["日期", "值"], ["2024-01-05", 1.5], [], ["2024-01-08", 2.5], [], ["注：到此为止"]]
    dataset = read_dataset(workbook(rows))
    assert (dataset.rows, dataset.source.skip_bottom) == (2, 1)


def test_headers_repeated_on_each_page_and_signatures_below():
    rows = [
        ["日期", "值"], ["2024-01-05", 1.5], ["日期", "值"], ["2024-01-08", 2.5], [],
        ["制表：甲"], ["审核：乙", "日期：2024-01-09"],
    ]  # fmt: skip
    dataset = read_dataset(workbook(rows))
    assert (dataset.rows, dataset.source.skip_bottom) == (2, 2)
    assert codes(dataset) == ["lines_skipped", "headers_repeated"]


def test_a_label_alone_in_the_last_row_is_a_row():
    dataset = read_dataset(workbook([["名称", "值"], ["甲", 1.5], ["乙", None]]))
    assert values(dataset, "名称") == ["甲", "乙"]


def test_sums_anywhere_are_taken_out():
    rows = [
        ["部门", "人", "额"],
        ["甲", "a", 1.5],
        ["小 计", None, 1.5],
        ["乙", "b", 3],
        [None, None, 3],
        [None, "总计", 4.5],
    ]
    dataset = read_dataset(workbook(rows))
    assert (values(dataset, "额"), dataset.source.total_rows) == ([1.5, 3.0, 3.0], 2)


def test_financial_statement_with_days_as_names_and_sections():
    rows = [
        ["资产负债表"], ["单位：万元"], ["科目", dt.date(2023, 12, 31), dt.date(2022, 12, 31)],
        ["流动资产："],
        ["  货币资金", 690.5, 582.25], [], ["非流动资产："], ["  固定资产", 199.5, 197.25],
    ]  # fmt: skip
    book = openpyxl.Workbook()
    put(book.active, rows, {})
    book.active["B3"].number_format = book.active["C3"].number_format = "yyyy-mm-dd"
    dataset = read_dataset(saved(book))
    assert dataset.names == ("科目", "2023-12-31", "2022-12-31")
    assert values(dataset, "2023-12-31") == [None, 690.5, None, 199.5]


def test_second_table_below_is_named_and_can_be_chosen():
    rows = [
        ["表一"], ["科目", "金额"], ["收入", 10.5], ["成本", 4.5], [],
        ["表二"], ["日期", "收盘", "成交量"], ["2024-01-05", 1.5, 100], ["2024-01-08", 1.6, 200],
    ]  # fmt: skip
    content = workbook(rows)
    dataset = read_dataset(content)
    assert (dataset.names, dataset.rows) == (("科目", "金额"), 2)
    (notice,) = [n for n in dataset.warnings if n.code == "tables_left"]
    assert notice.details["rows"] == "6-9"
    other = read_dataset(content, header=6)
    assert (other.names, other.rows, codes(other)) == (("日期", "收盘", "成交量"), 2, ["lines_skipped"])
    assert describe_dataset(read_dataset(content, header=notice.details["header"] + 1)).rows == 2


def test_a_form_above_is_no_table():
    rows = [["客户", "某基金"], ["截止", 45296], [], ["日期", "收盘", "成交量"], ["2024-01-05", 1.5, 100]]
    assert read_dataset(workbook(rows)).names == ("日期", "收盘", "成交量")


def test_second_table_beside_is_counted():
    rows = [["日期", "收盘", None, "日期", "开盘"], ["2024-01-05", 1.5, None, "2024-02-05", 2.5]]
    dataset = read_dataset(workbook(rows))
    assert (dataset.names, codes(dataset)) == (("日期", "收盘"), ["columns_left"])
    spaced = [["日期", "收盘", None, "成交量", "成交额"], ["2024-01-05", 1.5, None, 5, 2.5]]
    assert read_dataset(workbook(spaced)).names == ("日期", "收盘", "成交量", "成交额")


def test_merged_labels_are_filled_down_and_merged_numbers_are_not():
    rows = [
        ["行业", "名称", "权重"],
        ["银行", "甲", 0.5],
        [None, "乙", None],
        ["白酒", "丙", 0.25],
        [None, "丁", 0.25],
    ]
    dataset = read_dataset(workbook(rows, merges=["A2:A3", "A4:A5", "C2:C3"]))
    assert values(dataset, "行业") == ["银行", "银行", "白酒", "白酒"]
    assert values(dataset, "权重") == [0.5, None, 0.25, 0.25]
    assert codes(dataset) == ["merged_filled", "merged_left"]


def test_the_first_sheet_with_a_table_is_read_and_the_others_are_named():
    def more(book):
        put(book.create_sheet("行情"), [["日期", "值"], ["2024-01-05", 1.5]], {})
        put(book.create_sheet("参数"), [["a", "b"], [1, 2]], {})
        book.create_sheet("空")

    content = workbook([["说明：见下表"]], title="封面", more=more)
    dataset = read_dataset(content)
    assert dataset.source.sheet == "行情"
    (notice,) = dataset.warnings
    assert (notice.code, notice.details["others"]) == ("sheets_left", "封面, 参数")
    assert read_dataset(content, sheet="参数").names == read_dataset(content, sheet=2).names == ("a", "b")


@pytest.mark.parametrize(
    ("sheet", "code"),
    [("行清", "dataset_sheet_not_found"), (5, "dataset_sheet_not_found"), (True, "dataset_sheet_not_found"),
     ("空", "dataset_empty")],
)  # fmt: skip
def test_a_sheet_that_is_not_there(sheet, code):
    content = workbook([["a", "b"], [1, 2]], title="行情", more=lambda book: book.create_sheet("空"))
    with pytest.raises(DatasetError) as caught:
        read_dataset(content, sheet=sheet)
    assert caught.value.code == code
    assert "行情" in caught.value.hint


@pytest.mark.parametrize("data", [b"a,b\n1,2\n", {"a": [1]}, b"<table><tr><td>a<tr><td>1</table>"])
def test_a_sheet_of_what_has_none(data):
    with pytest.raises(DatasetError) as caught:
        read_dataset(data, sheet="x")
    assert caught.value.code == "dataset_sheet_not_found"


def test_hidden_cells_are_read_and_said():
    def hide(book):
        book.active.row_dimensions[3].hidden = True
        book.active.column_dimensions["B"].hidden = True

    dataset = read_dataset(workbook([["a", "b"], [1, 2], [3, 4]], more=hide))
    assert dataset.rows == 2
    (notice,) = dataset.warnings
    assert (notice.code, notice.details) == ("hidden_read", {"rows": 1, "columns": "b"})


def test_a_hidden_sheet_comes_last():
    def more(book):
        put(book.create_sheet("明细"), [["b"], [1]], {})
        put(book["明细"], [["b", "c"], [1, 2]], {})
        book["Sheet1"].sheet_state = "hidden"

    dataset = read_dataset(workbook([["a", "b"], [1, 2]], more=more))
    assert dataset.source.sheet == "明细"


def test_days_and_times_of_day_in_two_columns_are_joined():
    rows = [
        ["日期", "时间", "价"],
        [dt.date(2024, 1, 5), dt.time(9, 30), 1.5],
        [dt.date(2024, 1, 5), dt.time(9, 31), 1.6],
    ]
    dataset = read_dataset(workbook(rows, {"A": "yyyy-mm-dd", "B": "h:mm"}))
    assert values(dataset, "时间") == [dt.datetime(2024, 1, 5, 9, 30), dt.datetime(2024, 1, 5, 9, 31)]


def test_days_as_column_names_and_lines_in_names():
    rows = [["指标", dt.date(2024, 1, 5), 2023, "成交量\n(手)"], ["收入", 1.5, 2.5, 3]]
    dataset = read_dataset(workbook(rows, {"B": "yyyy-mm-dd"}))
    assert dataset.names == ("指标", "2024-01-05", "2023", "成交量")


def test_wide_table():
    rows = [[f"列{at}" for at in range(300)], [at / 8 + 0.0625 for at in range(300)]]
    assert len(read_dataset(workbook(rows)).columns) == 300


def test_sheet_without_a_header_and_header_by_number():
    content = workbook([["2024-01-05", 1.5], ["2024-01-08", 2.5]])
    assert (read_dataset(content).names, codes(read_dataset(content))) == (
        ("column_1", "column_2"),
        ["no_header"],
    )
    content = workbook([["甲", "乙"], ["丙", "丁"], [1, 2]])
    assert read_dataset(content, header=1).names == ("丙", "丁")
    with pytest.raises(DatasetError) as caught:
        read_dataset(content, header=9)
    assert caught.value.code == "dataset_header_invalid"


def test_kinds_of_the_caller_win():
    content = workbook([["代码", "x"], [1, 5], [2, 6]], {"A": "000000"})
    assert values(read_dataset(content, kinds={"代码": "integer", "x": "text"}), "代码") == [1, 2]


@pytest.mark.parametrize("rows", [[], [[" "]]])
def test_empty_workbook(rows):
    with pytest.raises(DatasetError) as caught:
        read_dataset(workbook(rows))
    assert caught.value.code == "dataset_empty"


def test_only_a_header():
    dataset = read_dataset(workbook([["日期", "收盘"]]))
    assert (dataset.names, dataset.rows, codes(dataset)) == (("日期", "收盘"), 0, ["no_rows"])


def test_prefixes_and_cells_without_a_place():
    content = workbook([["a", "b"], [1, 2]])
    sheet = (
        '<x:worksheet xmlns:x="http://schemas.openxmlformats.org/spreadsheetml/2006/main"><x:sheetData>'
        '<x:row><x:c t="inlineStr"><x:is><x:t>甲</x:t></x:is></x:c><x:c t="str"><x:v>乙</x:v></x:c></x:row>'
        "<x:row><x:c><x:v>1</x:v></x:c><x:c><x:v>2.5</x:v></x:c></x:row></x:sheetData></x:worksheet>"
    )
    dataset = read_dataset(edited(content, "xl/worksheets/sheet1.xml", lambda _: sheet))
    assert dataset.table.to_pydict() == {"甲": [1], "乙": [2.5]}


# ------------------------------------------------------------------ the binary format
def binary():
    book = xlwt.Workbook()
    sheet = book.add_sheet("行情")
    percent, day, code = (xlwt.easyxf(num_format_str=form) for form in ("0.00%", "yyyy-mm-dd", "000000"))
    sheet.write_merge(0, 0, 0, 3, "行情汇总")
    for at, name in enumerate(["代码", "日期", "涨跌幅", "停牌"]):
        sheet.write(1, at, name)
    for at, (number, share) in enumerate([(1, 0.0123), (600519, -0.005)], 2):
        sheet.write(at, 0, number, code)
        sheet.write(at, 1, dt.date(2024, 1, at), day)
        sheet.write(at, 2, share, percent)
        sheet.write(at, 3, at == 2)
    sheet.write(4, 0, "合计")
    book.add_sheet("空")
    return saved(book)


def test_binary_workbook():
    dataset = read_dataset(binary())
    assert (dataset.source.format, dataset.source.sheet, dataset.source.skip_top) == ("xls", "行情", 1)
    assert dataset.table.to_pydict() == {
        "代码": ["000001", "600519"], "日期": [dt.date(2024, 1, 2), dt.date(2024, 1, 3)],
        "涨跌幅": [1.23, -0.5], "停牌": [True, False],
    }  # fmt: skip
    assert codes(dataset) == ["lines_skipped", "total_rows_removed", "zeros_restored"]


def test_binary_and_xml_workbook_hold_the_same_data():
    rows = [["代码", "日期", "涨跌幅", "停牌"], [1, dt.date(2024, 1, 2), 0.0123, True],
            [600519, dt.date(2024, 1, 3), -0.005, False]]  # fmt: skip
    xlsx = workbook(rows, {"A": "000000", "B": "yyyy-mm-dd", "C": "0.00%"})
    assert read_dataset(xlsx).fingerprint == read_dataset(binary()).fingerprint


# ------------------------------------------------------------------ damage and attack
def code(content, **options):
    with pytest.raises(DatasetError) as caught:
        read_dataset(content, **options)
    assert caught.value.message
    assert caught.value.hint
    return caught.value.code


def test_cut_and_scrambled_workbooks():
    for whole in (workbook([["a", "b"], [1, 2]]), binary()):
        for size in (8, 100, len(whole) // 2, len(whole) - 30):
            assert code(whole[:size]) in ("dataset_not_row_readable", "dataset_format_unsupported")
    for part, text in (("sheet", SHEET), ("strings", STRINGS), ("styles", STYLES)):
        assert code(excel(**{part: text[: len(text) // 2]})) == "dataset_not_row_readable", part


@pytest.mark.parametrize(
    ("old", "new"),
    [("<v>0.123<", "<v>two<"), ("<v>2<", "<v>99<"), ('r="B2"', 'r="ZZZZ2"'), ('r="B2"', 'r="A2"'),
     ('r="B2"', 'r="2"'), ('s="1"', 's="x"'), ("<v>0.123<", "<v>&a;<")],
)  # fmt: skip
def test_cells_that_cannot_be(old, new):
    assert code(excel(SHEET.replace(old, new))) == "dataset_not_row_readable"


def test_a_style_that_does_not_exist_is_no_format():
    assert values(read_dataset(excel(SHEET.replace('s="1"', 's="77"'))), "收盘") == [0.123]


@pytest.mark.parametrize("part", ["sheet", "strings", "styles", "book"])
def test_entities_are_refused(part):
    bomb = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>'
    whole = {"sheet": SHEET, "strings": STRINGS, "styles": STYLES, "book": ""}
    with pytest.raises(DatasetError) as caught:
        read_dataset(excel(**{part: bomb + whole[part]}))
    assert "DTD" in caught.value.message


def test_zip_bomb_is_refused_before_it_is_opened(monkeypatch):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("xl/workbook.xml", "<workbook/>")
        archive.writestr("xl/media/big", bytes(80 * 2**20))
    assert code(out.getvalue()) == "dataset_too_large"
    monkeypatch.setattr(_files, "LIMIT_MIB", 0)
    assert code(io.BytesIO(workbook([["a", "b"], [1, 2]]))) == "dataset_too_large"


def test_too_many_cells(monkeypatch):
    monkeypatch.setattr(_excel_cells, "LIMIT_CELLS", 3)
    assert code(workbook([["a", "b"], [1, 2]])) == "dataset_too_large"
    assert code(binary()) == "dataset_too_large"


def test_far_cell_takes_no_room():
    sheet = [["a", "b"], [1, 2]]
    dataset = read_dataset(workbook(sheet, more=lambda book: book.active.cell(1_000_000, 1, "注：到此为止")))
    assert (dataset.rows, dataset.source.skip_bottom) == (1, 1)


def test_password():
    secret = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(504) + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(DatasetError) as caught:
        read_dataset(secret)
    assert "密码" in caught.value.message


def test_other_formats_of_spreadsheets_say_what_to_do():
    for part, content in (
        ("xl/workbook.bin", b""),
        ("mimetype", b"application/vnd.oasis.opendocument.spreadsheet"),
    ):
        out = io.BytesIO()
        with zipfile.ZipFile(out, "w") as archive:
            archive.writestr(part, content)
        assert code(out.getvalue()) == "dataset_format_unsupported"
