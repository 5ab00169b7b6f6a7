"""Start-up: what importing the package and describing a first file cost beside `import pandas`.

Each lap is a fresh process; laps are interleaved so that all contenders see the same machine.
Prints one Markdown table: medians, and ratios to `import pandas`.
"""

import argparse
import datetime as dt
import platform
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PRICES = Path(__file__).parents[1] / "notebooks/data/prices.csv"
CONTENDERS = {
    "python (nothing)": "pass",
    "import pandas": "import pandas",
    "import capital_kit": "import capital_kit",
    'ck.describe_dataset("prices.csv")': f"import capital_kit as ck; ck.describe_dataset({str(PRICES)!r})",
    'pd.read_csv("prices.csv").describe()': (
        f"import pandas as pd; pd.read_csv({str(PRICES)!r}).describe(include='all')"
    ),
}
TARGETS = {"import capital_kit": 0.35, 'ck.describe_dataset("prices.csv")': 2.0}


def seconds(code: str, folder: str) -> float:
    """Return how long a fresh interpreter takes to run ``code``."""
    start = time.perf_counter()
    subprocess.run([sys.executable, "-c", code], cwd=folder, check=True)
    return time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--laps", type=int, default=15)
    laps = parser.parse_args().laps
    taken: dict[str, list[float]] = {name: [] for name in CONTENDERS}
    with tempfile.TemporaryDirectory() as folder:
        for lap in range(laps + 1):
            for name, code in CONTENDERS.items():
                if lap:  # the first lap fills the file cache
                    taken[name].append(seconds(code, folder))
                else:
                    seconds(code, folder)
    floor = statistics.median(taken["import pandas"])
    print(f"{dt.date.today()}, Python {platform.python_version()}, {laps} laps, medians of fresh processes\n")
    print("| process | ms | ÷ import pandas | target |\n|---|---:|---:|---:|")
    for name, laps_taken in taken.items():
        median = statistics.median(laps_taken)
        target = f"≤ {TARGETS[name]}" if name in TARGETS else ""
        print(f"| `{name}` | {median * 1000:.0f} | {median / floor:.2f} | {target} |")


if __name__ == "__main__":
    main()
