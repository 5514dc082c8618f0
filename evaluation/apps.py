from typing import Any

from django.apps import AppConfig


class EvaluationConfig(AppConfig):
    name = "evaluation"
    verbose_name = "Evaluation"

    def ready(self) -> None:
        from campaign.events import run_accepted
        from campaign.waiting import tell
        from evaluation.waiting import scores_to_publish
        from judging.events import qrels_released

        run_accepted.connect(_score_the_run, dispatch_uid="score an accepted run")
        qrels_released.connect(_score_all_runs, dispatch_uid="score all runs by released qrels")
        tell("organiser", scores_to_publish)


def _score_the_run(*, run: Any, **_: Any) -> None:
    from evaluation.services.scoring import scores_request

    scores_request(actor=None, task=run.task)


def _score_all_runs(*, qrels: Any, **_: Any) -> None:
    from evaluation.services.scoring import scores_request

    scores_request(actor=None, task=qrels.task)
