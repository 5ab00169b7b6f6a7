"""Exports of terminals, exchanges, statistical offices and interfaces, as analysts come by them."""

import inspect
import io
import json

import openpyxl
import pandas as pd
import pyarrow as pa
import pytest

from capital_kit.datasets import describe_dataset, read_dataset


def export(title, text, expected, **options):
    return pytest.param(text.encode("utf-8"), options, inspect.cleandoc(expected), id=title)


EXPORTS = [
    export(
        "names in angle brackets, day and time apart",
        "<TICKER>,<PER>,<DATE>,<TIME>,<OPEN>,<HIGH>,<LOW>,<CLOSE>,<VOL>\n"
        "AAPL.US,5,20240102,153000,185.1,185.9,184.9,185.4,1200\n"
        "AAPL.US,5,20240102,153500,185.4,186.0,185.2,185.9,900\n",
        """
        csv, utf-8, 2 rows
        TICKER | code | AAPL.US … AAPL.US
        PER | integer | 5 … 5 | Σ 10
        DATE | date | 2024-01-02 … 2024-01-02
        TIME | datetime | 2024-01-02 15:30 … 2024-01-02 15:35
        OPEN | number | 185.1 … 185.4 | Σ 370.5
        HIGH | number | 185.9 … 186.0 | Σ 371.9
        LOW | number | 184.9 … 185.2 | Σ 370.1
        CLOSE | number | 185.4 … 185.9 | Σ 371.3
        VOL | integer | 1200 … 900 | Σ 2100
        ! time_joined
        """,
    ),
    export(
        "units between the names of two languages",
        "日期Date,成份券代码Constituent Code,成交量(手)Volume,权重(%)weight\n"
        "20240628,600519,10,5.1\n20240627,601318,20,2.5\n",
        """
        csv, utf-8, 2 rows
        日期Date | date | 2024-06-28 … 2024-06-27
        成份券代码Constituent Code | code | 600519 … 601318
        成交量Volume | integer | 手 | 10 … 20 | Σ 30
        权重weight | percent | % | 5.1 … 2.5
        """,
    ),
    export(
        "months with the year in front",
        "TIME PERIOD,HICP\n2021Jan,0.9\n2021Feb,0.9\n2021Mar,1.3\n",
        """
        csv, utf-8, 3 rows
        TIME PERIOD | month | 2021-01 … 2021-03
        HICP | number | 0.9 … 1.3 | Σ 3.1
        """,
    ),
    export(
        "candles of an exchange without a header",
        "1704067200000000,42283.5,42554.5,42261.0,42475.2,1271.6,1704070799999999,53957248.9,0\n"
        "1704070800000000,42475.2,42775.0,42431.6,42613.5,1196.3,1704074399999999,50984548.2,0\n",
        """
        csv, utf-8, 2 rows
        time | datetime UTC | 2024-01-01 00:00 … 2024-01-01 01:00
        open | number | 42283.5 … 42475.2 | Σ 84758.7
        high | number | 42554.5 … 42775.0 | Σ 85329.5
        low | number | 42261.0 … 42431.6 | Σ 84692.6
        close | number | 42475.2 … 42613.5 | Σ 85088.7
        volume | number | 1271.6 … 1196.3 | Σ 2467.9
        column_7 | integer | 1704070799999999 … 1704074399999999 | Σ 3.4081451999999979e+15
        column_8 | number | 53957248.9 … 50984548.2 | Σ 104941797.1
        column_9 | integer | 0 … 0 | Σ 0
        ! candles_named
        ! missing_names
        ! epoch_zone_assumed
        """.replace("3.4081451999999979e+15", f"{1704070799999999 + 1704074399999999:.12g}"),
    ),
    export(
        "candles without a header, day and time apart",
        "2024.01.02,17:00,1.10,1.12,1.09,1.11,3\n2024.01.02,17:01,1.11,1.13,1.10,1.12,4\n",
        """
        csv, utf-8, 2 rows
        date | date | 2024-01-02 … 2024-01-02
        time | datetime | 2024-01-02 17:00 … 2024-01-02 17:01
        open | number | 1.1 … 1.11 | Σ 2.21
        high | number | 1.12 … 1.13 | Σ 2.25
        low | number | 1.09 … 1.1 | Σ 2.19
        close | number | 1.11 … 1.12 | Σ 2.23
        volume | integer | 3 … 4 | Σ 7
        ! candles_named
        ! time_joined
        """,
    ),
    export(
        "rows of numbers without a header that are no candles",
        "20240102,9.4,9.1,9.6,9.5\n20240103,9.5,9.2,9.7,9.3\n",
        """
        csv, utf-8, 2 rows
        column_1 | date | 2024-01-02 … 2024-01-03
        column_2 | number | 9.4 … 9.5 | Σ 18.9
        column_3 | number | 9.1 … 9.2 | Σ 18.3
        column_4 | number | 9.6 … 9.7 | Σ 19.3
        column_5 | number | 9.5 … 9.3 | Σ 18.8
        ! no_header
        """,
    ),
    export(
        "dividends between prices",
        'Date,Open,High,Low,Close,Volume\n"Feb 12, 2024",188,189,187,188.5,"41,781,900"\n'
        '"Feb 9, 2024",0.24 Dividend,,,,\n"Feb 9, 2024",187,189,186,188.9,"45,155,200"\n'
        '"Feb 8, 2024",4:1 Stock Splits,,,,\n',
        """
        csv, utf-8, 2 rows
        Date | date | 2024-02-12 … 2024-02-09
        Open | integer | 188 … 187 | Σ 375
        High | integer | 189 … 189 | Σ 378
        Low | integer | 187 … 186 | Σ 373
        Close | number | 188.5 … 188.9 | Σ 377.4
        Volume | integer | 41781900 … 45155200 | Σ 86937100
        ! event_rows
        """,
    ),
    export(
        "a column that speaks of dividends stays",
        "Date,Event,Amount\n2024-02-09,Cash Dividend,0.24\n2024-02-12,Stock Split,4\n",
        """
        csv, utf-8, 2 rows
        Date | date | 2024-02-09 … 2024-02-12
        Event | text | Cash Dividend … Stock Split
        Amount | number | 0.24 … 4.0 | Σ 4.24
        """,
    ),
    export(
        "a statement: what it is of and its unit above, what it is below",
        "利润表,,\n公司：某公司(600000),,单位：元\n报告期,2024-03-31,2023-12-31\n"
        '报表类型,合并报表,合并报表\n营业收入,"1,234.50","5,678.90"\n研发费用,--,12.00\n',
        """
        csv, utf-8, 2 rows, skip_top 2, header_rows 2
        报告期 | text | 营业收入 … 研发费用
        2024-03-31 | number | 1 null | 1234.5 … None | Σ 1234.5
        2023-12-31 | number | 5678.9 … 12.0 | Σ 5690.9
        ! lines_skipped
        """,
    ),
    export(
        "row labels that are called like an attribute stay rows",
        "项目,甲,乙\n来源,一,二\n公告日期,2024-01-05,2024-01-08\n",
        """
        csv, utf-8, 2 rows
        项目 | text | 来源 … 公告日期
        甲 | text | 一 … 2024-01-05
        乙 | text | 二 … 2024-01-08
        """,
    ),
    export(
        "names and fields below codes",
        "Date,600519.SH,000001.SZ\n,贵州茅台,平安银行\n,收盘价,收盘价\n"
        "2024-01-02,1685.0,9.2\n2024-01-03,1694.0,9.1\n",
        """
        csv, utf-8, 2 rows, header_rows 3
        Date | date | 2024-01-02 … 2024-01-03
        600519.SH 贵州茅台 收盘价 | number | 1685.0 … 1694.0 | Σ 3379
        000001.SZ 平安银行 收盘价 | number | 9.2 … 9.1 | Σ 18.3
        """,
    ),
    export(
        "remarks of a central bank below the names",
        '"";BBEX3.D.USD;BBEX3.D.USD_FLAGS\n"";"Euro-Referenzkurs der EZB";\n"Einheit";"USD (US-Dollar)";\n'
        '"Stand vom";"28.06.2024 16:00:05 Uhr";\n2024-01-02;1,0956;\n2024-01-03;.;Kein Wert vorhanden\n'
        '2024-01-04;1,0953;\n"";"Kommentar: Methodik";\n',
        """
        csv, utf-8, 3 rows, header_rows 4, skip_bottom 1, delimiter ;
        column_1 | date | 2024-01-02 … 2024-01-04
        BBEX3.D.USD Euro-Referenzkurs der EZB | number | 1 null | 1.0956 … 1.0953 | Σ 2.1909
        BBEX3.D.USD_FLAGS | text | 2 null | None … None
        ! missing_names
        ! lines_skipped
        ! decimal_comma
        """,
    ),
    export(
        "a pivot of pandas",
        ",close,close,volume,volume\nts_code,000001.SZ,600519.SH,000001.SZ,600519.SH\ntrade_date,,,,\n"
        "2024-01-02,9.2,1685.0,100,20\n2024-01-03,9.1,1694.0,110,30\n",
        """
        csv, utf-8, 2 rows, header_rows 3
        trade_date | date | 2024-01-02 … 2024-01-03
        close 000001.SZ | number | 9.2 … 9.1 | Σ 18.3
        close 600519.SH | number | 1685.0 … 1694.0 | Σ 3379
        volume 000001.SZ | integer | 100 … 110 | Σ 210
        volume 600519.SH | integer | 20 … 30 | Σ 50
        """,
    ),
    export(
        "a section above days is no name",
        "日期,收盘,成交量\n上证指数,,\n2024-01-02,2962.3,10\n2024-01-03,2967.2,20\n",
        """
        csv, utf-8, 3 rows
        日期 | mixed | 上证指数 … 2024-01-03
        收盘 | number | 1 null | None … 2967.2 | Σ 5929.5
        成交量 | integer | 1 null | None … 20 | Σ 30
        ! mixed_types
        """,
    ),
]


