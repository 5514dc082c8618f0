"""A campaign in which every table of archives has a row, and its archive."""

from datetime import UTC, datetime, timedelta
from io import BytesIO
from uuid import uuid4

import polars as pl
from django.core.files.base import ContentFile
from django.utils import timezone

from campaign.models import (
    Allowance,
    ArchivedName,
    Campaign,
    JudgedBefore,
    Milestone,
    Notice,
    Run,
    RunProblem,
    Subtopic,
    Task,
    User,
)
from campaign.models.mail import NOTICE
from campaign.storage import store
from evaluation.analysis.reliability.services import published_report_compute
from evaluation.models import BoardSettings, Evaluation, WorkingBoard
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import task_score
from judging.models import Adjudication, AssigningRules, Assignment, Judgment, PracticeAnswer, PracticeGrade
from tests.runpool.archive.makers import archive_of, bytes_of
from tests.world import World, make_world


def make_full_world() -> World:
    world = make_world()
    cast, task = world.cast, world.cast.task
    topic = task.topics.order_by("position")[0]
    Subtopic.objects.create(topic=topic, number="7", position=9, text="A part.")
    Allowance.objects.create(task=task, team=cast.team, closes_at=timezone.now() + timedelta(days=9))
    AssigningRules.objects.create(task=task, due_on=timezone.now().date() + timedelta(days=9))
    margin = {"margin": 0.02, "margin_measure": "AP", "margin_named_at": timezone.now()}
    BoardSettings.objects.update_or_create(task=task, defaults=margin)
    run = Run.objects.filter(task=task)[0]
    RunProblem.objects.create(run=run, line=1, code="column_count", severity="error", message="m", remedy="r")
    Run.objects.filter(task=task).update(metadata={"tag": "one", "parts": [{"depth": 3}]}, answers={"key": "yes"})
    assignment = Assignment.objects.filter(pool__task=task)[0]
    act = {"topic": topic, "docno": "a", "verdict": "graded", "grade": 1, "details": {"1": 1}}
    judgment = Judgment.objects.create(
        uuid=uuid4(), assignment=assignment, assessor=cast.assessor, judged_at=timezone.now(), pass_number=1, **act
    )
    Adjudication.objects.create(uuid=uuid4(), adjudicator=cast.organiser, judgments=[str(judgment.uuid)], **act)
    answer = PracticeAnswer.objects.filter(task=task)[0]
    PracticeGrade.objects.create(answer=answer, user=cast.assessor, round=1, grade=1)
    _judged_before(task)
    notice = Notice.objects.create(
        campaign=cast.campaign, audience=Notice.SELECTION, kind=NOTICE, title="Chosen", batch=uuid4()
    )
    notice.teams.add(cast.team)
    Milestone.objects.create(campaign=cast.campaign, label="Talks", at=datetime(2027, 1, 1, tzinfo=UTC))
    _score_again(task)
    board = leaderboard_publish(actor=cast.organiser, task=task)
    published_report_compute(leaderboard=board, report=lambda done, total, what: None)
    return world


def _judged_before(task: Task) -> None:
    content = BytesIO()
    pl.DataFrame({"topic": ["1"], "docno": ["z"]}).write_parquet(content)
    stored = store(ContentFile(content.getvalue()), folder="judged-before", suffix=".parquet")
    JudgedBefore.objects.create(
        task=task,
        file=stored.name,
        sha256=stored.sha256,
        pairs=1,
        topics=1,
        sources=[{"round": "first", "judgments": 1, "qrels": None}],
    )


def _score_again(task: Task) -> None:
    """The world has numbers in the place of scores that no board can be made of again."""
    Evaluation.objects.all().delete()
    WorkingBoard.objects.all().delete()
    task_score(task=task, report=lambda done, total: None)


def make_full_archive() -> bytes:
    world = make_full_world()
    return bytes_of(archive_of(world.cast.campaign, world.cast.organiser))


def people_of(campaign: Campaign) -> dict[str, User]:
    names = ArchivedName.objects.filter(campaign=campaign, user__isnull=False).select_related("user")
    return {name.name: name.user for name in names if name.user}
