"""A board as a table: the runs and columns that the address asks for, as texts and places of marks."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Self

import numpy as np

from campaign.text.natural_order import natural_order
from evaluation.boards.beaten import Beaten
from evaluation.boards.board import Board, Column, RunFacts
from evaluation.boards.computing import MOST_LETTERED
from evaluation.boards.filters import Filters, Option
from evaluation.boards.leader import leader_in_words
from evaluation.boards.measures_in_words import (
    in_percent,
    meaning,
    parameters_in_words,
    ranks_in_words,
    relevance_in_words,
    written,
)
from evaluation.boards.measures_on_scale import is_of_quality, known_measures_of
from evaluation.boards.snapshot import best_first
from evaluation.boards.tests_in_words import CUT, counts_in_words, missed_in_words
from evaluation.engine.arrays import FloatArray, IntArray
from evaluation.engine.significance.groups import MOST_GROUPS
from evaluation.engine.significance.ranges import ANY, possible_range
from evaluation.engine.significance.standing import TOO_MANY_GROUPS

SHOWN_AT_FIRST: Final = 5
"""Measures of a board that are shown unless the address names others: so many fit beside the rest."""
RUNS_ON_A_PAGE: Final = 100
CUTS_INTERVALS: Final = 8
"""The first version of boards whose intervals end where their measure does."""
WELL_JUDGED = 0.8
"""The least share of judged documents among the first 10 of a run with which its score can stand without a warning."""
BETTER, WORSE, SAME, BASELINE = "better", "worse", "not significantly different", "baseline"
DISAGREE = "test and number disagree"


@dataclass(frozen=True, slots=True)
class Interval:
    """Places in percent of the column's width."""

    low: float
    mid: float
    high: float
    label: str


@dataclass(frozen=True, slots=True)
class Cell:
    """`topics`: over how many topics, None for all of the qrels."""

    written: str
    is_best: bool
    topics: int | None


@dataclass(frozen=True, slots=True)
class TableRow:
    """`place`: of the run on the board. `rank`: empty by a measure that does not tell how good a run is. `true_rank`: between
    which its true rank lies; empty where the tests cannot say. `may_be_best`: its true rank may be 1, and not that of every run.
    `is_beaten`: some run is shown to be better. `better_than`: which runs it is shown to be better than; empty where the tests
    cannot say.

    `unjudged`: the number if all unjudged documents were of the highest grade. `to_baseline`: one of the words of this module.
    """

    place: int
    tag: str
    team: str
    kind: str
    rank: str
    true_rank: str
    may_be_best: bool
    is_beaten: bool
    better_than: str
    main: Cell
    interval: Interval | None
    unjudged: str
    to_baseline: str
    p: float | None
    others: list[Cell]
    judged: str
    topics_answered: int


