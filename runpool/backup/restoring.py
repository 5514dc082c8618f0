"""Restore a backup into an empty site: tables with a mark, files, then all rows in one transaction, compared before it ends."""

import contextlib
import shutil
from collections.abc import Iterable, Iterator
from typing import Any

from django.apps import apps
from django.core.exceptions import ValidationError
from django.core.files.storage import default_storage
from django.core.management import call_command
from django.db import DEFAULT_DB_ALIAS, DatabaseError, DataError, IntegrityError, connections, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.recorder import MigrationRecorder
from django.template.defaultfilters import filesizeformat

from campaign.formats.problems import visible
from campaign.models import SiteFigures
from campaign.storage.checksums import is_intact
from campaign.storage.interface import StoredFiles, files
from campaign.storage.locks import RESTORE, only_one_at_work
from campaign.storage.owners import leave_file, own_file, sites_but, take_file_back
from campaign.text.plurals import number_of
from campaign.web.links import absolute
from runpool import postgresql
from runpool.backup import rows
from runpool.backup.making import USE_ANOTHER, Report, files_of, part_lines
from runpool.backup.manifest import Manifest, Part
from runpool.backup.targets import State, Target, TargetError
from runpool.backup.unfinished import tables_make

REFUSED = (DataError, IntegrityError)
IN_A_NEW_ONE = "Restore into a new one, named by RUNPOOL_STORAGE_URL."


def require_restorable(target: Target, manifest: Manifest) -> bool:
    """Raise TargetError before anything is written: another encoding, a later version, a lacking part, a site with rows,
    stored files of another site.

    Returns whether the rows are there already: a restoration was cut off after them.
    """
    if problem := postgresql.wrong_encoding():
        raise TargetError(f"{problem} {postgresql.IN_UTF8}")
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    unknown = [".".join(key) for key in manifest.migrations if tuple(key) not in executor.loader.disk_migrations]
    if unknown:
        raise TargetError(
            f"This backup is of a later version of Runpool{manifest.version and f' ({manifest.version})'}, "
            f"with the migration {unknown[0]}. Restore it with that version."
        )
    _require_tables(manifest, executor)
    _require_parts(target, ((part.sha256, part.size) for part in manifest.parts()))
    _require_parts(target, ((sha256, size) for sha256, size, _ in files_of(target, manifest)))
    _require_room(target, manifest)
    if executor.loader.disk_migrations.keys() - executor.loader.applied_migrations.keys():
        _require_right_to_make_tables()
    filled = rows.tables_with_rows(DEFAULT_DB_ALIAS, rows.tables(apps))
    if filled and _holds_rows_of(manifest, executor, filled):
        return True
    if filled:
        raise TargetError(
            f"This site is not empty: {filled[0]} has rows. Restore into a new database, named by RUNPOOL_DATABASE_URL, "
            "and a new folder."
        )
    has_table = SiteFigures._meta.db_table in connections[DEFAULT_DB_ALIAS].introspection.table_names()
    own = own_file() if has_table else ""  # a restoration that was cut off may have left a file
    require_no_other_site(own, files(), IN_A_NEW_ONE)
    # Some of the backup's migrations: a restoration was cut off while it made the tables, and goes on there.
    if MigrationRecorder(connections[DEFAULT_DB_ALIAS]).applied_migrations().keys() - _nodes(manifest):
        raise TargetError(
            "The tables of this site are of another version than the backup. Restore into a database without tables."
        )
    return False


def _require_right_to_make_tables() -> None:
    """By making one that nobody sees."""
    try:
        with transaction.atomic(), connections[DEFAULT_DB_ALIAS].cursor() as cursor:
            cursor.execute("CREATE TABLE runpool_may_make_tables (id integer)")
            transaction.set_rollback(True)
    except DatabaseError as problem:
        raise TargetError(
            f"No table can be made in the database: {str(problem).partition(chr(10))[0]}. {postgresql.OWN_IT}"
        ) from problem


