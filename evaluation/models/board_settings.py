from datetime import UTC

from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import CheckConstraint, Q

from campaign.formats.runs.tags import LONGEST_TAG
from campaign.models import Task
from campaign.models.fields import LimitedTextField
from campaign.models.row_states import KeepsStates
from campaign.text import limits
from evaluation.boards.choice import ALL_PAIRS, FAMILIES, Choice
from evaluation.engine.significance.declarations import correction_choices, test_choices


class BoardSettings(KeepsStates):
    """What the organisers of a task chose for its board; a task without has the defaults."""

    task = models.OneToOneField(Task, on_delete=models.CASCADE, related_name="board_settings")
    test = models.CharField(max_length=20, choices=test_choices, default="max-t")
    correction = models.CharField(max_length=20, choices=correction_choices, default="none")
    family = models.CharField(max_length=20, choices=FAMILIES, default=ALL_PAIRS)
    baseline = models.CharField("baseline", max_length=LONGEST_TAG, blank=True)
    named_before_scores = models.BooleanField(default=False, editable=False)

    margin = models.FloatField("equivalence margin", null=True, blank=True, validators=[MinValueValidator(1e-9)])
    margin_measure = LimitedTextField(limit=limits.MEASURES, blank=True, editable=False, default="", db_default="")
    margin_named_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        verbose_name_plural = "board settings"
        constraints = [
            CheckConstraint(
                condition=Q(named_before_scores=False) | ~Q(baseline=""), name="board_settings_named_is_a_baseline"
            ),
        ]

    def __str__(self) -> str:
        return f"board settings of {self.task}"

    @property
    def choice(self) -> Choice:
        named_at = self.margin_named_at and self.margin_named_at.astimezone(UTC).isoformat(timespec="seconds")
        return Choice(
            *(self.test, self.correction, self.family, self.baseline, self.named_before_scores),
            margin=self.margin,
            margin_measure=self.margin_measure,
            margin_named_at=named_at or "",
        )
