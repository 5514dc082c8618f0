"""Judgments as lists for programs: assessors see their own, organisers those of the task."""

from django.db.models import QuerySet

from campaign.models import Task, User
from judging.judgments.selectors.own_documents import is_own
from judging.models import Judgment


def judgments_visible_to(user: User, task: Task, *, organises: bool) -> "QuerySet[Judgment]":
    of_task = Judgment.objects.of_task(task.pk).select_related("topic", "assessor")
    return of_task if organises else of_task.filter(is_own(user))
