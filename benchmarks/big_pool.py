"""`python -m benchmarks.big_pool`: the memory in which a pool of very many topics is drawn, as the freezing job draws it.

Runs are made one at a time, each by a process of its own, read, cut, and deleted, so that the disk holds one of them only.
What is measured is the peak of this process: reading and cutting the runs, drawing in parts, the pool's file. With --at-once
the pool is drawn as one part, for comparison.
"""

import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import polars as pl

if TYPE_CHECKING:
    from pooling.core.strategies.declaration import PooledRun

CANDIDATES, LINES = 2000, 1000
"""Documents of a topic that runs choose from; lines of a run for a topic."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--topics", type=int, default=7000)
    parser.add_argument("--depth", type=int, default=100)
    parser.add_argument("--at-once", action="store_true")
    parser.add_argument("--make", metavar="RUN FILE", nargs=2, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.make:
        number, path = options.make
        write_table(int(number), options.topics, Path(path))
        return
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), options)


def write_table(number: int, topics: int, path: Path) -> None:
    """A run as the platform keeps it after its check. The lower a document's number, the higher most runs rank it."""
    from campaign.formats.runs.table import run_table_to_parquet

    rng = np.random.default_rng([topics, number])
    parts = []
    for first in range(0, topics, 500):
        some = np.arange(first, min(first + 500, topics))
        noise = rng.gumbel(0, 200 + 5 * number, size=(len(some), CANDIDATES)).astype(np.float32)
        documents = np.argsort(np.arange(CANDIDATES, dtype=np.float32) + noise, axis=1)[:, :LINES]
        scores = -np.sort(-rng.uniform(0, 30, size=documents.shape).round(4), axis=1)
        parts.append(_table(some, documents, scores))
    path.write_bytes(run_table_to_parquet(pl.concat(parts)))


def _table(topics: np.ndarray, documents: np.ndarray, scores: np.ndarray) -> pl.DataFrame:
    number = (topics[:, None] * 7919 + documents * 104_729) % 100_000_000
    halves = [pl.col("number") // 10_000, pl.col("number") % 10_000]
    docno = pl.concat_str(pl.lit("NEWS"), *(half.cast(pl.String).str.zfill(4) for half in halves), separator="-")
    numbers = {"topic": np.repeat(topics + 1, LINES), "number": number.ravel(), "score": scores.ravel()}
    ranks = np.tile(np.arange(1, LINES + 1), len(topics))
    return pl.DataFrame({**numbers, "rank": ranks}).select(
        pl.col("topic").cast(pl.String), docno.alias("docno"), "rank", "score"
    )


def measure(folder: Path, options: argparse.Namespace) -> None:
    from pooling.core.chunked.drawing import HeadsInParts, draw_in_parts, parts_of
    from pooling.core.chunked.spool import Spool
    from pooling.core.preview.pool_figures import depth_looked_at
    from pooling.core.strategies.spec import PoolSpec

    spec = PoolSpec.with_defaults("depth-k", {"depth": options.depth})
    topics, depth = [str(number + 1) for number in range(options.topics)], depth_looked_at(spec) or LINES
    parts = [topics] if options.at_once else parts_of(topics, options.runs * depth, spec)
    with tempfile.TemporaryFile(dir=folder) as file:
        spool, started = Spool(file), time.perf_counter()
        heads, reading = HeadsInParts(parts, spool), 0.0
        print(
            f"{options.runs} runs x {options.topics} topics x {LINES}, depth {options.depth}, {len(parts)} parts",
            flush=True,
        )
        print(f"start: {peak_mib():.0f} MiB", flush=True)
        for number in range(options.runs):
            path = made(folder, number, options.topics)
            started = time.perf_counter()
            heads.add(read_and_cut(path, number, depth))
            reading += time.perf_counter() - started
            path.unlink()
        spooled = file.seek(0, 2) / 2**20
        print(f"read: {reading:.1f} s, peak {peak_mib():.0f} MiB; heads on the disk {spooled:.0f} MiB", flush=True)
        started = time.perf_counter()
        drawn = draw_in_parts(heads, spec, spool)
        seconds = time.perf_counter() - started
        print(
            f"drawn: {seconds:.1f} s, peak {peak_mib():.0f} MiB; {drawn.size:,} pairs, SHA-256 {drawn.sha256[:12]}",
            flush=True,
        )


def made(folder: Path, number: int, topics: int) -> Path:
    path = folder / f"run{number}.parquet"
    command = [sys.executable, "-m", "benchmarks.big_pool", "--topics", str(topics), "--make", str(number), str(path)]
    subprocess.run(command, check=True, cwd=Path(__file__).resolve().parents[1])
    return path


def read_and_cut(path: Path, number: int, depth: int) -> "PooledRun":
    from campaign.formats.runs.order_setting import Ordering
    from campaign.formats.runs.table import SCORED_COLUMNS, run_table_from_parquet
    from pooling.core.chunked.run_heads import head_of
    from pooling.core.strategies.declaration import PooledRun

    table = run_table_from_parquet(path.read_bytes(), SCORED_COLUMNS)
    return PooledRun(f"run{number:03d}", f"team{number // 4}", 1, head_of(table, Ordering(), depth))


def peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


if __name__ == "__main__":
    main()
