"""What ir_measures and the programs behind it say about a drawn collection."""

from collections.abc import Sequence

import ir_measures

from tests.evaluation.engine.random_collections import Collection

HIGHEST_SCORE = 2000.0


def run_in_our_order(collection: Collection) -> dict[str, dict[str, float]]:
    """The run with distinct positive scores in scoring order: every program behind ir_measures breaks ties its own way."""
    return {
        topic: {docno: HIGHEST_SCORE - place for place, docno in enumerate(collection.scoring_order(topic))}
        for topic in collection.run
    }


def ir_measures_values(names: Sequence[str], collection: Collection) -> dict[tuple[str, str], float]:
    """The value of each (topic, name), for the topics with judgments; 0 for a topic that the run misses."""
    by_measure = {str(measure): name for name in names for measure in [ir_measures.parse_measure(name)]}
    values = {(topic, name): 0.0 for topic in collection.qrels for name in names}
    measures = [ir_measures.parse_measure(name) for name in names]
    for metric in ir_measures.iter_calc(measures, collection.grades, run_in_our_order(collection)):
        values[metric.query_id, by_measure[str(metric.measure)]] = metric.value
    return values
