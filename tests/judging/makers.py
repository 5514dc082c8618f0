"""Pools and assignments made by hand, without runs behind them."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client

from campaign.models import Import, Role, Subtopic, Task, Topic, User
from judging.assigning.selectors.planning import Distribution, distribution_plan
from judging.assigning.services.planning import plan_carry_out
from judging.desk.services.judgments import judgment_record
from judging.model_assessors.services import ModelGrade, ModelOutcome, model_assessor_create, model_grades_record
from judging.models import Assignment, Judgment, ModelAssessor
from pooling.models import Pool, PoolEntry
from tests.factories import Cast, make_collection, make_topics

ROLES = ["organiser", "assessor", "member", "other_member", "stranger", "anonymous"]
BEST_POSITION, RUN_COUNT = 98765, 43210
"""Numbers that are easy to find where they must not be: ranks and scores of a document are hidden from assessors."""


def make_pool(task: Task, documents: dict[Topic, list[str]], frozen_by: User, version: int = 1, **values: Any) -> Pool:
    pool = Pool.objects.create(
        task=task,
        version=version,
        strategy="depth",
        size=sum(map(len, documents.values())),
        sha256="0" * 64,
        frozen_by=frozen_by,
        **values,
    )
    PoolEntry.objects.bulk_create(
        PoolEntry(
            pool=pool, topic=topic, docno=docno, position=position, best_position=BEST_POSITION, run_count=RUN_COUNT
        )
        for topic, docnos in documents.items()
        for position, docno in enumerate(docnos, start=1)
    )
    return pool


def make_assignment(cast: Cast, docnos: list[str], *, topic: str = "401", assessor: User | None = None) -> Assignment:
    """A collection, a topic, a pool of these documents for it, and the assignment to the cast's assessor."""
    [made] = make_topics(cast.task, [topic])
    make_collection(cast.task, docnos)
    pool = make_pool(cast.task, {made: docnos}, cast.organiser)
    return assign(pool, made, assessor or cast.assessor, cast.organiser)


def assign(pool: Pool, topic: Topic, assessor: User, organiser: User, pass_number: int = 1) -> Assignment:
    Role.objects.get_or_create(campaign=pool.task.campaign, user=assessor, role=Role.ASSESSOR)
    return Assignment.objects.create(
        pool=pool, topic=topic, assessor=assessor, assigned_by=organiser, pass_number=pass_number
    )


def make_subtopics(topic: Topic, numbers: list[str]) -> None:
    for position, number in enumerate(numbers, start=1):
        Subtopic.objects.create(topic=topic, number=number, position=position, text=f"aspect {number}")


def judge(
    assignment: Assignment, docno: str, grade: int | None, *, judged_at: datetime | None = None, **values: Any
) -> Judgment:
    """A grade, or "cannot judge" when it is None."""
    verdict = Judgment.CANNOT_JUDGE if grade is None else Judgment.GRADED
    return judgment_record(
        assessor=assignment.assessor,
        assignment=assignment,
        uuid=uuid4(),
        docno=docno,
        verdict=verdict,
        grade=grade,
        judged_at=judged_at,
        **values,
    )


PROMPT = "ab" * 32


def make_model_assessor(task: Task, organiser: User, version: str = "1", **values: str) -> tuple[ModelAssessor, str]:
    """A model assessor and its token."""
    stated = {"name": "grader", "version": version, "prompt_sha256": PROMPT, **values}
    return model_assessor_create(actor=organiser, task=task, **stated)


def model_grades(assessor: ModelAssessor, topic: str, grades: dict[str, int | None]) -> list[ModelOutcome]:
    sent = [ModelGrade(uuid4(), topic, docno, grade, PROMPT) for docno, grade in grades.items()]
    return model_grades_record(assessor=assessor, grades=sent)


def client_of(cast: Cast, role: str) -> Client:
    client = Client()
    if role != "anonymous":
        client.force_login(getattr(cast, role), backend="allauth.account.auth_backends.AuthenticationBackend")
    return client


def send_qrels(cast: Cast, content: str, capture: Any, **values: Any) -> Import:
    """A qrels file as an organiser sends it, after its check; `capture` runs what waits for the commit."""
    file = SimpleUploadedFile("q.txt", content.encode())
    with capture(execute=True):
        answer = client_of(cast, "organiser").post(
            cast.task.url("qrels_import"), {"file": file, "note": "", "combine": "alone", "policy": "latest", **values}
        )
    assert answer.status_code == 302
    return Import.objects.filter(kind=Import.QRELS).latest("created_at")


def distribute(*, actor: User, pool: Pool, assessors: Sequence[User]) -> list[Assignment]:
    return plan_carry_out(actor=actor, pool=pool, make=lambda: distribution_plan(pool, Distribution(assessors)))
