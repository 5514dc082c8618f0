"""A new place says that it lacks its rows: its tables and this mark come in one transaction, so that none is without it.

As a program it makes the tables of this version in the default database: `python -m runpool.backup.unfinished WHAT`.
"""

import sys
from collections.abc import Iterable

import django
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.migrations.executor import MigrationExecutor
from django.utils import timezone


def tables_make(executor: MigrationExecutor, nodes: Iterable[tuple[str, str]], what: str) -> None:
    """Make the tables at the state of these migrations, with the mark that `what` has not filled them yet."""
    from campaign.models import SiteFigures  # no model can be imported before the apps are ready

    connection = executor.connection
    connection.disable_constraint_checking()  # with them, SQLite changes no table inside a transaction
    try:
        with transaction.atomic(using=connection.alias):
            state = executor.migrate([*nodes])
            figures = state.apps.get_model("campaign", "SiteFigures")
            unfinished = {"at": timezone.now(), "values": {"what": what}}
            figures._base_manager.using(connection.alias).update_or_create(
                name=SiteFigures.UNFINISHED, defaults=unfinished
            )
    finally:
        connection.enable_constraint_checking()


if __name__ == "__main__":
    django.setup()
    call_command("check", databases=[DEFAULT_DB_ALIAS])
    here = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    tables_make(here, here.loader.graph.leaf_nodes(), sys.argv[1])
