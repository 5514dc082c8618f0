"""`python -m benchmarks`: Runpool's scoring and checking against its peers, as ratios; paired, alternated, medians."""

import argparse
import json
import os
import platform
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

from benchmarks.checks import BAD_RUNS, BadRun
from benchmarks.collections import BIG_RUN, CAMPAIGN, MANY_TOPICS, SUBTOPICS, Campaign

REPOSITORY = Path(__file__).resolve().parents[1]


@dataclass(frozen=True)
class Comparison:
    """`limit`: how many times the peer's time Runpool may take, None for any.

    `warm`: both do it twice, the second time counts.
    """

    what: str
    campaign: Campaign | BadRun
    ours: str
    peer: str
    limit: float | None
    warm: bool = False


def against_good(bad: BadRun) -> tuple[str, str]:
    with_docnos = "_with_docnos" if bad.name == "unknown_documents" else ""
    return f"runpool_check{with_docnos}", f"runpool_check_of_the_good_run{with_docnos}"


COMPARISONS = (
    Comparison("campaign, from text", CAMPAIGN, "runpool_from_text", "pytrec_eval_from_text", 0.55),
    Comparison("campaign, from stored tables", CAMPAIGN, "runpool_from_tables", "pytrec_eval_from_text", 0.20),
    Comparison(
        "the same in a running worker", CAMPAIGN, "runpool_from_tables", "pytrec_eval_from_text", 0.20, warm=True
    ),
    Comparison(
        "stored tables, verified / not",
        CAMPAIGN,
        "runpool_from_verified_tables",
        "runpool_from_tables",
        1.15,
        warm=True,
    ),
    Comparison("campaign, reading alone (the floor)", CAMPAIGN, "polars_read_only", "pytrec_eval_from_text", None),
    Comparison("one run of 7 million lines", BIG_RUN, "runpool_from_text", "pytrec_eval_from_text", 0.50),
    Comparison("60,000 topics of 10 documents", MANY_TOPICS, "runpool_from_text", "pytrec_eval_from_text", None),
    Comparison("subtopic measures, 100 runs", SUBTOPICS, "runpool_subtopics", "pyndeval_subtopics", 0.25),
    Comparison("checks: 100 runs, in a worker", CAMPAIGN, "runpool_check", "polars_six_columns", 4.0, warm=True),
    Comparison("checks: 7 million lines", BIG_RUN, "runpool_check", "polars_six_columns", 4.0),
    Comparison(
        "checks: 100 runs, docnos of 10 million", CAMPAIGN, "runpool_check_with_docnos", "runpool_check", None, True
    ),
    Comparison("checks: 7 million, docnos of 10 million", BIG_RUN, "runpool_check_with_docnos", "runpool_check", None),
    Comparison("checks: 100 runs, by column / by line", CAMPAIGN, "runpool_check", "runpool_check_by_line", None, True),
    Comparison("checks: 7 million, by column / by line", BIG_RUN, "runpool_check", "runpool_check_by_line", None),
    Comparison(
        "checks: 100 runs, verified / not",
        CAMPAIGN,
        "runpool_check_of_verified_files",
        "runpool_check",
        1.15,
        warm=True,
    ),
    Comparison(
        "checks: 7 million lines, verified / not", BIG_RUN, "runpool_check_of_verified_files", "runpool_check", 1.15
    ),
    *(
        Comparison(f"checks: 7 million, {bad.name.replace('_', ' ')}", bad, *against_good(bad), 3.0)
        for bad in BAD_RUNS.values()
    ),
)


@dataclass(frozen=True)
class Timing:
    """`whole`: the seconds that are compared; `inside`: without the interpreter's start; `memory`: MiB at the peak."""

    whole: float
    inside: float
    memory: float


def made(campaign: Campaign | BadRun, folder: Path) -> Path:
    """Write the campaign's files in a process of its own: the memory of this process would count as that of its children."""
    place = folder / campaign.name
    commands = [[campaign.module, campaign.name, folder]]
    if campaign is CAMPAIGN:
        commands.append(["benchmarks.contestants", "write_tables", place])
    for command in commands:
        subprocess.run(
            [sys.executable, "-m", *map(str, command)], cwd=REPOSITORY, check=True, stdout=subprocess.DEVNULL
        )
    return place


def timed(contestant: str, folder: Path, warm: bool) -> Timing:
    command = [sys.executable, "-m", "benchmarks.contestants", contestant, str(folder), *(["warm"] if warm else [])]
    start = time.perf_counter()
    process = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    output = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    whole = time.perf_counter() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{contestant} failed on {folder}")
    inside = json.loads(output)["seconds"]
    return Timing(inside if warm else whole, inside, usage.ru_maxrss / 1024)


def compare(comparison: Comparison, folder: Path, pairs: int) -> tuple[list[str], float]:
    """One row of the table, and the microseconds that Runpool takes for a line."""
    place = made(comparison.campaign, folder)
    if "with_docnos" in comparison.ours:
        subprocess.run([sys.executable, "-m", "benchmarks.checks", "docnos", folder], cwd=REPOSITORY, check=True)
    ours, peers = [], []
    for pair in range(pairs):
        order = (comparison.ours, comparison.peer) if pair % 2 else (comparison.peer, comparison.ours)
        timings = {contestant: timed(contestant, place, comparison.warm) for contestant in order}
        ours.append(timings[comparison.ours])
        peers.append(timings[comparison.peer])
    ratio = statistics.median(our.whole / peer.whole for our, peer in zip(ours, peers, strict=True))
    seconds = statistics.median(our.whole for our in ours)
    by_line = statistics.median(our.inside for our in ours) / comparison.campaign.lines * 1e6
    memory, peer_memory = max(our.memory for our in ours), max(peer.memory for peer in peers)
    limit = "-" if comparison.limit is None else f"{comparison.limit:.2f}"
    row = [comparison.what, f"{seconds:.2f}", f"{statistics.median(peer.whole for peer in peers):.2f}", f"{ratio:.2f}"]
    return [*row, limit, f"{by_line:.2f}", f"{memory:.0f}", f"{peer_memory:.0f}"], by_line


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument(
        "--folder", type=Path, default=REPOSITORY / "data/benchmarks", help="where the made-up campaigns are kept"
    )
    parser.add_argument("--pairs", type=int, default=5, help="pairs of runs of each comparison")
    parser.add_argument("--only", default="", help="comparisons whose name holds this text")
    arguments = parser.parse_args()
    print(f"Python {platform.python_version()}, {os.cpu_count()} cores; medians of {arguments.pairs} pairs.\n")
    print("| what | Runpool s | peer s | ratio | limit | Runpool µs/line | Runpool MiB | peer MiB |")
    print("| --- | ---: | ---: | ---: | ---: | ---: | ---: | ---: |", flush=True)
    for comparison in COMPARISONS:
        if arguments.only in comparison.what:
            row, _ = compare(comparison, arguments.folder, arguments.pairs)
            print("| " + " | ".join(row) + " |", flush=True)


if __name__ == "__main__":
    main()
