"""Restore a backup into an empty site: its files first, then all rows in one transaction, compared before it ends."""

from collections.abc import Iterator
from typing import Any, cast

from django.apps import apps
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, connections, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder

from campaign.backup import rows
from campaign.backup.making import Report, files_of, part_lines
from campaign.backup.manifest import Manifest, Part
from campaign.backup.targets import Target, TargetError
from campaign.storage.checksums import is_intact
from campaign.storage.interface import files


def require_restorable(target: Target, manifest: Manifest) -> None:
    """Raise TargetError before anything is written: a later version, a part that is not there, a site that is not empty."""
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    unknown = [".".join(key) for key in manifest.migrations if tuple(key) not in executor.loader.disk_migrations]
    if unknown:
        raise TargetError(
            f"This backup is of a later version of Runpool{manifest.version and f' ({manifest.version})'}, "
            f"with the migration {unknown[0]}. Restore it with that version."
        )
    lacking = next((part.sha256 for part in manifest.parts() if not target.has(part.sha256)), None)
    if lacking is None:
        lacking = next((sha256 for sha256, _, _ in files_of(target, manifest) if not target.has(sha256)), None)
    if lacking is not None:
        raise TargetError(
            f"The backup is cut: its part {lacking} is not there. Use an earlier one, or a copy of this one."
        )
    filled = rows.tables_with_rows(DEFAULT_DB_ALIAS, rows.tables(apps))
    if filled:
        raise TargetError(
            f"This site is not empty: {filled[0]} has rows. Restore into a new database, named by DATABASE_URL, and a new folder."
        )
    applied = MigrationRecorder(connections[DEFAULT_DB_ALIAS]).applied_migrations()
    if applied and {tuple(key) for key in manifest.migrations} != set(applied):
        raise TargetError(
            "The tables of this site are of another version than the backup. Restore into a database without tables."
        )


def backup_restore(target: Target, manifest: Manifest, report: Report) -> None:
    """Restore everything. What is cut off can be started again: files that are there are left, and rows come all or none."""
    require_restorable(target, manifest)
    for number, (sha256, size, name) in enumerate(files_of(target, manifest), start=1):
        _restore_file(target, sha256, size, name)
        if number % 1000 == 0:
            report(f"{number:,} of {manifest.file_count:,} files")
    report(f"{manifest.file_count:,} files")
    _restore_rows(target, manifest, report)
    call_command("migrate", verbosity=0)


def _restore_file(target: Target, sha256: str, size: int, name: str) -> None:
    if default_storage.exists(name) and default_storage.size(name) == size and is_intact(name):
        return
    with files().written_whole(name) as file:
        for chunk in target.get(sha256):
            file.write(chunk)
    files().drop_copy(name)  # a whole site need not lie on this machine


def _restore_rows(target: Target, manifest: Manifest, report: Report) -> None:
    """At the state of the backup's migrations, whatever migrations this version adds."""
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    nodes = {(app, name) for app, name in manifest.migrations}
    last = [node for node in nodes if not any(child in nodes for child in _children(executor, node))]
    executor.migrate(cast("list[tuple[str, str | None]]", last))
    models = {model._meta.db_table: model for model in rows.tables(_apps_at(executor, nodes))}
    for name, table in manifest.tables.items():
        if name not in models or table.columns != [field.attname for field in rows.columns(models[name])]:
            raise TargetError(
                f"The backup holds a table {name} that its own migrations do not make. Please report this."
            )
    with transaction.atomic():
        for name in rows.MADE_BY_MIGRATE & set(models):
            models[name]._base_manager.all().delete()
        for name, table in manifest.tables.items():
            digest = rows.insert(models[name], _lines(target, table.parts), DEFAULT_DB_ALIAS)
            report(f"{name}: {digest.rows:,} rows")
        for name, table in manifest.tables.items():
            found = rows.digest_of(models[name], DEFAULT_DB_ALIAS)
            if (found.rows, found.hexadecimal) != (table.rows, table.digest):
                raise TargetError(
                    f"{name} does not hold what the backup holds. Nothing was restored; please report this."
                )
        rows.set_counters(models.values(), DEFAULT_DB_ALIAS)


def _children(executor: MigrationExecutor, node: tuple[str, str]) -> Iterator[tuple[str, str]]:
    return (child.key for child in executor.loader.graph.node_map[node].children if child.key[0] == node[0])


def _apps_at(executor: MigrationExecutor, nodes: set[tuple[str, str]]) -> Any:
    return executor.loader.project_state(list(nodes)).apps


def _lines(target: Target, parts: list[Part]) -> Iterator[bytes]:
    for part in parts:
        yield from part_lines(target, part)
