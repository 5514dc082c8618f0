"""`python -m benchmarks.scoring_workers FOLDER`
with RUNPOOL_DATABASE_URL and TEST_REDIS_URL: the scoring of a task by 1, 2 and 4 workers.

It makes a database of its own beside the one that is named, with 300 runs of 50 topics x 1000 documents, takes all scores
away before each pass, and counts from the request until the board is there. Then it asks once more, when there is nothing to do.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import random
import signal
import subprocess
import sys
import time
from hashlib import sha256
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.load_database import own_database
from benchmarks.load_processes import REPOSITORY
from benchmarks.load_runs import DOCNOS, TOPICS, run_text

if TYPE_CHECKING:
    from collections.abc import Iterator

    from campaign.models import Task, User

MEASURES = ["nDCG@10", "AP", "P@10", "RR", "R@100", "bpref", "Judged@10"]
JUDGED_OF_A_TOPIC = 400
DIFFERENT_RUNS = 20
"""The others have the bytes of one of these: each is read, ranked and scored all the same."""


def main() -> None:
    asked = _arguments()
    folder = asked.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    with own_database(os.environ["RUNPOOL_DATABASE_URL"]) as database:
        os.environ.update(
            RUNPOOL_DATABASE_URL=database,
            RUNPOOL_BROKER_URL=os.environ["TEST_REDIS_URL"],
            RUNPOOL_DATA_DIR=str(folder / "data"),
            RUNPOOL_SECRET_KEY="only for a benchmark on this machine",
            RUNPOOL_LOG_LEVEL="WARNING",
            DJANGO_SETTINGS_MODULE="runpool.settings",
        )
        import django

        django.setup()
        task = make_task(asked.runs)
        text = json.dumps(told(rounds(task, asked), asked.runs), indent=2)
    (folder / "scoring-workers.json").write_text(text + "\n", encoding="utf-8")
    print(text)


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m benchmarks.scoring_workers")
    parser.add_argument("folder", type=Path, help="for data, logs and figures; made if need be")
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--workers", type=int, nargs="+", default=[1, 2, 4])
    parser.add_argument("--times", type=int, default=3, help="passes of each; the median counts")
    return parser.parse_args()


def make_task(runs: int) -> Task:
    from django.core.management import call_command

    from campaign.models import Task, Topic, User
    from campaign.setup.services.campaigns import campaign_create
    from campaign.setup.services.tasks import task_create

    call_command("migrate", verbosity=0)
    user = User.objects.create(username="olga", email="olga@example.org")
    campaign = campaign_create(actor=user, slug="bench", title="Bench")
    task = task_create(
        actor=user, campaign=campaign, slug="runs", title="Runs", docno_policy=Task.ANY, measures=MEASURES
    )
    Topic.objects.bulk_create(
        Topic(task=task, number=number, position=position, title=number) for position, number in enumerate(TOPICS, 1)
    )
    _make_runs(task, user, runs)
    _make_qrels(task, user)
    return task


def _make_runs(task: Task, user: User, count: int) -> None:
    from io import BytesIO

    from django.core.files.base import ContentFile

    from campaign.formats.runs.check import check_run
    from campaign.formats.runs.rules import RunRules
    from campaign.formats.runs.table import run_table_to_parquet
    from campaign.models import Registration, Run, Team
    from campaign.storage import store

    tables = []
    for number in range(DIFFERENT_RUNS):
        table = check_run(BytesIO(run_text("run", random.Random(number))), RunRules()).table
        if table is None:
            raise RuntimeError("a made-up run is not valid")
        tables.append(store(ContentFile(run_table_to_parquet(table)), folder="tables"))
    teams = [Team.objects.create(slug=f"team-{number}", name=f"Team {number}") for number in range(max(1, count // 5))]
    Registration.objects.bulk_create(
        Registration(campaign=task.campaign, team=one, registered_by=user) for one in teams
    )
    for number in range(count):
        stored, team = tables[number % DIFFERENT_RUNS], teams[number % len(teams)]
        facts = {"file": stored.name, "file_name": "run", "size": 1, "sha256": stored.sha256, "table": stored.name}
        Run.objects.create(
            task=task, team=team, tag=f"run{number:05}", state=Run.VALID, submitted_by=user, depth=1000, **facts
        )


def _make_qrels(task: Task, user: User) -> None:
    import polars as pl

    from campaign.formats.qrels.table import QRELS_SCHEMA
    from judging.qrels.services.releases import qrels_import

    chance = random.Random(2)
    rows = [(n, "0", docno, chance.randrange(3)) for n in TOPICS for docno in chance.sample(DOCNOS, JUDGED_OF_A_TOPIC)]
    qrels_import(actor=user, task=task, table=pl.DataFrame(rows, schema=QRELS_SCHEMA, orient="row"))


def rounds(task: Task, asked: argparse.Namespace) -> dict[int, list[dict[str, Any]]]:
    """Passes by number of workers, in turn, so that what else the machine does falls on all of them."""
    found: dict[int, list[dict[str, Any]]] = {workers: [] for workers in asked.workers}
    for _ in range(asked.times):
        for workers in asked.workers:
            with working(workers, asked.folder.resolve()) as processes:
                for _ in range(2 * workers):
                    scored(task)  # until each of them has imported everything
                before = cpu_seconds(processes)
                seconds, digest = _pass(task)
                cpu = cpu_seconds(processes) - before
                found[workers].append({"seconds": seconds, "cpu": cpu, "digest": digest, "nothing": scored(task)})
    return found


def told(found: dict[int, list[dict[str, Any]]], runs: int) -> dict[str, Any]:
    """Efficiency: the speed of so many workers by that of the first number, a worker."""
    middle = {
        workers: {name: median(one[name] for one in passes) for name in ("seconds", "cpu", "nothing")}
        for workers, passes in found.items()
    }
    first, alone = next(iter(middle.items()))
    by_workers = {
        workers: {
            "seconds": round(of["seconds"], 2),
            "all_seconds": [round(one["seconds"], 2) for one in found[workers]],
            "cpu_seconds_of_workers": round(of["cpu"], 2),
            "efficiency": round(alone["seconds"] * first / of["seconds"] / workers, 2),
            "seconds_with_nothing_to_do": round(of["nothing"], 3),
        }
        for workers, of in middle.items()
    }
    digests = {one["digest"] for passes in found.values() for one in passes}
    same = {"the_same_scores_and_boards": len(digests) == 1}
    return {"runs": runs, "cores": os.cpu_count(), "by_workers": by_workers, **same}


def cpu_seconds(processes: list[subprocess.Popen[bytes]]) -> float:
    """Of the workers and their children."""
    groups, used = {process.pid for process in processes}, 0
    for path in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):  # it ended meanwhile
            numbers = path.read_text().rpartition(")")[2].split()
            if int(numbers[2]) in groups:
                used += int(numbers[11]) + int(numbers[12])
    return used / os.sysconf("SC_CLK_TCK")


def _pass(task: Task) -> tuple[float, str]:
    from evaluation.models import Evaluation, WorkingBoard

    Evaluation.objects.all().delete()
    WorkingBoard.objects.all().delete()
    seconds = scored(task)
    rows = Evaluation.objects.order_by("run").values_list("run", "means", "unjudged_best", "values")
    of_scores = sha256(repr([(run, means, best, bytes(values)) for run, means, best, values in rows]).encode())
    of_scores.update(str(WorkingBoard.objects.get().board).encode())  # the name is the SHA-256 of the content
    if len(rows) != task.runs.count():
        raise RuntimeError(f"{len(rows)} runs have scores")
    return seconds, of_scores.hexdigest()


def scored(task: Task) -> float:
    """Ask for the scores, and wait until nothing of it is left."""
    from campaign.models import Job
    from evaluation.services.scoring import scores_request

    started = time.perf_counter()
    scores_request(actor=None, task=task)
    while Job.objects.filter(state__in=[Job.QUEUED, Job.WORKING]).exists():
        if time.perf_counter() - started > 600:
            raise RuntimeError("the runs are not scored after ten minutes")
        time.sleep(0.02)
    if failed := Job.objects.filter(state=Job.FAILED).first():
        raise RuntimeError(failed.message)
    return time.perf_counter() - started


@contextlib.contextmanager
def working(count: int, folder: Path) -> Iterator[list[subprocess.Popen[bytes]]]:
    """So many workers of one process each, as so many machines would have them."""
    command = [sys.executable, "-m", "celery", "-A", "runpool", "worker", "--loglevel", "WARNING"]
    options = ["--without-gossip", "--without-mingle", "--queues", "celery,large,score", "--concurrency", "1"]
    with (folder / "workers.log").open("ab") as log:
        running = [
            subprocess.Popen(
                [*command, *options, "--hostname", f"scoring{number}@%h"],
                cwd=REPOSITORY, stdout=log, stderr=log, start_new_session=True,
            )
            for number in range(count)
        ]  # fmt: skip
    try:
        yield running
    finally:
        for process in running:
            os.killpg(process.pid, signal.SIGTERM)
        for process in running:
            process.wait(60)


if __name__ == "__main__":
    main()
