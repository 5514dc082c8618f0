"""Scoring: every run that lacks an up-to-date evaluation under the newest qrels gets one."""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import tee
from typing import Any, cast

import numpy as np
import polars as pl
from django.db import transaction
from django.db.models import Exists, OuterRef, QuerySet

from campaign.formats.runs.order_setting import Ordering
from campaign.formats.runs.table import ordered_columns
from campaign.log.audit import audit
from campaign.models import Job, Run, Task, User
from campaign.permissions import held_organised_campaign_or_404
from campaign.queue.jobs import JobFailed, enqueue
from campaign.runs.selectors.reading import run_table
from campaign.web.daily_limits import require_few_changes
from evaluation.boards.curves import CurveSettings, curves_of_run
from evaluation.engine.analyses.bounds import meaning_of_bounds, unjudged_best
from evaluation.engine.arrays import BoolArray, FloatArray
from evaluation.engine.averaging import mean_over_topics
from evaluation.engine.judgments import JudgmentError, Judgments
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.missing_topics import compared_values, summary_of_compared
from evaluation.engine.ranked_run import RankedRun, Reference
from evaluation.engine.ranking import rank_run
from evaluation.engine.scoring import Scores, score_ranked
from evaluation.models import Evaluation
from evaluation.selectors.scores import SCORE_TASK, up_to_date
from evaluation.selectors.scoring_scope import what_counts
from evaluation.selectors.task_measures import curve_settings, measures_of_task, measures_problem
from evaluation.services.working_boards import working_board_compute
from judging.core.set_names import DEFAULT
from judging.models import Qrels
from judging.qrels.selectors.qrels_sets import qrels_sets
from judging.qrels.selectors.releases import latest_qrels, released_table

logger = logging.getLogger(__name__)


def scores_request(*, actor: User | None, task: Task) -> Job:
    """Ask for everything that is not scored yet; the job does the rest."""
    with transaction.atomic():
        if actor is not None:
            held_organised_campaign_or_404(actor, task.campaign)
            require_few_changes(actor)
            audit(actor, "asked for scores", task, campaign=task.campaign)
        return enqueue(SCORE_TASK, task_id=task.pk)


def task_score(*, task: Task, report: Callable[[int, int], None]) -> None:
    """Score all valid runs of the task against the newest qrels of each set, the default one first, and make its board anew.

    What is scored already stays. What keeps one set from being scored does not keep the others.
    """
    problems = []
    for set_name in qrels_sets(task) or [DEFAULT]:
        found = _problems_of(task, set_name, report)
        if not found:
            working_board_compute(task=task, set_name=set_name)
        problems += found
    if problems:
        raise JobFailed(" ".join(problems))


def _problems_of(task: Task, set_name: str, report: Callable[[int, int], None]) -> list[str]:
    try:
        _score_missing(task, set_name, report)
    except JobFailed as problem:
        return [str(problem)]
    return []


def _score_missing(task: Task, set_name: str, report: Callable[[int, int], None]) -> None:
    missing = missing_scores(task, set_name)
    if missing is not None:
        missing.score(report)


@dataclass(frozen=True)
class Missing:
    """Runs that lack scores by the newest qrels of a set, and what they are to be scored by: the task's settings of now."""

    qrels: Qrels
    measures: list[Measure]
    ordering: Ordering
    curves: CurveSettings
    left_out: list[str]
    runs: list[Run]

    def score(self, report: Callable[[int, int], None]) -> None:
        report(0, len(self.runs))
        if not self.runs:
            return
        scorer = Scorer(self.qrels, self.measures, self.ordering, self.curves, self.left_out)
        try:
            for count, (run, scored) in enumerate(scorer.scores(self.runs), start=1):
                evaluation_save(run=run, qrels=self.qrels, scored=scored)
                facts = {"run_id": run.pk, "qrels_id": self.qrels.pk}
                logger.info("run %d is scored", run.pk, extra={"facts": facts})
                report(count, len(self.runs))
        except JudgmentError as refusal:
            remedy = "Correct the measures in the task's settings, then ask for the scores."
            raise JobFailed(f"{refusal} {remedy}") from refusal


def missing_scores(task: Task, set_name: str, first: int = 0, last: int | None = None) -> Missing | None:
    """What is missing among runs with keys from `first` to `last`; None without qrels. JobFailed: why nothing can be scored."""
    qrels = latest_qrels(task, set_name)
    if qrels is None:
        return None
    if problem := measures_problem(task, qrels):
        raise JobFailed(problem)
    counts = what_counts(task, qrels)
    if not counts.counting:
        raise JobFailed(f"No topic of {qrels} counts: all are removed from scoring or for feedback.")
    measures, curves = measures_of_task(task, qrels), curve_settings(task, qrels)
    runs = task.runs.valid().filter(pk__gte=first)
    among = runs if last is None else runs.filter(pk__lte=last)
    unscored = list(_unscored(task, qrels, among, [measure.name for measure in measures], curves))
    return Missing(qrels, measures, task.ordering, curves, counts.left_out, unscored)


