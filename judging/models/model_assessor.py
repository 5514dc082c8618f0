"""Model assessors and what they grade. Apart from the judgments of people: no row of one kind refers to the other."""

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q

from campaign.models import Task, Topic, User
from campaign.models.fields import LimitedTextField, Sha256Field
from campaign.models.written_once import WrittenOnce
from campaign.text import limits

SHA256 = RegexValidator(r"^[0-9a-f]{64}\Z", "Write the SHA-256 as 64 characters from 0-9 and a-f.")


class ModelAssessor(models.Model):
    """A program that grades documents of one task, in one version with one prompt; another prompt is another version.

    Its token works for its own operations of the API only, and only its hash is kept. It works as long as `token_maker`
    organises the campaign.
    """

    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="model_assessors")
    name = models.CharField(max_length=60)
    version = models.CharField(max_length=60)
    family = models.CharField(
        "model family",
        max_length=60,
        blank=True,
        help_text="As runs would name it, such as “llama”. Runs of the same family are compared with the others.",
    )
    prompt_sha256 = Sha256Field(
        "SHA-256 of the prompt",
        max_length=64,
        validators=[SHA256],
        help_text="Of the prompt's text, or of the rule's where there is no prompt. Another prompt needs another version.",
    )
    description = LimitedTextField(
        limit=limits.DESCRIPTION, blank=True, help_text="What it is, and how it comes to a grade."
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    token_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        on_delete=models.PROTECT,
        null=True,
        editable=False,
        related_name="+",
        help_text="Who made another token; the first one is made by who made the model assessor.",
    )
    token_start = models.CharField(max_length=12, editable=False)
    token_sha256 = models.CharField(max_length=64, unique=True, editable=False)
    token_expires_at = models.DateTimeField(editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False, help_text="From then on its token is refused.")

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["task", "name", "version"],
                name="model_assessor_version_once",
                violation_error_message="The task has a model assessor of this name and version. Choose another version.",
            )
        ]

    def __str__(self) -> str:
        return f"{self.name} v{self.version}"

    @property
    def token_maker(self) -> User:
        return self.token_by or self.created_by


class ModelJudgment(WrittenOnce):
    """One grade of a model assessor. Append-only: another grade of the same document is a new row."""

    changeable = frozenset({"is_current"})
    instead = "Another grade is a new row."

    GRADED, CANNOT_JUDGE = "graded", "cannot_judge"
    VERDICTS = {GRADED: "graded", CANNOT_JUDGE: "cannot judge"}

    uuid = models.UUIDField("made by the model assessor", unique=True)
    model_assessor = models.ForeignKey(ModelAssessor, on_delete=models.PROTECT, related_name="judgments")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="model_judgments")
    docno = models.CharField(max_length=200)
    verdict = models.CharField(max_length=12, choices=VERDICTS)
    grade = models.SmallIntegerField(null=True, blank=True)
    name = models.CharField(max_length=60)
    version = models.CharField(max_length=60)
    prompt_sha256 = Sha256Field("SHA-256 of the prompt", max_length=64)
    received_at = models.DateTimeField(auto_now_add=True)
    is_current = models.BooleanField(default=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["model_assessor", "topic", "docno"],
                condition=Q(is_current=True),
                name="model_judgment_one_current",
            ),
            models.CheckConstraint(
                condition=Q(verdict="graded", grade__isnull=False) | Q(verdict="cannot_judge", grade__isnull=True),
                name="model_judgment_grade_goes_with_verdict",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.docno}: {self.grade if self.grade is not None else self.get_verdict_display()}"
