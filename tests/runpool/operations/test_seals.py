"""Rows that are written once are sealed after a moment, and whatever changes behind a seal is found."""

import re
from collections.abc import Iterator

import pytest
from django.db import connection

from campaign.integrity import Extent
from campaign.log.audit import audit
from campaign.models import AuditEvent, Notice, Run, Seal
from campaign.runs.selectors.integrity import verify_receipts
from judging.models import Judgment
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


def found() -> list[str]:
    return [str(finding) for finding in verify_seals(Extent())]


@pytest.mark.sqlite("runpool.operations.seals._last_settled")
def test_every_row_that_is_written_once_is_sealed_and_nothing_is_found(sealed_once: None, db: None) -> None:
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
    assert any("does not follow the seal before it" in one for one in found())


def test_rows_that_come_later_are_sealed_by_the_next_sweep_and_long_tables_in_parts(
    sealed_once: None, db: None, monkeypatch: pytest.MonkeyPatch
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
