"""The board that a page is about, as its reader may see it: the working one, or a published snapshot. The one door to boards."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final

import numpy as np
from django.db.models.fields.files import FieldFile
from django.http import Http404

from campaign.models import Run, Task, Visitor
from campaign.ordering import Ordering
from campaign.permissions import get_or_404, get_organised_task_or_404, get_task_or_404, is_organiser
from campaign.storage.reading import verified_bytes
from evaluation.boards.board import Board
from evaluation.boards.earlier import EarlierRow, board_of_rows
from evaluation.boards.stored import p_of, values_of
from evaluation.boards.tests_in_words import said_of_tests
from evaluation.engine.arrays import FloatArray
from evaluation.models import Leaderboard
from evaluation.selectors.boards import READER, leaderboard_values, stored_board, working_board
from judging.models import Qrels
from judging.set_names import DEFAULT

CLOSER_PAGES: Final = [
    ("compare", "Two runs"),
    ("topics", "Topics"),
    ("pairs", "All pairs"),
    ("heat", "Runs by topics"),
    ("measures", "Measures"),
    ("efficiency", "Efficiency"),
    ("trust", "Trust"),
]


@dataclass(frozen=True, eq=False)
class SeenBoard:
    """`leaderboard`: None for the working board, which only organisers see. `board`: holds what the reader may see, and no more.

    `run_ids`: of the board's runs in their order, None where the run is not known any more. `tests`: what is said of tests and
    means. `key`: names the content, for caches of what is made from it.
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
    _values: Callable[[], FloatArray] = field(repr=False)
    _p_of_pairs: Callable[[], FloatArray] = field(repr=False)

    @cached_property
    def values(self) -> FloatArray:
        """Values by topic: float64 (n_runs, n_measures, n_topics), NaN for a topic that is left out."""
        return self._values()

    def values_by(self, measure: str) -> FloatArray:
        """Values by one measure: float64 (n_runs, n_topics)."""
        return self.values[:, self.board.measures.index(measure)]

    def p_of_pairs(self, measure: str) -> FloatArray:
        """Corrected p in the order of `all_pairs`: float64 (n_pairs,); NaN for pairs that were not tested."""
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
    def published(self) -> Leaderboard:
        """The snapshot, for pages that exist of published boards only."""
        if self.leaderboard is None:
            raise Http404
        return self.leaderboard

    def url(self, page: str, **kwargs: Any) -> str:
        """The address of a page about this board: `board.url("compare")`, `board.url("topic", topic="412")`."""
        if self.leaderboard is None:
            return self.task.url(f"scores_{page}", **kwargs)
        return self.task.url(f"leaderboard_{page}", number=self.leaderboard.number, **kwargs)

    @property
    def name(self) -> str:
        """As headings and file names call it: `leaderboard 2`, or `working scores`."""
        return "working scores" if self.leaderboard is None else f"leaderboard {self.leaderboard.number}"

    @property
    def pages(self) -> list[tuple[str, str]]:
        """The pages that look closer at the board: name of the address, label."""
        return CLOSER_PAGES

    @property
    def home(self) -> str:
        """The address of the board itself."""
        return self.task.url("score_board") if self.leaderboard is None else self.leaderboard.get_absolute_url()


def get_board_or_404(user: Visitor, campaign_slug: str, task_slug: str, number: int | None = None) -> SeenBoard:
    """The board of an address: without a number the working one, for organisers only; Http404 where there is no board yet."""
    if number is None:
        board = seen_working_board(user, get_organised_task_or_404(user, campaign_slug, task_slug))
        if board is None:
            raise Http404
        return board
    task = get_task_or_404(user, campaign_slug, task_slug)
    visible = Leaderboard.objects.visible_to(user).select_related("task__campaign", "qrels", "published_by")
    return _published(user, get_or_404(visible, task=task, number=number))


def seen_working_board(user: Visitor, task: Task, set_name: str = DEFAULT) -> SeenBoard | None:
    """The board as it was computed last; None before the first. The caller has made sure that the user organises the task."""
    stored = working_board(task, set_name)
    if stored is None:
        return None
    board = stored_board(str(stored.board.name))
    return SeenBoard(
        task=task,
        reader=user,
        leaderboard=None,
        board=board,
        qrels=stored.qrels,
        ordering=task.ordering,
        tests=said_of_tests(board.choice),
        key=str(stored.board.name),
        run_ids=stored.run_ids,
        organises=True,
        _values=lambda: values_of(content_of(stored.values), board),
        _p_of_pairs=lambda: p_of(content_of(stored.p_of_pairs), board),
    )


def _published(user: Visitor, leaderboard: Leaderboard) -> SeenBoard:
    board = board_of_leaderboard(leaderboard)
    return SeenBoard(
        task=leaderboard.task,
        reader=user,
        leaderboard=leaderboard,
        board=board,
        qrels=leaderboard.qrels,
        ordering=leaderboard.ordering,
        tests=leaderboard.tests,
        key=leaderboard.sha256,
        run_ids=leaderboard.run_ids if leaderboard.board else _ids_by_tag(leaderboard.task, board),
        organises=is_organiser(user, leaderboard.task.campaign),
        _values=lambda: values_of_leaderboard(leaderboard, board),
        _p_of_pairs=lambda: p_of(content_of(leaderboard.p_of_pairs), board),
    )


def board_of_leaderboard(leaderboard: Leaderboard) -> Board:
    """The whole board, whoever reads it."""
    if leaderboard.board:
        return stored_board(str(leaderboard.board.name))
    rows = [EarlierRow.from_json(row) for row in leaderboard.rows]
    return board_of_rows(rows, leaderboard.measures, leaderboard.qrels.topics, leaderboard.tests)


def values_of_leaderboard(leaderboard: Leaderboard, board: Board) -> FloatArray:
    """Values by topic: float64 (n_runs, n_measures, n_topics), NaN for a topic that is left out."""
    if leaderboard.board:
        return values_of(content_of(leaderboard.values), board)
    stored = leaderboard_values(leaderboard)
    return np.array([[stored[run.tag][measure] for measure in board.measures] for run in board.runs], dtype=np.float64)


def content_of(file: FieldFile) -> bytes:
    """The verified bytes of a stored part of a board; none where it was not kept."""
    return verified_bytes(str(file.name), found_by=READER) if file else b""


def _ids_by_tag(task: Task, board: Board) -> list[int | None]:
    ids = dict(task.runs.valid().values_list("tag", "pk"))
    return [ids.get(run.tag) for run in board.runs]
