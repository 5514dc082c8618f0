"""The world of the access matrix, in which every text that a user can set is an attack: in every column, in whatever model."""

from typing import Any
from uuid import uuid4

from django.apps import apps
from django.db.models import CharField, EmailField, Field, Model, TextField

from campaign.formats.problems import ProblemLog
from campaign.models import (
    ArchivedName,
    Campaign,
    Import,
    Notice,
    Registration,
    RoleInvitation,
    Run,
    RunProblem,
    Subtopic,
    Task,
)
from campaign.models.fields import LimitedTextField
from campaign.models.written_once import WrittenOnce
from evaluation.analysis.reliability.services import published_report_compute, working_report_compute
from evaluation.models import Evaluation, WorkingBoard
from evaluation.selectors.leaderboard_drafts import Terms
from evaluation.services.leaderboards import leaderboard_publish
from evaluation.services.scoring import task_score
from judging.desk.services.judgments import judgment_record
from judging.models import Assignment
from pooling.models import Pool, TopicStop
from tests.campaign.news.makers import make_notice, make_question
from tests.factories import Cast
from tests.pure_code import APPS
from tests.security.payloads import IN_ADDRESSES, MARK, PAYLOADS, TOPIC_IN_ADDRESSES, payload_of
from tests.world import Names, World, make_world

NOT_SET_BY_USERS = {
    *("mark", "set_name"),
    *("slug", "tag", "number", "docno", "code", "severity", "verb", "object_type", "object_id", "engine", "format"),
    *(
        "strategy",
        "order",
        "policy",
        "key",
        "invitation_key",
        "start",
        "time_zone",
        "html",
        "tag_pattern",
        "docno_pattern",
    ),
    *("password", "verdict"),
}
"""Parts of addresses, which `Names` holds, and words that the program chooses."""
QUESTIONS = [
    {
        "key": f"q{number}",
        "label": payload_of(300),
        "kind": kind,
        "required": False,
        "help": payload_of(300),
        "choices": choices,
    }
    for number, (kind, choices) in enumerate(
        [("text", []), ("choice", [payload_of(200), "b"]), ("yes/no", []), ("number", [])]
    )
]


def make_hostile_world() -> World:
    world = make_world(Names(tag=IN_ADDRESSES, topic=TOPIC_IN_ADDRESSES, docno=IN_ADDRESSES))
    cast = world.cast
    topic = cast.task.topics.get(number=TOPIC_IN_ADDRESSES)
    Subtopic.objects.create(topic=topic, number=f"<{MARK}>", position=1, text="t")
    run = Run.objects.get()
    RunProblem.objects.create(
        run=run, line=1, code="column_count", severity="error", message="m", remedy="r", excerpt="e"
    )
    [assignment] = Assignment.objects.all()
    judgment_record(
        assessor=cast.assessor, assignment=assignment, uuid=uuid4(), docno="b", grade=1, note=payload_of(4000)
    )
    pool = Pool.objects.get(version=2)
    TopicStop.objects.create(pool=pool, topic=topic, kind=TopicStop.HAND, reason=payload_of(2000))
    _poison_columns()
    _poison_json()
    for audience in (Notice.EVERYBODY, Notice.ASSESSORS):
        make_notice(cast, audience, title=payload_of(200), body=payload_of(None))
    make_question(cast, text=payload_of(4000), answer=payload_of(10_000), shows_name=True)
    Run.objects.update(decision=Run.ACCEPTED, decision_reason=payload_of(2000))
    Registration.objects.update(note=payload_of(2000))
    _report_on_poisoned_boards(cast)
    return world


def _report_on_poisoned_boards(cast: Cast) -> None:
    """Boards and the reports on them are stored: they hold the texts only if they are computed after these were set."""
    task = Task.objects.get(pk=cast.task.pk)
    Evaluation.objects.all().delete()
    WorkingBoard.objects.all().delete()
    task_score(task=task, report=lambda done, total: None)
    working_report_compute(task=task, report=lambda done, total, what: None)
    board = leaderboard_publish(
        actor=cast.organiser, task=cast.task, terms=Terms(note=payload_of(500), terms=payload_of(2000))
    )
    published_report_compute(leaderboard=board, report=lambda done, total, what: None)


def texts_of_users() -> list[tuple[type[Model], Field[Any, Any]]]:
    """Every column of text, but for those of rows that are written once, which are made with attacks in them."""
    return [
        (model, field)
        for app in APPS
        for model in apps.get_app_config(app).get_models()
        if not issubclass(model, WrittenOnce)
        for field in model._meta.local_fields
        if isinstance(field, CharField | TextField)
        and field.name not in NOT_SET_BY_USERS
        and not field.choices
        and not field.name.endswith("sha256")
        and not (model._meta.model_name == "job" and field.name == "name")
    ]


def _poison_columns() -> None:
    for model, field in texts_of_users():
        room = field.limit if isinstance(field, LimitedTextField) else field.max_length
        rows = model._base_manager.all()
        if (model, field.name) == (RoleInvitation, "email"):  # an invitation is for a user or for an address
            rows = rows.exclude(email="")
        for pk in rows.values_list("pk", flat=True):
            is_alone = field.unique or isinstance(field, EmailField) or model is ArchivedName
            apart = str(pk)[:8] if is_alone else ""
            text = payload_of(None if room is None else room - len(apart)) + apart
            model._base_manager.filter(pk=pk).update(**{field.name: text})


def _poison_json() -> None:
    Task.objects.update(questions=QUESTIONS)
    Campaign.objects.update(links=[{"label": PAYLOADS[0], "url": PAYLOADS[0]}])
    Run.objects.update(
        answers={"q0": PAYLOADS[0], "q1": payload_of(200), "gone": PAYLOADS[0]},
        metadata={PAYLOADS[0]: {PAYLOADS[0]: [PAYLOADS[0], 1]}},
    )
    log = ProblemLog()
    log.add("column_count", PAYLOADS[0], PAYLOADS[0], line=1, excerpt=PAYLOADS[0])
    record = dict.fromkeys(("number", "docno", "title", "description", "narrative", "text"), PAYLOADS[0])
    preview = [{**record, "subtopics": [{"number": PAYLOADS[0], "text": PAYLOADS[0]}]}]
    Import.objects.filter(kind=Import.TOPICS).update(state=Import.READY, preview=preview, problems=log.to_json())
    Import.objects.filter(kind=Import.QRELS).update(problems=log.to_json())
    judged = {**record, "topic": PAYLOADS[0], "assessor": PAYLOADS[0], "grade": 1, "note": PAYLOADS[0]}
    of_judgments = Import.objects.filter(kind=Import.JUDGMENTS)
    of_judgments.update(state=Import.READY, preview=[judged], problems=log.to_json(), found={"new": 1, "assessors": 1})
