from django.db.models import PROTECT, Count, ManyToOneRel, QuerySet

from campaign.models import Run, Task, Topic


def topic_numbers(task: Task) -> list[str]:
    """Return the topic numbers in the order of the topic file."""
    return list(task.topics.values_list("number", flat=True))


def task_topics(task: Task) -> QuerySet[Topic]:
    return task.topics.annotate(subtopic_count=Count("subtopics")).order_by("position")


def neighbours(topic: Topic) -> tuple[Topic | None, Topic | None]:
    """The topics before and after this one in the order of the topic file."""
    siblings = Topic.objects.filter(task=topic.task_id)
    before = siblings.filter(position__lt=topic.position).order_by("-position").first()
    after = siblings.filter(position__gt=topic.position).order_by("position").first()
    return before, after


def topics_are_in_use(task: Task) -> bool:
    """Whether anything of a later app (a pool, an assignment, a judgment) protects a topic of the task."""
    return any(
        relation.related_model._base_manager.filter(**{f"{relation.field.name}__task": task}).exists()
        for relation in Topic._meta.related_objects
        if isinstance(relation, ManyToOneRel) and relation.on_delete is PROTECT
    )


def topics_may_be_replaced(task: Task) -> bool:
    return not topics_are_in_use(task) and not Run.objects.filter(task=task).counting().exists()
