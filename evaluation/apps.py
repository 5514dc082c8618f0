from collections.abc import Sequence
from typing import Any

from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"
    verbose_name = "Evaluation"

    def ready(self) -> None:
        from campaign.events import run_accepted, run_left, what_counts_changed
        from campaign.measures import MeasureAnswers, answer_with
        from judging.events import preferences_released, qrels_released

        run_accepted.connect(_score_the_run, dispatch_uid="score an accepted run")
        run_left.connect(_compute_the_board, dispatch_uid="take a run off the board")
        what_counts_changed.connect(_score_by_what_counts, dispatch_uid="score all runs by what counts now")
        qrels_released.connect(_score_all_runs, dispatch_uid="score all runs by released qrels")
        run_accepted.connect(_score_by_newest_preferences, dispatch_uid="score an accepted run by preferences")
        preferences_released.connect(_score_by_preferences, dispatch_uid="score all runs by released preferences")
        answer_with(
            MeasureAnswers(
                _name_problems,
                _pool_cautions,
                _has_scores,
                _live_board_problem,
                _told_by_live_board,
                _need_nonrelevant,
                _published_in_words,
                _measure_families,
                _by_subtopic,
            )
        )


def _score_the_run(*, run: Any, **_: Any) -> None:
    from evaluation.services.scoring import scores_request

    scores_request(actor=None, task=run.task)


def _compute_the_board(*, run: Any, **_: Any) -> None:
    from evaluation.models import WorkingBoard
    from evaluation.services.scoring import scores_request

    if WorkingBoard.objects.filter(task=run.task).exists():
        scores_request(actor=None, task=run.task)


def _score_by_what_counts(*, task: Any, **_: Any) -> None:
    from evaluation.services.scoring import scores_request

    if task.qrels.exists():
        scores_request(actor=None, task=task)


def _score_all_runs(*, qrels: Any, **_: Any) -> None:
    from evaluation.services.scoring import scores_request

    scores_request(actor=None, task=qrels.task)


def _score_by_newest_preferences(*, run: Any, **_: Any) -> None:
    from evaluation.preferences.services import newest_order_score

    newest_order_score(task=run.task)


def _score_by_preferences(*, order: Any, **_: Any) -> None:
    from evaluation.preferences.services import preference_scores_request

    preference_scores_request(actor=None, order=order)


def _name_problems(names: Sequence[str], lowest_relevant: int) -> list[str]:
    from evaluation.boards.measures_on_scale import name_problems

    return name_problems(names, lowest_relevant)


def _pool_cautions(task: Any, whole: int | None, sampling: str) -> list[str]:
    from evaluation.selectors.task_measures import task_pool_cautions
    from pooling.core.preview.exactness import PoolReach

    return task_pool_cautions(task, None if whole is None else PoolReach(whole, sampling))


def _need_nonrelevant(task: Any) -> list[str]:
    from evaluation.selectors.task_measures import task_measures_that_need_nonrelevant

    return task_measures_that_need_nonrelevant(task)


def _live_board_problem(task: Any) -> str:
    from evaluation.selectors.audiences import live_board_problem

    return live_board_problem(task)


def _told_by_live_board(task: Any) -> list[str]:
    from evaluation.selectors.audiences import told_by_live_board

    return told_by_live_board(task)


def _published_in_words(task: Any) -> list[str]:
    from evaluation.selectors.score_visibility import published_in_words

    return published_in_words(task)


def _measure_families() -> tuple[Any, ...]:
    from evaluation.selectors.measure_families import measure_families

    return measure_families()


def _by_subtopic(names: Sequence[str]) -> list[str]:
    from evaluation.boards.measures_on_scale import by_subtopic

    return by_subtopic(names)


def _has_scores(task: Any) -> bool:
    from evaluation.models import Evaluation

    return Evaluation.objects.filter(run__task=task).exists()
