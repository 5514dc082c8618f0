from django.db import models

from campaign.models import Task
from campaign.models.written_once import WrittenOnce
from evaluation.models.leaderboard import Leaderboard


class WorkingTrust(models.Model):
    """How far the order of a task's working board can be trusted, as it was computed last. Organisers see it, nobody else.

    `mark`: of the working board that it was computed from; another mark now means that it is not up to date.
    """

    task = models.OneToOneField(Task, on_delete=models.CASCADE, related_name="working_trust")
    mark = models.CharField(max_length=64)
    report = models.FileField(max_length=200, help_text="JSON, under its SHA-256.")
    computed_at = models.DateTimeField(auto_now=True)

    class Meta:
        verbose_name_plural = "reports on working boards"

    def __str__(self) -> str:
        return f"report on the working board of {self.task}"


class PublishedTrust(WrittenOnce):
    """How far the order of a published leaderboard can be trusted: computed once, from exactly its runs and qrels."""

    instead = "It belongs to a leaderboard, which never changes either."

    leaderboard = models.OneToOneField(Leaderboard, on_delete=models.PROTECT, related_name="trust")
    report = models.FileField(max_length=200, help_text="JSON, under its SHA-256.")
    computed_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        verbose_name_plural = "reports on leaderboards"

    def __str__(self) -> str:
        return f"report on {self.leaderboard}"
