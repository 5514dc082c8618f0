"""Scores that wait for an organiser: runs that lack them, scoring that cannot go on, a board that nobody published."""

from collections.abc import Iterator, Sequence

from campaign.models import Task, User
from campaign.navigation import Step, Todo
from campaign.text.plurals import number_of
from evaluation.boards.audiences import ANONYMOUS, PARTICIPANTS, PUBLIC
from evaluation.models import Leaderboard
from evaluation.selectors.scores import scoring, scoring_job
from judging.core.set_names import DEFAULT
from judging.models import Qrels
from judging.qrels.selectors.releases import newest_releases
from pooling.selectors.todo import has_its_runs


def scores_to_publish(user: User, tasks: Sequence[Task]) -> Iterator[Todo]:
    newest = {task: qrels for task, (qrels, _) in newest_releases(tasks).items()}
    public = Leaderboard.objects.filter(task__in=newest, qrels__set_name=DEFAULT, audience=PUBLIC)
    boards = public.order_by("number")
    published = dict(boards.values_list("task", "qrels"))
    for task in tasks:
        if task.pk in newest and published.get(task.pk) != newest[task.pk]:
            yield from _of_task(task)


def _of_task(task: Task) -> Iterator[Todo]:
    state, board = scoring(task), task.url("score_board")
    missing = state.runs - state.scored
    if state.problem:
        yield Todo(task, f"scoring cannot go on: {state.problem}", Step("Mend the scoring", board))
    elif missing:
        job = scoring_job(task)
        if job is None or not job.is_unfinished:
            runs = number_of(missing, "run")
            yield Todo(task, f"{runs} not scored by {state.qrels}", Step(f"Score {runs}", board))
    elif state.runs and (task.is_past(Task.JUDGING) or _needs_no_pool(task, state.runs)):
        step = Step("Check and publish the scores", task.url("leaderboard_publish"))
        yield Todo(task, f"scores by {state.qrels} {_seen_by(state.qrels)}", step)


def _needs_no_pool(task: Task, runs: int) -> bool:
    """Of a task whose qrels came with it, as of last year's track: all its runs are in."""
    return task.phase == Task.RUNS and has_its_runs(task, runs)


def _seen_by(qrels: Qrels | None) -> str:
    """Who sees the scores by qrels of which no board with names is public."""
    audiences = set(Leaderboard.objects.filter(qrels=qrels).values_list("audience", flat=True))
    if ANONYMOUS in audiences:
        return "public without names only"
    return "published to participants only" if PARTICIPANTS in audiences else "not public"
