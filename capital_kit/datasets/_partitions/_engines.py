"""Where rows come in partitions: Parquet, Arrow datasets and streams, Dask and Spark."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import pyarrow as pa

from capital_kit.datasets._model import Dataset, Source
from capital_kit.datasets._partitions._partitions import (
    Partitions,
    PartitionState,
    Plan,
    merge_all,
    partition_state,
)
from capital_kit.datasets._read import read_dataset
from capital_kit.datasets._reading._files import damaged, is_path, matches, parquet_parts, path_of
from capital_kit.datasets._reading._frames import from_arrow, from_pandas
from capital_kit.datasets._reading._lazy_frames import is_arrow_dataset, is_dask, is_spark
from capital_kit.errors import DatasetError, KitError

EXACT_ROWS, EXACT_CELLS = 250_000, 4_000_000
"""Up to so many rows and cells are fetched and described in memory, exactly."""
PART_ROWS, PART_CELLS, PART_BYTES = (10_000, 250_000), 800_000, 64 * 2**20
"""How many rows, at least and at most, how many cells and bytes are read at a time."""
PARTITIONED_MIB = 256
"""Parquet files above this size are described in partitions."""

SPARK_HEAD = 10_000
_FOLDERS = re.compile(r"(?:[A-Za-z]:)?[\\/](?:[^\\/\s'\"]+[\\/])+")
_SPARK_ROW = pa.schema([("number", pa.int32()), ("state", pa.binary())])

Read = Callable[[], Iterator[Any]]


def opened(data: Any, *, partitioned: bool | None = None) -> Dataset | Partitions:
    """Return data as a dataset in memory, or in partitions where they are many or lie on an engine.

    Parameters
    ----------
    data
        What :func:`read_dataset` takes, or an Arrow dataset or stream.
    partitioned : bool, optional
        True for partitions however few the rows are, False for memory. Default: partitions for
        Parquet files above 256 MiB, and for Spark, Dask and Arrow datasets of more than 250,000 rows or
        4 million cells.

    Raises
    ------
    DatasetError
        ``dataset_not_partitioned`` for data that only memory can hold, where ``partitioned=True``.
    """
    if partitioned is not False:
        for way in (_of_parquet, _of_arrow, _of_dask, _of_spark):
            found = way(data, bool(partitioned))
            if found is not None:
                return found
        if partitioned:
            raise DatasetError.of("dataset_not_partitioned", type=type(data).__name__)
    return read_dataset(data)


def rows_of(columns: int) -> int:
    """Return how many rows of so many columns are read at a time."""
    return max(PART_ROWS[0], min(PART_ROWS[1], PART_CELLS // max(columns, 1)))


def _are_few(rows: int, columns: int) -> bool:
    return rows <= EXACT_ROWS and rows * columns <= EXACT_CELLS


# Arrow ---------------------------------------------------------------------------------------


def _of_parquet(data: Any, wanted: bool) -> Dataset | Partitions | None:
    if not is_path(data):
        return None
    path = path_of(data)
    files = matches(path) or list(parquet_parts(path)) or [path]
    if not all(file.suffix.lower() == ".parquet" and file.is_file() for file in files):
        return None
    if not wanted and sum(file.stat().st_size for file in files) <= PARTITIONED_MIB * 2**20:
        return None
    source = Source(format="parquet", label=f"{path.name}/" if path.is_dir() else path.name)
    try:
        parts, schema = _parts_of(path, files)
        return _local(lambda: _read_parts(parts, schema), schema, source, wanted=True)
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(source, error) from None


def _parts_of(path: Path, files: Iterable[Path]) -> tuple[list[tuple[str, dict[str, Any]]], pa.Schema]:
    """Return the Parquet files, each with what the folders ``key=value`` above it say, and their schema."""
    from pyarrow import parquet

    if path.is_dir():
        from pyarrow import dataset as arrow

        found = arrow.dataset(str(path), format="parquet", partitioning="hive", ignore_prefixes=["_", "."])
        parts = [(p.path, arrow.get_partition_keys(p.partition_expression)) for p in found.get_fragments()]
        keys = [found.schema.field(name) for name in found.partitioning.schema.names]
    else:
        parts, keys = [(str(file), {}) for file in files], []
    schemas = [*(parquet.read_schema(file) for file, _ in parts), pa.schema(keys)]
    return parts, pa.unify_schemas(schemas, promote_options="permissive").remove_metadata()


def _read_parts(parts: Iterable[tuple[str, dict[str, Any]]], schema: pa.Schema) -> Iterator[pa.Table]:
    """Yield the rows of Parquet files; unlike an Arrow dataset, no row group as a whole."""
    from pyarrow import parquet

    size = rows_of(len(schema))
    for path, keys in parts:
        with parquet.ParquetFile(path, pre_buffer=False, buffer_size=2**20) as file:
            for table in _grouped(file.iter_batches(batch_size=max(size // 4, 1)), size):
                yield _in_schema(table, keys, schema)


def _in_schema(table: pa.Table, keys: dict[str, Any], schema: pa.Schema) -> pa.Table:
    if table.schema.equals(schema):
        return table
    columns = []
    for name in schema.names:
        if name in table.column_names:
            columns.append(table.column(name))
        elif name in keys:
            columns.append(pa.repeat(keys[name], table.num_rows))
        else:
            columns.append(pa.nulls(table.num_rows))
    return pa.table(columns, names=schema.names).cast(schema)


def _of_arrow(data: Any, wanted: bool) -> Dataset | Partitions | None:
    source = Source(format="frame", label=type(data).__name__)
    if isinstance(data, pa.Table) and wanted:
        size = rows_of(data.num_columns)
        return _local(
            lambda: (data.slice(at, size) for at in range(0, data.num_rows, size)),
            data.schema,
            source,
            wanted=True,
        )
    if isinstance(data, pa.RecordBatchReader):
        return _local(
            lambda: _grouped(data, rows_of(len(data.schema))), data.schema, source, wanted=wanted, again=False
        )
    if is_arrow_dataset(data):
        return _of_arrow_dataset(data, source, wanted=wanted)
    return None


def _of_arrow_dataset(data: Any, source: Source, *, wanted: bool) -> Dataset | Partitions:
    size = rows_of(len(data.schema))

    def read() -> Iterator[pa.Table]:
        # Little is read ahead: memory is what this way is for.
        batches = data.to_batches(batch_size=size // 4 or 1, batch_readahead=1, fragment_readahead=1)
        return _grouped(batches, size)

    return _local(read, data.schema, source, wanted=wanted)


def _grouped(batches: Iterable[pa.RecordBatch], size: int) -> Iterator[pa.Table]:
    """Yield tables of about ``size`` rows, or of fewer where their cells are long."""
    kept: list[pa.RecordBatch] = []
    rows = room = 0
    for batch in batches:
        for at in range(0, batch.num_rows, size):
            kept.append(batch.slice(at, size))
            rows, room = rows + kept[-1].num_rows, room + kept[-1].nbytes
            if rows >= size or room >= PART_BYTES:
                yield pa.Table.from_batches(kept)
                kept, rows, room = [], 0, 0
    if kept:
        yield pa.Table.from_batches(kept)


def _local(
    read: Read, schema: pa.Schema, source: Source, *, wanted: bool, again: bool = True
) -> Dataset | Partitions:
    """Return tables that this process reads itself; few of them, unless ``wanted``, as a dataset."""
    tables, columns = _readable(read(), source), len(schema)
    peeked, rows = [], 0
    for table in tables:
        peeked.append(table)
        rows += table.num_rows
        if rows and (wanted or not _are_few(rows, columns)):
            break
    else:
        return from_arrow(pa.concat_tables(peeked) if peeked else schema.empty_table(), source)
    first = next(table for table in peeked if table.num_rows)
    once = iter(()) if again else chain(peeked, tables)

    def states(plan: Plan) -> Iterator[PartitionState]:
        return (partition_state(table, plan) for table in (_readable(read(), source) if again else once))

    return Partitions(first=first, source=source, states=states, again=again)


def _readable(tables: Iterable[pa.Table], source: Source) -> Iterator[pa.Table]:
    """Yield tables; where they stop being readable, say which file it is."""
    try:
        yield from tables
    except (pa.ArrowException, OSError) as error:
        raise _unreadable(source, error) from None


def _unreadable(source: Source, error: Exception) -> DatasetError:
    form = source.format if source.format == "parquet" else "Arrow"
    return damaged(source.label, form, OSError(_FOLDERS.sub("", str(error))))


# Dask ----------------------------------------------------------------------------------------


def _of_dask(data: Any, wanted: bool) -> Dataset | Partitions | None:
    if not is_dask(data):
        return None
    import dask
    import pandas as pd

    engine: Any = dask
    source, parts = Source(format="dask", label=type(data).__name__), data.to_delayed()
    peeked, rows = [], 0
    for part in parts:
        with _dask_errors():
            peeked.append(part.compute())
        rows += len(peeked[-1])
        if rows and (wanted or not _are_few(rows, len(data.columns))):
            break
    else:
        return from_pandas(pd.concat(peeked), source)
    first = pd.concat(peeked).iloc[: rows_of(len(data.columns))]

    def states(plan: Plan) -> Iterator[PartitionState]:
        tasks = [engine.delayed(_packed)(part, plan) for part in parts]
        with _dask_errors():
            return map(PartitionState.unpack, engine.compute(*tasks))

    return Partitions(first=first, source=source, states=states, count=len(parts))


@contextmanager
def _dask_errors() -> Iterator[None]:
    try:
        yield
    except KitError:
        raise
    except Exception as error:
        reason = f"{type(error).__name__}: {error}".split("\n")[0][:200].rstrip(".")
        raise DatasetError.of("dataset_engine_failed", "task", engine="Dask", reason=reason) from error


def _packed(rows: Any, plan: Plan) -> bytes:
    return partition_state(rows, plan).pack()


# Spark ---------------------------------------------------------------------------------------


def _of_spark(data: Any, wanted: bool) -> Dataset | Partitions | None:
    if not is_spark(data):
        return None
    source = Source(format="spark", label=type(data).__name__)
    columns = len(data.columns)
    with _spark_errors():
        rows = data.count()
        if rows == 0 or (_are_few(rows, columns) and not wanted):
            return from_arrow(data.toArrow(), source)
        # The first rows in the order of the partitions, which limit() does not keep.
        first = data.take(min(rows_of(columns), SPARK_HEAD))
        table = data.sparkSession.createDataFrame(first, data.schema).toArrow()
    return Partitions(first=table, source=source, states=lambda plan: _spark_states(data, plan))


def _spark_states(frame: Any, plan: Plan) -> Iterator[PartitionState]:
    names = list(frame.columns)

    def run(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        from pyspark import TaskContext

        tables = (table.rename_columns(names) for table in _grouped(batches, rows_of(len(names))))
        state = merge_all(partition_state(table, plan) for table in tables)
        if state is not None:
            context: Any = TaskContext.get()
            cells = {"number": [context.partitionId()], "state": [state.pack()]}
            yield pa.RecordBatch.from_pydict(cells, _SPARK_ROW)

    # Spark reads a dot in a name as a field, and names that differ in case as one.
    plain = frame.toDF(*(f"c{place}" for place in range(len(names))))
    with _spark_errors():
        found = plain.mapInArrow(run, "number int, state binary").toArrow().sort_by("number")
    return (PartitionState.unpack(state.as_py()) for state in found.column("state"))


@contextmanager
def _spark_errors() -> Iterator[None]:
    from pyspark.errors import PySparkException

    try:
        yield
    except PySparkException as error:
        lines = str(error).splitlines()
        reason = next((line for line in lines if "Error" in line), lines[0] if lines else "").strip()[:200]
        raise DatasetError.of("dataset_engine_failed", engine="Spark", reason=reason) from None
