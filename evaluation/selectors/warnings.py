"""Where scores and boards of a task contradict its phase, its newest qrels or its grades."""

from collections.abc import Iterator
from typing import Any

from django.db.models import Exists, OuterRef, Subquery

from campaign.models import Grade, Job, Task
from campaign.navigation import Step, TaskWarning
from campaign.text.plurals import listed
from evaluation.boards.audiences import PUBLIC
from evaluation.boards.measures_on_scale import known_measures_of
from evaluation.models import Evaluation, Leaderboard
from evaluation.selectors.scores import SCORE_TASK
from judging.core.set_names import DEFAULT


def scores_against_phase(task: Task) -> Iterator[TaskWarning]:
    yield from _grades_beyond_the_scale(task)
    if not task.is_past(Task.JUDGING):
        return
    newest = _newest_qrels(task)
    if newest is not None and newest["scores_older"] and not newest["is_scored"] and not newest["is_being_scored"]:
        text = f"The scores are by older qrels: by qrels v{newest['version']}, the newest, no run is scored."
        yield TaskWarning(text, Step("Score the runs", task.url("score_board")))
    if task.phase == Task.PUBLISHED:
        yield from _published_without_a_current_board(task, newest)


def _newest_qrels(task: Task) -> dict[str, Any] | None:
    """What is scored by the newest judgments of relevance, and which board with names is the newest for everybody."""
    older = Evaluation.objects.filter(qrels__task=OuterRef("task"), qrels__set_name=DEFAULT)
    unfinished = Job.objects.filter(name=SCORE_TASK, task=OuterRef("task"), state__in=[Job.QUEUED, Job.WORKING])
    boards = Leaderboard.objects.filter(task=OuterRef("task"), audience=PUBLIC, qrels__set_name=DEFAULT)
    board = boards.order_by("-number")
    facts = {
        "is_scored": Exists(Evaluation.objects.filter(qrels=OuterRef("pk"))),
        "scores_older": Exists(older.filter(qrels__version__lt=OuterRef("version"))),
        "is_being_scored": Exists(unfinished),
        "board": Subquery(board.values("number")[:1]),
        "board_version": Subquery(board.values("qrels__version")[:1]),
    }
    newest = task.qrels.filter(set_name=DEFAULT).annotate(**facts).order_by("-version")
    found: dict[str, Any] | None = newest.values("version", *facts).first()
    return found


def _published_without_a_current_board(task: Task, newest: dict[str, Any] | None) -> Iterator[TaskWarning]:
    step = Step("Publish a leaderboard", task.url("leaderboard_publish"))
    if newest is None or newest["board"] is None:
        yield TaskWarning("The phase is Published, and no leaderboard with names is published for everybody.", step)
    elif newest["board_version"] < newest["version"]:
        board = f"Leaderboard {newest['board']} is by qrels v{newest['board_version']}"
        yield TaskWarning(f"{board}, and qrels v{newest['version']} are the newest.", step)


def _grades_beyond_the_scale(task: Task) -> Iterator[TaskWarning]:
    """Measures that name a lowest relevant grade which the scale does not have: they are 0 for every run."""
    named = [measure for measure in known_measures_of(task.measures) if isinstance(measure.given.get("rel"), int)]
    relevant_from = {measure.name: int(measure.given["rel"]) for measure in named if measure.given["rel"] != 1}
    if not relevant_from:
        return
    highest = Grade.objects.filter(task=task).order_by("-value").values_list("value", flat=True).first() or 0
    if beyond := [name for name, grade in relevant_from.items() if grade > highest]:
        text = f"The measures name {listed(beyond)}, and the highest grade of the task is {highest}."
        yield TaskWarning(text, Step("Change the measures or the grades", task.url("task_edit")))