@dataclass(frozen=True, slots=True)
class BoardTable:
    """`runs`: places of all runs that the filters keep, in the order shown; `rows`: those of the page. `why_no_ranks`: why
    rank intervals, which the board may have been published with, do not follow from its tests; empty where they do. `margin`: of
    equivalence, in words; empty where none was named. `judged`: the lowest and highest share of judged documents among the first
    10 of a run, over all runs of the board; None if unknown. `leader`: who is first, and whether that is shown; or empty.
    `intervals_are_cut`: to the range of the measure, by what the board was stored with.
    """

    column: Column
    measures: list[str]
    shown: list[str]
    other_measures: list[tuple[str, str]]
    sort: str
    runs: IntArray
    rows: list[TableRow]
    scale: tuple[float, float]
    reference: float
    filters: Filters
    options: list[Option]
    judged: tuple[float, float] | None
    topics: int
    tests: Mapping[str, Any]
    why_no_ranks: str
    margin: str
    leader: str
    intervals_are_cut: bool

    @classmethod
    def of(
        cls, board: Board, query: Mapping[str, str], tests: Mapping[str, Any], shown: Sequence[str] = (), page: int = 1
    ) -> Self:
        """`query` is the address's: measure (whose interval is shown), sort (measure, tag, team; `-` descending), filters.

        `shown`: the measures that are columns, in the order of the board; `page` from 1, another number is the
        last. Filters come before all else.
        """
        measure = query.get("measure", "")
        measure = measure if measure in board.measures else board.measures[0]
        columns = [name for name in board.measures if name in shown] or board.measures[:SHOWN_AT_FIRST]
        filters = Filters.of(board, query)
        sort = query.get("sort", "")
        if sort.removeprefix("-") not in {*board.measures, "tag", "team"}:
            sort = f"-{measure}"
        runs = _sorted(board, np.flatnonzero(filters.kept(board, measure)), sort)
        column = board.shown_column(measure)
        others = [name for name in columns if name != measure]
        scale = _scale(column)
        why_no_ranks = board.choice.why_no_ranks(column.summary)
        return cls(
            column=column,
            measures=board.measures,
            shown=[name for name in board.measures if name in (*columns, measure)],
            other_measures=[(name, meaning(name)) for name in others],
            sort=sort,
            runs=runs,
            rows=_rows(board, column, [board.column(name) for name in others], _on_page(runs, page), scale),
            scale=scale,
            reference=_percent(_best(column), scale),
            filters=filters,
            options=filters.options(board),
            judged=judged_range(board.runs),
            topics=len(board.topics),
            tests=tests,
            why_no_ranks=why_no_ranks,
            margin="" if board.choice.margin is None else board.choice.margin_in_words,
            leader="" if why_no_ranks else leader_in_words(column, [run.tag for run in board.runs]),
            intervals_are_cut=board.version >= CUTS_INTERVALS and CUT in tests.get("interval", ""),
        )

    @property
    def measure(self) -> str:
        return self.column.measure

    @property
    def summary(self) -> str:
        return self.column.summary

    @property
    def meaning(self) -> str:
        return meaning(self.measure)

    @property
    def is_of_quality(self) -> bool:
        return is_of_quality(self.measure)

    @property
    def terms(self) -> list[str]:
        return parameters_in_words(self.measure)

    @property
    def terms_of_others(self) -> str:
        return relevance_in_words([name for name, _ in self.other_measures])

    @property
    def missed(self) -> str:
        return missed_in_words(self.measure)

    @property
    def left_out(self) -> bool:
        """Whether the measure is averaged over the topics that a run answers."""
        return bool((self.column.topics != self.topics).any())

    @property
    def tested(self) -> str:
        """The tests in words."""
        return str(self.tests["in_words"])

    @property
    def not_counted(self) -> list[str]:
        """The topics that enter no mean and no test, and why."""
        return counts_in_words(self.tests)

    @property
    def not_ranked(self) -> list[Mapping[str, Any]]:
        """Valid runs that do not stand on the board: tag and team, both empty on a board without names, and why."""
        found: list[Mapping[str, Any]] = self.tests.get("runs_not_ranked", [])
        return found

    @property
    def notes(self) -> tuple[str, ...]:
        """What was decided of the tests by this measure, such as more resamples than usual."""
        return self.column.notes

    @property
    def baseline(self) -> str:
        return str(self.tests.get("baseline", "")) if self.has_baseline else ""

    @property
    def baseline_in_time(self) -> bool:
        return bool(self.tests.get("named_before_scores"))

    @property
    def has_teams(self) -> bool:
        return any(option.name == "team" for option in self.options)

    @property
    def has_letters(self) -> bool:
        return any(self.column.letters)

    @property
    def tells_better_than(self) -> bool:
        """Whether rows say which runs a run is shown to be better than, at the level of the tests."""
        return self.has_true_ranks and not self.why_no_ranks

    @property
    def why_only_numbers(self) -> str:
        """Why rows say how many runs they are shown to be better than, not which, in a sentence; else empty."""
        if not self.has_true_ranks or self.has_letters:
            return ""
        least = f"{MOST_GROUPS} groups of runs" if TOO_MANY_GROUPS in self.notes else f"{MOST_LETTERED} runs"
        return f"Rows say how many, not which: there are more than {least}."

    @property
    def has_intervals(self) -> bool:
        return bool(np.isfinite(self.column.low).any())

    @property
    def below_score(self) -> str:
        """What stands first under a score on a phone, where columns have no room; the rest says itself what it is."""
        named = ["interval"] * self.has_intervals + ["tests"] * self.tells_better_than
        return f"95 % {', '.join(named)}" if named else ""

    @property
    def has_true_ranks(self) -> bool:
        return bool((self.column.rank_best > 0).any())

    @property
    def little_judged(self) -> str:
        """The range of shares in words where some run has so little judged that its score says little; empty otherwise."""
        if self.judged is None or is_well_judged(self.judged[0]):
            return ""
        return range_in_percent(self.judged)

    @property
    def has_unjudged(self) -> bool:
        best = self.column.unjudged_best
        return bool((np.isfinite(best) & (np.round(best - self.column.mean, 4) != 0)).any())

    @property
    def has_baseline(self) -> bool:
        return bool(np.isfinite(self.column.difference).any())


