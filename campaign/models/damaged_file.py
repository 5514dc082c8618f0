from django.db import models
from django.db.models import Q


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
