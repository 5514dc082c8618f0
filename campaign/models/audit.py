from django.conf import settings
from django.db import models

from campaign.formats.shapes import ANYTHING, object_of
from campaign.models.campaign import Campaign
from campaign.models.fields import LimitedJSONField
from campaign.models.written_once import WrittenOnce


class AuditEvent(WrittenOnce):
    """Who did what to which object, and when."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, null=True, related_name="audit_events")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    verb = models.CharField(max_length=40)
    object_type = models.CharField(max_length=40)
    object_id = models.CharField(max_length=60)
    data = LimitedJSONField(shape=object_of(ANYTHING), default=dict, blank=True)
    happened_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-pk"]
        indexes = [
            models.Index(fields=["object_type", "object_id"], name="audit_by_object"),
            models.Index(fields=["campaign", "-id"], name="audit_by_campaign"),
        ]

    def __str__(self) -> str:
        return f"{self.actor or 'system'} {self.verb} {self.object_type} {self.object_id}"
