"""When the judgments of a task were stored."""

from datetime import UTC, date

from django.db.models import Count
from django.db.models.functions import TruncDate

from campaign.models import Task
from judging.models import Judgment


def judgments_by_day(task: Task) -> dict[date, int]:
    """The judgments that stand, of all assessors and passes, by the day (UTC) on which the site stored them."""
    standing = Judgment.objects.of_task(task.pk).filter(is_current=True, verdict__in=Judgment.JUDGED).order_by()
    days = standing.annotate(day=TruncDate("received_at", tzinfo=UTC)).values_list("day").annotate(Count("pk"))
    return dict(days)
