"""Preferences between documents of a topic's best grade, and the orders that are released from them."""

from typing import Self

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.urls import reverse

from campaign.formats.shapes import TEXT, WHOLE, list_of, or_null, record
from campaign.models import Campaign, Task, Topic, Visitor
from campaign.models.fields import LimitedJSONField, LimitedTextField, Sha256Field
from campaign.models.row_states import KeepsStates
from campaign.models.written_once import WrittenOnce, WrittenOnceQuerySet
from campaign.text import limits
from judging.models.judgment import Judgment
from judging.models.qrels import Qrels

COUNTS = ("documents", "grade", "levels", "ordered_levels", "seed", "control_percent", "comparisons", "bound")
CONSISTENCY = ("pairs", "left", "right", "equal", "repeats", "agreeing", "same_side", "triples", "intransitive")
FACTS = record({"topic": TEXT, "best": or_null(WHOLE), **dict.fromkeys((*COUNTS, *CONSISTENCY), WHOLE)})
"""How the order of a topic came about."""


class PreferenceAssignment(KeepsStates):
    """One assessor compares the documents that have the best grade of a topic in one version of the qrels.

    The documents are stored: other qrels or another grade of a document later change nothing in it.
    """

    unkept = frozenset({"finished_at"})
    goes_with = "topic"

    qrels = models.ForeignKey(Qrels, on_delete=models.PROTECT, related_name="preference_assignments")
    topic = models.ForeignKey(Topic, on_delete=models.PROTECT, related_name="preference_assignments")
    assessor = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="preference_assignments"
    )
    grade = models.SmallIntegerField(help_text="The best grade of the topic in the qrels.")
    documents = LimitedJSONField(shape=list_of(TEXT), help_text="The docnos with this grade, in byte order.")
    best = models.PositiveIntegerField(
        null=True, blank=True, validators=[MinValueValidator(1)], help_text="Only the best so many are put in order."
    )
    control_percent = models.PositiveSmallIntegerField(default=10, validators=[MaxValueValidator(50)])
    seed = models.BigIntegerField(help_text="Of the first order, the sides, and the pairs that are shown again.")
    assigned_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    assigned_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ["qrels", "topic__position", "pk"]
        constraints = [models.UniqueConstraint(fields=["qrels", "topic"], name="preferences_once_per_topic")]

    def __str__(self) -> str:
        return f"preferences of topic {self.topic.number} to {self.assessor}"


class PreferenceAct(WrittenOnce):
    """One answer of an assessor to one pair of documents, or the taking back of one. Append-only."""

    instead = "A change of mind is a new row."

    LEFT, RIGHT, EQUAL, WITHDRAWN = "left", "right", "equal", "withdrawn"
    ANSWERS = {LEFT: "the left one", RIGHT: "the right one", EQUAL: "equally good", WITHDRAWN: "taken back"}

    uuid = models.UUIDField("made by the browser", unique=True)
    assignment = models.ForeignKey(PreferenceAssignment, on_delete=models.PROTECT, related_name="acts")
    left = models.CharField("docno on the left", max_length=200)
    right = models.CharField("docno on the right", max_length=200)
    is_repeat = models.BooleanField(default=False, help_text="Shown before with its sides swapped.")
    answer = models.CharField(max_length=9, choices=ANSWERS)
    previous = models.UUIDField(null=True, blank=True, help_text="The answer to the same pair that counted until then.")
    undoes = models.UUIDField(null=True, blank=True, help_text="The act that this one takes back.")
    note = LimitedTextField(limit=limits.JUDGMENT_NOTE, blank=True)
    shown_at = models.DateTimeField(null=True)
    answered_at = models.DateTimeField(help_text="By the browser's clock, corrected to the server's.")
    active_ms = models.PositiveIntegerField(null=True)
    away_ms = models.PositiveIntegerField(null=True, blank=True)
    input_method = models.CharField(max_length=7, choices=Judgment.INPUTS, blank=True)
    received_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(answer="withdrawn", undoes__isnull=False)
                | models.Q(answer__in=["left", "right", "equal"], undoes__isnull=True),
                name="preference_undoes_or_answers",
            )
        ]

    def __str__(self) -> str:
        return f"{self.left} | {self.right}: {self.answer}"


class PreferenceOrderQuerySet(WrittenOnceQuerySet["PreferenceOrder"]):
    def visible_to(self, user: Visitor) -> Self:
        """Orders are the organisers' own."""
        if user.is_superuser:
            return self
        return self.filter(task__campaign__in=Campaign.objects.organised_by(user).values("pk"))


class PreferenceOrder(WrittenOnce):
    """A released version of the orders that the preferences of a task say, topic by topic."""

    instead = "Release a new version."

    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="preference_orders")
    version = models.PositiveIntegerField()
    qrels = models.ForeignKey(Qrels, on_delete=models.PROTECT, related_name="preference_orders")
    file = models.FileField(max_length=200)
    sha256 = Sha256Field("SHA-256", max_length=64)
    topics = LimitedJSONField(
        shape=list_of(FACTS), help_text="Of each topic in byte order: its number, and how its order came about."
    )
    document_count = models.PositiveIntegerField()
    note = LimitedTextField(limit=limits.NOTE, blank=True)
    released_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    released_at = models.DateTimeField(auto_now_add=True)

    objects = PreferenceOrderQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        ordering = ["task", "-version"]
        constraints = [models.UniqueConstraint(fields=["task", "version"], name="preference_order_once_per_task")]

    def __str__(self) -> str:
        return f"preferences v{self.version}"

    @property
    def topic_numbers(self) -> list[str]:
        return [facts["topic"] for facts in self.topics]

    def get_absolute_url(self) -> str:
        return reverse("preference_order", kwargs={**self.task.address, "version": self.version})
