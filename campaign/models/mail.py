from django.conf import settings
from django.db import models
from django.db.models import Q

from campaign.models.campaign import Campaign
from campaign.models.fields import LimitedTextField
from campaign.text import limits

NOTICE, DEADLINE, REMINDER, PHASE, RESULTS = "notice", "deadline", "reminder", "phase", "results"
ERRATUM, ROLE, ASSIGNMENT, MEMBER, RUN = "erratum", "role", "assignment", "member", "run"
QUESTION = "question"
KINDS = {
    NOTICE: "an organiser writes a notice",
    DEADLINE: "a deadline is moved",
    REMINDER: "a deadline is 7 days or 1 day away",
    PHASE: "a task enters another phase",
    RESULTS: "qrels or a leaderboard are published",
    ERRATUM: "an erratum is published",
    ROLE: "you are given a role, or it is taken from you",
    ASSIGNMENT: "topics are assigned to you, or are due",
    MEMBER: "a member joins or leaves your team",
    RUN: "a run of your team has been checked",
    QUESTION: "somebody asks about a task that you organise",
}
"""What a mail that its reader can switch off is about. Mails that answer a request or give access have no kind."""


class Mail(models.Model):
    """A mail that is to be sent once; written in the transaction that makes it necessary, sent by a job."""

    recipient = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="mails")
    address = models.EmailField(max_length=254)
    reply_to = models.EmailField(max_length=254, blank=True)
    subject = models.CharField(max_length=200)
    body = LimitedTextField(limit=limits.MAIL_BODY)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, null=True, related_name="mails")
    batch = models.UUIDField(null=True, help_text="Of mails that go to many: each address once.")
    kind = models.CharField(max_length=10, choices=KINDS, blank=True, default="", db_default="")
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint(fields=["batch", "address"], name="mail_once_per_batch_and_address")]

    def __str__(self) -> str:
        return f"{self.subject} to {self.address}"


class MailChoice(models.Model):
    """How a person gets mails of one kind. Without a row: each mail at once."""

    EACH, DAILY, OFF = "each", "daily", "off"
    CHOICES = {EACH: "one mail each", DAILY: "one mail a day", OFF: "no mail"}

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="mail_choices")
    kind = models.CharField(max_length=10, choices=KINDS)
    choice = models.CharField(max_length=5, choices=CHOICES)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["user", "kind"], name="mail_choice_once_per_user_and_kind"),
            models.CheckConstraint(condition=Q(choice__in=["each", "daily", "off"]), name="mail_choice_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user}: {self.kind} {self.choice}"


class DigestEntry(models.Model):
    """What a person reads in their next mail of the day. The row is deleted in the transaction that writes this mail."""

    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="digest_entries")
    text = LimitedTextField(limit=limits.NOTE)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["pk"]

    def __str__(self) -> str:
        return f"for {self.user}: {self.text[:60]}"
