from django.conf import settings
from django.db import models
from django.db.models import Q

from campaign.models.campaign import Campaign, Role


class RoleInvitation(models.Model):
    """A role that a person is asked to take. It gives no right: the role itself is made when the person accepts it."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="role_invitations")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.CASCADE, related_name="role_invitations")
    role = models.CharField(max_length=10, choices={Role.ORGANISER: "organiser", Role.ASSESSOR: "assessor"})
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    invited_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ["-role", "user__username"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "user", "role"], name="role_invitation_waits_once"),
            models.CheckConstraint(condition=Q(role__in=["organiser", "assessor"]), name="role_invitation_is_known"),
        ]

    def __str__(self) -> str:
        return f"{self.user} is invited to be {self.role} of {self.campaign}"
