"""Settings of one Runpool site. With nothing configured: SQLite, files on disk, a file-based broker."""

import gc
import os
from pathlib import Path

import django_stubs_ext
import environ
from csp.constants import NONE, SELF
from kombu import Queue

from campaign import queues
from campaign.log.lines import formatter_named
from campaign.storage_places import FolderPlace, place_of
from campaign.web.cache import cache_settings
from runpool import env, places
from runpool.file_modes import keep_private, require_open, require_own

gc.disable()  # until all apps are ready (runpool/apps.py): nothing that is imported is garbage
django_stubs_ext.monkeypatch()  # lets forms and querysets name their model in brackets at run time too

# Read when numpy is loaded. By several threads products of matrices are no quicker beside other work, and take twice the CPU.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

BASE_DIR = places.PACKAGES
env.require_sound()
DATA_DIR = env.DATA_DIR
require_own(data_folder=DATA_DIR)
keep_private(DATA_DIR)
DEBUG = env.DEBUG
SECRET_KEY = env.secret_key()
ALLOWED_HOSTS = env.ALLOWED_HOSTS
CSRF_TRUSTED_ORIGINS = env.CSRF_TRUSTED_ORIGINS
SITE_NAME = env.SITE_NAME
SITE_URL = env.SITE_URL
CAMPAIGN_CREATION = env.CAMPAIGN_CREATION

INSTALLED_APPS = [
    "campaign.apps.CampaignConfig",  # before Django's: its command changepassword comes first
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "whitenoise.runserver_nostatic",
    "django.contrib.staticfiles",
    "django.forms",
    "django_htmx",
    "csp",
    "allauth",
    "allauth.account",
    "pooling.apps.PoolingConfig",
    "judging.apps.JudgingConfig",
    "evaluation.apps.EvaluationConfig",
    "runpool.apps.RunpoolConfig",
]

MIDDLEWARE = [
    "runpool.middleware.RequestIds",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "runpool.middleware.CompressedAnswers",  # outside of all that read or change an answer
    "csp.middleware.CSPMiddleware",
    "campaign.api.middleware.ApiAnswers",
    "runpool.middleware.PrivateCacheControl",
    "runpool.middleware.ReadableAddresses",
    "runpool.middleware.CsvForSpreadsheets",
    "runpool.middleware.NearestMoments",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "allauth.account.middleware.AccountMiddleware",
    "runpool.middleware.PagesOfOthers",
    "runpool.middleware.ReadOnlyCampaigns",
    "runpool.middleware.AskedOnce",
    "runpool.typed_texts.TypedTexts",
]
CSRF_FAILURE_VIEW = "runpool.typed_texts.form_expired"

ROOT_URLCONF = "runpool.urls"
WSGI_APPLICATION = "runpool.wsgi.application"
ASGI_APPLICATION = "runpool.asgi.application"

TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [places.TEMPLATES],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "runpool.context_processors.site",
            ],
            "builtins": ["runpool.templatetags.runpool", "runpool.templatetags.parts"],
        },
    }
]
FORM_RENDERER = "django.forms.renderers.TemplatesSetting"

DATABASES = {"default": environ.Env.db_url_config(env.DATABASE_URL)}
if DATABASES["default"]["ENGINE"] == "django.db.backends.sqlite3":
    DATABASES["default"]["ENGINE"] = "campaign.database.sqlite"
    require_own(folder_of_the_database=Path(DATABASES["default"]["NAME"]).parent)  # SQLite writes beside its file too
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": 20,
        # FULL: a browser forgets a judgment once the server has it, so a power cut must not take it back.
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;",
    }
else:
    DATABASES["default"]["ENGINE"] = "campaign.database.postgresql"
    DATABASES["default"]["CONN_HEALTH_CHECKS"] = True
    # Without them a request waits minutes for a machine that no longer answers.
    own = {"connect_timeout": 10, "tcp_user_timeout": 20_000, "keepalives_idle": 20}
    DATABASES["default"]["OPTIONS"] = own | DATABASES["default"].get("OPTIONS", {})
    if env.THREADS_SHARE_CONNECTIONS and env.DATABASE_POOL:
        # The timeouts keep it short: while the database is away, a page says so soon, and soon after its return it is back.
        pool = {"min_size": 0, "max_size": env.DATABASE_POOL, "timeout": 10, "reconnect_timeout": 5}
        DATABASES["default"]["OPTIONS"]["pool"] = pool
    else:
        DATABASES["default"]["CONN_MAX_AGE"] = 60
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

