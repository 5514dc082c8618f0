"""Mails to assessors about due dates: one some days before, one when the date is past."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import date, timedelta
from typing import Any

from django.db import transaction
from django.db.models import Exists, OuterRef, Q, QuerySet

from campaign.mail.services import mail_text, mail_user
from campaign.models import Role, Task
from campaign.models.mail import ASSIGNMENT
from campaign.queue.jobs import enqueue
from campaign.queue.periodic import by_itself
from campaign.text.collation import by_numbers
from campaign.text.plurals import number_of
from campaign.web.links import absolute
from judging.assigning.selectors.workload import rules_of, today_in, with_due
from judging.models import Assignment

REMIND_ASSESSORS = "remind assessors"
"""Done by judging/jobs.py."""


def reminders_forgotten() -> int:
    """Ask for the mails that are to be sent and are not: part of the sweep."""
    dated = Q(assigning_rules__due_on__isnull=False) | Q(pools__assignments__due_on__isnull=False)
    return by_itself(
        Task.objects.filter(dated, campaign__closed_at=None).select_related("campaign").distinct(), _ask_for_mails
    )


def _ask_for_mails(task: Task) -> int:
    if not _to_tell(task):
        return 0
    enqueue(REMIND_ASSESSORS, task_id=task.pk)
    return 1


def reminders_send(task: Task) -> int:
    """One mail to each assessor who is to be told of a date; returns how many. Run twice, it sends nothing more."""
    by_assessor: dict[int, list[int]] = defaultdict(list)
    for assignment in _to_tell(task):
        by_assessor[assignment.assessor_id].append(assignment.pk)
    return sum(_tell(task, rows) for rows in by_assessor.values())


@transaction.atomic
def _tell(task: Task, rows: Sequence[int]) -> bool:
    locked = Assignment.objects.select_for_update(of=("self",)).filter(pk__in=rows).order_by("pk")
    list(locked.values_list("pk", flat=True))
    today, told = today_in(task.campaign.time_zone), _to_tell(task, rows)
    if not told:
        return False
    for assignment in told:
        column = "overdue_told_for" if _due(assignment) < today else "reminded_for"
        Assignment.objects.filter(pk=assignment.pk).update(**{column: _due(assignment)})
    late = [one for one in told if _due(one) < today]
    soon = [one for one in told if _due(one) >= today]
    body = mail_text(
        "topics_due", task=task, late=_lines(late), soon=_lines(soon), page=absolute(task.url("my_topics"))
    )
    subject = f"{number_of(len(told), 'topic')} to judge: {task}"
    mail_user(user=told[0].assessor, subject=subject, body=body, campaign=task.campaign, kind=ASSIGNMENT)
    return True


def _to_tell(task: Task, rows: Sequence[int] | None = None) -> list[Assignment]:
    """Unfinished assignments of a date that is near or past, of which their assessor has not been told yet."""
    today = today_in(task.campaign.time_zone)
    until = today + timedelta(days=rules_of(task).remind_days)
    has_role = Role.objects.filter(campaign=task.campaign_id, role=Role.ASSESSOR, user=OuterRef("assessor"))
    found: QuerySet[Any] = Assignment.objects.filter(
        Exists(has_role), pool__task=task, finished_at=None, handed_over_at=None, is_repeat=False
    )
    found = with_due(found if rows is None else found.filter(pk__in=rows)).filter(due__lte=until)
    ordered = found.select_related("topic", "assessor").order_by("due", by_numbers("topic__number"), "pk")
    return [one for one in ordered if (one.overdue_told_for if _due(one) < today else one.reminded_for) != _due(one)]


def _due(assignment: Assignment) -> date:
    due: date = assignment.due  # type: ignore[attr-defined] # an annotation of `with_due`
    return due


def _lines(assignments: Sequence[Assignment]) -> list[str]:
    return [f"{_due(one):%-d %b %Y}  topic {one.topic.number}" for one in assignments]
