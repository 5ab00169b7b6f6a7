"""JSON as interfaces, frames and tools write it."""

import inspect

import pytest

from capital_kit.datasets import read_dataset


def export(title, text, expected, *, encoding="utf-8", **options):
    return pytest.param(text.encode(encoding), options, inspect.cleandoc(expected), id=title)


EXPORTS = [
    export(
        "fields and items",
        '{"request_id": "a", "code": 0, "data": {"fields": ["ts_code", "trade_date", '
        '"close"], "items": [["000001.SZ", "20240102", 9.21], ["000001.SZ", "20240103", '
        '9.2]], "has_more": false}}',
        """
        json, utf-8, 2 rows, row_key data.items
        ts_code | code | 000001.SZ … 000001.SZ
        trade_date | date | 2024-01-02 … 2024-01-03
        close | number | 9.21 … 9.2 | Σ 18.41
        ! envelope_fields
        """,
        name="x.json",
    ),
    export(
        "a frame split, with days as index",
        '{"columns": ["收盘", "量"], "index": ["2024-01-02", "2024-01-03"], "data": [[1.5, 10], [1.6, 20]]}',
        """
        json, utf-8, 2 rows, row_key data
        index | date | 2024-01-02 … 2024-01-03
        收盘 | number | 1.5 … 1.6 | Σ 3.1
        量 | integer | 10 … 20 | Σ 30
        """,
        name="x.json",
    ),
    export(
        "a frame split, with an index that counts",
        '{"columns": ["日期", "收盘"], "index": [0, 1], "data": [["2024-01-02", 1.5], ["2024-01-03", 1.6]]}',
        """
        json, utf-8, 2 rows, row_key data
        日期 | date | 2024-01-02 … 2024-01-03
        收盘 | number | 1.5 … 1.6 | Σ 3.1
        """,
        name="x.json",
    ),
    export(
        "a frame by columns",
        '{"日期": {"0": "2024-01-02", "1": "2024-01-03"}, "收盘": {"0": 1.5, "1": 1.6}}',
        """
        json, utf-8, 2 rows
        日期 | date | 2024-01-02 … 2024-01-03
        收盘 | number | 1.5 … 1.6 | Σ 3.1
        """,
        name="x.json",
    ),
    export(
        "a frame by rows",
        '{"2024-01-02": {"open": 1, "close": 1.5}, "2024-01-03": {"open": 2, "close": 1.6}}',
        """
        json, utf-8, 2 rows
        date | date | 2024-01-02 … 2024-01-03
        open | integer | 1 … 2 | Σ 3
        close | number | 1.5 … 1.6 | Σ 3.1
        ! keys_as_column
        """,
        name="x.json",
    ),
    export(
        "a frame with its schema",
        '{"schema": {"fields": [{"name": "index", "type": "integer"}, {"name": "d", '
        '"type": "string"}]}, "data": [{"index": 0, "d": "x"}, {"index": 1, "d": "y"}]}',
        """
        json, utf-8, 2 rows, row_key data
        index | integer | 0 … 1 | Σ 1
        d | text | x … y
        ! rows_chosen
        """,
        name="x.json",
    ),
    export(
        "days as keys below other fields",
        '{"Meta Data": {"2. Symbol": "IBM"}, "Time Series (Daily)": {"2024-01-03": {"1. open":'
        ' "1.0", "4. close": "1.6"}, "2024-01-02": {"1. open": "0.9", "4. close": "1.5"}}}',
        """
        json, utf-8, 2 rows, row_key Time Series (Daily)
        date | date | 2024-01-03 … 2024-01-02
        1. open | number | 1.0 … 0.9 | Σ 1.9
        4. close | number | 1.6 … 1.5 | Σ 3.1
        ! keys_as_column
        """,
        name="x.json",
    ),
    export(
        "codes as keys",
        '{"data": {"sz000001": {"name": "平安", "price": "9.21"}, '
        '"sh600519": {"name": "贵州", "price": "1685.01"}}}',
        """
        json, utf-8, 2 rows, row_key data
        code | code | sz000001 … sh600519
        name | text | 平安 … 贵州
        price | number | 9.21 … 1685.01 | Σ 1694.22
        ! keys_as_column
        """,
        name="x.json",
    ),
    export(
        "numbers as keys",
        '{"data": {"diff": {"0": {"f12": "000001", "f2": 9.2}, "1": {"f12": "000002", "f2": 10.1}}}}',
        """
        json, utf-8, 2 rows, row_key data.diff
        f12 | code | 000001 … 000002
        f2 | number | 9.2 … 10.1 | Σ 19.3
        """,
        name="x.json",
    ),
    export(
        "columns below other fields",
        '{"s": "ok", "data": {"date": ["2024-01-02", "2024-01-03"], "close": [1.5, 1.6]}}',
        """
        json, utf-8, 2 rows, row_key data
        date | date | 2024-01-02 … 2024-01-03
        close | number | 1.5 … 1.6 | Σ 3.1
        """,
        name="x.json",
    ),
    export(
        "columns beside other fields",
        '{"s": "ok", "t": [1704384000, 1704470400], "c": [1.5, 2.5], "v": [10, 20]}',
        """
        json, utf-8, 2 rows
        t | date +08:00 | 2024-01-05 … 2024-01-06
        c | number | 1.5 … 2.5 | Σ 4
        v | integer | 10 … 20 | Σ 30
        ! envelope_fields
        ! epoch_offset_inferred
        """,
        name="x.json",
    ),
    export(
        "candles without names",
        '[[1704384000000, "9.2", "9.4", "9.1", "9.3", "1000"], [1704470400000, "9.3", "9.5", '
        '"9.2", "9.4", "1100"]]',
        """
        json, utf-8, 2 rows
        time | date +08:00 | 2024-01-05 … 2024-01-06
        open | number | 9.2 … 9.3 | Σ 18.5
        high | number | 9.4 … 9.5 | Σ 18.9
        low | number | 9.1 … 9.2 | Σ 18.3
        close | number | 9.3 … 9.4 | Σ 18.7
        volume | integer | 1000 … 1100 | Σ 2100
        ! candles_named
        ! epoch_offset_inferred
        """,
        name="x.json",
    ),
    export(
        "candles that close before they are high",
        '{"code": 0, "data": {"sz000001": {"qfqday": [["2024-01-02", "9.39", "9.21", "9.42", '
        '"9.21", "1158366.00"], ["2024-01-03", "9.19", "9.20", "9.22", "9.15", "733610.00"]], '
        '"qt": {}}}}',
        """
        json, utf-8, 2 rows, row_key data.sz000001.qfqday
        time | date | 2024-01-02 … 2024-01-03
        open | number | 9.39 … 9.19 | Σ 18.58
        close | number | 9.21 … 9.2 | Σ 18.41
        high | number | 9.42 … 9.22 | Σ 18.64
        low | number | 9.21 … 9.15 | Σ 18.36
        volume | number | 1158366.0 … 733610.0 | Σ 1891976
        ! candles_named
        """,
        name="x.json",
    ),
    export(
        "candles as lines of text",
        '{"rc": 0, "data": {"code": "600519", "klines": ["2024-01-02,1715.00,1685.01,1718.19,1'
        '678.10,32156", "2024-01-03,1681.11,1694.00,1695.22,1676.33,20229"]}}',
        """
        json, utf-8, 2 rows, row_key data.klines
        time | date | 2024-01-02 … 2024-01-03
        open | number | 1715.0 … 1681.11 | Σ 3396.11
        close | number | 1685.01 … 1694.0 | Σ 3379.01
        high | number | 1718.19 … 1695.22 | Σ 3413.41
        low | number | 1678.1 … 1676.33 | Σ 3354.43
        volume | integer | 32156 … 20229 | Σ 52385
        ! candles_named
        ! envelope_fields
        """,
        name="x.json",
    ),
    export(
        "rows that are no candles",
        '[["2024-01-02", 5, 3, 4, 4], ["2024-01-03", 1, 9, 2, 5]]',
        """
        json, utf-8, 2 rows
        column_1 | date | 2024-01-02 … 2024-01-03
        column_2 | integer | 5 … 1 | Σ 6
        column_3 | integer | 3 … 9 | Σ 12
        column_4 | integer | 4 … 2 | Σ 6
        column_5 | integer | 4 … 5 | Σ 9
        ! missing_names
        """,
        name="x.json",
    ),
    export(
        "a header among lists",
        '[["日期", "收盘"], ["2024-01-02", "1.5"], ["2024-01-03", "1.6"]]',
        """
        json, utf-8, 2 rows
        日期 | date | 2024-01-02 … 2024-01-03
        收盘 | number | 1.5 … 1.6 | Σ 3.1
        """,
        name="x.json",
    ),
    export(
        "lists of strings without a header",
        '[["2024-01-02", "1.5"], ["2024-01-03", "1.6"]]',
        """
        json, utf-8, 2 rows
        column_1 | date | 2024-01-02 … 2024-01-03
        column_2 | number | 1.5 … 1.6 | Σ 3.1
        ! missing_names
        """,
        name="x.json",
    ),
    export(
        "a tool's answer after a line of prose",
        '{"result": {"content": [{"type": "text", "text": "共 2 条"}, {"type": "text", '
        '"text": "[{\\"a\\":1},{\\"a\\":2}]"}]}}',
        """
        json, utf-8, 2 rows
        a | integer | 1 … 2 | Σ 3
        ! lines_skipped
        """,
        name="x.json",
    ),
    export(
        "a tool's answer between fences",
        '{"content": [{"type": "text", "text": "```json\\n{\\"data\\":[{\\"a\\":1},{\\"a\\":2}]}\\n```"}]}',
        """
        json, utf-8, 2 rows, row_key data
        a | integer | 1 … 2 | Σ 3
        """,
        name="x.json",
    ),
    export(
        "lines with the last one torn",
        '{"a":1,"b":"x"}\n{"a":3,"b":',
        """
        jsonl, utf-8, 1 rows
        a | integer | 1 … 1 | Σ 1
        b | text | x … x
        ! truncated_lines
        """,
        name="x.jsonl",
    ),
    export(
        "lines with a mark, blank lines and old line ends",
        '\ufeff{"a":1}\r\n\r\n{"a":2}\r\n',
        """
        jsonl, utf-8, 2 rows
        a | integer | 1 … 2 | Σ 3
        """,
        name="x.jsonl",
    ),
    export(
        "a single line",
        '{"a":1,"b":2}\n',
        """
        jsonl, utf-8, 1 rows
        a | integer | 1 … 1 | Σ 1
        b | integer | 2 … 2 | Σ 2
        """,
        name="x.jsonl",
    ),
    export(
        "lines of lists",
        '["d","c"]\n["2024-01-02",1.5]\n["2024-01-03",1.6]\n',
        """
        jsonl, utf-8, 2 rows
        d | date | 2024-01-02 … 2024-01-03
        c | number | 1.5 … 1.6 | Σ 3.1
        """,
        name="x.ndjson",
    ),
    export(
        "no number and the infinite",
        '[{"a":NaN,"b":1},{"a":Infinity,"b":2},{"a":-Infinity,"b":3}]',
        """
        json, utf-8, 3 rows
        a | number | 1 null | None … -inf | Σ nan
        b | integer | 1 … 3 | Σ 6
        """,
        name="x.json",
    ),
    export(
        "a field twice in one record",
        '[{"a":1,"b":5,"a":2},{"a":3,"b":6}]',
        """
        json, utf-8, 2 rows
        a | integer | 2 … 3 | Σ 5
        b | integer | 5 … 6 | Σ 11
        ! repeated_keys
        """,
        name="x.json",
    ),
    export(
        "integers beyond 64 bits",
        '[{"id":12345678901234567890,"v":1.0},{"id":2,"v":2}]',
        """
        json, utf-8, 2 rows
        id | code | 12345678901234567890 … 2
        v | number | 1.0 … 2.0 | Σ 3
        ! integers_too_large
        """,
        name="x.json",
    ),
    export(
        "numbers as strings",
        '[{"price": "1.0700000000", "vol": "1,234"}, {"price": "--", "vol": ""}]',
        """
        json, utf-8, 2 rows
        price | number | 1 null | 1.07 … None | Σ 1.07
        vol | integer | 1 null | 1234 … None | Σ 1234
        """,
        name="x.json",
    ),
    export(
        "full-width names",
        '[{"代码": "000001", "收盘价（元）": 1.5}, {"代码": "000002", "收盘价（元）": 1.6}]',
        """
        json, utf-8, 2 rows
        代码 | code | 000001 … 000002
        收盘价 | number | 元 | 1.5 … 1.6 | Σ 3.1
        """,
        name="x.json",
    ),
    export(
        "GBK",
        '[{"名":"甲"},{"名":"乙"}]',
        """
        json, gbk, 2 rows
        名 | text | 甲 … 乙
        """,
        encoding="gbk",
        name="x.json",
    ),
    export(
        "rows of uneven length",
        '{"columns": ["a", "b"], "rows": [[1, 2], [3]]}',
        """
        json, utf-8, 2 rows, row_key rows
        a | integer | 1 … 3 | Σ 4
        b | integer | 1 null | 2 … None | Σ 2
        ! ragged_rows
        """,
        name="x.json",
    ),
]


@pytest.mark.parametrize(("content", "options", "expected"), EXPORTS)
def test_export_is_read_as_a_careful_colleague_would(facts, content, options, expected):
    assert facts(read_dataset(content, **options)) == expected
