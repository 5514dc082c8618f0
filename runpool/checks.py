"""System checks (`manage.py check`) of settings that would harm a site."""

import os
import time
from collections.abc import Sequence
from contextlib import closing
from datetime import UTC, datetime, timedelta
from importlib import import_module
from pathlib import Path
from pkgutil import iter_modules
from sqlite3 import Error as SqliteError
from sqlite3 import connect
from typing import Any
from urllib.parse import urlsplit

import environ
from django.conf import settings
from django.core.checks import CheckMessage, Error, Tags, Warning
from django.http.request import validate_host
from psycopg import ProgrammingError
from psycopg.conninfo import make_conninfo

from campaign.storage.interface import StorageAwayError, StorageRefusedError, files
from campaign.storage_places import BucketPlace, place_of
from campaign.version import VERSION
from campaign.web.cache import redis_refusal
from runpool import env, postgresql
from runpool.file_modes import open_to_others
from runpool.readers import OF_TLS, options_of

SETTINGS = "settings"
OF_SETTINGS = (SETTINGS, Tags.caches, Tags.files, Tags.security)
"""Tags of the checks that go by what an operator sets; the others go by the program alone, and load all pages."""
FILES_OF_TLS = {*OF_TLS, "sslcert", "sslkey", "sslrootcert", "sslcrl"}
OF_SQLITE = b"SQLite format 3\0"
OWN_APPS = ("campaign", "pooling", "judging", "evaluation")
SHORTEST_SECRET, FEWEST_CHARACTERS = 50, 5


