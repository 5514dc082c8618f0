"""What changes: runs, ranks, scores, measures and tests between two published boards; means and ranks by removed topics."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from campaign.text.plurals import listed, number_of
from evaluation.boards.board import Board
from evaluation.boards.choice import changes_in_words
from evaluation.boards.measures_in_words import ranks_in_words, written
from evaluation.boards.measures_on_scale import is_of_quality
from evaluation.boards.snapshot import best_first
from evaluation.engine.arrays import FloatArray
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.missing_topics import summary_of_compared
from evaluation.engine.significance.standing import DIGITS


@dataclass(frozen=True, slots=True)
class ChangedRun:
    """Ranks as boards write them, empty where the run is not on that board; numbers, None there and where they do not compare.

    `state`: new, gone, moved or same; "on both" where the numbers of the boards do not compare.
    """

    tag: str
    team: str
    state: str
    rank_before: str
    rank: str
    value_before: float | None
    value: float | None
    summary: str

    @property
    def written_before(self) -> str:
        return "" if self.value_before is None else written(self.value_before, self.summary)

    @property
    def written(self) -> str:
        return "" if self.value is None else written(self.value, self.summary)


def boards_compare(before: Board, after: Board, *, same_qrels: bool) -> bool:
    """Whether the means of a run on both boards are over the same topics and by the same qrels.

    >>> from evaluation.boards.choice import Choice
    >>> boards = [Board((), topics, (), Choice()) for topics in (("1", "2"), ("1", "2"), ("1", "3"))]
    >>> [boards_compare(boards[0], later, same_qrels=True) for later in boards[1:]]
    [True, False]
    """
    return same_qrels and before.topics == after.topics


def board_changes(before: Board, after: Board, *, same_qrels: bool) -> list[str]:
    """The changes in sentences; empty where nothing changed but the note.

    >>> from evaluation.boards.board import RunFacts
    >>> from evaluation.boards.choice import Choice
    >>> boards = [Board(tuple(RunFacts(tag, "t", "manual", 1) for tag in tags), ("1",), (), Choice()) for tags in ("a", "ab")]
    >>> board_changes(*boards, same_qrels=True)
    ['1 run is new: b.']
    """
    said = []
    if not same_qrels:
        said.append(
            "The qrels are others: the scores of a run on both boards cannot be compared, a difference is no gain."
        )
    old, new = [run.tag for run in before.runs], [run.tag for run in after.runs]
    said += _named([tag for tag in new if tag not in old], "run is new,runs are new")
    said += _named([tag for tag in old if tag not in new], "run is gone,runs are gone")
    said += _named([name for name in after.measures if name not in before.measures], "measure is new,measures are new")
    said += _named(
        [name for name in before.measures if name not in after.measures], "measure is gone,measures are gone"
    )
    if before.topics != after.topics:
        said.append(
            f"{_topics_in_words(before, after)} The means of a run on both boards are over different topics: they do not compare."
        )
    said += [f"{change[0].upper()}{change[1:]}." for change in changes_in_words(before.choice, after.choice)]
    return said


def changed_runs(before: Board, after: Board, measure: str, *, same_qrels: bool) -> list[ChangedRun]:
    """Every run of either board by a measure that both have: those of the newer one by rank, then those that are gone.

    Where the boards do not compare the numbers of the one before are left out, and no run is said to have moved or to be the
    same.

    >>> from evaluation.boards.choice import Choice
    >>> changed_runs(Board((), (), (), Choice()), Board((), (), (), Choice()), "AP", same_qrels=True)
    []
    """
    if measure not in before.measures or measure not in after.measures:
        return []
    summary = after.column(measure).summary
    comparable = boards_compare(before, after, same_qrels=same_qrels)
    rows = []
    for place in best_first(after, measure).tolist():
        run = after.runs[place]
        rank, value = _standing(after, measure, place)
        earlier = before.index(run.tag)
        rank_before, value_before = ("", None) if earlier is None else _standing(before, measure, earlier)
        is_same = (rank, written(value, summary)) == (rank_before, written(value_before or 0.0, summary))
        on_both = ("same" if is_same else "moved") if comparable else "on both"
        state = "new" if earlier is None else on_both
        shown = value_before if comparable else None
        rows.append(ChangedRun(run.tag, run.team, state, rank_before, rank, shown, value, summary))
    for place in best_first(before, measure).tolist():
        run = before.runs[place]
        if after.index(run.tag) is None:
            rank_before, value_before = _standing(before, measure, place)
            shown = value_before if comparable else None
            rows.append(ChangedRun(run.tag, run.team, "gone", rank_before, "", shown, None, summary))
    return rows


def _standing(board: Board, measure: str, place: int) -> tuple[str, float]:
    column = board.column(measure)
    ranks = (int(column.rank_first[place]), int(column.rank_last[place])) if is_of_quality(measure) else (0, 0)
    return ranks_in_words(*ranks), float(column.mean[place])


def _topics_in_words(before: Board, after: Board) -> str:
    """With as many topics, others."""
    new = len(set(after.topics) - set(before.topics))
    others = f", {new} of them new" if new else ""
    return f"Topics: {len(after.topics)}{others}, before {len(before.topics)}."


def _named(names: Sequence[str], noun: str) -> list[str]:
    return [f"{number_of(len(names), noun)}: {listed(names)}."] if names else []


def with_and_without(values: FloatArray, counting: int, measure: str) -> list[dict[str, Any]]:
    """Compute them run by run. `values`: float64 (n_runs, n_topics), the first `counting` topics are those that count.

    >>> with_and_without(np.array([[0.5, 0.0], [0.25, 1.0]]), 1, "AP")[0]
    {'mean_without': 0.5, 'rank_without': 1, 'mean_with': 0.25, 'rank_with': 2}
    """
    definition = parse_measure(measure).definition
    without = np.array([summary_of_compared(row[:counting], definition) for row in values])
    of_all = np.array([summary_of_compared(row, definition) for row in values])
    ranks = [_ranks(means, lower_is_better=definition.lower_is_better) for means in (without, of_all)]
    return [
        {
            "mean_without": float(without[run]),
            "rank_without": int(ranks[0][run]),
            "mean_with": float(of_all[run]),
            "rank_with": int(ranks[1][run]),
        }
        for run in range(len(values))
    ]


def _ranks(means: FloatArray, *, lower_is_better: bool) -> FloatArray:
    """The best rank that each mean shares."""
    goodness = np.round(-means if lower_is_better else means, DIGITS)
    ranks: FloatArray = 1 + (goodness[np.newaxis] > goodness[:, np.newaxis]).sum(axis=1)
    return ranks