def require_no_other_site(own: str, storage: StoredFiles, remedy: str) -> None:
    """Files of two sites in one storage: neither could be cleaned, and what damages one damages the other."""
    if others := sites_but(own, storage):
        raise TargetError(
            f"The folder or bucket of stored files is that of another site: {others[0]}. {remedy} If that site is "
            "no more, remove this file of it first."
        )


def _holds_rows_of(manifest: Manifest, executor: MigrationExecutor, filled: Iterable[str]) -> bool:
    """By the columns of the backup: the last step of a restoration may have added further ones."""
    models = {model._meta.db_table: model for model in rows.tables(_apps_at(executor, _nodes(manifest)))}
    named = {name: table for name, table in manifest.tables.items() if name not in rows.MADE_BY_MIGRATE}
    if not set(filled) <= named.keys():
        return False
    own = {name: table for name, table in named.items() if name not in rows.MADE_BY_RUNNING}
    try:
        # Counting is quick, and tells a site that is in use.
        if any(models[name]._base_manager.count() != table.rows for name, table in own.items()):
            return False
        return all(
            rows.digest_of(models[name], DEFAULT_DB_ALIAS).hexadecimal == table.digest for name, table in own.items()
        )
    except DatabaseError:  # a column is gone: a later version was at work here
        return False


def _require_room(target: Target, manifest: Manifest) -> None:
    """On the disk of the stored files, if they lie on one: for those that an earlier try has not brought."""
    for folder in files().folders():
        needed = sum(size for _, size, name in files_of(target, manifest) if not default_storage.exists(name))
        free = shutil.disk_usage(folder).free
        if needed > free:
            raise TargetError(
                f"The files of this backup need {filesizeformat(needed)}, and {filesizeformat(free)} are free in {folder}. "
                "Make room, or let RUNPOOL_STORAGE_URL name a folder on another disk."
            )


def _require_tables(manifest: Manifest, executor: MigrationExecutor) -> None:
    """Those that the backup's own migrations make, each with its columns: else it is not what this program has written."""
    made = {model._meta.db_table: model for model in rows.tables(_apps_at(executor, _nodes(manifest)))}
    lacking = made.keys() - manifest.tables.keys() - {rows.SESSIONS}
    other = [
        name
        for name, table in manifest.tables.items()
        if name not in made or table.columns != [field.attname for field in rows.columns(made[name])]
    ]
    if lacking or other:
        problem = (
            f"lacks the table {min(lacking)}"
            if lacking
            else f"holds a table {other[0]} that its own migrations do not make"
        )
        raise TargetError(f"The backup {problem}. Use an earlier one, or a copy of this one.")


def _require_parts(target: Target, parts: Iterable[tuple[str, int]]) -> None:
    """By their sizes: the content is read and compared when it is restored, or by `backup_check`."""
    for sha256, size in parts:
        state = target.state(sha256, size, read=False)
        if state != State.WHOLE:
            what = "is not there" if state == State.ABSENT else "is damaged"
            raise TargetError(
                f"The backup is not whole: its part {sha256} {what}. Use an earlier one, or a copy of this one."
            )


def backup_restore(target: Target, manifest: Manifest, report: Report) -> None:
    """Restore everything. What is cut off can be started again: files that are there are left, and rows come all or none."""
    with only_one_at_work(RESTORE) as is_alone:
        if not is_alone:
            raise TargetError("Somebody else restores into this site. Wait until that has ended.")
        _restore(target, manifest, report)


def _restore(target: Target, manifest: Manifest, report: Report) -> None:
    has_rows = require_restorable(target, manifest)
    if not has_rows:
        executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
        tables_make(executor, _last(executor, manifest), f"The restoration of {manifest.site}")
    leave_file(absolute("/"))
    if not has_rows:
        _require_that_no_other_site_left_one()
    for number, (sha256, size, name) in enumerate(files_of(target, manifest), start=1):
        _restore_file(target, sha256, size, name)
        if number % 1000 == 0:
            report(f"{number:,} of {manifest.file_count:,} files")
    report(number_of(manifest.file_count, "file"))
    if has_rows:
        report("The rows of this backup are there already.")
    else:
        _restore_rows(target, manifest, report)
    call_command("migrate", verbosity=0)