@pytest.mark.parametrize(("content", "options", "expected"), EXPORTS)
def test_export_is_read_as_a_careful_colleague_would(facts, content, options, expected):
    assert facts(read_dataset(content, **options)) == expected


def test_dividend_in_a_merged_cell_of_a_page_is_no_price():
    days = "".join(
        f"<tr><td>Feb {d}, 2024</td><td>1.{d}</td><td>1.9</td><td>1.0</td></tr>" for d in (5, 6, 7)
    )
    event = "<tr><td>Feb 6, 2024</td><td colspan=3>0.24 <span>Dividend</span></td></tr>"
    page = f"<table><tr><th>Date</th><th>Open</th><th>High</th><th>Low</th></tr>{days}{event}</table>"
    dataset = read_dataset(page.encode())
    assert [column.kind for column in dataset.columns] == ["date", "number", "number", "number"]
    assert [(n.code, n.details["count"]) for n in dataset.warnings] == [("event_rows", 1)]


def test_lines_outside_are_shown_without_their_blank_cells():
    text = "利润表,,,\n公司：甲,,,单位：元\n项目,a,b,c\n收入,1,2,3\n成本,4,5,6\n"
    (notice,) = read_dataset(text.encode()).warnings
    assert notice.details["examples"] == "公司：甲,单位：元, 利润表"


