"""The lock of names that all machines share: PostgreSQL keeps it, and with SQLite, where there is one machine, a file."""

from threading import Event, Thread

import pytest
from django.db import DatabaseError, connection, transaction
from django.db.backends.base.base import BaseDatabaseWrapper

from campaign.storage import locks
from campaign.storage.locks import BACKUP, locked_for_all_machines, only_one_at_work

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.sqlite("campaign.storage.locks.locked_for_all_machines")
def test_many_store_at_once_and_who_takes_names_away_waits_without_stopping_them() -> None:
    is_alone = Event()

    def take_away() -> None:
        with locked_for_all_machines(alone=True):
            is_alone.set()
        connection.close()

    thread = Thread(target=take_away)
    with locked_for_all_machines(alone=False):
        thread.start()
        assert not is_alone.wait(0.3)
        with locked_for_all_machines(alone=False):
            assert not is_alone.wait(0.3)
    assert is_alone.wait(10)
    thread.join()


@pytest.mark.sqlite
def test_the_lock_is_given_back_whatever_becomes_of_the_transaction_around_it() -> None:
    with pytest.raises(DatabaseError), transaction.atomic(), locked_for_all_machines(alone=False):
        connection.cursor().execute("SELECT nothing")
    with locked_for_all_machines(alone=True):
        assert not connection.in_atomic_block


@pytest.mark.sqlite("campaign.storage.locks.only_one_at_work")
def test_the_same_work_is_begun_once() -> None:
    with only_one_at_work(BACKUP) as first, only_one_at_work(BACKUP) as second:
        assert (first, second) == (True, False)
    for _ in range(50):  # a lock that went some time after the work would refuse one of them
        with only_one_at_work(BACKUP) as next_one:
            assert next_one


def test_the_lock_is_free_before_the_server_has_noticed_that_its_connection_ended(monkeypatch) -> None:
    """A connection that the server still has is one whose closing does nothing."""
    opened, make = [], locks._own_connection

    def stays_open() -> BaseDatabaseWrapper:
        own = make()
        opened.append(own)
        monkeypatch.setattr(own, "close", lambda: None)
        return own

    with monkeypatch.context() as patch:
        patch.setattr(locks, "_own_connection", stays_open)
        try:
            for _ in range(2):
                with only_one_at_work(BACKUP) as is_alone:
                    assert is_alone
            for _ in range(2):
                with locked_for_all_machines(alone=True):
                    pass
        finally:
            for own in opened:
                type(own).close(own)
