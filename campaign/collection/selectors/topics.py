from typing import Any

from django.db.models import PROTECT, Count, ManyToOneRel, QuerySet

from campaign.models import Correction, Run, Task, Topic
from campaign.text.collation import by_numbers


def topic_numbers(task: Task) -> list[str]:
    """Return the topic numbers in the order of the topic file."""
    return list(task.topics.order_by("position").values_list("number", flat=True))


def unscored_topics(task: Task) -> frozenset[str]:
    """Return the topics that are removed from scoring."""
    return frozenset(task.topics.filter(removed_at__isnull=False).values_list("number", flat=True))


def task_topics(task: Task) -> QuerySet[Topic]:
    """By their numbers, as pages list them, without their longer texts."""
    return (
        task.topics.defer("description", "narrative")
        .annotate(subtopic_count=Count("subtopics"))
        .order_by(by_numbers("number"))
    )


def neighbours(topic: Topic) -> tuple[Topic | None, Topic | None]:
    """The topics before and after this one in the order of their numbers."""
    listed = list(Topic.objects.filter(task=topic.task_id).order_by(by_numbers("number")).only("number", "title"))
    place = listed.index(topic)
    return listed[place - 1] if place else None, listed[place + 1] if place + 1 < len(listed) else None


def topics_are_in_use(task: Task) -> bool:
    """Whether anything of a later app (a pool, an assignment, a judgment) protects a topic of the task."""
    return any(
        relation.related_model._base_manager.filter(**{f"{relation.field.name}__task": task}).exists()
        for relation in Topic._meta.related_objects
        if isinstance(relation, ManyToOneRel) and relation.on_delete is PROTECT
    )


def topics_may_be_replaced(task: Task) -> bool:
    """Errata name topics by their numbers, so they keep the topics as runs and judgments do."""
    used = Run.objects.filter(task=task).counting().exists() or Correction.objects.filter(task=task).exists()
    return not used and not topics_are_in_use(task)


def topic_texts(topic: Topic) -> dict[str, Any]:
    """The texts that can be corrected; `subtopics` as number to text."""
    return {
        "title": topic.title,
        "description": topic.description,
        "narrative": topic.narrative,
        "subtopics": {subtopic.number: subtopic.text for subtopic in topic.subtopics.all()},
    }


DELETE, REMOVE, PUT_BACK = "delete", "remove", "put_back"


def removal_consequences(topic: Topic, act: str, *, has_scores: bool) -> list[str]:
    """What follows when a topic is deleted, removed from scoring, or put back."""
    if act == DELETE:
        return [
            "Nobody but the organisers and assessors has seen this topic: it is deleted, with its subtopics.",
            "Import it anew to have it again.",
        ]
    scores = (
        "Scores with this topic have been computed, so somebody may have seen them: the log and later leaderboards say so."
        if has_scores
        else "No scores have been computed yet."
    )
    public = "The public note is shown among the errata of the task and beside the topic."
    if act == PUT_BACK:
        return ["The topic counts again in means and tests that are computed from now on.", scores, public]
    return [
        "The topic stays in the topic files, runs, pools and qrels, and its judgments and assignments stay as they are.",
        "It no longer counts in means and tests that are computed from now on. Published leaderboards stay as they are.",
        scores,
        public,
    ]
