"""Where the runs of a team stand on a published board, told of no more than the board shows to its reader."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
from django.db.models import QuerySet
from django.utils import timezone

from campaign.models import Run, Task, Team, User, Visitor
from campaign.navigation import Step, Todo
from campaign.text.plurals import listed, number_of
from evaluation.boards.board import Column
from evaluation.boards.measures_in_words import ranks_in_words, written
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
    tag: str
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
    newest: dict[int, Leaderboard] = {}
    for board in boards.select_related("qrels", "task__campaign").order_by("number"):
        newest[board.task_id] = board
    told = sorted(newest.values(), key=lambda board: board.published_at, reverse=True)[:MOST_TOLD]
    own = {task: set(keys) for task, keys in _own_runs(of_teams, told).items()}
    found = (_todo(user, board, own.get(board.task_id, set())) for board in told)
    return [todo for todo in found if todo is not None]


def _own_runs(of_teams: QuerySet[Run], boards: Sequence[Leaderboard]) -> dict[int, list[int]]:
    found: dict[int, list[int]] = {}
    for task, run in of_teams.filter(task__in=[board.task_id for board in boards]).values_list("task", "pk"):
        found.setdefault(task, []).append(run)
    return found


def _todo(user: User, leaderboard: Leaderboard, own: set[int]) -> Todo | None:
    if own.isdisjoint(leaderboard.run_ids):
        return None
    seen = leaderboard_view(user, leaderboard)
    places = [place for place, run in enumerate(seen.run_ids) if run in own]
    if not places:
        return None
    step = Step(f"See leaderboard {leaderboard.number}", leaderboard.get_absolute_url())
    return Todo(leaderboard.task, _in_words(seen, places), step)


def _in_words(seen: LeaderboardView, places: list[int]) -> str:
    column = seen.board.columns[0]
    best = _best(column, places)
    standing = _standing(seen, best)
    runs = (
        f"Scores of your {number_of(len(places), 'run')} are out"
        if len(places) > 1
        else "The scores of your run are out"
    )
    if standing.rank_range:
        place = f"best rank range {standing.rank_range} of {standing.runs} by {standing.measure}"
    elif standing.rank:
        place = f"best rank {standing.rank} of {standing.runs} by {standing.measure}"
    else:
        place = f"best {standing.measure} {standing.score}"
    said = [place]
    if standing.median:
        said.append(f"median of all {standing.median}, your best {standing.score}")
    if lost := topics_lost(seen, best):
        said.append(
            f"topic{'' if len(lost) == 1 else 's'} where your best run lost most against the median: {listed(lost)}"
        )
    return f"{runs}: {'; '.join(said)}"


def _best(column: Column, places: list[int]) -> int:
    """The run with the best number; of equal ones the first on the board."""
    means = np.nan_to_num(column.mean[places], nan=np.inf if column.lower_is_better else -np.inf)
    order = means if column.lower_is_better else -means
    return places[int(np.argmin(order))]


def _standing(seen: LeaderboardView, place: int) -> Standing:
    column = seen.board.columns[0]
    first, last = int(column.rank_first[place]), int(column.rank_last[place])
    best, worst = int(column.rank_best[place]), int(column.rank_worst[place])
    means = column.mean[np.isfinite(column.mean)]
    return Standing(
        leaderboard=seen.leaderboard,
        tag=seen.board.runs[place].tag,
        url=seen.home,
        measure=column.measure,
        score=written(float(column.mean[place]), column.summary),
        rank=ranks_in_words(first, last) if first else "",
        rank_range=ranks_in_words(best, worst) if best else "",
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
    seen = leaderboard_view(reader, leaderboard)
    if not seen.board.columns:
        return None
    column = seen.board.columns[0]
    by_run = {
        run: written(float(mean), column.summary)
        for run, mean in zip(seen.run_ids, column.mean.tolist(), strict=True)
        if run is not None and np.isfinite(mean)
    }
    return ListedScores(column.measure, f"leaderboard {leaderboard.number}", by_run)
