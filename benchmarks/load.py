"""Uploads under load: `python -m benchmarks.load FOLDER --port 8105`
with RUNPOOL_DATABASE_URL and TEST_REDIS_URL (see benchmarks/README.md).

Starts a site as docs/guide/operator.md sets it up, on a database of its own, and sends to it by loopback only, for at most
LIMIT_SECONDS: 30 teams send 6 runs each at once, 10 assessors judge one document a second, 10 readers read pages. Prints
what came of it and exits with 1 if a run is lost or refused, or a target is missed.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.load_clients import Load, Timing
from benchmarks.load_database import own_database
from benchmarks.load_processes import Processes

TARGETS = {"upload": 6.0, "judgment": 1.0, "page": 1.5, "scored": 45.0}
LIMIT_SECONDS = 300


def main() -> int:
    asked = _arguments()
    folder = asked.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with own_database(os.environ["RUNPOOL_DATABASE_URL"]) as database, contextlib.ExitStack() as ending:
        processes = Processes(folder, asked.port, database, os.environ["TEST_REDIS_URL"])
        people = processes.prepare("benchmarks.load_site", asked.teams, asked.assessors)
        ending.callback(processes.stop)
        processes.start()
        found = _under_load(asked, people, processes, database)
    found["machine"] = {"cores": os.cpu_count(), "load_average_before_and_after": found.pop("load_average")}
    text = json.dumps(found, indent=2)
    (folder / "load.json").write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0 if not found["missed"] else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.load")
    parser.add_argument("folder", type=Path, help="for data, logs and load.json; made if need be")
    parser.add_argument("--port", type=int, default=8105, help="pages; uploads take the next one")
    parser.add_argument("--teams", type=int, default=30)
    parser.add_argument("--uploads", type=int, default=6, help="of each team, all at once")
    parser.add_argument("--in-turn", action="store_true", help="each team sends its uploads one after the other")
    parser.add_argument("--assessors", type=int, default=10)
    parser.add_argument("--readers", type=int, default=10)
    return parser.parse_args()


def _under_load(
    asked: argparse.Namespace, people: dict[str, Any], processes: Processes, database: str
) -> dict[str, Any]:
    load_before, used_before = os.getloadavg(), processes.cpu_seconds()
    load = Load(people, pages=processes.pages, uploads=processes.uploads, each=asked.uploads, readers=asked.readers)
    with load.judging_and_reading():
        time.sleep(3)
        load.upload_all(in_turn=asked.in_turn)
        uploaded = time.monotonic()
        scored = _seconds_until_scored(database, len(load.taken()), uploaded)
    found = {
        "runs": {
            "sent": len(load.uploads),
            "taken": len(load.taken()),
            "refused": load.refused(),
            **_stored(database, load),
        },
        "seconds": {name: timing.as_json() for name, timing in load.timings().items()},
        "checked_and_scored_seconds_after_last_upload": scored,
        "cpu_seconds": {name: round(used - used_before[name], 1) for name, used in processes.cpu_seconds().items()},
        "load_average": [load_before, os.getloadavg()],
    }
    return {**found, "missed": _missed(found, load.timings(), scored)}


def _seconds_until_scored(database: str, count: int, since: float) -> float | None:
    """Wait until no run waits for its check and each of the uploaded ones has scores; None if that takes too long."""
    scored = (
        "SELECT count(*) FROM evaluation_evaluation e JOIN campaign_run r ON r.id = e.run_id WHERE r.tag <> 'baseline'"
    )
    with psycopg.connect(database, autocommit=True) as connection:
        while time.monotonic() - since < LIMIT_SECONDS:
            [number] = connection.execute(scored).fetchone() or (0,)
            if number >= count:
                return round(time.monotonic() - since, 1)
            time.sleep(0.5)
    return None


def _stored(database: str, load: Load) -> dict[str, Any]:
    """Compare what was answered with what is stored."""
    rows = "SELECT tag, sha256, state FROM campaign_run WHERE tag <> 'baseline'"
    with psycopg.connect(database) as connection:
        stored = {tag: (sha256, state) for tag, sha256, state in connection.execute(rows)}
    lost = [upload.tag for upload in load.taken() if stored.get(upload.tag) != (upload.sha256, "valid")]
    return {"rows": len(stored), "lost": lost}


def _missed(found: dict[str, Any], timings: dict[str, Timing], scored: float | None) -> list[str]:
    missed = [
        f"p95 of a {name}: {timings[name].at(95):.2f} s instead of {TARGETS[name]} s"
        for name in ("upload", "judgment", "page")
        if timings[name].at(95) > TARGETS[name]
    ]
    missed += [f"{name}: {timing.errors[:3]}" for name, timing in timings.items() if timing.errors]
    if found["runs"]["lost"] or found["runs"]["refused"]:
        missed.append("runs were lost or refused")
    if scored is None or scored > TARGETS["scored"]:
        missed.append(f"the last run was scored {scored} s after the last upload")
    return missed


if __name__ == "__main__":
    sys.exit(main())
