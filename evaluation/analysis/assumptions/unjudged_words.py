"""PURE: what unjudged documents could change of the tests of a board, in sentences."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from campaign.text.plurals import number_of
from evaluation.boards.unjudged import MOST_RUNS, Unjudged
from evaluation.engine.significance.corners import BOTH

if TYPE_CHECKING:  # slow to load: the command reads no boards
    from evaluation.boards.board import Board


def if_unjudged_were_best_in_words(board: Board, measure: str) -> Iterator[str]:
    """Sentences about the tests by the board's first measure; by another measure, which one that is.

    >>> import numpy as np
    >>> from evaluation.boards.computing import Choice, RunFacts, compute_board
    >>> runs = [RunFacts(tag, "north", "automatic", 2) for tag in ("bm25", "dense")]
    >>> computed = compute_board(runs, ["AP"], ["1", "2"], np.array([[[0.5, 0.4]], [[0.2, 0.6]]]), Choice())
    >>> list(if_unjudged_were_best_in_words(computed.board, "P@5"))
    ['What they would change is told by the first measure only: AP.']
    """
    first = board.columns[0]
    yield from unjudged_in_words(board.unjudged, measure, first.measure, first.unjudged_meaning, len(board.runs))


def unjudged_in_words(unjudged: Unjudged | None, measure: str, first: str, meaning: str, n_runs: int) -> Iterator[str]:
    """The same of runs that are compared by several measures, of which `first` is the first one, with its `meaning_of_bounds`.

    >>> list(unjudged_in_words(None, "bpref", "bpref", "none", 3))
    ['bpref does not take them for not relevant: there is no number for the case that they are.']
    """
    if measure != first:
        yield f"What they would change is told by the first measure only: {first}."
    elif unjudged is not None:
        yield from _told(unjudged, measure)
        if meaning == "scenarios":
            yield f"By {measure} these are scenarios: it can also change by relevant documents that a run did not retrieve."
    elif meaning == "none":
        yield f"{measure} does not take them for not relevant: there is no number for the case that they are."
    elif n_runs > MOST_RUNS:
        yield f"What they would change is told of at most {MOST_RUNS} runs."
    else:
        yield (
            "What they would change is not known: no pair is tested, or the values that runs would have with them were not kept "
            "by topic, as in version 1.0."
        )


def _told(unjudged: Unjudged, measure: str) -> Iterator[str]:
    if not unjudged.changes_values:
        yield f"If all of them had the highest grade, no value by {measure} would change, and p would be the same."
        return
    n_both, n_any = int(unjudged.changed[BOTH].sum()), int(unjudged.changed_anywhere.sum())
    n_tested = int(unjudged.tested.sum())
    pairs = number_of(n_tested, "tested pair")
    yield f"If all of them had the highest grade, the result of {n_both:,} of {pairs} would change."
    if not unjudged.has_single:
        yield "By this test it is not computed for so many pairs what those of one run alone would change."
        return
    yield (
        f"There are four cases: none of them has it, all have it, or those of one of the two runs alone. The result of {n_any:,} "
        f"changes in at least one case; that of {n_tested - n_any:,} is the same in all four."
    )
    yield (
        "In the cases of one run alone, documents that both runs retrieved "
        "count for one of them only, which no judgments can bring about: fewer pairs may depend on them. "
        "And between the four cases, where some documents of a run are relevant and others are not, p can be "
        "larger than in all of them: they are no bounds of p."
    )
