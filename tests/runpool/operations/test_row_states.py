"""Settings, grades, topics and assignments change lawfully; whatever else changes them is found."""

import json
from collections.abc import Callable, Iterator
from datetime import timedelta

import pytest
from django.apps import apps
from django.db import connection, models
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import CASCADE, PROTECT, RESTRICT, Exists, ForeignKey, Model, OuterRef
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from campaign.integrity import Extent
from campaign.models import (
    Allowance,
    Campaign,
    Grade,
    JudgedBefore,
    Membership,
    Restoration,
    Role,
    RowState,
    Seal,
    Subtopic,
    Task,
    Team,
    Topic,
    User,
)
from campaign.models.row_states import KeepsStates, KeepsStatesQuerySet
from campaign.models.written_once import WrittenOnce
from campaign.setup.services.deletions import remove_for_good
from campaign.setup.services.people import role_grant, role_revoke
from campaign.teams.services.allowances import allowance_give
from campaign.teams.services.teams import team_leave, team_update
from evaluation.models import BoardSettings
from judging.models import AssigningRules, Assignment, PracticeAnswer
from runpool.account_data.services.deletion import user_delete
from runpool.jobs import sweep
from runpool.operations import row_states
from runpool.operations.row_states import (
    kept_models,
    kept_tables_note,
    row_states_begin,
    verify_row_states,
    verify_states_of,
)
from runpool.operations.seals import sealed_models
from tests.campaign.test_written_once import make_rows, other_value
from tests.conftest import MadeOnce
from tests.factories import Cast, make_cast, make_topics, make_user
from tests.places import REPOSITORY
from tests.runpool.archive.makers import archive_of, bytes_of, restore
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
    Allowance.objects.get_or_create(task=topic.task, team=Team.objects.latest("pk"))
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
    subject = f"{model._meta.verbose_name} {row.pk}"
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
                if one.startswith((f"{subject} ", f"{subject}:")) and f": {field.attname}." in one
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


def test_a_team_that_was_deleted_with_its_members_is_missed_once(made_site: None, db: None) -> None:
    team = Team.objects.create(slug="gone", name="Gone")
    Membership.objects.create(team=team, user=User.objects.latest("pk"), is_owner=True)
    erase_with_others(team)
    [finding] = found()
    assert finding.startswith(f"team {team.pk}: It is gone")


def test_what_belonged_to_a_campaign_that_was_removed_for_good_is_not_missed(made_site: None, db: None) -> None:
    user = User.objects.latest("pk")
    campaign = Campaign.objects.create(slug="old", title="Old", deleted_at=timezone.now() - timedelta(days=40))
    Role.objects.create(campaign=campaign, user=user, role=Role.ORGANISER)
    assert remove_for_good().startswith("deleted campaigns: 1 campaign")
    assert not Role.objects.filter(campaign=campaign).exists()
    assert found() == []


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


def make_task_with_subtopics(campaign: Campaign, **fields: int) -> Task:
    task = Task.objects.create(campaign=campaign, slug="gone", title="Gone", **fields)
    for topic in make_topics(task, ["1", "2"]):
        Subtopic.objects.create(topic=topic, number="1", position=1, text="aspect")
    return task


def test_what_goes_with_a_deleted_row_is_not_missed_nor_where_a_new_row_gets_its_key(made_site: None, db: None) -> None:
    """After a restore or a move the next key is the one after the largest: of a row that was deleted, it may be."""
    campaign = Task.objects.latest("pk").campaign
    task = make_task_with_subtopics(campaign)
    topic, other = task.topics.all()
    task.topics.filter(pk=topic.pk).delete()
    Topic.objects.create(pk=topic.pk, task=task, number="3", position=3, title="New")
    assert found() == []
    gone = task.pk
    task.delete()
    assert found() == []
    task = Task.objects.create(pk=gone, campaign=campaign, slug="new", title="New")
    Topic.objects.create(pk=other.pk, task=task, number="1", position=1, title="New")
    assert found() == []


def as_first_known(tables: set[str], before: timedelta) -> None:
    """As if the site kept states of these tables since then only, and comparing had not begun."""
    for note in RowState.objects.filter(table=""):
        names = {table: noted for table, noted in note.checksums.items() if table not in tables}
        tamper(note, checksums=json.dumps(names))
    kept_tables_note()
    tamper(RowState.objects.filter(table="").latest("pk"), kept_at=timezone.now() - before)


