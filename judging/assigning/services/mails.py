"""Mails to assessors about topics that they are given."""

from collections import defaultdict
from collections.abc import Iterable, Sequence

from campaign.mail.services import mail_text, mail_user
from campaign.models import User
from campaign.models.mail import ASSIGNMENT
from campaign.text.plurals import number_of
from campaign.web.links import absolute
from judging.models import Assignment

MOST_NAMED = 20


def tell_of_assignments(actor: User, created: Iterable[Assignment]) -> None:
    """One mail to each assessor, in the transaction that assigns. A hidden repeat is told to nobody, nor is a draft."""
    by_assessor: dict[int, list[Assignment]] = defaultdict(list)
    for assignment in created:
        if not assignment.is_repeat and assignment.assessor_id != actor.pk:
            by_assessor[assignment.assessor_id].append(assignment)
    for assignments in by_assessor.values():
        _tell(assignments)


def _tell(assignments: Sequence[Assignment]) -> None:
    task = assignments[0].pool.task
    if task.campaign.opened_at is None:
        return
    numbers = [assignment.topic.number for assignment in assignments]
    context = {
        "task": task,
        "due_on": assignments[0].due_on,
        "named": numbers[:MOST_NAMED],
        "more": len(numbers) - MOST_NAMED,
        "page": absolute(task.url("my_topics")),
    }
    subject = f"{number_of(len(numbers), 'topic')} assigned to you: {task}"
    body = mail_text("topics_assigned", **context)
    mail_user(user=assignments[0].assessor, subject=subject, body=body, campaign=task.campaign, kind=ASSIGNMENT)
