import numpy as np
import numpy.typing as npt
from django.db import models

from campaign.database.clock import MadeAtField
from campaign.formats.runs.order_setting import BY_SCORE, REFERENCES, RELEASE_9, RUN_ORDERS, Ordering
from campaign.formats.shapes import NUMBER, TEXT, WHOLE, list_of, object_of, or_null, record
from campaign.models import Run
from campaign.models.fields import LimitedJSONField, Sha256Field
from campaign.models.written_once import WrittenOnce
from evaluation.boards.curves import RANKS
from evaluation.engine.analyses.curves import FALSE_POSITIVE_RATES
from judging.models import PreferenceOrder, Qrels

AT_LEVELS, AT_RANKS = list_of(NUMBER, 11), list_of(NUMBER, len(RANKS))
CURVES = record(
    {
        "settings": record({"level": WHOLE, "gain": TEXT, "collection_size": or_null(WHOLE)}),
        **dict.fromkeys(("macro", "micro"), AT_LEVELS),
        **dict.fromkeys(("gain", "ideal", "discounted", "ideal_discounted"), AT_RANKS),
        "roc": or_null(list_of(NUMBER, len(FALSE_POSITIVE_RATES))),
        "area": or_null(NUMBER),
    }
)


class Evaluation(WrittenOnce):
    """The scores of one run under one version of the qrels: a float for every measure and topic, and their means."""

    may_be_deleted = True
    instead = "Delete the evaluation and score the run anew."

    ENGINE = "3"
    """Raised whenever a change to the engine may change a number: everything is then scored anew."""

    run = models.ForeignKey(Run, on_delete=models.CASCADE, related_name="evaluations")
    qrels = models.ForeignKey(Qrels, on_delete=models.CASCADE, related_name="evaluations")
    engine = models.CharField("engine version", max_length=20)
    run_order = models.CharField("documents ordered by", max_length=10, choices=RUN_ORDERS, default=BY_SCORE)
    reference = models.CharField("reference release of trec_eval", max_length=10, choices=REFERENCES, default=RELEASE_9)
    run_sha256 = Sha256Field(max_length=64)
    qrels_sha256 = Sha256Field(max_length=64)
    measures = LimitedJSONField(shape=list_of(TEXT), help_text="Names of the measures: the rows of `values`.")
    values = models.BinaryField(help_text="float64, little-endian, measures by topics of the qrels; NaN: left out.")
    means = LimitedJSONField(
        shape=object_of(or_null(NUMBER)), help_text="Measure to its one number over the topics that are not left out."
    )
    topics_answered = models.PositiveIntegerField()
    unjudged_at_10 = models.FloatField(
        null=True, help_text="Share of the first 10 documents that are not judged, mean over the answered topics."
    )
    unjudged_best = LimitedJSONField(
        shape=object_of(or_null(NUMBER)),
        null=True,
        help_text="Measure to its one number if all unjudged documents it looks at had the highest grade; null: none.",
    )
    unjudged_best_values = models.BinaryField(
        null=True,
        help_text="As `values`, if they had; NaN also for measures without such a number; null: scored before they were kept.",
    )
    curves = LimitedJSONField(
        shape=CURVES,
        null=True,
        help_text="Recall and precision, gain, ROC: means over topics; null: scored before they were kept.",
    )
    left_out = LimitedJSONField(
        shape=list_of(TEXT),
        default=list,
        blank=True,
        help_text="Topics of the qrels that enter none of the numbers but `values`: removed from scoring, or for feedback.",
    )
    missed = LimitedJSONField(
        shape=list_of(TEXT), null=True, help_text="Topics of the qrels that the run does not answer; null: not kept."
    )
    scored_at = MadeAtField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["run", "qrels", "engine"], name="evaluation_once")]

    def __str__(self) -> str:
        return f"{self.run} by {self.qrels}"

    @property
    def ordering(self) -> Ordering:
        """By what the documents of the run were ordered."""
        return Ordering(self.run_order, self.reference)

    def matrix(self) -> npt.NDArray[np.float64]:
        """Values of shape (measures, topics)."""
        return np.frombuffer(self.values, dtype="<f8").reshape(len(self.measures), -1)

    def unjudged_best_matrix(self) -> npt.NDArray[np.float64] | None:
        """Values of the same shape if all unjudged documents had the highest grade; None if they were not kept."""
        if self.unjudged_best_values is None:
            return None
        return np.frombuffer(self.unjudged_best_values, dtype="<f8").reshape(len(self.measures), -1)

    def unjudged_best_of(self, measure: str) -> npt.NDArray[np.float64] | None:
        """The row of this measure in that matrix."""
        matrix = self.unjudged_best_matrix()
        return None if matrix is None else matrix[self.measures.index(measure)]


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
