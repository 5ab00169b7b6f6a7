"""Random queries give what DuckDB gives for the same question in SQL."""

import datetime as dt
import math

import duckdb
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

import capital_kit as ck

COLUMNS = {"品类": "text", "n": "integer", "价格": "number", "日期": "date", "flag": "boolean"}
STORAGE = {
    "text": pa.string(),
    "integer": pa.int64(),
    "number": pa.float64(),
    "date": pa.date32(),
    "boolean": pa.bool_(),
}
VALUES = {
    "text": st.sampled_from(["甲", "乙", "b", "B", "aa", "丙丁"]),
    "integer": st.integers(-4, 9) | st.integers(-(2**40), 2**40),
    "number": st.sampled_from([-2.5, -0.0, 0.0, 0.1, 1.5, 7.25, 1e6]) | st.floats(-1e6, 1e6),
    "date": st.dates(dt.date(2022, 11, 1), dt.date(2024, 4, 30)),
    "boolean": st.booleans(),
}
# A partial date with its first and last day.
SPANS = {
    "2023": ("2023-01-01", "2023-12-31"),
    "2024-02": ("2024-02-01", "2024-02-29"),
    "2023Q4": ("2023-10-01", "2023-12-31"),
    "2023-12-31": ("2023-12-31", "2023-12-31"),
}
NUMERIC = [name for name, kind in COLUMNS.items() if kind in ("integer", "number")]
SQL_OF = {
    "count": "count({0})", "distinct": "count(DISTINCT {0})", "min": "min({0})", "max": "max({0})",
    "sum": "sum({0})", "avg": "avg({0})", "median": "quantile_cont({0}, 0.5)", "std": "stddev_samp({0})",
    "quantile": "quantile_cont({0}, 0.9)",
}  # fmt: skip


@st.composite
def tables(draw):
    size = draw(st.integers(0, 30))
    return {
        name: pa.array(
            draw(st.lists(st.none() | VALUES[kind], min_size=size, max_size=size)), STORAGE[kind]
        )
        for name, kind in COLUMNS.items()
    }  # fmt: skip


def quoted(name):
    return '"' + name.replace('"', '""') + '"'


def literal(value):
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return f"'{value}'"
    return f"CAST({value!r} AS DOUBLE)" if isinstance(value, float) else f"CAST({value} AS BIGINT)"


def compared(column, operator, value):
    """Return the SQL of a comparison with a span, or with a single value."""
    low, high = SPANS.get(value, (value, value))
    low, high = (f"DATE '{end}'" if value in SPANS else literal(end) for end in (low, high))
    name = quoted(column)
    return {
        "=": f"({name} >= {low} AND {name} <= {high})",
        "!=": f"({name} < {low} OR {name} > {high})",
        ">": f"{name} > {high}",
        ">=": f"{name} >= {low}",
        "<": f"{name} < {low}",
        "<=": f"{name} <= {high}",
    }[operator]


@st.composite
def comparisons(draw):
    column = draw(st.sampled_from([*COLUMNS]))
    kind = COLUMNS[column]
    value = st.sampled_from([*SPANS]) if kind == "date" else VALUES[kind]
    operator = draw(
        st.sampled_from(["=", "!=", ">", ">=", "<", "<=", "in", "between", "is_null", "not_null"])
    )
    if operator in ("is_null", "not_null"):
        sql = f"{quoted(column)} IS {'NOT ' if operator == 'not_null' else ''}NULL"
        return {"column": column, "operator": operator}, sql
    if operator == "in":
        values = draw(st.lists(value, min_size=1, max_size=3))
        sql = " OR ".join(compared(column, "=", one) for one in values)
        return {"column": column, "operator": operator, "value": values}, f"({sql})"
    if operator == "between":
        one, two = draw(value), draw(value)
        sql = f"({compared(column, '>=', one)} AND {compared(column, '<=', two)})"
        return {"column": column, "operator": operator, "value": [one, two]}, sql
    one = draw(value)
    return {"column": column, "operator": operator, "value": one}, compared(column, operator, one)


def nested(parts):
    return st.one_of(
        parts.map(lambda part: ({"not": part[0]}, f"(NOT {part[1]})")),
        *(
            st.lists(parts, min_size=1, max_size=3).map(
                lambda many, how=how, word=word: (
                    {how: [one for one, _ in many]},
                    "(" + f" {word} ".join(sql for _, sql in many) + ")",
                )
            )
            for how, word in (("any", "OR"), ("all", "AND"))
        ),
    )


CONDITIONS = st.recursive(comparisons(), nested, max_leaves=5)


