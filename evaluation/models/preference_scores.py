import numpy as np
import numpy.typing as npt
from django.db import models

from campaign.clock import MadeAtField
from campaign.models import Run
from campaign.models.fields import Sha256Field
from campaign.models.written_once import WrittenOnce
from judging.models import PreferenceOrder


class PreferenceScores(WrittenOnce):
    """The scores of one run by one released order of preferences: a float for every topic of the order, and their mean."""

    may_be_deleted = True
    instead = "Delete them and score the run anew."

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="preference_scores")
    order = models.ForeignKey(PreferenceOrder, on_delete=models.CASCADE, related_name="scores")
    engine = models.CharField("engine version", max_length=20)
    measure = models.CharField(max_length=100)
    run_order = models.CharField("documents ordered by", max_length=10)
    reference = models.CharField("reference release of trec_eval", max_length=10)
    run_sha256 = Sha256Field(max_length=64)
    values = models.BinaryField(help_text="float64, little-endian, one for each topic of the order.")
    mean = models.FloatField()
    topics_answered = models.PositiveIntegerField()
    scored_at = MadeAtField()

    class Meta:
        verbose_name_plural = "preference scores"
        constraints = [models.UniqueConstraint(fields=["run", "order", "engine"], name="preference_scores_once")]

    def __str__(self) -> str:
        return f"{self.run} by {self.order}"

    def by_topic(self) -> npt.NDArray[np.float64]:
        """Values of shape (topics,)."""
        return np.frombuffer(self.values, dtype="<f8")
