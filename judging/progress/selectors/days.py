"""When the judgments of a task were stored."""

from datetime import UTC, date

from django.db.models import Count, Max
from django.db.models.functions import TruncDate

from campaign.models import Task
from judging.models import Judgment


def judgments_by_day(task: Task) -> dict[date, int]:
    """The judgments that stand, of all assessors and passes, by the day (UTC) on which the site stored them."""
    standing = Judgment.objects.of_task(task.pk).filter(is_current=True, verdict__in=Judgment.JUDGED).order_by()
    days = standing.annotate(day=TruncDate("received_at", tzinfo=UTC)).values_list("day").annotate(Count("pk"))
    return dict(days)


def newest_judgment(task: Task) -> int | None:
    """What counts of a task does not change until this one has a successor: each act of judging is a row of its own."""
    newest: int | None = Judgment.objects.of_task(task.pk).aggregate(newest=Max("pk"))["newest"]
    return newest