def test_title_over_the_line_of_the_unit_is_no_heading():
    book = openpyxl.Workbook()
    sheet = book.active
    for row in (
        ["组合持仓明细"], [None, None, None, "单位：万元"], ["代码", "持仓", None, "收益率"],
        [None, "成本", "市值", None], ["600519", 1980.5, 1760.8, -0.11], ["000001", 520.0, 507.5, -0.02],
    ):  # fmt: skip
        sheet.append(row)
    for merge in ("A1:D1", "A3:A4", "B3:C3", "D3:D4"):
        sheet.merge_cells(merge)
    out = io.BytesIO()
    book.save(out)
    dataset = read_dataset(out.getvalue())
    assert [(column.name, column.kind) for column in dataset.columns] == [
        ("代码", "code"), ("持仓 成本", "number"), ("持仓 市值", "number"), ("收益率", "number"),
    ]  # fmt: skip
    (notice,) = dataset.warnings
    assert str(notice).index("单位：万元") < str(notice).index("组合持仓明细")


# ------------------------------------------------------------------ answers in pages
PAGES = [
    ({"data": {"total": 132, "list": [{"a": 1}]}}, "total=132"),
    ({"total": 132, "data": {"list": [{"a": 1}]}}, "total=132"),
    ({"data": [{"a": 1}], "pagination": {"total_count": 9}}, "total_count=9"),
    ({"count": 132, "next": "https://example.com/?page=2", "results": [{"a": 1}]}, "next=https"),
    ({"data": {"fields": ["a"], "items": [[1]], "has_more": True}}, "has_more=True"),
    ({"data": {"dktotal": 5432, "klines": ["2024-01-02,9.4,9.2,9.5,9.1"]}}, "dktotal=5432"),
]  # fmt: skip


