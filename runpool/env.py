"""All variables of the environment that the site reads. Each is declared once, by name, reader and default."""

import os
import re
import secrets
import tempfile
from collections.abc import Iterator, Mapping
from contextlib import suppress
from difflib import get_close_matches
from importlib.util import find_spec
from pathlib import Path
from typing import TypeVar

from django.core.exceptions import ImproperlyConfigured

from campaign.storage_places import BucketPlace, FolderPlace, WrongPlaceError, place_of
from runpool import places, readers
from runpool.readers import Reader, WrongOptionError
from runpool.start import refuse

T = TypeVar("T")
PREFIX = "RUNPOOL_"
NAMES: list[str] = []
"""Of all variables below, as they stand in the environment."""
NOT_READ_HERE = frozenset(f"{PREFIX}{name}" for name in ("SITE", "TOKEN", "CONFIG", "MODEL_TOKEN"))
"""Read by the client and by the programs that it writes."""
MOST_SHOWN = 200
_wrong_values: list[str] = []


def _read(name: str, reader: Reader[T], default: T) -> T:
    """The value of the variable. What is wrong is kept for `require_sound`, so that all problems are told at once."""
    name = f"{PREFIX}{name}"
    NAMES.append(name)
    given = os.environ.get(name)
    if given is None:
        return default
    given = given.strip()
    if not given:
        if default in ("", [], frozenset()):
            return default
        _wrong_values.append(f"{name} is empty. {reader.takes} Or take the variable away.")
        return default
    if given[0] == given[-1] and given[0] in "\"'":
        _wrong_values.append(f"{name} stands in quotes, and they are a part of its value here. Take them away.")
        return default
    try:
        return reader.read(given)
    except (WrongPlaceError, WrongOptionError) as problem:
        _wrong_values.append(f"{name} is {_cut(reader.shown(given))}. {problem}")
    except ValueError:
        _wrong_values.append(f"{name} is {_cut(reader.shown(given))}. {reader.takes}")
    return default


def _cut(shown: str) -> str:
    """A value of thousands of characters would hide what follows it."""
    return shown if len(shown) <= MOST_SHOWN else f"{shown[:MOST_SHOWN]}…"


_redis = readers.address("redis", "rediss", example="redis://127.0.0.1:6379/1")

DEBUG = _read("DEBUG", readers.boolean, False)
DATA_DIR = _read("DATA_DIR", readers.folder, places.DATA.resolve())
SECRET_KEY = _read("SECRET_KEY", readers.text, "")
ALLOWED_HOSTS = _read("ALLOWED_HOSTS", readers.host_names, ["localhost", "127.0.0.1", "[::1]"])
CSRF_TRUSTED_ORIGINS = _read("CSRF_TRUSTED_ORIGINS", readers.origins, [])
SECURE = _read("SECURE", readers.boolean, False)
DATABASE_URL = _read("DATABASE_URL", readers.database, f"sqlite:///{DATA_DIR / 'runpool.sqlite3'}")
BROKER_URL = _read(
    "BROKER_URL",
    readers.address("redis", "rediss", "files", example="redis://127.0.0.1:6379/0, or files://localhost for a folder"),
    "files://localhost",
)
STORAGE_URL = _read("STORAGE_URL", readers.storage, f"file://{DATA_DIR / 'files'}")
STORAGE_COPIES_BYTES = _read("STORAGE_COPIES_BYTES", readers.size(0), 4 * 1024**3)
STORAGE_DOWNLOADS = _read("STORAGE_DOWNLOADS", readers.choice("streamed", "signed"), "streamed")
STORAGE_PUBLIC_ENDPOINT = _read("STORAGE_PUBLIC_ENDPOINT", readers.endpoint, "").rstrip("/")
EMAIL_URL = _read(
    "EMAIL_URL",
    readers.address(
        *("smtp", "smtps", "smtp+tls", "smtp+ssl"),
        without_host=("consolemail", "filemail", "memorymail", "dummymail"),
        example="smtp+tls://user:password@mail.example.org:587",
    ),
    "",
)
CACHE_URL = _read("CACHE_URL", _redis, BROKER_URL if BROKER_URL.startswith("redis") else "")
SITE_URL = _read("SITE_URL", readers.site, "http://localhost:8000").rstrip("/")
MAIL_FROM = _read("MAIL_FROM", readers.mail_address, "runpool@localhost")
SITE_NAME = _read("SITE_NAME", readers.name, "Runpool")
CAMPAIGN_CREATION = _read("CAMPAIGN_CREATION", readers.choice("everybody", "staff"), "staff" if SECURE else "everybody")
TRUSTED_PROXY_COUNT = _read("TRUSTED_PROXY_COUNT", readers.whole_number(0, 100), 0)
LOG_LEVEL = _read("LOG_LEVEL", readers.choice("DEBUG", "INFO", "WARNING", "ERROR", "CRITICAL"), "INFO")
LOG_FORMAT = _read("LOG_FORMAT", readers.choice("plain", "json"), "plain")
METRICS_TOKEN = _read("METRICS_TOKEN", readers.token, "")
DATABASE_POOL = _read("DATABASE_POOL", readers.whole_number(0, 1000), 8)
UPLOADS_AT_ONCE = _read("UPLOADS_AT_ONCE", readers.whole_number(1, 1000), 2)
UPLOAD_LIMIT_BYTES = _read("UPLOAD_LIMIT_BYTES", readers.size(1), 256 * 1024**2)
FREE_SPACE_MINIMUM = _read("FREE_SPACE_MINIMUM", readers.size(0), 1024**3)
RUN_ATTEMPTS_PER_DAY = _read("RUN_ATTEMPTS_PER_DAY", readers.whole_number(0, 1_000_000), 50)
RUN_BYTES_PER_DAY = _read("RUN_BYTES_PER_DAY", readers.size(0), 5 * 1024**3)
DOCUMENT_HOSTS = _read("DOCUMENT_HOSTS", readers.hosts_and_ports, frozenset())
KEEP_JOBS_DAYS = _read("KEEP_JOBS_DAYS", readers.whole_number(0, 36_500), 30)
KEEP_ARCHIVES_DAYS = _read("KEEP_ARCHIVES_DAYS", readers.whole_number(0, 36_500), 30)
KEEP_EXPORTS_DAYS = _read("KEEP_EXPORTS_DAYS", readers.whole_number(0, 36_500), 7)
BACKUP_HOURS = _read("BACKUP_HOURS", readers.whole_number(0, 36_500), 36)
VERIFY_DAYS = _read("VERIFY_DAYS", readers.whole_number(0, 36_500), 7)

