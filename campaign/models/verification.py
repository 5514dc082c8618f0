from django.db import models

from campaign.models.fields import LimitedTextField
from campaign.text import limits


class Verification(models.Model):
    """A verification of the site that came to its end: when, of what, and how much was looked at."""

    sections = models.JSONField(default=list)
    looked = models.JSONField(default=dict, help_text="What was compared, in words, with its number.")
    notes = models.JSONField(default=list, help_text="Sentences on what could not be compared, and is no fault.")
    seed = models.BigIntegerField(default=0, help_text="Of the sample of scores that were computed anew.")
    found = models.PositiveIntegerField(default=0, help_text="Findings, also those that are not kept one by one.")
    started_at = models.DateTimeField()
    finished_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]

    def __str__(self) -> str:
        return f"verification of {self.finished_at:%Y-%m-%d}"


class VerificationFinding(models.Model):
    """Something that a verification found, with what to do about it."""

    verification = models.ForeignKey(Verification, on_delete=models.CASCADE, related_name="findings")
    section = models.CharField(max_length=20)
    subject = models.CharField(max_length=300)
    text = LimitedTextField(limit=limits.PROBLEM)
    remedy = LimitedTextField(limit=limits.PROBLEM)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"{self.subject}: {self.text}"
