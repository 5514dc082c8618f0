"""What is written once stays as it is: by the model, by its manager, and by the database for code that bypasses both."""

import pytest
from django.apps import apps
from django.db import IntegrityError, connection, transaction
from django.db.models import Field

from campaign.audit import audit
from campaign.models import AuditEvent
from campaign.models.written_once import WrittenOnce, WrittenOnceError
from tests.factories import Cast
from tests.test_access_matrix import make_world

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


@pytest.mark.parametrize("model", GUARDED, ids=lambda model: model.__name__)
def test_the_database_refuses_a_change_of_every_column(db: None, model: type[WrittenOnce]) -> None:
    make_world()
    table = connection.ops.quote_name(model._meta.db_table)
    assert model._base_manager.exists()
    for field in model._meta.local_concrete_fields:
        column, value = connection.ops.quote_name(field.column), other_value(field)
        if field.column not in model.changeable:
            with pytest.raises(IntegrityError, match="written once"):
                write(f"UPDATE {table} SET {column} = {value}")
    if not model.may_be_deleted:
        with pytest.raises(IntegrityError, match="written once"):
            write(f"DELETE FROM {table}")


def test_models_and_managers_refuse_in_words(cast: Cast) -> None:
    event = audit(cast.organiser, "try", cast.task, campaign=cast.campaign)
    writes = [
        event.save,
        event.delete,
        AuditEvent.objects.all().delete,
        lambda: AuditEvent.objects.update(verb="other"),
        lambda: AuditEvent.objects.bulk_update([event], ["verb"]),
        lambda: AuditEvent.objects.update_or_create(pk=event.pk, defaults={"verb": "other"}),
        lambda: AuditEvent.objects.bulk_create([event], update_conflicts=True),
    ]
    for write_again in writes:
        with pytest.raises(WrittenOnceError, match=r"Audit events are never (changed|deleted)\."):
            write_again()


def test_a_new_object_with_an_old_key_overwrites_nothing(cast: Cast) -> None:
    event = audit(cast.organiser, "try", cast.task, campaign=cast.campaign)
    copy = AuditEvent(pk=event.pk, verb="other", object_type="x", object_id="x")
    with pytest.raises(IntegrityError), transaction.atomic():
        copy.save()
