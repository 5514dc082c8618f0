"""`python -m benchmarks.growth`: pages and steady work of a site with ever more campaigns, runs of a task, jobs, and finds.

    RUNPOOL_DATABASE_URL=postgres://... .venv/bin/python -m benchmarks.growth [--only jobs] [--sizes 1000 10000]

Works on a database of its own for each size, beside the one that is named. Each figure is the median of a few requests through
Django's test client by an operator who organises everything, after one that is not counted. For documents see
`benchmarks.documents`, for judgments `benchmarks.judging_pages`, for boards `benchmarks.board_pages`.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from multiprocessing import get_context
from statistics import median
from typing import TYPE_CHECKING, Any

from benchmarks.judging_pages import EMPTY, page_of, timed
from benchmarks.load_database import own_database

if TYPE_CHECKING:
    from collections.abc import Callable
    from multiprocessing.queues import Queue

    from campaign.models import Task, User

TIMES = 7
SIZES = {
    "campaigns": [1_000, 10_000],
    "runs": [100, 1_000, 10_000],
    "jobs": [10_000, 1_000_000],
    "search": [100, 1_000],
}
TOPICS = """
INSERT INTO campaign_topic (task_id, number, position, title, description, narrative, is_feedback, removal_reason,
  removed_after_scores)
SELECT t.id, n::text, n, 'topic ' || n || ' about mills', '', '', false, '', false
FROM campaign_task t, generate_series(1, 50) n WHERE NOT EXISTS (SELECT FROM campaign_topic WHERE task_id = t.id)
"""
RUNS = """
INSERT INTO campaign_run SELECT (jsonb_populate_record(r, jsonb_build_object('id', 1000000 + 30 * t.id + n, 'task_id', t.id,
  'tag', 'run' || n || '-' || t.id, 'tag_skeleton', 'run' || n || '-' || t.id))).*
FROM campaign_run r, campaign_task t, generate_series(1, 30) n WHERE r.id = (SELECT min(id) FROM campaign_run)
"""
DOCUMENTS = """
INSERT INTO campaign_document (collection_id, docno, title, text, has_text)
SELECT id, 'FT' || id || '-' || n, '', '', false FROM campaign_collection, generate_series(1, 1000) n
"""
JOBS = """
INSERT INTO campaign_job (name, key, arguments, state, done, total, message, attempts, created_at, sent_at, started_at,
  heartbeat_at, finished_at)
SELECT 'check run', n::text, '{}', CASE WHEN n %% 1000 = 0 THEN 'failed' ELSE 'done' END, 0, 0, '', 1, at, at, at, at, at
FROM (SELECT n, now() - n * interval '2 seconds' AS at FROM generate_series(1, %s) n) moments
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--only", choices=SIZES, nargs="+", default=list(SIZES))
    parser.add_argument("--sizes", type=int, nargs="+", help="instead of those of each kind")
    options = parser.parse_args()
    for kind in options.only:
        sizes = options.sizes or SIZES[kind]
        print_table(kind, sizes, [measured(kind, size) for size in sizes])


def print_table(kind: str, sizes: list[int], columns: list[dict[str, float]]) -> None:
    print(f"{kind:32}" + "".join(f"{size:>12,}" for size in sizes), flush=True)
    for name in columns[0]:
        print(f"{name:32}" + "".join(f"{column[name]:9.1f} ms" for column in columns), flush=True)


def measured(kind: str, size: int) -> dict[str, float]:
    """In a process of its own, since Django's settings name one database."""
    with own_database(os.environ["RUNPOOL_DATABASE_URL"]) as database, tempfile.TemporaryDirectory() as folder:
        spawned = get_context("spawn")
        answers: Queue[dict[str, float]] = spawned.Queue()
        process = spawned.Process(target=measure, args=(kind, size, database, folder, answers))
        process.start()
        process.join()
        if process.exitcode:
            raise SystemExit(process.exitcode)
        return answers.get()


