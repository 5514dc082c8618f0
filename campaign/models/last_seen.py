from django.db import models


class LastSeen(models.Model):
    """When a part of the site that works unseen last did its work."""

    SWEEP = "sweep"

    name = models.CharField(max_length=20, primary_key=True)
    at = models.DateTimeField()

    def __str__(self) -> str:
        return f"{self.name} at {self.at}"
