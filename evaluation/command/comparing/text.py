"""Comparisons for a reader at a terminal: a table of runs, and one of pairs."""

import math
from collections.abc import Iterator, Sequence

import numpy as np

from campaign.text.plurals import number_of
from evaluation.boards.unjudged import Unjudged
from evaluation.boards.unjudged import turned as turned_corners
from evaluation.command.comparing.options import CompareArguments
from evaluation.command.comparing.results import Result
from evaluation.engine.arrays import BoolArray, IntArray
from evaluation.engine.significance.corners import AS_JUDGED
from evaluation.engine.significance.declarations import TESTS

Line = Sequence[str]


def lines(results: Sequence[Result], arguments: CompareArguments) -> Iterator[str]:
    for number, result in enumerate(results):
        yield from ("\n",) if number else ()
        yield from _lines(result, arguments)


def p_in_words(p: float) -> str:
    """
    >>> p_in_words(0.0123), p_in_words(0.00001), p_in_words(1.0)
    ('0.0123', '<.0001', '1.0000')
    """
    return "<.0001" if p < 0.0001 else f"{p:.4f}"


def _lines(result: Result, arguments: CompareArguments) -> Iterator[str]:
    n_pairs = len(result.comparisons.pairs)
    counts = ", ".join(
        (number_of(len(result.names), "run"), number_of(result.topics, "topic"), number_of(n_pairs, "comparison"))
    )
    yield f"{result.measure}: {counts}\n"
    yield f"{_test_in_words(result, arguments)}\n"
    for note in result.notes:
        yield f"note: {note}\n"
    yield "\n"
    yield from _table(_runs(result, arguments), left=(1, 4) if result.has_ranks else (1,))
    yield f"{_legend(result, arguments)}\n\n"
    yield from _table(_pairs(result, arguments), left=(0, 1, 7, 8))
    yield f"difference: {_over(result)}; effect: difference / standard deviation of the topics' differences\n"
    if result.equivalence is not None:
        yield f"within {result.margin:g}: two one-sided t-tests, by t and by t adjusted for skewness, Holm-corrected\n"
    if result.unjudged_words:
        yield from _unjudged(result)


def _over(result: Result) -> str:
    """Where a run has no value on some topic, the difference is not that of the means above."""
    whose = "all runs" if TESTS[result.comparisons.test].by_common_topics else "both"
    return f"mean of a minus b over the topics of {whose}" if np.isnan(result.compared.values).any() else "a minus b"


def _test_in_words(result: Result, arguments: CompareArguments) -> str:
    found = result.comparisons
    test = TESTS[found.test]
    drawn = f", {number_of(found.resamples, 'resample')}, seed {found.seed}" if found.resamples else ""
    corrected = "for all compared pairs at once" if test.holds_together else f"correction: {found.correction}"
    return f"test: {test.label}{drawn}; {corrected}; intervals {arguments.confidence:.0%}"


def _runs(result: Result, arguments: CompareArguments) -> Iterator[Line]:
    together = ("group", "rank may be") if result.has_ranks else ()
    against = ("vs baseline",) if result.baseline is not None else ()
    yield ("rank", "run", "mean", "interval", *together, *against)
    found = result.standing
    for run in found.order.tolist():
        sets = (found.letters[run], _range(found.best[run], found.worst[run])) if result.has_ranks else ()
        yield (
            _range(found.rank_first[run], found.rank_last[run]) if result.is_of_quality else "",
            result.names[run],
            f"{result.compared.summaries[run]:.4f}",
            _interval(result.low[run], result.high[run]),
            *sets,
            *((_mark(result, run),) if result.baseline is not None else ()),
        )


def _mark(result: Result, run: int) -> str:
    """How a run compares with the baseline: better, worse (or higher, lower), or nothing shown."""
    if run == result.baseline:
        return "baseline"
    place = result.comparisons.pairs[:, 0].tolist().index(run)
    if not result.shown[place]:
        return "not shown"
    better, worse = result.sides
    return {True: better, False: worse, None: "test and number disagree"}[result.is_better(place)]


