"""Boards as their readers see them: the working one, the live one, a published snapshot, or a preview of one."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any, ClassVar, Final, TypeVar

from django.contrib.auth.models import AnonymousUser
from django.db.models import QuerySet
from django.http import Http404

from campaign.collection.selectors.documents import may_read_documents
from campaign.formats.runs.order_setting import Ordering
from campaign.models import Run, Task, User, Visitor
from campaign.permissions import is_organiser
from evaluation.boards.audiences import PARTICIPANTS, PUBLIC
from evaluation.boards.board import Board
from evaluation.boards.own import own_board, values_of_all
from evaluation.boards.stored import p_of, values_of
from evaluation.boards.tests_in_words import said_of_tests
from evaluation.engine.arrays import FloatArray
from evaluation.models import Leaderboard
from evaluation.selectors.boards import content_of, stored_board, working_board
from evaluation.selectors.leaderboard_drafts import draft_for
from evaluation.selectors.restored import RestoredFrom, restored_from
from evaluation.selectors.scoring_scope import runs_not_ranked, said_of_what_counts, what_counts
from judging.core.set_names import DEFAULT
from judging.models import Qrels

ANALYSIS_PAGES: Final = [
    ("compare", "Compare runs"),
    ("topics", "Per-topic scores"),
    ("pairs", "Significance tests"),
    ("heatmap", "Heatmap"),
    ("measures", "Measure correlation"),
    ("curves", "Curves"),
    ("efficiency", "Efficiency"),
    ("reliability", "Reliability"),
    ("components", "Variance components"),
]
View = TypeVar("View", bound="BoardView")


@dataclass(frozen=True, eq=False, kw_only=True)
class BoardView(ABC):
    """A board as its reader sees it; each of the kinds below has its name and its addresses.

    `board`: holds what the reader may see, and no more. `run_ids`: of the board's runs in their order, None where the run is
    not known any more. `tests`: what is said of tests and means. `key`: names the content, for caches of what is made from it.
    `only_own`: the runs of the reader's teams and nothing of others but `values_of_all_by`. `leaderboard` and `preview` are
    those of `LeaderboardView` and `PreviewView`.
    """

    task: Task
    reader: Visitor
    board: Board
    qrels: Qrels
    ordering: Ordering
    tests: Mapping[str, Any]
    key: str
    run_ids: list[int | None]
    organises: bool = False
    only_own: bool = False
    leaderboard: Leaderboard | None = None
    preview: str = ""
    _values: Callable[[], FloatArray] = field(repr=False)
    _p_of_pairs: Callable[[], FloatArray] = field(repr=False)
    _values_of_all: Callable[[], FloatArray] | None = field(default=None, repr=False)
    is_live: ClassVar[bool] = False

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
        return self.organises or self.qrels.published_at is not None

    @cached_property
    def opens_documents(self) -> bool:
        """Whether the reader may open documents: no link leads to a refusal."""
        return self.task.collection_id is not None and may_read_documents(self.reader, self.task.campaign)

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
    def places_open(self) -> list[int]:
        """The places on the board of the runs whose lines and metadata the reader may see, ascending."""
        visible = set(self._visible(range(len(self.run_ids))).values_list("pk", flat=True))
        return [place for place, pk in enumerate(self.run_ids) if pk in visible]

    def runs_open(self, places: Iterable[int]) -> dict[int, Run]:
        """Those of the runs at these places whose lines and metadata the reader may see, by place in the order of `places`."""
        asked = list(places)
        by_pk = {run.pk: run for run in self._visible(asked).select_related("team", "task__campaign")}
        return {place: by_pk[pk] for place in asked if (pk := self.run_ids[place]) in by_pk}

    def _visible(self, places: Iterable[int]) -> "QuerySet[Run]":
        known = [pk for place in places if (pk := self.run_ids[place]) is not None]
        return Run.objects.visible_to(self.reader).filter(pk__in=known)

    def linked(self, places: Iterable[int]) -> dict[int, Run]:
        """The runs at these places, for their links to paper and code, that are valid and that the board names to everybody."""
        return {}

    def measure(self, asked: str) -> str:
        """The measure that an address asks for, else the first of the board."""
        return asked if asked in self.board.measures else self.board.measures[0]

    @property
    @abstractmethod
    def name(self) -> str:
        """As headings and file names call it: `leaderboard 2`, `live board`, or `unpublished scores`."""

    @property
    @abstractmethod
    def home(self) -> str:
        """The address of the board itself."""

    @abstractmethod
    def url(self, page: str, **kwargs: Any) -> str:
        """The address of a page about this board: `board.url("compare")`, `board.url("topic", topic="412")`."""

    @cached_property
    def restored(self) -> RestoredFrom | None:
        """Of a leaderboard that was published elsewhere, and came out of an archive."""
        return None

    @property
    def pages(self) -> list[tuple[str, str]]:
        """The pages that analyse the board: name of the address, label."""
        return [] if self.only_own else ANALYSIS_PAGES

    @property
    def snapshot(self) -> Leaderboard:
        """The leaderboard, or what a preview would publish; Http404 for other boards."""
        raise Http404

    @property
    def published(self) -> Leaderboard:
        """The leaderboard; Http404 for boards that are not published."""
        raise Http404


class WorkingView(BoardView):
    """The board as it was computed last, which only organisers see."""

    name = "unpublished scores"

    @property
    def home(self) -> str:
        return self.task.url("score_board")

    def url(self, page: str, **kwargs: Any) -> str:
        return self.task.url(f"scores_{page}", **kwargs)


class LiveView(BoardView):
    """The board that everybody sees before anything is published. No page analyses it."""

    name = "live board"
    is_live = True
    pages: list[tuple[str, str]] = []

    @property
    def home(self) -> str:
        return self.task.url("live_board")

    def url(self, page: str, **kwargs: Any) -> str:
        return self.task.url(f"live_{page}", **kwargs)


@dataclass(frozen=True, eq=False, kw_only=True)
class LeaderboardView(BoardView):
    """A published snapshot."""

    leaderboard: Leaderboard

    @cached_property
    def restored(self) -> RestoredFrom | None:
        return None if self.preview else restored_from(self.leaderboard)

    @property
    def name(self) -> str:
        return f"leaderboard {self.leaderboard.number}"

    @property
    def home(self) -> str:
        return self.leaderboard.get_absolute_url()

    def linked(self, places: Iterable[int]) -> dict[int, Run]:
        if self.preview or not self.leaderboard.is_public:
            return {}
        by_pk = {pk: place for place in places if (pk := self.run_ids[place]) is not None}
        found = Run.objects.valid().filter(pk__in=by_pk).exclude(paper_url="", code_url="")
        return {by_pk[run.pk]: run for run in found.only("paper_url", "code_url")}

    def url(self, page: str, **kwargs: Any) -> str:
        return self.task.url(f"leaderboard_{page}", number=self.leaderboard.number, **kwargs)

    @property
    def snapshot(self) -> Leaderboard:
        return self.leaderboard

    @property
    def published(self) -> Leaderboard:
        return self.leaderboard


@dataclass(frozen=True, eq=False, kw_only=True)
class PreviewView(LeaderboardView):
    """What publishing would store, as the audience `preview` would see it; `exported` gives its JSON."""

    preview: str
    exported: Callable[[], str] = field(repr=False)

    @property
    def home(self) -> str:
        return self.url("detail")

    def url(self, page: str, **kwargs: Any) -> str:
        return self.task.url(f"preview_{page}", audience=self.preview, **kwargs)

    @property
    def published(self) -> Leaderboard:
        raise Http404

    @property
    def shows_judgments(self) -> bool:
        return super().shows_judgments or self.preview == PUBLIC


def working_view(user: Visitor, task: Task, set_name: str = DEFAULT) -> WorkingView | None:
    """None before the first board is computed. The caller has made sure that the user organises the task."""
    stored = working_board(task, set_name)
    if stored is None:
        return None
    board = stored_board(str(stored.board.name))
    return WorkingView(
        task=task,
        reader=user,
        board=board,
        qrels=stored.qrels,
        ordering=task.ordering,
        tests={
            **said_of_tests(board.choice),
            **said_of_what_counts(what_counts(task, stored.qrels), runs_not_ranked(task)),
        },
        key=str(stored.board.name),
        run_ids=stored.run_ids,
        organises=True,
        _values=lambda: values_of(content_of(stored.values), board),
        _p_of_pairs=lambda: p_of(content_of(stored.p_of_pairs), board),
    )


def leaderboard_view(user: Visitor, leaderboard: Leaderboard) -> LeaderboardView:
    board = board_of_leaderboard(leaderboard)
    seen = LeaderboardView(
        task=leaderboard.task,
        reader=user,
        leaderboard=leaderboard,
        board=board,
        qrels=leaderboard.qrels,
        ordering=leaderboard.ordering,
        tests=leaderboard.tests,
        key=leaderboard.sha256,
        run_ids=leaderboard.run_ids,
        organises=is_organiser(user, leaderboard.task.campaign),
        _values=lambda: values_of_leaderboard(leaderboard, board),
        _p_of_pairs=lambda: p_of(content_of(leaderboard.p_of_pairs), board),
    )
    if leaderboard.audience == PARTICIPANTS and not seen.organises:
        return narrowed(seen, seen.places_open)
    return seen


def preview_view(organiser: User, task: Task, audience: str, set_name: str = DEFAULT) -> PreviewView | None:
    """The working board as this audience would see the whole of it if it were published; None where there is no board."""
    working = working_board(task, set_name)
    if working is None:
        return None
    draft = draft_for(actor=organiser, task=task, working=working, audience=audience)
    return PreviewView(
        task=task,
        reader=AnonymousUser(),
        leaderboard=draft.leaderboard,
        board=draft.board,
        qrels=working.qrels,
        ordering=task.ordering,
        tests=draft.leaderboard.tests,
        # Pseudonyms follow from the runs, of which others may make a board of the same content.
        key=sha256(repr((working.board.name, audience, draft.leaderboard.run_ids)).encode()).hexdigest(),
        run_ids=list(draft.leaderboard.run_ids),
        preview=audience,
        _values=lambda: draft.values,
        _p_of_pairs=lambda: draft.p_of_pairs,
        exported=draft.export,
    )


def of_team(seen: View, *, run: str, team: str) -> View:
    """The board as the team of this run sees it; without such a run as the team of this name, else as the first by name."""
    place = seen.board.index(run)
    teams = [facts.team for facts in seen.board.runs]
    asked = team if place is None else teams[place]
    chosen = asked if asked in teams else next(iter(sorted(teams)), "")
    return narrowed(seen, [place for place, name in enumerate(teams) if name == chosen])


def narrowed(seen: View, places: list[int]) -> View:
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
