import hashlib

from django.conf import settings
from django.db import models


class FormerName(models.Model):
    """A name or address that a deleted account had, as its SHA-256: the log shows the account's number in its place."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="former_names")
    text_sha256 = models.CharField("SHA-256 of the text in lower case", max_length=64)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["user", "text_sha256"], name="former_name_once_per_user")]

    def __str__(self) -> str:
        return f"former name of user {self.user_id}"

    @staticmethod
    def sha256_of(text: str) -> str:
        return hashlib.sha256(text.casefold().encode("utf-8", "surrogatepass")).hexdigest()
