"""What is timed: one contender on one file in a process of its own.

``python contenders.py NAME FILE CALLS`` prints one JSON line: the seconds of each call, the peak
memory beyond the loaded data and the versions, or why the contender was skipped.
"""

import contextlib
import ctypes
import gc
import importlib.metadata
import io
import json
import sys
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple


def path_itself(file: Path) -> Path:
    return file


def pandas_frame(file: Path) -> Any:
    import pyarrow as pa
    from pyarrow import parquet

    # Arrow's own pool would keep what reading took, and hide as much of what describing takes.
    usual = pa.default_memory_pool()
    pa.set_memory_pool(pa.system_memory_pool())
    frame = parquet.read_table(file, use_threads=False).to_pandas(use_threads=False, date_as_object=False)
    pa.set_memory_pool(usual)
    return frame


def polars_frame(file: Path) -> Any:
    import polars

    return polars.read_parquet(file)


def capital_kit(data: Any) -> Any:
    import capital_kit as ck

    return ck.describe_dataset(data)


def capital_kit_whole(file: Path) -> Any:
    import capital_kit as ck

    return ck.describe_dataset(file, partitioned=False)


def capital_kit_in_parts(file: Path) -> Any:
    import capital_kit as ck

    return ck.describe_dataset(file, partitioned=True)


def capital_kit_read(file: Path) -> Any:
    import capital_kit as ck

    return ck.read_dataset(file)


def capital_kit_html(data: Any) -> str:
    return capital_kit(data)._repr_html_()


def summarize(data: Any) -> Any:
    import duckdb

    source = "data" if not isinstance(data, Path) else f"'{data}'"
    return duckdb.sql(f"SUMMARIZE SELECT * FROM {source}").fetchall()


def duckdb_read(file: Path) -> Any:
    import duckdb

    return duckdb.connect().execute(f"CREATE TABLE t AS FROM read_csv('{file}')").fetchall()


def pandas_describe(frame: Any) -> Any:
    return frame.describe()


def pandas_all(frame: Any) -> Any:
    return frame.describe(include="all"), frame.nunique(), frame.isna().sum()


def polars_describe(frame: Any) -> Any:
    return frame.describe()


def skrub_facts(frame: Any) -> str:
    from skrub import TableReport

    return TableReport(frame, plot_distributions=False, compute_associations=False, verbose=0).json()


def skrub_html(frame: Any) -> str:
    from skrub import TableReport

    return TableReport(frame, verbose=0).html()


def ydata_facts(frame: Any) -> Any:
    from ydata_profiling import ProfileReport

    return ProfileReport(frame, minimal=True, progress_bar=False).get_description()


def ydata_html(frame: Any) -> str:
    from ydata_profiling import ProfileReport

    return ProfileReport(frame, minimal=True, progress_bar=False).to_html()


def sweetviz_html(frame: Any) -> str:
    import sweetviz

    with tempfile.TemporaryDirectory() as folder:
        report = sweetviz.analyze(frame, pairwise_analysis="off")
        report.show_html(f"{folder}/report.html", open_browser=False)
        return Path(folder, "report.html").read_text(encoding="utf-8")


class Contender(NamedTuple):
    """How one tool is called: its package, what it loads beforehand, what is timed."""

    package: str
    load: Callable[[Path], Any]
    run: Callable[[Any], Any]


CONTENDERS = {
    "describe_dataset(frame)": Contender("capital_kit", pandas_frame, capital_kit),
    "describe_dataset(frame), HTML card": Contender("capital_kit", pandas_frame, capital_kit_html),
    "describe_dataset(file)": Contender("capital_kit", path_itself, capital_kit),
    "describe_dataset(file, partitioned=False)": Contender("capital_kit", path_itself, capital_kit_whole),
    "describe_dataset(file, partitioned=True)": Contender("capital_kit", path_itself, capital_kit_in_parts),
    "read_dataset(file)": Contender("capital_kit", path_itself, capital_kit_read),
    "DuckDB SUMMARIZE frame": Contender("duckdb", pandas_frame, summarize),
    "DuckDB SUMMARIZE file": Contender("duckdb", path_itself, summarize),
    "DuckDB read_csv": Contender("duckdb", path_itself, duckdb_read),
    "pandas describe": Contender("pandas", pandas_frame, pandas_describe),
    "pandas describe + nunique + isna": Contender("pandas", pandas_frame, pandas_all),
    "polars describe": Contender("polars", polars_frame, polars_describe),
    "skrub TableReport, facts": Contender("skrub", pandas_frame, skrub_facts),
    "skrub TableReport, HTML": Contender("skrub", pandas_frame, skrub_html),
    "ydata-profiling minimal, facts": Contender("ydata_profiling", pandas_frame, ydata_facts),
    "ydata-profiling minimal, HTML": Contender("ydata_profiling", pandas_frame, ydata_html),
    "sweetviz, HTML": Contender("sweetviz", pandas_frame, sweetviz_html),
}


def peak_memory() -> int:
    """Return the most bytes this process held at once since :func:`forget_peak` (Linux)."""
    status = Path("/proc/self/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) * 1024


def forget_peak() -> int:
    """Start the count of the peak anew from what is held now, and return that."""
    ctypes.CDLL(None).malloc_trim(0)
    Path("/proc/self/clear_refs").write_text("5")
    return peak_memory()


def measure(contender: Contender, file: Path, calls: int) -> dict[str, Any]:
    """Return the seconds of each call and the peak memory of the first."""
    try:
        module = __import__(contender.package)
        distribution = importlib.metadata.version(contender.package.replace("_", "-"))
    except ImportError:
        return {"skipped": f"{contender.package} is not installed"}
    if contender.package == "capital_kit":
        module.describe_dataset({"x": [1]})  # loads what it imports on first use, as the peers have done
    data = contender.load(file)
    gc.collect()
    held, seconds, result, beyond = forget_peak(), [], None, 0
    for call in range(calls):
        start = time.perf_counter()
        result = contender.run(data)
        seconds.append(time.perf_counter() - start)
        if not call:
            beyond = peak_memory() - held
        gc.collect()
    size = len(result.encode("utf-8")) if isinstance(result, str) else None
    version = f"{module.__name__} {distribution}"
    return {"seconds": seconds, "beyond": beyond, "bytes": size, "version": version}


def main() -> None:
    name, file, calls = sys.argv[1:4]
    warnings.filterwarnings("ignore")
    with contextlib.redirect_stdout(io.StringIO()), contextlib.redirect_stderr(io.StringIO()):
        report = measure(CONTENDERS[name], Path(file), int(calls))
    print(json.dumps(report))


if __name__ == "__main__":
    main()
