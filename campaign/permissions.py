"""The one place for access. Deny by default: outsiders get 404, insiders without the right get 403."""

from dataclasses import dataclass
from typing import Any, Self, TypeVar

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db.models import Case, Model, QuerySet, When
from django.http import Http404

from campaign import logs
from campaign.models import ApiToken, Campaign, Role, Run, Task, Team, User, Visitor

M = TypeVar("M", bound=Model)


@dataclass(frozen=True, slots=True)
class Reader:
    """A visitor, and the parts that they have in a campaign."""

    user: Visitor
    organises: bool
    assesses: bool
    takes_part: bool

    @classmethod
    def of(cls, user: Visitor, campaign: Campaign) -> Self:
        if not isinstance(user, User):
            return cls(user, organises=False, assesses=False, takes_part=False)
        return cls(user, is_organiser(user, campaign), is_assessor(user, campaign), is_participant(user, campaign))

    @property
    def reads_documents(self) -> bool:
        return self.organises or self.assesses or self.takes_part


def get_or_404(queryset: "QuerySet[M]", **lookup: Any) -> M:
    """Return one object of a queryset that holds only what the user may see; Http404 if there is none."""
    visible = queryset.filter(**lookup).first()
    if visible is None:
        raise Http404
    return visible


def signed_in(user: Visitor) -> User:
    """Return the user as a `User`, PermissionDenied for anonymous visitors; for views that require a login."""
    if not isinstance(user, User):
        raise PermissionDenied("Sign in first.")
    return user


def get_campaign_or_404(user: Visitor, campaign_slug: str) -> Campaign:
    campaign = get_or_404(Campaign.objects.visible_to(user), slug=campaign_slug)
    logs.about(campaign_id=campaign.pk)
    return campaign


def get_task_or_404(user: Visitor, campaign_slug: str, task_slug: str) -> Task:
    visible = Task.objects.visible_to(user).select_related("campaign", "collection")
    task = get_or_404(visible, campaign__slug=campaign_slug, slug=task_slug)
    logs.about(campaign_id=task.campaign_id, task_id=task.pk)
    return task


def get_organised_campaign_or_404(user: Visitor, campaign_slug: str) -> Campaign:
    campaign = get_campaign_or_404(user, campaign_slug)
    require_organiser(user, campaign)
    return campaign


def get_organised_task_or_404(user: Visitor, campaign_slug: str, task_slug: str) -> Task:
    task = get_task_or_404(user, campaign_slug, task_slug)
    require_organiser(user, task.campaign)
    return task


def get_team_or_404(user: Visitor, team_slug: str) -> Team:
    return get_or_404(Team.objects.visible_to(user), slug=team_slug)


def get_owned_team_or_404(user: Visitor, team_slug: str) -> Team:
    team = get_team_or_404(user, team_slug)
    if not is_owner(user, team):
        raise PermissionDenied("Only an owner of this team can do this.")
    return team


def get_run_or_404(user: Visitor, task: Task, tag: str, attempt: str = "") -> Run:
    """Return the given attempt; without one, the attempt of this tag that counts, else the newest that the user may see."""
    visible = Run.objects.visible_to(user).filter(task=task, tag=tag)
    if attempt:
        number = int(attempt) if attempt.isascii() and attempt.isdigit() and len(attempt) < 6 else 0
        visible = visible.filter(attempt=number)
    counts_first = Case(When(state__in=[Run.RECEIVED, Run.VALID], then=0), default=1)
    run = get_or_404(
        visible.select_related("task__campaign", "team", "submitted_by").order_by(counts_first, "-attempt")
    )
    logs.about(run_id=run.pk)
    return run


def get_token_or_404(user: User, token: int) -> ApiToken:
    return get_or_404(ApiToken.objects.filter(user=user), pk=token)


def is_organiser(user: Visitor, campaign: Campaign) -> bool:
    return Campaign.objects.organised_by(user).filter(pk=campaign.pk).exists()


def is_assessor(user: Visitor, campaign: Campaign) -> bool:
    if not user.is_authenticated:
        return False
    return Role.objects.filter(user=user, campaign=campaign, role=Role.ASSESSOR).exists()


def is_participant(user: Visitor, campaign: Campaign) -> bool:
    return Team.objects.taking_part(user, campaign).exists()


def is_member(user: Visitor, team: Team) -> bool:
    if not user.is_authenticated:
        return False
    return team.memberships.filter(user=user).exists()


def is_owner(user: Visitor, team: Team) -> bool:
    if not user.is_authenticated:
        return False
    return team.memberships.filter(user=user, is_owner=True).exists()


def may_found_campaigns(user: Visitor) -> bool:
    """On a public site only whom its operators trust: each campaign can send mails and take uploads."""
    if not isinstance(user, User):
        return False
    return settings.FOUNDERS == "everybody" or user.is_superuser or user.is_staff or user.may_found_campaigns


def require_founder(user: Visitor) -> None:
    if not may_found_campaigns(user):
        raise PermissionDenied(
            "Here only chosen people create campaigns. Ask the operators of this site to allow it to you."
        )


def require_organiser(user: Visitor, campaign: Campaign) -> None:
    if not is_organiser(user, campaign):
        raise PermissionDenied("Only an organiser of this campaign can do this.")
