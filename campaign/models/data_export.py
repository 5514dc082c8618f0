from django.conf import settings
from django.db import models


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
