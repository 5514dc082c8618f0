"""Scores computed anew from the stored run and qrels, and compared with those that are kept."""

from collections.abc import Iterator
from itertools import chain

import numpy as np
from django.db.models import F

from campaign.integrity import Extent, Finding, each_by_itself
from campaign.storage.quarantine import DamagedFileError
from evaluation.engine.arrays import FloatArray
from evaluation.engine.judgments import JudgmentError
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.models import Evaluation
from evaluation.selectors.integrity import name_of_evaluation
from evaluation.services.scoring import ScoredRun, Scorer, grades_of_scale

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
    how = _the_same(evaluation.matrix(), again.values)
    if how:
        extent.looked[f"scores computed anew, the same {how}"] += 1
        if others := _other_facts(evaluation, again):
            yield Finding("scores", subject, f"Computed anew, {others} differ.", SCORE_ANEW)
        yield from _compared_if_best(evaluation, again, extent)
    else:
        differing = _differing(evaluation, evaluation.matrix(), again.values)
        yield Finding("scores", subject, f"Computed anew, {differing} is another.", SCORE_ANEW)


def _other_facts(evaluation: Evaluation, again: ScoredRun) -> str:
    """What boards tell of a run besides its scores; what an earlier version did not keep is not compared."""
    unjudged = evaluation.unjudged_at_10
    differing = {
        "the topics answered": evaluation.topics_answered != again.answered,
        "the topics missed": evaluation.missed is not None and evaluation.missed != again.missed,
        "the unjudged of the first 10": unjudged is not None and abs(unjudged - again.unjudged) > WITHIN,
    }
    return ", ".join(words for words, differs in differing.items() if differs)


def _compared_if_best(evaluation: Evaluation, again: ScoredRun, extent: Extent) -> Iterator[Finding]:
    """The values if unjudged documents had the highest grade of the scale: of today, or of when the run was scored."""
    stored = evaluation.unjudged_best_matrix()
    if stored is None:
        return
    earlier = (_scored_anew(evaluation, grade) for grade in reversed(grades_of_scale(evaluation.qrels)))
    if any(_the_same(stored, one.unjudged_best_values) for one in chain([again], earlier)):
        extent.looked["scores if unjudged documents were best computed anew, the same"] += 1
    else:
        differing = _differing(evaluation, stored, again.unjudged_best_values)
        text = f"Computed anew as if unjudged documents were best, {differing} is another."
        yield Finding("scores", name_of_evaluation(evaluation), text, SCORE_ANEW)


def _the_same(stored: FloatArray, again: FloatArray) -> str:
    """How values are the same; empty where they are not."""
    if stored.shape != again.shape:
        return ""
    if stored.tobytes() == again.astype("<f8").tobytes():
        return "bit by bit"
    return f"within {WITHIN:g}" if np.allclose(again, stored, rtol=0, atol=WITHIN, equal_nan=True) else ""


def _scored_anew(evaluation: Evaluation, best_grade: int | None = None) -> ScoredRun:
    measures = [parse_measure(name) for name in evaluation.measures]
    scorer = Scorer(evaluation.qrels, measures, evaluation.ordering, None, evaluation.left_out, best_grade)
    return next(scored for _, scored in scorer.scores([evaluation.run]))


def _differing(evaluation: Evaluation, stored: FloatArray, again: FloatArray) -> str:
    if stored.shape != again.shape:
        return "the number of its values"
    apart = ~np.isclose(again, stored, rtol=0, atol=WITHIN, equal_nan=True)
    row, column = (int(place) for place in np.argwhere(apart)[0])
    more = int(apart.sum()) - 1
    also = f" (and {more:,} more)" if more else ""
    return f"{evaluation.measures[row]} of topic {evaluation.qrels.topics[column]}{also}"
