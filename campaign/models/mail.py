from django.conf import settings
from django.db import models

from campaign import lengths
from campaign.models.campaign import Campaign
from campaign.models.fields import LimitedTextField


class Mail(models.Model):
    """A mail that is to be sent once; written in the transaction that makes it necessary, sent by a job."""

    recipient = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="mails")
    address = models.EmailField(max_length=254)
    reply_to = models.EmailField(max_length=254, blank=True)
    subject = models.CharField(max_length=200)
    body = LimitedTextField(limit=lengths.MAIL_BODY)
    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, null=True, related_name="mails")
    batch = models.UUIDField(null=True, help_text="Of mails that an organiser sends to many: each address once.")
    created_at = models.DateTimeField(auto_now_add=True)
    sent_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-pk"]
        constraints = [models.UniqueConstraint(fields=["batch", "address"], name="mail_once_per_batch_and_address")]

    def __str__(self) -> str:
        return f"{self.subject} to {self.address}"
