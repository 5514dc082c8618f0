from django.core.validators import MaxValueValidator
from django.db import models

from campaign.models.fields import MomentField
from campaign.models.task import Task
from campaign.models.team import Team


class Allowance(models.Model):
    """What one team may have beyond the rules of a task and of the site. The audit says who gave it, and why."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="allowances")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="allowances")
    extra_runs = models.PositiveIntegerField(default=0, validators=[MaxValueValidator(1000)])
    extra_attempts = models.PositiveIntegerField("extra uploads a day", default=0, validators=[MaxValueValidator(1000)])
    extra_gib = models.PositiveIntegerField("extra GB a day", default=0, validators=[MaxValueValidator(1000)])
    closes_at = MomentField("own deadline", null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "team"], name="allowance_once_per_task_and_team")]

    def __str__(self) -> str:
        return f"{self.team} in {self.task}"
