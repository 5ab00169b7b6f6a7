"""SQL over a dataset: it reads ``data`` and nothing else, and what comes back keeps its meaning."""

import builtins
import json
from concurrent.futures import ThreadPoolExecutor

import pytest

import capital_kit as ck

pytest.importorskip("duckdb")

BARS = ck.read_dataset(
    {
        "日期": ["2024-01-02", "2024-01-03", "2024-02-01"],
        "代码": ["000001", "000001", "600519"],
        "收盘价": [10.5, None, 9.25],
        "成交量(手)": [100, 200, 300],
        "涨跌幅": ["1%", "2%", "--"],
        "季度": ["2023Q4", "2024Q1", "2024Q1"],
    }
)


def ask(sql, data=BARS, **more):
    return ck.query_dataset(data, sql=sql, **more)


def refused(sql, data=BARS, **more):
    with pytest.raises(ck.QueryError) as caught:
        ask(sql, data, **more)
    assert caught.value.hint
    return caught.value


def test_source_columns_keep_kind_and_unit_and_computed_ones_do_not():
    found = ask(
        'SELECT "代码", 季度, 成交量 AS 量, 涨跌幅, 收盘价 * 2 AS 收盘价, count(*) OVER () n '
        "FROM data ORDER BY 日期"
    )
    assert [(c.name, c.kind, c.unit) for c in found.columns] == [
        ("代码", "code", None), ("季度", "quarter", None),
        ("量", "integer", "手"), ("涨跌幅", "percent", "%"),
        ("收盘价", "number", None), ("n", "integer", None),
    ]  # fmt: skip
    assert found.rows[0] == {
        "代码": "000001",
        "季度": "2023Q4",
        "量": 100,
        "涨跌幅": 1.0,
        "收盘价": 21.0,
        "n": 3,
    }


def test_star_is_the_dataset():
    found = ask("from data")
    assert [(c.name, c.kind, c.unit) for c in found.columns] == [
        (c.name, c.kind, c.unit) for c in BARS.columns
    ]
    assert found.table.to_pylist() == BARS.table.to_pylist()


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT 成交量 FROM (SELECT 成交量 / 1000 AS 成交量 FROM data)",
        "WITH data AS (SELECT 7.0 AS 成交量) SELECT 成交量 FROM data",
        "SELECT a.成交量 FROM data a, (SELECT 2) b",
        "SELECT * REPLACE (成交量 * 100 AS 成交量) FROM data",
        "SELECT * EXCLUDE (收盘价) FROM data",
    ],
)
def test_a_name_alone_is_no_proof_of_a_unit(sql):
    units = {column.name: column.unit for column in ask(sql).columns}
    assert units["成交量"] is None


@pytest.mark.parametrize(
    ("sql", "kind", "value"),
    [
        ("SELECT sum(成交量) FROM data", "integer", 600),
        ("SELECT 1.25::DECIMAL(9, 2)", "number", 1.25),
        ("SELECT max(日期) FROM data", "date", "2024-02-01"),
        ("SELECT TIMESTAMP '2024-01-05 09:31:00'", "datetime", "2024-01-05 09:31"),
        ("SELECT '20240105'", "text", "20240105"),
        ("SELECT [1, 2]", "text", "[1, 2]"),
        ("SELECT true", "boolean", True),
        ("SELECT NULL", "empty", None),
        ("SELECT 'infinity'::DATE", "date", "5881580-07-11"),
        ("SELECT 170141183460469231731687303715884105727", "number", 2.0**127),
    ],
)
def test_every_type_comes_back_as_a_kind(sql, kind, value):
    found = ask(sql)
    assert (found.columns[0].kind, found.value) == (kind, value)


def test_identity_and_record():
    one, two = ask("SELECT 1 AS x"), ask("  SELECT 1 AS x ;\n")
    assert one.query_id == two.query_id
    assert one.query == {"sql": "SELECT 1 AS x"}
    record = ck.find_query(one.query_id).to_dict()
    assert record == one.to_dict() == json.loads(json.dumps(record, allow_nan=False))
    assert (record["matched_row_count"], record["limit"]) == (None, 1000)
    assert "SELECT 1 AS x" in one._repr_html_()


