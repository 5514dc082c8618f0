"""Settings, grades, topics and assignments change lawfully; whatever else changes them is found."""

from collections.abc import Iterator

import pytest
from django.apps import apps
from django.db import connection
from django.db.models import Model

from campaign.integrity import Extent
from campaign.models import Grade, JudgedBefore, RowState, Seal, Subtopic, Task, Topic, User
from campaign.models.row_states import KeepsStates
from campaign.models.written_once import WrittenOnce
from evaluation.models import BoardSettings
from judging.models import AssigningRules, Assignment, PracticeAnswer
from runpool.operations.row_states import kept_models, row_states_begin, verify_row_states, verify_states_of
from runpool.operations.seals import sealed_models
from tests.campaign.test_written_once import make_rows, other_value
from tests.conftest import MadeOnce
from tests.factories import make_topics
from tests.places import REPOSITORY
from tests.tampering import erase, tamper

pytestmark = pytest.mark.django_db


def make_site() -> None:
    """A whole world, with a row of each kind."""
    make_rows()
    topic = Topic.objects.latest("pk")
    Subtopic.objects.create(topic=topic, number="1", position=1, text="aspect")
    PracticeAnswer.objects.create(task=topic.task, topic=topic, docno="p", grade=1, position=1)
    if not AssigningRules.objects.exists():
        AssigningRules.objects.create(task=topic.task)
    JudgedBefore.objects.create(task=topic.task, file="judged/x.parquet", sha256="0" * 64, pairs=1, topics=1)
    BoardSettings.objects.get_or_create(task=topic.task)
    row_states_begin()


@pytest.fixture(scope="module")
def made_site(made_once: MadeOnce) -> Iterator[None]:
    with made_once(make_site):
        yield


def found() -> list[str]:
    return [str(finding) for finding in verify_row_states(Extent())]


def test_nothing_is_found_where_only_the_site_wrote(made_site: None, db: None) -> None:
    extent = Extent()
    assert list(verify_row_states(extent)) == []
    assert extent.looked["rows by what the site left of them"] == sum(
        model._base_manager.count() for model in kept_models()
    )
    assert extent.notes == []
    assert RowState in sealed_models()


@pytest.mark.parametrize("model", kept_models(), ids=lambda model: model.__name__)
def test_a_change_of_any_column_is_found_by_its_name(model: type[KeepsStates], made_site: None, db: None) -> None:
    row = model._base_manager.latest("pk")
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute(
            "SELECT conname FROM pg_constraint WHERE conrelid = %s::regclass AND contype = 'c'", [model._meta.db_table]
        )
        for (name,) in cursor.fetchall():
            cursor.execute(f'ALTER TABLE "{model._meta.db_table}" DROP CONSTRAINT "{name}"')
        for field in model._meta.local_concrete_fields:
            if field.primary_key or field.is_relation:
                continue
            cursor.execute("SAVEPOINT before")
            value = "'x'" if (field.max_length or 9) < 5 else other_value(field)
            value = "'2001-01-01'" if field.get_internal_type() == "DateField" else value
            cursor.execute(f'UPDATE "{model._meta.db_table}" SET "{field.column}" = {value} WHERE id = {row.pk}')
            words = [
                one
                for one in map(str, verify_states_of(model, Extent()))
                if f"{model._meta.verbose_name} {row.pk} " in one and f": {field.attname}." in one
            ]
            assert bool(words) == (field.attname not in model.unkept), field
            cursor.execute("ROLLBACK TO SAVEPOINT before")


def test_relations_are_compared_too(made_site: None, db: None) -> None:
    assignment = Assignment.objects.latest("pk")
    tamper(assignment, assessor_id=User.objects.exclude(pk=assignment.assessor_id).latest("pk").pk)
    [finding] = found()
    assert "assessor_id" in finding


@pytest.mark.parametrize("model", [Grade, Topic, Assignment, AssigningRules, PracticeAnswer])
def test_a_row_that_was_deleted_is_missed(model: type[Model], made_site: None, db: None) -> None:
    row = model._base_manager.earliest("pk")
    for relation in row._meta.related_objects:
        for other in relation.related_model._base_manager.filter(**{relation.field.name: row}):
            erase_with_others(other)
    erase(row)
    assert any(f"{model._meta.verbose_name} {row.pk} of " in one and "did not delete it" in one for one in found())


def erase_with_others(row: Model) -> None:
    for relation in row._meta.related_objects:
        for other in relation.related_model._base_manager.filter(**{relation.field.name: row}):
            erase_with_others(other)
    erase(row)


def test_a_row_that_was_added_is_found(made_site: None, db: None) -> None:
    grade = Grade.objects.latest("pk")
    with connection.cursor() as cursor:
        cursor.execute(
            "INSERT INTO campaign_grade (task_id, value, label, key, gain, definition) VALUES (%s, 77, 'x', 'x', 7, '')",
            [grade.task_id],
        )
    [finding] = found()
    assert "The site did not write it." in finding


def test_whatever_django_writes_leaves_a_state(made_site: None, db: None) -> None:
    task = Task.objects.latest("pk")
    task.title = "Other"
    task.save(update_fields=["title"])
    Task.objects.filter(pk=task.pk).update(max_runs_per_team=7)
    for grade in (grades := list(task.grades.all())):
        grade.label += "!"
    Grade.objects.bulk_update(grades, ["label"])
    Grade.objects.update_or_create(task=task, value=50, defaults={"label": "x", "key": "y", "gain": 2.5})
    Topic.objects.bulk_create(
        [Topic(task=task, number="n1", position=901, title="a"), Topic(task=task, number="n2", position=902, title="b")]
    )
    task.topics.filter(number="n1").delete()
    Topic.objects.get(number="n2").delete()
    assert found() == []
    before = RowState.objects.count()
    Assignment.objects.update(finished_at=None)
    assert RowState.objects.count() == before, "nobody's work"


def test_what_goes_with_a_deleted_task_is_not_missed(made_site: None, db: None) -> None:
    task = Task.objects.create(campaign=Task.objects.latest("pk").campaign, slug="gone", title="Gone")
    make_topics(task, ["1", "2"])
    task.delete()
    assert found() == []


def unheld_columns() -> list[str]:
    """By table, the columns of the site's own tables that neither a seal nor a state holds."""
    lines = []
    for model in sorted(apps.get_models(), key=lambda model: model._meta.db_table):
        columns = [field.attname for field in model._meta.local_concrete_fields]
        if model is Seal:
            continue
        if issubclass(model, KeepsStates):
            columns = sorted(model.unkept)
        elif issubclass(model, WrittenOnce) and not model.may_be_deleted:
            columns = sorted(model.changeable)
        if columns and model.__module__.partition(".")[0] in {"campaign", "pooling", "judging", "evaluation"}:
            lines.append(f"| `{model._meta.db_table}` | {', '.join(columns)} |")
    return lines


def test_the_page_lists_every_column_that_is_not_held() -> None:
    page = (REPOSITORY / "docs/reference/verify.md").read_text(encoding="utf-8")
    assert [line for line in page.splitlines() if line.startswith("| `")] == unheld_columns()
