from django.db import models

from campaign.formats.shapes import TEXT, WHOLE, list_of, or_null, record
from campaign.models.fields import LimitedJSONField, Sha256Field
from campaign.models.task import Task


class JudgedBefore(models.Model):
    """The pairs of topic and document judged in the rounds before a residual one, as they were when the round opened.

    They leave runs and qrels of the round before pooling and scoring. Fixed anew only while the round is in its set-up.
    """

    task = models.OneToOneField(Task, on_delete=models.CASCADE, related_name="judged_before")
    file = models.FileField("pairs (Parquet: topic, docno)", max_length=200)
    sha256 = Sha256Field("SHA-256", max_length=64)
    pairs = models.PositiveIntegerField()
    topics = models.PositiveIntegerField(help_text="Topics of this round with such a pair.")
    changed = models.PositiveIntegerField(
        default=0, help_text="Pairs left out because the text of the document has changed: they are judged anew."
    )
    sources = LimitedJSONField(
        shape=list_of(
            record({"round": TEXT, "judgments": WHOLE, "qrels": or_null(WHOLE)}, {"qrels_sha256": TEXT}),
        ),
        default=list,
        help_text="By earlier round: its address, its newest qrels and the number of its judgments.",
    )
    fixed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "judged before"
        ordering = ["task"]

    def __str__(self) -> str:
        return f"what was judged before {self.task}"
