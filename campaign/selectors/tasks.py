from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, Max, OuterRef, Q, QuerySet
from django.urls import NoReverseMatch, reverse
from django.utils import timezone

from campaign.models import Allowance, Run, Task, Team, Topic, User, Visitor
from campaign.permissions import is_assessor, is_organiser, is_participant

COMING, CURRENT, DONE = "todo", "current", "done"


@dataclass(frozen=True, slots=True)
class Step:
    """What somebody can do next, as one link."""

    label: str
    url: str


@dataclass(frozen=True, slots=True)
class PhaseMark:
    label: str
    state: str
    deadline: datetime | None = None


def with_readiness(tasks: QuerySet[Task]) -> QuerySet[Task]:
    """Tasks that know whether they have topics, and how many valid runs of how many teams."""
    valid = Q(runs__state=Run.VALID)
    return tasks.select_related("campaign").annotate(
        has_topics=Exists(Topic.objects.filter(task=OuterRef("pk"))),
        run_count=Count("runs", filter=valid),
        team_count=Count("runs__team", filter=valid, distinct=True),
    )


def closing_time(task: Task, team: Team | None = None) -> datetime | None:
    """The deadline for runs; a team's own one where an organiser has given it a later one."""
    if team is None:
        return task.closes_at
    own = Allowance.objects.filter(task=task, team=team).values_list("closes_at", flat=True).first()
    return later(task.closes_at, own)


def later(deadline: datetime | None, own: datetime | None) -> datetime | None:
    return max((at for at in (deadline, own) if at is not None), default=None)


def accepts_runs(task: Task, now: datetime | None = None, team: Team | None = None) -> bool:
    """In an open campaign, past the set-up: by the clock where there is a deadline, else while the phase is Runs."""
    return accepts_runs_until(task, closing_time(task, team), now or timezone.now())


def accepts_runs_until(task: Task, closes_at: datetime | None, now: datetime) -> bool:
    """The same, where the deadline is known already."""
    return _is_open(task, now) and _is_before(closes_at, task, now)


def accepts_runs_of(user: Visitor, task: Task) -> bool:
    """Whether one of the user's teams in the campaign can submit now, by the deadline for all or by its own."""
    return accepts_runs(task) or any(
        accepts_runs(task, team=team) for team in Team.objects.taking_part(user, task.campaign)
    )


def open_for(user: User, tasks: Iterable[Task]) -> Iterator[tuple[Task, datetime | None]]:
    """Those of the tasks to which a team of the user can submit now, with the latest deadline; one query for all of them.

    The tasks are of campaigns in which the user takes part.
    """
    own = Allowance.objects.filter(team__in=Team.objects.of(user), closes_at__isnull=False)
    latest = dict(own.order_by().values_list("task").annotate(Max("closes_at")))
    now = timezone.now()
    for task in tasks:
        closes_at = later(task.closes_at, latest.get(task.pk))
        if accepts_runs_until(task, closes_at, now):
            yield task, closes_at


def _is_open(task: Task, now: datetime) -> bool:
    if task.campaign.opened_at is None or task.phase == Task.SETUP:
        return False
    return task.opens_at is None or now >= task.opens_at


def _is_before(closes_at: datetime | None, task: Task, now: datetime) -> bool:
    if closes_at is not None and now < closes_at:
        return True
    # A team's own deadline is more time, never less: without one for all, its end closes nothing.
    return task.closes_at is None and task.phase == Task.RUNS


def phase_marks(task: Task) -> list[PhaseMark]:
    current = list(Task.PHASES).index(task.phase)
    finished = task.phase == Task.PUBLISHED
    marks = []
    for position, (phase, label) in enumerate(Task.PHASES.items()):
        state = DONE if position < current or finished else CURRENT if position == current else COMING
        shows_deadline = phase == Task.RUNS and position >= current and task.closes_at is not None
        marks.append(PhaseMark(label, state, task.closes_at if shows_deadline else None))
    return marks


def next_step(user: Visitor, task: Task) -> Step | None:
    """The reader's own next step in a task, by their strongest role."""
    if is_organiser(user, task.campaign):
        return organiser_step(with_readiness(Task.objects.all()).get(pk=task.pk))
    if is_assessor(user, task.campaign) and task.is_past(Task.POOL):
        return page_step("Judge my topics", "my_topics", task)
    if task.phase == Task.PUBLISHED:
        return page_step("See the leaderboard", "leaderboard_latest", task)
    if is_participant(user, task.campaign) and accepts_runs_of(user, task):
        return page_step("Upload a run", "run_create", task)
    if not accepts_runs(task):
        return None
    return Step("Register a team", reverse("campaign_register", kwargs={"campaign": task.campaign.slug}))


def organiser_step(task: Task) -> Step | None:
    """Of a task `with_readiness`."""
    if task.phase == Task.SETUP:
        return _setup_step(task)
    if task.phase == Task.RUNS:
        return _runs_step(task)
    return {
        Task.POOL: page_step("Build the pool", "pool_create", task),
        Task.JUDGING: page_step("See how judging goes", "judging_progress", task),
        Task.SCORES: page_step("Look at the scores", "score_board", task),
        Task.PUBLISHED: page_step("See the leaderboard", "leaderboard_latest", task),
    }[task.phase]


def _setup_step(task: Task) -> Step | None:
    if not task.has_topics:  # type: ignore[attr-defined]  # annotated
        return page_step("Import topics", "import_create", task, kind="topics")
    if task.collection_id is None and task.docno_policy == Task.KNOWN:
        return page_step("Import documents", "import_create", task, kind="documents")
    if task.campaign.opened_at is None:
        return _open_campaign(task)
    return Step("Open the task", f"{reverse('task_phase', kwargs=task.address)}?to={Task.RUNS}")


def _runs_step(task: Task) -> Step | None:
    if task.campaign.opened_at is None:
        return _open_campaign(task)
    has_runs = task.run_count > 0  # type: ignore[attr-defined]  # annotated
    is_over = timezone.now() >= task.closes_at if task.closes_at else has_runs
    if is_over:
        return page_step("Build the pool", "pool_create", task)
    return page_step("See the runs", "run_list", task)


def _open_campaign(task: Task) -> Step:
    return Step("Open the campaign", reverse("campaign_open", kwargs={"campaign": task.campaign.slug}))


def page_step(label: str, page: str, task: Task, **kwargs: str) -> Step | None:
    try:
        return Step(label, reverse(page, kwargs={**task.address, **kwargs}))
    except NoReverseMatch:  # pages of later apps are known by name only; a site without that app lacks the page
        return None