UNJUDGED = parse_measure("unj@10")
"""Computed of every run, whatever the task names: it says whether the other numbers can be trusted."""
GRADES = UNJUDGED.definition.judgments.table
"""The table of qrels with one grade for each document."""


@dataclass(frozen=True)
class ScoredRun:
    """`values`: float64 (measures, topics of the qrels). `answered`: how many of the topics the run answers.

    A missed topic has its worst value, NaN where the measure leaves it out. `unjudged`: the share of the first 10 documents
    that the qrels do not judge, mean over the answered topics; 0 where none is. `unjudged_best`: of measures where it means
    something, the number if all unjudged documents had the highest grade; `unjudged_best_values`: float64 as `values`, by topic,
    NaN for other measures. `ordering`: by what the run was ordered.
    `curves`: as `curves_of_run` gives them; None where they were not asked for.
    """

    measures: list[str]
    values: FloatArray
    means: list[float]
    answered: int
    unjudged: float
    unjudged_best: dict[str, float]
    unjudged_best_values: FloatArray
    ordering: Ordering
    curves: dict[str, Any] | None = None
    left_out: list[str] = field(default_factory=list)
    missed: list[str] = field(default_factory=list)


@dataclass(frozen=True, slots=True)
class Table:
    """One kind of judgments of the qrels, coded once for all runs, and the measures that need it."""

    judgments: Judgments
    measures: list[Measure]


RankedByTable = dict[str, RankedRun]


def grades_of_scale(qrels: Qrels) -> list[int]:
    """The grades above 0 that a document can have by these qrels; grades can be added to a scale after runs are scored."""
    return sorted({1, qrels.highest_of_own_scale, *qrels.task.grades.values_list("value", flat=True)} - {0})


