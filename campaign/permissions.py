"""The one place for access. Deny by default: outsiders get 404, insiders without the right get 403."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, Self, TypeVar

from django.conf import settings
from django.core.exceptions import PermissionDenied
from django.db import connection
from django.db.models import Case, Model, QuerySet, When
from django.http import Http404

from campaign import log
from campaign.models import ApiToken, Campaign, Registration, Role, Run, Task, Team, User, Visitor
from campaign.text.numbers import whole_number
from campaign.web.asking_once import once

M = TypeVar("M", bound=Model)
A = TypeVar("A")


def _once(question: Callable[[User, Campaign], A], user: User, campaign: Campaign) -> A:
    return once((question, user.pk, campaign.pk), partial(question, user, campaign))


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
    """As `Campaign.objects.visible_to` has it."""
    campaign = get_or_404(Campaign.objects.order_by("pk"), slug=campaign_slug)
    if campaign.opened_at is None and not _has_role(user, campaign):
        raise Http404
    log.about(campaign_id=campaign.pk)
    return campaign


def get_task_or_404(user: Visitor, campaign_slug: str, task_slug: str) -> Task:
    """As `Task.objects.visible_to` has it."""
    tasks = Task.objects.select_related("campaign", "collection").order_by("pk")
    task = get_or_404(tasks, campaign__slug=campaign_slug, slug=task_slug)
    is_public = task.campaign.opened_at is not None and task.phase != Task.SETUP
    if not is_public and not _has_role(user, task.campaign):
        raise Http404
    log.about(campaign_id=task.campaign_id, task_id=task.pk)
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
    of_all = is_organiser(user, task.campaign)
    visible = (Run.objects.all() if of_all else Run.objects.of_teams_of(user)).filter(task=task, tag=tag)
    if attempt:
        visible = visible.filter(attempt=whole_number(attempt, most_digits=5) or 0)
    counts_first = Case(When(state__in=[Run.RECEIVED, Run.VALID], then=0), default=1)
    run = get_or_404(
        visible.select_related("task__campaign", "team", "submitted_by").order_by(counts_first, "-attempt")
    )
    log.about(run_id=run.pk)
    return run


def get_token_or_404(user: User, token: int) -> ApiToken:
    return get_or_404(ApiToken.objects.filter(user=user), pk=token)


def is_organiser(user: Visitor, campaign: Campaign) -> bool:
    """Nobody organises a campaign that is deleted."""
    if not isinstance(user, User):
        return False
    if user.is_superuser:
        return _once(_is_present, user, campaign)
    return _once(_roles, user, campaign).get(Role.ORGANISER, False)


def is_assessor(user: Visitor, campaign: Campaign) -> bool:
    return isinstance(user, User) and Role.ASSESSOR in _once(_roles, user, campaign)


def is_participant(user: Visitor, campaign: Campaign) -> bool:
    return isinstance(user, User) and _once(_takes_part, user, campaign)


def _has_role(user: Visitor, campaign: Campaign) -> bool:
    return isinstance(user, User) and (user.is_superuser or bool(_once(_roles, user, campaign)))


def _is_present(user: User, campaign: Campaign) -> bool:
    return Campaign.objects.filter(pk=campaign.pk).exists()


def _roles(user: User, campaign: Campaign) -> dict[str, bool]:
    """By role of the user: whether the campaign is there, or deleted."""
    roles = Role.objects.filter(user=user, campaign=campaign).order_by()
    return {role: deleted_at is None for role, deleted_at in roles.values_list("role", "campaign__deleted_at")}


def _takes_part(user: User, campaign: Campaign) -> bool:
    """As `Team.objects.taking_part` has it."""
    return Registration.objects.approved().filter(campaign=campaign, team__memberships__user=user).exists()


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
    return settings.CAMPAIGN_CREATION == "everybody" or user.is_superuser or user.is_staff or user.may_found_campaigns


def require_founder(user: Visitor) -> None:
    if not may_found_campaigns(user):
        raise PermissionDenied(
            "Here only chosen people create campaigns. Ask the operators of this site to allow it to you."
        )


def require_organiser(user: Visitor, campaign: Campaign) -> None:
    if not is_organiser(user, campaign):
        raise PermissionDenied("Only an organiser of this campaign can do this.")


# For services and jobs, inside their transaction: what was deleted since they began is 404, and who lost the role gets 403.
# The campaign's row comes before the rows of its tasks, and both before all others: so no two wait for each other.


def held_campaign_or_404(campaign: Campaign) -> Campaign:
    """The campaign's row for as many transactions as want it: until they end nobody deletes it, or gives or takes its roles."""
    lock = "FOR KEY SHARE" if connection.features.has_select_for_update else ""  # on SQLite the transaction is the lock
    sql = f"SELECT * FROM campaign_campaign WHERE id = %s AND deleted_at IS NULL {lock}"  # noqa: S608 - our own words
    held: list[Campaign] = list(Campaign.objects.raw(sql, [campaign.pk]))
    if not held:
        raise Http404
    return held[0]


def held_organised_campaign_or_404(actor: User, campaign: Campaign) -> Campaign:
    held = held_campaign_or_404(campaign)
    require_organiser(actor, held)
    return held


def locked_campaign_or_404(campaign: Campaign, *, with_key: bool = False) -> Campaign:
    """The campaign's row until the transaction ends. `with_key`: it also waits for all that is being written to its log."""
    return get_or_404(Campaign.objects.select_for_update(no_key=not with_key), pk=campaign.pk)


def locked_organised_campaign_or_404(actor: User, campaign: Campaign, *, with_key: bool = False) -> Campaign:
    locked = locked_campaign_or_404(campaign, with_key=with_key)
    require_organiser(actor, locked)
    return locked


def locked_task_or_404(task: Task) -> Task:
    """The task's row until the transaction ends, without its key: rows that refer to it can be added meanwhile."""
    held_campaign_or_404(task.campaign)
    tasks = Task.objects.select_for_update(of=("self",), no_key=True).select_related("campaign", "collection")
    return get_or_404(tasks, pk=task.pk)


def locked_organised_task_or_404(actor: User, task: Task) -> Task:
    locked = locked_task_or_404(task)
    require_organiser(actor, locked.campaign)
    return locked
