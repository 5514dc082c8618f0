"""Everything that the environment can set, read once and checked."""

import secrets
from pathlib import Path

import environ
from django.core.exceptions import ImproperlyConfigured

from campaign.project import places

env = environ.Env()

DEBUG = env.bool("DEBUG", default=False)
DATA_DIR = Path(env.str("DATA_DIR", default=str(places.DATA))).resolve()
SECRET_KEY: str = env.str("SECRET_KEY", default="")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
SECURE = env.bool("SECURE", default=False)
DATABASE_URL = env.str("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'runpool.sqlite3'}")
CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="files://localhost").replace("filesystem:", "files:")
STORAGE_URL = env.str("STORAGE_URL", default=f"file://{DATA_DIR / 'files'}")
AWS_ACCESS_KEY_ID: str = env.str("AWS_ACCESS_KEY_ID", default="")
AWS_SECRET_ACCESS_KEY: str = env.str("AWS_SECRET_ACCESS_KEY", default="")
AWS_SESSION_TOKEN: str = env.str("AWS_SESSION_TOKEN", default="")
STORAGE_COPIES_BYTES = env.int("STORAGE_COPIES_BYTES", default=4 * 1024**3)
EMAIL_URL = env.str("EMAIL_URL", default="")
CACHE_URL = env.str("CACHE_URL", default=CELERY_BROKER_URL if CELERY_BROKER_URL.startswith("redis") else "")
SITE_URL = env.str("SITE_URL", default="http://localhost:8000").rstrip("/")
MAIL_FROM = env.str("MAIL_FROM", default="runpool@localhost")
SITE_NAME = env.str("SITE_NAME", default="Runpool")
FOUNDERS = env.str("FOUNDERS", default="staff" if SECURE else "everybody")
PROXIES = env.int("PROXIES", default=0)
LOG_LEVEL = env.str("LOG_LEVEL", default="INFO")
METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
LOG_FORMAT = env.str("LOG_FORMAT", default="plain")
TRACES = any(env.str(f"OTEL_EXPORTER_OTLP_{name}", default="") for name in ("ENDPOINT", "TRACES_ENDPOINT"))
DATABASE_POOL = env.int("DATABASE_POOL", default=0)
UPLOADS_AT_ONCE = env.int("UPLOADS_AT_ONCE", default=2)
UPLOAD_LIMIT_BYTES = env.int("UPLOAD_LIMIT_BYTES", default=256 * 1024**2)
FREE_SPACE_MINIMUM = env.int("FREE_SPACE_MINIMUM", default=1024**3)
RUN_ATTEMPTS_PER_DAY = env.int("RUN_ATTEMPTS_PER_DAY", default=50)
RUN_BYTES_PER_DAY = env.int("RUN_BYTES_PER_DAY", default=5 * 1024**3)
DOCUMENT_HOSTS = frozenset(host.strip().lower() for host in env.list("DOCUMENT_HOSTS", default=[]) if host.strip())
KEEP_JOBS_DAYS = env.int("KEEP_JOBS_DAYS", default=30)
KEEP_ARCHIVES_DAYS = env.int("KEEP_ARCHIVES_DAYS", default=30)
KEEP_EXPORTS_DAYS = env.int("KEEP_EXPORTS_DAYS", default=7)
VERIFY_DAYS = env.int("VERIFY_DAYS", default=7)


def log_format() -> str:
    if LOG_FORMAT not in ("plain", "json"):
        raise ImproperlyConfigured(f"LOG_FORMAT is {LOG_FORMAT!r}. It is plain, for people, or json, for programs.")
    return str(LOG_FORMAT)


SHORTEST_SECRET, FEWEST_LETTERS = 32, 10


def secret_key() -> str:
    """The configured key, or one made on first use and kept in the data directory (never a shared default).

    A site that is SECURE starts with no key but a strong one of its own: whoever guesses it signs in as anybody.
    """
    if SECURE:
        _require_strong(SECRET_KEY)
    if SECRET_KEY:
        return SECRET_KEY
    path = DATA_DIR / "secret-key"
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return _make_secret_key(path)


def _require_strong(key: str) -> None:
    if not key:
        problem = "is not set"
    elif len(key) < SHORTEST_SECRET:
        problem = f"has {len(key)} characters, and {SHORTEST_SECRET} is the least"
    elif len(set(key)) < FEWEST_LETTERS:
        problem = f"has only {len(set(key))} different characters, and {FEWEST_LETTERS} is the least"
    else:
        return
    raise ImproperlyConfigured(
        f"SECURE is on, but SECRET_KEY {problem}. Nothing starts so. Set the same long random text for web servers, workers "
        'and beat; this makes one: python3 -c "import secrets; print(secrets.token_urlsafe(50))"'
    )


def _make_secret_key(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="ascii") as file:
            path.chmod(0o600)
            file.write(secrets.token_urlsafe(50))
    except FileExistsError:  # another process of the same start was first: its key is the key
        return path.read_text(encoding="ascii").strip()
    return path.read_text(encoding="ascii").strip()
