"""The scores of one run: for organisers as soon as they exist, for its team as far as a published board holds them."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from campaign.models import Run
from campaign.ordering import Ordering
from evaluation.boards.measures_in_words import WrittenMean, written_means
from evaluation.engine.arrays import FloatArray
from evaluation.models import Evaluation, Leaderboard
from evaluation.selectors.seen import board_of_leaderboard, values_of_leaderboard
from judging.models import Qrels
from judging.set_names import DEFAULT


@dataclass(frozen=True, eq=False)
class RunScores:
    """`values`: float64 (measures, topics of the qrels). `at`: when they were computed, or published.

    `evaluation`: None where they are those of a published board.
    """

    qrels: Qrels
    measures: list[str]
    means: dict[str, float]
    values: FloatArray
    topics_answered: int
    ordering: Ordering
    at: datetime
    evaluation: Evaluation | None

    def written_in_order(self) -> list[WrittenMean]:
        """The means as pages show them."""
        return written_means(self.measures, self.means)


def newest_scores(run: Run, set_name: str = DEFAULT) -> RunScores | None:
    """Of a run that counts, by the newest qrels of the set: for organisers."""
    if run.state != Run.VALID:
        return None
    evaluations = Evaluation.objects.filter(run=run, engine=Evaluation.ENGINE, run_sha256=run.sha256)
    of_set = evaluations.filter(qrels__set_name=set_name).select_related("qrels").order_by("-qrels__version")
    found = of_set.first()
    if found is None:
        return None
    return RunScores(
        qrels=found.qrels,
        measures=found.measures,
        means=found.means,
        values=found.matrix(),
        topics_answered=found.topics_answered,
        ordering=found.ordering,
        at=found.scored_at,
        evaluation=found,
    )


def published_scores(run: Run, set_name: str = DEFAULT) -> RunScores | None:
    """Of a run that counts, as the newest board that has it holds them: scores of after the publication stay hidden."""
    if run.state != Run.VALID:
        return None
    boards = Leaderboard.objects.filter(task=run.task_id, qrels__set_name=set_name).select_related("qrels", "task")
    for leaderboard in boards.order_by("-number").iterator():
        board = board_of_leaderboard(leaderboard)
        place = _place(run, leaderboard, [facts.tag for facts in board.runs])
        if place is not None:
            return RunScores(
                qrels=leaderboard.qrels,
                measures=board.measures,
                means={column.measure: float(column.mean[place]) for column in board.columns},
                values=np.asarray(values_of_leaderboard(leaderboard, board)[place]),
                topics_answered=board.runs[place].topics_answered,
                ordering=leaderboard.ordering,
                at=leaderboard.published_at,
                evaluation=None,
            )
    return None


def _place(run: Run, leaderboard: Leaderboard, tags: list[str]) -> int | None:
    """Where the run stands on the board; on those that do not name their runs by key, one of its tag from before."""
    if leaderboard.run_ids:
        return leaderboard.run_ids.index(run.pk) if run.pk in leaderboard.run_ids else None
    is_older = run.submitted_at <= leaderboard.published_at
    return tags.index(run.tag) if run.tag in tags and is_older else None
