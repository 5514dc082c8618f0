"""The campaigns that a reader sees, searched and in an order that begins with what comes next."""

from dataclasses import dataclass
from datetime import datetime
from typing import Any, ClassVar, Self

from django.db.models import Exists, F, Min, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, Least
from django.utils import timezone

from campaign.models import Campaign, Registration, Role, Task, Team, Visitor, tones
from campaign.models.tones import Toned
from campaign.setup.selectors.schedule import coming_dates


@dataclass(frozen=True, slots=True)
class CampaignEntry(Toned):
    DRAFT, OPEN, PUBLISHED, CLOSED, ARCHIVED = "draft", "open", "published", "closed", "archived"
    TONES: ClassVar = {
        DRAFT: tones.WAITING,
        OPEN: tones.WORKING,
        PUBLISHED: tones.GOOD,
        CLOSED: tones.OFF,
        ARCHIVED: tones.OFF,
    }

    campaign: Campaign
    tasks: list[Task]
    state: str
    next_date: datetime | None
    next_event: str

    @classmethod
    def of(cls, campaign: Campaign, tasks: list[Task]) -> Self:
        state = cls.OPEN
        if campaign.opened_at is None:
            state = cls.DRAFT
        elif campaign.archived_at is not None:
            state = cls.ARCHIVED
        elif campaign.closed_at is not None:
            state = cls.CLOSED
        elif tasks and all(task.phase == Task.PUBLISHED for task in tasks):
            state = cls.PUBLISHED
        at, event = min(coming_dates(tasks), default=(None, ""))
        return cls(campaign, tasks, state, at, event)


@dataclass(frozen=True, slots=True)
class CampaignFilter:
    """`search`: words that stand in title, address or summary. `state`: as `CampaignEntry` names it, or empty. `own`: in
    which the reader has a role or a team."""

    search: str = ""
    state: str = ""
    own: bool = False

    @property
    def narrows(self) -> bool:
        return bool(self.search or self.state or self.own)


def campaigns_found(user: Visitor, wanted: CampaignFilter) -> QuerySet[Campaign]:
    """Those with a coming date first, the nearest of them at the top; then the newest."""
    found: QuerySet[Campaign] = Campaign.objects.visible_to(user)
    for word in wanted.search.split():
        found = found.filter(Q(title__icontains=word) | Q(slug__icontains=word) | Q(summary__icontains=word))
    if wanted.own:
        found = _own(user, found)
    if wanted.state:
        found = _in_state(user, found, wanted.state)
    return found.annotate(next_at=Subquery(_next_date())).order_by(
        F("next_at").asc(nulls_last=True), "-created_at", "-pk"
    )


def campaign_entries(user: Visitor, campaigns: QuerySet[Campaign]) -> list[CampaignEntry]:
    """The entries of a page of `campaigns_found`."""
    shown = Prefetch("tasks", queryset=Task.objects.visible_to(user), to_attr="shown_tasks")
    found = campaigns.prefetch_related(shown)
    return [CampaignEntry.of(campaign, campaign.shown_tasks) for campaign in found]


def newest_published_task(user: Visitor) -> Task | None:
    published = Task.objects.visible_to(user).filter(phase=Task.PUBLISHED, campaign__deleted_at=None)
    return published.select_related("campaign").order_by("-pk").first()


def _next_date() -> QuerySet[Task, Any]:
    """For each campaign the first of its `coming_dates`."""
    now = timezone.now()
    tasks = Task.objects.filter(campaign=OuterRef("pk"), campaign__closed_at=None).order_by().values("campaign")
    opens = Min("opens_at", filter=Q(opens_at__gt=now))
    closes = Min("closes_at", filter=Q(closes_at__gt=now, runs_closed_at=None))
    dates = tasks.annotate(opens=opens, closes=closes)
    return dates.values(next_at=Coalesce(Least("opens", "closes"), "opens", "closes"))


def _own(user: Visitor, found: QuerySet[Campaign]) -> QuerySet[Campaign]:
    if not user.is_authenticated:
        return found.none()
    roles = Role.objects.filter(user=user).values("campaign")
    teams = Registration.objects.filter(team__in=Team.objects.of(user)).values("campaign")
    return found.filter(Q(pk__in=roles) | Q(pk__in=teams))


def _in_state(user: Visitor, found: QuerySet[Campaign], state: str) -> QuerySet[Campaign]:
    """The same states as `CampaignEntry.of` gives."""
    tasks = Task.objects.visible_to(user).filter(campaign=OuterRef("pk"))
    is_published = Exists(tasks) & ~Exists(tasks.exclude(phase=Task.PUBLISHED))
    at_work = Q(opened_at__isnull=False, closed_at=None)
    return found.filter(
        {
            CampaignEntry.DRAFT: Q(opened_at=None),
            CampaignEntry.OPEN: at_work & ~Q(is_published),
            CampaignEntry.PUBLISHED: at_work & Q(is_published),
            CampaignEntry.CLOSED: Q(closed_at__isnull=False, archived_at=None),
            CampaignEntry.ARCHIVED: Q(archived_at__isnull=False),
        }[state]
    )
