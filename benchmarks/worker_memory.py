"""`python -m benchmarks.worker_memory`: whether the memory of a worker's child grows with the checks that it has done.

One process checks large runs one after the other, as a child of a worker does, on SQLite in a folder of its own; it prints
its resident memory after every so many checks. Sizes vary, so that freed blocks do not simply fit the next run.
"""

import argparse
import os
import tempfile
import time
from pathlib import Path

TOPICS, SIZES = 50, (1000, 3000, 2000, 4000)
"""Lines of a topic, in turn: with `--times 1` 50,000 to 200,000 lines, 2 to 9 MB."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--checks", type=int, default=400)
    parser.add_argument("--every", type=int, default=20)
    parser.add_argument("--times", type=int, default=1, help="makes every run so many times as long")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as data:
        os.environ.update(RUNPOOL_DATA_DIR=data, DJANGO_SETTINGS_MODULE="runpool.settings", RUNPOOL_LOG_LEVEL="WARNING")
        import django

        django.setup()
        check(Path(data), options.checks, options.every, options.times)


def check(folder: Path, checks: int, every: int, times: int) -> None:
    from benchmarks.check_task import _cast, _submitted, _timed_job
    from campaign.models import Task

    user, task, team = _cast()
    Task.objects.filter(pk=task.pk).update(max_runs_per_team=checks)
    started = time.monotonic()
    for number in range(1, checks + 1):
        run = _submitted(write_run(folder, number, times), user, task, team)
        _timed_job(run)
        (folder / f"run{number}.txt").unlink()
        run.file.storage.delete(str(run.file.name))
        if number % every == 0 or number == 1:
            print(f"{number:5} checks {resident_mib():7.1f} MiB {time.monotonic() - started:6.0f} s", flush=True)


def write_run(folder: Path, number: int, times: int) -> Path:
    path = folder / f"run{number}.txt"
    depth = SIZES[number % len(SIZES)] * times
    with path.open("w") as file:
        for topic in range(301, 301 + TOPICS):
            file.writelines(
                f"{topic} Q0 doc-{number}-{rank * 7919 % 1_000_003} {rank} {depth - rank} run{number}\n"
                for rank in range(depth)
            )
    return path


def resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 1024**2


if __name__ == "__main__":
    main()
