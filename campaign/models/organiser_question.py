from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Subquery
from django.urls import reverse

from campaign.models.fields import LimitedTextField
from campaign.models.task import Task
from campaign.models.written_once import WrittenOnce, WrittenOnceQuerySet
from campaign.text import limits


class OrganiserQuestionQuerySet(WrittenOnceQuerySet["OrganiserQuestion"]):
    def open(self) -> Self:
        """Those without an answer."""
        return self.filter(~Exists(OrganiserAnswer.objects.filter(question=OuterRef("pk"))))

    def published(self) -> Self:
        """Those whose newest answer is for everybody who sees the task."""
        newest = OrganiserAnswer.objects.filter(question=OuterRef("pk")).order_by("-pk")
        return self.alias(newest_is_public=Subquery(newest.values("is_public")[:1])).filter(newest_is_public=True)


class OrganiserQuestion(WrittenOnce):
    """What somebody who sees a task asks its organisers. Its asker withdraws it, which deletes it, while it has no answer."""

    may_be_deleted = True
    instead = "Ask another one."

    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="organiser_questions")
    asked_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    text = LimitedTextField(limit=limits.ORGANISER_QUESTION)
    shows_name = models.BooleanField(
        default=False, help_text="Whether a published answer names who asked. Organisers always see the name."
    )
    asked_at = models.DateTimeField(auto_now_add=True)

    objects = OrganiserQuestionQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        ordering = ["-pk"]
        verbose_name = "question to the organisers"
        verbose_name_plural = "questions to the organisers"

    def __str__(self) -> str:
        return f"question {self.pk}"

    def get_absolute_url(self) -> str:
        """The page of the list that shows it."""
        return f"{reverse('question_list', kwargs=self.task.address)}?question={self.pk}#question-{self.pk}"


class OrganiserAnswer(WrittenOnce):
    """An answer of the organisers. The newest of a question stands; those before it are what it corrects."""

    instead = "Write another one: it corrects this one."

    question = models.ForeignKey(OrganiserQuestion, on_delete=models.PROTECT, related_name="answers")
    text = LimitedTextField(limit=limits.ORGANISER_ANSWER)
    is_public = models.BooleanField(
        help_text="Everybody who sees the task reads it with the question; else the asker alone."
    )
    written_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    written_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"answer {self.pk} to {self.question}"
