"""Everything that the environment can set, read once and checked."""

import secrets
from pathlib import Path

import environ

env = environ.Env()

REPOSITORY = Path(__file__).resolve().parent.parent.parent
DEBUG = env.bool("DEBUG", default=False)
DATA_DIR = Path(env.str("DATA_DIR", default=str(REPOSITORY / "data"))).resolve()
SECRET_KEY: str = env.str("SECRET_KEY", default="")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS", default=["localhost", "127.0.0.1", "[::1]"])
TRUSTED_ORIGINS = env.list("CSRF_TRUSTED_ORIGINS", default=[])
SECURE = env.bool("SECURE", default=False)
DATABASE_URL = env.str("DATABASE_URL", default=f"sqlite:///{DATA_DIR / 'runpool.sqlite3'}")
CELERY_BROKER_URL = env.str("CELERY_BROKER_URL", default="filesystem://localhost")
STORAGE_URL = env.str("STORAGE_URL", default=f"file://{DATA_DIR / 'files'}")
EMAIL_URL = env.str("EMAIL_URL", default="")
CACHE_URL = env.str("CACHE_URL", default=CELERY_BROKER_URL if CELERY_BROKER_URL.startswith("redis") else "")
SITE_URL = env.str("SITE_URL", default="http://localhost:8000").rstrip("/")
MAIL_FROM = env.str("MAIL_FROM", default="runpool@localhost")
SITE_NAME = env.str("SITE_NAME", default="Runpool")
FOUNDERS = env.str("FOUNDERS", default="staff" if SECURE else "everybody")
PROXIES = env.int("PROXIES", default=0)
LOG_LEVEL = env.str("LOG_LEVEL", default="INFO")
UPLOAD_LIMIT_BYTES = env.int("UPLOAD_LIMIT_BYTES", default=256 * 1024**2)


def secret_key() -> str:
    """The configured key, or one made on first use and kept in the data directory (never a shared default)."""
    if SECRET_KEY:
        return SECRET_KEY
    path = DATA_DIR / "secret-key"
    try:
        return path.read_text(encoding="ascii").strip()
    except FileNotFoundError:
        return _make_secret_key(path)


def _make_secret_key(path: Path) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        with path.open("x", encoding="ascii") as file:
            path.chmod(0o600)
            file.write(secrets.token_urlsafe(50))
    except FileExistsError:  # another process of the same start was first: its key is the key
        return path.read_text(encoding="ascii").strip()
    return path.read_text(encoding="ascii").strip()
