"""`python -m benchmarks.freezing`: a large pool through the service that freezes it: the seconds of its phases, its memory.

The database is that of RUNPOOL_DATABASE_URL, which must be empty, or SQLite. Files lie in a folder
of their own, removed at the end.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING

from benchmarks.big_pool import LINES, made, peak_mib

if TYPE_CHECKING:
    from campaign.models import Task, Team, User

TEAMS = 25


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--topics", type=int, default=700)
    parser.add_argument("--depth", type=int, default=100)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as data:
        os.environ.update(RUNPOOL_DATA_DIR=data, DJANGO_SETTINGS_MODULE="runpool.settings", RUNPOOL_LOG_LEVEL="WARNING")
        import django

        django.setup()
        user, task, teams = make_task(options.topics)
        for number in range(options.runs):
            add_run(task, teams[number % TEAMS], made(Path(data), number, options.topics), number, user)
        print(f"{options.runs} runs x {options.topics} topics x {LINES}, depth {options.depth}: {peak_mib():.0f} MiB")
        freeze(user, task, options.depth)


def make_task(topics: int) -> tuple[User, Task, list[Team]]:
    from django.core.management import call_command

    from campaign.models import Task, Topic, User
    from campaign.setup.services.campaigns import campaign_create
    from campaign.setup.services.tasks import task_create, task_enter_phase
    from campaign.teams.services.teams import team_create

    call_command("migrate", verbosity=0)
    user = User.objects.create(username="ann", email="ann@example.org")
    campaign = campaign_create(actor=user, slug="bench", title="Bench")
    task = task_create(actor=user, campaign=campaign, slug="runs", title="Runs", docno_policy=Task.ANY)
    Topic.objects.bulk_create(
        Topic(task=task, number=str(number), position=number, title="t") for number in range(1, topics + 1)
    )
    task_enter_phase(actor=user, task=task, phase=Task.RUNS)
    return user, task, [team_create(actor=user, name=f"Team {number}") for number in range(TEAMS)]


def add_run(task: Task, team: Team, table: Path, number: int, user: User) -> None:
    """A valid run of which nothing but the table is there."""
    from campaign.models import Run
    from campaign.storage import store

    with table.open("rb") as file:
        stored = store(file, folder="tables", suffix=".parquet")
    table.unlink()
    of_file = {"file": stored.name, "sha256": stored.sha256, "size": stored.size}
    Run.objects.create(
        task=task, team=team, tag=f"run{number:03}", state=Run.VALID, depth=LINES, table=stored.name,
        submitted_by=user, **of_file,
    )  # fmt: skip


def freeze(user: User, task: Task, depth: int) -> None:
    from campaign.models import Task
    from pooling.core.strategies.spec import PoolSpec
    from pooling.services.pools import pool_freeze

    laps: dict[str, float] = {}

    def note(done: int, total: int, what: str) -> None:
        laps.setdefault(what, time.perf_counter())

    pool = pool_freeze(
        actor=user,
        task=Task.objects.select_related("campaign").get(pk=task.pk),
        spec=PoolSpec.with_defaults("depth-k", {"depth": depth}),
        report=note,
    )
    ends = [*list(laps.values())[1:], time.perf_counter()]
    for (what, start), end in zip(laps.items(), ends, strict=True):
        print(f"{what}: {end - start:.1f} s")
    print(f"{pool.size:,} pairs; peak {peak_mib():.0f} MiB")


if __name__ == "__main__":
    main()
