"""What is written once stays as it is: by the model, by its manager, and by the database for code that bypasses both."""

import re
from collections.abc import Iterator
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction
from django.db.models import Field
from django.utils import timezone

from campaign.log.audit import audit
from campaign.models import AuditEvent, Correction, Notice, OrganiserAnswer, OrganiserQuestion, RowState, Seal
from campaign.models.written_once import WrittenOnce, WrittenOnceError, WrittenOnceQuerySet
from evaluation.models import Evaluation, Leaderboard, PreferenceScores, PublishedTrust
from evaluation.services.leaderboards import leaderboard_publish
from judging.models import Adjudication, Assignment, Judgment, ModelJudgment, PreferenceAct, PreferenceOrder, Qrels
from pooling.models import Pool, PoolChoice, PoolEntry, PoolRun, Search, TopicStop
from runpool.operations.seals import rows_seal
from tests.conftest import MadeOnce
from tests.factories import Cast
from tests.world import make_world

pytestmark = pytest.mark.sqlite

GUARDED = [model for model in apps.get_models() if issubclass(model, WrittenOnce)]


def write(sql: str) -> None:
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)


def other_value(field: Field) -> str:
    """Something that the column does not hold, by its type, in SQL."""
    quoted = connection.ops.quote_name(field.column)
    kind = field.get_internal_type()
    if kind in {"BooleanField"}:
        return f"NOT {quoted}"
    if kind == "JSONField":
        return "'[\"other\"]'"
    if kind == "DateTimeField":
        return "'2001-01-01 00:00:00+00'"
    if kind == "UUIDField":
        return "'00000000-0000-4000-8000-000000000000'"
    if kind == "BinaryField":
        return "'\\x00'" if connection.vendor == "postgresql" else "x'00'"
    return "'other'" if kind in {"CharField", "TextField", "FileField", "SlugField"} else f"COALESCE({quoted}, 0) + 1"


def make_rows() -> None:
    cast = make_world().cast
    assignment = Assignment.objects.get()
    Judgment.objects.create(
        uuid=uuid4(),
        assignment=assignment,
        topic=assignment.topic,
        assessor=cast.assessor,
        docno="a",
        verdict=Judgment.GRADED,
        grade=1,
        judged_at=timezone.now(),
    )
    Adjudication.objects.create(
        uuid=uuid4(),
        topic=assignment.topic,
        docno="a",
        adjudicator=cast.organiser,
        verdict=Adjudication.GRADED,
        grade=1,
    )
    board = leaderboard_publish(actor=cast.organiser, task=cast.task)
    PublishedTrust.objects.create(leaderboard=board, report="trust/report.json")
    rows_seal()


@pytest.fixture(scope="module")
def rows_of_all(made_once: MadeOnce) -> Iterator[None]:
    with made_once(make_rows):
        yield


@pytest.fixture(params=GUARDED, ids=lambda model: model.__name__)
def model(request: pytest.FixtureRequest, rows_of_all: None, db: None) -> type[WrittenOnce]:
    """Each guarded model in turn, with rows."""
    guarded: type[WrittenOnce] = request.param
    assert guarded._base_manager.exists()
    return guarded


def test_what_others_build_on_is_written_once() -> None:
    assert {
        AuditEvent,
        Correction,
        Notice,
        OrganiserAnswer,
        OrganiserQuestion,
        Pool,
        PoolChoice,
        PoolEntry,
        PoolRun,
        Search,
        TopicStop,
        Judgment,
        Adjudication,
        ModelJudgment,
        Qrels,
        Evaluation,
        Leaderboard,
        PreferenceAct,
        PreferenceOrder,
        PreferenceScores,
        PublishedTrust,
        RowState,
        Seal,
    } == set(GUARDED)


@pytest.mark.sqlite(
    "campaign.models.triggers.RefuseSecondWrite.database_backwards",
    "campaign.models.triggers.RefuseSecondWrite.database_forwards",
)
def test_the_database_refuses_a_change_of_every_column(model: type[WrittenOnce]) -> None:
    table = connection.ops.quote_name(model._meta.db_table)
    for field in model._meta.local_concrete_fields:
        column, value = connection.ops.quote_name(field.column), other_value(field)
        if field.column not in model.changeable:
            with pytest.raises(IntegrityError, match="written once"):
                write(f"UPDATE {table} SET {column} = {value}")
    if not model.may_be_deleted:
        with pytest.raises(IntegrityError, match="written once"):
            write(f"DELETE FROM {table}")
        if connection.vendor == "postgresql":
            with pytest.raises(IntegrityError, match="written once"):
                write(f"SET CONSTRAINTS ALL IMMEDIATE; TRUNCATE {table} CASCADE")
    if connection.vendor == "sqlite":  # which deletes the old row without firing the trigger for a deletion
        with pytest.raises(IntegrityError, match="written once"):
            write(f"REPLACE INTO {table} SELECT * FROM {table}")


def test_models_and_managers_refuse_in_words(model: type[WrittenOnce]) -> None:
    rows: WrittenOnceQuerySet = model.objects.all()
    row = rows[0]
    name = next(
        field.name for field in model._meta.local_concrete_fields if field.name not in {*model.changeable, "id"}
    )
    changes = [
        row.save,
        lambda: rows.update(**{name: getattr(row, name)}),
        lambda: rows.bulk_update([row], [name]),
        lambda: rows.update_or_create(pk=row.pk, defaults={name: getattr(row, name)}),
        lambda: rows.bulk_create([row], update_conflicts=True),
    ]
    for change in changes:
        with pytest.raises(WrittenOnceError, match=re.escape(f"are never changed. {model.instead}".strip())):
            change()
    if not model.may_be_deleted:
        for delete in (row.delete, rows.delete):
            with pytest.raises(WrittenOnceError, match="are never deleted"):
                delete()


def test_rows_are_inserted_in_bulk_by_whatever_options_change_nothing(cast: Cast) -> None:
    event = AuditEvent(verb="try", object_type="x", object_id="x")
    AuditEvent.objects.bulk_create([event], 10, update_conflicts=False, update_fields=None, unique_fields=None)
    assert AuditEvent.objects.filter(verb="try", object_type="x").count() == 1


def test_a_new_object_with_an_old_key_overwrites_nothing(cast: Cast) -> None:
    event = audit(cast.organiser, "try", cast.task, campaign=cast.campaign)
    copy = AuditEvent(pk=event.pk, verb="other", object_type="x", object_id="x")
    with pytest.raises(IntegrityError), transaction.atomic():
        copy.save()
