"""The two runs that an address names, and their ranked lists."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import polars as pl

from campaign.formats.runs.table import ordered_columns, ranked
from campaign.models import Document, Run
from campaign.runs.selectors.reading import run_table
from evaluation.analysis.compare.figures import PairTests, TwoRuns, costs, losses, pair_tests, side_by_side, two_runs
from evaluation.analysis.pairwise_tests.selectors import alpha_of, is_shown_better
from evaluation.boards.computing import pair_place
from evaluation.boards.snapshot import best_first
from evaluation.engine.measures.names.registry import parse_measure
from evaluation.engine.significance.ranges import most_apart
from evaluation.selectors.board_views import BoardView
from evaluation.selectors.task_measures import curve_settings
from judging.qrels.selectors.releases import released_table

COSTLY = 10
LISTED, MOST_LISTED = 20, 100


@dataclass(frozen=True, eq=False)
class Compared:
    """`a`, `b`: places on the board. `p_corrected`: by the board's own tests, None where it did not test this pair."""

    seen: BoardView
    measure: str
    a: int
    b: int
    runs: TwoRuns
    tests: PairTests
    p_corrected: float | None

    @property
    def tags(self) -> tuple[str, str]:
        return self.seen.board.runs[self.a].tag, self.seen.board.runs[self.b].tag

    @cached_property
    def side(self) -> str:
        """What the board shows a to be than b, such as better or worse; empty where it shows no difference."""
        is_better = is_shown_better(self.seen, self.measure, (self.a, self.b))
        column = self.seen.board.shown_column(self.measure)
        return "" if is_better is None else column.sides[0 if is_better else 1]

    @property
    def is_contradictory(self) -> bool:
        """Whether p is small enough, and the means are equal or say the opposite of what the test goes by."""
        return self.p_corrected is not None and self.p_corrected < alpha_of(self.seen.board) and not self.side


@dataclass(frozen=True, slots=True)
class ListedDocument:
    """`here`: its position; `there`: that in the other run, None where that does not retrieve it."""

    here: int
    there: int | None
    docno: str
    title: str
    grade: int | None


@dataclass(frozen=True, slots=True)
class CostlyDocument:
    docno: str
    title: str
    grade: int
    a: int | None
    b: int | None
    gain: float


@dataclass(frozen=True, slots=True)
class Lists:
    """`a`, `b`: None where the reader may not see the lines of the run.

    `costly`: where both are open, relevant documents by what they bring to a more; where one is, by what they would bring to it.
    """

    a: list[ListedDocument] | None
    b: list[ListedDocument] | None
    costly: list[CostlyDocument]
    has_more: bool


def compared_runs(seen: BoardView, query: Mapping[str, str]) -> Compared | None:
    """The runs that the address names, else the two best, the second of them one of the reader's own; None with one run only."""
    board = seen.board
    if len(board.runs) < 2:
        return None
    measure = seen.measure(query.get("measure", ""))
    order: list[int] = best_first(board, measure).tolist()
    a = board.index(query.get("a", ""))
    a = order[0] if a is None else a
    b = board.index(query.get("b", ""))
    if b is None:
        others = [run for run in order if run != a]
        own = set() if seen.organises else set(seen.places_open)
        b = next((run for run in others if run in own), others[0])
    values = seen.values_by(measure)
    column = board.column(measure)
    p_of_pairs = seen.p_of_pairs(measure)
    p = float(p_of_pairs[pair_place(a, b, len(board.runs))]) if a != b and len(p_of_pairs) else float("nan")
    return Compared(
        seen=seen,
        measure=measure,
        a=a,
        b=b,
        runs=two_runs(values, a, b, lower_is_better=column.lower_is_better),
        tests=pair_tests(values[a], values[b], board.choice.seed, most_apart(parse_measure(measure))),
        p_corrected=p if p == p else None,
    )


def topic_lists(compared: Compared, topic: str, depth: int) -> Lists:
    """The first documents of both runs for a topic, and the relevant ones that made the largest difference."""
    seen = compared.seen
    places = (compared.a, compared.b)
    runs_open = seen.runs_open(places)
    lists = [_list(seen, runs_open.get(place), topic) for place in places]
    grades = (
        released_table(seen.qrels, "overall").filter(pl.col("topic") == topic)
        if "overall" in seen.qrels.files and seen.shows_judgments
        else None
    )
    judged = pl.DataFrame(schema={"docno": pl.String, "grade": pl.Int32}) if grades is None else grades
    nothing = pl.DataFrame(schema={"docno": pl.String, "position": pl.UInt32})
    first, second = (nothing if of_run is None else of_run for of_run in lists)
    pairs = side_by_side(first, second, judged)
    costly = _costly(pairs, [name for name, of_run in zip("ab", lists, strict=True) if of_run is not None], seen)
    shown = pairs.filter((pl.col("a") <= depth) | (pl.col("b") <= depth))
    docnos = [*shown["docno"].to_list(), *costly["docno"].to_list()]
    titles = _titles(seen, docnos)
    return Lists(
        a=None if lists[0] is None else _listed(pairs, "a", "b", depth, titles),
        b=None if lists[1] is None else _listed(pairs, "b", "a", depth, titles),
        costly=[CostlyDocument(docno, titles.get(docno, ""), *rest) for docno, *rest in costly.rows()],
        has_more=depth < MOST_LISTED and len(pairs.filter((pl.col("a") > depth) | (pl.col("b") > depth))) > 0,
    )


def _costly(pairs: pl.DataFrame, open_lists: list[str], seen: BoardView) -> pl.DataFrame:
    lowest = seen.task.lowest_relevant_grade
    if not open_lists:
        return pairs.head(0).with_columns(gain=pl.lit(0.0))
    gain = curve_settings(seen.task, seen.qrels).gain
    found = costs(pairs, lowest, gain) if len(open_lists) == 2 else losses(pairs, open_lists[0], lowest, gain)
    return found.head(COSTLY)


def _list(seen: BoardView, run: Run | None, topic: str) -> pl.DataFrame | None:
    if run is None:
        return None
    table = run_table(run, ordered_columns(seen.ordering)).filter(pl.col("topic") == topic)
    return ranked(table, seen.ordering).select("docno", "position")


def _listed(pairs: pl.DataFrame, here: str, there: str, depth: int, titles: Mapping[str, str]) -> list[ListedDocument]:
    rows = pairs.filter(pl.col(here) <= depth).sort(here).select(here, there, "docno", "grade").rows()
    return [ListedDocument(place, other, docno, titles.get(docno, ""), grade) for place, other, docno, grade in rows]


def _titles(seen: BoardView, docnos: list[str]) -> dict[str, str]:
    if not seen.opens_documents:
        return {}
    found = Document.objects.filter(collection=seen.task.collection_id, docno__in=docnos)
    return dict(found.values_list("docno", "title"))
