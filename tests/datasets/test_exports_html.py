"""Pages named .xls: merged cells, several tables, stated encodings."""

import inspect

import pytest

from capital_kit.datasets import read_dataset


def export(title, text, expected, *, encoding="utf-8", **options):
    return pytest.param(text.encode(encoding), options, inspect.cleandoc(expected), id=title)


EXPORTS = [
    export(
        "11 GB2312, entities, amounts",
        "<html><head><meta charset=gb2312></head><body><table border=1>\n"
        "<tr><td>代码</td><td>简称</td><td>市值(亿元)</td></tr>\n"
        "<tr><td>000651</td><td>格力&amp;示例</td><td>2,345.67</td></tr>\n"
        "<tr><td>600690</td><td>海尔</td><td>--</td></tr>\n"
        "</table>\n"
        "</body></html>",
        """
        html, gbk, 2 rows
        代码 | code | 000651 … 600690
        简称 | text | 格力&示例 … 海尔
        市值 | number | 亿元 | 1 null | 2345.67 … None | Σ 2345.67
        """,
        encoding="gb2312",
        name="a.xls",
    ),
    export(
        "11 a title, a sum and a note across all columns",
        "<html><meta http-equiv=Content-Type content='text/html; charset=GB2312'><table>\n"
        "<tr><td colspan=3>2024年1月行情</td></tr>\n"
        "<tr><td>代码</td><td>名称</td><td>收盘价(元)</td></tr>\n"
        "<tr><td style=\"mso-number-format:'\\@'\">000001</td><td>平安</td><td>9.21</td></tr>\n"
        "<tr><td>000002</td><td>万科</td><td>10.1</td></tr>\n"
        "<tr><td colspan=2>合计</td><td>19.31</td></tr>\n"
        "<tr><td colspan=3>数据来源：XX</td></tr>\n"
        "</table>\n"
        "</html>",
        """
        html, gbk, 2 rows, skip_top 1, total_rows 1, skip_bottom 1
        代码 | code | 000001 … 000002
        名称 | text | 平安 … 万科
        收盘价 | number | 元 | 9.21 … 10.1 | Σ 19.31
        ! lines_skipped
        ! total_rows_removed
        """,
        encoding="gb2312",
        name="a.xls",
    ),
    export(
        "merged cells in the header",
        "<table>\n"
        "<tr><th rowspan=2>代码</th><th colspan=2>行情</th></tr>\n"
        "<tr><th>开盘</th><th>收盘</th></tr>\n"
        "<tr><td>000001</td><td>9.2</td><td>9.3</td></tr>\n"
        "<tr><td>000002</td><td>10</td><td>10.1</td></tr>\n"
        "</table>\n",
        """
        html, utf-8, 2 rows, header_rows 2
        代码 | code | 000001 … 000002
        行情 开盘 | number | 9.2 … 10.0 | Σ 19.2
        行情 收盘 | number | 9.3 … 10.1 | Σ 19.4
        """,
        name="a.xls",
    ),
    export(
        "merged cells in the rows",
        "<table>\n"
        "<tr><th>行业</th><th>代码</th><th>价</th></tr>\n"
        "<tr><td rowspan=2>银行</td><td>000001</td><td>9.2</td></tr>\n"
        "<tr><td>600000</td><td>7.1</td></tr>\n"
        "</table>\n",
        """
        html, utf-8, 2 rows
        行业 | text | 银行 … 银行
        代码 | code | 000001 … 600000
        价 | number | 9.2 … 7.1 | Σ 16.3
        """,
        name="a.xls",
    ),
    export(
        "a menu and two tables, one chosen",
        "<table>\n"
        "<tr><td>菜单</td></tr>\n"
        "</table>\n"
        "<table>\n"
        "<tr><th>代码</th><th>价</th></tr>\n"
        "<tr><td>000001</td><td>9.2</td></tr>\n"
        "</table>\n"
        "<table>\n"
        "<tr><th>a</th><th>b</th></tr>\n"
        "<tr><td>1</td><td>2</td></tr>\n"
        "</table>\n",
        """
        html, utf-8, 1 rows, row_key table1
        代码 | code | 000001 … 000001
        价 | number | 9.2 … 9.2 | Σ 9.2
        """,
        name="a.xls",
        row_key="table1",
    ),
    export(
        "pages of one table",
        "<table>\n"
        "<tr><th>代码</th><th>价</th></tr>\n"
        "<tr><td>000001</td><td>9.2</td></tr>\n"
        "</table>\n"
        "<table>\n"
        "<tr><th>代码</th><th>价</th></tr>\n"
        "<tr><td>000002</td><td>10.1</td></tr>\n"
        "</table>\n",
        """
        html, utf-8, 2 rows
        代码 | code | 000001 … 000002
        价 | number | 9.2 … 10.1 | Σ 19.3
        ! tables_joined
        """,
        name="a.xls",
    ),
    export(
        "scripts, comments, cells left open",
        "<!-- export --><html><script>var a='<table>\n"
        "<tr><td>1</td></tr>\n"
        "</table>\n"
        "';</script><body><!-- <table> --><table>\n"
        "<tr><th>a<th>b\n"
        "<tr><td>1<td>2\n"
        "<tr><td>3<td>4\n"
        "</table>\n",
        """
        html, utf-8, 2 rows
        a | integer | 1 … 3 | Σ 4
        b | integer | 2 … 4 | Σ 6
        """,
        name="a.xls",
    ),
    export(
        "no-break blanks, breaks, a minus",
        "<div><table>\n"
        "<tr><td>名称</td><td>额</td></tr>\n"
        "<tr><td>A&nbsp;&amp;&nbsp;B</td><td>1&nbsp;234</td></tr>\n"
        "<tr><td><b>C</b><br>D</td><td>&minus;5.5</td></tr>\n"
        "</table>\n"
        "</div>",
        """
        html, utf-8, 2 rows
        名称 | text | A & B … C D
        额 | number | 1234.0 … -5.5 | Σ 1228.5
        """,
        name="a.xls",
    ),
    export(
        "notes raised behind numbers",
        "<table>\n"
        "<tr><th>名称</th><th>值</th></tr>\n"
        "<tr><td>甲<sup>1</sup></td><td>5<sup>2</sup></td></tr>\n"
        "<tr><td>乙</td><td>6</td></tr>\n"
        "</table>\n",
        """
        html, utf-8, 2 rows
        名称 | text | 甲¹ … 乙
        值 | text | 5² … 6
        """,
        name="a.xls",
    ),
    export(
        "a page in Big5",
        "<html><meta charset=big5><table>\n"
        "<tr><td>代號</td><td>價</td></tr>\n"
        "<tr><td>臺積電</td><td>5</td></tr>\n"
        "</table>\n"
        "</html>",
        """
        html, big5, 1 rows
        代號 | text | 臺積電 … 臺積電
        價 | integer | 5 … 5 | Σ 5
        """,
        encoding="big5",
        name="a.xls",
    ),
    export(
        "a page that states another encoding than it has",
        "<html><meta charset=gb2312><table>\n"
        "<tr><td>代码</td><td>名</td></tr>\n"
        "<tr><td>000001</td><td>平安</td></tr>\n"
        "</table>\n"
        "</html>",
        """
        html, utf-8, 1 rows
        代码 | code | 000001 … 000001
        名 | text | 平安 … 平安
        """,
        name="a.xls",
    ),
]


@pytest.mark.parametrize(("content", "options", "expected"), EXPORTS)
def test_export_is_read_as_a_careful_colleague_would(facts, content, options, expected):
    assert facts(read_dataset(content, **options)) == expected
