import os
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest
from django.db import transaction
from django.db.backends.sqlite3.base import DatabaseOperations
from hypothesis import settings

from tests.draws import LONG, USUAL
from tests.factories import Cast, make_cast

# No deadline for a single example: on a loaded machine any of them may be slow.
settings.register_profile("ci", deadline=None, max_examples=USUAL)
settings.register_profile("long", deadline=None, max_examples=LONG)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))

MadeOnce = Callable[[Callable[[], Any]], AbstractContextManager[Any]]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark tests that need a database: only these run again on another database."""
    for item in items:
        fixtures = {"db", "transactional_db"} & set(getattr(item, "fixturenames", ()))
        if fixtures or item.get_closest_marker("django_db"):
            item.add_marker(pytest.mark.database)


@pytest.fixture(scope="session", autouse=True)
def flush_what_is_written_once() -> Iterator[None]:
    """On SQLite a flush between tests deletes row by row, which the triggers of the database refuse; they are made anew."""
    flush = DatabaseOperations.sql_flush

    def flush_without_triggers(self: DatabaseOperations, style: Any, tables: Any, **options: Any) -> list[str]:
        with self.connection.cursor() as cursor:
            cursor.execute("SELECT name, sql FROM sqlite_master WHERE type = 'trigger'")
            triggers = cursor.fetchall()
        drop, create = ([f'DROP TRIGGER "{name}"' for name, _ in triggers], [sql for _, sql in triggers])
        return [*drop, *flush(self, style, tables, **options), *create]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(DatabaseOperations, "sql_flush", flush_without_triggers)
        yield


@pytest.fixture
def cast(db: None) -> Cast:
    return make_cast()


@pytest.fixture(scope="module")
def made_once(django_db_setup: None, django_db_blocker: Any) -> MadeOnce:
    """Rows for all tests of a module: made in a transaction around them, in which each test has its own savepoint."""

    @contextmanager
    def make(maker: Callable[[], Any]) -> Iterator[Any]:
        with django_db_blocker.unblock(), transaction.atomic():
            yield maker()
            transaction.set_rollback(True)

    return make
