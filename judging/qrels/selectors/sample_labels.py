"""What the page of a release says of the sample of the pool."""

from collections.abc import Sequence
from operator import attrgetter

from campaign.text.plurals import number_of
from judging.core.samples import Sample, Stratum
from pooling.core.strategies.strata import ESTIMATORS

SHOWN = 20
"""Strata that are named one by one."""


def sample_consequences(sample: Sample | None) -> list[str]:
    """One line for each consequence; none where the pool is no sample."""
    if sample is None:
        return []
    estimators = ESTIMATORS[sample.sampled_by]
    if sample.waiting:
        nothing = f"The pool is a sample, but nothing is judged of {_named(sample.waiting)}."
        return [
            f"{nothing} This version has no file of the sample: {estimators} are not computed. Finish these strata first."
        ]
    drawn = number_of(sample.table.height, "document")
    lines = [f"The pool is a sample: a second file of five columns holds {drawn}, judged or not, for {estimators}."]
    if sample.unusable:
        lines.append(
            f"Nothing that was drawn could be judged of {_named(sample.unusable)}: all documents of these count as not relevant."
        )
    if sample.partly:
        lines.append(
            f"Judged in part: {_named(sample.partly)}. The estimators take what is judged of a stratum for a random sample, "
            "which holds only if its documents were judged in random order."
        )
    if sample.sampled_by == "probability" and sample.unjudged:
        lines.append(
            f"Drawn, but without a grade: {number_of(sample.unjudged, 'document')}. They count as not relevant: "
            "estimated totals such as statP are too low, ratios such as statAP too low or too high. Judge them first."
        )
    return lines


def _named(strata: Sequence[Stratum]) -> str:
    """As in “stratum 2 of topics 401 (0 of 5), 402 (0 of 3); stratum 3 of topic 401 (0 of 9)”: graded of drawn."""
    by_number: dict[int, list[str]] = {}
    for stratum in sorted(strata[:SHOWN], key=attrgetter("stratum")):
        counts = f"{stratum.topic} ({stratum.graded:,} of {stratum.drawn:,})"
        by_number.setdefault(stratum.stratum, []).append(counts)
    shown = "; ".join(
        f"stratum {number} of {'topic' if len(topics) == 1 else 'topics'} {', '.join(topics)}"
        for number, topics in by_number.items()
    )
    return f"{shown} and {len(strata) - SHOWN:,} more" if len(strata) > SHOWN else shown
