"""Pools that grow while they are judged, from small runs, and assessors who judge them by a truth."""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from campaign.models import Job
from campaign.queue.jobs import Progress
from judging.checkouts.services import claims_take, topic_advance
from judging.jobs import choose_documents
from judging.judgments.selectors.own_documents import items
from judging.models import Assignment
from pooling.core.strategies.spec import PoolSpec
from pooling.models import Pool, PoolChoice
from pooling.selectors.growth import CHOOSE_DOCUMENTS
from pooling.selectors.growth_states import replay
from pooling.services.pools import pool_freeze
from tests.factories import Cast, make_collection, make_topics
from tests.judging.makers import judge
from tests.pooling.makers import make_valid_run

DOCNOS = [f"D{number:02}" for number in range(40)]
RANKINGS = {"good": DOCNOS, "backwards": DOCNOS[::-1], "odd": DOCNOS[1::2] + DOCNOS[::2]}
SMALL = {"depth": 1, "candidates": 40, "size": 16, "least": 0, "patience": 3, "control": 3}


def is_relevant(docno: str) -> bool:
    """The first run is right at its top."""
    return docno in DOCNOS[:5]


def make_growing_pool(cast: Cast, topic: str = "401", strategy: str = "maxmean", **parameters: int) -> Pool:
    make_topics(cast.task, [topic])
    make_collection(cast.task, DOCNOS)
    teams = (cast.team, cast.other_team, cast.team)
    for team, (tag, docnos) in zip(teams, RANKINGS.items(), strict=True):
        make_valid_run(cast.task, team, tag, {topic: docnos})
    spec = PoolSpec.with_defaults(strategy, {**SMALL, **parameters}, seed=7)
    return pool_freeze(actor=cast.organiser, task=cast.task, spec=spec)


def advance(pool: Pool) -> None:
    """As the worker does it."""
    topic_advance(pool=Pool.objects.get(pk=pool.pk), topic=pool.task.topics.get())


def work_off() -> None:
    """What the worker would do now."""
    for job in Job.objects.filter(name=CHOOSE_DOCUMENTS, state=Job.QUEUED):
        choose_documents.body(Progress(job.pk, job.attempts), **job.arguments)
        Job.objects.filter(pk=job.pk).update(state=Job.DONE, finished_at=timezone.now())


def handed_out(assignment: Assignment) -> list[str]:
    """What the desk shows of documents to judge, after it has asked for them."""
    claims_take(assignment)
    return [item.docno for item in items(assignment) if not item.is_judged]


def judge_all(
    assignment: Assignment, pool: Pool, truth: Callable[[str], bool] = is_relevant, most: int = 1000, **values: Any
) -> list[str]:
    """Judge what is handed out, the worker choosing after each judgment, until nothing comes; the docnos in their order."""
    judged: list[str] = []
    while len(judged) < most and (waiting := handed_out(assignment)):
        judge(assignment, waiting[0], 2 if truth(waiting[0]) else 0, **values)
        judged.append(waiting[0])
        work_off()
    return judged


def first_difference(pool: Pool) -> str | None:
    """What of the log does not come out again."""
    return next((what for _, _, what in replay(pool) if what), None)


def chosen(pool: Pool) -> list[str]:
    return list(PoolChoice.objects.filter(pool=pool).order_by("step").values_list("docno", flat=True))
