"""Settings of the test suite: the real ones, in a folder of their own; jobs run where they are enqueued.

Each process has its folder: the workers that share the tests share no file, nor do the processes that tests start.
"""

import atexit
import os
import shutil
import sys
import tempfile

for name in ("REDIS_URL", "REQUIRE"):  # scripts may still give them the prefix of the site's own variables
    if (old := os.environ.pop(f"RUNPOOL_{name}", None)) is not None:
        os.environ.setdefault(f"TEST_{name}", old)
NEW_NAMES = {"DATABASE_URL": "RUNPOOL_DATABASE_URL", "REDIS_URL": "TEST_REDIS_URL"}
if told := [f"{old} is now {new}." for old, new in NEW_NAMES.items() if old in os.environ and new not in os.environ]:
    sys.exit("No tests were run: " + " ".join(told))
os.environ["RUNPOOL_DATA_DIR"] = tempfile.mkdtemp(prefix="runpool-tests-")
os.environ.setdefault("RUNPOOL_SECRET_KEY", "only for tests")
os.environ.setdefault("RUNPOOL_LOG_LEVEL", "WARNING")

from runpool.settings import *  # noqa: E402, F403

atexit.register(shutil.rmtree, DATA_DIR, ignore_errors=True)  # noqa: F405
STATIC_ROOT.mkdir(parents=True, exist_ok=True)  # noqa: F405
CELERY_TASK_ALWAYS_EAGER = True
CELERY_TASK_EAGER_PROPAGATES = True
PASSWORD_HASHERS = ["django.contrib.auth.hashers.MD5PasswordHasher"]
EMAIL_BACKEND = "django.core.mail.backends.locmem.EmailBackend"
STORAGES = {**STORAGES, "staticfiles": {"BACKEND": "django.contrib.staticfiles.storage.StaticFilesStorage"}}  # noqa: F405
if DATABASES["default"]["ENGINE"].endswith("postgresql"):  # noqa: F405
    # Nothing of the tests needs to survive a power cut, and a commit need not wait for the disk.
    DATABASES["default"]["OPTIONS"] = {"options": "-c synchronous_commit=off"}  # noqa: F405
else:
    DATABASES["default"]["TEST"] = {"NAME": ":memory:"}  # noqa: F405  # pytest-django knows no other backend for SQLite
