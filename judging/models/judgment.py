from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from campaign.formats.shapes import GRADE, object_of
from campaign.models import Topic
from campaign.models.fields import LimitedJSONField, LimitedTextField, Sha256Field
from campaign.models.written_once import WrittenOnce, WrittenOnceQuerySet
from campaign.text import limits
from judging.models.assignment import Assignment

MOST_KEYS = 10_000
"""So many topics are named one by one in a query, which takes a bounded number of values: SQLite, as it comes, 32,766.
A task of more is no small one."""


class JudgmentQuerySet(WrittenOnceQuerySet["Judgment"]):
    def of_task(self, task_id: int) -> Self:
        """Those about the task's topics, whose keys are asked for first.

        Of a join by the task PostgreSQL expects as many judgments as tasks have on average: beside a task with a million, it
        would read all of them for a task with ten. How many a topic has, it knows.
        """
        topics = Topic.objects.filter(task=task_id).order_by().values("pk")
        keys = [topic["pk"] for topic in topics[: MOST_KEYS + 1]]
        return self.filter(topic__in=keys if len(keys) <= MOST_KEYS else topics)


class Judgment(WrittenOnce):
    """One act of an assessor about one document for one topic. Append-only: a change of mind is a new row.

    `is_current` marks the latest act on (topic, docno, assessor, pass) and is the only column that ever changes.
    """

    changeable = frozenset({"is_current"})
    instead = "A change of mind is a new row."

    GRADED, CANNOT_JUDGE, WITHDRAWN, DRAFT = "graded", "cannot_judge", "withdrawn", "draft"
    VERDICTS = {
        GRADED: "graded",
        CANNOT_JUDGE: "cannot judge",
        WITHDRAWN: "taken back",
        DRAFT: "noted, not judged",
    }
    JUDGED = (GRADED, CANNOT_JUDGE)
    KEY, POINTER, FORM, SCRIPT, IMPORT = "key", "pointer", "form", "script", "import"
    INPUTS = {
        KEY: "by key",
        POINTER: "by mouse or touch",
        FORM: "by a page without scripts",
        SCRIPT: "by a program",
        IMPORT: "imported by an organiser",
    }
    AT_THE_DESK = (KEY, POINTER, FORM)
    FULL, PASSAGE = "full", "passage"
    EXTENTS = {FULL: "the full text", PASSAGE: "a passage"}

    uuid = models.UUIDField("made by the browser", unique=True)
    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="judgments")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="judgments")
    assessor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="judgments")
    pass_number = models.PositiveSmallIntegerField("pass", default=1)
    docno = models.CharField(max_length=200)
    verdict = models.CharField(max_length=12, choices=VERDICTS)
    grade = models.SmallIntegerField(null=True, blank=True)
    details = LimitedJSONField(
        shape=object_of(GRADE),
        default=dict,
        blank=True,
        help_text="What the judging mode keeps besides the grade.",
    )
    note = LimitedTextField(limit=limits.JUDGMENT_NOTE, blank=True)
    shown_at = models.DateTimeField(null=True)
    judged_at = models.DateTimeField(help_text="By the browser's clock, corrected to the server's.")
    active_ms = models.PositiveIntegerField(null=True)
    away_ms = models.PositiveIntegerField(
        null=True, blank=True, help_text="Time while it was shown in which nobody read it."
    )
    reason = models.CharField(max_length=limits.REASON_OF_JUDGMENT, blank=True, help_text="Why it could not be judged.")
    flagged = models.BooleanField(default=False, help_text="The assessor wants to come back to it.")
    previous = models.UUIDField(
        null=True, blank=True, help_text="The act on the same document that was current until this one."
    )
    undoes = models.UUIDField(null=True, blank=True, help_text="The act that this one takes back.")
    input_method = models.CharField(max_length=7, choices=INPUTS, blank=True)
    position = models.PositiveIntegerField(
        null=True, help_text="Place of the document in the list at the desk, from 1."
    )
    extent = models.CharField(max_length=7, choices=EXTENTS, blank=True, help_text="How much of the text was shown.")
    text_sha256 = Sha256Field("SHA-256 of the text shown", max_length=64, blank=True)
    topic_sha256 = Sha256Field("SHA-256 of the topic shown", max_length=64, blank=True)
    guidelines_sha256 = Sha256Field("SHA-256 of the guidelines shown", max_length=64, blank=True)
    received_at = models.DateTimeField(auto_now_add=True)
    is_current = models.BooleanField(default=True)

    objects = JudgmentQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        ordering = ["pk"]
        indexes = [
            models.Index(fields=["assignment", "is_current"], name="judgment_by_assignment"),
            models.Index(fields=["assignment", "id"], name="judgment_last_of_assignment"),
            models.Index(fields=["topic", "docno"], name="judgment_by_document"),
        ]
        constraints = [
            models.UniqueConstraint(
                fields=["topic", "docno", "assessor", "pass_number"],
                condition=Q(is_current=True),
                name="judgment_one_current",
            ),
            models.CheckConstraint(
                condition=Q(verdict="graded", grade__isnull=False)
                | Q(verdict__in=["cannot_judge", "withdrawn", "draft"], grade__isnull=True),
                name="judgment_grade_goes_with_verdict",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.docno}: {self.grade if self.grade is not None else self.verdict}"
