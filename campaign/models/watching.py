from django.db import models


class SiteFigures(models.Model):
    """Figures on the whole site that are counted bit by bit, since to count them anew would mean to read every row."""

    JOBS, STORAGE, SWEEPS, FAILED_STEPS, SITE = "jobs", "storage", "sweeps", "failed steps", "site"
    UNFINISHED = "unfinished"

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
