import pytest

NOTE = """# Sample review

Revenue was 12.40 million in 2025 [evidence:facts.md:line:3].

## Product

Median survival was **14.8 months** [evidence:facts.md:line:4].
"""
FACTS = "# Facts\n\nRevenue was 12.40 million in 2025.\nMedian survival was 14.8 months.\n"


@pytest.fixture
def sources(tmp_path):
    (tmp_path / "evidence").mkdir()
    (tmp_path / "evidence/facts.md").write_text(FACTS, encoding="utf-8")
    folder = tmp_path / "sources"
    folder.mkdir()
    return folder


@pytest.fixture
def note():
    return NOTE


@pytest.fixture
def prices():
    days = [f"2025-{month:02d}-{day:02d}" for month in range(1, 5) for day in (2, 3, 6, 7, 8, 9, 10)]
    rows = []
    for n, day in enumerate(days):
        base = 10 + n * 0.1
        rows.append({
            "date": day, "open": base, "high": base + 0.3, "low": base - 0.2, "close": base + 0.1,
            "volume": 100 + n,
        })  # fmt: skip
    return rows