def _require_that_no_other_site_left_one() -> None:
    """Two restorations, each with a database of its own, may have found the storage empty at once: each sees the other's file.

    The own file goes whatever the reason is: else it would refuse the other one at its next try.
    """
    try:
        require_no_other_site(own_file(), files(), IN_A_NEW_ONE)
    except BaseException:
        take_file_back()
        raise


def _restore_file(target: Target, sha256: str, size: int, name: str) -> None:
    if default_storage.exists(name) and default_storage.size(name) == size and is_intact(name):
        return
    with files().written_whole(name) as file:
        for chunk in target.get(sha256):
            file.write(chunk)
    files().drop_copy(name)  # a whole site need not lie on this machine


def _restore_rows(target: Target, manifest: Manifest, report: Report) -> None:
    """At the state of the backup's migrations, whatever migrations this version adds.

    The name of the site is the one that it has by now: the site of the backup may still run, with its own storage.
    """
    executor = MigrationExecutor(connections[DEFAULT_DB_ALIAS])
    models = {model._meta.db_table: model for model in rows.tables(_apps_at(executor, _nodes(manifest)))}
    figures = models[SiteFigures._meta.db_table]._base_manager
    own: Any = figures.get(name=SiteFigures.SITE)
    with _refused_rows_named(), transaction.atomic():
        rows.make_room(models.values(), DEFAULT_DB_ALIAS)
        for name, table in manifest.tables.items():
            with _refused_rows_named(f"The table {name}"):
                digest = rows.insert(models[name], _lines(target, table.parts), DEFAULT_DB_ALIAS)
            report(f"{name}: {number_of(digest.rows, 'row')}")
        for name, table in manifest.tables.items():
            found = rows.digest_of(models[name], DEFAULT_DB_ALIAS)
            if (found.rows, found.hexadecimal) != (table.rows, table.digest):
                raise TargetError(
                    f"{name} does not hold what the backup holds. Nothing was restored; please report this."
                )
        figures.update_or_create(name=own.name, defaults={"at": own.at, "values": own.values})
        rows.set_counters(models.values(), DEFAULT_DB_ALIAS)


@contextlib.contextmanager
def _refused_rows_named(what: str = "A table") -> Iterator[None]:
    """TargetError for rows that no site can have written; references between rows are looked at last."""
    try:
        yield
    except (
        ValueError,
        TypeError,
        AttributeError,
        ArithmeticError,
        RecursionError,
        ValidationError,
        *REFUSED,
    ) as problem:
        said = visible(str(problem).partition("\n")[0], 200)
        raise TargetError(
            f"{what} of the backup has a row that the database does not take: {said}. Nothing was restored. {USE_ANOTHER}"
        ) from problem


def _last(executor: MigrationExecutor, manifest: Manifest) -> list[tuple[str, str]]:
    """Those of the backup's migrations after which no other one of them comes."""
    nodes = _nodes(manifest)
    return [node for node in nodes if not any(child in nodes for child in _children(executor, node))]


def _nodes(manifest: Manifest) -> set[tuple[str, str]]:
    return {(app, name) for app, name in manifest.migrations}


def _children(executor: MigrationExecutor, node: tuple[str, str]) -> Iterator[tuple[str, str]]:
    return (child.key for child in executor.loader.graph.node_map[node].children if child.key[0] == node[0])


def _apps_at(executor: MigrationExecutor, nodes: set[tuple[str, str]]) -> Any:
    return executor.loader.project_state(list(nodes)).apps


def _lines(target: Target, parts: list[Part]) -> Iterator[bytes]:
    for part in parts:
        yield from part_lines(target, part)
