"""Lists of runs: who may see them, which runs they hold, how their checks proceed."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar

from django.core.exceptions import PermissionDenied
from django.db.models import Count, Exists, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.http import Http404

from campaign.models import Job, Run, RunProblem, Task, Visitor, tones
from campaign.models.tones import Toned
from campaign.permissions import is_assessor, is_organiser, is_participant
from campaign.runs.selectors.progress import CHECK_RUN

CHECKING, STUCK = "checking", "stuck"
SHOWN_STATES = {
    CHECKING: "being checked",
    STUCK: "stuck: check failed",
    Run.VALID: "valid",
    Run.REJECTED: "rejected",
    Run.WITHDRAWN: "withdrawn",
}
"""The states that lists show: the check of a received run is either under way or stuck."""


def require_run_reader(user: Visitor, task: Task) -> None:
    """Require an organiser or participant; other readers find the results on the task's page."""
    if is_organiser(user, task.campaign) or is_participant(user, task.campaign):
        return
    if is_assessor(user, task.campaign):
        raise PermissionDenied("Assessors judge without knowing the runs.")
    raise Http404


def listed_runs(user: Visitor, task: Task) -> QuerySet[Run]:
    """Return the runs that the reader may see, annotated.

    `is_superseded`: the run does not count, and the team has sent the tag again. `has_others`: the tag's own address may lead to
    another submission. `is_being_checked`: the run's check waits for a worker or is at work.
    """
    others = Run.objects.filter(task=OuterRef("task"), tag=OuterRef("tag")).exclude(pk=OuterRef("pk"))
    newer = others.filter(team=OuterRef("team"), attempt__gt=OuterRef("attempt"))
    visible = Run.objects.visible_to(user).filter(task=task)
    return visible.select_related("team", "submitted_by").annotate(
        is_superseded=Exists(newer) & ~Q(state__in=[Run.RECEIVED, Run.VALID]),
        has_others=Exists(others),
        is_being_checked=Exists(_checks_going_on().filter(run=OuterRef("pk"))),
    )


def stuck_runs(runs: Iterable[Run]) -> set[int]:
    """Return which of these runs wait for a check that failed or is lost. Runs one query."""
    waiting = {run.pk for run in runs if run.state == Run.RECEIVED}
    return waiting - set(_checks_going_on().filter(run__in=waiting).values_list("run_id", flat=True))


def _checks_going_on() -> QuerySet[Job]:
    return Job.objects.filter(name=CHECK_RUN, state__in=[Job.QUEUED, Job.WORKING])


def in_shown_state(runs: QuerySet[Run], state: str) -> QuerySet[Run]:
    if state in (CHECKING, STUCK):
        return runs.filter(Q(is_being_checked=state == CHECKING), state=Run.RECEIVED)
    return runs.filter(state=state)


def count_by_shown_state(runs: QuerySet[Run]) -> dict[str, int]:
    """Return the number of runs for each state that occurs, in the order of `SHOWN_STATES`."""
    counted: dict[str, int] = {}
    grouped = runs.order_by().values("state", "is_being_checked").annotate(number=Count("pk"))  # type: ignore[misc]
    for state, is_being_checked, number in grouped.values_list("state", "is_being_checked", "number"):
        shown = state if state != Run.RECEIVED else CHECKING if is_being_checked else STUCK
        counted[shown] = counted.get(shown, 0) + number
    return {state: counted[state] for state in SHOWN_STATES if state in counted}


def with_first_problem(runs: QuerySet[Run]) -> QuerySet[Run]:
    """Annotate the runs with `first_code`: the rule of the first error, else of the first warning. Read the problems to count."""
    problems = RunProblem.objects.filter(run=OuterRef("pk")).order_by("severity", "pk")
    counted = Prefetch("problems", RunProblem.objects.only("run", "code", "severity"))
    return runs.annotate(first_code=Subquery(problems.values("code")[:1])).prefetch_related(counted)


def occurring_codes(user: Visitor, task: Task) -> list[str]:
    """Return the codes of the rules that any run in the reader's list breaks."""
    runs = Run.objects.visible_to(user).filter(task=task)
    return list(RunProblem.objects.filter(run__in=runs).order_by("code").values_list("code", flat=True).distinct())


@dataclass(frozen=True, slots=True)
class RunRow(Toned):
    """A run in the list. `place`: its check's position in its queue; 0 if it does not wait there."""

    TONES: ClassVar = {
        CHECKING: tones.WORKING,
        STUCK: tones.BAD,
        **{state: tone for state, tone in Run.TONES.items() if state != Run.RECEIVED},
    }

    run: Run
    state: str
    is_at_work: bool = False
    place: int = 0

    @property
    def state_in_words(self) -> str:
        return SHOWN_STATES[self.state]

    @property
    def is_unfinished(self) -> bool:
        return self.state == CHECKING


def run_rows(runs: Iterable[Run]) -> list[RunRow]:
    """Return the rows of these `listed_runs`. Runs two queries."""
    listed = [(run, shown_state(run)) for run in runs]
    checks = _checks_going_on().filter(run__in=[run for run, state in listed if state == CHECKING]).order_by("-pk")
    jobs = {run: (pk, state) for run, pk, state in checks.values_list("run_id", "pk", "state")}
    places = _places([pk for pk, state in jobs.values() if state == Job.QUEUED])
    return [_row(run, state, jobs.get(run.pk), places) for run, state in listed]


def shown_state(run: Run) -> str:
    """Return the state by the row alone: state and check were read at one moment, so a run just decided never looks stuck."""
    if run.state != Run.RECEIVED:
        return run.state
    return CHECKING if run.is_being_checked else STUCK  # type: ignore[attr-defined]


def _row(run: Run, state: str, job: tuple[int, str] | None, places: dict[int, int]) -> RunRow:
    if job is None:
        return RunRow(run, state)
    pk, job_state = job
    return RunRow(run, state, is_at_work=job_state == Job.WORKING, place=places.get(pk, 0))


def _places(waiting: list[int]) -> dict[int, int]:
    """Map a job to its position in its queue, from 1: jobs at work first, then by waiting time, like `place_in_queue`."""
    ahead = Q(state=Job.WORKING) | Q(state=Job.QUEUED, pk__lte=max(waiting, default=0))
    # "working" sorts after "queued": descending, jobs at work come before those that wait.
    jobs = Job.objects.filter(ahead).order_by("-state", "pk").values_list("pk", "queue")
    seen: Counter[str] = Counter()
    places = {}
    for pk, queue in jobs:
        seen[queue] += 1
        places[pk] = seen[queue]
    return places
