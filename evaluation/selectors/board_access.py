"""The one door to boards: the working one, a published snapshot, or a preview of one, as its reader may see it."""

from hashlib import sha256

from django.contrib.auth.models import AnonymousUser
from django.http import Http404, HttpRequest

from campaign.models import Task, Visitor
from campaign.permissions import get_or_404, get_organised_task_or_404, get_task_or_404, is_organiser, signed_in
from evaluation.boards.audiences import PARTICIPANTS
from evaluation.boards.board import Board
from evaluation.boards.stored import p_of, values_of
from evaluation.boards.tests_in_words import said_of_tests
from evaluation.models import Leaderboard
from evaluation.selectors.boards import content_of, stored_board, working_board
from evaluation.selectors.drafts import draft_for
from evaluation.selectors.seen import SeenBoard, board_of_leaderboard, narrowed, values_of_leaderboard
from evaluation.selectors.what_counts import runs_not_ranked, said_of_what_counts, what_counts
from judging.core.set_names import DEFAULT
from judging.qrels.selectors.qrels_sets import qrels_sets


def get_board_or_404(
    request: HttpRequest, campaign_slug: str, task_slug: str, number: int | None = None, *, shows_own: bool = False
) -> SeenBoard:
    """The board of an address; without a number a preview if the address names an audience, else the working board.

    Http404 where there is none, and for boards of which the reader sees the own runs only, unless the page `shows_own`.
    """
    user, audience = request.user, audience_of(request)
    if number is not None and not audience:
        task = get_task_or_404(user, campaign_slug, task_slug)
        visible = Leaderboard.objects.visible_to(user).select_related("task__campaign", "qrels", "published_by")
        board: SeenBoard | None = _published(user, get_or_404(visible, task=task, number=number))
    else:
        task = get_organised_task_or_404(user, campaign_slug, task_slug)
        board = seen_preview(request, task, audience) if audience else seen_working_board(user, task)
    if board is None or (board.only_own and not shows_own):
        raise Http404
    return board


def audience_of(request: HttpRequest) -> str:
    """The audience that the address of a preview names; empty for every other address."""
    match = request.resolver_match
    return "" if match is None else str(match.kwargs.get("audience", ""))


def seen_preview(request: HttpRequest, task: Task, audience: str) -> SeenBoard | None:
    """The working board as this audience would see it if it were published; participants as the team of `team`, or of the run.

    None where there is no board. The caller has made sure that the user organises the task.
    """
    working = working_board(task, asked_set(task, request))
    if working is None:
        return None
    draft = draft_for(actor=signed_in(request.user), task=task, working=working, audience=audience)
    seen = SeenBoard(
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
        organises=False,
        preview=audience,
        _values=lambda: draft.values,
        _p_of_pairs=lambda: draft.p_of_pairs,
        exported=draft.export,
    )
    return narrowed(seen, _places_of_team(request, draft.board)) if audience == PARTICIPANTS else seen


def asked_set(task: Task, request: HttpRequest) -> str:
    """The set of qrels that an address asks for by `set`; the default one if the task has no such set."""
    asked = request.GET.get("set", DEFAULT)
    return asked if asked in qrels_sets(task) else DEFAULT


def _places_of_team(request: HttpRequest, board: Board) -> list[int]:
    match = request.resolver_match
    run = board.index(str(match.kwargs.get("tag", ""))) if match else None
    teams = [facts.team for facts in board.runs]
    asked = request.GET.get("team", "") if run is None else teams[run]
    team = asked if asked in teams else next(iter(sorted(teams)), "")
    return [place for place, name in enumerate(teams) if name == team]


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


def _published(user: Visitor, leaderboard: Leaderboard) -> SeenBoard:
    board = board_of_leaderboard(leaderboard)
    seen = SeenBoard(
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
        return narrowed(seen, sorted(seen.runs_open))
    return seen
