"""Where the table lies in a text, and how its columns are named: oddities of exports."""

import inspect

import pytest

from capital_kit.datasets import read_dataset


def export(title, text, expected, *, encoding="utf-8", **options):
    return pytest.param(text.encode(encoding), options, inspect.cleandoc(expected), id=title)


EXPORTS = [
    export(
        "quote with a line end",
        'id,note,v\n1,"line one\nline two",2\n2,"a ""quoted"" word",3\n',
        """
        csv, utf-8, 2 rows
        id | integer | 1 … 2 | Σ 3
        note | text | line one⏎line two … a "quoted" word
        v | integer | 2 … 3 | Σ 5
        """,
    ),
    export(
        "rows of uneven length",
        "a,b,c\n1,2,3\n4,5\n6,7,8,9\n10,11,12\n",
        """
        csv, utf-8, 4 rows
        a | integer | 1 … 10 | Σ 21
        b | integer | 2 … 11 | Σ 25
        c | integer | 1 null | 3 … 12 | Σ 23
        column_4 | integer | 3 null | None … None | Σ 9
        ! missing_names
        ! ragged_rows
        """,
    ),
    export(
        "semicolons and decimal commas",
        "Datum;Schluss;Umsatz;Preis\n"
        "05.01.2024;1.234,50;10;5,00 €\n"
        "08.01.2024;1.240,75;-;7,25 €\n"
        "09.01.2024;1.238,00;11;--\n",
        """
        csv, utf-8, 3 rows, delimiter ;
        Datum | date | 2024-01-05 … 2024-01-09
        Schluss | number | 1234.5 … 1238.0 | Σ 3713.25
        Umsatz | integer | 1 null | 10 … 11 | Σ 21
        Preis | number | 欧元 | 1 null | 5.0 … None | Σ 12.25
        ! decimal_comma
        """,
    ),
    export(
        "decimal commas with groups of no-break blanks",
        "name;v\na;1\xa0234,50\nb;12\u202f345,60\nc;7,00\n",
        """
        csv, utf-8, 3 rows, delimiter ;
        name | text | a … c
        v | number | 1234.5 … 7.0 | Σ 13587.1
        ! decimal_comma
        """,
    ),
    export(
        "groups by apostrophes",
        "name,v\na,1'234.50\nb,12’345.60\nc,7.00\n",
        """
        csv, utf-8, 3 rows
        name | text | a … c
        v | number | 1234.5 … 7.0 | Σ 13587.1
        """,
    ),
    export(
        "pipes",
        "date|close|vol\n2024-01-05|1.5|10\n2024-01-08|1.6|12\n",
        """
        csv, utf-8, 2 rows, delimiter |
        date | date | 2024-01-05 … 2024-01-08
        close | number | 1.5 … 1.6 | Σ 3.1
        vol | integer | 10 … 12 | Σ 22
        """,
    ),
    export(
        "a table of markdown",
        "| date | close | vol |\n|---|---:|---|\n| 2024-01-05 | 1.5 | 10 |\n| 2024-01-08 | 1.6 | 12 |\n",
        """
        csv, utf-8, 2 rows, header_rows 2, delimiter |
        date | date | 2024-01-05 … 2024-01-08
        close | number | 1.5 … 1.6 | Σ 3.1
        vol | integer | 10 … 12 | Σ 22
        ! blank_columns
        """,
    ),
    export(
        "the delimiter told to a spreadsheet",
        "sep=;\ndate;close\n2024-01-05;1.5\n2024-01-08;1.6\n",
        """
        csv, utf-8, 2 rows, skip_top 1, delimiter ;
        date | date | 2024-01-05 … 2024-01-08
        close | number | 1.5 … 1.6 | Σ 3.1
        """,
    ),
    export(
        "a delimiter at the end of each row",
        "date,close,\n2024-01-05,1.5,\n2024-01-08,1.6,\n",
        """
        csv, utf-8, 2 rows
        date | date | 2024-01-05 … 2024-01-08
        close | number | 1.5 … 1.6 | Σ 3.1
        ! blank_columns
        """,
    ),
    export(
        "a delimiter at the end of the data only",
        "date,close\n2024-01-05,1.5,\n2024-01-08,1.6,\n",
        """
        csv, utf-8, 2 rows
        date | date | 2024-01-05 … 2024-01-08
        close | number | 1.5 … 1.6 | Σ 3.1
        ! blank_columns
        """,
    ),
    export(
        "comments above and between",
        "# exported by x\n# 2024-01-05\ndate,close\n2024-01-05,1.5\n# middle comment\n2024-01-08,1.6\n",
        """
        csv, utf-8, 2 rows, skip_top 2
        date | date | 2024-01-05 … 2024-01-08
        close | number | 1.5 … 1.6 | Σ 3.1
        ! lines_skipped
        ! lines_skipped
        """,
    ),
    export(
        "page numbers and repeated headers",
        "日期,收盘\n2024-01-02,1.5\n第1页 共2页\n日期,收盘\n2024-01-04,1.7\n",
        """
        csv, utf-8, 2 rows
        日期 | date | 2024-01-02 … 2024-01-04
        收盘 | number | 1.5 … 1.7 | Σ 3.2
        ! lines_skipped
        ! headers_repeated
        """,
    ),
    export(
        "merged cells above the names",
        "代码,行情,,财务,\n,开盘,收盘,营收,净利\n000001,1,2,3,4\n000002,5,6,7,8\n",
        """
        csv, utf-8, 2 rows, header_rows 2
        代码 | code | 000001 … 000002
        行情 开盘 | integer | 1 … 5 | Σ 6
        行情 收盘 | integer | 2 … 6 | Σ 8
        财务 营收 | integer | 3 … 7 | Σ 10
        财务 净利 | integer | 4 … 8 | Σ 12
        """,
    ),
    export(
        "merged cells above few of the names",
        ",2023年,,,,2022年,,,\n"
        "代码,营收,净利,毛利率,员工,营收,净利,毛利率,员工\n"
        "000001,1,2,3,4,5,6,7,8\n"
        "000002,2,3,4,5,6,7,8,9\n",
        """
        csv, utf-8, 2 rows, header_rows 2
        代码 | code | 000001 … 000002
        2023年 营收 | integer | 1 … 2 | Σ 3
        2023年 净利 | integer | 2 … 3 | Σ 5
        2023年 毛利率 | integer | 3 … 4 | Σ 7
        2023年 员工 | integer | 4 … 5 | Σ 9
        2022年 营收 | integer | 5 … 6 | Σ 11
        2022年 净利 | integer | 6 … 7 | Σ 13
        2022年 毛利率 | integer | 7 … 8 | Σ 15
        2022年 员工 | integer | 8 … 9 | Σ 17
        """,
    ),
    export(
        "merged cells written in each place",
        "代码,2023年,2023年,2022年,2022年\n代码,营收,净利,营收,净利\n000001,1,2,3,4\n000002,5,6,7,8\n",
        """
        csv, utf-8, 2 rows, header_rows 2
        代码 | code | 000001 … 000002
        2023年 营收 | integer | 1 … 5 | Σ 6
        2023年 净利 | integer | 2 … 6 | Σ 8
        2022年 营收 | integer | 3 … 7 | Σ 10
        2022年 净利 | integer | 4 … 8 | Σ 12
        """,
    ),
    export(
        "units of every sort",
        "手数（手）,额[万元],每股收益(元/股),占比:%,市值，亿元,利差(bp),股本/万股,金额（单位："
        "万元）,成交量 手,涨幅(%)(前复权),收入(RMB mn),EUR/USD\n"
        "1,2,3,4,5,6,7,8,9,10,11,12\n"
        "2,3,4,5,6,7,8,9,10,11,12,13\n",
        """
        csv, utf-8, 2 rows
        手数 | integer | 手 | 1 … 2 | Σ 3
        额 | integer | 万元 | 2 … 3 | Σ 5
        每股收益 | integer | 元/股 | 3 … 4 | Σ 7
        占比 | percent | % | 4.0 … 5.0
        市值 | integer | 亿元 | 5 … 6 | Σ 11
        利差 | integer | bp | 6 … 7 | Σ 13
        股本 | integer | 万股 | 7 … 8 | Σ 15
        金额 | integer | 万元 | 8 … 9 | Σ 17
        成交量 | integer | 手 | 9 … 10 | Σ 19
        涨幅(前复权) | percent | % | 10.0 … 11.0
        收入 | integer | RMB mn | 11 … 12 | Σ 23
        EUR/USD | integer | 12 … 13 | Σ 25
        """,
    ),
    export(
        "years of maturity as names",
        "1年,5年,10年,日期\n2.1,2.4,2.6,2024-01-02\n2.0,2.4,2.5,2024-01-03\n",
        """
        csv, utf-8, 2 rows
        1年 | number | 2.1 … 2.0 | Σ 4.1
        5年 | number | 2.4 … 2.4 | Σ 4.8
        10年 | number | 2.6 … 2.5 | Σ 5.1
        日期 | date | 2024-01-02 … 2024-01-03
        """,
    ),
    export(
        "the same header after a blank line",
        "日期,收盘\n2024-01-02,1.5\n\n日期,收盘\n2024-01-04,1.7\n",
        """
        csv, utf-8, 2 rows
        日期 | date | 2024-01-02 … 2024-01-04
        收盘 | number | 1.5 … 1.7 | Σ 3.2
        ! headers_repeated
        """,
    ),
    export(
        "another table after a blank line",
        "代码,收盘\n000001,1.5\n000002,1.6\n\n表2 估值\n名称,备注,市盈率\n甲,无,10\n乙,无,11\n",
        """
        csv, utf-8, 2 rows
        代码 | code | 000001 … 000002
        收盘 | number | 1.5 … 1.6 | Σ 3.1
        ! other_tables
        """,
    ),
    export(
        "a table of the account above",
        "账户,某某\n日期,2024-01-05\n\n代码,名称,市值\n000001,平安,1.5\n000002,万科,1.6\n",
        """
        csv, utf-8, 2 rows, skip_top 2
        代码 | code | 000001 … 000002
        名称 | text | 平安 … 万科
        市值 | number | 1.5 … 1.6 | Σ 3.1
        ! lines_skipped
        """,
    ),
    export(
        "a blank line between all rows",
        "日期,v\n\n2021-01-01,1\n\n2022-01-02,2\n\n",
        """
        csv, utf-8, 2 rows
        日期 | date | 2021-01-01 … 2022-01-02
        v | integer | 1 … 2 | Σ 3
        """,
    ),
    export(
        "line ends of an old machine",
        "代码,收盘\r000001,1.5\r000002,1.6\r",
        """
        csv, utf-8, 2 rows
        代码 | code | 000001 … 000002
        收盘 | number | 1.5 … 1.6 | Σ 3.1
        """,
    ),
    export(
        "single quotes around all",
        "'日期','收盘'\n'2024-01-02','1685.01'\n'2024-01-03','1694.00'\n",
        """
        csv, utf-8, 2 rows
        日期 | date | 2024-01-02 … 2024-01-03
        收盘 | number | 1685.01 … 1694.0 | Σ 3379.01
        """,
    ),
    export(
        "blanks before quotes",
        'date, name, vol\n2024-01-05, "a, b", 10\n2024-01-08, "c", 12\n',
        """
        csv, utf-8, 2 rows
        date | date | 2024-01-05 … 2024-01-08
        name | text | a, b … c
        vol | integer | 10 … 12 | Σ 22
        """,
    ),
    export(
        "columns aligned by blanks",
        "日期        收盘     成交量\n2024-01-02  1685.01  32156\n2024-01-03  1694.00  20229\n",
        """
        tsv, utf-8, 2 rows
        日期 | date | 2024-01-02 … 2024-01-03
        收盘 | number | 1685.01 … 1694.0 | Σ 3379.01
        成交量 | integer | 32156 … 20229 | Σ 52385
        """,
    ),
    export(
        "no header",
        "2024-01-02,1.5,100\n2024-01-03,1.6,200\n",
        """
        csv, utf-8, 2 rows
        column_1 | date | 2024-01-02 … 2024-01-03
        column_2 | number | 1.5 … 1.6 | Σ 3.1
        column_3 | integer | 100 … 200 | Σ 300
        ! no_header
        """,
    ),
    export(
        "line ends in names",
        '日期,"成交额\n'
        '(万元)","涨跌幅\n'
        '%","收盘价\n'
        '[单位] 元"\n'
        "2024-01-05,100,1.5,9.5\n"
        "2024-01-08,200,2.5,9.6\n",
        """
        csv, utf-8, 2 rows
        日期 | date | 2024-01-05 … 2024-01-08
        成交额 | integer | 万元 | 100 … 200 | Σ 300
        涨跌幅 | percent | % | 1.5 … 2.5
        收盘价 | number | 元 | 9.5 … 9.6 | Σ 19.1
        """,
    ),
    export(
        "units that differ from row to row",
        "项目,金额,价\n甲,100万元,$5\n乙,2亿元,HK$6\n丙,300美元,￥7\n",
        """
        csv, utf-8, 3 rows
        项目 | text | 甲 … 丙
        金额 | text | 100万元 … 300美元
        价 | text | $5 … ￥7
        ! units_vary
        ! units_vary
        """,
    ),
    export(
        "dollars, multiples and billions",
        "item,price,pe,cap\na,$5.00,15.2x,1.2bn\nb,$6.50,9.8x,350mn\n",
        """
        csv, utf-8, 2 rows
        item | text | a … b
        price | number | 美元 | 5.0 … 6.5 | Σ 11.5
        pe | number | 倍 | 15.2 … 9.8 | Σ 25
        cap | number | 1200000000.0 … 350000000.0 | Σ 1550000000
        """,
    ),
    export(
        "order numbers that a spreadsheet has rounded",
        "订单号,值\n1.23457E+17,1\n123456789012345678,2\n",
        """
        csv, utf-8, 2 rows
        订单号 | code | 1.23457E+17 … 123456789012345678
        值 | integer | 1 … 2 | Σ 3
        ! code_as_number
        """,
    ),
    export(
        "months with short years",
        "Month,Sales\nJan-24,1\nFeb-24,2\nMar-24,3\n",
        """
        csv, utf-8, 3 rows
        Month | month | 2024-01 … 2024-03
        Sales | integer | 1 … 3 | Σ 6
        ! short_years_read
        """,
    ),
    export(
        "short years that prove nothing",
        "日期,Day\n24-01-05,Jan-24\n24-01-08,Jan-25\n24-01-09,Jan-26\n",
        """
        csv, utf-8, 3 rows
        日期 | text | 24-01-05 … 24-01-09
        Day | text | Jan-24 … Jan-26
        ! short_years_ambiguous
        ! short_years_ambiguous
        """,
    ),
    export(
        "months and years under a name for days",
        "日期,截止日期\n202401,2021\n202402,2022\n202403,2023\n",
        """
        csv, utf-8, 3 rows
        日期 | month | 2024-01 … 2024-03
        截止日期 | year | 2021 … 2023
        """,
    ),
    export(
        "epochs in thousandths, in millionths and with decimals",
        "t_ms,timestamp,ts\n"
        "1704384000000,1704447060000000,1704447060.25\n"
        "1704470400000,1704447120000000,1704447120.5\n",
        """
        csv, utf-8, 2 rows
        t_ms | date +08:00 | 2024-01-05 … 2024-01-06
        timestamp | datetime UTC | 2024-01-05 09:31 … 2024-01-05 09:32
        ts | datetime UTC | 2024-01-05 09:31:00.25 … 2024-01-05 09:32:00.5
        ! epoch_offset_inferred
        ! epoch_zone_assumed
        ! epoch_zone_assumed
        """,
    ),
]


@pytest.mark.parametrize(("content", "options", "expected"), EXPORTS)
def test_export_is_read_as_a_careful_colleague_would(facts, content, options, expected):
    assert facts(read_dataset(content, **options)) == expected
