"""Citations: what checking a report costs as reports and sources grow, beside a plain scan.

All texts are made up. The scan asks `claim in text` once for every citation: what the cheapest and
weakest check of the same claims in the same sections would cost. Prints one Markdown table.
"""

import argparse
import datetime as dt
import json
import platform
import random
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from capital_kit.citations import SourceStore, parse_citations_in_text, resolve_citation, verify_report

HAN = (
    "营业收入同比增长毛利率净利润季度产品临床试验患者治疗疗效随访中位生存缓解剂量组发生率研发费用市场份额渠道"
)
WORDS = [
    "median", "survival", "months", "patients", "response", "rate", "dose", "group", "trial", "placebo",
    "safety", "events", "grade", "treatment", "follow", "analysis", "primary", "endpoint", "cohort",
]  # fmt: skip
SIZES = ((1_000, 6_000), (3_000, 6_000), (10_000, 6_000), (10_000, 2_000), (10_000, 18_000))
SOURCES = 500


def chinese(draw: random.Random) -> str:
    def run(size: int) -> str:
        return "".join(draw.choice(HAN) for _ in range(size))

    return f"{run(draw.randint(8, 16))}为{draw.uniform(1, 99):.2f}%，{run(9)}{draw.uniform(1, 900):.1f}亿元"


def english(draw: random.Random) -> str:
    words = " ".join(draw.choice(WORDS) for _ in range(7))
    return f"The {words} was {draw.uniform(1, 60):.1f} months in {draw.randint(20, 900)} patients"


def make(folder: Path, citations: int, size: int) -> Path:
    """Write 500 sources of about ``size`` characters and a report with ``citations`` claims."""
    draw = random.Random(7)
    root = folder / "sources"
    for part in (folder / "evidence", root / "pubmed", root / "trials", root / "guidelines"):
        part.mkdir(parents=True)
    claims: list[list[tuple[str, str]]] = []
    for number in range(SOURCES):
        kind = ("evidence", "pmid", "guideline", "nct")[number % 4]
        say = chinese if kind in {"evidence", "guideline"} else english
        said = [say(draw) for _ in range(size // (40 if say is chinese else 70))]
        claims.append(list(zip(said, _write(folder, kind, number, said), strict=True)))
    lines = []
    for _ in range(citations):
        claim, anchor = draw.choice(draw.choice(claims))
        if draw.random() < 0.1:
            claim = claim.replace("1", "7")
        lines.append(claim + anchor + ("." if claim.isascii() else "。"))
    report = folder / "report.md"
    report.write_text("\n\n".join(lines), encoding="utf-8")
    return report


def _write(folder: Path, kind: str, number: int, said: list[str]) -> list[str]:
    """Write one source; return the anchor of each of its sentences."""
    root = folder / "sources"
    if kind == "evidence":
        (folder / f"evidence/NOTE-{number}.txt").write_text("\n".join(said), encoding="utf-8")
        return [f"[evidence:NOTE-{number}.txt:line:{line}]" for line in range(1, len(said) + 1)]
    if kind == "guideline":
        toc = {f"§{n}": {"start_line": n * 10 + 1} for n in range((len(said) + 9) // 10)}
        (root / f"guidelines/G-{number}.txt").write_text("\n".join(said), encoding="utf-8")
        (root / f"guidelines/G-{number}.toc.json").write_text(json.dumps(toc), encoding="utf-8")
        return [f"[guideline:G-{number}:§{line // 10}]" for line in range(len(said))]
    text = ". ".join(said) + "."
    if kind == "pmid":
        name, record = f"{number}", {"pmid": f"{number}", "title": "Made up", "abstract": text}
        (root / f"pubmed/{name}.json").write_text(json.dumps(record), encoding="utf-8")
        return [f"[pmid:{name}:abstract]"] * len(said)
    name = f"T-{number}"
    study = {"identificationModule": {"nctId": name}, "descriptionModule": {"briefSummary": text}}
    (root / f"trials/{name}.json").write_text(json.dumps({"protocolSection": study}), encoding="utf-8")
    return [f"[nct:{name}:description]"] * len(said)


def seconds(work: Callable[[], object], laps: int = 1) -> float:
    """Return the processor time of the fastest lap."""
    taken = []
    for _ in range(laps):
        start = time.process_time()
        work()
        taken.append(time.process_time() - start)
    return min(taken)


def scan(report: Path, sources: Path) -> float:
    """Return what one `in` a citation costs, with every section at hand."""
    found = parse_citations_in_text(report.read_text(encoding="utf-8"))
    sections = {item["anchor"]: resolve_citation(item["anchor"], sources) or "" for item in found}
    pairs = [(item["claim_text"], sections[item["anchor"]]) for item in found]
    return seconds(lambda: [claim in text for claim, text in pairs], laps=3)


def row(citations: int, size: int, laps: int) -> str:
    """Measure one size; return its line of the table."""
    with tempfile.TemporaryDirectory() as name:
        report = make(Path(name), citations, size)
        text, sources, store = report.read_text(encoding="utf-8"), report.parent / "sources", SourceStore()
        parse = seconds(lambda: parse_citations_in_text(text), laps)
        cold = seconds(lambda: verify_report(report, sources, store=store))
        warm = seconds(lambda: verify_report(report, sources, store=store), laps)
        plain = scan(report, sources)
    return (
        f"| {citations:,} | {SOURCES} × {size / 1000:g} k | {len(text) / 1e6:.2f} | {parse:.2f} | {cold:.1f} "
        f"| {warm:.2f} | {warm / citations * 1e6:.0f} | {plain * 1000:.0f} | {warm / plain:.0f} |"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--laps", type=int, default=2)
    laps = parser.parse_args().laps
    print(f"{dt.date.today()}, Python {platform.python_version()}, one process, processor seconds\n")
    print("| citations | sources (characters) | report MB | parse s | cold s | warm s | µs a citation "
          "| scan ms | warm ÷ scan |\n|---:|---:|---:|---:|---:|---:|---:|---:|---:|")  # fmt: skip
    for citations, size in (
        (1_000, 6_000),
        (3_000, 6_000),
        (10_000, 6_000),
        (10_000, 2_000),
        (10_000, 18_000),
    ):
        print(row(citations, size, laps), flush=True)
    try:
        import resource
    except ImportError:  # no such count on this system
        return
    print(f"\nLargest memory of the run: {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f} MB")


if __name__ == "__main__":
    main()
