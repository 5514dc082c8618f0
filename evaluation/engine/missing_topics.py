"""What a topic that a run misses counts where runs are compared, so that no run gains by leaving topics out."""

import numpy as np

from evaluation.engine.arrays import FloatArray
from evaluation.engine.averaging import summary_over_topics
from evaluation.engine.judgments import Judgments
from evaluation.engine.measures.declaration import Definition, Measure
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.scoring import Scores


def compared_values(scores: Scores, judgments: Judgments) -> FloatArray:
    """Give the values of a run with those of missed topics replaced: float64 (n_measures, n_topics).

    A missed topic gets what the measure declares (`Definition.missed`): its worst value; nothing, NaN, where the measure
    says how much of a ranking is judged; or the value of an empty ranking, which `scores` holds.

    >>> import polars as pl
    >>> table = pl.DataFrame({"topic": ["1", "2"], "subtopic": "0", "docno": "a", "grade": [1, 1]})
    >>> scores = Scores(("1", "2"), ("FDR", "Judged@5"), np.array([[0.5, 0.0], [1.0, 0.0]]), np.array([True, False]))
    >>> compared_values(scores, Judgments.from_table(table)).tolist()
    [[0.5, 1.0], [1.0, nan]]
    """
    values = scores.values.copy()
    for row, name in enumerate(scores.measures):
        measure = parse_measure(name)
        if measure.definition.missed != "empty ranking":
            values[row] = np.where(scores.answered, values[row], _value_of_a_missed_topic(measure, judgments))
    return values


def _value_of_a_missed_topic(measure: Measure, judgments: Judgments) -> FloatArray:
    definition = measure.definition
    if definition.missed == "left out":
        return np.full(judgments.n_topics, np.nan)
    if callable(definition.missed):
        of_topics: FloatArray = definition.missed(judgments, **measure.given)
        return of_topics
    return np.full(judgments.n_topics, worst_value(definition))


def worst_value(definition: Definition) -> float:
    """Give the end of the measure's range at which a run is worst.

    >>> worst_value(parse_measure("AP").definition), worst_value(parse_measure("FDR").definition)
    (0.0, 1.0)
    """
    low, high = definition.range
    return high if definition.lower_is_better else low


def summary_of_compared(values: FloatArray, definition: Definition) -> float:
    """Make one number of the values of a run, float64 (n_topics,), over the topics that are not NaN.

    The measure's worst value where there is none.

    >>> judged = parse_measure("Judged@10").definition
    >>> summary_of_compared(np.array([0.5, np.nan, 1.0]), judged), summary_of_compared(np.array([np.nan]), judged)
    (0.75, 0.0)
    """
    known = values[~np.isnan(values)]
    if not len(known) and len(values):
        return worst_value(definition)
    return float(summary_over_topics(known, definition.summary))
