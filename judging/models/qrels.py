from typing import Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse

from campaign.formats.shapes import TEXT, list_of
from campaign.models import Campaign, Task, Visitor
from campaign.models.fields import LimitedJSONField, LimitedTextField, Sha256Field
from campaign.models.written_once import WrittenOnce, WrittenOnceQuerySet
from campaign.text import limits
from judging.core.resolution import UNGRADED_AS, UNJUDGED_AS
from judging.core.set_names import DEFAULT, LONGEST, set_in_words, set_name_problem
from pooling.models import Pool

SAMPLE_TABLES = {"stratum": "strata", "probability": "probabilities"}
"""The name of the table that a sample is released as, by `Qrels.sampled_by`."""


def validate_set_name(name: str) -> None:
    if problem := set_name_problem(name):
        raise ValidationError(problem)


class QrelsQuerySet(WrittenOnceQuerySet["Qrels"]):
    def visible_to(self, user: Visitor) -> Self:
        """Organisers see all; others only those that a leaderboard with names, for everybody, rests on."""
        if user.is_superuser:
            return self
        return self.filter(
            Q(published_at__isnull=False) | Q(task__campaign__in=Campaign.objects.organised_by(user).values("pk"))
        )


class Qrels(WrittenOnce):
    """A released version of a task's relevance judgments. Immutable but for the moment of its publication."""

    changeable = frozenset({"published_at"})
    instead = "Release a new version."

    JUDGED, IMPORTED, MERGED = "judged", "imported", "merged"
    SOURCES = {JUDGED: "judged here", IMPORTED: "imported", MERGED: "judged here, merged with a file"}
    STRATUM, PROBABILITY = "stratum", "probability"
    SAMPLES = {STRATUM: "by strata", PROBABILITY: "with probabilities"}

    task = models.ForeignKey(Task, on_delete=models.PROTECT, related_name="qrels")
    set_name = models.CharField(
        "set",
        max_length=LONGEST,
        blank=True,
        default=DEFAULT,
        validators=[validate_set_name],
        help_text="What was judged; empty: relevance. Versions are numbered through all sets of a task.",
    )
    version = models.PositiveIntegerField()
    source = models.CharField(max_length=10, choices=SOURCES)
    policy = models.CharField(max_length=40, default="latest", help_text="How several judgments became one grade.")
    pool = models.ForeignKey(Pool, on_delete=models.PROTECT, null=True, blank=True, related_name="qrels")
    file = models.FileField(max_length=200)
    subtopic_file = models.FileField(max_length=200, blank=True)
    sha256 = Sha256Field("SHA-256", max_length=64)
    subtopic_sha256 = Sha256Field("SHA-256 of the subtopic file", max_length=64, blank=True)
    sampled_by = models.CharField(
        max_length=11,
        choices=SAMPLES,
        blank=True,
        help_text="What the sample file has of each document, if there is one.",
    )
    sample_file = models.FileField(max_length=200, blank=True)
    sample_sha256 = Sha256Field("SHA-256 of the sample file", max_length=64, blank=True)
    twins_file = models.FileField(
        max_length=200,
        blank=True,
        help_text="topic docno representative: near-identical documents of which one was to be judged for all.",
    )
    twins_sha256 = Sha256Field("SHA-256 of the classes of near-identical documents", max_length=64, blank=True)
    topics = LimitedJSONField(
        shape=list_of(TEXT), default=list, help_text="Topic numbers in byte order: the columns of every evaluation."
    )
    judgment_count = models.PositiveIntegerField()
    relevant_count = models.PositiveIntegerField()
    highest_grade = models.PositiveIntegerField(
        null=True, blank=True, help_text="Of all documents; not recorded of versions from before there were sets."
    )
    lowest_relevant_grade = models.PositiveSmallIntegerField(
        default=1,
        validators=[MinValueValidator(1)],
        help_text="From which grade `relevant_count` counts: that of the task when this version was released.",
    )
    topics_not_scored = LimitedJSONField(
        shape=list_of(TEXT),
        default=list,
        blank=True,
        help_text="Judged topics that the organiser left out of the scores.",
    )
    unjudged_count = models.PositiveIntegerField(default=0, help_text="Pooled pairs without a grade.")
    cannot_judge_as = models.CharField(
        max_length=8, choices=UNGRADED_AS, default="-2", help_text="What became of pairs that could not be judged."
    )
    unjudged_as = models.CharField(
        max_length=8, choices=UNJUDGED_AS, default="-1", help_text="What became of pairs that nobody judged."
    )
    manifest_file = models.FileField(
        max_length=200, blank=True, help_text="What this version rests on; none of versions from before there were any."
    )
    manifest_sha256 = Sha256Field("SHA-256 of the manifest", max_length=64, blank=True)
    note = LimitedTextField(limit=limits.NOTE, blank=True)
    released_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    released_at = models.DateTimeField(auto_now_add=True)
    published_at = models.DateTimeField(null=True, blank=True)

    objects = QrelsQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        ordering = ["task", "-version"]
        verbose_name_plural = "qrels"
        constraints = [models.UniqueConstraint(fields=["task", "version"], name="qrels_version_once_per_task")]

    def __str__(self) -> str:
        return f"qrels v{self.version}" + (f" ({self.set_name})" if self.set_name else "")

    @property
    def holds_relevant_only(self) -> bool:
        """Then nobody can tell what was judged and is not relevant from what was not judged."""
        return 0 < self.judgment_count == self.relevant_count

    @property
    def highest_of_own_scale(self) -> int:
        """The highest grade of a set that has a scale of its own; 0 of judgments of relevance, whose scale is the task's."""
        return self.highest_grade or 0 if self.set_name else 0

    @property
    def set_in_words(self) -> str:
        return set_in_words(self.set_name)

    @property
    def files(self) -> dict[str, str]:
        """The stored file of each table that this version has, under the table's name in `QrelsTables` or in `SAMPLE_TABLES`."""
        files = {"overall": str(self.file.name), "by_subtopic": str(self.subtopic_file.name)}
        if self.sampled_by:
            files[SAMPLE_TABLES[self.sampled_by]] = str(self.sample_file.name)
        return {table: name for table, name in files.items() if name}

    @property
    def checksums(self) -> dict[str, str | int]:
        """What names these judgments exactly, in files that rest on them; what a version has not is not named."""
        named: dict[str, str | int] = {
            "version": self.version,
            "sha256": self.sha256,
            "subtopic_sha256": self.subtopic_sha256,
        }
        others = {"set": self.set_name, "sample_sha256": self.sample_sha256, "twins_sha256": self.twins_sha256}
        return named | {name: value for name, value in others.items() if value}

    def get_absolute_url(self) -> str:
        return reverse("qrels_detail", kwargs={**self.task.address, "version": self.version})
