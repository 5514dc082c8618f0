"""Archives of campaigns that are made here, those that come in to be restored, and what people and teams are called in them."""

import uuid
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q

from campaign.models import tones
from campaign.models.campaign import Campaign, slug_validator
from campaign.models.task import Task
from campaign.models.team import Team
from campaign.models.tones import Toned
from campaign.models.user import Visitor


class Archive(models.Model):
    """A campaign, or one task of it, as one zip that a job makes. The row and its checksums outlive the file."""

    DOCNOS, TEXTS = "docnos", "texts"
    DOCUMENTS = {
        DOCNOS: "document numbers only",
        TEXTS: "document numbers, titles and texts",
    }
    PSEUDONYMS, NAMES = "pseudonyms", "names"
    PEOPLE = {
        PSEUDONYMS: "pseudonyms, such as assessor-1",
        NAMES: "names, user names and mail addresses",
    }

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="archives")
    task = models.ForeignKey(Task, on_delete=models.CASCADE, null=True, blank=True, related_name="archives")
    documents = models.CharField(max_length=10, choices=DOCUMENTS, default=DOCNOS)
    people = models.CharField(max_length=10, choices=PEOPLE, default=PSEUDONYMS)
    file = models.FileField(max_length=200, blank=True, help_text="Empty: not made yet, or removed after some time.")
    sha256 = models.CharField("SHA-256", max_length=64, blank=True)
    content_sha256 = models.CharField("SHA-256 of the content", max_length=64, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    made_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(condition=Q(documents__in=["docnos", "texts"]), name="archive_documents_are_known"),
            models.CheckConstraint(condition=Q(people__in=["pseudonyms", "names"]), name="archive_people_are_known"),
        ]

    def __str__(self) -> str:
        return f"archive of {self.task or self.campaign}"


class RestorationQuerySet(models.QuerySet["Restoration"]):
    def visible_to(self, user: Visitor) -> Self:
        """Each sees their own: an archive holds what nobody here may see yet."""
        if user.is_superuser:
            return self
        return self.filter(created_by=user) if user.is_authenticated else self.none()


class Restoration(Toned, models.Model):
    """An archive on its way in: checked first, shown, and restored as a new campaign when its sender confirms."""

    CHECKING, READY, BAD, RESTORING, DONE, DISCARDED = "checking", "ready", "bad", "restoring", "done", "discarded"
    STATES = {
        CHECKING: "checking",
        READY: "ready to restore",
        BAD: "has problems",
        RESTORING: "restoring",
        DONE: "restored",
        DISCARDED: "discarded",
    }
    TONES = {
        CHECKING: tones.WORKING,
        READY: tones.WAITING,
        BAD: tones.BAD,
        RESTORING: tones.WORKING,
        DONE: tones.GOOD,
        DISCARDED: tones.OFF,
    }

    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    state = models.CharField(max_length=10, choices=STATES, default=CHECKING)
    file = models.FileField(max_length=200, editable=False)
    file_name = models.CharField(max_length=200)
    size = models.PositiveBigIntegerField()
    sha256 = models.CharField("SHA-256", max_length=64)
    slug = models.CharField("address", max_length=50, blank=True, validators=[slug_validator])
    found = models.JSONField(default=dict, blank=True, help_text="What the check found, for the confirmation.")
    problems = models.JSONField(default=dict, blank=True)
    campaign = models.ForeignKey(
        Campaign,
        on_delete=models.SET_NULL,
        null=True,
        related_name="restorations",
        help_text="What it became. While it is being restored, a draft without people that nobody else sees.",
    )
    created_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    created_at = models.DateTimeField(auto_now_add=True)
    finished_at = models.DateTimeField(null=True)

    objects = RestorationQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at"]
        constraints = [
            models.CheckConstraint(
                condition=Q(state__in=["checking", "ready", "bad", "restoring", "done", "discarded"]),
                name="restoration_state_is_known",
            ),
        ]

    def __str__(self) -> str:
        return f"restoration of {self.file_name}"


class ArchivedName(models.Model):
    """What a person or a team is called in the archives of a campaign: the same in all of them.

    `facts`: of people and teams that came out of an archive, what it says of them; null of those who are at home here.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="archived_names")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, null=True, related_name="+")
    name = models.CharField(max_length=60)
    facts = models.JSONField(null=True)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "user"], name="archived_name_once_per_user"),
            models.UniqueConstraint(fields=["campaign", "team"], name="archived_name_once_per_team"),
            models.UniqueConstraint(
                fields=["campaign", "name"], condition=Q(team=None), name="archived_name_of_one_person"
            ),
            models.CheckConstraint(
                condition=Q(user=None, team__isnull=False) | Q(user__isnull=False, team=None),
                name="archived_name_of_user_or_team",
            ),
        ]

    def __str__(self) -> str:
        return self.name
