"""Small exports as analysts get them: counted days, minutes, codes, wide tables, full-width text, names."""

import inspect

import pytest

from capital_kit.datasets import read_dataset


def export(title, text, expected, *, encoding="utf-8", **options):
    return pytest.param(text.encode(encoding), options, inspect.cleandoc(expected), id=title)


EXPORTS = [
    export(
        "12 days as a spreadsheet counts them beside a look-alike count",
        "日期,用户数,收盘\n45292,45210,10.5\n45293,45222,10.6\n45294,45299,10.4\n",
        """
        csv, utf-8, 3 rows
        日期 | date | 2024-01-01 … 2024-01-03
        用户数 | integer | 45210 … 45299 | Σ 135731
        收盘 | number | 10.5 … 10.4 | Σ 31.5
        ! serials_as_days
        """,
    ),
    export(
        "12 moments as a spreadsheet counts them",
        "时间,成交日期,价格\n"
        "45292.396528,45292.0,10.5\n"
        "45292.397222,45292.0,10.6\n"
        "45292.397917,45292.0,10.4\n",
        """
        csv, utf-8, 3 rows
        时间 | datetime | 2024-01-01 09:31 … 2024-01-01 09:33
        成交日期 | date | 2024-01-01 … 2024-01-01
        价格 | number | 10.5 … 10.4 | Σ 31.5
        ! serials_as_days
        ! serials_as_days
        """,
    ),
    export(
        "12 counted days with a dash",
        "日期,数量\n45292,1\n--,2\n45294,3\n",
        """
        csv, utf-8, 3 rows
        日期 | date | 1 null | 2024-01-01 … 2024-01-03
        数量 | integer | 1 … 3 | Σ 6
        ! serials_as_days
        """,
    ),
    export(
        "13 minutes with a zone, disordered and repeated",
        "datetime,open,close\n"
        "2024-01-05 11:29:00+08:00,1,2\n"
        "2024-01-05 13:01:00+08:00,3,4\n"
        "2024-01-05 13:01:00+08:00,3,4\n"
        "2024-01-05 09:31:00+08:00,1,1\n",
        """
        csv, utf-8, 4 rows
        datetime | datetime +08:00 | 2024-01-05 11:29 … 2024-01-05 09:31
        open | integer | 1 … 1 | Σ 8
        close | integer | 2 … 1 | Σ 11
        """,
    ),
    export(
        "13 minutes as twelve digits",
        "时间,收盘\n202401050931,1.5\n202401050932,1.6\n202401051301,1.7\n",
        """
        csv, utf-8, 3 rows
        时间 | datetime | 2024-01-05 09:31 … 2024-01-05 13:01
        收盘 | number | 1.5 … 1.7 | Σ 4.8
        """,
    ),
    export(
        "13 minutes as eight and four digits",
        "时间,收盘\n20240105 0931,1.5\n20240105 0932,1.6\n20240105 1301,1.7\n",
        """
        csv, utf-8, 3 rows
        时间 | datetime | 2024-01-05 09:31 … 2024-01-05 13:01
        收盘 | number | 1.5 … 1.7 | Σ 4.8
        """,
    ),
    export(
        "13 thousandths as seventeen digits",
        "time,price\n20240105093100000,1.5\n20240105093103250,1.6\n20240105093106000,1.7\n",
        """
        csv, utf-8, 3 rows
        time | datetime | 2024-01-05 09:31 … 2024-01-05 09:31:06
        price | number | 1.5 … 1.7 | Σ 4.8
        """,
    ),
    export(
        "13 half days",
        "Time,Price\n1/25/2024 9:31 AM,1.5\n1/25/2024 12:05 PM,1.6\n1/25/2024 1:01 PM,1.7\n",
        """
        csv, utf-8, 3 rows
        Time | datetime | 2024-01-25 09:31 … 2024-01-25 13:01
        Price | number | 1.5 … 1.7 | Σ 4.8
        """,
    ),
    export(
        "14 codes in five spellings",
        "symbol,date,close\n"
        "SH600519,2024-02-01,1\n"
        "sz000001,2024-02-01,2\n"
        "300750.SZ,2024-02-01,3\n"
        "00700.HK,2024-02-01,4\n"
        "AAPL,2024-02-01,5\n",
        """
        csv, utf-8, 5 rows
        symbol | code | SH600519 … AAPL
        date | date | 2024-02-01 … 2024-02-01
        close | integer | 1 … 5 | Σ 15
        """,
    ),
    export(
        "14 codes that lost their zeros",
        "代码,日期,收盘\n1,20240201,9.2\n600519,20240201,1685.0\n6E+05,20240201,7.1\n",
        """
        csv, utf-8, 3 rows
        代码 | code | 1 … 6E+05
        日期 | date | 2024-02-01 … 2024-02-01
        收盘 | number | 9.2 … 7.1 | Σ 1701.3
        ! code_as_number
        """,
    ),
    export(
        "15 days as column names",
        "代码,2024-01-02,2024-01-03\n600519,1685.01,1694.00\n000858,139.1,138.2\n",
        """
        csv, utf-8, 2 rows
        代码 | code | 600519 … 000858
        2024-01-02 | number | 1685.01 … 139.1 | Σ 1824.11
        2024-01-03 | number | 1694.0 … 138.2 | Σ 1832.2
        """,
    ),
    export(
        "15 another unit in each row",
        "指标,2023年报,2022年报\n"
        "营业收入,1505.6亿,1275.5亿\n"
        "毛利率,91.96%,91.87%\n"
        "每股收益,59.49元,49.93元\n"
        "员工,33302,31413\n",
        """
        csv, utf-8, 4 rows
        指标 | text | 营业收入 … 员工
        2023年报 | text | 1505.6亿 … 33302
        2022年报 | text | 1275.5亿 … 31413
        ! units_vary
        ! units_vary
        """,
    ),
    export(
        "16 full-width bars and digits",
        "日期｜收盘价（元）｜成交额\n"
        "２０２４－０１－０２｜￥１，２３４．５０｜（２，０００．００）\n"
        "２０２４－０１－０３｜￥１，２４４．５０｜３，０００．００\n"
        "２０２４－０１－０４｜／｜－\n",
        """
        csv, utf-8, 3 rows, delimiter ｜
        日期 | date | 2024-01-02 … 2024-01-04
        收盘价 | number | 元 | 1 null | 1234.5 … None | Σ 2479
        成交额 | number | 1 null | -2000.0 … None | Σ 1000
        """,
    ),
    export(
        "16 full-width blanks",
        "代码\u3000,名称\u3000,额\u3000（万元）\n"
        "\u3000000001\u3000,平\u3000安,\u30001，234\n"
        "600000,浦发\u3000,２\n",
        """
        csv, utf-8, 2 rows
        代码 | code | 000001 … 600000
        名称 | text | 平　安 … 浦发
        额 | integer | 万元 | 1234 … 2 | Σ 1236
        """,
    ),
    export(
        "17 names twice or missing, nothing but blanks",
        "代码,名称,名称,,是否ST,备注\n000001,甲,乙,1,是,\n000002,丙,丁,2,否,\n",
        """
        csv, utf-8, 2 rows
        代码 | code | 000001 … 000002
        名称 | text | 甲 … 丙
        名称_2 | text | 乙 … 丁
        column_4 | integer | 1 … 2 | Σ 3
        是否ST | boolean | True … False
        备注 | empty | 2 null | None … None
        ! duplicate_names
        ! missing_names
        """,
    ),
    export(
        "17 truths in words, letters and marks",
        "code,active,flag,yn,达标,zero_one\n000001,TRUE,T,Y,√,0\n000002,FALSE,F,N,×,1\n",
        """
        csv, utf-8, 2 rows
        code | code | 000001 … 000002
        active | boolean | True … False
        flag | boolean | True … False
        yn | boolean | True … False
        达标 | boolean | True … False
        zero_one | integer | 0 … 1 | Σ 1
        """,
    ),
    export(
        "18 nothing but a header",
        "证券代码,证券简称,收盘价(元)\r\n",
        """
        csv, gbk, 0 rows
        证券代码 | empty | …
        证券简称 | empty | …
        收盘价 | empty | 元 | …
        ! no_rows
        """,
        encoding="gbk",
    ),
    export(
        "18 nothing but a header and a line above",
        "导出时间：2024-01-05\n代码,名称,收盘\n",
        """
        csv, utf-8, 0 rows, skip_top 1
        代码 | empty | …
        名称 | empty | …
        收盘 | empty | …
        ! lines_skipped
        ! no_rows
        """,
    ),
    export(
        "19 UTF-16 with tabs",
        "代码\t名称\t收盘\n000001\t平安\t9.21\n000002\t万科\t10.1\n",
        """
        tsv, utf-16-le, 2 rows
        代码 | code | 000001 … 000002
        名称 | text | 平安 … 万科
        收盘 | number | 9.21 … 10.1 | Σ 19.31
        """,
        encoding="utf-16",
    ),
    export(
        "19 UTF-16 without a mark, little end first",
        "代码\t名称\t收盘\r\n000001\t平安\t9.21\r\n",
        """
        tsv, utf-16-le, 1 rows
        代码 | code | 000001 … 000001
        名称 | text | 平安 … 平安
        收盘 | number | 9.21 … 9.21 | Σ 9.21
        """,
        encoding="utf-16-le",
    ),
    export(
        "19 UTF-16 without a mark, big end first",
        "代码\t名称\t收盘\r\n000001\t平安\t9.21\r\n",
        """
        tsv, utf-16-be, 1 rows
        代码 | code | 000001 … 000001
        名称 | text | 平安 … 平安
        收盘 | number | 9.21 … 9.21 | Σ 9.21
        """,
        encoding="utf-16-be",
    ),
    export(
        "20 bars that cannot be",
        "date,open,high,low,close,volume\n"
        "2024-07-01,10,11,9,10.5,100\n"
        "2024-07-02,10,9,11,10,-5\n"
        "2034-07-04,1,1.1,0.9,1,100\n",
        """
        csv, utf-8, 3 rows
        date | date | 2024-07-01 … 2034-07-04
        open | integer | 10 … 1 | Σ 21
        high | number | 11.0 … 1.1 | Σ 21.1
        low | number | 9.0 … 0.9 | Σ 20.9
        close | number | 10.5 … 1.0 | Σ 21.5
        volume | integer | 100 … 100 | Σ 195
        """,
    ),
    export(
        "20 negatives in brackets, with a sign behind, with a long dash",
        '项目,金额,变动,余额\n甲,"(1,234.50)",-5.00%,"1,200.50-"\n乙,"2,345.60",(3.2%),7.25\n丙,-,—,−3.5\n',
        """
        csv, utf-8, 3 rows
        项目 | text | 甲 … 丙
        金额 | number | 1 null | -1234.5 … None | Σ 1111.1
        变动 | percent | % | 1 null | -5.0 … None
        余额 | number | -1200.5 … -3.5 | Σ -1196.75
        """,
    ),
]


@pytest.mark.parametrize(("content", "options", "expected"), EXPORTS)
def test_export_is_read_as_a_careful_colleague_would(facts, content, options, expected):
    assert facts(read_dataset(content, **options)) == expected
