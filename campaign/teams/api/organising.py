"""The teams of a campaign as its organisers handle them: decisions, allowances, mails."""

from datetime import datetime
from functools import partial
from typing import Literal
from uuid import UUID

from django.core.exceptions import ValidationError
from django.http import HttpRequest
from ninja import Field, Path, Query, Router, Schema

from campaign.api.auth import ORGANISING
from campaign.api.bodies import Body, ToConfirm
from campaign.api.fields import Slug, Text, one_of
from campaign.api.forms import accepted, as_sent, form_body
from campaign.api.paging import Page, Paging, page_of
from campaign.api.paths import CAMPAIGN, TASK, CampaignPath, RegistrationPath, TaskPath
from campaign.models import Allowance, Campaign, Notice, Registration, Task, Team
from campaign.news.selectors.recipients import Audience, mailed
from campaign.news.services.notices import notice_write
from campaign.permissions import get_or_404, get_organised_campaign_or_404, get_organised_task_or_404, signed_in
from campaign.teams.forms.registrations import AllowanceForm
from campaign.teams.selectors.quotas import quota
from campaign.teams.selectors.team_table import TeamFilter, TeamRow, filtered_registrations, team_rows
from campaign.teams.services.allowances import allowance_give
from campaign.teams.services.registrations import registration_decide
from campaign.text.plurals import number_of

router = Router(tags=["Organising: teams"])
ALLOWANCE = f"{TASK}/allowances/{{team}}"
MOST_TEAMS = 10_000
AllowanceIn = form_body("AllowanceIn", AllowanceForm)


class RunCounts(Schema):
    task: str
    valid: int
    rejected: int
    waiting: int = Field(description="Being checked.")


class RegisteredTeam(Schema):
    team: str
    name: str
    affiliation: str
    state: str = one_of(Registration.STATES)
    note: str
    members: int
    registered_at: datetime
    decided_at: datetime | None
    runs: list[RunCounts]
    last_run: datetime | None
    missing_agreements: list[int]


class TeamsWanted(Paging):
    state: Literal["", "requested", "approved", "refused"] = ""
    search: Text = Field("", max_length=100, description="A piece of name or affiliation.")
    runs: Literal["", "with", "without"] = Field("", description="Teams with or without a run that counts.")
    agreement_missing: bool = False


class TeamDecision(Body):
    state: Literal["approved", "refused"]
    note: Text = Field("", description="The owners of the team read it in the mail, and on the registration page.")


class TaskTeamPath(TaskPath):
    team: str


class AllowanceOut(Schema):
    team: str
    used: int
    most: int = Field(description="Runs that the team may have, the extra ones included.")
    left: int
    extra_runs: int
    extra_attempts: int = Field(description="Uploads a day.")
    extra_gib: int = Field(description="GB a day.")
    closes_at: datetime | None = Field(description="null: the deadline for all.")


class MailIn(ToConfirm):
    teams: list[Slug] = Field(min_length=1, max_length=MOST_TEAMS, description="Addresses of registered teams.")
    to: Literal["owners", "members"] = "owners"
    subject: Text = Field(min_length=1, max_length=200)
    text: Text = Field(min_length=1, description="Plain text, sent as it stands.")
    batch: UUID = Field(description="Made by you, one for each mail: the same one is sent once only.")


class MailOut(Schema):
    mails: int = Field(description="To how many people.")


@router.get(f"{CAMPAIGN}/registrations", response=Page[RegisteredTeam], summary="List the teams of a campaign")
def list_registrations(
    request: HttpRequest, path: Path[CampaignPath], wanted: Query[TeamsWanted]
) -> Page[RegisteredTeam]:
    """For organisers: those that wait for a decision first, then by name."""
    campaign = get_organised_campaign_or_404(request.user, path.campaign)
    asked = TeamFilter(**wanted.model_dump(exclude={"limit", "offset"}))
    registrations = filtered_registrations(campaign, asked)
    page = page_of(request, registrations, wanted, _as_it_is)
    rows = team_rows(campaign, page.items)
    return Page(items=[_row(row) for row in rows], count=page.count, next=page.next)