def _on_page(runs: IntArray, page: int) -> IntArray:
    last = max(1, -(-len(runs) // RUNS_ON_A_PAGE))
    page = page if 1 <= page <= last else last
    return runs[(page - 1) * RUNS_ON_A_PAGE : page * RUNS_ON_A_PAGE]


def is_well_judged(share: float) -> bool:
    """Whether so much is judged that scores say something: by the share as it is written, in tenths of a percent.

    >>> is_well_judged(0.7996), is_well_judged(0.7994)
    (True, False)
    """
    return round(share, 3) >= WELL_JUDGED


def range_in_percent(judged: tuple[float, float]) -> str:
    """The lowest and the highest share in words.

    >>> range_in_percent((0.5, 1.0)), range_in_percent((0.5, 0.5))
    ('50.0 % to 100.0 %', '50.0 %')
    """
    low, high = map(in_percent, judged)
    return low if low == high else f"{low} to {high}"


def judged_range(runs: Iterable[RunFacts]) -> tuple[float, float] | None:
    """The lowest and the highest share, in [0, 1], of judged documents among the first 10 of these runs; None if unknown.

    >>> judged_range(RunFacts(tag, "Alba", "manual", 50, unjudged) for tag, unjudged in (("a", 0.25), ("b", 0.5), ("c", None)))
    (0.5, 0.75)
    """
    unjudged = [run.unjudged for run in runs if run.unjudged is not None]
    return (1 - max(unjudged), 1 - min(unjudged)) if unjudged else None


def _rows(
    board: Board, column: Column, others: list[Column], runs: IntArray, scale: tuple[float, float]
) -> list[TableRow]:
    best = {of_measure.measure: _best(of_measure) for of_measure in (column, *others)}
    topics, all_may_be_best, beaten = len(board.topics), bool((column.rank_best == 1).all()), Beaten(column)
    return [
        TableRow(
            place=run,
            tag=(facts := board.runs[run]).tag,
            team=facts.team,
            kind=facts.kind,
            rank=ranks_in_words(int(column.rank_first[run]), int(column.rank_last[run])),
            true_rank=ranks_in_words(int(column.rank_best[run]), int(column.rank_worst[run])),
            may_be_best=bool(column.rank_best[run] == 1) and not all_may_be_best,
            is_beaten=bool(column.rank_best[run] > 1),
            better_than=beaten.in_words(run) if column.rank_best[run] else "",
            main=_cell(column, run, best, topics),
            interval=_interval(column, run, scale),
            unjudged=_unjudged(column, run),
            to_baseline=_to_baseline(column, run, board.choice.level),
            p=float(column.p_corrected[run]) if np.isfinite(column.p_corrected[run]) else None,
            others=[_cell(other, run, best, topics) for other in others],
            judged="" if facts.unjudged is None else in_percent(1 - facts.unjudged),
            topics_answered=facts.topics_answered,
        )
        for run in runs.tolist()
    ]


def _cell(column: Column, run: int, best: Mapping[str, float], topics: int) -> Cell:
    mean, over = float(column.mean[run]), int(column.topics[run])
    is_best = is_of_quality(column.measure) and round(mean, 12) == round(best[column.measure], 12)
    return Cell(written(mean, column.summary), is_best, None if over == topics else over)


def _unjudged(column: Column, run: int) -> str:
    if not np.isfinite(column.unjudged_best[run]):
        return ""
    best, mean = (
        written(float(column.unjudged_best[run]), column.summary),
        written(float(column.mean[run]), column.summary),
    )
    return "" if best == mean else best


def _to_baseline(column: Column, run: int, level: float) -> str:
    difference, p = column.difference[run], column.p_corrected[run]
    if not np.isfinite(difference):
        return ""
    if not np.isfinite(p):
        return BASELINE if difference == 0 else ""
    if p >= 1 - level:
        return SAME
    return {True: BETTER, False: WORSE, None: DISAGREE}[column.better_than_baseline(run, level)]


def _sorted(board: Board, runs: IntArray, sort: str) -> IntArray:
    key, descending = sort.removeprefix("-"), sort.startswith("-")
    if key in ("tag", "team"):
        names = [(natural_order(run.team) if key == "team" else (), natural_order(run.tag)) for run in board.runs]
        return np.array(sorted(runs.tolist(), key=lambda run: names[run], reverse=descending), dtype=np.int64)
    order = best_first(board, key)
    kept = order[np.isin(order, runs)]
    return kept if descending else kept[::-1]


def _best(column: Column) -> float:
    return float(column.mean.min() if column.lower_is_better else column.mean.max())


def _scale(column: Column) -> tuple[float, float]:
    low = float(np.where(np.isfinite(column.low), column.low, column.mean).min())
    high = float(np.where(np.isfinite(column.high), column.high, column.mean).max())
    if high > low:
        return low, high
    ends = [possible_range(known) for known in known_measures_of([column.measure])] or [ANY]
    return max(low - 0.5, ends[0][0]), min(high + 0.5, ends[0][1])


def _interval(column: Column, run: int, scale: tuple[float, float]) -> Interval | None:
    ends: FloatArray = np.array([column.low[run], column.mean[run], column.high[run]])
    if not np.isfinite(ends).all():
        return None
    low, mid, high = (_percent(value, scale) for value in ends.tolist())
    return Interval(low, mid, high, f"{column.low[run]:.4f} to {column.high[run]:.4f}")


def _percent(value: float, scale: tuple[float, float]) -> float:
    low, high = scale
    return round(100 * (value - low) / (high - low), 2)
