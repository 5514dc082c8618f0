from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models

from campaign.models import Task


class AssigningRules(models.Model):
    """What holds for all assignments of a task: when they are due, and whether assessors take topics themselves."""

    task = models.OneToOneField(Task, on_delete=models.CASCADE, related_name="assigning_rules")
    due_on = models.DateField(
        "due on", null=True, blank=True, help_text="The last day, in the campaign's time zone. Empty: no date."
    )
    remind_days = models.PositiveSmallIntegerField(
        "days before, to remind",
        default=3,
        validators=[MaxValueValidator(60)],
        help_text="Assessors with unfinished topics get one mail so many days before, and one when the date is past.",
    )
    topics_are_open = models.BooleanField(
        "Assessors may take topics that nobody has",
        default=False,
        help_text="They find them on their page “My topics”, by number and title.",
    )
    topics_at_once = models.PositiveSmallIntegerField(
        "unfinished topics at once",
        default=2,
        validators=[MinValueValidator(1), MaxValueValidator(1000)],
        help_text="Who has so many takes another when one is finished.",
    )
    avoids_conflicts = models.BooleanField(
        "Not by members of teams whose runs are in the pool",
        default=True,
        help_text="They would judge documents that their own runs brought in.",
    )

    def __str__(self) -> str:
        return f"rules of assigning in {self.task}"
