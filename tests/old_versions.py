"""For tests of migrations: the database as an earlier version had it."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import connection
from django.db.migrations.executor import MigrationExecutor


@contextmanager
def as_it_was(**migrations: str) -> Iterator[Any]:
    """The models at these migrations (app=name), over an empty database of that version; it is brought up to date at the end.

    Needs a test with `transaction=True`.
    """
    executor = MigrationExecutor(connection)
    latest = executor.loader.graph.leaf_nodes()
    targets = list(migrations.items())
    executor.migrate(targets)
    try:
        yield executor.loader.project_state(targets).apps
    finally:
        MigrationExecutor(connection).migrate(latest)
