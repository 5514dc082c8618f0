from datetime import datetime, timedelta
from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.utils import timezone

from campaign.models.campaign import Campaign, Role

INVITED_FOR = timedelta(days=30)


class RoleInvitationQuerySet(models.QuerySet["RoleInvitation"]):
    def waiting(self) -> Self:
        """Those that can be accepted: not of deleted campaigns, not too old, and of somebody who could still invite."""
        there = Q(campaign__deleted_at=None, invited_at__gt=timezone.now() - INVITED_FOR)
        return self.filter(there, self.inviter_organises())

    @staticmethod
    def inviter_organises() -> Exists:
        """No right is given by an account that has it no more, as an operator's that was closed or is an operator's no more."""
        return Role.organises(OuterRef("invited_by"), "campaign")


class RoleInvitation(models.Model):
    """A role that a person is asked to take. It gives no right: the role itself is made when the person accepts it.

    The person is a user, or whoever reads the mail at an address: the link in it has the `key`.
    """

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="role_invitations")
    user = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.CASCADE, null=True, blank=True, related_name="role_invitations"
    )
    email = models.EmailField("email address", blank=True)
    key = models.CharField(max_length=64, blank=True, editable=False)
    role = models.CharField(max_length=10, choices={Role.ORGANISER: "organiser", Role.ASSESSOR: "assessor"})
    in_place = models.BooleanField(
        default=False, help_text="A hand-over: whoever invites steps down when the invitation is accepted."
    )
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    invited_at = models.DateTimeField(default=timezone.now)

    objects = RoleInvitationQuerySet.as_manager()

    class Meta:
        ordering = ["-role", "user__username", "email"]
        constraints = [
            models.UniqueConstraint(fields=["campaign", "user", "role"], name="role_invitation_waits_once"),
            models.UniqueConstraint(
                fields=["campaign", "email", "role"], condition=~Q(email=""), name="role_invitation_by_mail_waits_once"
            ),
            models.UniqueConstraint(fields=["key"], condition=~Q(key=""), name="role_invitation_key_once"),
            models.CheckConstraint(condition=Q(role__in=["organiser", "assessor"]), name="role_invitation_is_known"),
            models.CheckConstraint(
                condition=Q(user=None) & ~Q(key="") & ~Q(email="") | Q(user__isnull=False, email="", key=""),
                name="role_invitation_is_for_one",
            ),
            models.CheckConstraint(
                condition=Q(in_place=False) | Q(role="organiser"), name="role_handed_over_is_organiser"
            ),
        ]

    @property
    def invited(self) -> str:
        """Who is invited, as the inviter named them."""
        return self.email or self.user.username  # type: ignore[union-attr]  # one of both, by a constraint

    @property
    def expires_at(self) -> datetime:
        return self.invited_at + INVITED_FOR

    @property
    def is_expired(self) -> bool:
        return self.expires_at <= timezone.now()

    def __str__(self) -> str:
        return f"{self.invited} is invited to be {self.role} of {self.campaign}"
