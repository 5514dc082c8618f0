"""Each person's own next steps, from all campaigns, for the home page."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Case, Count, F, Q, QuerySet, Value, When
from django.urls import reverse

from campaign.models import Campaign, Registration, Role, Task, Team, User
from campaign.navigation import Step, Todo
from campaign.news.selectors.questions import questions_to_answer
from campaign.setup.selectors.people import own_invitations
from campaign.teams.selectors.acceptances import teams_that_lack_agreements
from campaign.text.plurals import number_of
from evaluation.selectors.results import results_to_read
from judging.progress.selectors.alarms import alarms_to_read
from runpool.overview.todo import deciding_step, organiser_work, participant_work

MOST_TASKS = 100
"""So many of a person's tasks are asked for what waits in them; the page of each campaign tells it of the others."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """One line of “what is next for you”."""

    title: str
    text: str
    step: Step
    deadline: datetime | None = None
    zone: str = ""
    named: Sequence[Step] = ()


def next_steps_of(user: User) -> list[NextStep]:
    results = map(_next_step, results_to_read(user))
    own = [*_invitation_steps(user), *results, *_organiser_steps(user), *_participant_steps(user)]
    return own or list(_newcomer_steps(user))


def _invitation_steps(user: User) -> Iterator[NextStep]:
    for invitation in own_invitations(user):
        page = reverse("role_answer", kwargs={"invitation_id": invitation.pk})
        text = f"{invitation.invited_by} invites you to be {invitation.get_role_display()}"
        yield NextStep(invitation.campaign.title, text, Step("Accept or decline", page))


def _organiser_steps(user: User) -> Iterator[NextStep]:
    organised = Role.objects.filter(user=user, role=Role.ORGANISER).values("campaign")
    waiting = Count("registrations", filter=Q(registrations__state=Registration.REQUESTED))
    campaigns = Campaign.objects.filter(pk__in=organised, archived_at=None)
    for campaign in campaigns.annotate(waiting=waiting).filter(waiting__gt=0):
        teams = campaign.waiting  # type: ignore[attr-defined]  # annotated
        text = f"{number_of(teams, 'team')} waiting for your approval"
        yield NextStep(campaign.title, text, deciding_step(campaign, teams))
    for campaign in campaigns.exclude(pk__in=Task.objects.values("campaign")):
        page = reverse("task_create", kwargs={"campaign_slug": campaign.slug})
        yield NextStep(campaign.title, "has no task yet", Step("Create the first task", page))
    tasks = Task.objects.filter(campaign__in=campaigns).select_related("campaign")
    first = list(_first(tasks))
    for todo in organiser_work(user, first).values():
        yield from map(_next_step, todo)
    for told in (questions_to_answer, alarms_to_read):  # no steps of a phase, so they stand on no phase bar
        yield from map(_next_step, told(user, first))


def _next_step(todo: Todo) -> NextStep:
    task = todo.task
    return NextStep(
        f"{task.campaign} · {task}", todo.text, todo.step, todo.deadline, task.campaign.time_zone, todo.named
    )


def _participant_steps(user: User) -> Iterator[NextStep]:
    teams = Team.objects.of(user)
    registered = Registration.objects.approved().filter(team__in=teams, campaign__closed_at=None).values("campaign")
    yield from _registration_steps(user)
    taking_part = Task.objects.visible_to(user).filter(campaign__in=registered).select_related("campaign")
    for todo in participant_work(user, list(_first(taking_part))).values():
        yield from map(_next_step, todo)


def _first(tasks: QuerySet[Task]) -> QuerySet[Task]:
    """Of many tasks those whose work is not done, of these the newest: what the page costs does not grow with the others."""
    at_work = Case(When(phase=Task.PUBLISHED, then=Value(1)), default=Value(0))
    return tasks.order_by(F("campaign__closed_at").asc(nulls_first=True), at_work, "-pk")[:MOST_TASKS]


def _registration_steps(user: User) -> Iterator[NextStep]:
    for registration in teams_that_lack_agreements(user):
        text = f"{registration.team} has an agreement to accept before its next run"
        yield NextStep(registration.campaign.title, text, Step("Read and accept", _register_page(registration)))
    undecided = Registration.objects.exclude(state=Registration.APPROVED).filter(team__in=Team.objects.of(user))
    for registration in undecided.filter(campaign__opened_at__isnull=False, campaign__closed_at=None).select_related(
        "team", "campaign"
    ):
        waits = registration.state == Registration.REQUESTED
        text = f"{registration.team} {'waits for the organisers’ approval' if waits else 'was refused'}"
        step = Step("See the registration" if waits else "See why", _register_page(registration))
        yield NextStep(registration.campaign.title, text, step)


def _register_page(registration: Registration) -> str:
    return reverse("campaign_register", kwargs={"campaign_slug": registration.campaign.slug})


def _newcomer_steps(user: User) -> Iterator[NextStep]:
    has_a_part = Role.objects.filter(user=user).exists() or own_invitations(user).exists()
    if has_a_part or Team.objects.of(user).exists():
        return
    step = Step("Create or join a team", reverse("team_list"))
    yield NextStep("Take part in a campaign", "you need a team, if only of yourself", step)