def test_rows_are_capped_and_it_is_said():
    found = ask("SELECT * FROM range(1001) ORDER BY 1 DESC")
    assert (found.returned_count, found.truncated, found.rows[0]) == (1000, True, {"range": 1000})
    assert not ask("SELECT * FROM range(1000)").truncated


def test_sums_do_not_hang_on_threads():
    data = ck.read_dataset({"x": [0.1 * at for at in range(5000)] * 40})
    assert len({ask("SELECT sum(x) FROM data", data).value for _ in range(3)}) == 1


def test_names_that_differ_in_case_alone_are_told():
    found = ask("SELECT close_1 FROM data", {"Close": [1.5], "close": [2]})
    assert found.value == 2
    assert found.warnings[0].details == {"name": "close", "sql_name": "close_1"}


# the shut door -------------------------------------------------------------------------------

ATTACKS = [
    "SELECT * FROM read_csv('{file}')",
    "SELECT * FROM read_csv_auto('{file}', header=false)",
    "SELECT * FROM '{file}'",
    'SELECT * FROM "{file}"',
    "SELECT * FROM read_text('{file}')",
    "SELECT * FROM read_blob('{file}')",
    "SELECT * FROM read_json('{file}')",
    "SELECT * FROM parquet_scan('{file}')",
    "SELECT * FROM sniff_csv('{file}')",
    "SELECT * FROM glob('{folder}/*')",
    "SELECT * FROM 'https://example.com/x.parquet'",
    "SELECT * FROM query('SELECT * FROM read_text(''{file}'')')",
    "SELECT * FROM query_table('{file}')",
    "SELECT (SELECT content FROM read_text('{file}'))",
    "SELECT * FROM data WHERE EXISTS (FROM read_text('{file}'))",
    "WITH x AS (SELECT * FROM read_text('{file}')) SELECT * FROM x",
    "SELECT * FROM data UNION ALL BY NAME SELECT * FROM read_text('{file}')",
    "SELECT * FROM data, LATERAL (SELECT * FROM read_text('{file}'))",
    "SELECT 1 ORDER BY (SELECT content FROM read_text('{file}'))",
    "SELECT getenv('HOME')",
    "SELECT current_setting('memory_limit')",
    "SELECT getvariable('x')",
    "SELECT * FROM duckdb_settings()",
    "SELECT * FROM duckdb_secrets()",
    "SELECT * FROM information_schema.tables",
    "SELECT * FROM pg_catalog.pg_class",
    "SELECT * FROM memory.main.data",
    "SELECT * FROM sqlite_master",
    "SELECT * FROM frame",
    "SELECT json_serialize_plan('SELECT current_setting(''threads'')', optimize := true)",
    "SELECT (WITH duckdb_databases AS (SELECT 1) SELECT 1 FROM duckdb_databases), * FROM duckdb_databases",
    "WITH sqlite_master AS (FROM sqlite_master) FROM sqlite_master",
    "COPY data TO '{folder}/out.csv'",
    "COPY (SELECT 1) TO '{folder}/out.csv'",
    "EXPORT DATABASE '{folder}/out'",
    "ATTACH '{folder}/x.duckdb' AS x",
    "INSTALL httpfs",
    "LOAD httpfs",
    "SET enable_external_access = true",
    "RESET threads",
    "PRAGMA database_list",
    "CALL pragma_version()",
    "CREATE TABLE x AS SELECT 1",
    "DROP VIEW data",
    "INSERT INTO data VALUES (1)",
    "DELETE FROM data",
    "UPDATE data SET 成交量 = 1",
    "WITH x AS (DELETE FROM data RETURNING *) SELECT * FROM x",
    "WITH x AS (INSERT INTO data VALUES (1) RETURNING *) SELECT * FROM x",
    "EXPLAIN SELECT 1",
    "DESCRIBE data",
    "SUMMARIZE data",
    "SHOW TABLES",
    "SELECT 1; SELECT 2",
    "SELECT 1; DROP VIEW data",
    "",
    ";",
    "-- nothing",
]