def measure(kind: str, size: int, database: str, folder: str, answers: Queue[dict[str, float]]) -> None:
    os.environ |= {
        "RUNPOOL_DATABASE_URL": database,
        "RUNPOOL_DATA_DIR": folder,
        "RUNPOOL_SECRET_KEY": "a benchmark",
        "RUNPOOL_LOG_LEVEL": "ERROR",
        "DJANGO_SETTINGS_MODULE": "runpool.settings",
    }
    import django

    django.setup()
    from django.core.management import call_command
    from django.db import connection
    from django.test import Client
    from django.test.utils import setup_test_environment

    from benchmarks.scoring_workers import make_task
    from campaign.models import User

    setup_test_environment()
    task = make_task(size if kind == "runs" else 1)
    call_command("createcachetable", verbosity=0)
    call_command("collectstatic", verbosity=0, interactive=False)
    User.objects.update(is_superuser=True, is_staff=True)
    user = User.objects.get()
    if kind != "runs":
        {"campaigns": add_campaigns, "jobs": add_jobs, "search": add_what_is_found}[kind](user, size)
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")
    client = Client()
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    asked = {name: page_of(client, address) for name, address in pages(kind, task).items()} | work(kind)
    answers.put({name: repeated(ask) for name, ask in asked.items()})


def repeated(ask: Callable[[], Any]) -> float:
    ask()
    return median(timed(ask) for _ in range(TIMES))


def pages(kind: str, task: Task) -> dict[str, str]:
    of_kind = {
        "campaigns": {
            "list of campaigns": "/",
            "its last page": "/?page=40",
            "search of campaigns": "/?search=Campaign+77",
            "page of a campaign": task.campaign.get_absolute_url(),
        },
        "runs": {
            "page of the task": task.get_absolute_url(),
            "list of runs": task.url("run_list"),
            "its end": task.url("run_list") + "?page=2",
            "form of a new run": task.url("run_create"),
            "list of runs as CSV": task.url("runs_csv"),
            "page of a campaign": task.campaign.get_absolute_url(),
        },
        "jobs": {
            "operations": "/operations/",
            "operations, storage": "/operations/storage/",
            "page of the task": task.get_absolute_url(),
        },
    }
    of_kind["search"] = {
        f"search for {query}": f"/search/?q={query}"
        for query in ("FT", "FT77-12", "run1", "run7-50", "mills", "topic 7 about", "7", "task", "no such thing")
    }
    return {EMPTY: "/account/settings/", **of_kind[kind]}


def work(kind: str) -> dict[str, Callable[[], Any]]:
    """What a site does all the time, whether somebody asks or not."""
    from campaign.queue.jobs import requeue_lost_jobs

    return {"what the sweep does with jobs": requeue_lost_jobs} if kind == "jobs" else {}


def add_campaigns(user: User, size: int) -> None:
    from django.utils import timezone

    from campaign.models import Campaign, Role, Task

    now = timezone.now()
    campaigns = Campaign.objects.bulk_create(
        Campaign(slug=f"c{number}", title=f"Campaign {number}", opened_at=now) for number in range(size)
    )
    Role.objects.bulk_create(Role(campaign=one, user=user, role=Role.ORGANISER) for one in campaigns)
    Task.objects.bulk_create(Task(campaign=one, slug="task", title="Task", phase=Task.RUNS) for one in campaigns)


def add_what_is_found(user: User, size: int) -> None:
    """Of each campaign: a task, 50 topics, 30 runs and 1,000 docnos."""
    from django.db import connection

    from campaign.models import Campaign, Collection, Task

    add_campaigns(user, size)
    Collection.objects.bulk_create(
        Collection(campaign=one, slug="documents", title="Documents")
        for one in Campaign.objects.filter(collections=None)
    )
    for collection in Collection.objects.all():
        Task.objects.filter(campaign=collection.campaign_id, collection=None).update(collection=collection)
    with connection.cursor() as cursor:
        for sql in (TOPICS, RUNS, DOCUMENTS):
            cursor.execute(sql)


def add_jobs(user: User, size: int) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(JOBS, [size])


if __name__ == "__main__":
    main()
