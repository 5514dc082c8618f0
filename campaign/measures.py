"""What the settings of a task and of its pools need to know about measures.

Measures belong to a later app, which campaign does not import: `evaluation/apps.py` registers its answers here.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from campaign.models import Task


@dataclass(frozen=True, slots=True)
class MeasureChoice:
    """Names that differ in the rank cut-off alone, with what they mean in one sentence."""

    names: tuple[str, ...]
    meaning: str


@dataclass(frozen=True, slots=True)
class MeasureFamily:
    title: str
    choices: tuple[MeasureChoice, ...]
    needs_subtopics: bool = False


@dataclass(frozen=True, slots=True)
class MeasureAnswers:
    """`problems`: what is wrong with names of measures for the board of a task of this lowest relevant grade, one sentence
    each, with what is meant.

    `pool_cautions`: what to say of the task's measures if a pool is judged that holds all documents of its runs down to a
    depth (0 for none) and is sampled so that estimators read the "stratum" or the "probability" of each document ("" where
    it is no sample); for the depth None: of the task's latest pool.
    `live_board_problem`: why a live board of the task would tell what a published board hides; empty if it would not.
    `told_by_live_board`: which boards without names hide nothing any more once the task has a live board, in sentences.
    `need_nonrelevant`: names of the task's measures that mean nothing by qrels which hold relevant documents only.
    `published_in_words`: who sees which scores by the leaderboards that are published, in sentences; none before the first.
    `has_scores`: whether runs of the task have been scored, so that somebody may have seen the scores.
    `families`: the measures that boards usually show, for organisers to choose from.
    `by_subtopic`: those of the names whose measures are computed from judgments of subtopics.
    """

    problems: Callable[[Sequence[str], int], list[str]]
    pool_cautions: Callable[[Task, int | None, str], list[str]]
    has_scores: Callable[[Task], bool]
    live_board_problem: Callable[[Task], str]
    told_by_live_board: Callable[[Task], list[str]]
    need_nonrelevant: Callable[[Task], list[str]]
    published_in_words: Callable[[Task], list[str]]
    families: Callable[[], tuple[MeasureFamily, ...]]
    by_subtopic: Callable[[Sequence[str]], list[str]]


_answers: list[MeasureAnswers] = []


def answer_with(answers: MeasureAnswers) -> None:
    _answers[:] = [answers]


def measure_answers() -> MeasureAnswers:
    [answers] = _answers
    return answers
