import uuid

from django.conf import settings
from django.db import models
from django.db.models import Q

from campaign.models import tones
from campaign.models.fields import LimitedJSONField
from campaign.models.task import Task
from campaign.models.tones import Toned
from campaign.text import limits


class Import(Toned, models.Model):
    """An uploaded file on its way in: checked first, shown, and applied only when its sender confirms."""

    TOPICS, DOCUMENTS, QRELS, POOL, JUDGMENTS = "topics", "documents", "qrels", "pool", "judgments"
    KINDS = {TOPICS: "topics", DOCUMENTS: "documents", QRELS: "qrels", POOL: "a pool", JUDGMENTS: "judgments"}
    CHECKING, READY, BAD, APPLYING, DONE, DISCARDED = "checking", "ready", "bad", "applying", "done", "discarded"
    STATES = {
        CHECKING: "checking",
        READY: "ready to import",
        BAD: "has problems",
        APPLYING: "importing",
        DONE: "imported",
        DISCARDED: "discarded",
    }
    TONES = {
        CHECKING: tones.WORKING,
        READY: tones.WAITING,
        BAD: tones.BAD,
        APPLYING: tones.WORKING,
        DONE: tones.GOOD,
        DISCARDED: tones.OFF,
    }

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="imports")
    kind = models.CharField(max_length=10, choices=KINDS)
    state = models.CharField(max_length=10, choices=STATES, default=CHECKING)
    file = models.FileField(max_length=200, editable=False)
    file_name = models.CharField(max_length=200)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField(max_length=64)
    options = LimitedJSONField(limit=limits.OPTIONS, default=dict, blank=True)
    format = models.CharField(max_length=20, blank=True)
    records = models.PositiveIntegerField(default=0)
    preview = models.JSONField(default=list, blank=True)
    found = models.JSONField(
        default=dict, blank=True, help_text="What the check found besides, for the confirmation and the job."
    )
    problems = models.JSONField(default=dict, blank=True)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(kind__in=["topics", "documents", "qrels", "pool", "judgments"]), name="import_kind_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} from {self.file_name}"
