from typing import Self

from django.db import models

from campaign.models.fields import LimitedTextField, address_part, topic_number
from campaign.models.row_states import KeepsStates, KeepsStatesQuerySet
from campaign.models.task import Task
from campaign.text import limits


class TopicQuerySet(KeepsStatesQuerySet["Topic"]):
    def counting(self) -> Self:
        """Topics that enter published means and tests: neither removed from scoring nor given for feedback."""
        return self.filter(removed_at__isnull=True, is_feedback=False)


class Topic(KeepsStates):
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="topics")
    number = models.CharField(max_length=200, validators=[topic_number])
    position = models.PositiveIntegerField(help_text="Order of the topic file, from 1.")
    title = LimitedTextField(limit=limits.TITLE_OF_TOPIC)
    description = LimitedTextField(limit=limits.PART_OF_TOPIC, blank=True)
    narrative = LimitedTextField(limit=limits.PART_OF_TOPIC, blank=True)
    is_feedback = models.BooleanField(
        default=False, help_text="Its scores are shown during the round; it never enters published means or tests."
    )
    removed_at = models.DateTimeField(null=True, editable=False, help_text="When it left the scoring.")
    removal_reason = LimitedTextField(limit=limits.REASON, blank=True, editable=False)
    removed_after_scores = models.BooleanField(
        default=False,
        editable=False,
        help_text="Whether scores with this topic had been computed before it was removed.",
    )

    objects = TopicQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        ordering = ["task", "position"]
        constraints = [
            models.UniqueConstraint(fields=["task", "number"], name="topic_number_once_per_task"),
            models.UniqueConstraint(fields=["task", "position"], name="topic_position_once_per_task"),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.title}"


class Subtopic(KeepsStates):
    goes_with = "topic"

    topic = models.ForeignKey(Topic, on_delete=models.CASCADE, related_name="subtopics")
    number = models.CharField(max_length=200, validators=[address_part])
    position = models.PositiveIntegerField()
    text = LimitedTextField(limit=limits.SUBTOPIC)

    class Meta:
        ordering = ["topic", "position"]
        constraints = [
            models.UniqueConstraint(fields=["topic", "number"], name="subtopic_number_once_per_topic"),
        ]

    def __str__(self) -> str:
        return f"{self.number} {self.text}"
