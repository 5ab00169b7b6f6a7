"""Small exports as analysts get them: encodings, sums, amounts, days in words, units, notes, tabs."""

import inspect

import pytest

from capital_kit.datasets import read_dataset


def export(title, text, expected, *, encoding="utf-8", **options):
    return pytest.param(text.encode(encoding), options, inspect.cleandoc(expected), id=title)


EXPORTS = [
    export(
        "01 bars in GBK with tabs behind the codes",
        "证券代码\t,证券名称,日期,开盘价(元),收盘价(元),成交量（手）,成交额[万元],涨跌幅 (%)\r\n"
        "000001\t,平安示例,20240102,9.39,9.21,1158366,107574.25,-1.92\r\n"
        "000001\t,平安示例,20240103,9.19,9.20,733610,67367.38,-0.11\r\n",
        """
        csv, gbk, 2 rows
        证券代码 | code | 000001 … 000001
        证券名称 | text | 平安示例 … 平安示例
        日期 | date | 2024-01-02 … 2024-01-03
        开盘价 | number | 元 | 9.39 … 9.19 | Σ 18.58
        收盘价 | number | 元 | 9.21 … 9.2 | Σ 18.41
        成交量 | integer | 手 | 1158366 … 733610 | Σ 1891976
        成交额 | number | 万元 | 107574.25 … 67367.38 | Σ 174941.63
        涨跌幅 | percent | % | -1.92 … -0.11
        """,
        encoding="gbk",
    ),
    export(
        "01 units behind a colon, a percent sign, in words",
        "股票代码,交易日,收盘价（单位：元）,成交量(万股),总市值:亿元,换手率%\n"
        "600519,2024/01/02,1685.01,3.2158,21166.89,0.26\n"
        "600519,2024/01/03,1694.00,2.0221,21279.82,0.16\n",
        """
        csv, gbk, 2 rows
        股票代码 | code | 600519 … 600519
        交易日 | date | 2024-01-02 … 2024-01-03
        收盘价 | number | 元 | 1685.01 … 1694.0 | Σ 3379.01
        成交量 | number | 万股 | 3.2158 … 2.0221 | Σ 5.2379
        总市值 | number | 亿元 | 21166.89 … 21279.82 | Σ 42446.71
        换手率 | percent | % | 0.26 … 0.16
        """,
        encoding="gbk",
    ),
    export(
        "02 characters that GBK lacks",
        "公司名称,法人,成立日期\n㼆䶮科技,𬭊先生,1998/1/5\n䶮生物,王龑,2003/11/30\n",
        """
        csv, gb18030, 2 rows
        公司名称 | text | 㼆䶮科技 … 䶮生物
        法人 | text | 𬭊先生 … 王龑
        成立日期 | date | 1998-01-05 … 2003-11-30
        """,
        encoding="gb18030",
    ),
    export(
        "02 names with a middle dot",
        "姓名,生日\n买买提·艾合买提,1988-05-06\n䶮某,1990-01-02\n",
        """
        csv, gb18030, 2 rows
        姓名 | text | 买买提·艾合买提 … 䶮某
        生日 | date | 1988-05-06 … 1990-01-02
        """,
        encoding="gb18030",
    ),
    export(
        "03 sums in the middle and at the end",
        "\ufeff部门,收入,占比,同比\n"
        '华东,"1,234,567.89",45.2%,+12.3%\n'
        '华南,"987,654.32",36.1%,--\n'
        '小计,"2,222,222.21",81.3%,\n'
        '华北,"512,345.00",18.7%,-3.4%\n'
        '合计,"2,734,567.21",100.0%,+5.0%\n',
        """
        csv, utf-8, 3 rows, total_rows 2
        部门 | text | 华东 … 华北
        收入 | number | 1234567.89 … 512345.0 | Σ 2734567.21
        占比 | percent | % | 45.2 … 18.7
        同比 | percent | % | 1 null | 12.3 … -3.4
        ! total_rows_removed
        """,
    ),
    export(
        "03 sums with a full-width blank, or after blank cells",
        "序号,部门,名称,金额\n1,A,甲,10\n2,A,乙,20\n,,合计,30\n合\u3000计,,,30\n",
        """
        csv, utf-8, 2 rows, total_rows 2
        序号 | integer | 1 … 2 | Σ 3
        部门 | text | A … A
        名称 | text | 甲 … 乙
        金额 | integer | 10 … 20 | Σ 30
        ! total_rows_removed
        """,
    ),
    export(
        "04 flows of money",
        "名称,主力净流入,主力净占比,成交额\n"
        "甲,+1.35亿,12.50%,8.8亿\n"
        "乙,-3456.7万,-3.21%,1.02万亿\n"
        "丙,—,—,——\n"
        "丁,0,0.00%,9999\n",
        """
        csv, utf-8, 4 rows
        名称 | text | 甲 … 丁
        主力净流入 | number | 1 null | 135000000.0 … 0.0 | Σ 100433000
        主力净占比 | percent | % | 1 null | 12.5 … 0.0
        成交额 | number | 1 null | 880000000.0 … 9999.0 | Σ 1.02088001e+12
        """,
    ),
    export(
        "04 amounts with their unit",
        "指标,金额\n营收,1505.6亿元\n净利,747.3亿元\n研发,3456.7万元\n",
        """
        csv, utf-8, 3 rows
        指标 | text | 营收 … 研发
        金额 | number | 元 | 150560000000.0 … 34567000.0 | Σ 225324567000
        """,
    ),
    export(
        "05 suspended days",
        "日期,收盘,涨跌幅,状态\n"
        "2024-01-02,10.5,1.2%,交易\n"
        "2024-01-03,停牌,停牌,停牌\n"
        "2024-01-04,--,0.00%,停牌\n"
        "2024-01-05,11.0,4.76%,交易\n",
        """
        csv, gbk, 4 rows
        日期 | date | 2024-01-02 … 2024-01-05
        收盘 | number | 2 null | 10.5 … 11.0 | Σ 21.5
        涨跌幅 | percent | % | 1 null | 1.2 … 4.76
        状态 | text | 交易 … 交易
        ! words_as_missing
        """,
        encoding="gb18030",
    ),
    export(
        "05 suspended codes",
        "代码,最新价,换手率(%)\n"
        "000001,9.21,0.35\n"
        "000002,临时停牌,--\n"
        "000004,暂停交易,\n"
        "600519,1685.01,0.26\n",
        """
        csv, gbk, 4 rows
        代码 | code | 000001 … 600519
        最新价 | number | 2 null | 9.21 … 1685.01 | Σ 1694.22
        换手率 | percent | % | 2 null | 0.35 … 0.26
        ! words_as_missing
        ! words_as_missing
        """,
        encoding="gbk",
    ),
    export(
        "06 days in words, newest first",
        "日期,净值,日增长率\n"
        "2024年1月5日,1.2345,+1.23%\n"
        "2024年1月4日,1.2195,-0.50%\n"
        "2024年1月3日,1.2256,0.00%\n",
        """
        csv, utf-8, 3 rows
        日期 | date | 2024-01-05 … 2024-01-03
        净值 | number | 1.2345 … 1.2256 | Σ 3.6796
        日增长率 | percent | % | 1.23 … 0.0
        """,
    ),
    export(
        "06 days with blanks and weekdays",
        "发布日期,生效日,数值\n"
        "2024 年 1 月 5 日,2024年1月5日 星期五,1\n"
        "2024 年 1 月 8 日,2024年1月8日 星期一,2\n",
        """
        csv, utf-8, 2 rows
        发布日期 | date | 2024-01-05 … 2024-01-08
        生效日 | date | 2024-01-05 … 2024-01-08
        数值 | integer | 1 … 2 | Σ 3
        """,
    ),
    export(
        "07 units in brackets in the second row",
        "报告期,营业收入,净利润,毛利率,股数\n"
        ",（亿元）,（万元）,（%）,（万股）\n"
        "2023年一季报,393.8,2079500,92.6,125619.78\n"
        "2023年中报,709.9,3598200,91.8,125619.78\n"
        "2023年三季报,1053.2,5287600,91.7,125619.78\n"
        "2023年年报,1505.6,7473400,92.0,125619.78\n",
        """
        csv, utf-8, 4 rows, header_rows 2
        报告期 | quarter | 2023Q1 … 2023Q4
        营业收入 | number | 亿元 | 393.8 … 1505.6 | Σ 3662.5
        净利润 | integer | 万元 | 2079500 … 7473400 | Σ 18438700
        毛利率 | percent | % | 92.6 … 92.0
        股数 | number | 万股 | 125619.78 … 125619.78 | Σ 502479.12
        """,
    ),
    export(
        "07 a row named unit",
        "时间,CPI,PPI\n单位,%,%\n2024Q1,0.0,-2.7\n2024Q2,0.3,-1.6\n",
        """
        csv, utf-8, 2 rows, header_rows 2
        时间 | quarter | 2024Q1 … 2024Q2
        CPI | percent | % | 0.0 … 0.3
        PPI | percent | % | -2.7 … -1.6
        """,
    ),
    export(
        "07 quarters as analysts write them",
        "季度,营收(亿元)\n1Q24,1.5\n2Q24,2.5\n3Q24,3.5\n",
        """
        csv, utf-8, 3 rows
        季度 | quarter | 2024Q1 … 2024Q3
        营收 | number | 亿元 | 1.5 … 3.5 | Σ 7.5
        """,
    ),
    export(
        "08 a macro series with lines above and below",
        "国家统计局\n"
        "指标：居民消费价格指数\n"
        "时间：最近6个月\n"
        "\n"
        "月份,当月同比(%),环比(%)\n"
        "2024年1月,-0.8,0.3\n"
        "2024年2月,0.7,1.0\n"
        "2024年3月,0.1,-1.0\n"
        "\n"
        "注：1. 同比以上年同期为100。\n"
        "2. 环比以上月为100。\n"
        "数据来源：国家统计局\n",
        """
        csv, gbk, 3 rows, skip_top 3, skip_bottom 3
        月份 | month | 2024-01 … 2024-03
        当月同比 | percent | % | -0.8 … 0.1
        环比 | percent | % | 0.3 … -1.0
        ! lines_skipped
        """,
        encoding="gbk",
    ),
    export(
        "08 two months at once",
        "月份,社零总额(亿元),累计同比(%)\n2024年1-2月,81307,5.5\n2024年3月,39020,4.7\n2024年4月,35699,4.1\n",
        """
        csv, utf-8, 3 rows
        月份 | month | 2024-02 … 2024-04
        社零总额 | integer | 亿元 | 81307 … 35699 | Σ 156026
        累计同比 | percent | % | 5.5 … 4.1
        ! spans_by_end
        """,
    ),
    export(
        "08 the unit of the whole table above it",
        "XX基金净值表\n"
        "币种：人民币\n"
        "单位：元\n"
        "日期,单位净值,累计净值\n"
        "2024-01-05,1.2,2.2\n"
        "2024-01-08,1.3,2.3\n"
        "备注：以上数据仅供参考\n"
        "制表人：某某\n",
        """
        csv, utf-8, 2 rows, skip_top 3, skip_bottom 2
        日期 | date | 2024-01-05 … 2024-01-08
        单位净值 | number | 1.2 … 1.3 | Σ 2.5
        累计净值 | number | 2.2 … 2.3 | Σ 4.5
        ! lines_skipped
        """,
    ),
    export(
        "10 tabs in a file named xls",
        "历史行情\n"
        "代码\t名称\t日期\t收盘\t涨幅%%\n"
        '="600519"\t贵州示例\t2024-05-06,一\t1,701.00\t0.35\n'
        '="000858"\t五粮示例\t2024-05-06,一\t151.20\t--\n'
        "#数据来源:通达信\n",
        """
        tsv, gbk, 2 rows, skip_top 1, skip_bottom 1
        代码 | code | 600519 … 000858
        名称 | text | 贵州示例 … 五粮示例
        日期 | date | 2024-05-06 … 2024-05-06
        收盘 | number | 1701.0 … 151.2 | Σ 1852.2
        涨幅 | percent | % | 1 null | 0.35 … None
        ! lines_skipped
        """,
        encoding="gbk",
        name="行情.xls",
    ),
    export(
        "10 a terminal's export with padded names",
        "600519 贵州示例 日线 前复权\n"
        "      日期\t    开盘\t    收盘\t    成交量\t    成交额\n"
        "2024/01/02\t1715.00\t1685.01\t3215644\t5440082432.00\n"
        "2024/01/03\t1681.11\t1694.00\t2022929\t3411400704.00\n"
        "数据来源:通达信\n",
        """
        tsv, gbk, 2 rows, skip_top 1, skip_bottom 1
        日期 | date | 2024-01-02 … 2024-01-03
        开盘 | number | 1715.0 … 1681.11 | Σ 3396.11
        收盘 | number | 1685.01 … 1694.0 | Σ 3379.01
        成交量 | integer | 3215644 … 2022929 | Σ 5238573
        成交额 | number | 5440082432.0 … 3411400704.0 | Σ 8851483136
        ! lines_skipped
        """,
        encoding="gbk",
        name="600519.txt",
    ),
]


@pytest.mark.parametrize(("content", "options", "expected"), EXPORTS)
def test_export_is_read_as_a_careful_colleague_would(facts, content, options, expected):
    assert facts(read_dataset(content, **options)) == expected