THREADS_SHARE_CONNECTIONS = False
"""To PostgreSQL, DATABASE_POOL of them: in web servers only (wsgi.py). A worker's processes are forked and have one each."""

# Standard names of other libraries, which operators and services set for them.
AWS_ACCESS_KEY_ID = os.environ.get("AWS_ACCESS_KEY_ID", "")
AWS_SECRET_ACCESS_KEY = os.environ.get("AWS_SECRET_ACCESS_KEY", "")
AWS_SESSION_TOKEN = os.environ.get("AWS_SESSION_TOKEN", "")
TRACES = any(os.environ.get(f"OTEL_EXPORTER_OTLP_{name}") for name in ("ENDPOINT", "TRACES_ENDPOINT"))

RENAMED = {"CELERY_BROKER_URL": "BROKER_URL", "FOUNDERS": "CAMPAIGN_CREATION", "PROXIES": "TRUSTED_PROXY_COUNT"}
OLD_NAMES = {
    **{name.removeprefix(PREFIX): name for name in NAMES if name.removeprefix(PREFIX) not in RENAMED.values()},
    **{old: f"{PREFIX}{new}" for old, new in RENAMED.items()},
}
"""Those of version 1.0, with those that took their place."""
READ_BY_CELERY = "CELERY_BROKER_URL"
SET_BY_KUBERNETES = re.compile(rf"{PREFIX}(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT(_\d+_(TCP|UDP)(_\w+)?)?)")
"""For each service whose name begins with runpool."""


def problems_of_names(environment: Mapping[str, str]) -> Iterator[str]:
    """Old and misspelt names. An old one beside the new one is passed over: it may belong to another program."""
    for name in sorted(environment):
        new = OLD_NAMES.get(name)
        if new and new not in environment:
            yield f"{name} is now {new}. Set that; where another program needs {name}, keep both."
        elif new and name == READ_BY_CELERY and environment[name] != environment[new]:
            yield f"{name} and {new} differ, and Celery itself would take the first. Take {name} away."
        elif _looks_like_ours(name):
            yield f"There is no variable {name}. {_nearest(name)}"


def _looks_like_ours(name: str) -> bool:
    known = {*NAMES, *NOT_READ_HERE}
    if name in known or SET_BY_KUBERNETES.fullmatch(name):
        return False
    upper = name.upper()
    return upper.startswith(PREFIX) or (upper[:3] == PREFIX[:3] and bool(get_close_matches(upper, known, cutoff=0.9)))


def _nearest(name: str) -> str:
    rest = name.upper().partition("_")[2]
    if new := OLD_NAMES.get(rest):
        return f"Its name is {new}."
    found = get_close_matches(rest, [known.removeprefix(PREFIX) for known in NAMES], n=1, cutoff=0.7)
    return f"The nearest name is {PREFIX}{found[0]}." if found else "Take it away; docs/guide/operator.md lists all."