@pytest.mark.parametrize("sql", ATTACKS)
def test_nothing_but_one_select_over_data_is_run(sql, tmp_path, language):
    file = tmp_path / "secret.csv"
    file.write_text("a,b\n1,TOPSECRET\n")
    frame = BARS.table  # noqa: F841 (a name that a replacement scan would find)
    error = refused(sql.format(file=file, folder=tmp_path))
    assert error.code == "query_sql_refused"
    assert "TOPSECRET" not in json.dumps(error.to_dict())
    assert [path.name for path in tmp_path.iterdir()] == ["secret.csv"]


def test_the_engine_itself_is_shut_too(tmp_path, monkeypatch):
    from capital_kit.datasets._queries import _sql

    file = tmp_path / "secret.csv"
    file.write_text("a,b\n1,TOPSECRET\n")
    monkeypatch.setattr(_sql, "_refuse_unless_data", lambda part, own: None)
    for sql in ATTACKS[:12]:
        error = refused(sql.format(file=file, folder=tmp_path))
        assert error.code == "query_sql_invalid"
        assert str(tmp_path) not in str(error)
    assert "TOPSECRET" not in str(error)


@pytest.mark.parametrize(
    "sql", ["SELEC 1", "SELECT nope FROM data", "SELECT 'x'::INTEGER", "SELECT error('/etc/x y')"]
)
def test_mistakes_in_sql_are_told_in_one_line_without_paths(sql):
    error = refused(sql)
    assert error.code == "query_sql_invalid"
    assert "\n" not in str(error)
    assert "/etc" not in str(error)


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT sum(a.range * b.range) FROM range(10000000000) a, range(1000) b",
        "WITH RECURSIVE t(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM t) SELECT max(n) FROM t",
    ],
)
def test_runaway_query_is_stopped(sql):
    error = refused(sql, timeout=0.2)
    assert (error.code, error.details["seconds"]) == ("query_timeout", "0.2")


def test_time_that_is_over_before_the_engine_begins_counts():
    sql = "SELECT count(*) FROM range(10000000000) a, range(1000) b"
    assert refused(sql, timeout=1e-9).code == "query_timeout"


@pytest.mark.parametrize("timeout", [0, -1, float("nan"), float("inf"), 1e9, 10**400, "5", None, True])
def test_timeout_is_a_number_of_seconds(timeout, language):
    error = refused("SELECT 1", timeout=timeout)
    assert (error.code, error.details["allowed"]) == ("query_spec_invalid", "> 0, ≤ 3600")


def test_many_at_once_keep_to_their_own_time():
    def run(at):
        if at % 2:
            return refused("SELECT count(*) FROM range(10000000000) a, range(1000) b", timeout=0.2).code
        return ask(f"SELECT sum(成交量) + {at} FROM data").value

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(run, range(8)))
    assert found == [600, "query_timeout", 602, "query_timeout", 604, "query_timeout", 606, "query_timeout"]


def test_too_large_an_answer_is_refused_before_it_becomes_python(monkeypatch):
    monkeypatch.setattr(ck.QueryResult, "rows", property(lambda self: pytest.fail("rows were made")))
    error = refused("SELECT repeat('x', 10000) FROM range(1000)")
    assert (error.code, error.details["size_kib"] > 9000) == ("query_result_too_large", True)


def test_half_a_surrogate_pair_is_the_escape_that_cells_have():
    assert ask("SELECT x FROM data WHERE x = '\ud800'", {"x": ["\ud800", "b"]}).rows == [{"x": "\\ud800"}]


def test_memory_is_bounded():
    error = refused("SELECT len(list(range)) FROM range(400000000)", timeout=60)
    assert error.code == "query_sql_invalid"
    assert "MiB/" in error.message


def test_nothing_is_left_in_the_working_directory(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ask("SELECT count(*) FROM (SELECT range FROM range(300000) ORDER BY hash(range))")
    assert list(tmp_path.iterdir()) == []


def test_missing_engine_says_what_to_install(monkeypatch, language):
    real = builtins.__import__

    def without(name, *rest, **more):
        if name == "duckdb":
            raise ImportError(name)
        return real(name, *rest, **more)

    monkeypatch.setattr(builtins, "__import__", without)
    error = refused("SELECT 1")
    assert error.code == "dependency_missing"
    assert "capital-kit[sql]" in error.hint
