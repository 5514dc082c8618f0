"""Assessors at work: `python -m benchmarks.judging_load FOLDER --port 8105` with RUNPOOL_DATABASE_URL and TEST_REDIS_URL.

Starts a site as benchmarks.load does. 50 assessors, each with a topic of 100 documents, judge one document a second for two
minutes: grades, notes, flags, documents that cannot be judged, changes of mind, judgments taken back, and every tenth request
sent twice. Prints what came of it and exits with 1 if an act is lost, stored twice or refused.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import sys
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPResponse
from pathlib import Path
from typing import Any

import psycopg

from benchmarks.load_clients import CSRF, Address, Timing, asked_again, asking, connect, cookies
from benchmarks.load_database import own_database
from benchmarks.load_processes import Processes

AHEAD = 20
"""Documents that a desk asks for at once."""


def main() -> int:
    asked = _arguments()
    folder = asked.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with own_database(os.environ["RUNPOOL_DATABASE_URL"]) as database, contextlib.ExitStack() as ending:
        processes = Processes(folder, asked.port, database, os.environ["TEST_REDIS_URL"])
        people = processes.prepare("benchmarks.load_site", "1", str(asked.assessors))
        ending.callback(processes.stop)
        processes.start()
        load_before, used_before = os.getloadavg(), processes.cpu_seconds()
        judges = [Judge(judge, processes.pages) for judge in people["judges"]]
        _judge_all(judges, asked.seconds)
        used = {name: round(seconds - used_before[name], 1) for name, seconds in processes.cpu_seconds().items()}
        found = _found(judges, database) | {"cpu_seconds": used, "load_average": [load_before, os.getloadavg()]}
    text = json.dumps(found, indent=2)
    (folder / "judging_load.json").write_text(text + "\n", encoding="utf-8")
    print(text)
    return 0 if not found["missed"] else 1


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.judging_load")
    parser.add_argument("folder", type=Path, help="for data, logs and judging_load.json; made if need be")
    parser.add_argument("--port", type=int, default=8105, help="pages; uploads take the next one")
    parser.add_argument("--assessors", type=int, default=50)
    parser.add_argument("--seconds", type=int, default=120)
    return parser.parse_args()


def _judge_all(judges: list[Judge], seconds: int) -> None:
    over = threading.Event()
    with ThreadPoolExecutor(len(judges)) as threads:
        futures = [threads.submit(judge.work, over) for judge in judges]
        time.sleep(seconds)
        over.set()
        for future in futures:
            future.result()


@dataclass
class Judge:
    """One assessor at a desk: `said` is what the server answered to have stored, by the UUID of the act."""

    person: dict[str, Any]
    site: Address
    said: dict[str, dict[str, Any]] = field(default_factory=dict)
    sent: int = 0
    saves: Timing = field(default_factory=Timing)
    others: Timing = field(default_factory=Timing)

    def work(self, over: threading.Event) -> None:
        connection = connect(self.site)
        chance = random.Random(self.person["user_id"])
        over.wait(chance.random())
        path = f"/c/load/load/judge/{self.person['topic']}/"
        self._get(connection, path)
        last: dict[str, Any] | None = None
        for place, docno in enumerate(self.person["docnos"] * 10):
            if over.wait(chance.uniform(0.9, 1.1)):
                return
            if place % AHEAD == 0:
                ahead = "&".join(f"docno={other}" for other in self.person["docnos"][place : place + AHEAD])
                self._get(connection, f"{path}documents/?{ahead}")
            last = _next_act(chance, docno, last)
            for _ in range(2 if chance.random() < 0.1 else 1):
                self._save(connection, f"{path}judgments/", last)

    def _get(self, connection: HTTPConnection, path: str) -> None:
        self._timed(self.others, connection, asking("GET", path, b"", {"Cookie": cookies(self.person["session"])}))

    def _save(self, connection: HTTPConnection, path: str, act: dict[str, Any]) -> None:
        body = {"assessor": self.person["user_id"], "assignment": self.person["assignment"], "judgments": [act]}
        session = cookies(self.person["session"])
        headers = {"Content-Type": "application/json", "X-CSRFToken": CSRF, "Cookie": session}
        self.sent += 1
        answer = self._timed(self.saves, connection, asking("POST", path, json.dumps(body).encode(), headers))
        if answer is not None:
            self.said[act["uuid"]] = act

    @staticmethod
    def _timed(
        timing: Timing, connection: HTTPConnection, ask: Callable[[HTTPConnection], HTTPResponse]
    ) -> bytes | None:
        start = time.monotonic()
        try:
            status, body = asked_again(connection, ask)
        except (OSError, HTTPException) as problem:
            connection.close()
            timing.errors.append(repr(problem))
            return None
        timing.seconds.append(time.monotonic() - start)
        if status >= 400:
            timing.errors.append(f"{status} {body[:200]!r}")
            return None
        return body


def _next_act(chance: random.Random, docno: str, last: Mapping[str, Any] | None) -> dict[str, Any]:
    """An act about the next document, or about the last one: taken back, or judged otherwise."""
    act: dict[str, Any] = {"uuid": str(uuid.uuid4()), "docno": docno, "shown_at": None, "active_ms": 900}
    kind = chance.random()
    if last is not None and kind < 0.05 and last["verdict"] == "graded" and "undoes" not in last:
        return act | {"docno": last["docno"], "verdict": "withdrawn", "undoes": last["uuid"]}
    if last is not None and kind < 0.10:
        return act | {"docno": last["docno"], "verdict": "graded", "grade": 1, "note": "On second thought."}
    if kind < 0.15:
        return act | {"verdict": "cannot_judge"}
    return act | {"verdict": "graded", "grade": chance.randrange(2), "flagged": kind > 0.95}


def _found(judges: list[Judge], database: str) -> dict[str, Any]:
    saves, others = Timing(), Timing()
    for judge in judges:
        for all_of_them, own in ((saves, judge.saves), (others, judge.others)):
            all_of_them.seconds += own.seconds
            all_of_them.errors += own.errors
    said = {name: act for judge in judges for name, act in judge.said.items()}
    with psycopg.connect(database) as connection:
        rows = connection.execute("SELECT uuid::text, docno, is_current FROM judging_judgment").fetchall()
        twice = connection.execute(
            "SELECT count(*) FROM (SELECT 1 FROM judging_judgment WHERE is_current"
            " GROUP BY topic_id, docno, assessor_id, pass_number HAVING count(*) > 1) AS repeated"
        ).fetchone()
    stored = {name: docno for name, docno, _ in rows}
    lost = [name for name, act in said.items() if stored.get(name) != act["docno"]]
    missed = [f"{len(lost)} acts lost"] if lost else []
    missed += [f"{len(saves.errors + others.errors)} errors"] if saves.errors or others.errors else []
    missed += ["two current judgments of one document"] if twice and twice[0] else []
    return {
        "acts": {"sent": sum(judge.sent for judge in judges), "distinct": len(said), "stored": len(stored)},
        "lost": lost[:10],
        "seconds": {"save": saves.as_json(), "desk and documents": others.as_json()},
        "missed": missed,
    }


if __name__ == "__main__":
    sys.exit(main())
