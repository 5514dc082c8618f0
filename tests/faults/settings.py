"""Settings of the sites that faults are tried on: those of a real site, with shorter waits, so that a pass takes minutes."""

from runpool.settings import *  # noqa: F403

INSTALLED_APPS = [*INSTALLED_APPS, "tests.faults.short_waits.ShortWaits"]  # noqa: F405
CELERY_BEAT_SCHEDULE = {"sweep": {**CELERY_BEAT_SCHEDULE["sweep"], "schedule": 2.0}}  # noqa: F405
