"""Rows are sealed while others write."""

from threading import Event, Thread

import pytest
from django.db import connection, transaction

from campaign.integrity import Extent
from campaign.log.audit import audit
from runpool.operations.seals import rows_seal, verify_seals
from tests.factories import make_cast


@pytest.mark.django_db(transaction=True)
def test_a_row_that_another_transaction_is_writing_is_waited_for_and_holds_nobody_up() -> None:
    """Its key is smaller than that of a row which is there already."""
    cast = make_cast()
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
