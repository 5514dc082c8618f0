"""Rows that are written once are sealed after a moment, and whatever changes behind a seal is found."""

import logging
import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction

from campaign.integrity import Extent
from campaign.log.audit import audit
from campaign.models import AuditEvent, Correction, LastSeen, Notice, Run, Seal, SiteFigures
from campaign.runs.selectors import integrity
from campaign.runs.selectors.integrity import verify_receipts
from judging.models import Judgment
from runpool import jobs
from runpool.operations import seals
from runpool.operations.seals import fixed_columns, rows_seal, sealed_models, verify_seals
from tests.campaign.runs.makers import make_ready_cast, submit
from tests.campaign.test_written_once import make_rows, other_value
from tests.conftest import MadeOnce
from tests.tampering import erase, tamper

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module")
def sealed_once(made_once: MadeOnce) -> Iterator[None]:
    def make() -> None:
        make_rows()
        while rows_seal():
            pass

    with made_once(make):
        yield


@pytest.fixture
def no_pause(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(seals, "PAUSE", timedelta(0))


def found() -> list[str]:
    return [str(finding) for finding in verify_seals(Extent())]


@pytest.mark.sqlite("runpool.operations.seals._last_settled")
@pytest.mark.sqlite("runpool.operations.seals._seal")
@pytest.mark.sqlite("runpool.operations.seals._keys_of_a_seal")
def test_every_row_that_is_written_once_is_sealed_and_nothing_is_found(
    sealed_once: None, db: None, no_pause: None
) -> None:
    audit(None, "try", Run.objects.first(), campaign=None)
    assert rows_seal() == 1
    extent = Extent()
    assert list(verify_seals(extent)) == []
    rows = sum(model._base_manager.count() for model in sealed_models())
    assert extent.looked["rows by their seals"] == rows > 20
    assert extent.looked["rows that wait for their seal"] == 0
    assert Seal.objects.latest("pk").sha256 in extent.notes[-1]


@pytest.mark.parametrize("place", range(3))
def test_a_change_in_any_of_these_tables_is_found(place: int, sealed_once: None, db: None) -> None:
    """One column of each table; that all columns are sealed is compared by name."""
    for model in sealed_models():
        columns = [field for field in model._meta.local_concrete_fields if field.attname in fixed_columns(model)]
        assert {field.attname for field in columns} | model.changeable >= {
            field.attname for field in model._meta.local_concrete_fields
        }
        values = [field for field in columns if not (field.primary_key or field.is_relation or field.unique)]
        field = values[place % len(values)]
        row = model._base_manager.latest("pk")
        change_unchecked(model._meta.db_table, f'"{field.column}" = {other_value(field)} WHERE id = {row.pk}')
    all_found = found()
    for model in sealed_models():
        assert any(one.startswith(f"{model._meta.verbose_name_plural} ") for one in all_found), model


def change_unchecked(table: str, change: str) -> None:
    """By SQL, with the table's triggers and checks off."""
    with connection.cursor() as cursor:
        cursor.execute("SET CONSTRAINTS ALL IMMEDIATE")
        cursor.execute("SELECT conname FROM pg_constraint WHERE conrelid = %s::regclass AND contype = 'c'", [table])
        for (name,) in cursor.fetchall():
            cursor.execute(f'ALTER TABLE "{table}" DROP CONSTRAINT "{name}"')
        cursor.execute(f'ALTER TABLE "{table}" DISABLE TRIGGER USER')
        cursor.execute(f'UPDATE "{table}" SET {change}')


@pytest.mark.parametrize("model", [AuditEvent, Judgment, Notice])
def test_a_row_that_was_deleted_is_found(model, sealed_once: None, db: None) -> None:
    erase(model._base_manager.latest("pk"))
    [finding] = found()
    assert re.search(r"[\d,]+ rows? of them had been sealed on \S+; there are", finding)


def test_another_assessor_of_a_judgment_is_found(sealed_once: None, db: None) -> None:
    judgment = Judgment.objects.latest("pk")
    tamper(judgment, assessor_id=Run.objects.first().submitted_by_id)
    [finding] = found()
    assert finding.startswith("judgments ")


def test_a_mark_that_may_change_breaks_no_seal(sealed_once: None, db: None) -> None:
    Judgment.objects.update(is_current=False)
    assert found() == []


@pytest.mark.parametrize("how", ["changed", "deleted", "made again"])
def test_a_seal_itself_is_held_by_the_one_after_it(sealed_once: None, db: None, how: str) -> None:
    first = Seal.objects.earliest("pk")
    if how == "deleted":
        erase(first)
    elif how == "changed":
        tamper(first, rows_sha256="0" * 64)
    else:  # the row is changed, and the seal made to fit it
        first.rows_sha256 = "0" * 64
        tamper(first, rows_sha256=first.rows_sha256, sha256=seals._sha256_of(first))
    words = {"deleted": "The seals from 1 up to it are missing"}.get(how, "does not follow the seal before it")
    assert any(words in one for one in found())


def test_rows_that_come_later_are_sealed_by_the_next_sweep_and_long_tables_in_parts(
    sealed_once: None, db: None, no_pause: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seals, "ROWS_OF_A_SEAL", 3)
    monkeypatch.setattr(seals, "SEALS_AT_ONCE", 2)
    run = Run.objects.first()
    for number in range(8):
        audit(None, "try", run, campaign=None, number=number)
    assert [rows_seal(), rows_seal(), rows_seal()] == [2, 1, 0]
    assert found() == []
    tamper(AuditEvent.objects.order_by("-pk")[1], verb="tried")
    [finding] = found()
    newest = AuditEvent.objects.latest("pk").pk
    assert finding.startswith(f"audit events {newest - 1:,} to {newest:,}")


def audit_many(number: int) -> None:
    run = Run.objects.first()
    for each in range(number):
        audit(None, "try", run, campaign=None, number=each)


def test_a_few_rows_wait_for_an_hour_and_as_many_as_a_seal_takes_do_not(
    sealed_once: None, db: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(seals, "ROWS_OF_A_SEAL", 3)
    audit_many(2)
    assert rows_seal() == 0
    extent = Extent()
    assert list(verify_seals(extent)) == []
    assert extent.looked["rows that wait for their seal"] == 2
    [waiting] = [note for note in extent.notes if "wait" in note]
    assert re.fullmatch(
        r"Audit events: 2 wait for their seal; the newest seal of them is of [-\d]+ [:\d]+ UTC\.", waiting
    )
    audit_many(2)
    assert [rows_seal(), rows_seal()] == [1, 0]
    for seal in Seal.objects.all():
        tamper(seal, sealed_at=(seal.sealed_at - timedelta(minutes=61)).isoformat())
    assert rows_seal() == 1
    assert found() == []


def test_a_seal_ends_with_the_row_that_makes_it_heavy(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    cast = make_ready_cast()
    monkeypatch.setattr(seals, "CHARACTERS_OF_A_SEAL", 1500)
    texts = {"before": {"text": "a" * 500}, "after": {"text": "é" * 500}}
    Correction.objects.bulk_create(
        Correction(task=cast.task, number=number, key=f"d{number}", version=2, by=cast.organiser, **texts)
        for number in range(1, 6)
    )
    monkeypatch.setattr(seals, "PAUSE", timedelta(0))
    while rows_seal():
        pass
    sizes = Seal.objects.filter(table="campaign_correction").order_by("-pk").values_list("row_count", flat=True)
    assert list(sizes[:3]) == [1, 2, 2]
    assert found() == []


def test_the_table_after_the_one_that_was_sealed_last_begins(
    sealed_once: None, db: None, no_pause: None, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table with more rows than a sweep takes leaves the next sweep to the others."""
    monkeypatch.setattr(seals, "ROWS_OF_A_SEAL", 1)
    monkeypatch.setattr(seals, "SEALS_AT_ONCE", 2)
    audit_many(5)
    assert rows_seal() == 2
    notice = Notice.objects.latest("pk")
    notice.pk, notice.batch, notice._state.adding = None, uuid4(), True
    notice.save()
    assert rows_seal() == 2
    tables = Seal.objects.order_by("-pk").values_list("table", flat=True)[:4]
    assert list(tables) == ["campaign_auditevent", "campaign_notice", "campaign_auditevent", "campaign_auditevent"]
    assert found() == []


def test_two_seals_of_the_same_rows_are_refused(sealed_once: None, db: None) -> None:
    newest = Seal.objects.latest("pk")
    newest.pk, newest.previous, newest._state.adding = newest.pk + 1, newest.sha256, True
    with pytest.raises(IntegrityError, match="seal_once"), transaction.atomic():
        newest.save()


def test_the_log_names_the_newest_seal_and_a_chain_without_it_is_not_the_same(
    sealed_once: None, db: None, no_pause: None, caplog: pytest.LogCaptureFixture
) -> None:
    """Whoever deletes the newest seal and changes its rows has them sealed again: only what was kept elsewhere shows it."""
    audit_many(1)
    with caplog.at_level(logging.INFO):
        rows_seal()
    seal = Seal.objects.latest("pk")
    assert f"1 row sealed; the newest seal is number {seal.pk}, {seal.sha256}" in caplog.text
    erase(seal)
    tamper(AuditEvent.objects.latest("pk"), verb="forged")
    rows_seal()
    assert found() == []
    assert (again := Seal.objects.latest("pk")).pk == seal.pk
    assert again.sha256 != seal.sha256


def test_a_sweep_is_recorded_before_rows_are_sealed(db: None, monkeypatch: pytest.MonkeyPatch) -> None:
    def rows_seal() -> None:
        assert LastSeen.objects.filter(name=LastSeen.SWEEP).exists()
        raise RuntimeError("of the seals")

    monkeypatch.setattr(jobs, "rows_seal", rows_seal)
    jobs.sweep()
    assert SiteFigures.objects.get(name=SiteFigures.FAILED_STEPS).values == {"names": ["rows_seal"]}


@pytest.mark.parametrize(
    ("column", "words"),
    [
        ("submitted_at", "time of receipt"),
        ("team_id", "team"),
        ("submitted_by_id", "sender"),
        ("size", "size"),
        ("tag", "tag"),
    ],
)
def test_what_a_run_was_received_as_is_held_by_the_log(db: None, column: str, words: str) -> None:
    cast = make_ready_cast()
    run = submit(cast)
    others = {
        "submitted_at": "2020-01-01T00:00:00+00:00",
        "team_id": cast.other_team.pk,
        "submitted_by_id": cast.organiser.pk,
        "size": run.size + 1,
        "tag": "other",
    }
    assert list(verify_receipts(Extent())) == []
    tamper(run, **{column: others[column]})
    [finding] = verify_receipts(Extent())
    assert finding.text.endswith(f"these are others now: {words}.")


def test_a_run_that_was_deleted_behind_the_sites_back_is_missed(db: None) -> None:
    run = submit(make_ready_cast())
    run.jobs.all().delete()
    erase(run)
    [finding] = verify_receipts(Extent())
    assert "It was deleted" in finding.text


@pytest.mark.parametrize("data", ["[]", "null", '"x"', '{"tag": "t", "task_id": [1]}', f'{{"task_id": {2**70}}}'])
@pytest.mark.parametrize("object_id", ["²", "9" * 40, "archived", ""])
def test_an_entry_that_names_no_run_is_no_finding(db: None, data: str, object_id: str) -> None:
    cast = make_ready_cast()
    event = audit(None, "submit", submit(cast), campaign=cast.campaign)
    tamper(event, object_id=object_id, data=data)
    extent = Extent()
    assert list(verify_receipts(extent)) == []
    assert extent.looked["receipts of runs"] == 2


def test_runs_are_asked_for_in_parts(
    db: None, monkeypatch: pytest.MonkeyPatch, django_assert_max_num_queries: Any
) -> None:
    cast = make_ready_cast()
    runs = [submit(cast, tag=f"run{number}") for number in range(5)]
    monkeypatch.setattr(integrity, "AT_ONCE", 3)
    tamper(runs[4], size=7)
    extent = Extent()
    with django_assert_max_num_queries(20) as asked:
        [finding] = verify_receipts(extent)
    assert extent.looked["receipts of runs"] == 5
    assert finding.subject.startswith("run run4")
    assert len([one for one in asked.captured_queries if 'FROM "campaign_run"' in one["sql"]]) == 2
