"""No text that somebody can send is stored without a limit of its length, whichever way it comes in."""

import json
from io import BytesIO

import pytest
from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Field, JSONField, TextField
from django.test import Client
from django.urls import reverse

from campaign.formats.documents import DOCUMENT_LIMITS, DocumentReader
from campaign.formats.topics.read import read_topics
from campaign.models import Campaign, Document, Registration, Run
from campaign.runs.services.decisions import run_reject
from campaign.setup.services.campaigns import campaign_create
from campaign.setup.services.tasks import task_update
from campaign.teams.services.registrations import registration_decide
from campaign.text import limits
from judging.models import Judgment
from tests.factories import Cast, make_received_run
from tests.pure_code import APPS

MADE_HERE = {
    "campaign.Import.preview": "a few records, each cut to PREVIEW_LENGTH",
    "campaign.Import.found": "counts, a few pairs of documents that were judged here, and at most 200 topics with a difference",
    "campaign.Import.problems": "a problem log, which keeps 200 problems with short excerpts",
    "campaign.Job.arguments": "keys of rows",
    "campaign.AuditEvent.data": "values of columns that have limits, and reasons that are limited where they come in",
    "campaign.RenderedText.html": "made of a limited text, under a limit of its own",
    "campaign.User.desk_keys": "one character for each command of the desk",
    "campaign.Restoration.found": "counts, and titles of a checked manifest",
    "campaign.Restoration.problems": "a problem log, which keeps 200 problems with short excerpts",
    "campaign.SiteFigures.values": "numbers by names of jobs, folders and steps, and the newest few of each",
    "campaign.RowState.checksums": "a checksum of each column of a table",
    "campaign.Seal.columns": "names of columns of a table",
    "campaign.WorkerHeartbeat.queues": "names of the queues that the site declares",
    "campaign.Verification.sections": "names of sections",
    "campaign.Verification.looked": "numbers by declared words",
    "campaign.Verification.notes": "at most MOST_KEPT sentences about names of files and tasks",
    "campaign.ArchivedName.facts": "three short texts that are checked when they come in",
    "pooling.Pool.spec": "declared parameters of a strategy",
    "pooling.PoolChoice.learned": "docnos of one topic's pool",
    "pooling.PoolChoice.pending": "docnos of one topic's pool",
    "campaign.JudgedBefore.sources": "addresses and numbers of the earlier rounds",
    "judging.Adjudication.details": "grades of subtopics that the topic has",
    "judging.Adjudication.judgments": "identifiers of one document's judgments",
    "judging.Judgment.details": "grades of subtopics that the topic has",
    "judging.PreferenceAssignment.documents": "docnos of one topic's pool",
    "judging.PreferenceOrder.topics": "numbers of the task's topics",
    "judging.Qrels.topics": "numbers of the task's topics",
    "judging.Qrels.topics_not_scored": "numbers of the task's topics",
    "evaluation.Evaluation.measures": "the task's measures",
    "evaluation.Evaluation.left_out": "topics of the qrels",
    "evaluation.Evaluation.missed": "topics of the qrels",
    "evaluation.Evaluation.means": "a number for each of the task's measures",
    "evaluation.Leaderboard.measures": "the task's measures",
    "evaluation.Leaderboard.rows": "tags, names and numbers of the task's runs",
    "evaluation.Evaluation.unjudged_best": "a number for each of the task's measures",
    "evaluation.Evaluation.curves": "numbers at fixed points, and the gains of the task's scale",
    "evaluation.Leaderboard.run_ids": "keys of rows",
    "evaluation.WorkingBoard.run_ids": "keys of rows",
    "evaluation.Leaderboard.tests": "names of methods and numbers",
}
"""Long texts and JSON that nobody sends, and what keeps them short."""


def fields() -> dict[str, Field]:
    return {
        f"{app}.{model.__name__}.{field.name}": field
        for app in APPS
        for model in apps.get_app_config(app).get_models()
        for field in model._meta.local_fields
        if isinstance(field, models.CharField | TextField | JSONField)
    }


