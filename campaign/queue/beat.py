"""Beat, which sends the sweep. Celery's own waits for the moment at which it last did so, also after a clock was set back."""

from typing import Any

from celery.beat import PersistentScheduler


class Scheduler(PersistentScheduler):  # type: ignore[misc]  # Celery has no types
    def tick(self, *args: Any, **options: Any) -> float:
        """As Celery's; what was last sent in the future counts as sent now, and waits once more."""
        now = self.app.now()
        for entry in self.schedule.values():
            if entry.last_run_at > now:
                entry.last_run_at, self._heap = now, None
        return float(super().tick(*args, **options))
