import secrets
from typing import Self

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MaxValueValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse

from campaign.models import tones
from campaign.models.campaign import Campaign, slug_validator
from campaign.models.fields import LimitedTextField, MomentField, SkeletonField, require_plain_lines, require_unlike
from campaign.models.lookalikes import NO_WEB_ADDRESS, holds_web_address, validate_name
from campaign.models.row_states import KeepsStates, KeepsStatesQuerySet
from campaign.models.task import Task
from campaign.models.tones import Toned
from campaign.models.user import Visitor
from campaign.text import limits

NAME_NOT_FREE = "This name is not free. Choose another."


def new_invitation_key() -> str:
    return secrets.token_urlsafe(24)


class TeamQuerySet(KeepsStatesQuerySet["Team"]):
    def of(self, user: Visitor) -> Self:
        if not user.is_authenticated:
            return self.none()
        return self.filter(memberships__user=user)

    def taking_part(self, user: Visitor, campaign: Campaign) -> Self:
        """The user's teams that are registered for the campaign, and approved where it asks for that."""
        return self.of(user).filter(pk__in=Registration.objects.approved().filter(campaign=campaign).values("team"))

    def visible_to(self, user: Visitor) -> Self:
        """Teams show their page to their members; organisers see the teams of their campaigns."""
        if user.is_superuser:
            return self
        if not user.is_authenticated:
            return self.none()
        organised = Campaign.objects.organised_by(user).values("pk")
        return self.filter(
            Q(pk__in=Membership.objects.filter(user=user).values("team"))
            | Q(pk__in=Registration.objects.filter(campaign__in=organised).values("team"))
        )


class Team(KeepsStates):
    goes_with = ""

    slug = models.CharField("address", max_length=50, unique=True, validators=[slug_validator])
    name = models.CharField(
        max_length=80, unique=True, validators=[validate_name], error_messages={"unique": NAME_NOT_FREE}
    )
    name_skeleton = SkeletonField(of="name", unique=True)
    affiliation = models.CharField(max_length=160, blank=True)
    invitation_key = models.CharField(max_length=64, unique=True, default=new_invitation_key, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = TeamQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        ordering = ["name"]

    def clean(self) -> None:
        require_plain_lines(self)
        require_unlike(self, "name_skeleton", NAME_NOT_FREE)
        is_stored = Team.objects.filter(pk=self.pk, affiliation=self.affiliation).exists
        if holds_web_address(self.affiliation) and not is_stored():
            raise ValidationError({"affiliation": NO_WEB_ADDRESS})

    def __str__(self) -> str:
        return self.name

    def get_absolute_url(self) -> str:
        return reverse("team_detail", kwargs={"team_slug": self.slug})


class Membership(KeepsStates):
    goes_with = "team"

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="memberships")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="memberships")
    is_owner = models.BooleanField(default=False)
    joined_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["team", "user"], name="membership_once_per_team_and_user")]

    def __str__(self) -> str:
        return f"{self.user} in {self.team}"


class Invitation(models.Model):
    """An invitation to a team by mail; its key works once."""

    team = models.ForeignKey(Team, on_delete=models.CASCADE, related_name="invitations")
    email = models.EmailField("email address")
    key = models.CharField(max_length=64, unique=True, default=new_invitation_key, editable=False)
    invited_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    invited_at = models.DateTimeField(auto_now_add=True)
    accepted_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    accepted_at = models.DateTimeField(null=True)

    class Meta:
        ordering = ["-invited_at", "-pk"]
        constraints = [
            models.UniqueConstraint(
                fields=["team", "email"], condition=Q(accepted_at__isnull=True), name="invitation_waits_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.email} to {self.team}"


class RegistrationQuerySet(KeepsStatesQuerySet["Registration"]):
    def approved(self) -> Self:
        return self.filter(state=Registration.APPROVED)


class Registration(Toned, KeepsStates):
    """A team takes part in a campaign, or asks to."""

    goes_with = "campaign"

    REQUESTED, APPROVED, REFUSED = "requested", "approved", "refused"
    STATES = {REQUESTED: "waiting for approval", APPROVED: "takes part", REFUSED: "refused"}
    TONES = {REQUESTED: tones.WAITING, APPROVED: tones.GOOD, REFUSED: tones.BAD}

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="registrations")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="registrations")
    state = models.CharField(max_length=10, choices=STATES, default=APPROVED)
    note = LimitedTextField(
        limit=limits.NOTE, blank=True, help_text="What the organiser told the team with the decision."
    )
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, related_name="+")
    decided_at = models.DateTimeField(null=True)
    registered_by = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+")
    registered_at = models.DateTimeField(auto_now_add=True)

    objects = RegistrationQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "team"], name="registration_once_per_campaign_and_team"),
            models.CheckConstraint(
                condition=Q(state__in=["requested", "approved", "refused"]), name="registration_state_is_known"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.team} in {self.campaign}"


class Allowance(KeepsStates):
    """What one team may have beyond the rules of a task and of the site. The audit says who gave it, and why."""

    task = models.ForeignKey(Task, on_delete=models.CASCADE, related_name="allowances")
    team = models.ForeignKey(Team, on_delete=models.PROTECT, related_name="allowances")
    extra_runs = models.PositiveIntegerField(default=0, validators=[MaxValueValidator(1000)])
    extra_attempts = models.PositiveIntegerField("extra uploads a day", default=0, validators=[MaxValueValidator(1000)])
    extra_gib = models.PositiveIntegerField("extra GB a day", default=0, validators=[MaxValueValidator(1000)])
    closes_at = MomentField("own deadline", null=True, blank=True)

    class Meta:
        constraints = [models.UniqueConstraint(fields=["task", "team"], name="allowance_once_per_task_and_team")]

    def __str__(self) -> str:
        return f"{self.team} in {self.task}"
