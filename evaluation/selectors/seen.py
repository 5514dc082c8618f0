"""A board as its reader sees it: the working one, a published snapshot, or a preview of one."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from django.http import Http404

from campaign.formats.runs.ordering import Ordering
from campaign.models import Run, Task, Visitor
from evaluation.boards.audiences import PUBLIC
from evaluation.boards.board import Board
from evaluation.boards.own import own_board, values_of_all
from evaluation.boards.stored import p_of, values_of
from evaluation.engine.arrays import FloatArray
from evaluation.models import Leaderboard
from evaluation.selectors.boards import content_of, stored_board
from judging.models import Qrels

ANALYSIS_PAGES: Final = [
    ("compare", "Compare"),
    ("topics", "Topics"),
    ("pairs", "Pairwise tests"),
    ("heatmap", "Heatmap"),
    ("measures", "Measure correlation"),
    ("curves", "Curves"),
    ("efficiency", "Efficiency"),
    ("reliability", "Reliability"),
]


@dataclass(frozen=True, eq=False)
class SeenBoard:
    """`leaderboard`: None for the working board, which only organisers see. `board`: holds what the reader may see, and no more.

    `run_ids`: of the board's runs in their order, None where the run is not known any more. `tests`: what is said of tests and
    means. `key`: names the content, for caches of what is made from it. `only_own`: the runs of the reader's teams and nothing of
    others but `values_of_all_by`. `preview`: the audience that an organiser looks at the board as, before it is published;
    `exported` gives the JSON that publishing would store. `live`: the board that everybody sees before anything is published.
    """

    task: Task
    reader: Visitor
    leaderboard: Leaderboard | None
    board: Board
    qrels: Qrels
    ordering: Ordering
    tests: Mapping[str, Any]
    key: str
    run_ids: list[int | None]
    organises: bool
    only_own: bool = field(default=False, kw_only=True)
    preview: str = field(default="", kw_only=True)
    live: bool = field(default=False, kw_only=True)
    _values: Callable[[], FloatArray] = field(repr=False)
    _p_of_pairs: Callable[[], FloatArray] = field(repr=False)
    exported: Callable[[], str] = field(default=str, repr=False, kw_only=True)
    _values_of_all: Callable[[], FloatArray] | None = field(default=None, repr=False, kw_only=True)

    @cached_property
    def values(self) -> FloatArray:
        """Values by topic: float64 (n_runs, n_measures, n_topics), NaN for a topic that is left out."""
        return self._values()

    def values_by(self, measure: str) -> FloatArray:
        """Values by one measure: float64 (n_runs, n_topics)."""
        return self.values[:, self.board.measures.index(measure)]

    def values_of_all_by(self, measure: str) -> FloatArray:
        """Values by one measure of all runs, from which lowest, median and highest are told: float64 (n_all_runs, n_topics)."""
        return self._all_values[:, self.board.measures.index(measure)]

    @cached_property
    def _all_values(self) -> FloatArray:
        return self.values if self._values_of_all is None else self._values_of_all()

    @property
    def shows_judgments(self) -> bool:
        """Whether the reader may see grades of documents."""
        return self.organises or self.qrels.published_at is not None or self.preview == PUBLIC

    def p_of_pairs(self, measure: str) -> FloatArray:
        """Corrected p in the order of `all_pairs`: float64 (n_pairs,); NaN for pairs that were not tested.

        Empty for a board of so many runs that none are kept.
        """
        of_measure: FloatArray = self._all_p[self.board.measures.index(measure)]
        return of_measure

    @cached_property
    def _all_p(self) -> FloatArray:
        return self._p_of_pairs()

    @cached_property
    def runs_open(self) -> dict[int, Run]:
        """The runs of the board whose lines and metadata the reader may see, by their place on the board."""
        visible = Run.objects.visible_to(self.reader).filter(pk__in=[pk for pk in self.run_ids if pk is not None])
        by_pk = {run.pk: run for run in visible.select_related("team", "task__campaign")}
        return {place: by_pk[pk] for place, pk in enumerate(self.run_ids) if pk in by_pk}

    def measure(self, asked: str) -> str:
        """The measure that an address asks for, else the first of the board."""
        return asked if asked in self.board.measures else self.board.measures[0]

    @property
    def snapshot(self) -> Leaderboard:
        """The leaderboard, or what a preview would publish; the working board has none."""
        if self.leaderboard is None:
            raise Http404
        return self.leaderboard

    @property
    def published(self) -> Leaderboard:
        """The snapshot, for pages that exist of published boards only."""
        if self.preview:
            raise Http404
        return self.snapshot

    def url(self, page: str, **kwargs: Any) -> str:
        """The address of a page about this board: `board.url("compare")`, `board.url("topic", topic="412")`."""
        if self.live:
            return self.task.url(f"live_{page}", **kwargs)
        if self.preview:
            return self.task.url(f"preview_{page}", audience=self.preview, **kwargs)
        if self.leaderboard is None:
            return self.task.url(f"scores_{page}", **kwargs)
        return self.task.url(f"leaderboard_{page}", number=self.leaderboard.number, **kwargs)

    @property
    def name(self) -> str:
        """As headings and file names call it: `leaderboard 2`, `live board`, or `working scores`."""
        if self.live:
            return "live board"
        return "working scores" if self.leaderboard is None else f"leaderboard {self.leaderboard.number}"

    @property
    def pages(self) -> list[tuple[str, str]]:
        """The pages that analyse the board: name of the address, label."""
        return [] if self.only_own or self.live else ANALYSIS_PAGES

    @property
    def home(self) -> str:
        """The address of the board itself."""
        if self.preview:
            return self.url("detail")
        return self.task.url("score_board") if self.leaderboard is None else self.leaderboard.get_absolute_url()


def narrowed(seen: SeenBoard, places: list[int]) -> SeenBoard:
    """The board with these runs only, as participants see it."""
    whole = seen.board
    return replace(
        seen,
        board=own_board(whole, places),
        run_ids=[seen.run_ids[place] for place in places],
        key=f"{seen.key}:{'-'.join(map(str, places))}",
        tests={**seen.tests, "baseline": "", "changed_after_scores": [], "runs_not_ranked": []},
        only_own=True,
        _values=lambda: seen.values[places],
        _p_of_pairs=lambda: p_of(b"", own_board(whole, places)),
        _values_of_all=lambda: values_of_all(whole, seen.values, places),
    )


def board_of_leaderboard(leaderboard: Leaderboard) -> Board:
    """The whole board, whoever reads it."""
    return stored_board(str(leaderboard.board.name))


def values_of_leaderboard(leaderboard: Leaderboard, board: Board) -> FloatArray:
    """Values by topic: float64 (n_runs, n_measures, n_topics), NaN for a topic that is left out."""
    return values_of(content_of(leaderboard.values), board)
