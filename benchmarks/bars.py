"""Seeded daily bars of 11 columns as Parquet and CSV, the same bytes on every machine; and a messy twin."""

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import csv, parquet

DAYS = {100_000: 1_000, 1_000_000: 2_000, 10_000_000: 4_000}
INDUSTRIES = [
    "银行", "证券", "保险", "白酒", "家电", "医药", "半导体", "光伏", "锂电池", "汽车", "煤炭", "钢铁",
    "化工", "建材", "电力", "物流", "软件", "传媒",
]  # fmt: skip
NOTES = ["除权除息", "复牌", "龙虎榜", "大宗交易", "业绩预告", "限售解禁", "股东减持", "机构调研"]
SYMBOLS_A_CHUNK = 125
SEED = 20240105


def make_bars(symbols: range, days: int) -> pa.Table:
    """Return the bars of some symbols: 0.3 % of the days halted, a note on 6 % of them."""
    random = np.random.default_rng([SEED, symbols.start])
    shape = (len(symbols), days)
    calendar = np.arange(np.datetime64("2008-01-02"), np.datetime64("2008-01-02") + 2 * days)
    calendar = calendar[np.is_busday(calendar)][:days]
    codes = [f"{600_000 + at:06d}.SH" if at % 2 else f"{1 + at:06d}.SZ" for at in symbols]
    step = random.normal(0.0002, 0.022, shape).clip(-0.1, 0.1)
    close = (random.uniform(3, 180, (shape[0], 1)) * np.exp(step.cumsum(axis=1))).clip(0.5, 3000).round(2)
    opening = (close * (1 + random.normal(0, 0.008, shape))).round(2)
    high = (np.maximum(opening, close) * (1 + random.exponential(0.006, shape))).round(2)
    low = (np.minimum(opening, close) * (1 - random.exponential(0.006, shape))).round(2)
    halted = random.random(shape) < 0.003
    volume = np.where(halted, 0, np.exp(random.normal(11.5, 1.1, shape)).astype(np.int64))
    change = np.full(shape, np.nan)
    change[:, 1:] = ((close[:, 1:] / close[:, :-1] - 1) * 100).round(4)
    notes = np.array(NOTES)[random.integers(0, len(NOTES), shape)]
    notes = np.char.add(np.char.add(notes, "#"), random.integers(1, 5_000, shape).astype(str))
    industry = np.array(INDUSTRIES)[random.integers(0, len(INDUSTRIES), shape[0])]

    def column(values: np.ndarray, missing: np.ndarray | None = None) -> pa.Array:
        return pa.array(values.ravel(), mask=None if missing is None else missing.ravel())

    return pa.table({
        "symbol": np.repeat(codes, days),
        "trade_date": pa.array(np.tile(calendar, shape[0])),
        "open": column(opening, halted),
        "high": column(high, halted),
        "low": column(low, halted),
        "close": column(close),
        "volume": column(volume),
        "amount": column((volume * close / 10).round(3)),
        "pct_chg": column(change, np.isnan(change)),
        "industry": np.repeat(industry, days),
        "note": column(notes, random.random(shape) >= 0.06),
    })  # fmt: skip


def write_bars(rows: int, folder: Path) -> dict[str, Path]:
    """Return the Parquet and CSV file of so many bars, written unless they are there."""
    folder.mkdir(parents=True, exist_ok=True)
    files = {kind: folder / f"bars_{rows}.{kind}" for kind in ("parquet", "csv")}
    if all(file.exists() for file in files.values()):
        return files
    days = DAYS.get(rows, 500)
    parts = {kind: file.with_suffix(".part") for kind, file in files.items()}
    schema = make_bars(range(1), 1).schema
    for kind, writer in (("parquet", parquet.ParquetWriter), ("csv", csv.CSVWriter)):
        with writer(parts[kind], schema) as out:
            for start in range(0, rows // days, SYMBOLS_A_CHUNK):
                out.write_table(make_bars(range(start, min(start + SYMBOLS_A_CHUNK, rows // days)), days))
        parts[kind].rename(files[kind])
    return files


def write_messy(rows: int, folder: Path) -> dict[str, Path]:
    """Return a CSV as people export it, and its clean twin: 2024年1月5日, "1,234.50", 12.30%, --."""
    files = {kind: folder / f"{kind}_{rows}.csv" for kind in ("messy", "clean")}
    if all(file.exists() for file in files.values()):
        return files
    table = parquet.read_table(write_bars(rows, folder)["parquet"])
    days, places = np.unique(table["trade_date"].to_numpy(), return_inverse=True)
    written = pa.array([f"{day.year}年{day.month}月{day.day}日" for day in days.tolist()])
    amounts = [f"{amount:,.2f}" for amount in table["amount"].to_pylist()]
    change = pc.binary_join_element_wise(pc.cast(table["pct_chg"], pa.string()), "%", "")
    messy = pa.table({
        "代码": table["symbol"],
        "交易日期": written.take(pa.array(places)),
        "收盘价": pc.coalesce(pc.cast(table["open"], pa.string()), "--"),
        "成交量(手)": [f"{volume:,}" for volume in table["volume"].to_pylist()],
        "成交额(元)": amounts,
        "涨跌幅": pc.coalesce(change, "--"),
        "行业": table["industry"],
    })  # fmt: skip
    clean = pa.table({
        "code": table["symbol"], "date": table["trade_date"], "close": table["open"],
        "volume": table["volume"], "amount": pc.round(table["amount"], 2), "change": table["pct_chg"],
        "industry": table["industry"],
    })  # fmt: skip
    for kind, content in (("messy", messy), ("clean", clean)):
        part = files[kind].with_suffix(".part")
        csv.write_csv(content, part, csv.WriteOptions(quoting_style="needed"))
        part.rename(files[kind])
    return files


def write_wide(rows: int, columns: int, folder: Path) -> Path:
    """Return a Parquet file of many random columns."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"wide_{columns}_{rows}.parquet"
    if not file.exists():
        numbers = np.random.default_rng(SEED).normal(100, 15, (columns, rows)).round(4)
        part = file.with_suffix(".part")
        parquet.write_table(pa.table({f"x{at}": row for at, row in enumerate(numbers)}), part)
        part.rename(file)
    return file
