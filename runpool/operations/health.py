"""The health of the site: database, storage, stored files, queue, sweep, workers."""

import logging
import os
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from shutil import disk_usage
from typing import NamedTuple

from django.conf import settings
from django.db import DatabaseError, connection, transaction
from django.db.models import QuerySet

from campaign.database import clock
from campaign.database.errors import database_is_away
from campaign.formats.moments import EARLIEST, LATEST
from campaign.models import DamagedFile, Job, LastSeen, SiteFigures, Verification, job_key
from campaign.queue.broker import broker_answers
from campaign.queue.open_jobs import minutes, no_worker, oldest_waiting_job_seconds
from campaign.queue.workers import workers_seen
from campaign.storage.interface import StorageAwayError, files
from campaign.storage.inventory import users_of
from campaign.storage.owners import is_own
from campaign.storage.room import free_bytes, has_room
from campaign.web.cache import redis_refusal
from runpool import env, postgresql
from runpool.backup.record import BackupMade, last_backups
from runpool.operations.restarts import restarts_in_words

CLEAN, VERIFY = "clean", "verify"
"""Done by runpool/jobs.py."""
MOST_DAMAGE_SHOWN = 50
logger = logging.getLogger(__name__)
NO_SWEEP_AFTER = timedelta(seconds=150)
"""Five sweeps in a row are missing."""
LEAST_FREE_BYTES = 1_000_000
"""On the disk of a SQLite file. Transactions of a few pages may still fit into less, others are refused."""
CLOCKS_DIFFER = timedelta(minutes=1)
"""A moment that lies further in the future was recorded by a clock that was set back since."""


@dataclass(frozen=True, slots=True)
class Health:
    """`database`: it answers. `tables`: what is asked of them here can be read. `writable`: the database takes writes.

    `wrong_encoding`: why it cannot hold every text. `unfinished`: a restoration or move into it. `storage`: it answers;
    `own_storage`: it is that of this site. Texts are sentences, empty where all is well. `cache`: what its Redis refuses, None
    if it is away.

    `beat`: seconds since the last sweep, None if that cannot be told. `takes_uploads`: enough disk is free; `free_bytes`: None if
    that cannot be told; `damaged_files`: not yet restored. `findings`: of the last verification, None before any.
    `backup`: the last whole one, `failed_backup`: a later one that is not; None where the site knows of none.
    """

    database: bool
    tables: bool
    writable: bool
    wrong_encoding: str
    unfinished: str
    storage: bool
    own_storage: bool
    broker: bool
    cache: str | None
    beat: int | None
    oldest_waiting_job_seconds: int | None
    no_worker: str
    missing_workers: str
    no_sweep: str
    failed_steps: str
    restarts: str
    free_bytes: int | None
    takes_uploads: bool
    damaged_files: int | None
    findings: int | None
    backup: BackupMade | None
    failed_backup: BackupMade | None


def site_health() -> Health:
    database, tables, queue = _told_by_the_database()
    storage = _storage_answers()
    own = not (storage and tables) or _is_own()
    return Health(
        database=database,
        tables=tables,
        writable=not database or _takes_writes(),
        wrong_encoding=postgresql.wrong_encoding() if database else "",
        storage=storage,
        own_storage=own,
        broker=broker_answers(),
        cache=redis_refusal(env.CACHE_URL) if env.CACHE_URL else "",
        restarts=restarts_in_words(settings.DATA_DIR / "logs"),
        free_bytes=_free_bytes(),
        takes_uploads=storage and own and has_room(),
        **queue._asdict(),
    )


def _told_by_the_database() -> "tuple[bool, bool, _Queue]":
    """Whether it answers, whether its tables can be read, and what they tell. Requests wait for it longer."""
    nothing = _Queue(None, None, "", "", "", "", "", None, None, None, None)
    if not postgresql.answers():
        logger.warning("database: it does not answer")
        return False, False, nothing
    try:
        with transaction.atomic():
            return True, True, _queue()
    except DatabaseError as problem:
        logger.warning("database: %s", str(problem).partition("\n")[0])
        return not database_is_away(problem) and _database_answers(), False, nothing


def _database_answers() -> bool:
    """It may lack the tables of this version, or hold a row that cannot be read: that is another fault than being away."""
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT 1")
    except DatabaseError:
        return False
    return True


