"""What the home page lists: campaigns to look at, and each person's own next steps."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Self

from django.db.models import Count, Prefetch, Q
from django.urls import reverse
from django.utils import timezone

from campaign.addresses import Step
from campaign.models import Campaign, Registration, Role, Task, Team, User, Visitor, tones
from campaign.models.tones import Toned
from campaign.overview.selectors.next_steps import deciding_step, organiser_work, participant_work
from campaign.setup.selectors.people import own_invitations
from campaign.setup.selectors.schedule import coming_dates
from campaign.teams.selectors.acceptances import teams_that_lack_agreements
from campaign.waiting import Waiting
from campaign.words import number_of


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
class Todo:
    """One line of “what is next for you”."""

    title: str
    text: str
    step: Step
    deadline: datetime | None = None
    zone: str = ""


def campaign_entries(user: Visitor) -> list[CampaignEntry]:
    """The campaigns that the user sees, those with a date to come first."""
    shown = Prefetch("tasks", queryset=Task.objects.visible_to(user), to_attr="shown_tasks")
    campaigns = Campaign.objects.visible_to(user).prefetch_related(shown)
    entries = [CampaignEntry.of(campaign, campaign.shown_tasks) for campaign in campaigns]  # type: ignore[attr-defined]
    last = datetime.max.replace(tzinfo=timezone.get_current_timezone())
    return sorted(entries, key=lambda entry: entry.next_date or last)


def todos(user: User) -> list[Todo]:
    return [*_invitation_todos(user), *_organiser_todos(user), *_participant_todos(user), *_newcomer_todos(user)]


def _invitation_todos(user: User) -> Iterator[Todo]:
    for invitation in own_invitations(user):
        page = reverse("role_answer", kwargs={"invitation_id": invitation.pk})
        text = f"{invitation.invited_by} invites you to be {invitation.get_role_display()}"
        yield Todo(invitation.campaign.title, text, Step("Accept or decline", page))


def _organiser_todos(user: User) -> Iterator[Todo]:
    organised = Role.objects.filter(user=user, role=Role.ORGANISER).values("campaign")
    waiting = Count("registrations", filter=Q(registrations__state=Registration.REQUESTED))
    campaigns = Campaign.objects.filter(pk__in=organised, archived_at=None)
    for campaign in campaigns.annotate(waiting=waiting).filter(waiting__gt=0):
        teams = campaign.waiting  # type: ignore[attr-defined]  # annotated
        text = f"{number_of(teams, 'team')} waiting for your approval"
        yield Todo(campaign.title, text, deciding_step(campaign, teams))
    for campaign in campaigns.exclude(pk__in=Task.objects.values("campaign")):
        page = reverse("task_create", kwargs={"campaign_slug": campaign.slug})
        yield Todo(campaign.title, "has no task yet", Step("Create the first task", page))
    tasks = Task.objects.filter(campaign__in=campaigns).select_related("campaign")
    for waits in organiser_work(user, list(tasks)).values():
        yield from map(_todo, waits)


def _todo(waiting: Waiting) -> Todo:
    task = waiting.task
    return Todo(f"{task.campaign} · {task}", waiting.text, waiting.step, waiting.deadline, task.campaign.time_zone)


def _participant_todos(user: User) -> Iterator[Todo]:
    teams = Team.objects.of(user)
    registered = Registration.objects.approved().filter(team__in=teams, campaign__closed_at=None).values("campaign")
    yield from _registration_todos(user)
    taking_part = Task.objects.visible_to(user).filter(campaign__in=registered).select_related("campaign")
    for waits in participant_work(user, list(taking_part)).values():
        yield from map(_todo, waits)


def _registration_todos(user: User) -> Iterator[Todo]:
    for registration in teams_that_lack_agreements(user):
        text = f"{registration.team} has an agreement to accept before its next run"
        yield Todo(registration.campaign.title, text, Step("Read and accept", _register_page(registration)))
    undecided = Registration.objects.exclude(state=Registration.APPROVED).filter(team__in=Team.objects.of(user))
    for registration in undecided.filter(campaign__opened_at__isnull=False, campaign__closed_at=None).select_related(
        "team", "campaign"
    ):
        waits = registration.state == Registration.REQUESTED
        text = f"{registration.team} {'waits for the organisers’ approval' if waits else 'was refused'}"
        step = Step("See the registration" if waits else "See why", _register_page(registration))
        yield Todo(registration.campaign.title, text, step)


def _register_page(registration: Registration) -> str:
    return reverse("campaign_register", kwargs={"campaign_slug": registration.campaign.slug})


def _newcomer_todos(user: User) -> Iterator[Todo]:
    has_a_part = Role.objects.filter(user=user).exists() or own_invitations(user).exists()
    if has_a_part or Team.objects.of(user).exists():
        return
    step = Step("Create or join a team", reverse("team_list"))
    yield Todo("Take part in a campaign", "you need a team, if only of yourself", step)
