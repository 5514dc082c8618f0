"""Scores computed anew from the stored run and qrels, and compared with those that are kept."""

from collections.abc import Iterator

import numpy as np
from django.db.models import F

from campaign.integrity import Extent, Finding, each_by_itself
from campaign.storage.quarantine import DamagedFileError
from evaluation.engine.judgments import JudgmentError
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.models import Evaluation
from evaluation.selectors.integrity import name_of_evaluation
from evaluation.services.scoring import ScoredRun, Scorer

WITHIN = 1e-12
"""Absolute, of values that are not the same bit by bit: other machines add in another order."""
SCORE_ANEW = "Delete the evaluation; the next scoring of the task computes it anew and makes the board again."


def verify_scores(extent: Extent) -> Iterator[Finding]:
    """A sample of the evaluations by this version of the engine, without those of runs that were checked again since."""
    current = Evaluation.objects.filter(
        engine=Evaluation.ENGINE, run_sha256=F("run__sha256"), scored_at__gte=F("run__state_changed_at")
    )
    chosen = extent.chosen(list(current.order_by("pk").values_list("pk", flat=True)))
    rows = Evaluation.objects.select_related("run__task__campaign", "qrels__task").order_by("qrels", "pk")
    for place in range(0, len(chosen), 50):
        of_batch = rows.filter(pk__in=chosen[place : place + 50])
        extent.report(f"{place:,} of {len(chosen):,} scores computed anew")
        yield from each_by_itself("scores", of_batch, lambda evaluation: _compared(evaluation, extent))


def _compared(evaluation: Evaluation, extent: Extent) -> Iterator[Finding]:
    subject = name_of_evaluation(evaluation)
    try:
        again = _scored_anew(evaluation)
    except (DamagedFileError, JudgmentError, ValueError) as problem:
        remedy = "Restore the stored file from a backup, then verify again."
        yield Finding("scores", subject, f"It cannot be computed anew: {problem}", remedy)
        return
    stored = evaluation.matrix()
    if again.values.astype("<f8").tobytes() == bytes(evaluation.values):
        extent.looked["scores computed anew, the same bit by bit"] += 1
    elif again.values.shape == stored.shape and np.allclose(again.values, stored, rtol=0, atol=WITHIN, equal_nan=True):
        extent.looked[f"scores computed anew, the same within {WITHIN:g}"] += 1
    else:
        yield Finding("scores", subject, f"Computed anew, {_differing(evaluation, again)} is another.", SCORE_ANEW)


def _scored_anew(evaluation: Evaluation) -> ScoredRun:
    measures = [parse_measure(name) for name in evaluation.measures]
    scorer = Scorer(evaluation.qrels, measures, evaluation.ordering, None, evaluation.left_out)
    return next(scored for _, scored in scorer.scores([evaluation.run]))


def _differing(evaluation: Evaluation, again: ScoredRun) -> str:
    stored = evaluation.matrix()
    if stored.shape != again.values.shape:
        return "the number of its values"
    apart = ~np.isclose(again.values, stored, rtol=0, atol=WITHIN, equal_nan=True)
    row, column = (int(place) for place in np.argwhere(apart)[0])
    more = int(apart.sum()) - 1
    also = f" (and {more:,} more)" if more else ""
    return f"{evaluation.measures[row]} of topic {evaluation.qrels.topics[column]}{also}"
