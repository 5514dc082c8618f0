from typing import Self

from django.conf import settings
from django.core.validators import RegexValidator
from django.db import models
from django.db.models import Q
from django.urls import reverse

from campaign import lengths
from campaign.models.fields import LimitedTextField, require_plain_lines, time_zone_validator
from campaign.models.user import Visitor

RESERVED_SLUGS = ["new", "edit", "open", "people", "register", "join", "teams", "agreements"]
"""Names of pages that stand where an address of a campaign, task or team would."""
slug_validator = RegexValidator(
    rf"^(?!(?:{'|'.join(RESERVED_SLUGS)})$)[a-z0-9][a-z0-9-]*$",
    "Use lower-case letters, digits and hyphens, starting with a letter or digit. A few words are pages: new, edit, open.",
)


class CampaignQuerySet(models.QuerySet["Campaign"]):
    def visible_to(self, user: Visitor) -> Self:
        """Open campaigns for all; drafts for those who have a role in them."""
        if user.is_superuser:
            return self
        visible = Q(opened_at__isnull=False)
        if user.is_authenticated:
            visible |= Q(pk__in=Role.objects.filter(user=user).values("campaign"))
        return self.filter(visible)

    def organised_by(self, user: Visitor) -> Self:
        if user.is_superuser:
            return self
        if not user.is_authenticated:
            return self.none()
        return self.filter(pk__in=Role.objects.filter(user=user, role=Role.ORGANISER).values("campaign"))


class Campaign(models.Model):
    OPEN, APPROVED = "open", "approved"
    REGISTRATIONS = {OPEN: "open: a team takes part at once", APPROVED: "approved: an organiser decides on each team"}

    slug = models.CharField(
        "address",
        max_length=50,
        unique=True,
        validators=[slug_validator],
        help_text="Part of every address of the campaign, for good: for example velo-2026.",
    )
    title = models.CharField(max_length=120)
    summary = models.CharField(max_length=300, blank=True, help_text="One or two sentences for the list of campaigns.")
    call = LimitedTextField("call for participation", limit=lengths.MARKDOWN, blank=True, help_text="Markdown.")
    time_zone = models.CharField(
        "time zone of the schedule",
        max_length=64,
        default="AoE",
        validators=[time_zone_validator],
        help_text="AoE (anywhere on Earth) or a zone name such as Europe/Zurich.",
    )
    registration = models.CharField("registration of teams", max_length=10, choices=REGISTRATIONS, default=OPEN)
    opened_at = models.DateTimeField(null=True, blank=True, editable=False)
    created_at = models.DateTimeField(auto_now_add=True)

    objects = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(registration__in=["open", "approved"]), name="campaign_registration_is_known"
            )
        ]

    def clean(self) -> None:
        require_plain_lines(self)

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("campaign_detail", kwargs={"campaign_slug": self.slug})


class Role(models.Model):
    ORGANISER = "organiser"
    ASSESSOR = "assessor"

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="roles")
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="roles")
    role = models.CharField(max_length=10, choices={ORGANISER: "organiser", ASSESSOR: "assessor"})
    languages = models.CharField(
        "languages read", max_length=100, blank=True, help_text="Of an assessor, between commas or blanks: en, de."
    )

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["campaign", "user", "role"], name="role_once_per_campaign_and_user"),
            models.CheckConstraint(condition=Q(role__in=["organiser", "assessor"]), name="role_is_known"),
        ]

    def clean(self) -> None:
        require_plain_lines(self)

    @property
    def languages_read(self) -> list[str]:
        return self.languages.lower().replace(",", " ").split()

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.campaign}"
