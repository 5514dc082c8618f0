"""The organiser's table of the teams that registered for a campaign, and its filters."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import datetime

from django.db.models import BooleanField, Count, Exists, ExpressionWrapper, Max, OuterRef, Q, QuerySet

from campaign.models import Acceptance, Agreement, Allowance, Campaign, Membership, Registration, Run, Task
from campaign.setup.selectors.agreements import current_agreements
from campaign.teams.selectors.acceptances import lacking_registrations
from campaign.text.collation import by_numbers

WITH, WITHOUT = "with", "without"


@dataclass(frozen=True, slots=True)
class TeamFilter:
    """The filters of the table; empty ones have no effect. `runs`: with or without a run that counts, in `task` or any task."""

    state: str = ""
    search: str = ""
    runs: str = ""
    task: Task | None = None
    agreement_missing: bool = False

    @property
    def narrows(self) -> bool:
        return self != TeamFilter()


@dataclass(frozen=True, slots=True)
class TaskRuns:
    """What a team submitted to one task, and what it may have beyond the others."""

    task: Task
    valid: int = 0
    rejected: int = 0
    waiting: int = 0
    allowance: Allowance | None = None

    @property
    def in_words(self) -> str:
        counts = {"valid": self.valid, "being checked": self.waiting, "rejected": self.rejected}
        shown = [f"{count} {words}" for words, count in counts.items() if count or words == "valid"]
        return ", ".join(shown) if any(counts.values()) else "–"


@dataclass(frozen=True, slots=True)
class TeamRow:
    registration: Registration
    members: int
    tasks: list[TaskRuns]
    last_run: datetime | None
    missing: list[Agreement] = field(default_factory=list)


def filtered_registrations(campaign: Campaign, wanted: TeamFilter) -> QuerySet[Registration]:
    """Return the registrations that match the filter, waiting ones first, then by team name."""
    registrations: QuerySet[Registration] = campaign.registrations.select_related(
        "team", "campaign", "registered_by", "decided_by"
    )
    if wanted.state:
        registrations = registrations.filter(state=wanted.state)
    if wanted.search:
        registrations = registrations.filter(
            Q(team__name__icontains=wanted.search) | Q(team__affiliation__icontains=wanted.search)
        )
    if wanted.runs:
        tasks = [wanted.task] if wanted.task else campaign.tasks.all()
        has_run = Exists(Run.objects.counting().filter(team=OuterRef("team"), task__in=tasks))
        registrations = registrations.filter(has_run if wanted.runs == WITH else ~has_run)
    if wanted.agreement_missing:
        registrations = lacking_registrations(registrations)
    waits = ExpressionWrapper(Q(state=Registration.REQUESTED), output_field=BooleanField())
    return registrations.annotate(waits=waits).order_by("-waits", by_numbers("team__name"))


def team_rows(campaign: Campaign, registrations: Iterable[Registration]) -> list[TeamRow]:
    """Return the rows of these registrations. Runs a fixed number of queries."""
    shown = list(registrations)
    teams = [registration.team_id for registration in shown]
    tasks = list(campaign.tasks.select_related("campaign").order_by("pk"))
    members = _member_counts(teams)
    runs = _runs(teams, tasks)
    submitted = Run.objects.filter(team__in=teams, task__in=tasks).order_by()
    last = dict(submitted.values_list("team").annotate(last=Max("submitted_at")))
    agreements = list(current_agreements(campaign))
    accepted = set(Acceptance.objects.filter(agreement__in=agreements).values_list("agreement", "team"))
    return [
        TeamRow(
            registration,
            members=members.get(registration.team_id, 0),
            tasks=[runs[registration.team_id, task.pk] for task in tasks],
            last_run=last.get(registration.team_id),
            missing=[agreement for agreement in agreements if (agreement.pk, registration.team_id) not in accepted],
        )
        for registration in shown
    ]


def _member_counts(teams: list[int]) -> dict[int, int]:
    memberships = Membership.objects.filter(team__in=teams).order_by()
    return dict(memberships.values_list("team").annotate(count=Count("pk")))


def _runs(teams: list[int], tasks: list[Task]) -> dict[tuple[int, int], TaskRuns]:
    counted = Run.objects.filter(team__in=teams, task__in=tasks).order_by().values_list("team", "task", "state")
    counts = {key[:3]: key[3] for key in counted.annotate(count=Count("pk"))}
    allowances = {(row.team_id, row.task_id): row for row in Allowance.objects.filter(team__in=teams, task__in=tasks)}
    return {
        (team, task.pk): TaskRuns(
            task,
            valid=counts.get((team, task.pk, Run.VALID), 0),
            rejected=counts.get((team, task.pk, Run.REJECTED), 0),
            waiting=counts.get((team, task.pk, Run.RECEIVED), 0),
            allowance=allowances.get((team, task.pk)),
        )
        for team in teams
        for task in tasks
    }


def state_counts(campaign: Campaign) -> dict[str, int]:
    """How many teams wait, take part and are refused, by the name of the state."""
    counts = dict(campaign.registrations.order_by().values_list("state").annotate(count=Count("pk")))
    return {state: counts.get(state, 0) for state in Registration.STATES}
