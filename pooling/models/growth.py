from django.conf import settings
from django.db import models

from campaign.formats.runs.tags import LONGEST_TAG
from campaign.formats.shapes import FLAG, TEXT, list_of, object_of, or_null
from campaign.models import Topic
from campaign.models.fields import LimitedJSONField, LimitedTextField
from campaign.text import limits
from pooling.models.pools import FrozenPool, Pool


class PoolChoice(FrozenPool):
    """A step of a pool that grows: the document that was chosen, and what was known of the others then.

    With the seed and the pooled runs, the steps of a topic come out again: `manage.py replay_pool`.
    """

    instead = "A step is logged once."

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="choices")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="pool_choices")
    step = models.PositiveIntegerField(help_text="From 1 in each topic.")
    docno = models.CharField(max_length=200)
    run = models.CharField(
        "run tag", max_length=LONGEST_TAG, blank=True, help_text="Of the run that was followed, if one was."
    )
    policy = models.CharField(max_length=40)
    seed = models.BigIntegerField()
    engine = models.CharField(
        "engine version", max_length=20, blank=True, help_text="Of the code that chose; empty if it was not recorded."
    )
    learned = LimitedJSONField(
        shape=object_of(or_null(FLAG)),
        default=dict,
        help_text="By docno, what was known and was not at the step before: relevant or not, null for no longer known.",
    )
    pending = LimitedJSONField(
        shape=list_of(TEXT),
        default=list,
        help_text="Docnos of the base and of chosen documents not judged then.",
    )
    chosen_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pool", "topic__position", "step"]
        constraints = [
            models.UniqueConstraint(fields=["pool", "topic", "step"], name="step_once_per_pool_and_topic"),
            models.UniqueConstraint(fields=["pool", "topic", "docno"], name="document_chosen_once_per_topic"),
        ]

    def __str__(self) -> str:
        return f"step {self.step} of topic {self.topic.number}: {self.docno}"


class TopicStop(FrozenPool):
    """That a topic of a growing pool stopped, or went on: the last row of a topic holds."""

    instead = "The next decision is a new row."

    RULE, EXHAUSTED, HAND, ON = "rule", "exhausted", "hand", "on"
    KINDS = {
        RULE: "stopped by the rule",
        EXHAUSTED: "no candidate left",
        HAND: "stopped by hand",
        ON: "goes on",
    }

    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, related_name="stops")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="pool_stops")
    kind = models.CharField(max_length=9, choices=KINDS)
    until = models.PositiveIntegerField(
        null=True, blank=True, help_text="Where it goes on past the rule: the judgments at which it stops."
    )
    reason = LimitedTextField(limit=limits.REASON)
    decided_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    decided_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        indexes = [models.Index(fields=["pool", "topic"], name="stop_by_topic")]

    def __str__(self) -> str:
        return f"topic {self.topic.number} {self.get_kind_display()}"
