"""Whether this server can do its work, part by part, each with a sentence and what to do about it."""

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from django.conf import settings
from django.contrib.staticfiles.storage import staticfiles_storage
from django.db import DatabaseError, connection, transaction
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.utils import timezone

from campaign.database import clock
from runpool import env, postgresql
from runpool.operations.health import Health

OK, DEGRADED, FAILING = "ok", "degraded", "failing"
NOT_WELL = (FAILING, DEGRADED)
"""The worse first."""
MOST_SECONDS_APART = 2
NOT_TOLD, SEE_DATABASE = "This cannot be told while the database cannot be read.", "See the part “database”."
MOST_NAMED = 5


@dataclass(frozen=True, slots=True)
class Part:
    """`status`: ok, degraded (work waits) or failing (this server cannot work). `remedy` is empty where all is well."""

    name: str
    status: str
    sentence: str
    remedy: str = ""


def parts(health: Health) -> list[Part]:
    return [
        _database(health),
        _migrations(health),
        _clock(health),
        _static(),
        _storage(health),
        _broker(health),
        _cache(health),
        _sweep(health),
        _workers(health),
        _room(health),
        _files(health),
        _backups(health),
    ]


def worst(found: list[Part]) -> str:
    """The status of the whole: that of its worst part."""
    statuses = {part.status for part in found}
    return next((status for status in NOT_WELL if status in statuses), OK)


def _database(health: Health) -> Part:
    if not health.database:
        remedy = (
            "Start the database, and check RUNPOOL_DATABASE_URL."
            if connection.vendor == "postgresql"
            else "See that the disk of its file has room and that the file can be read, and check RUNPOOL_DATABASE_URL."
        )
        return Part("database", FAILING, "The database does not answer.", remedy)
    if health.wrong_encoding:
        return Part("database", FAILING, health.wrong_encoding, postgresql.IN_UTF8)
    if not health.tables:
        remedy = "Run “manage.py migrate”. Where that has nothing to do, the log of the web servers says what cannot be read."
        return Part("database", FAILING, "The database answers, but its tables cannot be read.", remedy)
    if health.unfinished:
        return Part("database", FAILING, f"{health.unfinished}.", "Type the same command again: it goes on.")
    if not health.writable:
        if connection.vendor == "postgresql":
            sentence = "The database answers, but takes no writes."
            return Part("database", FAILING, sentence, postgresql.TAKES_WRITES)
        sentence = "The database answers, but its file may not be written, or less than 1 MB is free on its disk."
        remedy = "Make room on the disk of the database, or give its file to the user who runs the site."
        return Part("database", FAILING, sentence, remedy)
    return Part("database", OK, "The database answers.")


def _migrations(health: Health) -> Part:
    missing = _missing_migrations() if health.database else None
    if missing is None:
        return Part("migrations", FAILING, NOT_TOLD, SEE_DATABASE)
    if not missing:
        return Part("migrations", OK, "All migrations are applied.")
    more = f" and {len(missing) - MOST_NAMED} more" if len(missing) > MOST_NAMED else ""
    sentence = f"Migrations are not applied: {', '.join(missing[:MOST_NAMED])}{more}."
    return Part("migrations", FAILING, sentence, "Run “manage.py migrate”.")


def _missing_migrations() -> list[str] | None:
    try:
        with transaction.atomic():
            applied = MigrationRecorder(connection).applied_migrations()
    except DatabaseError:
        return None
    return [f"{app}.{name}" for app, name in sorted(_shipped_migrations() - applied.keys())]


@cache
def _shipped_migrations() -> frozenset[tuple[str, str]]:
    """Those of this version's code, which stay the same while the process lives."""
    return frozenset(MigrationLoader(None).disk_migrations)


def _clock(health: Health) -> Part:
    """Deadlines go by the clock of the server that reads an upload; what machines agree on goes by the database's."""
    if not health.database:
        return Part("clock", DEGRADED, NOT_TOLD, SEE_DATABASE)
    apart = (timezone.now() - clock.now()).total_seconds()
    if abs(apart) <= MOST_SECONDS_APART:
        return Part("clock", OK, "The clock of this server agrees with the database's.")
    where = "ahead of" if apart > 0 else "behind"
    sentence = f"The clock of this server is {abs(apart):,.0f} seconds {where} the database's."
    return Part("clock", DEGRADED, sentence, "Let a time service (chrony, systemd-timesyncd) set the clocks of both.")


def _static() -> Part:
    """Pages ask for these files by the names that `collectstatic` has given them, which a web server reads once."""
    missing = _missing_static_files()
    if not missing:
        return Part("static", OK, "Styles and scripts are collected.")
    sentence = f"Static files are not collected ({len(missing)}, such as {min(missing)}): no page can be shown."
    return Part(
        "static", FAILING, sentence, "Run “manage.py collectstatic --no-input”, then start the web servers again."
    )


def _missing_static_files() -> list[str]:
    named = getattr(staticfiles_storage, "hashed_files", None)
    if settings.DEBUG or named is None:
        return []
    return [name for name in _static_files() if not _is_there(named, name)]


def _is_there(named: dict[str, str], name: str) -> bool:
    """On the disk: somebody may have emptied the folder since."""
    return name in named and staticfiles_storage.exists(named[name])


