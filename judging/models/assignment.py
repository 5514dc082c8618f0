from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from campaign.models import Campaign, Topic, Visitor
from pooling.models import Pool


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def visible_to(self, user: Visitor) -> Self:
        """Assessors see their own; organisers those of their campaigns. Assessors are blind to each other."""
        if user.is_superuser:
            return self
        if not user.is_authenticated:
            return self.none()
        organised = Campaign.objects.organised_by(user).values("pk")
        return self.filter(Q(assessor=user) | Q(pool__task__campaign__in=organised))


class Assignment(models.Model):
    """One assessor judges one topic of a pool; a second pass over the topic is another assignment."""

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="assignments")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="assignments")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="assignments")
    pass_number = models.PositiveSmallIntegerField("pass", default=1)
    assigned_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    assigned_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)
    handed_over_at = models.DateTimeField(
        null=True, blank=True, help_text="From then on somebody else judges the rest."
    )
    handed_over_to = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ["pool", "topic__position", "pass_number", "pk"]
        constraints = [
            models.UniqueConstraint(fields=["pool", "topic", "assessor", "pass_number"], name="assignment_once"),
            models.CheckConstraint(condition=Q(pass_number__gte=1), name="assignment_pass_from_1"),
        ]

    @property
    def is_handed_over(self) -> bool:
        return self.handed_over_at is not None

    def __str__(self) -> str:
        return f"topic {self.topic.number} to {self.assessor}"
