from datetime import timedelta
from pathlib import Path

from django.apps import AppConfig


class ShortWaits(AppConfig):
    """A lost job is found after seconds: usually after 45 (its worker is dead) or 60 (its message is lost)."""

    name = "tests.faults.short_waits"
    path = str(Path(__file__).parent)

    def ready(self) -> None:
        from campaign.models import Job
        from campaign.queue import broker, heartbeat, jobs, locks

        heartbeat.HEARTBEAT_SECONDS = 1
        locks.STALE_AFTER = jobs.STALE_AFTER = timedelta(seconds=6)
        Job.FIRST_PAUSE = Job.LONGEST_PAUSE = timedelta(seconds=6)
        broker.PAUSE_SECONDS = 2.0
