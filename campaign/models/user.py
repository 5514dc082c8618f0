import unicodedata
from typing import TypeAlias

from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.core.exceptions import ValidationError
from django.db import models
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
