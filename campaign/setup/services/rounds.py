"""The next round of a task: a new task of the same campaign with its settings."""

from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign.log.audit import audit
from campaign.models import Subtopic, Task, Topic, User
from campaign.modes import GradeStep
from campaign.setup.services.tasks import task_create

IDENTITY = ("id", "campaign", "slug", "title", "created_at", "follows", "round_kind")
STATE = ("opens_at", "closes_at", "phase", "runs_closed_at", "qrels_known_at")
OWN = frozenset([*IDENTITY, *STATE])
"""Fields that each round has for itself; all others are copied."""


@transaction.atomic
def round_add(
    *,
    actor: User,
    task: Task,
    slug: str,
    title: str,
    round_kind: str,
    with_topics: bool = True,
    opens_at: datetime | None = None,
    closes_at: datetime | None = None,
) -> Task:
    """Add a round after `task`, in its set-up: settings, grade scale and collection are copied, topics if asked for.

    People, teams and agreements are those of the campaign. A residual round has the topics of the earlier one.
    """
    if round_kind == Task.RESIDUAL and not with_topics:
        raise ValidationError({"with_topics": "A residual round has the topics of the round before: copy them."})
    copied: dict[str, Any] = {
        field.name: getattr(task, field.name) for field in Task._meta.concrete_fields if field.name not in OWN
    }
    if round_kind != Task.DEVELOPMENT and copied["scores_shown"] == Task.LIVE:
        copied["scores_shown"] = Task.NOTHING
    added = task_create(
        actor=actor,
        campaign=task.campaign,
        slug=slug,
        title=title,
        grades=_scale(task),
        follows=task,
        round_kind=round_kind,
        **{**copied, "opens_at": opens_at, "closes_at": closes_at},
    )
    if with_topics:
        _copy_topics(task, added)
    audit(actor, "add round", added, campaign=task.campaign, follows=task.slug, kind=round_kind)
    return added


def _scale(task: Task) -> list[GradeStep]:
    steps = task.grades.values("value", "label", "key", "gain", "definition")
    return [GradeStep(**step) for step in steps]


def _copy_topics(task: Task, added: Task) -> None:
    topics = list(task.topics.filter(removed_at__isnull=True).prefetch_related("subtopics"))
    copies = Topic.objects.bulk_create(
        Topic(
            task=added,
            number=topic.number,
            position=topic.position,
            title=topic.title,
            description=topic.description,
            narrative=topic.narrative,
        )
        for topic in topics
    )
    Subtopic.objects.bulk_create(
        Subtopic(topic=copy, number=subtopic.number, position=subtopic.position, text=subtopic.text)
        for topic, copy in zip(topics, copies, strict=True)
        for subtopic in topic.subtopics.all()
    )