@router.post(
    f"{CAMPAIGN}/registrations/{{team}}/decision", response=RegisteredTeam, summary="Decide on a team", **ORGANISING
)
def decide_registration(request: HttpRequest, path: Path[RegistrationPath], data: TeamDecision) -> RegisteredTeam:
    """Approve the team or refuse it; its owners get a mail. Deciding the same twice changes nothing."""
    campaign = get_organised_campaign_or_404(request.user, path.campaign)
    registration = get_or_404(campaign.registrations.select_related("team"), team__slug=path.team)
    actor = signed_in(request.user)
    decided = registration_decide(actor=actor, registration=registration, state=data.state, note=data.note)
    return _row(team_rows(campaign, [decided])[0])


@router.get(ALLOWANCE, response=AllowanceOut, summary="Read what a team may submit")
def read_allowance(request: HttpRequest, path: Path[TaskTeamPath]) -> AllowanceOut:
    """For organisers."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    return _allowance(task, _team(task, path.team))


@router.put(ALLOWANCE, response=AllowanceOut, summary="Allow a team more than others", **ORGANISING)
def give_allowance(request: HttpRequest, path: Path[TaskTeamPath], data: AllowanceIn) -> AllowanceOut:  # type: ignore[valid-type]
    """More runs, more uploads a day, or a later deadline; the team gets the reason by mail. What is left out stays."""
    task = get_organised_task_or_404(request.user, path.campaign, path.task)
    team = _team(task, path.team)
    given = Allowance.objects.filter(task=task, team=team).first()
    initial = {name: getattr(given, name) for name in AllowanceForm.GIVEN} if given else {}
    form = as_sent(
        partial(AllowanceForm, campaign=task.campaign, initial=initial),
        data.model_dump(exclude_unset=True),  # type: ignore[attr-defined]
    )
    allowance_give(actor=signed_in(request.user), task=task, team=team, **accepted(form))
    return _allowance(task, team)


@router.post(f"{CAMPAIGN}/mails", response=MailOut, summary="Send a mail to teams", **ORGANISING)
def mail_teams(request: HttpRequest, path: Path[CampaignPath], data: MailIn) -> MailOut:
    """One mail to each person. Without `confirm` the answer says to how many."""
    campaign = get_organised_campaign_or_404(request.user, path.campaign)
    actor, teams = signed_in(request.user), [one.team for one in _registrations(campaign, data.teams)]
    audience = Audience(campaign, Notice.SELECTION, teams=teams, owners_only=data.to == "owners", but=actor)
    people = len(mailed(audience))
    data.require([f"This mail goes to {number_of(people, 'person,people')} of {number_of(len(teams), 'team')}."])
    notice = notice_write(actor=actor, audience=audience, title=data.subject, body=data.text, batch=data.batch)
    return MailOut(mails=notice.people)


def _as_it_is(registration: Registration) -> Registration:
    return registration


def _registrations(campaign: Campaign, slugs: list[str]) -> list[Registration]:
    found = list(campaign.registrations.filter(team__slug__in=slugs).select_related("team").order_by("team__name"))
    unknown = sorted(set(slugs) - {registration.team.slug for registration in found})
    if unknown:
        raise ValidationError(
            {"teams": f"These teams are not registered for this campaign: {', '.join(unknown[:20])}."}
        )
    return found


def _team(task: Task, slug: str) -> Team:
    return get_or_404(task.campaign.registrations.approved().select_related("team"), team__slug=slug).team


def _allowance(task: Task, team: Team) -> AllowanceOut:
    room, given = quota(task, team), Allowance.objects.filter(task=task, team=team).first() or Allowance()
    extra = {name: getattr(given, name) for name in AllowanceForm.GIVEN}
    return AllowanceOut(team=team.slug, used=room.used, most=room.most, left=room.left, **extra)


def _row(row: TeamRow) -> RegisteredTeam:
    registration = row.registration
    same = ("state", "note", "registered_at", "decided_at")
    return RegisteredTeam(
        **{name: getattr(registration, name) for name in same},
        team=registration.team.slug,
        name=registration.team.name,
        affiliation=registration.team.affiliation,
        members=row.members,
        runs=[RunCounts(task=o.task.slug, valid=o.valid, rejected=o.rejected, waiting=o.waiting) for o in row.tasks],
        last_run=row.last_run,
        missing_agreements=[agreement.pk for agreement in row.missing],
    )
