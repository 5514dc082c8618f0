import hashlib

from django.conf import settings
from django.db import models


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
