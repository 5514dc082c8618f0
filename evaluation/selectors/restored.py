"""Campaigns and boards that came out of an archive: what the site says of them, since it did not publish them itself."""

from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

from django.utils.dateparse import parse_datetime

from campaign.models import ArchivedName, Campaign, Restoration
from campaign.models.fields import day_problem
from evaluation.models import Leaderboard


@dataclass(frozen=True, slots=True)
class RestoredFrom:
    """`made_at`: when the archive says that it was made; `content_sha256`: of its content. None and "" where it is not known."""

    made_at: datetime | None
    restored_at: datetime | None
    content_sha256: str

    def to_json(self) -> dict[str, Any]:
        return {
            "archive_made_at": self.made_at and self.made_at.isoformat(),
            "restored_at": self.restored_at and self.restored_at.isoformat(),
            "content_sha256": self.content_sha256,
        }


class Origins:
    """Which boards of a campaign were published elsewhere: by somebody who came out of the archive, and cannot sign in here."""

    def __init__(self, campaign: Campaign) -> None:
        came = ArchivedName.objects.filter(campaign=campaign, user__isnull=False, facts__isnull=False)
        self._newcomers = set(came.values_list("user", flat=True))
        unknown = RestoredFrom(None, None, "")
        self._restored = (restoration_of(campaign) or unknown) if self._newcomers else None

    def of(self, leaderboard: Leaderboard) -> RestoredFrom | None:
        return self._restored if leaderboard.published_by_id in self._newcomers else None


def restored_from(leaderboard: Leaderboard) -> RestoredFrom | None:
    """None for a board that was published here."""
    return Origins(leaderboard.task.campaign).of(leaderboard)


def restoration_of(campaign: Campaign) -> RestoredFrom | None:
    """None for a campaign that was made here."""
    done = Restoration.objects.filter(campaign=campaign, state=Restoration.DONE).order_by("-finished_at").first()
    if done is None:
        return None
    return RestoredFrom(_moment(done.found.get("made_at")), done.finished_at, str(done.found.get("content_sha256", "")))


def _moment(text: object) -> datetime | None:
    try:
        found = parse_datetime(str(text))
        if found is None or found.tzinfo is None or day_problem(found):
            return None
        return found.astimezone(UTC)
    except (ValueError, OverflowError):
        return None
