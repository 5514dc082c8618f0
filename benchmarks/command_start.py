"""What `python -m evaluation score` of one small file takes, as a ratio to the import of numpy in a process of its own.

    .venv/bin/python -m benchmarks.command_start QRELS RUN --times 15

The two processes alternate; processor time counts, since other work changes it less. Python's own compiled files must be
there: do not set PYTHONDONTWRITEBYTECODE.
"""

import argparse
import os
import subprocess
import sys
import time
from pathlib import Path
from statistics import median

REPOSITORY = Path(__file__).resolve().parents[1]
TARGET = 2.5


def taken(words: list[str]) -> tuple[float, float]:
    """Seconds of the processor and of the clock."""
    start = time.perf_counter()
    process = subprocess.Popen([sys.executable, *words], cwd=REPOSITORY, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(words)} failed")
    return usage.ru_utime + usage.ru_stime, time.perf_counter() - start


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("qrels", type=Path)
    parser.add_argument("run", type=Path)
    parser.add_argument("--times", type=int, default=15)
    options = parser.parse_args()
    ours = ["-m", "evaluation", "score", str(options.qrels.resolve()), str(options.run.resolve())]
    peer = ["-c", "import numpy"]
    taken(ours)
    pairs = [(taken(peer), taken(ours)) for _ in range(options.times)]
    for place, what in enumerate(("processor", "clock")):
        ms = [1000 * median(side[number][place] for side in pairs) for number in (0, 1)]
        ratio = median(our[place] / numpy[place] for numpy, our in pairs)
        print(f"{what:9}  numpy {ms[0]:6.0f} ms   score {ms[1]:6.0f} ms   ratio {ratio:.2f}   target {TARGET}")


if __name__ == "__main__":
    main()
