"""How a new version of the qrels moves the runs on the board."""

from dataclasses import dataclass

import numpy as np

from campaign.models import Task
from evaluation.boards.rows import Row, RunFacts, make_rows, ranks, sorted_rows, standing
from evaluation.engine.analyses.rank_correlation import kendall_tau
from evaluation.models import Evaluation
from evaluation.selectors.measures import measures_of_task, measures_problem
from evaluation.selectors.scores import up_to_date
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
    """`tau`: Kendall's tau-b of the runs' means, NaN where all of one version are equal. `moved`: by the new rank.

    `runs`: scored under both versions; `missing`: valid runs that are not.
    """

    measure: str
    tau: float
    moved: list[MovedRun]
    runs: int
    missing: int


def effect_on_board(task: Task, before: Qrels, qrels: Qrels) -> Effect | str:
    """What changes on the first measure that both versions have, among the valid runs scored under both; or why not known."""
    if problem := measures_problem(task, qrels):
        return problem
    old, new = _by_run(task, before), _by_run(task, qrels)
    both = sorted(old.keys() & new.keys())
    if len(both) < 2:
        return (
            f"Fewer than two runs are scored under both {before} and {qrels}. Runs are scored when qrels are released; "
            "the effect is shown here once that is done."
        )
    shared = set.intersection(*(set(one.measures) for one in [*old.values(), *new.values()]))
    measure = next((one.name for one in measures_of_task(task, qrels) if one.name in shared), None)
    if measure is None:
        return f"The runs have no measure in common under {before} and {qrels}: ask for the scores, then come back."
    missing = task.runs.valid().count() - len(both)
    return _effect(
        measure, _rows([old[run] for run in both], measure), _rows([new[run] for run in both], measure), missing
    )


def _by_run(task: Task, qrels: Qrels) -> dict[int, Evaluation]:
    return {one.run_id: one for one in up_to_date(task, qrels).select_related("run__team")}


def _rows(evaluations: list[Evaluation], measure: str) -> list[Row]:
    facts = [RunFacts(one.run.tag, one.run.team.name, one.run.kind, one.topics_answered) for one in evaluations]
    values = np.array([one.matrix()[[one.measures.index(measure)]] for one in evaluations])
    return make_rows(facts, [measure], values)


def _effect(measure: str, old: list[Row], new: list[Row], missing: int) -> Effect:
    """`old` and `new`: rows of the same runs in the same order."""
    tau = kendall_tau(*(np.array([standing(row.cells[measure]) for row in rows]) for rows in (old, new)))
    ranks_before, ranks_now = ranks(old, measure), ranks(new, measure)
    rows_before = {row.tag: row for row in old}
    moved = [
        MovedRun(
            row.tag,
            row.team,
            ranks_before[row.tag],
            ranks_now[row.tag],
            rows_before[row.tag].cells[measure].written,
            row.cells[measure].written,
        )
        for row in sorted_rows(new, measure)
        if ranks_before[row.tag] != ranks_now[row.tag]
    ]
    return Effect(measure, tau, moved, len(new), missing)
