from django.conf import settings
from django.db import models
from django.db.models import Q

from campaign.formats.shapes import GRADE, TEXT, list_of, object_of
from campaign.models import Topic
from campaign.models.fields import LimitedJSONField, LimitedTextField
from campaign.models.written_once import WrittenOnce
from campaign.text import limits


class Adjudication(WrittenOnce):
    """What an adjudicator decided about one document for one topic, in view of its judgments; these stay as they are.

    Append-only like the judgments: `is_current` marks the latest decision and is the only column that ever changes. A decision
    that was taken back is a row of its own.
    """

    changeable = frozenset({"is_current"})
    instead = "A change of mind is a new row."

    GRADED, CANNOT_JUDGE, WITHDRAWN = "graded", "cannot_judge", "withdrawn"
    VERDICTS = {GRADED: "graded", CANNOT_JUDGE: "cannot be judged", WITHDRAWN: "taken back"}

    uuid = models.UUIDField("made by the browser", unique=True)
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="adjudications")
    docno = models.CharField(max_length=200)
    adjudicator = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="adjudications")
    verdict = models.CharField(max_length=12, choices=VERDICTS)
    grade = models.SmallIntegerField(null=True, blank=True)
    details = LimitedJSONField(
        shape=object_of(GRADE),
        default=dict,
        blank=True,
        help_text="What the judging mode keeps besides the grade.",
    )
    note = LimitedTextField(limit=limits.JUDGMENT_NOTE, blank=True)
    judgments = LimitedJSONField(
        shape=list_of(TEXT), default=list, help_text="UUIDs of the judgments that the adjudicator saw."
    )
    previous = models.UUIDField(null=True, blank=True, help_text="The decision that was current until this one.")
    decided_at = models.DateTimeField(auto_now_add=True)
    is_current = models.BooleanField(default=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["topic", "docno"], condition=Q(is_current=True), name="adjudication_one_current"
            ),
            models.CheckConstraint(
                condition=Q(verdict="graded", grade__isnull=False)
                | Q(verdict__in=["cannot_judge", "withdrawn"], grade__isnull=True),
                name="adjudication_grade_goes_with_verdict",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.docno}: {self.grade if self.grade is not None else self.get_verdict_display()}"
