"""Rows are sealed while others write."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier, Event, Thread, local

import pytest
from django.db import connection, transaction

from campaign.integrity import Extent
from campaign.log.audit import audit
from campaign.models import AuditEvent, RowState, Seal
from runpool.operations import seals
from runpool.operations.seals import rows_seal, verify_seals
from tests.factories import make_cast


@pytest.mark.django_db(transaction=True)
def test_a_row_that_another_transaction_is_writing_is_waited_for_and_holds_nobody_up() -> None:
    """Its key is smaller than that of a row which is there already."""
    cast = make_cast()
    rows_seal()
    is_written, may_end = Event(), Event()

    def write() -> None:
        with transaction.atomic():
            audit(None, "begin", cast.task, campaign=None)
            is_written.set()
            may_end.wait(30)
        connection.close()

    thread = Thread(target=write)
    thread.start()
    try:
        assert is_written.wait(30)
        audit(None, "overtake", cast.task, campaign=None)
        assert rows_seal() == 0
    finally:
        may_end.set()
        thread.join()
    assert rows_seal() == 1
    assert list(verify_seals(Extent())) == []


@pytest.mark.django_db(transaction=True)
def test_two_sweeps_at_once_seal_each_row_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Both have read where the table ends, and go on together."""
    cast = make_cast()
    rows_seal()
    audit(None, "try", cast.task, campaign=None)
    before = Seal.objects.count()
    together, own, checksum = Barrier(2), local(), seals._checksum

    def checksum_together(*about: object) -> tuple[int, str]:
        if not hasattr(own, "waited"):
            own.waited = True
            together.wait(30)
        return checksum(*about)

    def sweep(_: int) -> int:
        try:
            return rows_seal()
        finally:
            connection.close()

    monkeypatch.setattr(seals, "_checksum", checksum_together)
    with ThreadPoolExecutor(2) as threads:
        made = sum(threads.map(sweep, range(2)))
    monkeypatch.undo()
    assert made == Seal.objects.count() - before == 1
    extent = Extent()
    assert list(verify_seals(extent)) == []
    assert extent.looked["rows by their seals"] == AuditEvent.objects.count() + RowState.objects.count()


@pytest.mark.django_db(transaction=True)
def test_a_process_that_stands_still_with_the_lock_loses_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """As one whose machine freezes: the server ends its transaction, and writers go on."""
    cast = make_cast()
    rows_seal()
    audit(None, "try", cast.task, campaign=None)
    stands, written, real = Event(), Event(), transaction.set_rollback
    in_time = list[bool]()

    def stand_still(rollback: bool) -> None:
        stands.set()
        in_time.append(written.wait(15))
        real(rollback)

    def seal() -> int:
        try:
            return rows_seal()
        finally:
            connection.close()

    monkeypatch.setattr(transaction, "set_rollback", stand_still)
    with ThreadPoolExecutor(1) as threads:
        sealing = threads.submit(seal)
        assert stands.wait(15)
        audit(None, "write", cast.task, campaign=None)
        written.set()
        assert sealing.result(30) == 1
    assert in_time == [True]
    assert list(verify_seals(Extent())) == []
    assert Seal.objects.latest("pk").through == AuditEvent.objects.get(verb="try").pk
