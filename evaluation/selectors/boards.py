"""Boards as pages, pictures and files need them: the working one from evaluations, the published ones from snapshots."""

import json
from dataclasses import dataclass

import numpy as np

from campaign.models import Task
from campaign.ordering import Ordering
from campaign.storage.reading import verified_bytes
from evaluation.boards.rows import Row, RunFacts, make_rows
from evaluation.boards.snapshot import Values
from evaluation.engine.arrays import FloatArray
from evaluation.models import Evaluation, Leaderboard
from evaluation.selectors.scores import names_of_measures, up_to_date
from judging.models import Qrels
from judging.selectors.releases import latest_qrels


@dataclass(frozen=True, slots=True)
class Board:
    """`values`: (rows, measures, topics of the qrels). `unscored`: valid runs that lack an up-to-date evaluation."""

    measures: list[str]
    rows: list[Row]
    values: FloatArray
    qrels: Qrels
    unscored: int
    ordering: Ordering

    @property
    def topics(self) -> int:
        return len(self.qrels.topics)


def working_board(task: Task) -> Board | None:
    """The scores of all valid runs under the newest qrels; `None` before any qrels. Runs not scored yet are left out."""
    qrels = latest_qrels(task)
    if qrels is None:
        return None
    valid = set(task.runs.valid().values_list("pk", flat=True))
    of_valid = up_to_date(task, qrels).filter(run__in=valid).select_related("run__team").order_by("run__tag")
    evaluations, names = list(of_valid), names_of_measures(task, qrels)
    complete = [evaluation for evaluation in evaluations if evaluation.measures == names]
    measures = _shared_measures(evaluations, names)
    if not measures:  # nothing in common while the measures change: what is scored anew stands alone
        evaluations, measures = (complete, names) if names else ([], [])
    facts = [_facts(evaluation) for evaluation in evaluations]
    values = np.array([_selected(evaluation, measures) for evaluation in evaluations])
    rows = make_rows(facts, measures, values)
    return Board(measures, rows, values, qrels, len(valid) - len(complete), task.ordering)


def leaderboard_values(leaderboard: Leaderboard) -> Values:
    values: Values = json.loads(verified_bytes(str(leaderboard.values), found_by="a download of a leaderboard"))
    return values


def _shared_measures(evaluations: list[Evaluation], names: list[str] | None) -> list[str]:
    """Measures that every run has: while a new measure is being scored, the board shows the others."""
    if not evaluations:
        return []
    everywhere = set.intersection(*(set(evaluation.measures) for evaluation in evaluations))
    return [measure for measure in (names or evaluations[0].measures) if measure in everywhere]


def _facts(evaluation: Evaluation) -> RunFacts:
    run = evaluation.run
    return RunFacts(run.tag, run.team.name, run.get_kind_display(), evaluation.topics_answered)


def _selected(evaluation: Evaluation, measures: list[str]) -> FloatArray:
    return evaluation.matrix()[[evaluation.measures.index(measure) for measure in measures]]
