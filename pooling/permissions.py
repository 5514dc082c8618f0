"""Pools are the organisers' own: who contributed what must stay hidden from assessors."""

from campaign.models import Task, Visitor
from campaign.permissions import get_or_404, require_organiser
from pooling.models import Pool


def get_pool_or_404(user: Visitor, task: Task, version: int) -> Pool:
    """A pool of a task that the user sees already; those who do not organise it get 403."""
    require_organiser(user, task.campaign)
    return get_or_404(Pool.objects.select_related("task__campaign", "frozen_by"), task=task, version=version)
