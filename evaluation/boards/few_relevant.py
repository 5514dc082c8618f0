"""What to say of estimates from samples in topics with few relevant documents, where they are too high."""

from collections.abc import Mapping, Sequence
from typing import Final

from campaign.text.plurals import number_of
from evaluation.boards.pool_fit import fits_pool, read_by_estimator
from evaluation.engine.measures.declaration import Measure
from pooling.core.preview.exactness import PoolReach

FEW: Final = 20
"""Relevant documents of a topic, below which an estimate is called biased."""
MEASURED: Final = {
    "stratum": "measured for xinfAP: by 0.03 with 15 runs on Cranfield, by 0.05 where a pool there grows to 60 judgments of a "
    "topic, by up to 0.16 where one run is pooled",
    "probability": "measured for statAP: by 0.03 with 15 runs on Cranfield, by up to 0.04 where one run is pooled",
}
"""From docs/reference/collection-bias.md and sampling-bias.md, to which its test holds them."""


def few_relevant_cautions(
    measures: Sequence[Measure], reach: PoolReach, relevant: Mapping[str, float] | None = None, *, remedies: bool = True
) -> list[str]:
    """One sentence where estimators with a recall base read the sample of a pool; none for others.

    relevant: the estimated number of relevant documents of each topic, once they are judged: then only if one has few.

    >>> from evaluation.engine.measures.names.registry import parse_measure
    >>> said = few_relevant_cautions([parse_measure("xinfAP")], PoolReach(10, "stratum"), {"1": 4.0, "2": 40.0})
    >>> said[0].partition(" (")[0]
    'xinfAP: too high on average in topics with few relevant documents'
    >>> few_relevant_cautions([parse_measure("infP@10")], PoolReach(10, "stratum"))
    []
    """
    biased = [
        measure.name
        for measure in measures
        if read_by_estimator(measure) and fits_pool(measure, reach) and measure.definition.recall_base
    ]
    few = [topic for topic, number in (relevant or {}).items() if number < FEW]
    if not biased or (relevant is not None and not few):
        return []
    said = (
        f"{', '.join(biased)}: too high on average in topics with few relevant documents ({MEASURED[reach.sampling]})."
    )
    if relevant is not None:
        of_all = f"{len(few):,} of {number_of(len(relevant), 'topic')}"
        said += f" By the sample, {of_all} {'has' if len(few) == 1 else 'have'} fewer than {FEW}."
    if remedies:
        said += " Pool more runs, or judge whole the positions that hold most of them."
    return [said]
