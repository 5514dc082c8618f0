"""Publishing as organisers ask for it: a small board at once, a large one by a job, each exactly once."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from django.core.exceptions import PermissionDenied, ValidationError
from django.db import transaction
from django.db.models import Q

from campaign.models import Job, Task, User
from campaign.permissions import locked_organised_task_or_404
from campaign.queue.jobs import JobFailed, enqueue
from campaign.queue.locks import write_end
from campaign.web.daily_limits import require_few_rows
from evaluation.boards.audiences import AUDIENCES, PUBLIC
from evaluation.models import Leaderboard
from evaluation.selectors.boards import stored_board
from evaluation.selectors.leaderboard_drafts import NO_TERMS, Terms, next_number
from evaluation.selectors.publication_effects import PUBLISH, publication
from evaluation.services.leaderboards import (
    CHANGED_MEANWHILE,
    MOST_BOARDS_A_DAY,
    draft_written,
    leaderboard_publish,
    next_snapshot_mark,
    publishable_board,
    require_agreement,
    snapshot_mark,
)
from judging.core.set_names import DEFAULT

MOST_VALUES_AT_ONCE = 250_000
"""Runs by measures by topics of a board that is published within the request: half a second of one processor."""
MOST_WAITING = 10
"""Of a task: each job writes all files of the board before it knows whether it may publish them."""
MOST_ASKED_A_DAY = 2 * MOST_BOARDS_A_DAY
"""By one person, of a task: jobs that fail are in it."""
FILES: Final = "files written"
NO_RIGHT: Final = (
    "Nothing is published: the account that asked for it may not publish any more. An organiser can publish it now."
)


@transaction.atomic
def leaderboard_request(
    *,
    actor: User,
    task: Task,
    audience: str = PUBLIC,
    terms: Terms = NO_TERMS,
    seen: str = "",
    set_name: str = DEFAULT,
    names_may_be_known: bool = False,
    read: str = "",
) -> Leaderboard | Job:
    """Publish as `leaderboard_publish` does, or ask for the job where that takes more than a moment.

    The job publishes the board that stands now and no other: what changes until it is done makes it fail, and say so.
    """
    agreed: dict[str, Any] = {"names_may_be_known": names_may_be_known, "read": read}
    locked = locked_organised_task_or_404(actor, task)
    working = publishable_board(actor, locked, set_name, audience)
    board, marks = stored_board(str(working.board.name)), [seen] if seen else []
    if len(board.runs) * len(board.columns) * len(board.topics) <= MOST_VALUES_AT_ONCE:
        named: dict[str, Any] = {"audience": audience, "terms": terms, "set_name": set_name}
        return leaderboard_publish(actor=actor, task=task, seen=marks, **named, **agreed)
    new, newest = next_snapshot_mark(locked, working), snapshot_mark(locked, working, next_number(locked) - 1)
    if seen not in ("", new, newest):
        raise ValidationError(CHANGED_MEANWHILE)
    if seen != newest:  # else this was sent twice, and the first has been published: the job finds that
        require_agreement(actor, locked, set_name, audience, **agreed)
    asked = {
        "audience": audience,
        "terms": {"note": terms.note, "licence": terms.licence, "terms": terms.terms},
        "seen": marks or [new, newest],
        "set_name": set_name,
        **agreed,
    }
    before = publication(locked)
    if before is not None and before.is_unfinished and before.arguments["asked"] == asked:
        return before
    _require_few_asked(actor, locked)
    return enqueue(PUBLISH, task_id=task.pk, actor_id=actor.pk, asked=asked)


def _require_few_asked(actor: User, task: Task) -> None:
    asked, what = Job.objects.filter(name=PUBLISH, task=task), "leaderboards of this task"
    if asked.filter(state__in=[Job.QUEUED, Job.WORKING]).count() >= MOST_WAITING:
        raise ValidationError(f"{MOST_WAITING} leaderboards of this task are being published. Wait for some of them.")
    require_few_rows(asked, "created_at", {"arguments__actor_id": actor.pk}, MOST_ASKED_A_DAY, what)


def publication_do(
    *, actor: User, task: Task, asked: Mapping[str, Any], job_id: int, report: Callable[[int, int, str], None]
) -> None:
    """Write the files of the board, then publish it and end the job in one transaction: it is never published a second time."""
    what: dict[str, Any] = {**asked, "terms": Terms(**asked["terms"])}
    named = {name: what[name] for name in ("audience", "terms", "set_name")}
    try:
        report(0, 3, FILES)
        written = draft_written(actor=actor, task=task, **named)
        report(3, 3, FILES)
        with transaction.atomic():
            leaderboard = leaderboard_publish(actor=actor, task=task, written=written, **what)
            said = f"Leaderboard {leaderboard.number} is published for {AUDIENCES[leaderboard.audience]}."
            if not write_end(Q(pk=job_id), Job.DONE, said):
                raise JobFailed("Another worker has done this.")
    except ValidationError as problem:
        raise JobFailed(" ".join(problem.messages)) from problem
    except PermissionDenied:
        raise JobFailed(NO_RIGHT) from None
