"""Scoring: every run that lacks an up-to-date evaluation under the newest qrels gets one."""

from collections.abc import Callable, Iterator

import numpy as np
import polars as pl
from django.db import transaction

from campaign import tasking
from campaign.models import Run, Task, User
from campaign.selectors.runs import run_table
from campaign.services.audit import audit
from campaign.tasking import JobFailed
from evaluation.averaging import mean_over_topics
from evaluation.judgments import Judgments
from evaluation.measures.declaration import Measure, compute_all
from evaluation.models import Evaluation
from evaluation.ranking import rank_run
from evaluation.selectors import measures_problem, newest_qrels, up_to_date, wanted_measures
from judging.models import Qrels
from judging.selectors import qrels_table, subtopic_qrels_table


def scores_request(*, actor: User | None, task: Task) -> None:
    """Ask for everything that is not scored yet; the job does the rest."""
    with transaction.atomic():
        if actor is not None:
            audit(actor, "asked for scores", task, campaign=task.campaign)
        tasking.enqueue("evaluation.tasks.score_task", task_id=task.pk)


def task_score(*, task: Task, report: Callable[[int, int], None]) -> None:
    """Score all valid runs of the task against its newest qrels, skipping what is scored already."""
    qrels = newest_qrels(task)
    if qrels is None:
        return
    if problem := measures_problem(task, qrels):
        raise JobFailed(problem)
    measures = wanted_measures(task, qrels)
    runs = list(_unscored(task, qrels, [measure.name for measure in measures]))
    report(0, len(runs))
    if not runs:
        return
    scorer = Scorer(qrels, measures)
    for count, run in enumerate(runs, start=1):
        evaluation_save(run=run, qrels=qrels, scorer=scorer)
        report(count, len(runs))


class Scorer:
    """The judgments of one qrels, coded once for all runs; subtopic measures read the subtopic judgments."""

    def __init__(self, qrels: Qrels, measures: list[Measure]) -> None:
        self.measures = measures
        self.topics: list[str] = qrels.topics
        self._column = {topic: column for column, topic in enumerate(self.topics)}
        self.documents = self._judgments(qrels_table(qrels))
        subtopics = subtopic_qrels_table(qrels)
        self.subtopics = None if subtopics is None else self._judgments(subtopics)

    def score(self, run: Run) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.float64]], int]:
        """Values (measures, topics of the qrels), and how many of the topics the run answers."""
        table = run_table(run)
        ranked = rank_run(table, self.documents)
        by_subtopic = ranked if self.subtopics is None else rank_run(table, self.subtopics)
        values = np.zeros((len(self.measures), len(self.topics)))
        for against, wanted in ((by_subtopic, True), (ranked, False)):
            rows = [
                row for row, measure in enumerate(self.measures) if (measure.definition.kind == "subtopic") == wanted
            ]
            computed = compute_all([self.measures[row] for row in rows], against)
            values[np.ix_(rows, self._columns(against.judgments.topics))] = computed
        return values, int((ranked.num_ret > 0).sum())

    def _judgments(self, table: pl.DataFrame) -> Judgments:
        # An imported file may hold topics without a single grade: they are no topics of the qrels.
        return Judgments.from_table(table.filter(pl.col("topic").is_in(self.topics)))

    def _columns(self, topics: tuple[str, ...]) -> list[int]:
        return [self._column[topic] for topic in topics]


def evaluation_save(*, run: Run, qrels: Qrels, scorer: Scorer) -> Evaluation:
    values, answered = scorer.score(run)
    names = [measure.name for measure in scorer.measures]
    evaluation, _ = Evaluation.objects.update_or_create(
        run=run,
        qrels=qrels,
        engine=Evaluation.ENGINE,
        defaults={
            "run_sha256": run.sha256,
            "qrels_sha256": qrels.sha256,
            "measures": names,
            "values": values.astype("<f8").tobytes(),
            "means": dict(zip(names, mean_over_topics(values).tolist(), strict=True)),
            "topics_answered": answered,
        },
    )
    return evaluation


def _unscored(task: Task, qrels: Qrels, measures: list[str]) -> Iterator[Run]:
    scored = dict(up_to_date(task, qrels).values_list("run", "measures"))
    for run in task.runs.valid().order_by("pk"):
        if scored.get(run.pk) != measures:
            yield run