class Scorer:
    """The judgments of one qrels by the names of their tables; that of GRADES is always there. `best_grade`: the highest one."""

    def __init__(
        self,
        qrels: Qrels,
        measures: list[Measure],
        ordering: Ordering,
        curves: CurveSettings | None = None,
        left_out: Sequence[str] = (),
        best_grade: int | None = None,
    ) -> None:
        self._ordering, self._curves = ordering, curves
        self._best_grade = max(grades_of_scale(qrels)) if best_grade is None else best_grade
        self._topics: list[str] = qrels.topics
        self._left_out = list(left_out)
        self._counts: BoolArray = ~np.isin(np.array(self._topics, dtype=np.str_), self._left_out)
        self._column = {topic: column for column, topic in enumerate(self._topics)}
        self._names = [measure.name for measure in measures]
        by_table: dict[str, list[Measure]] = {}
        for measure in dict.fromkeys((UNJUDGED, *measures)):
            by_table.setdefault(measure.definition.judgments.table, []).append(measure)
        released = {name: released_table(qrels, name) for name in by_table}
        self._tables = {name: Table(self._coded(released[name]), named) for name, named in by_table.items()}
        self._of_curves = self._tables[GRADES].judgments
        if curves and self._left_out:  # curves are means over the topics that count
            self._of_curves = self._coded(released[GRADES].filter(~pl.col("topic").is_in(self._left_out)))

    def scores(self, runs: list[Run]) -> Iterator[tuple[Run, ScoredRun]]:
        """Score runs, a few at once, all measures of the task in one pass over each run's lines."""
        each_ranked, *copies = tee(
            (self._ranked(run_table(run, ordered_columns(self._ordering))) for run in runs), 1 + len(self._tables)
        )
        each_scored = [self._scores_by(name, copy) for name, copy in zip(self._tables, copies, strict=True)]
        for run, (ranked, of_curves), *scores in zip(runs, each_ranked, *each_scored, strict=True):
            scored = self._scored(dict(zip(self._tables, scores, strict=True)), self._unjudged_best(ranked))
            curves = None if self._curves is None else curves_of_run(of_curves, self._curves)
            yield run, replace(scored, curves=curves)

    def _scores_by(self, name: str, each_ranked: Iterator[tuple[RankedByTable, RankedRun]]) -> Iterator[Scores]:
        return score_ranked((ranked[name] for ranked, _ in each_ranked), self._tables[name].measures)

    def _ranked(self, run: pl.DataFrame) -> tuple[RankedByTable, RankedRun]:
        """The run by the judgments of each table, and by those of its curves."""
        reference, run_order = cast(Reference, self._ordering.reference), self._ordering.run_order
        ranked = {name: rank_run(run, table.judgments, reference, run_order) for name, table in self._tables.items()}
        if self._of_curves is self._tables[GRADES].judgments:
            return ranked, ranked[GRADES]
        return ranked, rank_run(run, self._of_curves, reference, run_order)

    def _unjudged_best(self, ranked: RankedByTable) -> FloatArray:
        """Values as those of the run, NaN for measures of which they would mean nothing."""
        found = np.full((len(self._names), len(self._topics)), np.nan)
        for name, table in self._tables.items():
            named = [one for one in table.measures if one.name in self._names and meaning_of_bounds(one) != "none"]
            best = unjudged_best(ranked[name], named, self._best_grade)
            if best is not None:
                # A topic without judgments of this kind counts as it does in the run's own mean.
                values = np.zeros((len(named), len(self._topics)))
                values[:, [self._column[topic] for topic in best.topics]] = compared_values(best, table.judgments)
                found[[self._names.index(one.name) for one in named]] = values
        return found

    def _scored(self, by_table: dict[str, Scores], best: FloatArray) -> ScoredRun:
        """Put the scores by each table together."""
        values = np.zeros((len(self._names), len(self._topics)))
        for table, scores in by_table.items():
            judgments = self._tables[table].judgments
            named = [row for row, name in enumerate(scores.measures) if name in self._names]
            rows = [self._names.index(scores.measures[row]) for row in named]
            columns = [self._column[topic] for topic in scores.topics]
            values[np.ix_(rows, columns)] = compared_values(scores, judgments)[named]
        bounded = [row for row, name in enumerate(self._names) if meaning_of_bounds(parse_measure(name)) != "none"]
        grades = by_table[GRADES]
        answered = grades.answered & self._counting(grades.topics)
        unjudged = float(mean_over_topics(grades.of(UNJUDGED.name), answered))
        return ScoredRun(
            measures=self._names,
            values=values,
            means=list(self._means(values, self._names).values()),
            answered=int(answered.sum()),
            unjudged=unjudged,
            unjudged_best=self._means(best[bounded], [self._names[row] for row in bounded]),
            unjudged_best_values=best,
            ordering=self._ordering,
            left_out=self._left_out,
            missed=[topic for topic, has in zip(grades.topics, grades.answered, strict=True) if not has],
        )

    def _means(self, values: FloatArray, names: list[str]) -> dict[str, float]:
        """The one number of each of these measures, over the topics that count."""
        rows = zip(names, values[:, self._counts], strict=True)
        return {name: summary_of_compared(row, parse_measure(name).definition) for name, row in rows}

    def _counting(self, topics: Sequence[str]) -> BoolArray:
        """Bool (n_topics,): which of these topics enter means."""
        found: BoolArray = self._counts[[self._column[topic] for topic in topics]]
        return found

    def _coded(self, table: pl.DataFrame) -> Judgments:
        # An imported file may hold topics without a single grade: they are no topics of the qrels.
        return Judgments.from_table(table.filter(pl.col("topic").is_in(self._topics)))


@transaction.atomic
def evaluation_save(*, run: Run, qrels: Qrels, scored: ScoredRun) -> Evaluation:
    """Keep the scores of a run in place of earlier ones by the same engine; two jobs may do so at the same time."""
    Run.objects.select_for_update(no_key=True).get(pk=run.pk)
    Evaluation.objects.filter(run=run, qrels=qrels, engine=Evaluation.ENGINE).delete()
    evaluation = evaluation_of(run=run, qrels=qrels, scored=scored)
    evaluation.save()
    return evaluation


def evaluation_of(*, run: Run, qrels: Qrels, scored: ScoredRun) -> Evaluation:
    """The row of these scores, not stored."""
    return Evaluation(
        run=run,
        qrels=qrels,
        engine=Evaluation.ENGINE,
        run_order=scored.ordering.run_order,
        reference=scored.ordering.reference,
        run_sha256=run.sha256,
        qrels_sha256=qrels.sha256,
        measures=scored.measures,
        values=scored.values.astype("<f8").tobytes(),
        means=dict(zip(scored.measures, scored.means, strict=True)),
        topics_answered=scored.answered,
        unjudged_at_10=scored.unjudged,
        unjudged_best=scored.unjudged_best,
        unjudged_best_values=scored.unjudged_best_values.astype("<f8").tobytes(),
        curves=scored.curves,
        left_out=scored.left_out,
        missed=scored.missed,
    )


def _unscored(
    task: Task, qrels: Qrels, runs: "QuerySet[Run]", measures: list[str], curves: CurveSettings
) -> "QuerySet[Run]":
    """In one query, which reads nothing of the runs that have their scores."""
    complete = up_to_date(task, qrels).filter(
        measures=measures,
        unjudged_best_values__isnull=False,
        curves__settings=curves.to_json(),
        run=OuterRef("pk"),
    )
    return runs.filter(~Exists(complete)).order_by("pk")
