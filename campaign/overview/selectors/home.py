"""What the home page lists: campaigns to look at, and each person's own next steps."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import ClassVar, Self

from django.db.models import Count, Exists, OuterRef, Prefetch, Q
from django.urls import reverse
from django.utils import timezone

from campaign.addresses import Step
from campaign.models import Campaign, Registration, Role, Run, Task, Team, User, Visitor, tones
from campaign.models.tones import Toned
from campaign.overview.selectors.next_steps import organiser_step, with_readiness
from campaign.setup.selectors.people import own_invitations
from campaign.setup.selectors.schedule import coming_dates, open_windows, run_window
from campaign.teams.selectors.acceptances import teams_that_lack_agreements
from campaign.words import number_of


@dataclass(frozen=True, slots=True)
class CampaignEntry(Toned):
    DRAFT, OPEN, PUBLISHED = "draft", "open", "published"
    TONES: ClassVar = {DRAFT: tones.WAITING, OPEN: tones.WORKING, PUBLISHED: tones.GOOD}

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
    for campaign in Campaign.objects.filter(pk__in=organised).annotate(waiting=waiting).filter(waiting__gt=0):
        page = f"{reverse('registration_list', kwargs={'campaign_slug': campaign.slug})}?state={Registration.REQUESTED}"
        count = campaign.waiting  # type: ignore[attr-defined]  # annotated
        yield Todo(campaign.title, f"{number_of(count, 'team')} waiting for your approval", Step("Decide", page))
    for campaign in Campaign.objects.filter(pk__in=organised, tasks__isnull=True):
        page = reverse("task_create", kwargs={"campaign_slug": campaign.slug})
        yield Todo(campaign.title, "has no task yet", Step("Create the first task", page))
    tasks = Task.objects.filter(campaign__in=organised).exclude(phase=Task.PUBLISHED)
    for task in with_readiness(tasks):
        step = organiser_step(task)
        if step is not None:
            window = run_window(task)
            deadline = window.deadline if window.is_open else None
            yield Todo(_place(task), _situation(task), step, deadline, task.campaign.time_zone)


def _situation(task: Task) -> str:
    if task.phase == Task.SETUP:
        return "being set up, seen by the campaign's own people only"
    if task.phase == Task.RUNS:
        runs, teams = task.run_count, task.team_count  # type: ignore[attr-defined]  # annotated
        return f"{number_of(runs, 'valid run')} of {number_of(teams, 'team')}"
    return {
        Task.POOL: "closed for runs; the pool decides what is judged",
        Task.JUDGING: "being judged",
        Task.SCORES: "has scores that only organisers see",
    }[task.phase]


def _participant_todos(user: User) -> Iterator[Todo]:
    teams = Team.objects.of(user)
    registered = Registration.objects.approved().filter(team__in=teams).values("campaign")
    yield from _registration_todos(user)
    newer = Run.objects.filter(task=OuterRef("task"), tag=OuterRef("tag"), attempt__gt=OuterRef("attempt"))
    rejected = Run.objects.filter(~Exists(newer), team__in=teams, state=Run.REJECTED, task__campaign__in=registered)
    for run in rejected.select_related("task__campaign", "team"):
        if run_window(run.task, run.team).is_open:
            yield Todo(_place(run.task), f"your run {run} was rejected", Step("See why", run.get_absolute_url()))
    taking_part = Task.objects.visible_to(user).filter(campaign__in=registered).select_related("campaign")
    for task, window in open_windows(user, taking_part):
        step = Step("Upload a run", reverse("run_create", kwargs=task.address))
        yield Todo(_place(task), "open for your runs", step, window.deadline, task.campaign.time_zone)


def _registration_todos(user: User) -> Iterator[Todo]:
    for registration in teams_that_lack_agreements(user):
        text = f"{registration.team} has an agreement to accept before its next run"
        yield Todo(registration.campaign.title, text, Step("Read and accept", _register_page(registration)))
    undecided = Registration.objects.exclude(state=Registration.APPROVED).filter(team__in=Team.objects.of(user))
    for registration in undecided.filter(campaign__opened_at__isnull=False).select_related("team", "campaign"):
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


def _place(task: Task) -> str:
    return f"{task.campaign} · {task}"
