"""Move a site that is stopped to another place, files alone or rows as well: each row with its key, everything compared."""

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import environ
from django.apps import apps
from django.conf import settings
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections, transaction

from campaign.database import clock
from campaign.models import LastSeen
from campaign.queue.open_jobs import minutes
from campaign.storage.bucket import Bucket
from campaign.storage.checksums import is_intact
from campaign.storage.consistent_read import one_state
from campaign.storage.disk import WholeFiles
from campaign.storage.interface import StoredFiles
from campaign.storage.inventory import BY_CONTENT, named_files
from campaign.storage.locks import MOVE, only_one_at_work
from campaign.storage.owners import leave_file, own_file
from campaign.storage.reading import open_verified
from campaign.storage_places import BucketPlace, FolderPlace
from campaign.text.plurals import number_of
from campaign.web.links import absolute
from runpool.backup import rows
from runpool.backup.making import Report
from runpool.backup.restoring import require_no_other_site
from runpool.backup.targets import Folder, TargetError

TO = "target"
AT_REST = timedelta(minutes=3)
"""So long nobody swept: beat and the worker of the sweep are stopped."""


def require_stopped() -> None:
    swept = LastSeen.objects.filter(name=LastSeen.SWEEP).values_list("at", flat=True).first()
    since = None if swept is None else clock.now() - swept
    if since is not None and since < -AT_REST:
        raise TargetError(
            f"The last sweep is recorded {minutes(-since)} minutes in the future: the clock was set back since, and nobody can "
            "tell whether the site runs. See that web servers, workers and beat are stopped, and add --site-is-stopped."
        )
    if since is not None and since < AT_REST:
        raise TargetError(
            "The site runs: its last sweep was less than three minutes ago. "
            "Stop web servers, workers and beat, and start this again three minutes later."
        )


def storage_at(place: FolderPlace | BucketPlace) -> WholeFiles | Bucket:
    return Bucket(place) if isinstance(place, BucketPlace) else WholeFiles(location=str(place.path))


def files_move(place: FolderPlace | BucketPlace, report: Report) -> None:
    """Copy the files alone; begun again, it goes on."""
    to = storage_at(place)
    with _alone(_lock_folder(to)):
        report(f"{number_of(_copy_files(to, report), 'file')}, each with the checksum of its name")


def site_move(database_url: str, place: FolderPlace | BucketPlace, report: Report) -> None:
    """Copy files, then rows; begun again, it goes on with the files, and rows come all or none.

    Until the rows are there, the new database says that they are not.
    """
    database = environ.Env().db_url_config(database_url)
    to = storage_at(place)
    with _connection(database), _alone(_lock_folder(to)):
        models = rows.tables(apps)
        is_filled = _is_filled(models)
        if not is_filled:
            report("preparing the tables")
            _make_tables(database_url)
        copied = _copy_files(to, report)
        if not is_filled:
            with one_state(), transaction.atomic(using=TO):
                _copy_rows(models, report)
        report(f"{number_of(copied, 'file')} and {number_of(len(models), 'table')} compared: all equal")


def _is_filled(models: list[rows.Model]) -> bool:
    """Whether the rows came already: a move was cut off after them. TargetError if the new database holds other ones."""
    filled = rows.tables_with_rows(TO, models)
    if not filled:
        return False
    own = [model for model in models if model._meta.db_table not in rows.MADE_BY_MIGRATE | rows.MADE_BY_RUNNING]
    there = connections[TO].introspection.table_names()
    with one_state():
        for model in own:
            if model._meta.db_table not in there or not _holds_the_same(model):
                raise TargetError(f"The new database is not empty: {filled[0]} has rows. Name an empty one.")
    return True


def _holds_the_same(model: rows.Model) -> bool:
    try:
        # Counting is quick, and tells a site that is in use.
        if model._base_manager.using(TO).count() != model._base_manager.using(DEFAULT_DB_ALIAS).count():
            return False
        return rows.digest_of(model, TO).hexadecimal == rows.digest_of(model, DEFAULT_DB_ALIAS).hexadecimal
    except DatabaseError:  # its columns are those of another version
        return False


def _lock_folder(to: WholeFiles | Bucket) -> Path:
    return to.copies.folder if isinstance(to, Bucket) else Path(to.location)


def _make_tables(database_url: str) -> None:
    """In a process of its own: migrations that change rows do so in the default database."""
    environment = {**os.environ, "RUNPOOL_DATA_DIR": str(settings.DATA_DIR), "RUNPOOL_DATABASE_URL": database_url}
    command = [sys.executable, "-m", "runpool.backup.unfinished", "The move of this site"]
    done = subprocess.run(  # noqa: S603 - the program itself
        command, cwd=settings.BASE_DIR, env=environment, capture_output=True, text=True, check=False
    )
    if done.returncode:
        last = done.stderr.strip().rpartition("\n")[2]
        raise TargetError(f"The new database cannot be used, and holds nothing of the site: {last}")


@contextmanager
def _connection(database: dict[str, Any]) -> Iterator[None]:
    """A second database for the time of the move."""
    connections.databases[TO] = {**connections.databases[DEFAULT_DB_ALIAS], "OPTIONS": {}, "TEST": {}, **database}
    try:
        yield
    finally:
        connections[TO].close()
        del connections[TO]
        del connections.databases[TO]


@contextmanager
def _alone(files: Path) -> Iterator[None]:
    """Two operators who move this site at once, or two sites to the same folder of this machine: the second is refused."""
    files.mkdir(mode=0o700, parents=True, exist_ok=True)
    try:
        with only_one_at_work(MOVE) as is_alone, Folder(files).alone():
            if not is_alone:
                raise TargetError("Somebody else moves this site. Wait until that has ended.")
            yield
    except TargetError as problem:
        if "Another backup" in str(problem):
            raise TargetError("Somebody else moves a site to this place. Wait until that has ended.") from problem
        raise


def _copy_files(target: StoredFiles, report: Report) -> int:
    """Copy what the rows name; each file is verified when it is read, and one that is there already is read as well."""
    require_no_other_site(own_file(), target, "Move to a new one.")
    names = sorted(named_files())
    for number, name in enumerate(names, start=1):
        if not BY_CONTENT.fullmatch(name):
            raise TargetError(
                f"{name}: no name that the site gives to a file. “manage.py verify files” says who names it."
            )
        if not is_intact(name, target):
            if target.exists(name):
                report(f"{name}: was damaged there, and is copied again")
            with open_verified(name, found_by="manage.py move_site") as file:
                target.save(name, file)
        if number % 1000 == 0:
            report(f"{number:,} of {len(names):,} files")
    if own_file():
        leave_file(absolute("/"), target)
    return len(names)


def _copy_rows(models: list[rows.Model], report: Report) -> None:
    rows.make_room(models, TO)
    given = {}
    for model in models:
        given[model] = rows.insert(model, rows.lines(model, DEFAULT_DB_ALIAS), TO)
        report(f"{model._meta.db_table}: {number_of(given[model].rows, 'row')}")
    for model, digest in given.items():
        if rows.digest_of(model, TO).hexadecimal != digest.hexadecimal:
            raise TargetError(f"{model._meta.db_table}: the new database holds something else. Nothing was moved.")
    rows.set_counters(models, TO)