@pytest.mark.parametrize(("answer", "said"), PAGES)
def test_one_page_of_several_is_told(answer, said):
    found = [n for n in read_dataset(json.dumps(answer).encode()).warnings if n.code == "page_of_more"]
    assert len(found) == 1
    assert said in found[0].details["fields"]
    assert found[0].details["rows"] == len(read_dataset(json.dumps(answer).encode()).table)


@pytest.mark.parametrize(
    "beside", [{"total": 1}, {"total": 132.5}, {"has_more": False}, {"next": None}, {"total": True}]
)
def test_a_whole_answer_is_not_called_a_page(beside):
    answer = {**beside, "data": [{"a": 1}]}
    assert "page_of_more" not in [n.code for n in read_dataset(json.dumps(answer).encode()).warnings]


# ------------------------------------------------------------------ Parquet files of pandas frames
FRAMES = {
    "days": pd.DataFrame({"close": [1.0, 2.0]}, index=pd.date_range("2024-01-02", periods=2)),
    "codes": pd.DataFrame({"close": [1.0, 2.0]}, index=["000001", "600519"]),
    "numbers": pd.DataFrame({"close": [1.0, 2.0]}, index=[3, 5]),
    "range": pd.DataFrame({"close": [1.0, 2.0]}),
    "levels": pd.DataFrame(
        {"close": [1.0, 2.0], "volume": [3, 4]},
        index=pd.MultiIndex.from_tuples(
            [(pd.Timestamp("2024-01-02"), "000001.SZ"), (pd.Timestamp("2024-01-02"), "600519.SH")],
            names=["date", "code"],
        ),
    ),
    "names of two rows": pd.DataFrame(
        [[1.0, 2.0], [3.0, 4.0]], columns=pd.MultiIndex.from_product([["close"], ["000001.SZ", "600519.SH"]])
    ),
}


@pytest.mark.parametrize("frame", FRAMES.values(), ids=list(FRAMES))
def test_parquet_of_a_frame_is_read_as_the_frame(frame):
    out = io.BytesIO()
    frame.to_parquet(out)
    expected = read_dataset(frame)
    for data in (out.getvalue(), pa.Table.from_pandas(frame)):
        dataset = read_dataset(data)
        assert dataset.columns == expected.columns
        assert dataset.table.equals(expected.table)
        promoted = [str(n) for n in dataset.warnings if n.code == "index_promoted"]
        assert promoted == [str(n) for n in expected.warnings if n.code == "index_promoted"]


@pytest.mark.parametrize("told", [b"{", b"[]", b'{"index_columns": [{"kind": "range"}, "gone", 5]}', b"\xff"])
def test_what_a_file_says_of_its_frame_may_be_anything(told):
    table = pa.table({"a": [1, 2]}).replace_schema_metadata({b"pandas": told})
    assert [column.name for column in read_dataset(table).columns] == ["a"]


def test_index_of_a_frame_in_partitions_is_the_same(tmp_path):
    FRAMES["levels"].to_parquet(tmp_path / "a.parquet")
    whole = describe_dataset(tmp_path / "a.parquet", partitioned=False)
    parts = describe_dataset(tmp_path / "a.parquet", partitioned=True)
    assert [facts.name for facts in parts.columns] == [facts.name for facts in whole.columns]


def test_other_files_beside_parts_are_named(tmp_path):
    FRAMES["range"].to_parquet(tmp_path / "part-0.parquet")
    (tmp_path / "_SUCCESS").touch()
    assert read_dataset(tmp_path).warnings == ()
    (tmp_path / "notes.csv").write_text("a\n1\n")
    (notice,) = read_dataset(tmp_path).warnings
    assert (notice.code, "notes.csv" in str(notice)) == ("folder_others", True)
