"""Which estimates are told: those whose data are too few, or not such as the method reads, are refused with what is needed.

The limits come from the simulation in docs/reference/pool-completeness.md.
"""

from __future__ import annotations

from dataclasses import replace
from math import ceil, log10
from typing import Final

import polars as pl

from campaign.text.plurals import number_of
from pooling.core.completeness.control import SampleSize, likely_range
from pooling.core.completeness.outside import NoEstimate, Outside, share_of

WIDEST: Final = 0.5
"""Of all relevant documents: a wider interval of the random sample tells too little."""
FEWEST_RELEVANT: Final = 5
"""Relevant documents in the random sample. With fewer of them an interval is mostly narrow because by luck too many were drawn,
unless it shows that less than half is outside."""
FEWEST_POSITIONS: Final = 10
"""Positions of every run from which a curve is told. From 5 it was 30 points too low."""
FEWEST_DRAWN: Final = 10
"""Relevant documents among those drawn at random from which a curve is told. With fewer than 5 its interval held the truth
in less than a third of the pools."""
STEP: Final = 1.1

SELDOM_HOLDS: Final = (
    "Measured on judged pools, this interval held the true number in none of them at worst and in half of them at best: in the "
    "others more was outside."
)
HOLDS_FOR_SOME: Final = (
    "Measured, this interval held the true number in about nine of ten pools of a real collection, but only in half of those of "
    "made-up runs, where it was too high."
)


def told_of_sample(estimate: Outside | NoEstimate, size: SampleSize, found: int) -> Outside | NoEstimate:
    """The estimate of the random sample, unless `tells_enough` denies it.

    found: relevant documents found in the topics of the estimate.

    >>> from pooling.core.completeness.outside import outside
    >>> wide = outside("random sample", 10, (90.0, 5.0, 400.0), "", 1)
    >>> told_of_sample(wide, SampleSize(judged=9, relevant=1, size=900), 10).reason.partition("; ")[2]
    'draw and judge at least 46 of them'
    """
    if isinstance(estimate, NoEstimate) or tells_enough(size.relevant, estimate.share_low, estimate.share_high):
        return estimate
    judged = f"{size.judged:,} of {number_of(size.size, 'document')} that could have been drawn at random"
    low, high = (f"{100 * share:.0f}" for share in (estimate.share_low, estimate.share_high))
    return NoEstimate(
        estimate.method,
        f"{judged} {'is' if size.judged == 1 else 'are'} judged, {size.relevant:,} relevant: between {low} % and {high} % of all "
        f"relevant documents may be outside, which tells too little; draw and judge at least {needed(size, found):,} of them",
    )


def tells_enough(relevant: float, low: float, high: float) -> bool:
    """Whether an interval of the share outside tells something, by the relevant documents in the sample behind it.

    >>> tells_enough(0, 0.0, 0.4), tells_enough(4, 0.2, 0.6), tells_enough(5, 0.2, 0.6), tells_enough(9, 0.1, 0.9)
    (True, False, True, False)
    """
    return high - low <= WIDEST and (relevant >= FEWEST_RELEVANT or high <= WIDEST)


def told_of_recapture(estimate: Outside | NoEstimate, depth: int, *, is_sample: bool) -> Outside | NoEstimate:
    """The estimate from teams, with how seldom it holds; none where the pool does not hold what teams found.

    >>> told_of_recapture(NoEstimate("capture-recapture", "one team"), 0, is_sample=True).reason
    'one team'
    """
    if isinstance(estimate, NoEstimate):
        return estimate
    if is_sample or not depth:
        return NoEstimate(
            estimate.method,
            "it needs a pool that holds the first documents of every run and no others, so that all that teams found there "
            "is judged",
        )
    return replace(estimate, caution=SELDOM_HOLDS)


def told_of_slices(estimate: Outside | NoEstimate, depth: int, drawn: int | None) -> Outside | NoEstimate:
    """The extrapolation of depth slices where positions, and relevant documents drawn at random, are enough to tell a curve.

    drawn: relevant documents among those within the depth that were drawn with a probability below 1; None where the pool holds
    all documents within its depth.

    >>> from pooling.core.completeness.outside import outside
    >>> told_of_slices(outside("slices", 10, (9.0, 5.0, 40.0), "", 50), depth=100, drawn=3).reason
    'it needs 10 relevant documents among those drawn at random, and there are 3'
    """
    if isinstance(estimate, NoEstimate):
        return estimate
    if depth < FEWEST_POSITIONS:
        return NoEstimate(
            estimate.method, f"it needs {FEWEST_POSITIONS} positions of every run, and the pool holds {depth}"
        )
    if drawn is not None and drawn < FEWEST_DRAWN:
        there = f"there {'is' if drawn == 1 else 'are'} {drawn}"
        return NoEstimate(
            estimate.method, f"it needs {FEWEST_DRAWN} relevant documents among those drawn at random, and {there}"
        )
    return replace(estimate, caution=HOLDS_FOR_SOME)


def needed(size: SampleSize, found: int) -> int:
    """How many documents of the sample must be judged to tell enough, if as many of them are relevant as so far.

    int in 1..size.size, rounded up to two digits. The sample is taken to grow by equal rates; where none is relevant so far it
    is the least that could do: enough for an interval that shows that less than half is outside.

    >>> needed(SampleSize(judged=9, relevant=0, size=900), 70), needed(SampleSize(judged=100, relevant=1, size=1000), 30)
    (51, 220)
    """
    judged = float(size.judged)
    while judged < size.size:
        relevant = size.relevant * judged / size.judged
        low, high = likely_range(relevant, judged / size.size, size.size - judged)
        all_found = found + relevant - size.relevant
        if tells_enough(relevant, share_of(all_found, low), share_of(all_found, high)):
            break
        judged *= STEP
    unit: int = 10 ** max(0, int(log10(judged)) - 1)
    return min(size.size, ceil(judged / unit) * unit)


def relevant_drawn(entries: pl.DataFrame, depth: int) -> int | None:
    """Relevant documents up to `depth` that were drawn with a probability below 1; None where no document there was.

    >>> columns = {"best_position": [1, 2, 9], "inclusion_probability": [1.0, 0.5, 0.5], "relevant": [True, True, True]}
    >>> relevant_drawn(pl.DataFrame(columns), 5), relevant_drawn(pl.DataFrame(columns), 1)
    (1, None)
    """
    if "inclusion_probability" not in entries.columns:
        return None
    drawn = entries.filter(pl.col("best_position").is_between(1, depth), pl.col("inclusion_probability") < 1)
    return int(drawn["relevant"].sum()) if drawn.height else None
