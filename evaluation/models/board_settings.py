from django.db import models
from django.db.models import CheckConstraint, Q

from campaign.models import Task
from evaluation.boards.choice import ALL_PAIRS, FAMILIES, Choice
from evaluation.engine.significance.declarations import CORRECTIONS, TESTS


class BoardSettings(models.Model):
    """What the organisers of a task chose for its board; a task without has the defaults."""

    task = models.OneToOneField(Task, on_delete=models.CASCADE, related_name="board_settings")
    test = models.CharField(max_length=20, choices=[(one.name, one.label) for one in TESTS.values()], default="max-t")
    correction = models.CharField(
        max_length=20, choices=[(one.name, one.label) for one in CORRECTIONS.values()], default="none"
    )
    family = models.CharField(max_length=20, choices=FAMILIES, default=ALL_PAIRS)
    baseline = models.CharField("baseline", max_length=60, blank=True)
    named_before_scores = models.BooleanField(default=False, editable=False)

    class Meta:
        verbose_name_plural = "board settings"
        constraints = [
            CheckConstraint(
                condition=Q(named_before_scores=False) | ~Q(baseline=""), name="board_settings_named_is_a_baseline"
            )
        ]

    def __str__(self) -> str:
        return f"board settings of {self.task}"

    @property
    def choice(self) -> Choice:
        return Choice(self.test, self.correction, self.family, self.baseline, self.named_before_scores)
