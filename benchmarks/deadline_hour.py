"""The hour before a deadline: `python -m benchmarks.deadline_hour FOLDER --times 2`
with RUNPOOL_DATABASE_URL and TEST_REDIS_URL.

200 people upload 400 runs of 50,000 lines, ever more of them towards the deadline, while 50 assessors judge and 100 readers
load boards; `--times` multiplies all of them. `--minutes` says in how many minutes the hour passes. Prints what came of it,
writes FOLDER/deadline-hour-<times>x.json, and exits with 1 if a run is lost, refused or in a wrong state, or a judgment is lost.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.load_clients import Load, upload_of
from benchmarks.load_database import count_of, own_database, rows_of, size_of
from benchmarks.load_processes import Processes, end_when_told
from benchmarks.load_runs import RunsOfOneShape
from benchmarks.load_watch import Watch

TEAMS, ASSESSORS, READERS, RUNS_OF_A_TEAM = 200, 50, 100, 2
PACE_SECONDS = 10.0
"""From one judgment or page of a person to the next."""
LONGEST_WAIT_SECONDS = 1800
SENDERS = 64
STATES = "SELECT state, count(*) FROM campaign_run WHERE tag <> 'baseline' GROUP BY state"
SCORED = """
SELECT count(DISTINCT e.run_id) FROM evaluation_evaluation e JOIN campaign_run r ON r.id = e.run_id WHERE r.tag <> 'baseline'
"""
OPEN_JOBS = "SELECT count(*) FROM campaign_job WHERE state IN ('queued', 'working')"
STORED = "SELECT tag, sha256, state FROM campaign_run WHERE tag <> 'baseline'"


def main() -> int:
    asked = _arguments()
    end_when_told()
    folder = asked.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with own_database(os.environ["RUNPOOL_DATABASE_URL"]) as database, contextlib.ExitStack() as ending:
        redis = os.environ["TEST_REDIS_URL"]
        processes = Processes(folder, asked.port, database, redis, asked.judging_apart)
        teams, assessors = number_of(TEAMS, asked.times), number_of(ASSESSORS, asked.times)
        people = processes.prepare("benchmarks.load_site", teams, assessors)
        ending.callback(processes.stop)
        processes.start()
        found = _hour(asked, people, processes, database)
    text = json.dumps(found, indent=2)
    (folder / f"deadline-hour-{asked.times:g}x.json").write_text(text + "\n", encoding="utf-8")
    print(text)
    runs = found["runs"]
    return 1 if runs["lost"] or runs["refused"] or runs["wrong_state"] or found["judgments_lost"] else 0


def number_of(people: int, times: float) -> int:
    return max(1, round(people * times))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.deadline_hour")
    parser.add_argument("folder", type=Path, help="for data, logs and figures; made if need be")
    parser.add_argument("--times", type=float, default=1, help="so many times the people and the runs")
    parser.add_argument("--minutes", type=float, default=60, help="the hour passes in so many")
    parser.add_argument("--port", type=int, default=8105, help="pages; uploads and desks take the next ones")
    parser.add_argument("--judging-apart", action="store_true", help="a web server of its own for the desks")
    return parser.parse_args()


def arrivals(count: int, seconds: float) -> list[float]:
    """When the uploads come, in seconds: half of them in the last quarter, as density grows with the square of the time."""
    return [seconds * ((number + 0.5) / count) ** 0.4 for number in range(count)]


def _hour(asked: argparse.Namespace, people: dict[str, Any], processes: Processes, database: str) -> dict[str, Any]:
    load = Load(
        people,
        pages=processes.pages,
        uploads=processes.uploads,
        judging=processes.judging,
        each=0,
        readers=number_of(READERS, asked.times),
        pace=PACE_SECONDS,
    )
    watch = Watch(database, processes.groups)
    size_before, began = size_of(database), time.monotonic()
    with watch.watching(), load.judging_and_reading():
        _upload_towards_deadline(load, people, asked.minutes * 60)
        deadline = time.monotonic()
        last_scored = _seconds_until_scored(database, len(load.taken()), deadline)
    return {
        "times": asked.times,
        "minutes": asked.minutes,
        "runs": {"sent": len(load.uploads), "taken": len(load.taken()), **_stored(database, load)},
        "judgments_lost": load.judgments_lost(database),
        "seconds": {name: timing.as_json() for name, timing in load.timings().items()},
        "last_run_scored_seconds_after_the_last_upload": last_scored,
        "cpu_seconds": {name: round(used, 1) for name, used in processes.cpu_seconds().items()},
        "wall_seconds": round(time.monotonic() - began),
        "database_grew_mib": (size_of(database) - size_before) >> 20,
        **watch.as_json(),
        "machine": {"cores": os.cpu_count(), "clients": "on the same machine"},
    }


def _upload_towards_deadline(load: Load, people: dict[str, Any], seconds: float) -> None:
    shapes, members = RunsOfOneShape(), people["members"]
    began = time.monotonic()

    def send(number: int, at: float) -> None:
        member = members[number % len(members)]
        tag = f"{member['team']}-{number}"
        time.sleep(max(0.0, began + at - time.monotonic()))
        upload = upload_of(people["page"], member, number, tag, shapes.text(tag, number))
        load.send(upload)
        upload.body = b""

    moments = arrivals(len(members) * RUNS_OF_A_TEAM, seconds)
    with ThreadPoolExecutor(SENDERS) as senders:
        for number, at in enumerate(moments):
            time.sleep(max(0.0, began + at - 1 - time.monotonic()))  # no sooner, so that few bodies are held
            senders.submit(send, number, at)


def _seconds_until_scored(database: str, count: int, since: float) -> float | None:
    while time.monotonic() - since < LONGEST_WAIT_SECONDS:
        if count_of(database, SCORED) >= count and not count_of(database, OPEN_JOBS):
            return round(time.monotonic() - since, 1)
        time.sleep(0.5)
    return None


def _stored(database: str, load: Load) -> dict[str, Any]:
    """Compare what was answered with what is stored: a run that was taken must be there with its bytes, and valid."""
    stored = {tag: (sha256, state) for tag, sha256, state in rows_of(database, STORED)}
    states: dict[str, int] = dict(rows_of(database, STATES))
    taken = load.taken()
    return {
        "refused": load.refused()[:10],
        "lost": [upload.tag for upload in taken if stored.get(upload.tag, ("", ""))[0] != upload.sha256],
        "wrong_state": [upload.tag for upload in taken if stored.get(upload.tag, ("", "valid"))[1] != "valid"],
        "states": states,
    }


if __name__ == "__main__":
    sys.exit(main())
