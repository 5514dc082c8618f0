"""Whom a board can be published to."""

from django.db.models import Q
from django.utils.formats import date_format

from campaign.models import AuditEvent, Task
from campaign.text.plurals import listed
from campaign.web.asking_once import once
from evaluation.boards.audiences import ANONYMOUS, AUDIENCES, PUBLIC
from evaluation.models import Leaderboard


def audience_problem(task: Task, audience: str) -> str:
    """Why the board of the task cannot be published to this audience; empty if it can."""
    if audience not in AUDIENCES:
        return "Choose who may see the leaderboard."
    if audience == ANONYMOUS and task.scores_shown == Task.LIVE:
        return "The live board names the runs: by its scores everybody could tell whose they are."
    if audience == ANONYMOUS:
        public = Leaderboard.objects.filter(task=task, audience=PUBLIC).order_by("number").first()
        if public is not None:
            return f"Leaderboard {public.number} names the runs publicly: by its scores everybody could tell whose they are."
    return ""


def live_board_problem(task: Task) -> str:
    """Why a live board of the task would tell what a published board hides; empty if it would not."""
    if Leaderboard.objects.filter(task=task, audience=ANONYMOUS).exists():
        return "A leaderboard without names is published: the live board would tell whose runs are on it."
    return ""


def names_were_shown(task: Task, audience: str) -> str:
    """What the organiser has to know, and to agree to, before the audience gets a board; empty if there is nothing."""
    if audience != ANONYMOUS:
        return ""
    said = []
    if ended := _live_board_ended(task):
        until = date_format(ended.happened_at, "j F Y")
        said.append(f"Until {until} the task had a live board, which names the runs.")
    named_in = [other for other in _other_rounds(task) if _shows_names(other)]
    said += [f"The round {other} shows or showed runs with their names." for other in named_in]
    if said:
        said.append("Readers who kept those scores can recognise the runs by equal scores.")
    return " ".join(said)


def told_by_names(task: Task, audience: str) -> list[str]:
    """Boards with pseudonyms, of whatever set of qrels, hide nothing any more once the same runs are named to everybody."""
    if audience != PUBLIC:
        return []
    numbers = (
        Leaderboard.objects.filter(task=task, audience=ANONYMOUS).order_by("number").values_list("number", flat=True)
    )
    boards = listed([str(number) for number in numbers])
    said = [f"By equal scores readers then know who is who on leaderboard {boards}."] if boards else []
    return said + told_by_live_board(task)


def told_by_live_board(task: Task) -> list[str]:
    """Boards of other rounds with pseudonyms hide nothing any more once the same runs are named to everybody in this one."""
    hidden_in = [other for other in _other_rounds(task) if live_board_problem(other)]
    return [
        f"Equal scores then tell who is who in the round {other}, which has a board without names."
        for other in hidden_in
    ]


def _live_board_ended(task: Task) -> AuditEvent | None:
    events = AuditEvent.objects.filter(object_type="task", object_id=str(task.pk), verb="update")
    return events.filter(data__scores_shown__0=Task.LIVE).order_by("-pk").first()


def _other_rounds(task: Task) -> list[Task]:
    """Other rounds of the task, in which the same runs may have had the same scores."""
    return once((_other_rounds, task.pk), lambda: _ask_other_rounds(task))


def _ask_other_rounds(task: Task) -> list[Task]:
    rounds = {task.pk}
    while found := set(
        Task.everything.filter(Q(follows__in=rounds) | Q(next_rounds__in=rounds))
        .exclude(pk__in=rounds)
        .values_list("pk", flat=True)
    ):
        rounds |= found
    return list(Task.everything.filter(pk__in=rounds - {task.pk}).order_by("pk"))


def _shows_names(task: Task) -> bool:
    is_public = Leaderboard.objects.filter(task=task, audience=PUBLIC).exists()
    return is_public or task.scores_shown == Task.LIVE or _live_board_ended(task) is not None
