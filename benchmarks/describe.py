"""Describing a table: how long, and in how much memory, beside the tools that analysts use.

Every measurement is a fresh process with one call to warm up; the processes of all contenders take
turns, so that all see the same machine. Prints Markdown: medians, ratios to the named peer, targets.
A peer that is not installed is skipped; ``--python skrub=PATH`` names an interpreter that has it.
"""

import argparse
import datetime as dt
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any, NamedTuple

from bars import write_bars, write_messy, write_wide
from contenders import CONTENDERS
from pyarrow import parquet

from capital_kit import describe_dataset

HERE = Path(__file__).parent
CACHE = HERE.parent / "build/bench"
CALLS = 2
OURS, FILE = "describe_dataset(frame)", "describe_dataset(file)"
WHOLE, IN_PARTS = "describe_dataset(file, partitioned=False)", "describe_dataset(file, partitioned=True)"
SMALL = 1_000_000
IN_PARTS_MB = 400
WORKERS = min(8, os.cpu_count() or 1)
Key = tuple[str, Path]


class Comparison(NamedTuple):
    """One line of the table: we on a file, a peer on the same data, and the most the ratio may be."""

    data: str
    ours: Key
    peer: Key
    target: float | None


def comparisons(rows: int, folder: Path) -> Iterator[Comparison]:
    """Yield what is compared on bars of so many rows."""
    files = write_bars(rows, folder)
    size = f"{rows:,} rows"

    def pair(data: str, ours: str, peer: str, kind: str, target: float | None) -> Comparison:
        return Comparison(f"{size}, {data}", (ours, files[kind]), (peer, files[kind]), target)

    yield pair("frame", OURS, "DuckDB SUMMARIZE frame", "parquet", 0.5)
    for ours in (FILE,) if rows <= SMALL else (WHOLE, IN_PARTS):
        yield pair("Parquet", ours, "DuckDB SUMMARIZE file", "parquet", 0.8)
    yield pair("CSV", FILE, "DuckDB SUMMARIZE file", "csv", 1.2)
    limit = 0.8 if rows > SMALL else 1.5
    yield pair("frame", OURS, "pandas describe + nunique + isna", "parquet", limit)
    yield pair("frame", OURS, "polars describe", "parquet", None)
    if rows > SMALL:
        return
    yield pair("frame", OURS, "skrub TableReport, facts", "parquet", 0.5)
    yield pair("frame", f"{OURS}, HTML card", "skrub TableReport, HTML", "parquet", 0.25)
    yield pair("frame", OURS, "ydata-profiling minimal, facts", "parquet", 0.2)
    yield pair("frame", f"{OURS}, HTML card", "ydata-profiling minimal, HTML", "parquet", 0.1)
    yield pair("frame", f"{OURS}, HTML card", "sweetviz, HTML", "parquet", 0.1)


def odd_tables(folder: Path) -> Iterator[Comparison]:
    """Yield the comparisons on a messy CSV and on a wide frame."""
    files, wide = write_messy(SMALL, folder), write_wide(5_000, 2_000, folder)
    yield Comparison(
        "1,000,000 rows, messy CSV and its clean twin",
        ("read_dataset(file)", files["messy"]), ("DuckDB read_csv", files["clean"]), 3.0,
    )  # fmt: skip
    yield Comparison("2,000 columns × 5,000 rows, frame", (OURS, wide), ("pandas describe", wide), 2.0)


def run_in_turns(keys: list[Key], laps: int, pythons: dict[str, str]) -> dict[Key, dict[str, Any]]:
    """Return what each contender took: medians over fresh processes that take turns."""
    reports: dict[Key, list[dict[str, Any]]] = {key: [] for key in keys}
    for lap in range(laps):
        for name, file in keys:
            told = reports[name, file]
            if told and "skipped" in told[0]:
                continue
            print(f"lap {lap + 1}: {name}, {file.name}", file=sys.stderr)
            python = pythons.get(CONTENDERS[name].package, sys.executable)
            command = [python, str(HERE / "contenders.py"), name, str(file), str(CALLS)]
            done = subprocess.run(command, capture_output=True, text=True)
            failed = {"skipped": done.stderr.strip().split("\n")[-1][:120]}
            told.append(json.loads(done.stdout) if done.returncode == 0 else failed)
    return {key: _middle(told) for key, told in reports.items()}


def _middle(told: list[dict[str, Any]]) -> dict[str, Any]:
    if "skipped" in told[0]:
        return told[0]
    warm = [second for report in told for second in report["seconds"][1:]]
    beyond = statistics.median(report["beyond"] for report in told)
    return told[0] | {"warm": statistics.median(warm), "beyond": beyond}


