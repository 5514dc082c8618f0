from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Exists, OuterRef, Q, QuerySet
from django.urls import reverse

from campaign.addresses import Step, page_step
from campaign.models import Run, Task, Topic, Visitor
from campaign.permissions import is_assessor, is_organiser, is_participant
from campaign.setup.selectors.schedule import run_window, takes_runs_of

COMING, CURRENT, DONE = "todo", "current", "done"


@dataclass(frozen=True, slots=True)
class PhaseMark:
    label: str
    state: str
    deadline: datetime | None = None


def with_readiness(tasks: QuerySet[Task]) -> QuerySet[Task]:
    """Tasks annotated with whether they have topics, and with the numbers of valid runs and their teams."""
    valid = Q(runs__state=Run.VALID)
    return tasks.select_related("campaign").annotate(
        has_topics=Exists(Topic.objects.filter(task=OuterRef("pk"))),
        run_count=Count("runs", filter=valid),
        team_count=Count("runs__team", filter=valid, distinct=True),
    )


def phase_marks(task: Task) -> list[PhaseMark]:
    current = list(Task.PHASES).index(task.phase)
    deadline = run_window(task).deadline
    finished = task.phase == Task.PUBLISHED
    marks = []
    for position, (phase, label) in enumerate(Task.PHASES.items()):
        state = DONE if position < current or finished else CURRENT if position == current else COMING
        shows_deadline = phase == Task.RUNS and position >= current
        marks.append(PhaseMark(label, state, deadline if shows_deadline else None))
    return marks


def next_step(user: Visitor, task: Task) -> Step | None:
    """The reader's own next step in a task, by their strongest role."""
    if is_organiser(user, task.campaign):
        return organiser_step(with_readiness(Task.objects.all()).get(pk=task.pk))
    if is_assessor(user, task.campaign) and task.is_past(Task.POOL):
        return page_step("Judge my topics", "my_topics", task)
    if task.phase == Task.PUBLISHED:
        return page_step("See the leaderboard", "leaderboard_latest", task)
    if is_participant(user, task.campaign) and takes_runs_of(user, task):
        return page_step("Upload a run", "run_create", task)
    if not run_window(task).is_open:
        return None
    return Step("Register a team", reverse("campaign_register", kwargs={"campaign_slug": task.campaign.slug}))


def organiser_step(task: Task) -> Step | None:
    """Return an organiser's next step; `task` must come from `with_readiness`."""
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
    window = run_window(task)
    has_runs = task.run_count > 0  # type: ignore[attr-defined]  # annotated
    if window.is_over or (window.deadline is None and has_runs):
        return page_step("Build the pool", "pool_create", task)
    return page_step("See the runs", "run_list", task)


def _open_campaign(task: Task) -> Step:
    return Step("Open the campaign", reverse("campaign_open", kwargs={"campaign_slug": task.campaign.slug}))
