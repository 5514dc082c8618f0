from django.conf import settings
from django.db import models

from campaign.models.campaign import Campaign
from campaign.models.fields import LimitedTextField, Sha256Field, require_plain_lines
from campaign.models.team import Team
from campaign.text import limits


class Agreement(models.Model):
    """A text that teams accept before they submit. Its words never change: a new wording is a new agreement."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="agreements")
    title = models.CharField(max_length=120)
    text = LimitedTextField(limit=limits.MARKDOWN, help_text="Markdown.")
    created_at = models.DateTimeField(auto_now_add=True)
    retired_at = models.DateTimeField(null=True, help_text="From then on nobody is asked for it any more.")

    class Meta:
        ordering = ["pk"]

    def clean(self) -> None:
        require_plain_lines(self)

    def __str__(self) -> str:
        return self.title


class Acceptance(models.Model):
    """Who accepted an agreement for a team, and when. Kept for good."""

    agreement = models.ForeignKey(Agreement, on_delete=models.PROTECT, related_name="acceptances")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="acceptances")
    accepted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    accepted_at = models.DateTimeField(auto_now_add=True)
    text_sha256 = Sha256Field("SHA-256 of the text", max_length=64)

    class Meta:
        ordering = ["pk"]
        constraints = [
            models.UniqueConstraint(fields=["agreement", "team"], name="acceptance_once_per_agreement_and_team")
        ]

    def __str__(self) -> str:
        return f"{self.team} accepts {self.agreement}"
