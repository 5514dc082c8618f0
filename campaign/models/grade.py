from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q

from campaign.models.fields import require_plain_lines
from campaign.models.task import Task


class Grade(models.Model):
    """One step of a task's grade scale."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="grades")
    value = models.SmallIntegerField(validators=[MinValueValidator(0)])
    label = models.CharField(max_length=40)
    key = models.CharField(max_length=1, help_text="The key that gives this grade at the desk.")
    gain = models.FloatField(validators=[MinValueValidator(0)])
    definition = models.CharField(max_length=300, blank=True)

    class Meta:
        ordering = ["value"]
        constraints = [
            models.UniqueConstraint(fields=["task", "value"], name="grade_value_once_per_task"),
            models.UniqueConstraint(fields=["task", "key"], name="grade_key_once_per_task"),
            models.CheckConstraint(condition=Q(value__gte=0), name="grade_value_not_negative"),
            models.CheckConstraint(condition=Q(gain__gte=0), name="grade_gain_not_negative"),
        ]

    def clean(self) -> None:
        require_plain_lines(self)

    def __str__(self) -> str:
        return f"{self.value} {self.label}"
