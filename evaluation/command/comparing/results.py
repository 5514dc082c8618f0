"""The comparisons of runs by each measure, as data: every form of output is written from them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from campaign.text.plurals import number_of
from evaluation.analysis.assumptions.unjudged_words import unjudged_in_words
from evaluation.boards.choice import ALL_PAIRS, BASELINE, Choice
from evaluation.boards.measures_on_scale import is_of_quality, sides_in_words
from evaluation.boards.unjudged import Unjudged, if_unjudged_were_best
from evaluation.command.comparing.options import CompareArguments
from evaluation.command.comparing.values import Compared, RunsByTopics, read_values
from evaluation.engine.analyses.bounds import meaning_of_bounds
from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.significance.compare import Comparisons, compare
from evaluation.engine.significance.declarations import why_no_ranks
from evaluation.engine.significance.equivalence import Equivalence, equivalence
from evaluation.engine.significance.families import against_baseline, all_pairs, places_of
from evaluation.engine.significance.ranges import interval_of_summary, most_apart
from evaluation.engine.significance.standing import DIGITS, Standing, standing

NO_MARGIN = "{measure} is no mean over topics: the margin is none of it, and no pair is tested for equivalence."

WIDER = "Intervals are for all differences at once, and wider than the test: they hold 0 for {pairs} that it shows to differ."


@dataclass(frozen=True, eq=False)
class Result:
    """The comparisons by one measure. `low`, `high`: intervals of the means, (n_runs,), infinite where there is none.

    `standing`: its groups and rank sets mean something only if `has_ranks`. `why_no_ranks`: why none follow from the tests, as a
    clause. `shown`: of each pair, whether p_corrected is below 1 - confidence. `baseline`: the index of the run that the others
    are compared with. `equivalence`: of the compared pairs within `margin`; None where none was named, or the measure is no mean;
    `equivalent`: of each pair, in words. `unjudged`: what unjudged documents of the `highest_grade` would change, of the compared
    pairs; None where that was not asked for or cannot be told, for which `unjudged_words` has the reason.
    """

    compared: Compared
    names: tuple[str, ...]
    topics: int
    low: FloatArray
    high: FloatArray
    comparisons: Comparisons
    standing: Standing
    why_no_ranks: str
    shown: tuple[bool, ...]
    baseline: int | None
    margin: float | None
    equivalence: Equivalence | None
    equivalent: tuple[str, ...]
    unjudged: Unjudged | None
    unjudged_words: tuple[str, ...]
    highest_grade: int

    @property
    def measure(self) -> str:
        return self.compared.measure.name

    @property
    def is_of_quality(self) -> bool:
        """Whether the measure tells how good a run is, and so ranks runs."""
        return is_of_quality(self.measure)

    @property
    def sides(self) -> tuple[str, str]:
        """What a run is called that is shown to be better, and one shown to be worse."""
        return sides_in_words(self.measure, lower_is_better=self.compared.measure.definition.lower_is_better)

    @property
    def has_ranks(self) -> bool:
        return self.baseline is None and not self.why_no_ranks

    @property
    def has_triangles(self) -> bool:
        """Whether runs are marked that are shown to be better or worse than the baseline."""
        return self.baseline is not None and self.is_of_quality

    def is_better(self, place: int) -> bool | None:
        """Whether the first run of a pair is shown to be better (False: worse); None if nothing is shown, or test and numbers
        disagree.
        """
        one, other = self.comparisons.pairs[place].tolist()
        apart = np.sign(np.round(self.compared.summaries[one] - self.compared.summaries[other], DIGITS))
        if not self.shown[place] or not apart or apart != self.comparisons.direction[place]:
            return None
        return bool((apart > 0) != self.compared.measure.definition.lower_is_better)

    @property
    def notes(self) -> tuple[str, ...]:
        of_logarithms = self.compared.measure.definition.summary == "geometric mean"
        said = ("Differences are of the logarithms of the values, as the geometric mean is of them.",)
        of_groups = self.standing.notes if self.has_ranks else ()
        no_mean = self.margin is not None and self.equivalence is None
        without = (NO_MARGIN.format(measure=self.measure),) if no_mean else ()
        return (
            *(said if of_logarithms else ()),
            *self.comparisons.notes,
            *of_wider_intervals(self.comparisons, self.shown),
            *of_groups,
            *without,
        )


def of_wider_intervals(found: Comparisons, shown: Sequence[bool]) -> tuple[str, ...]:
    """Say how many pairs the step-down test shows though their interval, which is for all differences at once, holds 0."""
    count = int((np.array(shown, dtype=np.bool_) & (found.low <= 0) & (found.high >= 0)).sum())
    return (WIDER.format(pairs=number_of(count, "pair")),) if found.test == "max-t" and count else ()


def compare_files(arguments: CompareArguments) -> list[Result]:
    """Read the files and compare the runs; InputError and MeasureNameError as `read_values`."""
    runs = read_values(arguments)
    return list(_results(runs, arguments))


def _results(runs: RunsByTopics, arguments: CompareArguments) -> Iterator[Result]:
    baseline = None if arguments.baseline is None else arguments.runs.index(arguments.baseline)
    n_runs = len(runs.names)
    pairs = all_pairs(n_runs) if baseline is None else against_baseline(baseline, n_runs)
    alpha = 1.0 - arguments.confidence
    for compared in runs.measures:
        found = _comparisons(compared, pairs, arguments)
        low, high = interval_of_summary(compared.values, compared.measure, arguments.confidence)
        definition = compared.measure.definition
        why = why_no_ranks(arguments.test, arguments.correction, definition.summary, definition.tells)
        equivalents = _equivalence(compared, pairs, arguments.margin)
        unjudged = _unjudged(runs, found, arguments) if compared is runs.measures[0] else None
        yield Result(
            compared=compared,
            names=runs.names,
            topics=len(runs.topics),
            low=low,
            high=high,
            comparisons=found,
            standing=standing(
                compared.summaries,
                pairs,
                found.p_corrected,
                alpha,
                direction=found.direction,
                lower_is_better=definition.lower_is_better,
                lettered=baseline is None and not why and arguments.form != "csv",
            ),
            why_no_ranks=why,
            shown=tuple((found.p_corrected < alpha).tolist()),
            baseline=baseline,
            margin=arguments.margin,
            equivalence=equivalents,
            equivalent=() if equivalents is None else tuple(equivalents.in_words(alpha)),
            unjudged=unjudged,
            unjudged_words=_unjudged_in_words(runs, unjudged, compared) if arguments.unjudged else (),
            highest_grade=runs.highest_grade,
        )


def _comparisons(compared: Compared, pairs: IntArray, arguments: CompareArguments) -> Comparisons:
    return compare(
        compared.values,
        pairs,
        arguments.test,
        arguments.correction,
        seed=arguments.seed,
        resamples=arguments.resamples,
        level=arguments.confidence,
        most_apart=most_apart(compared.measure),
    )


def _equivalence(compared: Compared, pairs: IntArray, margin: float | None) -> Equivalence | None:
    if margin is None or compared.measure.definition.summary != "mean":
        return None
    return equivalence(compared.values, pairs, margin)


def _unjudged(runs: RunsByTopics, found: Comparisons, arguments: CompareArguments) -> Unjudged | None:
    """As boards tell it, by the first measure."""
    if runs.if_best is None:
        return None
    n_runs, first = len(runs.names), runs.measures[0]
    family = ALL_PAIRS if arguments.baseline is None else BASELINE
    drawn = {"level": arguments.confidence, "seed": found.seed, "resamples": arguments.resamples}
    choice = Choice(arguments.test, arguments.correction, family, **drawn)  # type: ignore[arg-type]
    p = np.full(n_runs * (n_runs - 1) // 2, np.nan)
    p[places_of(found.pairs, n_runs)] = found.p_corrected
    unjudged = if_unjudged_were_best(first.by_topic, runs.if_best, first.measure.name, choice, p)
    return None if unjudged is None else unjudged.of_pairs(found.pairs, n_runs)


def _unjudged_in_words(runs: RunsByTopics, unjudged: Unjudged | None, compared: Compared) -> tuple[str, ...]:
    first = runs.measures[0].measure
    meaning, n_runs = meaning_of_bounds(first), len(runs.names)
    return tuple(unjudged_in_words(unjudged, compared.measure.name, first.name, meaning, n_runs))