def test_every_column_of_text_has_a_limit() -> None:
    unlimited = {
        name for name, field in fields().items() if not (getattr(field, "limit", 0) or getattr(field, "max_length", 0))
    }
    assert unlimited == MADE_HERE.keys()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name", [name for name, field in fields().items() if getattr(field, "limit", 0) and field.limit < limits.DOCUMENT]
)
def test_a_limit_holds_at_every_write_of_a_column(name: str) -> None:
    field = fields()[name]
    too_long = ["x" * field.limit] if isinstance(field, JSONField) else "x" * (field.limit + 1)
    with pytest.raises(ValidationError, match=f"Write at most {field.limit:,} characters; these are "):
        field.model._base_manager.filter(pk=0).update(**{field.name: too_long})
    with pytest.raises(ValidationError, match="Write at most"):
        field.clean(too_long, None)


def test_the_form_says_how_long_a_text_may_be_and_stores_nothing(cast: Cast) -> None:
    client = Client()
    client.force_login(cast.organiser)
    sent = {"title": "T", "call": "![" * 1_200_000, "time_zone": "AoE", "registration": "open"}
    page = client.post(reverse("campaign_edit", kwargs={"campaign_slug": cast.campaign.slug}), sent)
    assert page.status_code == 422
    assert "Write at most 50,000 characters; these are 2,400,000." in page.content.decode()
    assert Campaign.objects.get(pk=cast.campaign.pk).title != "T"


def test_a_blueprint_is_held_to_the_same_limits(cast: Cast) -> None:
    with pytest.raises(ValidationError, match="at most 50,000 characters"):
        campaign_create(actor=cast.organiser, slug="long", title="Long", call="x" * 50_001)


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"label": "x" * 301}, "text: Write at most 300"),
        ({"help": "x" * 301}, "hint: Write at most 300"),
        ({"kind": "choice", "choices": ["a", "x" * 201]}, "choice 2: Write at most 200"),
        ({"kind": "choice", "choices": [str(number) for number in range(101)]}, "there are 101 choices, at most 100"),
    ],
)
def test_each_text_of_a_question_has_a_limit(cast: Cast, changed: dict[str, object], problem: str) -> None:
    with pytest.raises(ValidationError, match=problem):
        task_update(actor=cast.organiser, task=cast.task, questions=[{"key": "q", "label": "Q", **changed}])


def test_reasons_and_notes_of_decisions_have_limits(cast: Cast) -> None:
    run = make_received_run(cast.task, cast.team, "one", b"1 Q0 a 1 1 one\n")
    with pytest.raises(ValidationError, match="at most 2,000"):
        run_reject(actor=cast.organiser, run=run, reason="x" * 2_001)
    assert Run.objects.get(pk=run.pk).state == Run.RECEIVED
    registration = Registration.objects.get(team=cast.team)
    with pytest.raises(ValidationError, match="at most 2,000"):
        registration_decide(actor=cast.organiser, registration=registration, state="approved", note="x" * 2_001)


def test_topics_of_a_file_have_limits() -> None:
    topic = {
        "number": "1",
        "title": "x" * 2_001,
        "description": "d",
        "narrative": "x" * 20_001,
        "subtopics": ["x" * 2_001],
    }
    read = read_topics(BytesIO(json.dumps(topic).encode()))
    assert not read.records
    assert [problem.message.split(" has ")[0] for problem in read.problems.shown] == [
        "The title of topic 1",
        "The narrative of topic 1",
        "The subtopic 1 of topic 1",
    ]
    many = {"number": "1", "title": "t", "subtopics": ["x"] * 501}
    assert "has 501 subtopics" in str(read_topics(BytesIO(json.dumps(many).encode())).problems)


def test_a_long_title_of_a_document_is_cut_with_a_warning() -> None:
    reader = DocumentReader(BytesIO(json.dumps({"docno": "a", "title": "x" * 2_001, "text": "t"}).encode()))
    [record] = list(reader)
    assert len(record.title) == limits.TITLE_OF_DOCUMENT
    assert reader.problems.ok
    assert "has 2,001 characters. It is cut to 2,000." in str(reader.problems)


def test_a_document_that_a_file_may_hold_fits_into_its_column() -> None:
    assert max(DOCUMENT_LIMITS.max_line, DOCUMENT_LIMITS.max_record) <= Document._meta.get_field("text").limit


def test_notes_of_judgments_are_limited_by_the_desk_and_by_the_column() -> None:
    assert Judgment._meta.get_field("note").limit == limits.JUDGMENT_NOTE