def test_a_table_of_which_a_version_keeps_states_first_begins_alone(
    made_site: None, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One table for another: what was found of those that stay is found as before, before and after."""
    as_first_known({"campaign_role"}, timedelta(days=2))
    monkeypatch.setattr(row_states, "kept_models", lambda: [one for one in kept_models() if one is not Allowance])
    role, topic, tampered = Role.objects.latest("pk"), Topic.objects.latest("pk"), Allowance.objects.latest("pk")
    tamper(topic, title="Other")
    tamper(role, languages="xx")
    tamper(tampered, extra_runs=77)
    extent = Extent()
    [before] = map(str, verify_row_states(extent))
    assert "title" in before
    assert extent.notes == [
        "Rows of campaign_role are compared from the first daily cleaning that comes a day after this upgrade."
    ]
    kept = RowState.objects.exclude(table="").count()
    assert row_states_begin() == "tables whose every row has a state from now on: 1"
    assert RowState.objects.exclude(table="").count() == kept + Role.objects.count()
    assert found() == [before]
    tamper(role, languages="yy")
    assert len(found()) == 2


def test_what_an_earlier_version_writes_within_a_day_is_no_finding(made_site: None, db: None) -> None:
    """Of a table without a row too, and however long ago the table of states was made."""
    role, allowances = Role.objects.latest("pk"), Allowance.objects.all()
    for allowance in allowances:
        erase(allowance)
    as_first_known({"campaign_role", "campaign_allowance"}, timedelta(hours=23))
    assert row_states_begin() == "tables whose every row has a state from now on: 0"
    tamper(role, languages="xx")
    for allowance in allowances:
        models.Model.save_base(allowance, raw=True, force_insert=True)
    assert RowState.objects.filter(table="").count() == 3, "what is known is noted once"
    assert found() == []
    as_first_known({"campaign_role", "campaign_allowance"}, timedelta(hours=25))
    assert row_states_begin() == "tables whose every row has a state from now on: 2"
    assert found() == []
    tamper(role, languages="yy")
    assert len(found()) == 1
    assert row_states_begin() == "tables whose every row has a state from now on: 0"
    assert len(found()) == 1


def test_the_sweep_notes_the_tables_once_and_a_site_with_rows_of_an_earlier_version_waits(db: None) -> None:
    cast = make_cast()
    for state in RowState.objects.all():
        erase(state)
    for _ in range(2):
        sweep()
    [note] = RowState.objects.filter(table="")
    assert set(note.checksums) == {model._meta.db_table for model in kept_models()}
    row_states_begin()
    tamper(cast.task, title="Other")
    extent = Extent()
    assert list(verify_row_states(extent)) == []
    assert len(extent.notes) == 1
    assert not extent.looked


def forget_notes() -> None:
    for state in RowState.objects.filter(table=""):
        erase(state)


def kinds_noted() -> list[set[str]]:
    notes = RowState.objects.filter(table="").order_by("pk").values_list("checksums", flat=True)
    return [set(note.values()) for note in notes]


def test_a_site_of_an_earlier_version_without_campaigns_waits_a_day_and_a_new_one_begins_at_once(db: None) -> None:
    forget_notes()
    kept_tables_note()
    assert kinds_noted() == [{"known"}, {"begun"}]
    forget_notes()
    first = MigrationRecorder.Migration.objects.filter(app="campaign", name="0001_initial")
    first.update(applied=first.get().applied - timedelta(days=1))
    kept_tables_note()
    assert kinds_noted() == [{"known"}]


def test_a_sweep_that_is_cut_off_in_a_new_site_notes_nothing_and_the_next_one_all(
    db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut_off(what: str, models: list[type[KeepsStates]]) -> None:
        if what == row_states.BEGUN:
            raise KeyboardInterrupt
        note(what, models)

    forget_notes()
    note = row_states._note
    monkeypatch.setattr(row_states, "_note", cut_off)
    with pytest.raises(KeyboardInterrupt):
        kept_tables_note()
    assert kinds_noted() == []
    monkeypatch.undo()
    kept_tables_note()
    assert kinds_noted() == [{"known"}, {"begun"}]


def test_what_an_earlier_version_deleted_during_the_upgrade_is_not_missed(made_site: None, db: None) -> None:
    task = make_task_with_subtopics(Task.objects.latest("pk").campaign)
    for row in [Subtopic.objects.latest("pk"), *task.topics.all()[1:]]:
        erase(row)
    assert len(found()) == 1, "a topic, with its subtopic"
    as_first_known({"campaign_topic", "campaign_subtopic"}, timedelta(days=2))
    row_states_begin()
    assert found() == []
    Topic.objects.create(pk=row.pk, task=task, number="2", position=2, title="New")
    assert found() == []


def test_one_row_that_cannot_be_read_keeps_no_other_from_having_a_state(made_site: None, db: None) -> None:
    task = Task.objects.latest("pk")
    tamper(task, opens_at="0001-12-31 10:00:00+00 BC")
    as_first_known({"campaign_task"}, timedelta(days=2))
    assert row_states_begin().endswith(f"cannot be read: task {task.pk} of campaign {task.campaign.slug}")
    [unreadable] = found()
    assert "It cannot be read" in unreadable


def test_what_is_deleted_is_what_an_end_was_kept_of(made_site: None, db: None) -> None:
    """Also where other rows meet the conditions a moment later."""
    task = make_task_with_subtopics(Task.objects.latest("pk").campaign)
    ends = RowState.objects.filter(table="campaign_topic", row=OuterRef("pk"), checksums={})
    task.topics.filter(~Exists(ends)).delete()
    assert not task.topics.exists()
    assert found() == []


def test_rows_are_locked_before_a_state_of_them_is_kept(made_site: None, db: None) -> None:
    """Two writers; and an update holds up nobody who writes a row that refers to this one, such as a run to its task."""
    task = make_task_with_subtopics(Task.objects.latest("pk").campaign)
    acts: list[tuple[Callable[[], object], str]] = [
        (lambda: task.topics.update(title="Other"), " FOR NO KEY UPDATE"),
        (lambda: task.topics.filter(number="1").delete(), " FOR UPDATE"),
        (lambda: task.topics.get().delete(), " FOR UPDATE"),
        (lambda: task.delete(), " FOR UPDATE"),
    ]
    for act, lock in acts:
        with CaptureQueriesContext(connection) as done:
            act()
        statements = [query["sql"] for query in done.captured_queries]
        kept = next(place for place, sql in enumerate(statements) if sql.startswith('INSERT INTO "campaign_rowstate"'))
        assert [sql for sql in statements[:kept] if lock in sql], statements
        assert lock == " FOR UPDATE" or not any(" FOR UPDATE" in sql for sql in statements)


@pytest.mark.parametrize("model", kept_models(), ids=lambda model: model.__name__)
def test_no_way_of_django_past_the_states(model: type[KeepsStates]) -> None:
    """Every manager keeps them; and a row of another table that is deleted neither takes one along nor writes into it."""
    for manager in model._meta.managers:
        assert isinstance(manager.get_queryset(), KeepsStatesQuerySet), manager.name
    for field in model._meta.local_concrete_fields:
        if isinstance(field, ForeignKey):
            on_delete = field.remote_field.on_delete
            assert on_delete in (PROTECT, RESTRICT) or issubclass(field.related_model, KeepsStates), field
            assert on_delete in (PROTECT, RESTRICT, CASCADE), field


def test_what_people_do_to_themselves_and_restorations_are_no_finding(made_site: None, db: None, cast: Cast) -> None:
    """Members come and go, accounts are deleted, allowances change, an archive is restored beside the original."""
    team = cast.team
    newcomer, leaver = make_user("newcomer"), make_user("leaver")
    for user in (newcomer, leaver):
        Membership.objects.create(team=team, user=user)
        role_grant(actor=cast.organiser, campaign=cast.campaign, user=user, role=Role.ASSESSOR)
    team_leave(actor=leaver, team=team)
    role_revoke(actor=cast.organiser, campaign=cast.campaign, user=leaver, role=Role.ASSESSOR)
    user_delete(actor=newcomer, user=newcomer, release=True)
    user_delete(actor=None, user=leaver)
    team_update(actor=cast.member, team=team, name="Other name", affiliation="")
    for days in (1, 2):
        allowance_give(
            actor=cast.organiser, task=cast.task, team=team, closes_at=None, extra_runs=days, reason="They were ill."
        )
    restored = restore(bytes_of(archive_of(cast.campaign, cast.organiser)), make_user("restorer"))
    assert restored.state == Restoration.DONE
    Task.objects.get(campaign=restored.campaign).delete()
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
