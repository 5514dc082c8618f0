import hashlib
import unicodedata
from typing import TypeAlias

from django.conf import settings
from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models import Q
from django.db.models.functions import Lower

from campaign.formats.problems import visible
from campaign.models.fields import SkeletonField, require_unlike
from campaign.models.lookalikes import validate_name

USER_NAME_NOT_FREE = "This user name is not free. Choose another."

SIGNS = "._+-"
ALLOWED = "Use letters, digits and . + - _ only."


def validate_user_name(name: str) -> None:
    """Marks, such as the vowel signs of Hindi and the tones of Thai, are parts of letters."""
    for place, character in enumerate(name):
        is_mark = place > 0 and unicodedata.category(character).startswith("M")
        if not (character.isalnum() or character in SIGNS or is_mark):
            why = "a user name must not look like an address" if character == "@" else "choose another sign"
            raise ValidationError(f"{ALLOWED} “{visible(character)}” cannot stand here: {why}.")


class User(AbstractUser):
    username = models.CharField(
        "user name",
        max_length=150,
        unique=True,
        help_text="Letters, digits and . + - _",
        validators=[validate_user_name, validate_name],
        error_messages={"unique": USER_NAME_NOT_FREE},
    )
    username_skeleton = SkeletonField(of="username", unique=True)
    display_name = models.CharField("name shown to others", max_length=80, blank=True, validators=[validate_name])
    may_found_campaigns = models.BooleanField(
        default=False, help_text="Where only chosen people create campaigns (RUNPOOL_CAMPAIGN_CREATION=staff)."
    )
    time_zone = models.CharField(max_length=64, blank=True, help_text="Empty: the browser's own.")
    single_keys = models.BooleanField(
        "single-key shortcuts", default=True, help_text="Judge and move with one key. Switch off for speech input."
    )
    desk_keys = models.JSONField(
        "keys of the desk", default=dict, blank=True, help_text="Own keys by the name of the command."
    )
    news_seen_until = models.DateTimeField(
        null=True, blank=True, editable=False, help_text="What came after it is new to the person; null: all is."
    )

    deleted_at = models.DateTimeField(
        null=True,
        blank=True,
        editable=False,
        help_text="When the account was deleted: only its number is left of the person.",
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                Lower("username"),
                name="user_username_unique_ignoring_case",
                violation_error_message=USER_NAME_NOT_FREE,
            )
        ]

    def clean(self) -> None:
        super().clean()
        require_unlike(self, "username_skeleton", USER_NAME_NOT_FREE)

    def __str__(self) -> str:
        return self.display_name or self.username


Visitor: TypeAlias = User | AnonymousUser
"""The user of a request, signed in or not."""


class ApiToken(models.Model):
    """Lets a program act as its user within a scope, until it expires or is revoked. Only a hash of it is kept."""

    READ, SUBMIT, ORGANISE = "read", "submit", "organise"
    SCOPES = {
        READ: "read: look, change nothing",
        SUBMIT: "submit: read, act for my teams, and judge as an assessor",
        ORGANISE: "organise: all of that, and change the campaigns that I organise",
    }
    """Each includes those before it."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="api_tokens")
    name = models.CharField(max_length=60, help_text="What it is for: the name of a machine or a script.")
    scope = models.CharField(max_length=10, choices=SCOPES, default=SUBMIT)
    start = models.CharField(max_length=12, editable=False, help_text="The first characters, to tell tokens apart.")
    token_sha256 = models.CharField(max_length=64, unique=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)
    expires_at = models.DateTimeField()
    last_used_at = models.DateTimeField(null=True, editable=False)
    revoked_at = models.DateTimeField(null=True, editable=False)

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(scope__in=["read", "submit", "organise"]), name="api_token_scope_is_known"
            )
        ]

    def covers(self, scope: str) -> bool:
        order = list(self.SCOPES)
        return order.index(self.scope) >= order.index(scope)

    def __str__(self) -> str:
        return f"{self.name} of {self.user}"


class FormerName(models.Model):
    """A name or address that an account had, as its SHA-256: once it is deleted, the log shows its number in their place."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="former_names")
    text_sha256 = models.CharField("SHA-256 of the text in lower case", max_length=64)
    until = models.DateTimeField(
        null=True, help_text="When the account gave it up, and others could have it; empty: when it was deleted."
    )

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "text_sha256"], name="former_name_once_per_user")]

    def __str__(self) -> str:
        return f"former name of user {self.user_id}"

    @staticmethod
    def sha256_of(text: str) -> str:
        return hashlib.sha256(text.casefold().encode("utf-8", "surrogatepass")).hexdigest()


class DataExport(models.Model):
    """What the site holds of a person, asked for by that person: a zip that a job makes. The file is removed after some days."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="data_exports")
    file = models.FileField(max_length=200, blank=True, help_text="Empty: not made yet, or removed.")
    sha256 = models.CharField("SHA-256", max_length=64, blank=True)
    size = models.PositiveBigIntegerField(default=0)
    requested_at = models.DateTimeField(auto_now_add=True)
    made_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"data of user {self.user_id}"
