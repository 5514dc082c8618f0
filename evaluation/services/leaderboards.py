import json
from typing import Any

from django.core.exceptions import ValidationError
from django.core.files.base import ContentFile
from django.db import transaction
from django.db.models import Max
from django.utils import timezone

from campaign.audit import audit
from campaign.models import Task, User
from campaign.setup.selectors.changes_of_scores import changes_after_scores
from campaign.setup.services.tasks import task_advance, task_update
from campaign.storage import store
from campaign.words import number_of
from evaluation.boards.rows import sorted_rows
from evaluation.boards.snapshot import digest, values_by_run, with_values
from evaluation.boards.tests_in_words import TESTS
from evaluation.models import Evaluation, Leaderboard
from evaluation.selectors.boards import Board, working_board
from evaluation.selectors.measures import measures_problem
from evaluation.services.scoring import scores_request
from judging.models import Qrels

JUDGED = "Judged@10"
CHANGED_MEANWHILE = "The scores have changed since this page was shown. Look at them again, then publish."


@transaction.atomic
def leaderboard_publish(*, actor: User, task: Task, note: str = "", seen: str = "") -> Leaderboard:
    """Publish the working board as it stands: a numbered snapshot that never changes, and the qrels it rests on.

    `seen` is the `next_snapshot_mark` of the board that the organiser agreed to: another board is not published.
    """
    locked = Task.objects.select_for_update().select_related("campaign").get(pk=task.pk)
    board = _complete_board(locked)
    if seen and seen != next_snapshot_mark(locked, board):
        raise ValidationError(CHANGED_MEANWHILE)
    snapshot = _snapshot(locked, board, note)
    values = {row["tag"]: row.pop("values") for row in snapshot["runs"]}
    stored = store(ContentFile(json.dumps(values).encode()), folder="leaderboards", suffix=".json")
    leaderboard = Leaderboard(
        task=locked,
        number=snapshot["leaderboard"],
        qrels=board.qrels,
        measures=board.measures,
        rows=snapshot["runs"],
        tests=snapshot["tests"],
        values=stored.name,
        note=note,
        sha256=snapshot["sha256"],
        published_by=actor,
    )
    leaderboard.full_clean()
    leaderboard.save()
    Qrels.objects.filter(pk=board.qrels.pk, published_at__isnull=True).update(published_at=timezone.now())
    audit(actor, "publish", leaderboard, campaign=locked.campaign, number=leaderboard.number, sha256=leaderboard.sha256)
    task_advance(actor=actor, task=task, phase=Task.PUBLISHED)
    return leaderboard


@transaction.atomic
def judged_share_add(*, actor: User, task: Task) -> None:
    """Add the share of judged documents to the measures of the task, and have all runs scored by it."""
    changed = task_update(actor=actor, task=task, measures=[*(task.measures or task.mode.measures), JUDGED])
    scores_request(actor=actor, task=changed)


def next_snapshot_mark(task: Task, board: Board) -> str:
    """Names exactly what publishing would publish now, under which number; the note is still open."""
    return str(_snapshot(task, board, "")["sha256"])


def _complete_board(task: Task) -> Board:
    board = working_board(task)
    if board is None or not board.rows:
        raise ValidationError("There are no scores to publish: release qrels and score the runs first.")
    if problem := measures_problem(task, board.qrels):
        raise ValidationError(problem)
    if board.unscored:
        runs = f"{number_of(board.unscored, 'valid run')} {'is' if board.unscored == 1 else 'are'}"
        raise ValidationError(f"{runs} not scored yet by the task's measures. Wait for the scoring, then publish.")
    return board


def _snapshot(task: Task, board: Board, note: str) -> dict[str, Any]:
    values = values_by_run([row.tag for row in board.rows], board.measures, board.values)
    snapshot: dict[str, Any] = {
        "leaderboard": (task.leaderboards.aggregate(last=Max("number"))["last"] or 0) + 1,
        "measures": board.measures,
        "note": note,
        "qrels": board.qrels.checksums,
        "runs": with_values([row.to_json() for row in sorted_rows(board.rows, board.measures[0])], values),
        "tests": {
            **TESTS,
            "engine": Evaluation.ENGINE,
            "topics": board.topics,
            "run_order": board.ordering.run_order,
            "reference": board.ordering.reference,
            "runs_ordered_by": board.ordering.in_words,
            **_said_of_scores(task, board),
        },
        "topics": board.qrels.topics,
    }
    return {**snapshot, "sha256": digest(snapshot)}


def _said_of_scores(task: Task, board: Board) -> dict[str, Any]:
    return {
        "lowest_relevant_grade": task.lowest_relevant_grade,
        "topics_not_scored": board.qrels.topics_not_scored,
        "changed_after_scores": changes_after_scores(task),
    }
