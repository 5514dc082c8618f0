"""Where the uncertainty of means and differences comes from: topics, assessors, and the draw of the judged documents."""

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np

from evaluation.engine.arrays import FloatArray, IntArray, group_counts
from evaluation.engine.judgment_kinds import STRATA
from evaluation.engine.judgments import Judgments
from evaluation.engine.memo import Memo
from evaluation.engine.reliability.collection import Collection, PartMissing, Step, values_of
from evaluation.engine.reliability.error_budget import (
    FEWEST_GROUPS,
    FEWEST_TWICE,
    deviation_by_assessors,
    deviation_by_draws,
    half_width,
    half_width_over_groups,
    topics_sharing_nobody,
)
from evaluation.engine.reliability.redrawing import SAMPLES, strata_of_one, thinned

DRAWS: Final = 25
WHOLE: Final = 0.9
"""The share of a topic's judged documents from which on a set of judgments tells the values on the topic."""


def steps(of: Collection) -> int:
    return DRAWS if of.first.definition.judgments in SAMPLES else 1


def error_budget(of: Collection, step: Step) -> dict[str, Any]:
    """Of each mean, and of the differences of runs of neighbouring ranks; what is not known is null, `missing` says why."""
    order = np.argsort(-np.round(of.ordering_values().mean(axis=1), 12), kind="stable")
    rows = _rows(of.values[:, 0], order)
    missing: dict[str, str] = {}

    def known(name: str, part: Callable[[], FloatArray]) -> FloatArray | None:
        try:
            return part()
        except PartMissing as why:
            missing[name] = str(why)
            return None

    groups = topics_sharing_nobody(of.judging.judged_by, of.judgments.topics)
    twice = known("assessors", lambda: _values_by_sets(of, order))
    drawn = known("draws", lambda: _values_by_draws(of, order, step))
    parts = {
        "half_width": half_width(rows),
        "half_width_over_groups": known("groups", lambda: _over_groups(of, rows, groups)),
        "deviation_by_assessors": None if twice is None else deviation_by_assessors(twice, rows.shape[1]),
        "deviation_by_draws": None if drawn is None else deviation_by_draws(drawn),
    }
    n_runs, is_by_strata = len(of.names), drawn is not None and of.first.definition.judgments is STRATA
    return {
        "groups": None if groups is None else int(groups.max()) + 1,
        "topics_judged_twice": None if twice is None else twice.shape[2],
        "draws": None if drawn is None else DRAWS,
        "strata_of_one": strata_of_one(_sampled(of)) if is_by_strata else None,
        "share_by_assessors": _share(rows[n_runs:], parts["deviation_by_assessors"], n_runs),
        "share_by_draws": _share(rows[n_runs:], parts["deviation_by_draws"], n_runs),
        **_told([of.names[run] for run in order], rows.mean(axis=1).tolist(), parts),
        "missing": missing,
    }


def _told(names: list[str], means: list[float], parts: Mapping[str, FloatArray | None]) -> dict[str, Any]:
    """An object for each run, and for each two neighbours."""
    n_runs = len(names)
    told = [
        {name: None if part is None else float(part[row]) for name, part in parts.items()} for row in range(len(means))
    ]
    return {
        "means": [{"run": names[row], "mean": means[row], **told[row]} for row in range(n_runs)],
        "differences": [
            {"run": names[row], "next": names[row + 1], "difference": means[n_runs + row], **told[n_runs + row]}
            for row in range(n_runs - 1)
        ],
    }


def _rows(values: FloatArray, order: IntArray) -> FloatArray:
    """The runs in their order, then the differences of neighbours: float64 (..., n_runs, n_topics) -> (..., n_rows, n_topics)."""
    ordered = values[..., order, :]
    return np.concatenate([ordered, ordered[..., :-1, :] - ordered[..., 1:, :]], axis=-2)


def _share(differences: FloatArray, deviation: FloatArray | None, first: int) -> float | None:
    """The median share in the variance of the mean over topics; None where no difference varies."""
    variance = differences.var(axis=1, ddof=1) / differences.shape[1]
    varies = variance > 0
    if deviation is None or not varies.any():
        return None
    return float(np.median(np.square(deviation[first:][varies]) / variance[varies]))


def _over_groups(of: Collection, rows: FloatArray, groups: IntArray | None) -> FloatArray:
    if groups is None:
        raise PartMissing(of.judging.why_not)
    if len({person for _, person in of.judging.judged_by}) == 1:
        raise PartMissing("One person judged all topics.")
    found = half_width_over_groups(rows, groups)
    if found is not None:
        return found
    n_groups = int(groups.max()) + 1
    if n_groups == 1:
        raise PartMissing("All topics are tied by people who judged in several of them.")
    raise PartMissing(
        f"There are only {n_groups} groups of topics that share no assessor, and {FEWEST_GROUPS} are needed."
    )


def _values_by_sets(of: Collection, order: IntArray) -> FloatArray:
    """On the topics that all sets judge nearly whole: float64 (n_sets, n_rows, n_twice)."""
    if of.others is None or not of.others.common.documents:
        raise PartMissing("No topic was judged twice.")
    of.require_whole_documents()
    common = of.others.runs[0][0].judgments
    judged = dict(zip(of.judgments.topics, _judged(of.judgments), strict=True))
    whole = [
        place
        for place, (topic, count) in enumerate(zip(common.topics, _judged(common), strict=True))
        if count >= WHOLE * judged.get(topic, np.inf)
    ]
    if len(whole) < FEWEST_TWICE:
        raise PartMissing(
            f"Topics of which nine of ten judged documents were judged twice: {len(whole)}; {FEWEST_TWICE} are needed."
        )
    return _complete(of, [values_of(runs, of.first)[:, whole] for runs in of.others.runs[:-1]], order)


def _judged(judgments: Judgments) -> list[int]:
    counts: list[int] = group_counts(judgments.topic[judgments.grade >= 0], judgments.n_topics).tolist()
    return counts


def _sampled(of: Collection) -> Judgments:
    return (of.judging.sampled or of.runs)[0].judgments


def _values_by_draws(of: Collection, order: IntArray, step: Step) -> FloatArray:
    """Under thinned samples: float64 (n_draws, n_rows, n_topics)."""
    kind, judgments = of.first.definition.judgments, _sampled(of)
    if kind not in SAMPLES:
        raise PartMissing(f"{of.first.name} is no estimate from a sample.")
    if judgments.topics != of.judgments.topics:
        raise PartMissing("The sample has other topics than the judgments.")
    random, drawn = np.random.default_rng(of.settings.seed), []
    for _ in range(DRAWS):
        anew = thinned(judgments, kind, random)
        runs = of.judging.sampled or of.runs
        under = [replace(run, judgments=anew, grade=anew.grade[run.document], memo=Memo()) for run in runs]
        drawn.append(values_of(under, of.first))
        step()
    return _complete(of, drawn, order)


def _complete(of: Collection, values: list[FloatArray], order: IntArray) -> FloatArray:
    found = np.array(values)
    if np.isnan(found).any():
        raise PartMissing(f"{of.first.name} has no value on some of these topics.")
    return _rows(found, order)
