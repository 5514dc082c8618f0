from uuid import uuid4

from django.db import models
from django.db.models import Q

from campaign.database.clock import MadeAtField
from campaign.models.fields import LimitedTextField, Sha256Field
from campaign.models.written_once import WrittenOnce
from campaign.text import limits


class SiteFigures(models.Model):
    """Figures on the whole site that are counted bit by bit, since to count them anew would mean to read every row."""

    JOBS, STORAGE, SWEEPS, FAILED_STEPS, SITE = "jobs", "storage", "sweeps", "failed steps", "site"
    UNFINISHED, STEPS, BACKUPS, KEY = "unfinished", "steps", "backups", "key"

    name = models.CharField(max_length=20, primary_key=True)
    at = models.DateTimeField(help_text="Up to when they are counted.")
    values = models.JSONField(default=dict)

    def __str__(self) -> str:
        return f"{self.name} until {self.at}"


class SlowRequest(models.Model):
    """A request that took long. The newest few hundred are kept."""

    KEPT = 500

    at = models.DateTimeField(auto_now_add=True)
    page = models.CharField(max_length=100, help_text="The name of the page and not its address, which may hold a key.")
    method = models.CharField(max_length=10)
    status = models.PositiveSmallIntegerField()
    milliseconds = models.PositiveIntegerField()
    request_id = models.CharField(max_length=64)
    user_id = models.BigIntegerField(null=True, help_text="No relation: the row goes by itself, and soon.")

    class Meta:
        ordering = ["-pk"]

    @property
    def seconds(self) -> float:
        return self.milliseconds / 1000

    def __str__(self) -> str:
        return f"{self.method} {self.page}: {self.milliseconds} ms"


class Verification(models.Model):
    """A verification of the site that came to its end: when, of what, and how much was looked at."""

    sections = models.JSONField(default=list)
    looked = models.JSONField(default=dict, help_text="What was compared, in words, with its number.")
    notes = models.JSONField(default=list, help_text="Sentences on what could not be compared, and is no fault.")
    seed = models.BigIntegerField(default=0, help_text="Of the sample of scores that were computed anew.")
    found = models.PositiveIntegerField(default=0, help_text="Findings, also those that are not kept one by one.")
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"verification of {self.finished_at:%Y-%m-%d}"


class VerificationFinding(models.Model):
    """Something that a verification found, with what to do about it."""

    verification = models.ForeignKey(Verification, on_delete=models.CASCADE, related_name="findings")
    section = models.CharField(max_length=20)
    subject = models.CharField(max_length=300)
    text = LimitedTextField(limit=limits.PROBLEM)
    remedy = LimitedTextField(limit=limits.PROBLEM)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.subject}: {self.text}"


class Seal(WrittenOnce):
    """What rows of a table held when they were sealed. Seals are one chain: each names the SHA-256 of the one before.

    Their keys are given with the chain, 1, 2, 3: those of a sequence have gaps.
    """

    table = models.CharField(max_length=63)
    columns = models.JSONField(help_text="Those that never change, as the table had them.")
    after = models.BigIntegerField(help_text="The key up to which the seal before had sealed the table.")
    through = models.BigIntegerField(help_text="The largest key that is sealed.")
    row_count = models.PositiveIntegerField()
    rows_sha256 = Sha256Field("SHA-256 of the rows", max_length=64)
    previous = Sha256Field(
        max_length=64, unique=True, blank=True, help_text="Empty for the first: the chain never forks."
    )
    sha256 = Sha256Field("SHA-256", max_length=64, help_text="Of all the above.")
    sealed_at = MadeAtField()

    class Meta:
        ordering = ["pk"]
        constraints = [models.UniqueConstraint(fields=["table", "after"], name="seal_once")]
        indexes = [models.Index(fields=["table", "through"], name="seal_end")]

    def __str__(self) -> str:
        return f"seal {self.pk}"


class DamagedFile(models.Model):
    """A stored file that was found missing or with other bytes than those of its name, and whether it is whole again."""

    name = models.CharField(max_length=200)
    found_by = models.CharField(max_length=100, help_text="Who read it: the scoring, a download.")
    found_at = models.DateTimeField(auto_now_add=True)
    found_sha256 = models.CharField(
        max_length=64, blank=True, help_text="Of the bytes found; empty: none, or unreadable."
    )
    moved_to = models.CharField(max_length=200, blank=True, help_text="Where the bytes found are kept. Empty: missing.")
    restored_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.UniqueConstraint(fields=["name"], condition=Q(restored_at=None), name="damaged_file_reported_once")
        ]

    def __str__(self) -> str:
        return self.name


class LastSeen(models.Model):
    """When a part of the site that works unseen last did its work."""

    SWEEP, LOST_JOBS = "sweep", "lost jobs"

    name = models.CharField(max_length=20, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.at}"


class WorkerHeartbeat(models.Model):
    """The last sign of life of a worker that did not end in good order. It is not that of a job, which its own row holds."""

    NAME_LENGTH = 200

    process = models.UUIDField(primary_key=True, default=uuid4, help_text="Two workers may have one name.")
    name = models.CharField(max_length=NAME_LENGTH, help_text="Its own, and its machine behind the @.")
    queues = models.JSONField(default=list)
    begun_at = models.DateTimeField()
    at = models.DateTimeField()

    class Meta:
        ordering = ["name", "begun_at"]

    def __str__(self) -> str:
        return f"{self.name} at {self.at}"


class RenderedText(models.Model):
    """What a text in Markdown looks like: rendered once, found by the text itself. A row can be deleted at any time."""

    text_sha256 = models.CharField("SHA-256 of the text", max_length=64)
    renderer = models.PositiveSmallIntegerField(help_text="The version of the renderer, which may write other HTML.")
    html = models.TextField(blank=True, help_text="Sanitised.")
    is_refused = models.BooleanField(default=False, help_text="It is too much to render: shown as it was written.")
    rendered_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["text_sha256", "renderer"], name="text_rendered_once")]

    def __str__(self) -> str:
        return f"{self.text_sha256[:12]} by renderer {self.renderer}"
