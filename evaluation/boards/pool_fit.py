"""Which measures do not fit a pool: it is too shallow for them, or it is no sample from which they estimate."""

from collections.abc import Sequence
from typing import Final

from evaluation.engine.judgment_kinds import PROBABILITIES, STRATA
from evaluation.engine.measures.declaration import Measure
from pooling.core.preview.exactness import PoolReach
from pooling.core.strategies.strata import ESTIMATORS

READ_BY: Final = {STRATA.name: "stratum", PROBABILITIES.name: "probability"}
"""By what estimators read a sample, by the kind of judgments that they are computed from."""

WHETHER_DEEPER: Final = (
    "Once it is judged, “Pool completeness” tells whether its last part still brings relevant documents."
)


def fits_pool(measure: Measure, reach: PoolReach) -> bool:
    """Whether a measure can be trusted for the pooled runs if the pool is judged, and nothing else.

    Without a recall base: if and only if it reads no rank below the depth to which the pool is whole; its value is then
    exact. With a recall base no depth makes it exact: how much is outside is told by what the judged pool found.
    Estimators from strata or probabilities fit the pools that are sampled so. What tells how many documents are judged or
    retrieved always fits.

    >>> from evaluation.engine.measures.names.registry import parse_measure
    >>> names = ("P@10", "P@20", "RR", "RR@10", "nDCG@10", "AP", "xinfAP")
    >>> [name for name in names if fits_pool(parse_measure(name), PoolReach(10, "stratum"))]
    ['P@10', 'RR@10', 'xinfAP']
    >>> fits_pool(parse_measure("AP"), PoolReach(1000)), fits_pool(parse_measure("R@10"), PoolReach(100))
    (False, False)
    """
    if measure.definition.tells != "relevance":
        return True
    if (read_by := read_by_estimator(measure)) is not None:
        return read_by == reach.sampling
    last = last_rank(measure)
    return not measure.definition.recall_base and last is not None and last <= reach.whole


def read_by_estimator(measure: Measure) -> str | None:
    """By what of a sample the measure estimates, "stratum" or "probability"; None where it does not.

    >>> from evaluation.engine.measures.names.registry import parse_measure
    >>> [read_by_estimator(parse_measure(name)) for name in ("xinfAP", "statAP", "AP")]
    ['stratum', 'probability', None]
    """
    return READ_BY.get(measure.definition.judgments.name)


def last_rank(measure: Measure) -> int | None:
    """The last rank that the measure reads, as far as its name bounds it.

    >>> from evaluation.engine.measures.names.registry import parse_measure
    >>> last_rank(parse_measure("P@5")), last_rank(parse_measure("AP"))
    (5, None)
    """
    last = measure.given.get("k", measure.given.get("depth"))
    return last if isinstance(last, int) else None


def pool_cautions(measures: Sequence[Measure], reach: PoolReach, *, remedies: bool = True) -> list[str]:
    """What to say of the measures that do not fit a pool of this reach: what follows and, to organisers, the remedy.

    >>> from evaluation.engine.measures.names.registry import parse_measure
    >>> pool_cautions([parse_measure("P@10"), parse_measure("Judged@10")], PoolReach(10))
    []
    """
    unfit = [measure for measure in measures if not fits_pool(measure, reach)]
    exact = [measure for measure in unfit if read_by_estimator(measure) is None]
    with_base = [measure for measure in exact if measure.definition.recall_base]
    too_deep = [measure for measure in exact if not measure.definition.recall_base]
    whole = [(_named(with_base), _of_recall_base(reach)), (_named(too_deep), _of_deep_ranks(reach))]
    said = [
        *([(_named(exact), _of_sample(reach))] if reach.sampling else whole),
        *(
            (_named([measure for measure in unfit if read_by_estimator(measure) == read_by]), _of_estimators(read_by))
            for read_by in ESTIMATORS
        ),
    ]
    return [f"{names}: {follows}{f' {remedy}' * remedies}" for names, (follows, remedy) in said if names]


def _named(measures: Sequence[Measure]) -> str:
    return ", ".join(measure.name for measure in measures)


def _of_sample(reach: PoolReach) -> tuple[str, str]:
    cause = "the pool is a sample, and documents that were not drawn count as not relevant."
    return f"{cause} Values can be too high or too low.", f"Estimates from the sample: {ESTIMATORS[reach.sampling]}."


def _of_recall_base(reach: PoolReach) -> tuple[str, str]:
    pool = f"a pool of depth {reach.whole}" if reach.whole else "this pool"
    follows = (
        f"measured against all relevant documents of a topic, of which {pool} may hold only a part. "
        "Values can be too high or too low, and change when more is judged."
    )
    if not reach.whole:
        return follows, "Pool the first documents of every run, and add measures that need no others, such as P@10."
    others = f"Add measures that need no other documents, such as P@{reach.whole} or RR@{reach.whole}."
    return follows, f"{others} {WHETHER_DEEPER}"


def _of_deep_ranks(reach: PoolReach) -> tuple[str, str]:
    if not reach.whole:
        follows = "documents that are not in the pool count as not relevant, and no rank of the runs is judged whole."
        return follows, "Choose a strategy or settings that pool the first documents of every run."
    follows = (
        f"documents after rank {reach.whole} count as well, and those that are not in the pool count as not relevant."
    )
    return follows, f"Cut off at rank {reach.whole} or earlier, or pool deeper."


def _of_estimators(read_by: str) -> tuple[str, str]:
    needs = {"stratum": "strata", "probability": "inclusion probabilities"}[read_by]
    return (
        f"estimated from a sample with {needs}, which this pool is not.",
        f"Draw a pool with {needs}, or name other measures.",
    )