STORAGE_URL = env.STORAGE_URL
AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY = env.AWS_ACCESS_KEY_ID, env.AWS_SECRET_ACCESS_KEY
AWS_SESSION_TOKEN = env.AWS_SESSION_TOKEN
_place = place_of(env.STORAGE_URL)
_is_folder = isinstance(_place, FolderPlace)
if isinstance(_place, FolderPlace):
    require_own(folder_of_stored_files=_place.path)
    require_open("folder of stored files", _place.path)
MEDIA_ROOT = str(_place.path) if isinstance(_place, FolderPlace) else ""
STORAGES = {
    "default": {"BACKEND": "campaign.storage.disk.WholeFiles" if _is_folder else "campaign.storage.bucket.Bucket"},
    "staticfiles": {"BACKEND": "whitenoise.storage.CompressedManifestStaticFilesStorage"},
}
STATIC_URL = "static/"
STATIC_ROOT = DATA_DIR / "static"
STATICFILES_DIRS = [places.STATIC]
FILE_UPLOAD_PERMISSIONS, FILE_UPLOAD_DIRECTORY_PERMISSIONS = 0o600, 0o700
FILE_UPLOAD_HANDLERS = ["campaign.web.uploads.LimitedUploadHandler"]
DATA_UPLOAD_MAX_NUMBER_FILES = 20
UPLOAD_LIMIT_BYTES = env.UPLOAD_LIMIT_BYTES
DOCUMENT_HOSTS = env.DOCUMENT_HOSTS
UPLOADS_AT_ONCE = env.UPLOADS_AT_ONCE
# On the disk of the files, if they lie on one: an upload is then moved to its place. What a dead process left is cleaned away.
FILE_UPLOAD_TEMP_DIR = (Path(MEDIA_ROOT) if _is_folder else DATA_DIR) / "incoming"
keep_private(FILE_UPLOAD_TEMP_DIR.parent, FILE_UPLOAD_TEMP_DIR)
STORAGE_COPIES_BYTES = env.STORAGE_COPIES_BYTES
STORAGE_DOWNLOADS = env.STORAGE_DOWNLOADS
STORAGE_PUBLIC_ENDPOINT = env.STORAGE_PUBLIC_ENDPOINT
FREE_SPACE_MINIMUM = env.FREE_SPACE_MINIMUM
# Of one team to one task, whatever becomes of its runs (see campaign/teams/selectors/quotas.py).
RUN_ATTEMPTS_PER_DAY = env.RUN_ATTEMPTS_PER_DAY
RUN_BYTES_PER_DAY = env.RUN_BYTES_PER_DAY
KEEP_JOBS_DAYS = env.KEEP_JOBS_DAYS
KEEP_ARCHIVES_DAYS = env.KEEP_ARCHIVES_DAYS
KEEP_EXPORTS_DAYS = env.KEEP_EXPORTS_DAYS
VERIFY_DAYS = env.VERIFY_DAYS

AUTH_USER_MODEL = "campaign.User"
AUTHENTICATION_BACKENDS = [
    "campaign.accounts.backend.OneCheck",
    "allauth.account.auth_backends.AuthenticationBackend",  # named by sessions of version 1.0, which go on
]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator"},
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator"},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
LOGIN_URL = "account_login"
LOGIN_REDIRECT_URL = "home"
ACCOUNT_LOGIN_METHODS = {"username", "email"}
ACCOUNT_SIGNUP_FIELDS = ["username*", "email*", "password1*", "password2*"]
ACCOUNT_EMAIL_VERIFICATION = "mandatory" if env.EMAIL_URL else "none"
# Without mail no address is ever confirmed, and only a confirmed one gives rights: a second account may claim it too, so that
# sign-up tells nobody which addresses are registered. With mail, the one who reads it is told instead.
ACCOUNT_PREVENT_ENUMERATION = True if env.EMAIL_URL else "strict"
ACCOUNT_ADAPTER = "campaign.accounts.adapter.AccountAdapter"
ACCOUNT_FORMS = {
    "login": "campaign.accounts.forms.sign_in.SignInForm",
    "signup": "campaign.accounts.forms.sign_up.SignUpForm",
    "add_email": "campaign.accounts.forms.addresses.AddAddressForm",
    "reset_password": "campaign.accounts.forms.addresses.ForgottenPasswordForm",
    "reset_password_from_key": "campaign.accounts.forms.password.PasswordResetForm",
}
ACCOUNT_PASSWORD_RESET_TOKEN_GENERATOR = "campaign.accounts.reset_links.ResetTokens"  # noqa: S105 - a path
ACCOUNT_RATE_LIMITS = {
    "login_failed": "50/5m/ip,5/5m/key",  # of each address, and of each address for one account
    "login_failed_by_all": "300/h/key",  # for one account; browsers in which it was signed in before are not kept out
}
ALLAUTH_TRUSTED_PROXY_COUNT = env.TRUSTED_PROXY_COUNT
ACCOUNT_LOGOUT_REDIRECT_URL = "home"
ACCOUNT_SESSION_REMEMBER = True

