"""Which measures a pool of a given depth is too shallow for."""

from collections.abc import Sequence
from typing import Final

from evaluation.engine.measures.declaration import Measure

DEEP_ENOUGH_FOR_RECALL: Final = 100
"""The depth of TREC's ad hoc pools: many relevant documents were missed, but the order of the runs held (Zobel, 1998)."""


def fits_pool(measure: Measure, depth: int) -> bool:
    """Whether a measure can be trusted for runs whose first `depth` documents are judged, and no others.

    Without a recall base: if and only if it reads no rank below `depth`; its value is then exact. With a recall base no
    depth makes it exact: it fits from `DEEP_ENOUGH_FOR_RECALL`, down to which it may read. What tells how many documents
    are judged or retrieved always fits.

    >>> from evaluation.engine.measures.names.registry import parse_measure
    >>> [name for name in ("P@10", "P@20", "RR", "RR@10", "nDCG@10", "AP") if fits_pool(parse_measure(name), depth=10)]
    ['P@10', 'RR@10']
    >>> fits_pool(parse_measure("AP"), depth=100), fits_pool(parse_measure("R@1000"), depth=100)
    (True, False)
    """
    if measure.definition.tells != "relevance":
        return True
    last = last_rank(measure)
    if not measure.definition.recall_base:
        return last is not None and last <= depth
    return depth >= DEEP_ENOUGH_FOR_RECALL and (last is None or last <= depth)


def last_rank(measure: Measure) -> int | None:
    """The last rank that the measure reads, as far as its name bounds it.

    >>> from evaluation.engine.measures.names.registry import parse_measure
    >>> last_rank(parse_measure("P@5")), last_rank(parse_measure("AP"))
    (5, None)
    """
    last = measure.given.get("k", measure.given.get("depth"))
    return last if isinstance(last, int) else None


def pool_cautions(measures: Sequence[Measure], depth: int, *, remedies: bool = True) -> list[str]:
    """What to say of the measures that do not fit a pool of this depth: what follows and, to organisers, the remedy.

    >>> from evaluation.engine.measures.names.registry import parse_measure
    >>> pool_cautions([parse_measure("P@10"), parse_measure("Judged@10")], depth=10)
    []
    """
    unfit = [measure for measure in measures if not fits_pool(measure, depth)]
    with_base = [measure.name for measure in unfit if measure.definition.recall_base]
    too_deep = [measure.name for measure in unfit if not measure.definition.recall_base]
    cautions = []
    if with_base:
        remedy = f" Pool deeper, or add measures that need no other documents, such as P@{depth} or RR@{depth}."
        cautions.append(
            f"{', '.join(with_base)}: measured against all relevant documents of a topic, of which a pool of depth {depth} "
            f"holds only a part. Values can be too high or too low, and change when more is judged.{remedy * remedies}"
        )
    if too_deep:
        remedy = f" Cut off at rank {depth} or earlier, or pool deeper."
        cautions.append(
            f"{', '.join(too_deep)}: documents after rank {depth} count as well, and those that are not in the pool count as "
            f"not relevant.{remedy * remedies}"
        )
    return cautions
