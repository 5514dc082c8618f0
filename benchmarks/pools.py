"""`python -m benchmarks.pools`: how fast pools are drawn and shown: 100 runs x 50 topics x 1000 documents, depth 100.

trectools is no dependency: install it anywhere and name that Python by --trectools.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.__main__ import REPOSITORY, made
from benchmarks.collections import CAMPAIGN

if TYPE_CHECKING:
    import polars as pl

    from pooling.core.strategies.declaration import PooledRun
    from pooling.core.strategies.spec import PoolSpec

DEPTH, STEPS = 100, 300
TOPICS = [str(301 + number) for number in range(CAMPAIGN.topics)]
SECONDS_PER_DOCUMENT = 30
Row = tuple[str, str, str]
"""What, how much, and at most how much."""


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.pools", description=__doc__)
    parser.add_argument("--folder", type=Path, default=REPOSITORY / "data/benchmarks")
    parser.add_argument("--trectools", metavar="PYTHON", help="an interpreter that has trectools")
    parser.add_argument("--times", type=int, default=5, help="repetitions, of which the median counts")
    parser.add_argument("--only", choices=list(PARTS), help="one part")
    parser.add_argument("--pool", type=Path, metavar="FOLDER", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.pool:
        print(json.dumps(pool_of_tables(options.pool)))
        return
    place = options.folder if options.only == "previews" else made(CAMPAIGN, options.folder)
    print("| what | figure | limit |\n| --- | ---: | ---: |", flush=True)
    for name, part in PARTS.items():
        if options.only in (None, name):
            for row in part(place, options):
                print("| " + " | ".join(row) + " |", flush=True)


def against_trectools(place: Path, options: argparse.Namespace) -> Iterator[Row]:
    """The same pool of the same runs; ours with the reading of its tables, theirs without the reading of its text."""
    ours, peers = [], []
    for _ in range(options.times):
        ours.append(_answer([sys.executable, "-m", "benchmarks.pools", "--pool", str(place)]))
        if options.trectools:
            peers.append(_answer([options.trectools, "benchmarks/trectools_pool.py", str(place)]))
            assert peers[-1]["pairs"] == ours[-1]["pairs"], "not the same pool"
    yield "pool of depth 100 from stored tables, in a worker", _seconds(ours, "seconds"), "-"
    if peers:
        yield "trectools, its make_pool", _seconds(peers, "seconds"), "-"
        yield "trectools, its reading of the text", _seconds(peers, "reading"), "-"
        for name, what in (("seconds", "ratio to its make_pool"), ("processor", "the same in processor time")):
            ratio = statistics.median(our[name] / peer[name] for our, peer in zip(ours, peers, strict=True))
            yield what, f"{ratio:.3f}", "0.05"


def pool_of_tables(place: Path) -> dict[str, Any]:
    """As the platform reads what it has stored, cut and drawn; the second time counts, as in a running worker."""
    from pooling.core.strategies.drawing import draw_pool, pool_file

    for _ in range(2):
        started, spent = time.perf_counter(), time.process_time()
        entries = draw_pool(heads_of(place), TOPICS, depth_k()).entries
        assert pool_file(entries)
        seconds, processor = time.perf_counter() - started, time.process_time() - spent
    return {"seconds": seconds, "processor": processor, "pairs": entries.height}


def strategies(place: Path, options: argparse.Namespace) -> Iterator[Row]:
    """The pool of each strategy, with its own defaults, from the same heads of runs."""
    from pooling.core.strategies.drawing import draw_pool
    from pooling.core.strategies.registry import STRATEGIES
    from pooling.core.strategies.spec import PoolSpec

    heads = heads_of(place, reads_scores=True)
    room = {"size": 1000}  # for the base of adaptive pools
    specs = {
        name: PoolSpec.with_defaults(name, room if getattr(strategy, "policy", None) else {})
        for name, strategy in STRATEGIES.items()
    } | {"depth-k": depth_k()}
    seconds: dict[str, list[float]] = {name: [] for name in specs}
    for _ in range(
        options.times + 1
    ):  # in turn, so that what else the machine does meets all alike; the first is warming
        for name, spec in specs.items():
            seconds[name].append(timed(draw_pool, heads, TOPICS, spec))
    usual = statistics.median(seconds["depth-k"][1:])
    for name in specs:
        median = statistics.median(seconds[name][1:])
        yield f"{name}: {1000 * median:.0f} ms, times depth-k of depth {DEPTH}", f"{median / usual:.2f}", "3"


def preview(place: Path, options: argparse.Namespace) -> Iterator[Row]:
    """The figures of a pool from heads as the cache keeps them."""
    from pooling.core.chunked.run_heads import head_file, read_head
    from pooling.core.preview.pool_figures import pool_figures
    from pooling.core.strategies.declaration import PooledRun

    heads = heads_of(place, reads_scores=True)
    kept = [(run.tag, run.team, run.priority, head_file(run.ranking)) for run in heads]

    def figures() -> None:
        runs = [PooledRun(tag, team, priority, read_head(content)) for tag, team, priority, content in kept]
        pool_figures(runs, TOPICS, depth_k(), seconds=SECONDS_PER_DOCUMENT)

    figures()
    spent = time.process_time()
    taken = [timed(figures) for _ in range(options.times)]
    processor = (time.process_time() - spent) / options.times
    rows = sum(run.ranking.height for run in heads)
    size = sum(len(content) for *_, content in kept)
    yield "kept heads, bytes for a document of a run", f"{size / rows:.1f}", "-"
    yield "figures of a preview from kept heads, ms", f"{1000 * statistics.median(taken):.0f}", "300"
    yield "its processor time, ms", f"{1000 * processor:.0f}", "-"


def previews(place: Path, options: argparse.Namespace) -> Iterator[Row]:
    """The processor time of the figures of 120 made-up runs, as the cache keeps their heads together, by strategy: the least."""
    from pooling.core.chunked.run_heads import heads_file, read_heads
    from pooling.core.preview.pool_figures import pool_figures
    from pooling.core.strategies.declaration import PooledRun
    from pooling.core.strategies.registry import STRATEGIES
    from pooling.core.strategies.spec import PoolSpec

    content = heads_file(list(made_up_heads(120)))
    for name, method in STRATEGIES.items():
        room = {"size": 1500} if method.policy else {}  # for the base of adaptive pools
        spec = depth_k() if name == "depth-k" else PoolSpec.with_defaults(name, room)
        spent = []
        for _ in range(options.times + 1):
            began = time.process_time()
            heads = enumerate(read_heads(content, 120))
            runs = [PooledRun(f"run{number:03}", f"team{number // 4}", 1, head) for number, head in heads]
            pool_figures(runs, TOPICS, spec, seconds=SECONDS_PER_DOCUMENT)
            spent.append(time.process_time() - began)
        yield f"preview of 120 runs, {name}, ms of the processor", f"{1000 * min(spent):.0f}", "300"


def made_up_heads(count: int, candidates: int = 1200) -> Iterator[pl.DataFrame]:
    """Runs that agree as those of a campaign do: of each topic's candidates the first 100 by their place and some chance."""
    import polars as pl

    random = np.random.default_rng(1)
    docnos = [
        np.array([f"FT{number:08}" for number in random.choice(10**7, candidates, replace=False)]) for _ in TOPICS
    ]
    for _ in range(count):
        orders = [np.argsort(np.arange(candidates) + random.normal(0, 350, candidates))[:DEPTH] for _ in TOPICS]
        columns = {
            "topic": np.repeat(TOPICS, DEPTH),
            "docno": np.concatenate([held[order] for held, order in zip(docnos, orders, strict=True)]),
            "position": np.tile(np.arange(1, DEPTH + 1), len(TOPICS)),
            "share": np.tile(np.linspace(1, 0.3, DEPTH), len(TOPICS)),
        }
        yield pl.DataFrame(columns).cast({"position": pl.UInt32})


