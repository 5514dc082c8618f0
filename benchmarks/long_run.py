"""Months of a campaign in an hour: `python -m benchmarks.long_run FOLDER --minutes 60`
with RUNPOOL_DATABASE_URL and TEST_REDIS_URL.

Runs come, assessors judge, qrels are released, boards are scored and published when nothing waits, the site is cleaned and
backed up as at the end of each day, and processes are killed and started again, all 500 times as often as in life (`--speed`).
Samples memory, open files, files on the disk and rows of each table; prints what grew, writes FOLDER/long-run.json, and exits
with 1 if a run or a judgment is lost, a job failed, jobs still wait at the end, or the last backup cannot be read.
RUNPOOL_DATABASE_URL may be `sqlite:///FILE` (another file is made), and TEST_REDIS_URL `files://localhost`, as on a site of one
process of each kind.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.deadline_hour import OPEN_JOBS, STORED
from benchmarks.load_clients import Load, upload_of
from benchmarks.load_database import count_of, counted_rows, own_database, rows_of
from benchmarks.load_processes import Processes, end_when_told
from benchmarks.load_runs import RunsOfOneShape
from benchmarks.load_watch import Watch

SPEED = 500
TEAMS, ASSESSORS, READERS = 20, 10, 5
HOUR = 3600
DAY = 24 * HOUR
EVERY = {
    "upload": HOUR,
    "release": DAY,
    "publish": 3 * DAY,
    "clean": DAY,
    "backup": DAY,
    "kill": 6 * HOUR,
    "sample": HOUR,
}
"""Seconds of the campaign's time from one act of a kind to the next."""
KILLED = ("checks", "quick", "beat", "uploads", "pages")
PATIENCE = 300
JUDGMENTS = "SELECT count(*) FROM judging_judgment"


class LongRun:
    def __init__(
        self, processes: Processes, load: Load, people: dict[str, Any], database: str, speed: float = SPEED
    ) -> None:
        self._processes, self._load, self._people, self._database = processes, load, people, database
        self._every = {name: seconds / speed for name, seconds in EVERY.items()}
        self._shapes, self._chance = RunsOfOneShape(), random.Random(7)
        self.samples: list[dict[str, Any]] = []
        self.killed = 0
        self._judged_at_release = 0
        self.began = time.monotonic()

    def live(self, seconds: float, kills: int) -> None:
        """Do each kind of act when it is due, so long and until so many were killed; sample before and after."""
        self._sample()
        due = {name: time.monotonic() + every for name, every in self._every.items()}
        while time.monotonic() - self.began < seconds or self.killed < kills:
            name = min(due, key=lambda one: due[one])
            time.sleep(max(0.0, due[name] - time.monotonic()))
            getattr(self, f"_{name}")()
            due[name] = max(due[name] + self._every[name], time.monotonic())
        self._sample()

    def _upload(self) -> None:
        number = len(self._load.uploads)
        member = self._people["members"][number % TEAMS]
        tag = f"{member['team']}-{number}"
        upload = upload_of(self._people["page"], member, number, tag, self._shapes.text(tag, number))
        self._load.send(upload)
        upload.body = b""

    def _release(self) -> None:
        judged = count_of(self._database, JUDGMENTS)
        if judged == self._judged_at_release:
            return  # the command refuses qrels that would say nothing new
        self._judged_at_release = judged
        self._processes.manage("release_qrels", "load/load", "--as", "organiser")

    def _publish(self) -> None:
        if self.wait_for_rest() is None:
            return  # a board is refused while a run is not scored or the board itself is being computed
        self._processes.manage("publish_leaderboard", "load/load", "--note", "Long run.", "--as", "organiser")

    def _clean(self) -> None:
        ask = "from campaign.queue.jobs import enqueue; enqueue('clean')"
        self._processes.manage("shell", "--no-imports", "--command", ask)

    def _backup(self) -> None:
        self._processes.manage("backup", str(self._processes.folder / "backups"), "--keep", "3")

    def check_backup(self) -> str:
        """Read the newest backup whole; refused with CalledProcessError where a part of it is missing or damaged."""
        self._backup()
        return self._processes.manage("backup", str(self._processes.folder / "backups"), "--check")

    def _kill(self) -> None:
        """In turn: without warning, as a machine that loses its power, or told to end, as in an update."""
        how = signal.SIGKILL if self.killed % 2 else signal.SIGTERM
        self._processes.start_again(KILLED[self.killed % len(KILLED)], how)
        self.killed += 1

    def _sample(self) -> None:
        self.samples.append(
            {
                "second": round(time.monotonic() - self.began),
                "rows": counted_rows(self._database),
                "disk_mib": _bytes_below(self._processes.data) >> 20,
                "memory_mib": self._processes.memory_mib(),
                "open_files": self._processes.open_files(),
            }
        )

        (self._processes.folder / "samples.json").write_text(json.dumps(self.samples), encoding="utf-8")

    def wait_for_rest(self) -> float | None:
        """Return how long it takes until no job waits; None if jobs still wait after PATIENCE seconds."""
        began = time.monotonic()
        while time.monotonic() - began < PATIENCE:
            if not count_of(self._database, OPEN_JOBS):
                return round(time.monotonic() - began, 1)
            time.sleep(1)
        return None


