"""What the platform adds to the check of a run: the job's row, storage, the table, problems, mails, audit.

`python -m benchmarks.check_task FOLDER` takes the made-up campaign's runs in through the real services, on SQLite, and
prints the median milliseconds of the pure check, of the job around it, and of the difference.
"""

from __future__ import annotations

import os
import statistics
import sys
import tempfile
import time
from pathlib import Path
from typing import TYPE_CHECKING, cast

from benchmarks.collections import CAMPAIGN

if TYPE_CHECKING:
    from typing import BinaryIO

    from campaign.models import Run, Task, Team, User

RUNS = 12
TOPICS = [str(number) for number in range(301, 351)]


def main(folder: Path) -> None:
    files = sorted((CAMPAIGN.write(folder)).glob("run*.txt"))[:RUNS]
    with tempfile.TemporaryDirectory() as data:
        os.environ.update(RUNPOOL_DATA_DIR=data, DJANGO_SETTINGS_MODULE="runpool.settings", RUNPOOL_LOG_LEVEL="WARNING")
        import django

        django.setup()

        cast = _cast()
        pure, around = [], []
        for file in files:
            run = _submitted(file, *cast)
            pure.append(_timed_pure(run))
            around.append(_timed_job(run))
    added = statistics.median(whole - part for whole, part in zip(around[2:], pure[2:], strict=True))
    print(
        f"pure check {statistics.median(pure[2:]):.0f} ms, the job {statistics.median(around[2:]):.0f} ms: "
        f"it adds {added:.0f} ms (limit 100 ms)"
    )


def _cast() -> tuple[User, Task, Team]:
    from django.core.management import call_command

    from campaign.models import Campaign, Task, Topic, User
    from campaign.setup.services.campaigns import campaign_create, campaign_open
    from campaign.setup.services.tasks import task_create, task_enter_phase
    from campaign.teams.services.registrations import team_register
    from campaign.teams.services.teams import team_create

    call_command("migrate", verbosity=0)
    user = User.objects.create(username="ann", email="ann@example.org")
    campaign: Campaign = campaign_create(actor=user, slug="bench", title="Bench")
    task = task_create(actor=user, campaign=campaign, slug="runs", title="Runs", docno_policy=Task.ANY)
    Topic.objects.bulk_create(
        Topic(task=task, number=number, position=position, title="t") for position, number in enumerate(TOPICS, 1)
    )
    Task.objects.filter(pk=task.pk).update(max_runs_per_team=1000)
    campaign = campaign_open(actor=user, campaign=campaign)
    task_enter_phase(actor=user, task=task, phase=Task.RUNS)
    team = team_create(actor=user, name="Bench")
    team_register(actor=user, team=team, campaign=campaign)
    return user, Task.objects.select_related("campaign").get(pk=task.pk), team


def _submitted(file: Path, user: User, task: Task, team: Team) -> Run:
    from django.core.files.base import File

    from campaign.runs.services.submission import run_submit

    with file.open("rb") as source:
        return run_submit(actor=user, task=task, team=team, tag=file.stem, file=File(source), file_name=file.name)


def _timed_pure(run: Run) -> float:
    from campaign.formats.runs.check import check_run
    from campaign.formats.runs.table import run_table_to_parquet
    from campaign.runs.selectors.reading import run_rules

    rules = run_rules(run.task, run.tag)
    start = time.perf_counter()
    with run.file.open("rb") as source:
        table = check_run(cast("BinaryIO", source), rules).table
    assert table is not None
    run_table_to_parquet(table)
    return (time.perf_counter() - start) * 1000


def _timed_job(run: Run) -> float:
    from campaign.models import Job, Run
    from campaign.queue.jobs import do_job
    from campaign.runs.selectors.progress import CHECK_RUN

    job = Job.objects.get(name=CHECK_RUN, run=run)
    start = time.perf_counter()
    do_job.apply(kwargs={"job_id": job.pk})
    spent = (time.perf_counter() - start) * 1000
    run.refresh_from_db()
    assert run.state == Run.VALID, [str(problem) for problem in run.problems.all()]
    return spent


if __name__ == "__main__":
    main(Path(sys.argv[1]))
