"""Runs that wait for a person: whose check failed, that were rejected, or that lack answers."""

from collections import Counter
from collections.abc import Iterator, Sequence

from django.db.models import Exists, OuterRef, Q

from campaign.models import Run, Task, Team, User
from campaign.navigation import Step, Todo
from campaign.runs.selectors.lists import STUCK, stuck_runs
from campaign.setup.run_questions import read_questions
from campaign.setup.selectors.schedule import run_window
from campaign.text.plurals import number_of


def runs_to_check_again(user: User, tasks: Sequence[Task]) -> Iterator[Todo]:
    """What organisers do: send runs whose check failed or was lost to the check again, or decide on them."""
    received = list(Run.objects.filter(task__in=tasks, state=Run.RECEIVED).order_by().only("pk", "state", "task_id"))
    stuck = stuck_runs(received) if received else set()
    counts = Counter(run.task_id for run in received if run.pk in stuck)
    for task in tasks:
        if count := counts[task.pk]:
            runs = number_of(count, "run")
            step = Step(f"See {runs} whose check failed", f"{task.url('run_list')}?state={STUCK}")
            yield Todo(task, f"{runs} stuck: the check failed", step)


def runs_to_mend(user: User, tasks: Sequence[Task]) -> Iterator[Todo]:
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
            yield Todo(task, f"your run {run} was rejected", step)
        else:
            step = Step(f"Answer {number_of(lacking, 'question')}", task.url("run_edit", tag=run.tag))
            yield Todo(task, f"your run {run} lacks {number_of(lacking, 'answer')}", step)


def _unanswered(run: Run) -> int:
    questions = read_questions(run.task.questions)
    return sum(question.required and run.answers.get(question.key) in (None, "") for question in questions)
