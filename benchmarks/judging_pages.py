"""`python -m benchmarks.judging_pages`: pages that count judgments, with few and with many judgment rows, and the ratio.

The database is that of RUNPOOL_DATABASE_URL, which must be empty: PostgreSQL makes the rows by
itself. Each figure is the median of a few requests through Django's test client, each after one more judgment, as it is while
people judge: milliseconds of processor time, of Django and PostgreSQL together.
"""

from __future__ import annotations

import argparse
import os
import tempfile
import time
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Any
from uuid import uuid4

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from campaign.models import Task, User
    from judging.models import Assignment

TOPICS = 50
TIMES = 5
EMPTY = "empty view, logged in"
SAVE = "save of a judgment"
FROM_NOTHING = "progress, counted from nothing"
ROWS = """
INSERT INTO judging_judgment (uuid, assignment_id, topic_id, assessor_id, pass_number, docno, verdict, grade, details, note,
  judged_at, active_ms, reason, flagged, input_method, extent, text_sha256, topic_sha256, guidelines_sha256, received_at,
  is_current)
SELECT gen_random_uuid(), a.id, a.topic_id, a.assessor_id, 1, 'D' || n, 'graded', n %% 3, '{}', '', now() - interval '1 day',
  20000, '', n %% 50 = 0, 'key', 'full', '', '', '', now(), true
FROM judging_assignment a, generate_series(%s, %s) n
"""
ENTRIES = """
INSERT INTO pooling_poolentry (pool_id, topic_id, docno, position, best_position, run_count, source)
SELECT %s, t.id, 'D' || n, n, 0, 1, 'drawn' FROM campaign_topic t, generate_series(1, %s) n
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--few", type=int, default=10_000)
    parser.add_argument("--many", type=int, default=1_000_000)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as data:
        os.environ.update(RUNPOOL_DATA_DIR=data, DJANGO_SETTINGS_MODULE="tests.settings", RUNPOOL_LOG_LEVEL="WARNING")
        import django

        django.setup()
        from django.test.utils import setup_test_environment

        setup_test_environment()
        print_ratios(*measured(options.few, options.many))


def measured(few: int, many: int) -> tuple[dict[str, float], dict[str, float]]:
    user, task, assignment = make_task(many // TOPICS + 1000)
    add_rows(1, few // TOPICS)
    small = times_of(user, task, assignment, start=many // TOPICS + 1)
    add_rows(few // TOPICS + 1, many // TOPICS)
    return small, times_of(user, task, assignment, start=many // TOPICS + 500)


def print_ratios(small: dict[str, float], large: dict[str, float]) -> None:
    for name, before in small.items():
        print(f"{name:32}{before:9.1f} ms {large[name]:9.1f} ms   x {large[name] / before:.2f}")
    print(f"a save costs {large[SAVE] / large[EMPTY]:.1f} times the empty view")


def make_task(documents: int) -> tuple[User, Task, Assignment]:
    from django.core.management import call_command
    from django.db import connection

    from campaign.models import Role, Task, Topic, User
    from campaign.setup.services.campaigns import campaign_create
    from campaign.setup.services.tasks import task_create
    from judging.models import Assignment
    from pooling.models import Pool

    call_command("migrate", verbosity=0)
    user = User.objects.create(username="ann", email="ann@example.org")
    campaign = campaign_create(actor=user, slug="bench", title="Bench")
    task = task_create(actor=user, campaign=campaign, slug="runs", title="Runs", docno_policy=Task.ANY)
    Role.objects.create(campaign=campaign, user=user, role=Role.ASSESSOR)
    Task.objects.filter(pk=task.pk).update(phase=Task.JUDGING)
    numbers = range(1, TOPICS + 1)
    Topic.objects.bulk_create(Topic(task=task, number=str(one), position=one, title="t") for one in numbers)
    facts = {"size": documents * TOPICS, "sha256": "0" * 64, "frozen_by": user}
    pool = Pool.objects.create(task=task, version=1, strategy="depth", **facts)
    Assignment.objects.bulk_create(
        Assignment(pool=pool, topic=topic, assessor=user, assigned_by=user) for topic in task.topics.all()
    )
    with connection.cursor() as cursor:
        cursor.execute(ENTRIES, [pool.pk, documents])
    return user, task, Assignment.objects.select_related("pool__task__campaign", "topic", "assessor").earliest("pk")


def add_rows(first: int, last: int) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(ROWS, [first, last])
        cursor.execute("ANALYZE")


def times_of(user: User, task: Task, assignment: Assignment, start: int) -> dict[str, float]:
    """Milliseconds by what is asked for. The first request of each page counts all, and is shown apart."""
    from django.core.cache import caches
    from django.test import Client

    from judging.selectors.judged_documents import judgments_version

    client = Client()
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    save = saving(client, user, assignment, iter(range(start, start + 400)))
    pages = {EMPTY: "/account/settings/"}
    names = ("judging_progress", "judging_card", "my_topics", "judgment_list", "qrels_release")
    pages |= {name: task.url(name) for name in names}
    asked: dict[str, Callable[[], Any]] = {name: page_of(client, address) for name, address in pages.items()}
    asked["counts of a release"] = page_of(client, task.url("qrels_release_counts"), **{"HX-Request": "true"})
    asked["version of the judgments"] = lambda: judgments_version(task)
    caches["bulk"].clear()
    found = {FROM_NOTHING: timed(asked["judging_progress"])}
    for name, ask in asked.items():
        found[name] = median(after(save, ask) for _ in range(TIMES))
    return found | {SAVE: median(timed(save) for _ in range(TIMES))}


def saving(client: Any, user: User, assignment: Assignment, numbers: Iterator[int]) -> Callable[[], None]:
    """Send one more judgment, as the outbox of a desk does."""
    from django.urls import reverse

    task, topic = assignment.pool.task, assignment.topic
    address = reverse("judgment_submit", kwargs={**task.address, "topic_number": topic.number})

    def save() -> None:
        act = {"uuid": str(uuid4()), "docno": f"D{next(numbers)}", "verdict": "graded", "grade": 1, "active_ms": 15_000}
        sent = {"assessor": user.pk, "assignment": assignment.pk, "judgments": [act]}
        answer = client.post(address, sent, content_type="application/json")
        if answer.status_code != 200:
            raise RuntimeError(f"a judgment was answered {answer.status_code}: {answer.content!r}")

    return save


def page_of(client: Any, address: str, **headers: str) -> Callable[[], Any]:
    def ask() -> None:
        answer = client.get(address, headers=headers)
        if answer.status_code != 200:
            raise RuntimeError(f"{address} answered {answer.status_code}")

    return ask


def after(first: Callable[[], Any], then: Callable[[], Any]) -> float:
    first()
    return timed(then)


def timed(work: Callable[[], Any]) -> float:
    """Milliseconds of processor time."""
    started = processor_seconds()
    work()
    return 1000 * (processor_seconds() - started)


def processor_seconds() -> float:
    """Of this process and of the one of PostgreSQL that answers it, on the same machine: others may be busy beside them."""
    from django.db import connection

    connection.ensure_connection()
    backend = Path(f"/proc/{connection.connection.info.backend_pid}/schedstat")
    return time.process_time() + int(backend.read_text().split()[0]) / 1e9


if __name__ == "__main__":
    main()
