"""Where the runs of a team stand on a published board, told of no more than the board shows to its reader."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from django.utils import timezone

from campaign.models import Run, Task, Team, User, Visitor
from campaign.navigation import Step, Todo
from campaign.permissions import is_organiser
from campaign.storage.interface import StorageAwayError
from campaign.storage.quarantine import DamagedFileError
from campaign.text.plurals import number_of
from campaign.web.cache import kept
from evaluation.boards.audiences import PARTICIPANTS
from evaluation.boards.board import Column
from evaluation.boards.measures_in_words import ranks_in_words, written
from evaluation.boards.measures_on_scale import is_of_quality
from evaluation.models import Leaderboard
from evaluation.selectors.board_views import BoardView, LeaderboardView, leaderboard_view
from judging.core.set_names import DEFAULT

NEWS = timedelta(days=30)
"""So long the home page tells of a board."""
MOST_TOLD = 10
MOST_LOST = 3


@dataclass(frozen=True, slots=True)
class Standing:
    """A run by the first measure of a board. `rank`, `rank_range`, `median`: "" where the board does not show them."""

    leaderboard: Leaderboard
    url: str
    measure: str
    score: str
    rank: str
    rank_range: str
    runs: int
    median: str


def standing_of(reader: Visitor, run: Run) -> Standing | None:
    """On the newest board that has the run, as `published_scores`. The caller has made sure that the reader sees the run."""
    leaderboard = newest_board_with(run)
    if leaderboard is None or not Leaderboard.objects.visible_to(reader).filter(pk=leaderboard.pk).exists():
        return None
    seen = leaderboard_view(reader, leaderboard)
    return _standing(seen, seen.run_ids.index(run.pk)) if run.pk in seen.run_ids else None


def newest_board_with(run: Run, set_name: str = DEFAULT) -> Leaderboard | None:
    """Of a run that counts; None of others, and before one is published."""
    if run.state != Run.VALID:
        return None
    boards = Leaderboard.objects.filter(task=run.task_id, qrels__set_name=set_name)
    related = boards.select_related("qrels", "task__campaign").order_by("-number")
    return next((board for board in related.iterator() if run.pk in board.run_ids), None)


def results_to_read(user: User) -> list[Todo]:
    """For the members of teams: their runs on boards that were published a short while ago, of each task the newest."""
    of_teams = Run.objects.filter(team__in=Team.objects.of(user), state=Run.VALID)
    boards = Leaderboard.objects.visible_to(user).filter(
        task__in=of_teams.values("task"),
        qrels__set_name=DEFAULT,
        published_at__gte=timezone.now() - NEWS,
        task__campaign__archived_at=None,
    )
    of_user = set(of_teams.values_list("pk", flat=True))
    newest: dict[int, Leaderboard] = {}
    for board in boards.select_related("qrels", "task__campaign").order_by("number"):
        if not of_user.isdisjoint(board.run_ids):
            newest[board.task_id] = board
    told = sorted(newest.values(), key=lambda board: board.published_at, reverse=True)[:MOST_TOLD]
    found = (_todo(user, board, of_user) for board in told)
    return [todo for todo in found if todo is not None]


def result_on(user: User, leaderboard: Leaderboard) -> Todo | None:
    """The same of one leaderboard; None to whoever does not see it or has no run on it, and of further sets of qrels."""
    is_seen = Leaderboard.objects.visible_to(user).filter(pk=leaderboard.pk, qrels__set_name=DEFAULT).exists()
    if not is_seen:
        return None
    of_teams = Run.objects.filter(team__in=Team.objects.of(user), state=Run.VALID, task=leaderboard.task_id)
    return _todo(user, leaderboard, list(of_teams.values_list("pk", flat=True)))


def _todo(user: User, leaderboard: Leaderboard, own: Iterable[int]) -> Todo | None:
    on_board = sorted(set(own).intersection(run for run in leaderboard.run_ids if run is not None))
    if not on_board:
        return None
    try:
        text, lost, opens_topics = _said(user, leaderboard, on_board)
    except (DamagedFileError, StorageAwayError):  # the board itself says so
        text, lost, opens_topics = _are_out(len(on_board)), [], False
    board = {"number": leaderboard.number}
    task = leaderboard.task
    named = [Step(topic, task.url("leaderboard_topic", topic=topic, **board) if opens_topics else "") for topic in lost]
    step = Step(f"See leaderboard {leaderboard.number}", leaderboard.get_absolute_url())
    return Todo(task, text, step, named=named)


def _said(user: User, leaderboard: Leaderboard, own: list[int]) -> tuple[str, list[str], bool]:
    """The text, the topics that it ends with, and whether the reader may open them: made once for each content and its readers.

    What participants see of a board is cut to the runs that they see: these are in the key.
    """
    seen_runs: list[int] | None = None
    if leaderboard.audience == PARTICIPANTS and not is_organiser(user, leaderboard.task.campaign):
        visible = Run.objects.visible_to(user).filter(pk__in=[run for run in leaderboard.run_ids if run is not None])
        seen_runs = sorted(visible.values_list("pk", flat=True))
    of_what = repr((leaderboard.pk, leaderboard.sha256, leaderboard.run_ids, own, seen_runs))

    def read() -> tuple[str, list[str], bool]:
        seen = leaderboard_view(user, leaderboard)
        places = [place for place, run in enumerate(seen.run_ids) if run in own]
        return *in_words(seen, places), not seen.only_own

    return kept(f"evaluation:result-in-words:{of_what}", read, int(NEWS.total_seconds()))


def _are_out(runs: int) -> str:
    """Of runs on the board: a team may have others, that came late, were left out or withdrawn."""
    what = number_of(runs, "ranked run")
    return f"Scores of your {what} are out" if runs > 1 else "The scores of your ranked run are out"


def in_words(seen: LeaderboardView, places: list[int]) -> tuple[str, list[str]]:
    """The text, and the topics that it ends with. A measure that does not tell how good a run is says no more than that."""
    best = _best(seen.board.columns[0], places)
    standing = _standing(seen, best)
    if not is_of_quality(standing.measure):
        return _are_out(len(places)), []
    place = f"{'the best has ' if len(places) > 1 else ''}{standing.measure} {standing.score}"
    # Of this run: another run of the team may have a narrower interval, which begins at a better rank.
    if standing.rank_range:
        place += f", rank interval {standing.rank_range} of {standing.runs}"
    elif standing.rank:
        place += f", rank {standing.rank} of {standing.runs}"
    said = [place]
    if standing.median:
        said.append(f"median of all ranked runs {standing.median}")
    if lost := topics_lost(seen, best):
        said.append(f"topic{'' if len(lost) == 1 else 's'} where this run lost most against the median:")
    return f"{_are_out(len(places))}: {'; '.join(said)}", lost


def _best(column: Column, places: list[int]) -> int:
    """The run with the best number; of equal ones the first on the board."""
    means = np.nan_to_num(column.mean[places], nan=np.inf if column.lower_is_better else -np.inf)
    order = means if column.lower_is_better else -means
    return places[int(np.argmin(order))]


def _standing(seen: LeaderboardView, place: int) -> Standing:
    column = seen.board.shown_column(seen.board.columns[0].measure)
    first, last = int(column.rank_first[place]), int(column.rank_last[place])
    best, worst = int(column.rank_best[place]), int(column.rank_worst[place])
    means = column.mean[np.isfinite(column.mean)]
    return Standing(
        leaderboard=seen.leaderboard,
        url=seen.home,
        measure=column.measure,
        score=written(float(column.mean[place]), column.summary),
        rank=ranks_in_words(first, last),
        rank_range=ranks_in_words(best, worst),
        runs=0 if seen.only_own else len(seen.board.runs),
        median="" if seen.only_own or not means.size else written(float(np.median(means)), column.summary),
    )


def topics_lost(seen: BoardView, place: int) -> list[str]:
    """Topics on which the run is furthest below the median of all runs by the first measure; the furthest first.

    Topics of which the reader sees no median are none of them.
    """
    column = seen.board.columns[0]
    values = seen.values_by(column.measure)[place]
    of_all = seen.values_of_all_by(column.measure)
    known = np.isfinite(values) & np.isfinite(of_all).any(axis=0)
    behind = np.zeros(len(values))
    behind[known] = np.nanmedian(of_all[:, known], axis=0) - values[known]
    if column.lower_is_better:
        behind = -behind
    order = np.argsort(-behind, kind="stable")[:MOST_LOST]
    return [seen.board.topics[topic] for topic in order.tolist() if behind[topic] > 0]


@dataclass(frozen=True, slots=True)
class ListedScores:
    """`by_run`: the score of each run, by its key, as the reader may see it."""

    measure: str
    source: str
    by_run: dict[int, str]


def listed_scores(reader: Visitor, task: Task) -> ListedScores | None:
    """For lists of runs: by the newest board that the reader sees; None before there is one."""
    boards = Leaderboard.objects.visible_to(reader).filter(task=task, qrels__set_name=DEFAULT)
    leaderboard = boards.select_related("qrels", "task__campaign").order_by("-number").first()
    if leaderboard is None:
        return None
    try:
        seen = leaderboard_view(reader, leaderboard)
    except (DamagedFileError, StorageAwayError):  # the list of runs is there without it
        return None
    if not seen.board.columns:
        return None
    column = seen.board.columns[0]
    by_run = {
        run: written(float(mean), column.summary)
        for run, mean in zip(seen.run_ids, column.mean.tolist(), strict=True)
        if run is not None and np.isfinite(mean)
    }
    return ListedScores(column.measure, f"leaderboard {leaderboard.number}", by_run)
