"""Counts of a task's runs by state, the waiting runs that have no job, and the runs that wait for a person."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from django.db.models import Count, Exists, OuterRef, Q

from campaign.addresses import Step
from campaign.models import Job, Run, Task, Team, User
from campaign.runs.selectors.lists import STUCK, stuck_runs
from campaign.runs.selectors.progress import CHECK_RUN
from campaign.setup.questions import read_questions
from campaign.setup.selectors.schedule import run_window
from campaign.waiting import Waiting
from campaign.words import number_of


@dataclass(frozen=True, slots=True)
class CheckCounts:
    """The number of a task's runs by state. Received runs are `waiting`, or `stuck` if their check failed or was lost."""

    waiting: int
    stuck: int
    valid: int
    rejected: int
    rejected_by_hand: int
    withdrawn: int

    @property
    def total(self) -> int:
        return self.waiting + self.stuck + self.valid + self.rejected + self.withdrawn

    @property
    def checked(self) -> int:
        return self.valid + self.rejected


def check_counts(task: Task) -> CheckCounts:
    runs = Run.objects.filter(task=task)
    counts = runs.order_by().aggregate(
        valid=Count("pk", filter=Q(state=Run.VALID)),
        rejected=Count("pk", filter=Q(state=Run.REJECTED)),
        rejected_by_hand=Count("pk", filter=Q(state=Run.REJECTED, decision=Run.REJECTED_BY_HAND)),
        withdrawn=Count("pk", filter=Q(state=Run.WITHDRAWN)),
    )
    received = list(runs.filter(state=Run.RECEIVED))
    stuck = len(stuck_runs(received))
    return CheckCounts(waiting=len(received) - stuck, stuck=stuck, **counts)


def forgotten_runs() -> list[Run]:
    """Return received runs without a job in progress, except those whose check failed: their page asks an organiser.

    None of archived campaigns, in which no check can store its outcome: they come with archives that are restored.
    """
    received = list(Run.objects.filter(state=Run.RECEIVED, task__campaign__archived_at__isnull=True))
    stuck = stuck_runs(received)
    last = dict(Job.objects.filter(name=CHECK_RUN, run__in=stuck).order_by("pk").values_list("run_id", "state"))
    failed = {run for run, state in last.items() if state == Job.FAILED}
    return [run for run in received if run.pk in stuck - failed]


def runs_to_check_again(user: User, tasks: Sequence[Task]) -> Iterator[Waiting]:
    """What organisers do: send runs whose check failed or was lost to the check again, or decide on them."""
    received = list(Run.objects.filter(task__in=tasks, state=Run.RECEIVED).order_by().only("pk", "state", "task_id"))
    stuck = stuck_runs(received) if received else set()
    counts = Counter(run.task_id for run in received if run.pk in stuck)
    for task in tasks:
        if count := counts[task.pk]:
            runs = number_of(count, "run")
            step = Step(f"See {runs} whose check failed", f"{task.url('run_list')}?state={STUCK}")
            yield Waiting(task, f"{runs} stuck: the check failed", step)


def runs_to_mend(user: User, tasks: Sequence[Task]) -> Iterator[Waiting]:
    """What teams do while the task takes their runs: send a rejected run again, answer questions that are still open."""
    by_key = {task.pk: task for task in tasks}
    newer = Run.objects.filter(task=OuterRef("task"), tag=OuterRef("tag"), attempt__gt=OuterRef("attempt"))
    own = Run.objects.filter(team__in=Team.objects.of(user), task__in=tasks).order_by("pk")
    asking = [task for task in tasks if any(question.required for question in read_questions(task.questions))]
    may_wait = Q(~Exists(newer), state=Run.REJECTED) | Q(state__in=[Run.RECEIVED, Run.VALID], task__in=asking)
    for run in own.filter(may_wait).select_related("team"):
        run.task = task = by_key[run.task_id]
        is_rejected, lacking = run.state == Run.REJECTED, _unanswered(run)
        if not (is_rejected or lacking) or not run_window(task, run.team).is_open:
            continue
        if is_rejected:
            step = Step("See why a run was rejected", run.get_absolute_url())
            yield Waiting(task, f"your run {run} was rejected", step)
        else:
            step = Step(f"Answer {number_of(lacking, 'question')}", task.url("run_edit", tag=run.tag))
            yield Waiting(task, f"your run {run} lacks {number_of(lacking, 'answer')}", step)


def _unanswered(run: Run) -> int:
    questions = read_questions(run.task.questions)
    return sum(question.required and run.answers.get(question.key) in (None, "") for question in questions)
