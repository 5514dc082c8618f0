"""The scores of one run: for organisers as soon as they exist, for its team as far as a published board holds them."""

from dataclasses import dataclass
from datetime import datetime

import numpy as np

from campaign.formats.runs.order_setting import Ordering
from campaign.models import Run, Task
from campaign.text.plurals import number_of
from evaluation.boards.measures_in_words import WrittenMean, written_means
from evaluation.engine.arrays import FloatArray
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.missing_topics import summary_of_compared
from evaluation.models import Evaluation
from evaluation.selectors.board_views import board_of_leaderboard, values_of_leaderboard
from evaluation.selectors.results import newest_board_with
from evaluation.selectors.scoring_scope import feedback_topics, runs_not_ranked, what_counts, why_not_ranked
from judging.core.set_names import DEFAULT
from judging.models import Qrels


@dataclass(frozen=True, eq=False)
class RunScores:
    """`topics`: over which the means are. `values`: float64 (measures, topics). `at`: when they were computed, or published.

    `over`: the topics in words. `topics_answered`: of `topics`.
    `evaluation`: None where they are those of a published board.
    """

    qrels: Qrels
    topics: list[str]
    over: str
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
    """Of a run that counts, by the newest qrels of the set, over the topics that count: for organisers."""
    found = _newest(run, set_name)
    if found is None:
        return None
    counts = what_counts(run.task, found.qrels)
    return _over(found, counts.counting, counts.in_words)


def early_scores(run: Run) -> RunScores | None:
    """What its team may see before publication: over the topics for feedback only, if the task has any.

    Whether it may, and how much of this, says `evaluation.selectors.score_visibility`.
    """
    found = _newest(run, DEFAULT)
    if found is None:
        return None
    counts = what_counts(run.task, found.qrels)
    if not feedback_topics(run.task):
        return _over(found, counts.counting, counts.in_words)
    return _over(found, counts.feedback, f"{number_of(len(counts.feedback), 'topic')} for feedback")


def _newest(run: Run, set_name: str) -> Evaluation | None:
    if run.state != Run.VALID:
        return None
    evaluations = Evaluation.objects.filter(run=run, engine=Evaluation.ENGINE, run_sha256=run.sha256)
    of_set = evaluations.filter(qrels__set_name=set_name).select_related("qrels").order_by("-qrels__version")
    return of_set.first()


def _over(found: Evaluation, topics: list[str], in_words: str) -> RunScores | None:
    """The scores over these topics alone; the means are made of their values, so that no other topic enters them."""
    if not topics:
        return None
    values = found.matrix()[:, [found.qrels.topics.index(topic) for topic in topics]]
    definitions = [parse_measure(name).definition for name in found.measures]
    means = [summary_of_compared(row, definition) for row, definition in zip(values, definitions, strict=True)]
    return RunScores(
        qrels=found.qrels,
        topics=topics,
        over=in_words,
        measures=found.measures,
        means=dict(zip(found.measures, means, strict=True)),
        values=values,
        topics_answered=len(set(topics) - set(found.missed or [])),
        ordering=found.ordering,
        at=found.scored_at,
        evaluation=found,
    )


def published_scores(run: Run, set_name: str = DEFAULT) -> RunScores | None:
    """Of a run that counts, as the newest board that has it holds them: scores of after the publication stay hidden."""
    leaderboard = newest_board_with(run, set_name)
    if leaderboard is None:
        return None
    board, place = board_of_leaderboard(leaderboard), leaderboard.run_ids.index(run.pk)
    return RunScores(
        qrels=leaderboard.qrels,
        topics=list(board.topics),
        over=number_of(len(board.topics), "scored topic"),
        measures=board.measures,
        means={column.measure: float(column.mean[place]) for column in board.columns},
        values=np.asarray(values_of_leaderboard(leaderboard, board)[place]),
        topics_answered=board.runs[place].topics_answered,
        ordering=leaderboard.ordering,
        at=leaderboard.published_at,
        evaluation=None,
    )


def scores_not_ranked(task: Task) -> list[tuple[Run, str, RunScores | None]]:
    """For organisers: the runs that are listed below the board, why, and their newest scores."""
    return [(run, why_not_ranked(run), newest_scores(run)) for run in runs_not_ranked(task)]
