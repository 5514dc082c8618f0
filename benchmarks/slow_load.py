"""`python -m benchmarks.slow_load --minutes 60`: whether a site left alone under a slow load stays up, with flat memory.

It starts `manage.py demo` on loopback in a folder of its own, opens a task in it, submits a run every few seconds and
reads pages in between. Each minute it prints one line of JSON: health, runs, restarts, files of the queue, memory.
"""

import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from http.client import HTTPException
from pathlib import Path
from typing import Any

from tests.flows.http_clients import Api, Visitor

REPOSITORY = Path(__file__).resolve().parents[1]
BLUEPRINT = """
slug = "slow"
title = "Slow load"
open = true

[[tasks]]
slug = "task"
title = "Task"
docno_policy = "any"
max_runs_per_team = 5000
"""
TOPICS = "".join(f"{number}\ttopic {number}\n" for number in range(1, 51))
PAGES = ("/", "/c/velo/everyday-cycling/", "/c/velo/everyday-cycling/leaderboard/", "/health/", "/c/slow/task/")
SECONDS_BETWEEN_RUNS, SECONDS_BETWEEN_PAGES = 10.0, 1.0


class Load:
    def __init__(self, url: str, folder: Path) -> None:
        self.url, self.folder = url, folder
        self.counts: Counter[str] = Counter()
        self.slowest: dict[str, float] = {}
        self.visitor = Visitor(url)
        self.visitor.sign_up("slow")
        self.api = Api(url, self.visitor.make_token())
        self.api.ask("POST", "/teams", {"name": "Slow"})
        self.api.ask("POST", "/campaigns/slow/registrations", {"team": "slow", "agreements": []})

    def submit(self, number: int) -> None:
        tag = f"run{number}"
        lines = (f"{t} Q0 d{n} {n} {1000 - n} {tag}\n" for t in range(1, 51) for n in range(1, 101))
        try:
            status, _ = self.api.submit(
                "/campaigns/slow/tasks/task/runs", "".join(lines).encode(), team="slow", tag=tag
            )
            run = self.api.wait(f"/campaigns/slow/tasks/task/runs/{tag}", 30) if status == 201 else {"state": status}
            self.counts[f"run {run['state']}"] += 1
        except (OSError, HTTPException, KeyError) as problem:
            self.counts[f"run: {type(problem).__name__}"] += 1

    def read(self, page: str) -> None:
        started = time.monotonic()
        try:
            self.visitor.get(page)
            self.counts["pages"] += 1
        except (OSError, HTTPException) as problem:
            self.counts[f"page: {problem}"] += 1
        self.slowest[page] = max(self.slowest.get(page, 0.0), round(time.monotonic() - started, 3))

    def health(self) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = json.loads(self.visitor.get("/health/"))
        except (OSError, HTTPException) as problem:
            return {"status": str(problem)}
        return answer


def memory(root: int) -> dict[str, float]:
    """MiB of every process under the demo's, by what it is; prefork workers have one entry for each process."""
    text = subprocess.run(["ps", "-eo", "pid=,ppid=,rss=,args="], capture_output=True, text=True, check=True).stdout
    rows = [line.split(None, 3) for line in text.splitlines()]
    family, grown = {root}, True
    while grown:
        more = {int(pid) for pid, parent, *_ in rows if int(parent) in family} - family
        family, grown = family | more, bool(more)
    kinds = ("gunicorn", " worker ", " beat ", "guard", "manage.py")
    found: dict[str, float] = {}
    for pid, _, rss, arguments in rows:
        if int(pid) in family:
            kind = next((kind.strip() for kind in kinds if kind in f"{arguments} "), "other")
            found[f"{kind} {pid}"] = round(int(rss) / 1024, 1)
    return found


def start_demo(port: int, folder: Path) -> "subprocess.Popen[str]":
    environment = {**os.environ, "RUNPOOL_DATA_DIR": str(folder.resolve())}
    command = [sys.executable, "manage.py", "demo", "--port", str(port)]
    demo = subprocess.Popen(command, cwd=REPOSITORY, env=environment, stdout=subprocess.PIPE, text=True)
    assert demo.stdout is not None
    for line in demo.stdout:
        if "Stop" in line:
            break
    for name, text in (("slow.toml", BLUEPRINT), ("slow.tsv", TOPICS)):
        (folder / name).write_text(text)
    for arguments in (
        ["create_campaign", str(folder / "slow.toml")],
        ["import_topics", "slow/task", str(folder / "slow.tsv")],
        ["open_task", "slow/task"],
    ):
        manage = [sys.executable, "manage.py", *arguments, "--as", "organiser"]
        subprocess.run(manage, cwd=REPOSITORY, env=environment, check=True, stdout=subprocess.DEVNULL)
    return demo


def run(port: int, folder: Path, minutes: float) -> None:
    demo = start_demo(port, folder)
    try:
        load = Load(f"http://127.0.0.1:{port}", folder)
        started = time.monotonic()
        next_run, next_line, number = started, started, 0
        while (now := time.monotonic()) < started + minutes * 60 and demo.poll() is None:
            if now >= next_run:
                number, next_run = number + 1, now + SECONDS_BETWEEN_RUNS
                load.submit(number)
            load.read(PAGES[int(now) % len(PAGES)])
            if now >= next_line:
                next_line = now + 60
                report(load, demo.pid, (now - started) / 60)
            time.sleep(SECONDS_BETWEEN_PAGES)
        report(load, demo.pid, (time.monotonic() - started) / 60)
        print(json.dumps({"still up": demo.poll() is None}), flush=True)
    finally:
        demo.send_signal(signal.SIGINT)
        demo.wait(30)


def report(load: Load, demo: int, minute: float) -> None:
    line = {
        "minute": round(minute, 1),
        "health": load.health(),
        "counts": load.counts,
        "slowest page seconds": load.slowest,
        "files of the queue": sum(1 for _ in (load.folder / "queue").rglob("*")),
        "MiB": memory(demo),
    }
    print(json.dumps(line), flush=True)
    load.slowest = {}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--port", type=int, default=8104)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(options.port, Path(folder), options.minutes)


if __name__ == "__main__":
    main()
