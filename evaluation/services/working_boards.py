"""The working board of a task: computed whole whenever something that it rests on has changed."""

import logging

from django.core.files.base import ContentFile
from django.db import transaction

from campaign.models import Task
from campaign.permissions import locked_task_or_404
from campaign.storage import store
from evaluation.boards import computing
from evaluation.boards.choice import BEST_OF_TEAMS
from evaluation.boards.computing import Computed, compute_board
from evaluation.boards.stored import array_bytes, board_bytes
from evaluation.engine.arrays import FloatArray
from evaluation.models import WorkingBoard
from evaluation.selectors.boards import ScoredRuns, is_current, scored_runs, working_board
from evaluation.selectors.pseudonyms import pseudonyms
from judging.core.set_names import DEFAULT

FOLDER = "boards"
logger = logging.getLogger(__name__)


def working_board_compute(*, task: Task, set_name: str = DEFAULT) -> None:
    """Compute the boards of a set anew unless the stored ones are of the same mark; may be done twice, and by two jobs at once.

    There is one over the topics that count, and one over those for feedback if a live board shows them.
    """
    for scope in WorkingBoard.SCOPES:
        _compute(task, set_name, scope)


def _compute(task: Task, set_name: str, scope: str) -> None:
    while True:
        scored = scored_runs(task, set_name, scope) if _is_shown(task, set_name, scope) else None
        if scored is None or not scored.runs or not scored.topics:
            WorkingBoard.objects.filter(task=task, set_name=set_name, scope=scope).delete()
            return
        stored = working_board(task, set_name, scope)
        if is_current(stored, scored):
            return
        read = scored.values()
        if read is None:
            continue
        values, best, curves, if_best = read
        topics, choice = scored.topics, scored.choice
        is_by_teams = choice.family == BEST_OF_TEAMS
        of_runs = pseudonyms(task, scored.run_ids, scored.runs)[0] if is_by_teams else []
        computed = compute_board(scored.runs, scored.measures, topics, values, choice, best, curves, of_runs, if_best)
        if _kept(scored, computed, values):
            logger.info(
                "the board is computed: runs %d, measures %d, topics %d",
                *(len(scored.runs), len(scored.measures), len(topics)),
                extra={"facts": {"task_id": task.pk, "qrels_id": scored.qrels.pk}},
            )
            return


def _is_shown(task: Task, set_name: str, scope: str) -> bool:
    """Whether somebody may look at the board; of topics for feedback there is one of the default set only."""
    if scope == WorkingBoard.COUNTING:
        return True
    return set_name == DEFAULT and Task.objects.filter(pk=task.pk, scores_shown=Task.LIVE).exists()


def _kept(scored: ScoredRuns, computed: Computed, values: FloatArray) -> bool:
    """Store the board, unless what it was computed from has changed meanwhile: then a newer one is due."""
    board = store(ContentFile(board_bytes(computed.board)), folder=FOLDER, suffix=".json")
    by_topic = store(ContentFile(array_bytes(values)), folder=FOLDER, suffix=".f64")
    has_pairs = len(scored.runs) <= computing.MOST_PAIRED
    pairs = store(ContentFile(array_bytes(computed.p)), folder=FOLDER, suffix=".f64").name if has_pairs else ""
    with transaction.atomic():
        locked_task_or_404(scored.task)
        now = scored_runs(scored.task, scored.qrels.set_name, scored.scope)
        if now is None or now.mark != scored.mark:
            return False
        WorkingBoard.objects.update_or_create(
            task=scored.task,
            set_name=scored.qrels.set_name,
            scope=scored.scope,
            defaults={
                "qrels": scored.qrels,
                "mark": scored.mark,
                "board": board.name,
                "values": by_topic.name,
                "p_of_pairs": pairs,
                "run_ids": scored.run_ids,
            },
        )
    return True