def adaptive(place: Path, options: argparse.Namespace) -> Iterator[Row]:
    """A choice of each policy, one topic; every other document is relevant, so that policies have something to follow."""
    from pooling.core.strategies.adaptive.choosing import all_topic_lists, judged_by
    from pooling.core.strategies.declaration import candidates
    from pooling.core.strategies.registry import STRATEGIES
    from pooling.core.strategies.spec import PoolSpec

    lists = next(all_topic_lists(candidates(heads_of(place), TOPICS, DEPTH)))
    for name in (name for name, strategy in STRATEGIES.items() if strategy.policy):
        spec = PoolSpec.with_defaults(name, {"depth": 1, "control": 0, "candidates": DEPTH, "size": STEPS})
        base = sorted({lists.docnos[index] for index in lists.rankings[:, 0].tolist()})
        taken = [timed(judged_by, lists, spec, base, is_relevant) for _ in range(options.times)]
        chosen = len(judged_by(lists, spec, base, is_relevant)) - len(base)
        what = f"{name}: a choice among {len(lists.docnos):,} candidates, ms"
        yield what, f"{1000 * statistics.median(taken) / chosen:.2f}", "1"


def is_relevant(docno: str) -> bool:
    return hashlib.sha256(docno.encode()).digest()[0] % 2 == 0


def depth_k() -> PoolSpec:
    from pooling.core.strategies.spec import PoolSpec

    return PoolSpec.with_defaults("depth-k", {"depth": DEPTH})


def heads_of(place: Path, reads_scores: bool = False) -> list[PooledRun]:
    """Read the stored tables, with their checksums, each cut before the next one is read."""
    from campaign.formats.runs.order_setting import Ordering
    from campaign.formats.runs.table import SCORED_COLUMNS, run_table_from_parquet
    from pooling.core.chunked.run_heads import head_of
    from pooling.core.strategies.declaration import PooledRun

    heads = []
    for number, path in enumerate(sorted(place.glob("run*.parquet"))):
        content = path.read_bytes()
        assert len(hashlib.sha256(content).hexdigest()) == 64
        head = head_of(run_table_from_parquet(content, SCORED_COLUMNS), Ordering(), DEPTH, reads_scores)
        heads.append(PooledRun(path.stem, f"team{number // 4}", 1, head))
    return heads


def timed(work: Callable[..., object], *arguments: object) -> float:
    started = time.perf_counter()
    work(*arguments)
    return time.perf_counter() - started


def _answer(command: list[str]) -> dict[str, Any]:
    done = subprocess.run(command, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout))


def _seconds(answers: list[dict[str, Any]], name: str) -> str:
    return f"{statistics.median(answer[name] for answer in answers):.2f} s"


PARTS: dict[str, Callable[[Path, argparse.Namespace], Iterator[Row]]] = {
    "trectools": against_trectools,
    "strategies": strategies,
    "preview": preview,
    "previews": previews,
    "adaptive": adaptive,
}

if __name__ == "__main__":
    main()