if env.EMAIL_URL:
    vars().update(environ.Env.email_url_config(env.EMAIL_URL))
else:
    EMAIL_BACKEND = "django.core.mail.backends.filebased.EmailBackend"
    EMAIL_FILE_PATH = DATA_DIR / "mail"
    keep_private(EMAIL_FILE_PATH)

DEFAULT_FROM_EMAIL = env.MAIL_FROM
EMAIL_TIMEOUT = 30  # a mail server that hangs must not hold up the sweep

CACHES = cache_settings(env.CACHE_URL)

# Of each user with a token, and of each address without one (see campaign/api/limits.py).
API_READS_PER_MINUTE = 120
API_ANONYMOUS_READS_PER_MINUTE = 30
API_WRITES_PER_MINUTE = 30
# Of each user and of each address without one: pictures of boards that nobody has asked for lately, each half a second of work.
PICTURES_PER_MINUTE = 120
ANONYMOUS_PICTURES_PER_MINUTE = 60
TRUSTED_PROXY_COUNT = env.TRUSTED_PROXY_COUNT

LANGUAGE_CODE = "en-us"
USE_I18N = True
USE_TZ = True
TIME_ZONE = "UTC"

METRICS_TOKEN = env.METRICS_TOKEN
TRACES = env.TRACES
SECURE_SSL_REDIRECT = env.SECURE
SECURE_REDIRECT_EXEMPT = [r"^metrics$"]  # Prometheus asks each machine by its own address, within the site's network
SESSION_COOKIE_SECURE = env.SECURE
CSRF_COOKIE_SECURE = env.SECURE
SECURE_HSTS_SECONDS = 31_536_000 if env.SECURE else 0
SILENCED_SYSTEM_CHECKS = ["security.W005", "security.W021"]  # they ask for HSTS of names that may not be this site's
SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https") if env.SECURE else None
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": [NONE],
        "script-src": [SELF],
        "style-src": [SELF],
        "img-src": [SELF],
        "font-src": [SELF],
        "connect-src": [SELF],
        "form-action": [SELF],
        "manifest-src": [SELF],
        "base-uri": [NONE],
        "frame-ancestors": [NONE],
    }
}

CELERY_BROKER_URL = env.BROKER_URL
# Whoever sends gives up quickly (see campaign/queue/broker.py); a worker waits for the broker as long as it takes.
CELERY_BROKER_TRANSPORT_OPTIONS: dict[str, object] = {
    "visibility_timeout": 3600, "max_retries": 0, "socket_connect_timeout": 1, "socket_timeout": 3
}  # fmt: skip
if CELERY_BROKER_URL.startswith("files:"):
    CELERY_BROKER_TRANSPORT_OPTIONS = {"folder": str(DATA_DIR / "queue")}
CELERY_TASK_IGNORE_RESULT = True
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
CELERY_BROKER_CONNECTION_MAX_RETRIES = None  # for ever
CELERY_WORKER_CANCEL_LONG_RUNNING_TASKS_ON_CONNECTION_LOSS = False  # a job's row counts, and not its message
CELERY_WORKER_MAX_MEMORY_PER_CHILD = 600_000  # KiB at its peak: then a new child takes its place
CELERY_TASK_QUEUES = [Queue(name) for name in queues.ALL]
CELERY_TASK_DEFAULT_QUEUE = queues.GENERAL
CELERY_BEAT_SCHEDULE = {"sweep": {"task": "sweep", "schedule": 30.0, "options": {"queue": queues.SWEEP, "expires": 25}}}
CELERY_BEAT_SCHEDULER = "campaign.queue.beat:Scheduler"
CELERY_BEAT_SCHEDULE_FILENAME = str(DATA_DIR / "beat-schedule")

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {"line": {"()": formatter_named, "name": env.LOG_FORMAT}},
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "line"}},
    "root": {"handlers": ["console"], "level": env.LOG_LEVEL},
    # campaign.queue.jobs names each job that begins and ends, with its request; Celery's own lines would say it twice.
    # What the client of the bucket says below a warning holds signatures, by which whoever reads the log may read files.
    "loggers": {
        name: {"level": "WARNING"}
        for name in (
            "celery.app.trace",
            "celery.worker.strategy",
            "celery.beat",
            "boto3",
            "botocore",
            "s3transfer",
            "urllib3",
        )
    },
}
