import json
from typing import ClassVar

from django.conf import settings
from django.core.exceptions import ValidationError
from django.db import models
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from campaign.formats.shapes import FLAG, TEXT, any_of, object_of
from campaign.models.fields import LimitedJSONField, LimitedTextField, Sha256Field
from campaign.models.task import Task
from campaign.models.written_once import WrittenOnce
from campaign.text import limits

TEXTS = object_of(any_of(TEXT, FLAG, object_of(TEXT)))
"""By the name of a part its text, of subtopics those by number; of a topic in or out of scoring whether it is scored."""


class Correction(WrittenOnce):
    """An erratum of a task: what teams or assessors had seen of a text, and what stands there now.

    The texts of version n are the `after` of that version and the `before` of the next one; version 1 is what was there first.
    A document of a collection that several tasks share has an erratum in each of them.
    """

    TOPIC, DOCUMENT, GUIDELINES, GRADE, SCORING = "topic", "document", "guidelines", "grade", "scoring"
    KINDS = {
        TOPIC: "text of a topic",
        DOCUMENT: "text of a document",
        GUIDELINES: "guidelines",
        GRADE: "grade",
        SCORING: "topic in or out of scoring",
    }
    instead: ClassVar[str] = "Correct the text again."

    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="corrections")
    number = models.PositiveIntegerField(help_text="Of the erratum, counted in the task from 1.")
    kind = models.CharField(max_length=10, choices=KINDS)
    key = models.CharField(
        max_length=200, blank=True, help_text="Topic number, docno or value of the grade; empty for the guidelines."
    )
    version = models.PositiveIntegerField(help_text="Of the text after the correction, from 2.")
    before = LimitedJSONField(limit=limits.CORRECTED, shape=TEXTS, help_text="The changed parts by their names.")
    after = LimitedJSONField(limit=limits.CORRECTED, shape=TEXTS)
    before_sha256 = Sha256Field("SHA-256 before", max_length=64, blank=True, help_text="Of what assessors see.")
    after_sha256 = Sha256Field("SHA-256 after", max_length=64, blank=True)
    reason = LimitedTextField(limit=limits.REASON, help_text="For organisers.")
    note = LimitedTextField(limit=limits.NOTE, help_text="For everybody who sees the task.")
    by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    at = models.DateTimeField(default=timezone.now)

    class Meta:
        ordering = ["task", "number"]
        constraints = [
            models.UniqueConstraint(fields=["task", "number"], name="erratum_number_once_per_task"),
            models.UniqueConstraint(fields=["task", "kind", "key", "version"], name="correction_version_once"),
        ]

    def __str__(self) -> str:
        return f"erratum {self.number}"

    def clean(self) -> None:
        texts = json.dumps([self.before, self.after], ensure_ascii=False)
        size = len(texts.encode("utf-8", "surrogatepass"))
        if size > limits.BYTES_CORRECTED:
            raise ValidationError(
                f"The changed parts have, before and after together, {filesizeformat(size)}; an archive of the campaign holds at "
                f"most {filesizeformat(limits.BYTES_CORRECTED)} of a correction. Import the documents anew as another collection."
            )

    @property
    def is_of_text(self) -> bool:
        return self.kind != self.SCORING