@cache
def _static_files() -> frozenset[str]:
    """Of this version."""
    folders = [Path(folder) for folder in settings.STATICFILES_DIRS]
    return frozenset(
        path.relative_to(folder).as_posix() for folder in folders for path in folder.rglob("*") if path.is_file()
    )


def _storage(health: Health) -> Part:
    if health.storage and not health.own_storage:
        remedy = (
            "Mount its disk, or correct RUNPOOL_STORAGE_URL. Where you moved the files yourself, “manage.py verify files” takes "
            "the new place for the site's once no file is missing."
        )
        return Part("storage", FAILING, "The storage of files is not that of this site, or was emptied.", remedy)
    if health.storage:
        return Part("storage", OK, "The storage of files answers.")
    remedy = (
        "Check RUNPOOL_STORAGE_URL. A folder: its rights, and whether the disk is full. "
        "A bucket: “manage.py check --deploy” asks it and says what is wrong."
    )
    return Part("storage", FAILING, "The storage of files does not answer or cannot be written.", remedy)


def _broker(health: Health) -> Part:
    if health.broker:
        return Part("broker", OK, "The broker answers.")
    remedy = "Start the broker, and check RUNPOOL_BROKER_URL. Jobs stay in the database and are sent again."
    return Part("broker", DEGRADED, "The broker does not answer: jobs wait.", remedy)


def _cache(health: Health) -> Part:
    """Limits of requests go by it. While it is away, the counters lie in the database."""
    if health.cache == "":
        return Part("cache", OK, "The cache answers.")
    remedy = "Start the Redis of RUNPOOL_CACHE_URL (if it is not set: of RUNPOOL_BROKER_URL), and check that address."
    refused = f"refuses this site: {health.cache}" if health.cache else "does not answer"
    return Part("cache", DEGRADED, f"The Redis of the cache {refused}. The database counts instead.", remedy)


def _sweep(health: Health) -> Part:
    if not health.tables:
        return Part("sweep", DEGRADED, NOT_TOLD, SEE_DATABASE)
    if health.no_sweep:
        return Part(
            "sweep",
            DEGRADED,
            _sentence(health.no_sweep),
            "Start beat, and a worker that takes from the queue “sweep”. The next sweep ends this.",
        )
    if health.failed_steps:
        remedy = "The log of the workers says why. “manage.py verify” names rows that cannot be read."
        return Part("sweep", DEGRADED, _sentence(health.failed_steps), remedy)
    return Part("sweep", OK, f"The last sweep ran {health.beat} seconds ago.")


def _workers(health: Health) -> Part:
    if not health.tables:
        return Part("workers", DEGRADED, NOT_TOLD, SEE_DATABASE)
    if health.no_worker:
        return Part("workers", DEGRADED, _sentence(health.no_worker), "Start workers of the queues that wait.")
    if health.missing_workers:
        remedy = "Start workers of these queues. Why they ended stands in their log, or in the kernel's: out of memory."
        return Part("workers", DEGRADED, _sentence(health.missing_workers), remedy)
    waiting = health.oldest_waiting_job_seconds
    if waiting is None:
        return Part("workers", OK, "Each queue has workers, and no job waits.")
    return Part("workers", OK, f"The oldest waiting job has waited for {waiting} seconds.")


def _room(health: Health) -> Part:
    if health.takes_uploads:
        return Part("room", OK, "There is room for uploads.")
    if not (health.storage and health.own_storage) and health.free_bytes != 0:
        return Part(
            "room", DEGRADED, "This cannot be told while the storage does not answer.", "See the part “storage”."
        )
    remedy = "Make room on the disk of RUNPOOL_DATA_DIR, or lower RUNPOOL_FREE_SPACE_MINIMUM."
    return Part("room", DEGRADED, "The disk is nearly full: uploads are refused.", remedy)


def _files(health: Health) -> Part:
    if not health.tables:
        return Part("files", DEGRADED, NOT_TOLD, SEE_DATABASE)
    if health.damaged_files:
        remedy = "Restore the files that the page of operations names."
        return Part("files", DEGRADED, f"Damaged stored files: {health.damaged_files}.", remedy)
    if health.findings:
        remedy = "“manage.py verify” names each, and what mends it; it is well again when that finds nothing."
        return Part("files", DEGRADED, f"The last verification had findings: {health.findings}.", remedy)
    return Part("files", OK, "No stored file is known to be damaged.")


def _backups(health: Health) -> Part:
    """A site of which no backup is known may be saved by other means. Why one failed names folders, and everybody reads this."""
    if not health.tables:
        return Part("backups", DEGRADED, NOT_TOLD, SEE_DATABASE)
    failed = " The last try failed: the page of operations says why." if health.failed_backup else ""
    if health.backup is None:
        return Part("backups", OK, f"No whole backup by “manage.py backup” is known.{failed}")
    hours = health.backup.age_seconds // 3600
    if not env.BACKUP_HOURS or hours < env.BACKUP_HOURS:
        return Part("backups", OK, f"The last whole backup is {hours:,} hours old.{failed}")
    remedy = (
        "Run “manage.py backup”, and see why it did not run or did not end well: “systemctl status runpool-backup.timer”, the "
        "log of runpool-backup.service, the room in its folder or bucket."
    )
    return Part("backups", DEGRADED, f"The last whole backup is {hours:,} hours old.{failed}", remedy)


def _sentence(words: str) -> str:
    return f"{words[0].upper()}{words[1:]}."
