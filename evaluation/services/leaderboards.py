import json
from hashlib import sha256
from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from campaign import tasking
from campaign.audit import audit
from campaign.models import Task, User
from campaign.setup.selectors.changes_of_scores import changes_after_scores
from campaign.setup.services.tasks import task_advance, task_update
from campaign.storage import store
from campaign.words import number_of
from evaluation.boards.board import Board
from evaluation.boards.files import board_csv
from evaluation.boards.snapshot import digest, exported_runs
from evaluation.boards.stored import values_of
from evaluation.boards.tests_in_words import said_of_tests
from evaluation.closer.trust.selectors import TRUST_OF_LEADERBOARD
from evaluation.models import Evaluation, Leaderboard, WorkingBoard
from evaluation.selectors.boards import scored_runs, stored_board, working_board
from evaluation.selectors.measures import measures_problem
from evaluation.selectors.seen import content_of
from evaluation.selectors.snapshots import leaderboard_json
from evaluation.services.scoring import scores_request
from judging.models import Qrels
from judging.set_names import DEFAULT

JUDGED = "Judged@10"
CHANGED_MEANWHILE = "The scores have changed since this page was shown. Look at them again, then publish."
FOLDER = "leaderboards"


@transaction.atomic
def leaderboard_publish(
    *, actor: User, task: Task, note: str = "", seen: str = "", set_name: str = DEFAULT
) -> Leaderboard:
    """Publish the working board of a set of qrels as it stands: a numbered snapshot that never changes, and its qrels.

    `seen` is the `next_snapshot_mark` of the board that the organiser agreed to: another board is not published.
    """
    locked = Task.objects.select_for_update().select_related("campaign").get(pk=task.pk)
    working = _complete_board(locked, set_name)
    if seen and seen != next_snapshot_mark(locked, working):
        raise ValidationError(CHANGED_MEANWHILE)
    leaderboard = _snapshot(actor, locked, working, note)
    leaderboard.full_clean()
    leaderboard.save()
    Qrels.objects.filter(pk=working.qrels_id, published_at__isnull=True).update(published_at=timezone.now())
    audit(actor, "publish", leaderboard, campaign=locked.campaign, number=leaderboard.number, sha256=leaderboard.sha256)
    tasking.enqueue(TRUST_OF_LEADERBOARD, leaderboard_id=leaderboard.pk)
    if set_name == DEFAULT:
        task_advance(actor=actor, task=task, phase=Task.PUBLISHED)
    return leaderboard


@transaction.atomic
def judged_share_add(*, actor: User, task: Task) -> None:
    """Add the share of judged documents to the measures of the task, and have all runs scored by it."""
    changed = task_update(actor=actor, task=task, measures=[*(task.measures or task.mode.measures), JUDGED])
    scores_request(actor=actor, task=changed)


def next_snapshot_mark(task: Task, working: WorkingBoard) -> str:
    """Names exactly what publishing would publish now, under which number; the note is still open."""
    said = json.dumps([working.mark, _next_number(task), _said_of_scores(task, working)], sort_keys=True)
    return sha256(said.encode()).hexdigest()


def _next_number(task: Task) -> int:
    last: int | None = task.leaderboards.aggregate(last=Max("number"))["last"]
    return (last or 0) + 1


def _complete_board(task: Task, set_name: str) -> WorkingBoard:
    scored, working = scored_runs(task, set_name), working_board(task, set_name)
    if scored is None or not scored.runs:
        raise ValidationError("There are no scores to publish: release qrels and score the runs first.")
    if problem := measures_problem(task, scored.qrels):
        raise ValidationError(problem)
    if scored.unscored:
        runs = f"{number_of(scored.unscored, 'valid run')} {'is' if scored.unscored == 1 else 'are'}"
        raise ValidationError(f"{runs} not scored yet by the task's measures. Wait for the scoring, then publish.")
    if working is None or working.mark != scored.mark:
        raise ValidationError("The board is being computed anew. Wait until that is done, look at it, then publish.")
    return working


def _snapshot(actor: User, task: Task, working: WorkingBoard, note: str) -> Leaderboard:
    """The files are stored as they will be served: nothing is computed anew when a snapshot is read."""
    board = stored_board(str(working.board.name))
    values = values_of(content_of(working.values), board)
    tests = _tests(task, working, board)
    data: dict[str, Any] = {
        "leaderboard": _next_number(task),
        "measures": board.measures,
        "note": note,
        "qrels": working.qrels.checksums,
        "runs": exported_runs(board, values),
        "tests": tests,
        "topics": list(board.topics),
    }
    leaderboard = Leaderboard(
        task=task,
        number=data["leaderboard"],
        qrels=working.qrels,
        measures=board.measures,
        tests=tests,
        board=working.board.name,
        values=working.values.name,
        p_of_pairs=working.p_of_pairs.name,
        run_ids=working.run_ids,
        note=note,
        sha256=digest(data),
        published_by=actor,
        published_at=timezone.now(),
    )
    as_json = leaderboard_json(leaderboard, data["runs"])
    leaderboard.as_json = store(ContentFile(as_json.encode()), folder=FOLDER, suffix=".json").name
    as_csv = board_csv(board, leaderboard.ordering)
    leaderboard.as_csv = store(ContentFile(as_csv.encode()), folder=FOLDER, suffix=".csv").name
    return leaderboard


def _tests(task: Task, working: WorkingBoard, board: Board) -> dict[str, Any]:
    return {
        **said_of_tests(board.choice),
        "resamples_by_measure": {column.measure: column.resamples for column in board.columns},
        "engine": Evaluation.ENGINE,
        "topics": len(board.topics),
        "run_order": task.ordering.run_order,
        "reference": task.ordering.reference,
        "runs_ordered_by": task.ordering.in_words,
        **_said_of_scores(task, working),
    }


def _said_of_scores(task: Task, working: WorkingBoard) -> dict[str, Any]:
    return {
        "lowest_relevant_grade": task.lowest_relevant_grade,
        "topics_not_scored": working.qrels.topics_not_scored,
        "changed_after_scores": changes_after_scores(task),
    }
