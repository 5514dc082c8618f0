from datetime import timedelta
from typing import Any, Self

from django.conf import settings
from django.contrib.auth import get_user_model
from django.core.exceptions import ValidationError
from django.core.validators import RegexValidator, URLValidator, validate_email
from django.db import models
from django.db.models import Exists, OuterRef, Q
from django.db.models.expressions import Combinable
from django.urls import reverse

from campaign.formats.shapes import TEXT, list_of, record
from campaign.models.fields import (
    LimitedJSONField,
    LimitedTextField,
    MomentField,
    require_plain_lines,
    time_zone_validator,
    web_address,
)
from campaign.models.lookalikes import NO_WEB_ADDRESS, holds_web_address
from campaign.models.row_states import KeepsStates, KeepsStatesQuerySet
from campaign.models.user import Visitor
from campaign.text import limits

RESERVED_SLUGS = [
    "new",
    "edit",
    "open",
    "people",
    "register",
    "join",
    "teams",
    "agreements",
    "rounds",
    "news",
    "milestones",
]
"""Names of pages that stand where an address of a campaign, task or team would."""
slug_validator = RegexValidator(
    rf"^(?!(?:{'|'.join(RESERVED_SLUGS)})$)[a-z0-9][a-z0-9-]*$",
    "Use lower-case letters, digits and hyphens, starting with a letter or digit. A few words are pages: new, edit, open.",
)


class CampaignQuerySet(KeepsStatesQuerySet["Campaign"]):
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


class PresentManager(models.Manager[Any]):
    """Of rows that can be deleted for a time: leaves out those that are, on every page and in every relation."""

    def get_queryset(self) -> "models.QuerySet[Any]":
        return super().get_queryset().filter(deleted_at=None)


KEPT_AFTER_DELETION = timedelta(days=30)
"""What is deleted can be restored for so long."""


class Campaign(KeepsStates):
    goes_with = ""

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
    call = LimitedTextField("call for participation", limit=limits.MARKDOWN, blank=True, help_text="Markdown.")
    time_zone = models.CharField(
        "time zone of the schedule",
        max_length=64,
        default="AoE",
        validators=[time_zone_validator],
        help_text="AoE (anywhere on Earth) or a zone name such as Europe/Zurich.",
    )
    registration = models.CharField("registration of teams", max_length=10, choices=REGISTRATIONS, default=OPEN)
    opened_at = models.DateTimeField(null=True, blank=True, editable=False)
    contact = models.CharField(
        max_length=200, blank=True, help_text="Whom participants ask: a mail address, or a name and where to write."
    )
    website = models.CharField(
        max_length=300,
        blank=True,
        validators=[URLValidator(schemes=["https"])],
        help_text="Of the campaign, outside this site: https://…",
    )
    links = LimitedJSONField(
        limit=limits.LINKS,
        shape=list_of(record({"label": TEXT, "url": TEXT})),
        default=list,
        blank=True,
        editable=False,
        help_text="Each with a label and a url.",
    )
    logo = models.FileField(max_length=200, blank=True, editable=False)
    logo_text = models.CharField(
        "text for the logo", max_length=120, blank=True, help_text="What the logo shows, for those who do not see it."
    )
    created_at = models.DateTimeField(auto_now_add=True)
    closed_at = models.DateTimeField(null=True, editable=False)
    archived_at = models.DateTimeField(null=True, editable=False)
    deleted_at = models.DateTimeField(null=True, editable=False)
    emptied_at = models.DateTimeField(
        null=True,
        editable=False,
        help_text="When a deleted campaign was removed for good; its row stays for the audit log.",
    )

    objects = PresentManager.from_queryset(CampaignQuerySet)()  # type: ignore[misc, assignment]
    everything = CampaignQuerySet.as_manager()

    class Meta:
        ordering = ["-created_at", "-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(closed_at=None) | Q(opened_at__isnull=False), name="campaign_closed_after_it_opened"
            ),
            models.CheckConstraint(
                condition=Q(archived_at=None) | Q(closed_at__isnull=False), name="campaign_archived_is_closed"
            ),
            models.CheckConstraint(
                condition=Q(registration__in=["open", "approved"]), name="campaign_registration_is_known"
            ),
        ]

    def clean(self) -> None:
        require_plain_lines(self)
        if Campaign.everything.filter(slug=self.slug).exclude(pk=self.pk).exists():  # perhaps a deleted one
            raise ValidationError({"slug": "This address is not free. Choose another."})
        if holds_web_address(self.title) and not Campaign.everything.filter(pk=self.pk, title=self.title).exists():
            raise ValidationError({"title": NO_WEB_ADDRESS})

    def __str__(self) -> str:
        return self.title

    @property
    def why_closed(self) -> str:
        """Why participants and assessors change nothing here any more; empty while they may."""
        if self.archived_at is not None:
            return "This campaign is archived: nothing in it changes any more."
        if self.closed_at is not None:
            return "This campaign is closed: it takes no registrations, no runs and no judgments."
        return ""

    @property
    def contact_is_address(self) -> bool:
        try:
            validate_email(self.contact)
        except ValidationError:
            return False
        return True

    @property
    def web_site(self) -> str:
        """The website, if a page may link it: the form refuses others, other ways in might not."""
        return web_address(self.website)

    @property
    def web_links(self) -> list[dict[str, str]]:
        return [link for link in self.links if web_address(link["url"])]

    def get_absolute_url(self) -> str:
        return reverse("campaign_detail", kwargs={"campaign_slug": self.slug})


class Role(KeepsStates):
    goes_with = "campaign"

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

    @classmethod
    def organises(cls, user: Combinable, campaign: str) -> Exists:
        """Whether a user organises the campaign of a row, within a query: `permissions.is_organiser` of an account that is open.

        `user`: the key of the user, as a reference to the row; `campaign`: the name of the row's campaign.
        """
        has_right = Q(is_superuser=True) | Q(roles__role=cls.ORGANISER, roles__campaign=OuterRef(campaign))
        return Exists(get_user_model().objects.filter(has_right, pk=user, is_active=True))

    @property
    def languages_read(self) -> list[str]:
        return self.languages.lower().replace(",", " ").split()

    def __str__(self) -> str:
        return f"{self.user} is {self.role} of {self.campaign}"


class Milestone(models.Model):
    """A date of a campaign besides the deadlines of its tasks: notebook papers, the meeting."""

    campaign = models.ForeignKey(Campaign, on_delete=models.CASCADE, related_name="milestones")
    label = models.CharField("what happens", max_length=120, help_text="For example: notebook papers are due.")
    at = MomentField("date and time")
    link = models.URLField(max_length=500, blank=True, help_text="A page about it, if there is one.")
    changed_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ["at", "pk"]

    def clean(self) -> None:
        require_plain_lines(self)
        if self.link and not self.web_link:
            raise ValidationError(
                {"link": "Write an address of the web without a user name, such as https://example.org/x."}
            )

    def __str__(self) -> str:
        return self.label

    @property
    def web_link(self) -> str:
        """The link, if a page may show it: the form refuses others, other ways in might not."""
        return web_address(self.link)