@st.composite
def questions(draw):
    """Return a grouped query and the same question in SQL."""
    keys = draw(st.lists(st.sampled_from([*COLUMNS]), max_size=2, unique=True))
    step = draw(st.sampled_from([None, "month", "quarter", "year", "week", "day"]))
    groups, sql = [], []
    for key in keys:
        if step and COLUMNS[key] == "date":
            groups.append({"column": key, "by": step, "as": f"k_{key}"})
            sql.append(f"CAST(date_trunc('{step}', {quoted(key)}) AS DATE)")
        else:
            groups.append({"column": key, "as": f"k_{key}"})
            sql.append(quoted(key))
    aggregates = [{"function": "count", "as": "rows"}]
    made = ["count(*)"]
    for function in draw(st.lists(st.sampled_from([*SQL_OF]), max_size=4, unique=True)):
        columns = [*COLUMNS] if function in ("count", "distinct", "min", "max") else NUMERIC
        column = draw(st.sampled_from(columns))
        extra = {"q": 0.9} if function == "quantile" else {}
        aggregates.append({"function": function, "column": column, "as": function, **extra})
        made.append(SQL_OF[function].format(quoted(column)))
    conditions = draw(st.lists(CONDITIONS, max_size=2))
    least = draw(st.none() | st.integers(1, 4))
    query = {
        "filters": [one for one, _ in conditions],
        "group_by": groups,
        "aggregates": aggregates,
        "limit": 1000,
    }
    if least:
        query["having"] = {"column": "rows", "operator": ">=", "value": least}
    where = " AND ".join(text for _, text in conditions) or "TRUE"
    text = f"SELECT {', '.join([*sql, *made])} FROM data WHERE {where}"
    text += f" GROUP BY {', '.join(sql)}" if sql else ""
    text += f" HAVING count(*) >= {least}" if least else ""
    text += " ORDER BY " + ", ".join(f"{place} NULLS LAST" for place in range(1, len(sql) + 1)) if sql else ""
    return query, text


def expected_of(text, table):
    connection = duckdb.connect(":memory:")
    try:
        connection.register("data", table)
        return connection.execute(text).fetchall()
    finally:
        connection.close()


def same(ours, theirs):
    if isinstance(theirs, bool) or not isinstance(theirs, int | float) or ours is None:
        return ours == theirs
    return math.isclose(ours, theirs, rel_tol=1e-9, abs_tol=1e-6)


@settings(max_examples=80)
@given(tables(), questions())
def test_groups_are_those_of_duckdb(columns, question):
    query, text = question
    table = pa.table(columns)
    dataset = ck.read_dataset(table, kinds=COLUMNS)
    result = ck.query_dataset(dataset, query)
    theirs = expected_of(text, table)
    ours = [list(row.values()) for row in result.table.to_pylist()]
    assert len(ours) == len(theirs), text
    for one, other in zip(ours, theirs, strict=True):
        assert all(map(same, one, other)), text


@settings(max_examples=50)
@given(
    tables(), st.lists(CONDITIONS, max_size=2),
    st.lists(st.tuples(st.sampled_from([*COLUMNS]), st.sampled_from(["asc", "desc"])), max_size=2),
    st.booleans(),
)  # fmt: skip
def test_rows_are_those_of_duckdb(columns, conditions, order, distinct):
    table = pa.table(columns)
    dataset = ck.read_dataset(table, kinds=COLUMNS)
    result = ck.query_dataset(dataset, {
        "filters": [one for one, _ in conditions], "distinct": distinct, "limit": 1000,
        "order_by": [{"column": name, "direction": direction} for name, direction in order],
    })  # fmt: skip
    where = " AND ".join(text for _, text in conditions) or "TRUE"
    order_text = ", ".join(f"{quoted(name)} {direction} NULLS LAST" for name, direction in order)
    numbered = pa.table({**columns, "row": pa.array(range(table.num_rows), pa.int64())})
    names = ", ".join(map(quoted, COLUMNS))
    group = f" GROUP BY {names}" if distinct else ""
    row = "min(row)" if distinct else "row"
    tail = ", ".join(filter(None, [order_text, row]))
    theirs = expected_of(f"SELECT {names} FROM data WHERE {where}{group} ORDER BY {tail}", numbered)
    assert [tuple(row.values()) for row in result.table.to_pylist()] == theirs


@settings(max_examples=30)
@given(tables(), st.sampled_from(["first", "last"]), st.sampled_from(["n", "价格", "品类", "flag"]))
def test_first_and_last_go_by_time_and_skip_what_is_missing(columns, function, column):
    # Distinct days, so that the answer does not hang on the order of equal ones.
    size = len(columns["日期"])
    days = [dt.date(2024, 1, 1) + dt.timedelta(days=(7 * at) % 31) for at in range(size)]
    table = pa.table({**columns, "日期": pa.array(days, pa.date32())})
    dataset = ck.read_dataset(table, kinds=COLUMNS)
    found = ck.query_dataset(
        dataset,
        {
            "group_by": "flag" if column != "flag" else "品类",
            "aggregates": {"function": function, "column": column},
        },
        time_column="日期",
    )
    key = quoted("flag" if column != "flag" else "品类")
    how = "arg_min" if function == "first" else "arg_max"
    text = f"SELECT {key}, {how}({quoted(column)}, 日期) FROM data GROUP BY 1 ORDER BY 1 NULLS LAST"
    assert [tuple(row.values()) for row in found.table.to_pylist()] == expected_of(text, table)
