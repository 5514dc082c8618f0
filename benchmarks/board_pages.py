"""`python -m benchmarks.board_pages`: pages and files of a board of many runs by many measures, in views of an empty page.

The database is that of RUNPOOL_DATABASE_URL, which must be empty. Scores are drawn, not computed:
the time to compute the board from them
is the worker's. Each figure is the median of a few requests through Django's test client, in processor time of the
web server without that of the database.
"""

from __future__ import annotations

import argparse
import os
import resource
import tempfile
import time
from statistics import median
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable

    from campaign.models import Task, User

TOPICS = 50
TIMES = 7
CUTOFFS = (5, 10, 15, 20, 30, 50)
MEASURES = [
    *("nDCG@10", "AP", "RR", "Rprec", "bpref", "R@100", "R@1000", "Judged@10"),
    *(f"P@{cutoff}" for cutoff in CUTOFFS),
    *(f"nDCG@{cutoff}" for cutoff in (5, 20, 30, 50, 100, 1000)),
]
EMPTY = "empty view, logged in"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=300)
    parser.add_argument("--measures", type=int, default=20)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as data:
        os.environ.update(RUNPOOL_DATA_DIR=data, DJANGO_SETTINGS_MODULE="tests.settings", RUNPOOL_LOG_LEVEL="WARNING")
        import django

        django.setup()
        from django.core.management import call_command
        from django.test.utils import setup_test_environment

        setup_test_environment()
        call_command("migrate", verbosity=0)
        report(options.runs, MEASURES[: options.measures])


def report(runs: int, measures: list[str]) -> None:
    from django.db import transaction

    from evaluation.services.publication_requests import leaderboard_request
    from evaluation.services.working_boards import working_board_compute

    user, task = make_task(measures)
    make_scores(task, user, runs)
    before = time.process_time()
    wall = seconds(lambda: working_board_compute(task=task))
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    print(
        f"computing the board, once: {wall:.1f} s, {time.process_time() - before:.1f} s of processor time, {most} MiB at most"
    )
    before = time.process_time()
    with transaction.atomic():  # at whose end a large board's job is done, here and now
        wall = seconds(lambda: leaderboard_request(actor=user, task=task))
        print(f"asking for its publication: {wall:.1f} s, {time.process_time() - before:.1f} s of processor time")
    print(
        f"with its job, if it has one, and the report's refusal: {time.process_time() - before:.1f} s of processor time"
    )
    found = times_of(user, task, measures[0])
    for name, (milliseconds, size) in found.items():
        print(f"{name:34}{milliseconds:9.1f} ms   x {milliseconds / found[EMPTY][0]:5.1f} {size / 1000:9.1f} kB")


def make_task(measures: list[str]) -> tuple[User, Task]:
    from campaign.models import Task, Topic, User
    from campaign.setup.services.campaigns import campaign_create
    from campaign.setup.services.tasks import task_create

    user = User.objects.create(username="ann", email="ann@example.org")
    campaign = campaign_create(actor=user, slug="bench", title="Bench")
    task = task_create(actor=user, campaign=campaign, slug="runs", title="Runs", docno_policy=Task.ANY)
    Task.objects.filter(pk=task.pk).update(phase=Task.SCORES, measures=measures)
    numbers = range(1, TOPICS + 1)
    Topic.objects.bulk_create(Topic(task=task, number=str(one), position=one, title="t") for one in numbers)
    task.refresh_from_db()
    return user, task


def make_scores(task: Task, user: User, runs: int) -> None:
    import numpy as np

    from campaign.models import Run, Team
    from evaluation.models import Evaluation
    from evaluation.selectors.task_measures import measures_of_task
    from tests.evaluation.makers import make_qrels

    random = np.random.default_rng(1)
    qrels = make_qrels(task, {str(number): {"a": 1, "b": 0} for number in range(1, TOPICS + 1)}, user)
    names = [measure.name for measure in measures_of_task(task, qrels)]
    teams = Team.objects.bulk_create(Team(name=f"Team {team}", slug=f"team-{team}") for team in range(runs // 4 + 1))
    facts = {"task": task, "state": Run.VALID, "submitted_by": user, "size": 1}
    Run.objects.bulk_create(
        Run(team=teams[run // 4], tag=f"run-{run}", tag_skeleton=f"run-{run}", sha256=f"{run:064}", **facts)
        for run in range(runs)
    )
    topics = random.normal(0.35, 0.15, TOPICS)
    scored = {"qrels": qrels, "engine": Evaluation.ENGINE, "qrels_sha256": qrels.sha256, "measures": names}
    for number, run in enumerate(Run.objects.order_by("pk")):
        mean = 0.2 * number / runs
        values = np.clip(topics + mean + random.normal(0, 0.12, (len(names), TOPICS)), 0, 1)
        means = dict(zip(names, values.mean(axis=1).tolist(), strict=True))
        own = {"topics_answered": TOPICS, "unjudged_at_10": 0.1, "unjudged_best": means, "means": means}
        Evaluation.objects.create(
            run=run, run_sha256=run.sha256, values=values.astype("<f8").tobytes(), **scored, **own
        )


def times_of(user: User, task: Task, measure: str) -> dict[str, tuple[float, int]]:
    from django.test import Client

    client = Client()
    client.force_login(user, backend="allauth.account.auth_backends.AuthenticationBackend")
    board = task.url("leaderboard_detail", number=1)
    pages = {
        EMPTY: "/account/settings/",
        "working board": task.url("score_board"),
        "published board": board,
        "published, all measures": f"{board}?{'&'.join(f'show={name}' for name in MEASURES)}",
        "published, one team": f"{board}?team=Team+3",
        "card of the task": task.url("scores_card"),
        "publish question": task.url("leaderboard_publish"),
        "CSV": task.url("leaderboard_csv", number=1),
        "JSON": task.url("leaderboard_json", number=1),
        "JSON, one measure": f"{task.url('leaderboard_json', number=1)}?measure={measure}&values=0",
        "picture, once drawn": task.url("leaderboard_picture", number=1, measure=measure),
        "two runs": task.url("leaderboard_compare", number=1),
        "topics": task.url("leaderboard_topics", number=1),
        "a run": task.url("leaderboard_run", number=1, tag="run-7"),
    }
    return {name: asked(client, address) for name, address in pages.items()}


def asked(client: Any, address: str) -> tuple[float, int]:
    """Milliseconds of processor time of this process, and bytes, not compressed."""

    def ask() -> int:
        answer = client.get(address)
        assert answer.status_code == 200, (address, answer.status_code)
        return len(answer.getvalue())

    size, taken = ask(), []
    for _ in range(TIMES):
        before = time.process_time()
        ask()
        taken.append(time.process_time() - before)
    return 1000 * median(taken), size


def seconds(act: Callable[[], object]) -> float:
    start = time.perf_counter()
    act()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