def _takes_writes() -> bool:
    """A standby server, a file without the right to write it, and a full disk answer every question."""
    if connection.vendor != "postgresql":
        file = Path(connection.settings_dict["NAME"])
        return not file.is_file() or (os.access(file, os.W_OK) and disk_usage(file.parent).free >= LEAST_FREE_BYTES)
    try:
        with transaction.atomic(), connection.cursor() as cursor:
            cursor.execute("SELECT current_setting('transaction_read_only') = 'off'")
            return bool(cursor.fetchone()[0])
    except DatabaseError:
        return False


def _free_bytes() -> int | None:
    try:
        return free_bytes()
    except OSError:
        return None


def _is_own() -> bool:
    try:
        return is_own()
    except (DatabaseError, StorageAwayError, OSError):
        return False


class _Queue(NamedTuple):
    """What the database tells of the queue and of stored files."""

    beat: int | None
    oldest_waiting_job_seconds: int | None
    no_worker: str
    missing_workers: str
    no_sweep: str
    failed_steps: str
    unfinished: str
    damaged_files: int | None
    findings: int | None
    backup: BackupMade | None
    failed_backup: BackupMade | None


def _queue() -> _Queue:
    swept = LastSeen.objects.filter(name=LastSeen.SWEEP).first()
    now = clock.now()
    since = None if swept is None else now - swept.at
    whole, failed = last_backups()
    return _Queue(
        beat=None if since is None or since < -CLOCKS_DIFFER else max(0, int(since.total_seconds())),
        oldest_waiting_job_seconds=oldest_waiting_job_seconds(),
        no_worker=no_worker(),
        missing_workers=workers_seen(now).problem(),
        no_sweep=_no_sweep(since),
        failed_steps=_failed_steps(),
        unfinished=unfinished(),
        damaged_files=damaged_files().count(),
        findings=findings_of_last(),
        backup=whole,
        failed_backup=failed,
    )


def _no_sweep(since: timedelta | None) -> str:
    if since is None:
        return "no sweep has run yet"
    if since < -CLOCKS_DIFFER:
        return f"the last sweep is recorded {minutes(-since)} minutes in the future, so the clock was set back since"
    return f"no sweep has run for {minutes(since)} minutes" if since >= NO_SWEEP_AFTER else ""


def _failed_steps() -> str:
    found = SiteFigures.objects.filter(name=SiteFigures.FAILED_STEPS).first()
    names = found.values["names"] if found else []
    return f"in the last sweep failed: {', '.join(names)}" if names else ""


def unfinished() -> str:
    """What was cut off while it filled this database; empty where nothing was."""
    found = SiteFigures.objects.filter(name=SiteFigures.UNFINISHED).first()
    return f"{found.values['what']} was not finished: the database lacks its rows" if found else ""


def damaged_files() -> QuerySet[DamagedFile]:
    """Those that are not restored yet."""
    return DamagedFile.objects.filter(restored_at=None)


def damage_in_words() -> list[tuple[DamagedFile, list[str]]]:
    """Each damaged file with what rests on it."""
    return [(damaged, users_of(damaged.name)) for damaged in damaged_files()[:MOST_DAMAGE_SHOWN]]


def last_verification() -> Verification | None:
    return Verification.objects.order_by("-pk").first()


def findings_of_last() -> int | None:
    return Verification.objects.order_by("-pk").values_list("found", flat=True).first()


def verification_under_way() -> bool:
    return Job.objects.filter(name=VERIFY, state__in=[Job.QUEUED, Job.WORKING]).exists()


def database_bytes() -> int | None:
    """None where the database is a file in the data folder, which the free space tells of."""
    if connection.vendor != "postgresql":
        return None
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_database_size(current_database())")
        return int(cursor.fetchone()[0])


def last_cleaning() -> Job | None:
    return cleanings().filter(finished_at__range=(EARLIEST, LATEST)).only("message", "finished_at").first()


def cleanings() -> QuerySet[Job]:
    """Those that ended well, newest first; the key makes the index by work serve."""
    return Job.objects.filter(name=CLEAN, key=job_key({}), state=Job.DONE).order_by("-pk")


def _storage_answers() -> bool:
    """The reason goes into the log and not onto a page that everybody can read: it names machines."""
    try:
        files().require_answer()
    except StorageAwayError as problem:
        logger.warning("storage: %s", problem.reason)
        return False
    except OSError:
        return False
    return True
