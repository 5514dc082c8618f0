from typing import TypeAlias

from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.db import models
from django.db.models.functions import Lower


class User(AbstractUser):
    display_name = models.CharField("name shown to others", max_length=80, blank=True)
    time_zone = models.CharField(max_length=64, blank=True, help_text="Empty: the browser's own.")
    single_keys = models.BooleanField(
        "single-key shortcuts", default=True, help_text="Judge and move with one key. Switch off for speech input."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(
                Lower("username"),
                name="user_username_unique_ignoring_case",
                violation_error_message="This user name is taken.",
            )
        ]

    def __str__(self) -> str:
        return self.display_name or self.username


Visitor: TypeAlias = User | AnonymousUser
"""The user of a request, signed in or not."""