def check_settings(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    of_services = [*_database(), *_redis()]
    return [*_secure(), *_addresses(), *_places(), *of_services, *_files_of_tls(), *_traces()]


def check_deployment(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """What `manage.py check --deploy` refuses besides."""
    messages: list[CheckMessage] = []
    if len(env.SECRET_KEY) < SHORTEST_SECRET or len(set(env.SECRET_KEY)) < FEWEST_CHARACTERS:
        hint = "Set RUNPOOL_SECRET_KEY to at least 50 random characters, the same on every server: who guesses it is anybody."
        messages.append(
            Error("RUNPOOL_SECRET_KEY is not set, or too short, or too simple.", hint=hint, id="runpool.E007")
        )
    if any(host.strip() in {"*", "."} for host in env.ALLOWED_HOSTS):
        hint = "List the names of the site in RUNPOOL_ALLOWED_HOSTS, comma-separated."
        messages.append(Error("RUNPOOL_ALLOWED_HOSTS allows every host name.", hint=hint, id="runpool.E008"))
    if settings.STORAGE_URL.startswith("s3:") and not _storage()[0]:
        messages += _silent_bucket()
    return messages


def check_bucket(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """A bucket that is away is no reason not to start. One that refuses will refuse for ever."""
    place = place_of(settings.STORAGE_URL)
    if not isinstance(place, BucketPlace) or _storage()[0]:
        return []
    from campaign.storage.s3 import refused_rights  # it loads the library of buckets

    hint = "Give the keys this right (docs/guide/operator/object-storage.md lists all), or correct what the sentence names."
    try:
        return [Error(refused, hint=hint, id="runpool.E023") for refused in refused_rights(place)]
    except StorageAwayError:
        return []


def _silent_bucket() -> list[CheckMessage]:
    """`check_bucket` tells of refusals."""
    try:
        files().require_answer()
    except StorageRefusedError:
        return []
    except StorageAwayError as problem:
        hint = "See docs/guide/operator/object-storage.md. A site starts without its bucket, and waits for it."
        return [Error(f"The storage of files cannot be used: {problem.reason}", hint=hint, id="runpool.E011")]
    return []


def _secure() -> list[CheckMessage]:
    messages: list[CheckMessage] = []
    if env.SECURE and env.DEBUG:
        hint = "Switch RUNPOOL_DEBUG off: its error pages show settings and file contents to everybody."
        messages.append(Error("RUNPOOL_SECURE and RUNPOOL_DEBUG are on together.", hint=hint, id="runpool.E002"))
    if env.SECURE and not env.EMAIL_URL:
        hint = "Set RUNPOOL_EMAIL_URL; until then mails (password resets, say) are written to files and nobody receives them."
        messages.append(
            Warning("RUNPOOL_SECURE is on, but RUNPOOL_EMAIL_URL is not set.", hint=hint, id="runpool.W001")
        )
    return messages


def _addresses() -> list[CheckMessage]:
    """The site's address and sender, which appear in mails and receipts."""
    messages: list[CheckMessage] = []
    host = urlsplit(env.SITE_URL).hostname or ""
    if not validate_host(host if ":" not in host else f"[{host}]", env.ALLOWED_HOSTS):
        text = f"RUNPOOL_SITE_URL is {env.SITE_URL}, but RUNPOOL_ALLOWED_HOSTS does not name {host}."
        hint = "Let both name the host that people type: mails lead to the first, and all other hosts are refused."
        messages.append(Warning(text, hint=hint, id="runpool.W004"))
    if env.SECURE and not env.SITE_URL.startswith("https://"):
        hint = (
            "Set RUNPOOL_SITE_URL to the address that people type, such as https://runs.example.org: mails lead there."
        )
        messages.append(
            Warning(f"RUNPOOL_SECURE is on, but RUNPOOL_SITE_URL is {env.SITE_URL}.", hint=hint, id="runpool.W002")
        )
    if env.SECURE and env.EMAIL_URL and env.MAIL_FROM.endswith("@localhost"):
        hint = "Set RUNPOOL_MAIL_FROM to an address of your own domain; other servers refuse mail from localhost."
        messages.append(
            Warning(f"RUNPOOL_SECURE is on, but RUNPOOL_MAIL_FROM is {env.MAIL_FROM}.", hint=hint, id="runpool.W003")
        )
    return messages


def _traces() -> list[CheckMessage]:
    if not env.TRACES:
        return []
    try:
        import_module("campaign.log.traces.sdk")
    except ModuleNotFoundError:
        hint = "Install requirements/traces.txt, or the wheel as runpool-….whl[traces]; or take the variable away."
        text = "OTEL_EXPORTER_OTLP_ENDPOINT is set, but OpenTelemetry is not installed."
        return [Error(text, hint=hint, id="runpool.E012")]
    return []


def _database() -> list[CheckMessage]:
    """A database that is away is no reason not to start."""
    database = environ.Env.db_url_config(env.DATABASE_URL)
    if env.DATABASE_URL.startswith("sqlite:"):
        return _database_file(Path(database["NAME"]))
    try:
        make_conninfo(**options_of(env.DATABASE_URL))
    except ProgrammingError as problem:
        hint = "Correct what follows the “?” in RUNPOOL_DATABASE_URL, such as sslmode=verify-full."
        return [Error(f"The address of the database: {str(problem).strip()}.", hint=hint, id="runpool.E014")]
    if wrong := postgresql.wrong_encoding():
        return [Error(wrong, hint=postgresql.IN_UTF8, id="runpool.E016")]
    if postgresql.is_pooled_by_transaction():
        text = (
            "A pool between the site and the database hands connections on after each transaction: pages and jobs fail."
        )
        return [Error(text, hint=postgresql.BY_SESSION, id="runpool.E018")]
    return []


def check_version(app_configs: Sequence[Any] | None, **kwargs: Any) -> list[CheckMessage]:
    """What an older program writes may lack what a later one, which was at work here, relies on.

    A web server that began before the later version came goes on, with workers that take the place of others too.
    """
    own, begun = _own_migrations(), _gunicorn_begun_at()
    applied = _applied_migrations()
    unknown = sorted(name for name, at in applied.items() if name not in own and (begun is None or at < begun))
    if not unknown:
        return []
    more = f" and {len(unknown) - 1} more" if len(unknown) > 1 else ""
    text = f"The database is of a later version than this program ({VERSION}), which lacks its migration {unknown[0]}{more}."
    hint = "Start the later version; or restore a backup of before the upgrade into a new database and a new folder of files."
    return [Error(text, hint=hint, id="runpool.E021")]


def _gunicorn_begun_at() -> datetime | None:
    """When the gunicorn began that this process is a worker of; None for all others, and where the system does not tell."""
    parent = Path(f"/proc/{os.getppid()}")
    try:
        if b"gunicorn" not in (parent / "cmdline").read_bytes():
            return None
        ticks = int(
            (parent / "stat").read_text().rpartition(")")[2].split()[19]
        )  # `starttime` of proc(5), since the boot
    except OSError:
        return None
    age = time.clock_gettime(time.CLOCK_BOOTTIME) - ticks / os.sysconf("SC_CLK_TCK")
    return datetime.now(UTC) - timedelta(seconds=age)


def _applied_migrations() -> dict[str, datetime]:
    """Of the site's own apps, with their moments; none where the database is away or has no tables yet.

    On SQLite, where sites are stopped for an upgrade, the moments are those of long ago.
    """
    if not env.DATABASE_URL.startswith("sqlite:"):
        applied = postgresql.rows_of("SELECT app, name, applied FROM django_migrations")
    elif (file := Path(environ.Env.db_url_config(env.DATABASE_URL)["NAME"])).is_file():
        try:
            with closing(connect(f"{file.absolute().as_uri()}?mode=ro", uri=True)) as own:
                found = own.execute("SELECT app, name FROM django_migrations").fetchall()
        except SqliteError:
            return {}
        applied = [(*row, datetime.min.replace(tzinfo=UTC)) for row in found]
    else:
        return {}
    return {f"{app}.{name}": at for app, name, at in applied if app in OWN_APPS}


def _own_migrations() -> set[str]:
    folders = {app: import_module(f"{app}.migrations").__path__ for app in OWN_APPS}
    return {f"{app}.{module.name}" for app, folder in folders.items() for module in iter_modules(folder)}


def _redis() -> list[CheckMessage]:
    """A Redis that is away is no reason not to start. One that refuses will refuse for ever."""
    messages: list[CheckMessage] = []
    if refused := redis_refusal(env.CACHE_URL) if env.CACHE_URL else "":
        hint = "Correct RUNPOOL_CACHE_URL (if it is not set: RUNPOOL_BROKER_URL): the number of the database, user and password."
        messages.append(Error(f"The Redis of the cache refuses this site: {refused}.", hint=hint, id="runpool.E017"))
    is_asked = env.BROKER_URL.startswith("redis") and env.BROKER_URL != env.CACHE_URL
    if refused := redis_refusal(env.BROKER_URL) if is_asked else "":
        hint = "Correct RUNPOOL_BROKER_URL: the number of the database, user and password."
        messages.append(Error(f"The Redis of the queue refuses this site: {refused}.", hint=hint, id="runpool.E019"))
    return messages


def _files_of_tls() -> list[CheckMessage]:
    """A library meets a file that is missing with every connection, and then names neither file nor variable."""
    messages: list[CheckMessage] = []
    for name in ("DATABASE_URL", "BROKER_URL", "CACHE_URL"):
        for option, file in options_of(getattr(env, name)).items():
            if option in FILES_OF_TLS and file.startswith("/") and not os.access(file, os.R_OK):
                hint = "Put the file there, and let the user that runs the site read it."
                text = f"{file}, which RUNPOOL_{name} names as {option}, cannot be read."
                messages.append(Error(text, hint=hint, id="runpool.E015"))
    return messages


def _database_file(file: Path) -> list[CheckMessage]:
    """SQLite writes beside its file too."""
    if file.is_file() and os.access(file, os.R_OK) and not _may_be_of_sqlite(file):
        hint = "Let RUNPOOL_DATABASE_URL name the site's own file, or one that is not there yet."
        return [Error(f"{file} is no database of SQLite.", hint=hint, id="runpool.E020")]
    if file.exists():
        is_usable = file.is_file() and os.access(file, os.R_OK | os.W_OK) and _is_writable(file.parent)
    else:
        is_usable = file.parent.is_dir() and _is_writable(file.parent)
    if is_usable or (file.parent == env.DATA_DIR and not _is_writable(env.DATA_DIR)):  # named already
        return []
    hint = "Let RUNPOOL_DATABASE_URL name a file in a folder that exists, and give both to the user that runs the site."
    return [Error(f"The database {file} cannot be written.", hint=hint, id="runpool.E013")]


def _may_be_of_sqlite(file: Path) -> bool:
    """By its first bytes; an empty one becomes a database."""
    with file.open("rb") as opened:
        return opened.read(len(OF_SQLITE)) in (b"", OF_SQLITE)


def _places() -> list[CheckMessage]:
    messages: list[CheckMessage] = []
    if not _is_writable(env.DATA_DIR):
        hint = "Give the user that runs the site write permission there, or set RUNPOOL_DATA_DIR to another folder."
        messages.append(Error(f"The data folder {env.DATA_DIR} cannot be written.", hint=hint, id="runpool.E003"))
    found, folders = _storage()
    messages += found
    messages += [_open(folder) for folder in (env.DATA_DIR, *folders) if folder.is_dir() and open_to_others(folder)]
    return messages


def _storage() -> tuple[list[CheckMessage], list[Path]]:
    """What is wrong with the storage, and its folder, if it is one."""
    place = place_of(settings.STORAGE_URL)
    if isinstance(place, BucketPlace):
        if settings.AWS_ACCESS_KEY_ID and settings.AWS_SECRET_ACCESS_KEY:
            return [], []
        hint = "Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, for web servers, workers and commands alike."
        return [
            Error("RUNPOOL_STORAGE_URL names a bucket, but there are no keys for it.", hint=hint, id="runpool.E010")
        ], []
    if _is_writable(place.path):
        return [], [place.path]
    hint = "Give the user that runs the site write permission there, or set RUNPOOL_STORAGE_URL to another folder."
    problem_found = Error(f"The storage folder {place.path} cannot be written.", hint=hint, id="runpool.E005")
    return [problem_found], [place.path]


def _open(folder: Path) -> CheckMessage:
    hint = f"Give it to the user that runs the site and take it from all others: chmod 700 {folder}"
    return Warning(f"Other users of this machine can look into {folder}.", hint=hint, id="runpool.W010")


def _is_writable(folder: Path) -> bool:
    """Whether files can be created in the folder, or the folder itself can be created."""
    while not folder.exists() and folder != folder.parent:
        folder = folder.parent
    return folder.is_dir() and os.access(folder, os.W_OK | os.X_OK)