def _pairs(result: Result, arguments: CompareArguments) -> Iterator[Line]:
    """The pairs in the order of the ranking, the run of the better mean first; with a baseline it is always the second."""
    within = () if result.equivalence is None else (f"within {result.margin:g}",)
    yield ("a", "b", "difference", "interval", "effect", "p", "corrected", "", *within)
    found = result.comparisons
    pairs, turned, places = _as_ranked(result)
    sign = np.where(turned, -1.0, 1.0)
    low, high = np.where(turned, -found.high, found.low), np.where(turned, -found.low, found.high)
    for place in places:
        one, other = pairs[place].tolist()
        yield (
            result.names[one],
            result.names[other],
            _signed(sign[place] * found.difference[place], 4),
            _interval(low[place], high[place], sign="+"),
            _signed(sign[place] * found.effect_size[place], 2),
            p_in_words(found.p[place]),
            p_in_words(found.p_corrected[place]),
            "*" if result.shown[place] else "",
            *((result.equivalent[place],) if within else ()),
        )


def _as_ranked(result: Result) -> tuple[IntArray, BoolArray, list[int]]:
    """The pairs with the run first that is written first, which of them were turned for that, and their places in order."""
    found, place_of = result.comparisons, np.argsort(result.standing.order)
    turned = (place_of[found.pairs[:, 0]] > place_of[found.pairs[:, 1]]) & (result.baseline is None)
    pairs = np.where(turned[:, np.newaxis], found.pairs[:, ::-1], found.pairs)
    return pairs, turned, np.lexsort((place_of[pairs[:, 1]], place_of[pairs[:, 0]])).tolist()


def _unjudged(result: Result) -> Iterator[str]:
    """Sentences, and the pairs of which something else is shown in any case of what unjudged documents are."""
    yield f"\nUnjudged documents, the highest grade being {result.highest_grade}:\n"
    for sentence in result.unjudged_words:
        yield f"{sentence}\n"
    if result.unjudged is not None and result.unjudged.changed_anywhere.any():
        yield "\n"
        yield from _table(_changed(result, result.unjudged), left=range(6))
        yield f"corrected p, and which run is shown to be {result.sides[0]}\n"


def _changed(result: Result, unjudged: Unjudged) -> Iterator[Line]:
    yield (
        "a",
        "b",
        "as judged",
        "all of the highest grade",
        *(("those of a alone", "those of b alone") * unjudged.has_single),
    )
    pairs, turned, places = _as_ranked(result)
    p, decisions = turned_corners(unjudged.p, unjudged.decisions, turned)
    better = -decisions if result.compared.measure.definition.lower_is_better else decisions
    changed = unjudged.changed_anywhere
    for place in (place for place in places if changed[place]):
        names = [result.names[run] for run in pairs[place].tolist()]
        shown = {1: f": {names[0]}", -1: f": {names[1]}", 0: ""}
        corners = [AS_JUDGED, *unjudged.corners]
        yield (*names, *(p_in_words(p[corner, place]) + shown[int(better[corner, place])] for corner in corners))


def _signed(number: float, digits: int) -> str:
    return "–" if math.isnan(number) else f"{number:+.{digits}f}"


def _legend(result: Result, arguments: CompareArguments) -> str:
    if result.has_ranks:
        return (
            "group: runs that share a letter are not significantly different; rank may be: where the true rank may lie"
        )
    if result.baseline is not None:
        return "vs baseline: by the corrected p" + (
            "" if result.is_of_quality else f"; no ranks: {result.why_no_ranks}"
        )
    return f"no groups and ranks: {result.why_no_ranks}"


def _interval(low: float, high: float, sign: str = "") -> str:
    return f"[{low:{sign}.4f}, {high:{sign}.4f}]" if np.isfinite(low) and np.isfinite(high) else "none"


def _range(first: int, last: int) -> str:
    return f"{first}" if first == last else f"{first}-{last}"


def _table(rows: Iterator[Line], left: Sequence[int]) -> Iterator[str]:
    listed = list(rows)
    widths = [max(map(len, column)) for column in zip(*listed, strict=True)]
    for row in listed:
        cells = (
            cell.ljust(width) if place in left else cell.rjust(width)
            for place, (cell, width) in enumerate(zip(row, widths, strict=True))
        )
        yield "  ".join(cells).rstrip() + "\n"
