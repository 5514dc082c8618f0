"""What the site itself remembers of its backups: they lie where it may not look."""

from dataclasses import asdict, dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from campaign.database import clock
from campaign.models import SiteFigures

WHOLE, TRIED = "backup", "tried"


@dataclass(frozen=True, slots=True)
class BackupMade:
    """When it ended, where to, how long it took; `problem`: why it is not whole, or was not made. Empty where all is well."""

    at: str
    target: str
    seconds: float
    problem: str

    @property
    def ended_at(self) -> datetime:
        return datetime.fromisoformat(self.at)

    @property
    def age_seconds(self) -> int:
        """Never below 0: the clock of the machine that made it may be ahead."""
        return max(0, int((clock.now() - self.ended_at).total_seconds()))

    @property
    def in_words(self) -> str:
        return f"to {self.target}, in {self.seconds:,.1f} s" + (f": {self.problem}" if self.problem else "")


@transaction.atomic
def record(key: str, value: Any) -> None:
    """Note a fact about backups under its name; what else is known of them stays."""
    now = clock.now()
    row, _ = SiteFigures.objects.select_for_update().get_or_create(name=SiteFigures.BACKUPS, defaults={"at": now})
    row.at, row.values = now, {**row.values, key: value}
    row.save()


def recorded() -> dict[str, Any]:
    """All that was noted, by name."""
    found = SiteFigures.objects.filter(name=SiteFigures.BACKUPS).first()
    return found.values if found else {}


def backup_note(target: str, seconds: float, problem: str = "") -> None:
    """Note how a backup ended. One that is whole ends what is said of one that was not."""
    made = asdict(BackupMade(clock.now().isoformat(timespec="seconds"), target, round(seconds, 1), problem))
    record(TRIED, made)
    if not problem:
        record(WHOLE, made)


def last_backups() -> tuple[BackupMade | None, BackupMade | None]:
    """The last one that holds everything; and the last one of all, if it was not made or lacks files."""
    found = recorded()
    whole, tried = (BackupMade(**found[key]) if key in found else None for key in (WHOLE, TRIED))
    return whole, tried if tried and tried.problem else None
