"""Scores that another site sends: each is computed anew from its run and qrels, and compared in all its numbers."""

from collections.abc import Iterable, Iterator
from itertools import groupby
from typing import Any

import numpy as np
from django.core.exceptions import ObjectDoesNotExist

from campaign.formats.runs.order_setting import BY_SCORE, RELEASE_9, Ordering
from campaign.formats.runs.table import ordered_columns
from campaign.runs.selectors.reading import run_table
from campaign.storage.quarantine import DamagedFileError
from evaluation.boards.curves import CurveSettings
from evaluation.engine.judgments import JudgmentError
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.measures.parameters import MeasureNameError
from evaluation.models import Evaluation, PreferenceScores
from evaluation.preferences.scoring import COMPATIBILITY, scores_by
from evaluation.services.scoring import Scorer, evaluation_of
from judging.preferences.selectors import order_table

WITHIN = 1e-9
"""Absolute and relative: other machines add in another order."""
COMPARED = ("means", "topics_answered", "unjudged_at_10", "unjudged_best", "curves", "left_out", "missed")
NOT_COMPUTED = (
    DamagedFileError,
    JudgmentError,
    MeasureNameError,
    ObjectDoesNotExist,
    ValueError,
    LookupError,
    TypeError,
)
"""What comes of rows that no scoring wrote, and of runs that are gone."""


def found_here_too(rows: Iterable[Evaluation]) -> Iterator[tuple[Evaluation, bool]]:
    """Each of the evaluations, which need not be stored, and whether this version of the engine finds the same numbers."""
    for _, alike in groupby(rows, key=_settings):
        scorer = None
        for evaluation in alike:
            try:
                scorer = scorer or _scorer(evaluation)
                is_found = _is_by_this_engine(evaluation) and _is_found(evaluation, scorer)
            except NOT_COMPUTED:
                is_found = False
            yield evaluation, is_found


def preferences_found_here_too(rows: Iterable[PreferenceScores]) -> Iterator[tuple[PreferenceScores, bool]]:
    """The same of scores by an order of preferences."""
    for scores in rows:
        try:
            is_found = _is_by_this_engine(scores) and scores.measure == COMPATIBILITY and _is_by_order(scores)
        except NOT_COMPUTED:
            is_found = False
        yield scores, is_found


def _is_by_this_engine(scores: Evaluation | PreferenceScores) -> bool:
    return scores.engine == Evaluation.ENGINE and scores.run_sha256 == scores.run.sha256


def _is_by_order(scores: PreferenceScores) -> bool:
    ordering = Ordering(scores.run_order, scores.reference)
    table = run_table(scores.run, ordered_columns(ordering))
    [again] = scores_by(order_table(scores.order), [table], ordering)
    return _alike(
        [scores.by_topic().tolist(), scores.mean, scores.topics_answered],
        [again.values.tolist(), again.mean, again.answered],
    )


def _settings(evaluation: Evaluation) -> tuple[Any, ...]:
    """What a scorer is made of: evaluations of which it is the same are scored by one."""
    curves = None if evaluation.curves is None else tuple(evaluation.curves["settings"].items())
    ordering = (evaluation.run_order or BY_SCORE, evaluation.reference or RELEASE_9)
    return evaluation.qrels_id, tuple(evaluation.measures), ordering, tuple(evaluation.left_out), curves


def _scorer(evaluation: Evaluation) -> Scorer:
    measures = [parse_measure(name) for name in evaluation.measures]
    curves = None if evaluation.curves is None else CurveSettings(**evaluation.curves["settings"])
    return Scorer(evaluation.qrels, measures, evaluation.ordering, curves, evaluation.left_out)


def _is_found(evaluation: Evaluation, scorer: Scorer) -> bool:
    if evaluation.qrels_sha256 != evaluation.qrels.sha256:
        return False
    [(run, scored)] = scorer.scores([evaluation.run])
    again = evaluation_of(run=run, qrels=evaluation.qrels, scored=scored)
    values, found = evaluation.matrix(), again.matrix()
    if values.shape != found.shape or not np.allclose(values, found, rtol=WITHIN, atol=WITHIN, equal_nan=True):
        return False
    best = evaluation.unjudged_best_matrix()  # version 1.0 kept none
    if best is not None and not np.allclose(
        best, scored.unjudged_best_values, rtol=WITHIN, atol=WITHIN, equal_nan=True
    ):
        return False
    return all(_alike(getattr(evaluation, name), getattr(again, name)) for name in COMPARED)


def _alike(one: Any, other: Any) -> bool:
    """Whether two values of JSON are the same, their numbers nearly. NaN is null there.

    >>> _alike({"a": [0.1 + 0.2, None]}, {"a": [0.3, float("nan")]}), _alike([1.0], [1.0, 2.0])
    (True, False)
    """
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all(_alike(value, other[key]) for key, value in one.items())
    if isinstance(one, list) and isinstance(other, list):
        return len(one) == len(other) and all(map(_alike, one, other))
    if isinstance(one, int | float) or isinstance(other, int | float):
        one, other = (float("nan") if number is None else number for number in (one, other))
        if not (isinstance(one, int | float) and isinstance(other, int | float)):
            return False
        return bool(np.isclose(float(one), float(other), rtol=WITHIN, atol=WITHIN, equal_nan=True))
    return bool(one == other)
