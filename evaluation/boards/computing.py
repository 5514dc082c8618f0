"""From the values of runs by topics to a board: means, intervals, tests, ranks and groups, measure by measure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final

import numpy as np

from campaign.text.plurals import number_of
from evaluation.boards.board import Board, Column, RunFacts
from evaluation.boards.choice import ALL_PAIRS, BASELINE, BEST_OF_TEAMS, Choice
from evaluation.boards.curves import BoardCurves
from evaluation.boards.unjudged import if_unjudged_were_best
from evaluation.engine.analyses.bounds import meaning_of_bounds
from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.averaging import logarithms
from evaluation.engine.measures.declaration import Measure
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.missing_topics import summary_of_compared
from evaluation.engine.significance.compare import Comparisons, compare, nothing_compared
from evaluation.engine.significance.declarations import TESTS, ranks_do_not_follow
from evaluation.engine.significance.families import against_baseline, all_pairs, places_of
from evaluation.engine.significance.ranges import interval_of_summary
from evaluation.engine.significance.standing import DIGITS, Standing, standing

MOST_LETTERED: Final = 400
"""Runs of a board beyond which no letters are given: nobody reads that many groups."""
MOST_PAIRED: Final = 500
"""Runs of a board beyond which the p of all pairs are not kept: 1 MB for each measure at this number."""
MOST_COMPARED: Final = 2_000
"""Runs beyond which no two of a family are tested: two million pairs take some minutes and some hundred megabytes."""

CHOSEN_BY_SCORES: Final = (
    "The best runs of teams are chosen by these scores, and this test does not allow for that. "
    "In a simulation of equal runs, 20 of one team and one of each of four others, it shows a difference on a tenth of boards."
)


@dataclass(frozen=True, eq=False)
class Computed:
    """`p`: corrected p of all pairs, float64 (n_measures, n_pairs) in the order of `all_pairs`; NaN for pairs not tested.
    Without columns for more than MOST_PAIRED runs.
    """

    board: Board
    p: FloatArray


def compute_board(
    runs: Sequence[RunFacts],
    measures: Sequence[str],
    topics: Sequence[str],
    values: FloatArray,
    choice: Choice,
    unjudged_best: FloatArray | None = None,
    curves: BoardCurves | None = None,
    pseudonyms: Sequence[str] = (),
    values_if_best: FloatArray | None = None,
) -> Computed:
    """Compute all columns. `values`: float64 (n_runs, n_measures, n_topics), NaN for a topic that is left out.

    `unjudged_best`: float64 (n_runs, n_measures), each run's number with all unjudged documents of the highest grade.
    `curves`: of the runs, in their order. `pseudonyms`: of each run, all different; of runs of a team with equal values the
    first by pseudonym is the best. Without them it is the first of `runs`, which an anonymous board would tell.
    `values_if_best`: float64 (n_runs, n_topics), by the first measure with all unjudged documents of the highest grade.
    The same input gives the same bytes on every machine: seeds are part of the choice.

    >>> facts = [RunFacts(tag, "north", "automatic", 2) for tag in ("bm25", "dense")]
    >>> found = compute_board(facts, ["AP"], ["1", "2"], np.array([[[0.2, 0.4]], [[0.3, 0.6]]]), Choice("t", "holm"))
    >>> column = found.board.column("AP")
    >>> column.mean.round(2).tolist(), column.rank_first.tolist(), column.letters
    ([0.3, 0.45], [2, 1], ('a', 'a'))
    """
    choice = _without_absent_baseline(choice, runs)
    best = np.full((len(runs), len(measures)), np.nan) if unjudged_best is None else unjudged_best
    order = np.argsort(np.array(pseudonyms or range(len(runs))), kind="stable").argsort()
    found = [
        _column(measure, values[:, place], best[:, place], runs, choice, order)
        for place, measure in enumerate(measures)
    ]
    n_pairs = len(runs) * (len(runs) - 1) // 2 if len(runs) <= MOST_PAIRED else 0
    p = np.array([of_measure for _, of_measure in found]).reshape(len(measures), n_pairs)
    columns = tuple(column for column, _ in found)
    unjudged = if_unjudged_were_best(values[:, 0], values_if_best, measures[0], choice, p[0])
    return Computed(Board(tuple(runs), tuple(topics), columns, choice, curves, unjudged), p)


def _without_absent_baseline(choice: Choice, runs: Sequence[RunFacts]) -> Choice:
    """The choice that can be carried out: where the baseline is no run of the board any more, all pairs are compared."""
    if not choice.baseline or any(run.tag == choice.baseline for run in runs):
        return choice
    family = ALL_PAIRS if choice.family == BASELINE else choice.family
    return replace(choice, family=family, baseline="", named_before_scores=False)


def pair_place(one: int, other: int, n_runs: int) -> int:
    """The place of a pair of runs in arrays of all pairs.

    >>> all_pairs(4).tolist().index([1, 3]), pair_place(3, 1, 4)
    (4, 4)
    """
    return int(places_of(np.array([[one, other]]), n_runs)[0])


def _column(
    measure: str, values: FloatArray, best: FloatArray, runs: Sequence[RunFacts], choice: Choice, order: IntArray
) -> tuple[Column, FloatArray]:
    parsed = parse_measure(measure)
    definition = parsed.definition
    compared = logarithms(values) if definition.summary == "geometric mean" else values
    means = np.array([summary_of_compared(of_run, definition) for of_run in values])
    baseline = next((place for place, run in enumerate(runs) if run.tag == choice.baseline), None)
    goodness = -means if definition.lower_is_better else means
    pairs = _pairs(np.lexsort((order, *compared.T, -goodness)), runs, choice, baseline)
    tested = _tested(compared, pairs, choice, len(runs))
    low, high = _interval(compared, parsed, choice.level)
    why = choice.why_no_ranks(definition.summary, definition.tells)
    holds = not why and pairs is not None
    stands = _standing(means, tested, 1.0 - choice.level, lower_is_better=definition.lower_is_better, holds=holds)
    column = Column(
        measure=measure,
        summary=definition.summary,
        lower_is_better=definition.lower_is_better,
        mean=means,
        low=low,
        high=high,
        topics=(~np.isnan(values)).sum(axis=1),
        **_ranks_of(stands, holds=holds, ranked=definition.tells == "relevance"),
        **_to_baseline(means, tested, baseline if definition.tells == "relevance" else None),
        unjudged_best=best,
        unjudged_meaning=meaning_of_bounds(parsed),
        resamples=tested.resamples,
        notes=(
            *tested.notes,
            *_disagreements(means, tested, 1.0 - choice.level),
            *stands.notes,
            *_limits_of_tests(tested, runs, choice, why),
        ),
    )
    return column, _of_all_pairs(tested, len(runs)) if len(runs) <= MOST_PAIRED else np.zeros(0)


def _tested(compared: FloatArray, pairs: IntArray | None, choice: Choice, n_runs: int) -> Comparisons:
    # Which run is the best of a team is told by the same values: what holds for all pairs holds for those that they choose.
    chosen = choice.family == BEST_OF_TEAMS and TESTS[choice.test].holds_together
    if pairs is None or (chosen and n_runs > MOST_COMPARED):
        note = f"More than {MOST_COMPARED:,} runs would be compared: they are not tested pair by pair."
        return nothing_compared(choice.test, choice.correction, choice.seed, note)
    drawn: dict[str, Any] = {"seed": choice.seed, "resamples": choice.resamples, "level": choice.level}
    if not chosen:
        return compare(compared, pairs, choice.test, choice.correction, **drawn)
    tested = compare(compared, all_pairs(n_runs), choice.test, choice.correction, **drawn)
    return tested.of_pairs(places_of(pairs, n_runs))


def _standing(means: FloatArray, tested: Comparisons, alpha: float, *, lower_is_better: bool, holds: bool) -> Standing:
    """Ranks of the means; rank sets and letters only where they follow from the tests."""
    return standing(
        means,
        tested.pairs if holds else np.zeros((0, 2), dtype=np.int64),
        tested.p_corrected if holds else np.zeros(0),
        alpha,
        direction=tested.direction if holds else None,
        lower_is_better=lower_is_better,
        lettered=holds and len(means) <= MOST_LETTERED,
    )


def _ranks_of(stands: Standing, *, holds: bool, ranked: bool) -> dict[str, Any]:
    unknown = np.zeros(len(stands.order), dtype=np.int64)
    return {
        "rank_first": stands.rank_first if ranked else unknown,
        "rank_last": stands.rank_last if ranked else unknown,
        "rank_best": stands.best if holds else unknown,
        "rank_worst": stands.worst if holds else unknown,
        "letters": tuple(stands.letters),
    }


def _pairs(best_first: IntArray, runs: Sequence[RunFacts], choice: Choice, baseline: int | None) -> IntArray | None:
    """The pairs of the family, the earlier run first but against a baseline; None of too many runs."""
    if choice.family == BASELINE and baseline is not None:
        return against_baseline(baseline, len(runs))
    family = np.arange(len(runs))
    if choice.family == BEST_OF_TEAMS:
        family = np.array(sorted(_best_of_teams(best_first, runs)), dtype=np.int64)
    return family[all_pairs(len(family))] if len(family) <= MOST_COMPARED else None


def _best_of_teams(best_first: IntArray, runs: Sequence[RunFacts]) -> Iterator[int]:
    """Of each team its first: of the best mean, of equal ones that of the lower values of the last topics, then by pseudonym."""
    seen = set()
    for place in best_first.tolist():
        if runs[place].team not in seen:
            seen.add(runs[place].team)
            yield place


def _limits_of_tests(tested: Comparisons, runs: Sequence[RunFacts], choice: Choice, why_no_ranks: str) -> Iterator[str]:
    if not len(tested.pairs):
        return
    if choice.chosen_by_scores and len({run.team for run in runs}) < len(runs):
        yield CHOSEN_BY_SCORES
    if why_no_ranks and choice.family == ALL_PAIRS:
        yield ranks_do_not_follow(why_no_ranks)


def _to_baseline(means: FloatArray, tested: Comparisons, baseline: int | None) -> dict[str, Any]:
    nothing = np.full(len(means), np.nan)
    if baseline is None:
        towards = np.zeros(len(means), dtype=np.int64)
        return {"difference": nothing, "p": nothing.copy(), "p_corrected": nothing.copy(), "direction": towards}
    p, corrected, direction = nothing.copy(), nothing.copy(), np.zeros(len(means), dtype=np.int64)
    for own, other in ((0, 1), (1, 0)):
        rows = tested.pairs[:, other] == baseline
        p[tested.pairs[rows, own]] = tested.p[rows]
        corrected[tested.pairs[rows, own]] = tested.p_corrected[rows]
        direction[tested.pairs[rows, own]] = tested.direction[rows] * (other - own)
    return {"difference": means - means[baseline], "p": p, "p_corrected": corrected, "direction": direction}


def _disagreements(means: FloatArray, tested: Comparisons, alpha: float) -> tuple[str, ...]:
    """Say of how many pairs the test shows another run to be better than the board's numbers do."""
    apart = np.sign(np.round(means[tested.pairs[:, 0]] - means[tested.pairs[:, 1]], DIGITS))
    count = int(((tested.p_corrected < alpha) & (apart != tested.direction)).sum())
    if not count:
        return ()
    return (f"Of {number_of(count, 'pair')} the test finds a difference that their numbers on the board do not show.",)


def _of_all_pairs(tested: Comparisons, n_runs: int) -> FloatArray:
    p = np.full(n_runs * (n_runs - 1) // 2, np.nan)
    p[places_of(tested.pairs, n_runs)] = tested.p_corrected
    return p


def _interval(compared: FloatArray, measure: Measure, level: float) -> tuple[FloatArray, FloatArray]:
    low, high = interval_of_summary(compared, measure, level)
    known = np.isfinite(low) & np.isfinite(high)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)
