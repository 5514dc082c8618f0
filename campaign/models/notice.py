from typing import Self

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.urls import reverse

from campaign.models.campaign import Campaign, Role
from campaign.models.fields import LimitedTextField, require_plain_lines
from campaign.models.mail import KINDS, NOTICE
from campaign.models.task import Task
from campaign.models.team import Membership, Registration, Team
from campaign.models.user import User, Visitor
from campaign.models.written_once import WrittenOnce, WrittenOnceQuerySet
from campaign.text import limits


class NoticeQuerySet(WrittenOnceQuerySet["Notice"]):
    def public(self) -> Self:
        """What everybody may read, signed in or not."""
        return self.filter(_readable(), audience=Notice.EVERYBODY)

    def visible_to(self, user: Visitor) -> Self:
        """Organisers see all of their campaigns; others those for everybody and those for an audience that they belong to."""
        if user.is_superuser:
            return self
        visible = Q(audience=Notice.EVERYBODY)
        if not user.is_authenticated:
            return self.filter(_readable(), visible)
        roles = Role.objects.filter(user=user)
        memberships = Membership.objects.filter(user=user)
        approved = Registration.objects.approved().filter(team__in=memberships.values("team"))
        visible |= Q(audience=Notice.ASSESSORS, campaign__in=roles.filter(role=Role.ASSESSOR).values("campaign"))
        visible |= Q(audience=Notice.TEAMS, campaign__in=approved.values("campaign"))
        for owners_only, own in ((False, memberships), (True, memberships.filter(is_owner=True))):
            chosen = Notice.teams.through.objects.filter(team__in=own.values("team")).values("notice")
            visible |= Q(owners_only=owners_only, pk__in=chosen)
        organised = roles.filter(role=Role.ORGANISER).values("campaign")
        return self.filter(Q(campaign__in=organised) | (_readable() & visible))


def _readable() -> Q:
    """Where others than organisers read anything: open campaigns, and no task that is in its set-up."""
    return Q(campaign__opened_at__isnull=False) & (Q(task=None) | ~Q(task__phase=Task.SETUP))


class Notice(WrittenOnce):
    """A piece of news for an audience: on the page and in the feed at once, by mail from a job."""

    instead = "Write another one."

    EVERYBODY, TEAMS, SUBMITTERS, WITHOUT_RUN = "everybody", "teams", "submitters", "without-run"
    SELECTION, ASSESSORS, ORGANISERS = "selection", "assessors", "organisers"
    AUDIENCES = {
        EVERYBODY: "everybody: public, and by mail to teams, assessors and organisers",
        TEAMS: "all teams that take part",
        SUBMITTERS: "teams with a run that counts",
        WITHOUT_RUN: "teams without a run that counts",
        SELECTION: "chosen teams",
        ASSESSORS: "assessors",
        ORGANISERS: "organisers",
    }
    IN_SHORT = {**AUDIENCES, EVERYBODY: "everybody"}
    OF_TEAMS = frozenset({SUBMITTERS, WITHOUT_RUN, SELECTION})
    """Audiences whose teams are stored with the notice: they stay its audience, whatever they do later."""

    campaign = models.ForeignKey(Campaign, on_delete=models.PROTECT, related_name="notices")
    task = models.ForeignKey(Task, on_delete=models.PROTECT, null=True, blank=True, related_name="notices")
    audience = models.CharField(max_length=11, choices=AUDIENCES)
    teams = models.ManyToManyField(Team, blank=True, related_name="notices")
    owners_only = models.BooleanField(default=False, help_text="Of the teams only the owners.")
    kind = models.CharField(max_length=10, choices=KINDS)
    title = models.CharField(max_length=200)
    body = LimitedTextField(limit=limits.MAIL_TEXT, blank=True, help_text="Markdown.")
    people = models.PositiveIntegerField(default=0, help_text="How many were to get it by mail when it was written.")
    written_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, on_delete=models.PROTECT, null=True, blank=True, related_name="+"
    )
    written_at = models.DateTimeField(auto_now_add=True)
    batch = models.UUIDField(unique=True, help_text="Of its mails; what is written twice under it is one notice.")

    objects = NoticeQuerySet.as_manager()  # type: ignore[misc]

    class Meta:
        ordering = ["-pk"]
        constraints = [
            models.CheckConstraint(
                condition=Q(
                    audience__in=[
                        "everybody",
                        "teams",
                        "submitters",
                        "without-run",
                        "selection",
                        "assessors",
                        "organisers",
                    ]
                ),
                name="notice_audience_is_known",
            )
        ]

    def clean(self) -> None:
        require_plain_lines(self)

    def __str__(self) -> str:
        return self.title

    def get_absolute_url(self) -> str:
        return reverse("notice_detail", kwargs={"campaign_slug": self.campaign.slug, "notice_id": self.pk})

    @property
    def author(self) -> User | None:
        """Who wrote it by hand. Who caused an automatic notice is said to organisers alone, in the log."""
        return self.written_by if self.kind == NOTICE else None

    @property
    def audience_in_short(self) -> str:
        """For lists: who reads it."""
        owners = ", their owners" if self.owners_only else ""
        return f"{self.IN_SHORT[self.audience]}{owners}"
