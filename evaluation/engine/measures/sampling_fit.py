"""Whether judgments were sampled as an estimator assumes."""

from collections.abc import Iterable

import numpy as np

from evaluation.engine.arrays import BoolArray, IntArray
from evaluation.engine.judgments import JudgmentError, Judgments
from evaluation.engine.measures.declaration import Measure


def sampling_problem(measures: Iterable[Measure], judgments: Judgments) -> str:
    """Say which measure assumes another sample than the judgments show, and what to use instead; "" where all fit.

    A measure that `takes_uniform_sample` estimates from the same share of all pooled documents of a topic. Judgments
    that name strata and leave documents of a topic with several of them without a grade are no such sample, nor are
    documents that were drawn with probabilities below 1. Of judgments that name neither, nothing is known here.

    >>> import polars as pl
    >>> from evaluation.engine.measures.names.registry import parse_measure
    >>> table = pl.DataFrame({"topic": "1", "subtopic": "0", "docno": ["a", "b"], "grade": [1, -1], "stratum": [1, 2]})
    >>> sampling_problem([parse_measure("infAP")], Judgments.from_table(table)).partition(", ")[2]
    'but topic 1 was sampled by strata. Use xinfAP.'
    """
    unfit = [measure.name for measure in measures if measure.definition.takes_uniform_sample]
    if not unfit:
        return ""
    assumes = f"{', '.join(unfit)} estimates from a uniform sample of each topic's pool"
    if (
        judgments.stratum is not None
        and (places := np.flatnonzero(_sampled_by_strata(judgments, judgments.stratum))).size
    ):
        topic = judgments.topics[judgments.topic[places[0]]]
        return f"{assumes}, but topic {topic} was sampled by strata. Use xinfAP."
    if judgments.probability is not None and (judgments.probability < 1.0).any():
        return f"{assumes}, but these documents were drawn with probabilities of their own. Use statAP."
    return ""


def refuse_unfit_sampling(measures: Iterable[Measure], judgments: Judgments) -> None:
    """Raise a JudgmentError where `sampling_problem` finds one."""
    if problem := sampling_problem(measures, judgments):
        raise JudgmentError(problem)


def _sampled_by_strata(judgments: Judgments, stratum: IntArray) -> BoolArray:
    """Mark the ungraded documents of topics with several strata: bool (n_documents,)."""
    lowest = np.full(judgments.n_topics, np.iinfo(np.int64).max)
    highest = np.full(judgments.n_topics, np.iinfo(np.int64).min)
    np.minimum.at(lowest, judgments.topic, stratum)
    np.maximum.at(highest, judgments.topic, stratum)
    several: BoolArray = (lowest < highest)[judgments.topic]
    return several & (judgments.grade < 0)