def require_sound() -> None:
    """Refuse to go on with values or names that are wrong, telling all of them."""
    found = [*_wrong_values, *problems_of_names(os.environ)]
    storage = place_of(STORAGE_URL)
    if problem := overlap(DATA_DIR, storage):
        found.append(problem)
    if STORAGE_URL.startswith("s3:") and find_spec("boto3") is None:
        found.append(
            "RUNPOOL_STORAGE_URL names a bucket, but the library for it, boto3, is not installed. It comes with the wheel and "
            "with requirements/run.txt. Install Runpool anew."
        )
    if STORAGE_DOWNLOADS == "signed" and (problem := unsigned(storage, STORAGE_PUBLIC_ENDPOINT, secure=SECURE)):
        found.append(problem)
    if SECURE and (problem := _weakness(SECRET_KEY)):
        found.append(problem)
    refuse(found)


def unsigned(storage: FolderPlace | BucketPlace, public_endpoint: str, *, secure: bool) -> str:
    """Why browsers cannot download from the place itself."""
    if not isinstance(storage, BucketPlace):
        problem = "RUNPOOL_STORAGE_URL names a folder, which has no addresses of its own"
    elif secure and (public_endpoint or storage.endpoint).startswith("http://"):
        where = "RUNPOOL_STORAGE_PUBLIC_ENDPOINT" if public_endpoint else "the endpoint of RUNPOOL_STORAGE_URL"
        problem = f"browsers do not follow a page of HTTPS to {where}, which has none"
    else:
        return ""
    return (
        f"RUNPOOL_STORAGE_DOWNLOADS is 'signed', but {problem}. Give streamed, or a bucket that browsers reach by https://, "
        "as RUNPOOL_STORAGE_PUBLIC_ENDPOINT where the site has another address for it."
    )


OF_OTHER_USE = ("copies", "incoming", "logs", "mail", "queue", "static", "tmp")
"""Folders of RUNPOOL_DATA_DIR, beside that of stored files: nothing else may lie there."""


def overlap(data: Path, storage: FolderPlace | BucketPlace) -> str:
    """Why the stored files cannot lie there: the daily cleaning goes through their whole folder."""
    if isinstance(storage, BucketPlace):
        return ""
    folder = storage.path.resolve()
    if data.is_relative_to(folder):
        problem = f"holds RUNPOOL_DATA_DIR, {data}" if folder != data else "is RUNPOOL_DATA_DIR itself"
    elif any(folder.is_relative_to(data / name) for name in OF_OTHER_USE):
        problem = "is a folder that RUNPOOL_DATA_DIR has for something else"
    else:
        return ""
    remedy = f"Give the stored files a folder of their own, such as file://{data / 'files'}."
    return f"RUNPOOL_STORAGE_URL: {folder} {problem}. {remedy}"


SHORTEST_SECRET, FEWEST_LETTERS = 32, 10


def secret_key() -> str:
    """The configured key, or one made on first use and kept in the data directory (never a shared default)."""
    if SECRET_KEY:
        return SECRET_KEY
    path = DATA_DIR / "secret-key"
    try:
        try:
            key = path.read_text(encoding="ascii").strip()
        except FileNotFoundError:
            key = _make_secret_key(path)
    except (OSError, UnicodeError) as problem:
        reason = getattr(problem, "strerror", "") or "it is no text of a key"
        raise ImproperlyConfigured(
            f"The key of the site, {path}, can neither be read nor be made: {reason}. RUNPOOL_DATA_DIR must name a folder "
            "that belongs to the user who runs the site, with all that lies in it."
        ) from problem
    if len(key) < SHORTEST_SECRET:
        raise ImproperlyConfigured(
            f"The key of the site, {path}, has {len(key)} characters, and {SHORTEST_SECRET} is the least. Put your copy of the "
            "file in its place; or remove it: then a new key is made, and everybody signs in again."
        )
    return key


def _weakness(key: str) -> str:
    """Why a secure site does not start with this key: whoever guesses it signs in as anybody."""
    if not key:
        problem = "is not set"
    elif len(key) < SHORTEST_SECRET:
        problem = f"has {len(key)} characters, and {SHORTEST_SECRET} is the least"
    elif len(set(key)) < FEWEST_LETTERS:
        problem = f"has only {len(set(key))} different characters, and {FEWEST_LETTERS} is the least"
    else:
        return ""
    return (
        f"RUNPOOL_SECURE is on, but RUNPOOL_SECRET_KEY {problem}. Set the same long random text for web servers, workers "
        'and beat; this makes one: python3 -c "import secrets; print(secrets.token_urlsafe(50))"'
    )


def _make_secret_key(path: Path) -> str:
    """It appears whole: processes that start together read the same key, and a full disk leaves no empty one."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", encoding="ascii", dir=path.parent, prefix=".secret-key-") as beside:
        beside.write(secrets.token_urlsafe(50))
        beside.flush()
        os.fsync(beside.fileno())
        with suppress(FileExistsError):  # another process of the same start was first: its key is the key
            os.link(beside.name, path)
    return path.read_text(encoding="ascii").strip()
