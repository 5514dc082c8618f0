"""What changed between two published boards: runs, ranks, scores, measures, tests."""

from collections.abc import Sequence
from dataclasses import dataclass

from campaign.words import listed, number_of
from evaluation.boards.board import Board
from evaluation.boards.choice import changes_in_words
from evaluation.boards.measures_in_words import ranks_in_words, written
from evaluation.boards.snapshot import best_first


@dataclass(frozen=True, slots=True)
class ChangedRun:
    """Ranks and numbers as boards write them; empty where the run is not on that board. `state`: new, gone, moved or same."""

    tag: str
    team: str
    state: str
    rank_before: str
    rank: str
    value_before: str
    value: str


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
        said.append(f"Topics: {len(after.topics)}, before {len(before.topics)}.")
    said += [f"{change[0].upper()}{change[1:]}." for change in changes_in_words(before.choice, after.choice)]
    return said


def changed_runs(before: Board, after: Board, measure: str) -> list[ChangedRun]:
    """Every run of either board by a measure that both have: those of the newer one by rank, then those that are gone.

    >>> from evaluation.boards.choice import Choice
    >>> changed_runs(Board((), (), (), Choice()), Board((), (), (), Choice()), "AP")
    []
    """
    if measure not in before.measures or measure not in after.measures:
        return []
    rows = []
    for place in best_first(after, measure).tolist():
        run = after.runs[place]
        rank, value = _standing(after, measure, place)
        earlier = before.index(run.tag)
        rank_before, value_before = ("", "") if earlier is None else _standing(before, measure, earlier)
        state = "new" if earlier is None else "same" if (rank, value) == (rank_before, value_before) else "moved"
        rows.append(ChangedRun(run.tag, run.team, state, rank_before, rank, value_before, value))
    for place in best_first(before, measure).tolist():
        run = before.runs[place]
        if after.index(run.tag) is None:
            rank_before, value_before = _standing(before, measure, place)
            rows.append(ChangedRun(run.tag, run.team, "gone", rank_before, "", value_before, ""))
    return rows


def _standing(board: Board, measure: str, place: int) -> tuple[str, str]:
    column = board.column(measure)
    rank = ranks_in_words(int(column.rank_first[place]), int(column.rank_last[place]))
    return rank, written(float(column.mean[place]), column.summary)


def _named(names: Sequence[str], noun: str) -> list[str]:
    return [f"{number_of(len(names), noun)}: {listed(names)}."] if names else []