def main() -> int:
    asked = _arguments()
    end_when_told()
    folder = asked.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    # What is kept for days in life goes at the next cleaning here, so that its removal is seen.
    os.environ["RUNPOOL_KEEP_JOBS_DAYS"] = "0"
    with own_database(os.environ["RUNPOOL_DATABASE_URL"]) as database, contextlib.ExitStack() as ending:
        processes = Processes(folder, asked.port, database, os.environ["TEST_REDIS_URL"])
        people = processes.prepare("benchmarks.load_site", TEAMS, asked.assessors)
        ending.callback(processes.stop)
        processes.start()
        load = Load(people, pages=processes.pages, uploads=processes.uploads, each=0, readers=READERS, pace=asked.pace)
        watch = Watch(database, processes.groups)
        long_run = LongRun(processes, load, people, database, asked.speed)
        with watch.watching(), load.judging_and_reading():
            long_run.live(asked.minutes * 60, asked.kills)
        rest = long_run.wait_for_rest()
        found = _report(asked, long_run, load, database, rest) | watch.as_json() | {"backup": long_run.check_backup()}
    text = json.dumps(found, indent=2)
    (folder / "long-run.json").write_text(text + "\n", encoding="utf-8")
    print(text)
    return 1 if found["lost_runs"] or found["lost_judgments"] or found["failed_jobs"] or rest is None else 0


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.long_run")
    parser.add_argument("folder", type=Path, help="for data, logs and figures; made if need be")
    parser.add_argument("--minutes", type=float, default=60)
    parser.add_argument("--kills", type=int, default=0, help="go on until so many processes were killed")
    parser.add_argument("--speed", type=float, default=SPEED, help="so many times as fast as in life")
    parser.add_argument("--assessors", type=int, default=ASSESSORS)
    parser.add_argument(
        "--pace", type=float, default=1.0, help="seconds from one judgment or page of a person to the next"
    )
    parser.add_argument("--port", type=int, default=8105, help="pages; uploads take the next one")
    return parser.parse_args()


def _report(
    asked: argparse.Namespace, long_run: LongRun, load: Load, database: str, rest: float | None
) -> dict[str, Any]:
    stored = {tag: sha256 for tag, sha256, _ in rows_of(database, STORED)}
    judged = count_of(database, JUDGMENTS)
    failed = rows_of(database, "SELECT name, message FROM campaign_job WHERE state = 'failed'")
    taken = load.taken()
    first, last = long_run.samples[0], long_run.samples[-1]
    return {
        "minutes": asked.minutes,
        "speed": asked.speed,
        "runs_taken": len(taken),
        "lost_runs": [upload.tag for upload in taken if stored.get(upload.tag) != upload.sha256],
        "judgments": judged,
        "lost_judgments": load.judgments_lost(database),
        "failed_jobs": failed,
        "killed": long_run.killed,
        "seconds_until_no_job_waits": rest,
        "grew": {
            "disk_mib": [first["disk_mib"], last["disk_mib"]],
            "memory_mib": [first["memory_mib"], last["memory_mib"]],
            "open_files": [first["open_files"], last["open_files"]],
            "rows": {
                name: [first["rows"][name], last["rows"][name]]
                for name in last["rows"]
                if last["rows"][name] != first["rows"].get(name)
            },
        },
        "samples": [{**sample, "rows": sum(sample["rows"].values())} for sample in long_run.samples],
        "seconds": {name: timing.as_json() for name, timing in load.timings().items()},
    }


def _bytes_below(folder: Path) -> int:
    size = 0
    for path in folder.rglob("*"):
        with contextlib.suppress(OSError):  # taken away meanwhile
            size += path.stat().st_size
    return size


if __name__ == "__main__":
    sys.exit(main())
