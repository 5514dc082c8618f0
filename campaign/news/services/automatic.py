"""Notices that events write. Call these inside the transaction of the event; a draft, and a task in its set-up, tells nobody."""

from datetime import UTC, datetime
from uuid import UUID, uuid4

from campaign.models import Notice, Task, User
from campaign.models.fields import moment_in_words
from campaign.models.mail import DEADLINE, ERRATUM, PHASE, RESULTS
from campaign.news.selectors.recipients import Audience
from campaign.news.services.notices import AS_WRITTEN, MailedBy, notice_store
from campaign.web.daily_limits import require_few_of_person
from campaign.web.links import absolute

MOST_MOVES_A_DAY = 200
"""Of deadlines, and as many of phases, by one person: each is a mail to everybody who takes part."""


def automatic(
    *,
    kind: str,
    task: Task,
    title: str,
    body: str,
    actor: User | None = None,
    audience: str = Notice.EVERYBODY,
    batch: UUID | None = None,
    mailed_by: MailedBy = AS_WRITTEN,
) -> Notice | None:
    """Tell an audience of an event in a task; None where nobody may know of the task yet.

    `actor`: who caused it and gets no mail. `batch`: what is told twice under it is one notice.
    """
    if task.campaign.opened_at is None or task.phase == Task.SETUP:
        return None
    meant = Audience(task.campaign, audience, kind=kind, task=task, but=actor)
    return notice_store(meant.with_teams(), title=title, body=body, batch=batch or uuid4(), mailed_by=mailed_by)


def tell_of_deadline(*, actor: User, task: Task, before: datetime | None) -> Notice | None:
    """The deadline of a task was moved, given or taken away."""
    was = f"before: {at_two_clocks(before, task)}" if before else "before: at the end of the phase Runs"
    if task.closes_at is None:
        title = f"{task}: no deadline for runs any more"
        now = "The organisers end the uploads with the phase Runs."
    else:
        title = f"{task}: the deadline for runs is now {moment_in_words(task.closes_at, task.campaign.time_zone)}"
        now = f"The deadline for runs is now {at_two_clocks(task.closes_at, task)}."
    require_few_of_person(actor, "moves of deadlines", MOST_MOVES_A_DAY)
    return automatic(kind=DEADLINE, task=task, actor=actor, title=title, body=f"{now}\n\n({was})")


def tell_of_phase(*, actor: User, task: Task, before: str) -> Notice | None:
    """A task entered another phase; its board and qrels, if these are published with it, have notices of their own."""
    title = f"{task}: phase {task.get_phase_display()}"
    body = f"The task has moved from the phase {Task.PHASES[before]} to the phase {task.get_phase_display()}."
    return automatic(kind=PHASE, task=task, actor=actor, title=title, body=body)


def tell_of_results(
    *,
    actor: User,
    task: Task,
    title: str,
    body: str,
    page: str,
    audience: str = Notice.EVERYBODY,
    mailed_by: MailedBy = AS_WRITTEN,
) -> Notice | None:
    """Qrels were released to participants, or a leaderboard was published; `page`: its path on this site."""
    whole = f"{body}\n\n<{absolute(page)}>"
    return automatic(
        kind=RESULTS, task=task, actor=actor, title=title, body=whole, audience=audience, mailed_by=mailed_by
    )


def tell_of_erratum(*, actor: User, task: Task, title: str, body: str, page: str) -> Notice | None:
    """Something that was published is corrected; `page`: the path of the correction on this site."""
    return automatic(kind=ERRATUM, task=task, actor=actor, title=title, body=f"{body}\n\n<{absolute(page)}>")


def at_two_clocks(at: datetime, task: Task) -> str:
    """A moment in the campaign's time zone and in UTC: a mail does not know its reader's zone."""
    there = moment_in_words(at, task.campaign.time_zone)
    return there if task.campaign.time_zone == "UTC" else f"{there} ({at.astimezone(UTC):%-d %b %Y, %H:%M} UTC)"
