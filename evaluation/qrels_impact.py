"""How a new version of the qrels moves the runs on the board."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from campaign.models import Task
from evaluation.boards.measures_in_words import ranks_in_words, summary_in_words, written
from evaluation.boards.measures_on_scale import is_of_quality, no_ranks_by
from evaluation.engine.analyses.rank_correlation import kendall_tau
from evaluation.engine.analyses.tau_interval import tau_interval
from evaluation.engine.arrays import FloatArray
from evaluation.engine.measures.declaration import Definition
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.missing_topics import summary_of_compared
from evaluation.engine.significance.standing import Standing, standing
from evaluation.models import Evaluation
from evaluation.selectors.scores import values_up_to_date
from evaluation.selectors.scoring_scope import what_counts
from evaluation.selectors.task_measures import measures_of_task, measures_problem
from judging.models import Qrels


@dataclass(frozen=True, slots=True)
class MovedRun:
    """Ranks as the boards write them, means as they show them."""

    tag: str
    team: str
    rank_before: str
    rank: str
    mean_before: str
    mean: str


@dataclass(frozen=True, slots=True)
class Effect:
    """`tau`: Kendall's tau-b of the runs' means, NaN where all of one version are equal; `tau_interval`: where that of as many
    other topics would lie, None where there is none. `same_topics`: whether the same ones count under both versions.

    `moved`: by the new rank. `runs`: scored under both versions; `missing`: valid runs that are not.
    """

    measure: str
    tau: float
    tau_interval: tuple[float, float] | None
    same_topics: bool
    moved: list[MovedRun]
    runs: int
    missing: int


def effect_on_board(task: Task, before: Qrels, qrels: Qrels) -> Effect | str:
    """What changes by the first measure of quality of both versions, among the valid runs scored under both; or why not known."""
    if problem := measures_problem(task, qrels):
        return problem
    old, new = _by_run(task, before), _by_run(task, qrels)
    both = [run for run in new if run in old]
    if len(both) < 2:
        return (
            f"Fewer than two runs are scored under both {before} and {qrels}. Runs are scored when qrels are released; "
            "the effect is shown here once that is done."
        )
    shared = set.intersection(*(set(one.measures) for one in [*old.values(), *new.values()]))
    common = [one.name for one in measures_of_task(task, qrels) if one.name in shared]
    if not common:
        return f"The runs have no measure in common under {before} and {qrels}: ask for the scores, then come back."
    measure = next(filter(is_of_quality, common), None)
    if measure is None:
        return f"{' '.join(map(no_ranks_by, common))} No run moves, and no order is compared."
    missing = task.runs.ranking().count() - len(both)
    return _effect(task, measure, [old[run] for run in both], [new[run] for run in both], missing)


def _by_run(task: Task, qrels: Qrels) -> dict[int, Evaluation]:
    ranking = values_up_to_date(task, qrels).filter(run__in=task.runs.ranking())
    scored = ranking.select_related("run__team", "qrels").order_by("run__tag").defer("curves")
    return {one.run_id: one for one in scored}


def _values(evaluations: list[Evaluation], measure: str, topics: Sequence[str]) -> FloatArray:
    """float64 (n_runs, n_topics)."""
    columns = [evaluations[0].qrels.topics.index(topic) for topic in topics]
    return np.stack([one.matrix()[one.measures.index(measure), columns] for one in evaluations])


def _means(values: FloatArray, definition: Definition) -> FloatArray:
    return np.array([summary_of_compared(of_run, definition) for of_run in values], dtype=np.float64)


def _effect(task: Task, measure: str, old: list[Evaluation], new: list[Evaluation], missing: int) -> Effect:
    """`old` and `new`: of the same runs in the same order, over the topics that count now, which were others when those of an
    earlier version were stored.
    """
    definition = parse_measure(measure).definition
    counting_before, counting = (what_counts(task, of[0].qrels).counting for of in (old, new))
    values_before, values = _values(old, measure, counting_before), _values(new, measure, counting)
    means_before, means = _means(values_before, definition), _means(values, definition)
    same_topics = list(counting_before) == list(counting)
    has_interval = same_topics and definition.summary == "mean"
    before, now = _standing(measure, means_before), _standing(measure, means)
    summary = summary_in_words(measure)
    moved = [
        MovedRun(
            new[run].run.tag,
            new[run].run.team.name,
            rank_before,
            rank,
            written(means_before[run], summary),
            written(means[run], summary),
        )
        for run in now.order.tolist()
        if (rank_before := _rank(before, run)) != (rank := _rank(now, run))
    ]
    return Effect(
        measure,
        kendall_tau(-before.rank_first.astype(np.float64), -now.rank_first.astype(np.float64)),
        tau_interval(values_before, values) if has_interval else None,
        same_topics,
        moved,
        len(new),
        missing,
    )


def _standing(measure: str, means: FloatArray) -> Standing:
    lower_is_better = parse_measure(measure).definition.lower_is_better
    no_pairs = np.zeros((0, 2), dtype=np.int64)
    return standing(means, no_pairs, np.zeros(0), lower_is_better=lower_is_better, lettered=False)


def _rank(stands: Standing, run: int) -> str:
    return ranks_in_words(int(stands.rank_first[run]), int(stands.rank_last[run]))