def print_ratios(chosen: list[Comparison], results: dict[Key, dict[str, Any]]) -> None:
    print("| data | ours | s | peer | s | ratio | target | met |")
    print("|---|---|---:|---|---:|---:|---:|---|")
    for comparison in chosen:
        ours, peer = results[comparison.ours], results[comparison.peer]
        head = f"| {comparison.data} | {comparison.ours[0]} | {ours['warm']:.2f} | {comparison.peer[0]} |"
        if "skipped" in peer:
            print(f"{head} | | | skipped: {peer['skipped']} |")
            continue
        ratio = ours["warm"] / peer["warm"]
        verdict = (
            "|" if comparison.target is None else f"≤ {comparison.target} | {_met(ratio, comparison.target)}"
        )
        print(f"{head} {peer['warm']:.2f} | {ratio:.2f} | {verdict} |")


def print_memory(results: dict[Key, dict[str, Any]]) -> None:
    """Print the peak of a first call beyond what was loaded.

    The limit is three times the widest column for each worker; of partitions, whatever the rows, 400 MB.
    """
    print("\n| peak memory beyond the loaded frame | MB | target | met |\n|---|---:|---:|---|")
    for (name, file), report in results.items():
        if name == OURS and file.stem.startswith("bars"):
            limit = 3 * _widest(file) * WORKERS
            _print_limit(f"{file.stem}, frame", report["beyond"] / 1e6, round(limit / 1e6))
        elif name == IN_PARTS:
            _print_limit(f"{file.stem}, partitioned", report["beyond"] / 1e6, IN_PARTS_MB)


def _widest(file: Path) -> int:
    names = parquet.read_schema(file).names
    return max(int(parquet.read_table(file, columns=[name]).nbytes) for name in names[:20])


def print_single(folder: Path, laps: int) -> None:
    """Print what has a limit of its own: a fresh process with its imports, and the size of cards."""
    print("\n| measure | value | target | met |\n|---|---:|---:|---|")
    for kind, file in write_bars(100_000, folder).items():
        seconds = statistics.median(_fresh_process(file) for _ in range(2 * laps + 1))
        _print_limit(f"fresh process, imports and 100,000 rows of {kind}, s", seconds, 1.0)
    cards = {300: write_bars(100_000, folder)["parquet"], 2_000: write_wide(1_000, 200, folder)}
    for limit, file in cards.items():
        card = describe_dataset(file)
        size = len(card._repr_html_().encode("utf-8"))
        _print_limit(f"HTML card of {len(card.columns)} columns, kB", size / 1e3, limit)


def _fresh_process(file: Path) -> float:
    start = time.perf_counter()
    subprocess.run(
        [sys.executable, "-c", f"import capital_kit as ck; ck.describe_dataset({str(file)!r})"], check=True
    )
    return time.perf_counter() - start


def _print_limit(measure: str, value: float, limit: float) -> None:
    print(f"| {measure} | {value:,.3g} | ≤ {limit:,} | {_met(value, limit)} |")


def _met(value: float, limit: float) -> str:
    return "yes" if value <= limit else "**no**"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, nargs="*", default=[100_000, 1_000_000])
    parser.add_argument("--laps", type=int, default=3)
    parser.add_argument("--only", default="", metavar="TEXT", help="compare with peers of this name only")
    parser.add_argument("--cache", type=Path, default=CACHE)
    parser.add_argument("--python", action="append", default=[], metavar="PACKAGE=PATH")
    told = parser.parse_args()
    chosen = [pair for rows in told.rows for pair in comparisons(rows, told.cache)]
    small = min(told.rows) <= SMALL
    chosen += odd_tables(told.cache) if small else ()
    chosen = [pair for pair in chosen if told.only in pair.peer[0]]
    keys = list(dict.fromkeys(key for pair in chosen for key in (pair.ours, pair.peer)))
    results = run_in_turns(keys, told.laps, dict(item.split("=", 1) for item in told.python))
    versions = sorted({report["version"] for report in results.values() if "version" in report})
    print(f"{dt.date.today()}, Python {platform.python_version()}, {os.cpu_count()} cores, ", end="")
    print(f"load {os.getloadavg()[0]:.1f}, {', '.join(versions)}; medians of {told.laps} laps\n")
    print_ratios(chosen, results)
    print_memory(results)
    if small:
        print_single(told.cache, told.laps)


if __name__ == "__main__":
    main()
