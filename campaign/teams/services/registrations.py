"""Teams come into a campaign: at once where registration is open, else when an organiser has decided."""

from collections.abc import Iterable

from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from campaign.log.audit import audit
from campaign.mail.services import mail_text, mail_user
from campaign.models import Agreement, AuditEvent, Campaign, Membership, Registration, Role, Run, Team, User
from campaign.models.fields import require_length
from campaign.models.run import RunQuerySet
from campaign.permissions import held_organised_campaign_or_404
from campaign.teams.selectors.acceptances import missing_agreements
from campaign.teams.services.acceptances import agreements_accept
from campaign.text import limits
from campaign.text.plurals import number_of
from campaign.web.daily_limits import require_few_of_person, require_few_rows
from campaign.web.links import absolute

MOST_REGISTRATIONS_A_DAY = 50
"""By one person: each may be a mail to the organisers, and whoever withdraws registers again."""
MOST_DECISIONS_A_DAY = 10
"""By one organiser, about a team that had been decided on: each is a mail to its owners."""
ACCEPT_FIRST = "Accept every agreement of the campaign: a team takes part under all of them."


@transaction.atomic
def team_register(*, actor: User, team: Team, campaign: Campaign, accepted: Iterable[Agreement] = ()) -> Registration:
    """Register the team, or ask for approval; a refused team asks again. Registering twice changes nothing."""
    if campaign.opened_at is None:
        raise ValidationError("This campaign is not open yet.")
    _require_not_closed(campaign)
    if not Membership.objects.filter(team=team, user=actor).exists():
        raise ValidationError("Only a member can register a team.")
    policy = Campaign.objects.values_list("registration", flat=True).get(pk=campaign.pk)
    state = Registration.APPROVED if policy == Campaign.OPEN else Registration.REQUESTED
    values = {"registered_by": actor, "state": state}
    registration, is_new = Registration.objects.get_or_create(campaign=campaign, team=team, defaults=values)
    asks_again = not is_new and _ask_again(actor, registration)
    if is_new or asks_again:
        agreements_accept(actor=actor, team=team, campaign=campaign, agreements=accepted)
        if missing_agreements(team, campaign).exists():
            raise ValidationError({"agreements": ACCEPT_FIRST})
        audit(actor, "ask again" if asks_again else "register", team, campaign=campaign, state=registration.state)
        require_few_of_person(actor, "registrations", MOST_REGISTRATIONS_A_DAY)
        if registration.state == Registration.REQUESTED:
            _mail_organisers(registration, actor)
    return registration


@transaction.atomic
def registration_decide(*, actor: User, registration: Registration, state: str, note: str = "") -> Registration:
    """Approve the team or refuse it, and mail its owners. Deciding the same twice changes nothing."""
    if state not in (Registration.APPROVED, Registration.REFUSED):
        raise ValidationError("Choose whether the team takes part or is refused.")
    require_length("note", note, limits.NOTE)
    held_organised_campaign_or_404(actor, registration.campaign)
    decided = _locked(registration)
    if (decided.state, decided.note) == (state, note.strip()):
        return decided
    if state == Registration.REFUSED and (count := _runs(decided).counting().count()):
        runs = number_of(count, "run")
        raise ValidationError(f"{decided.team} has {runs} that count. Reject them first, or leave the team in.")
    if decided.decided_at is not None:
        _require_few_decisions(actor, decided)
    before = decided.state
    decided.state, decided.note = state, note.strip()
    decided.decided_by, decided.decided_at = actor, timezone.now()
    decided.save()
    audit(actor, "decide", decided, campaign=decided.campaign, team=decided.team.name, state=[before, state], note=note)
    _mail_team(decided)
    return decided


@transaction.atomic
def registration_withdraw(*, actor: User, registration: Registration) -> None:
    """Withdraw the team's registration; possible while it has no runs."""
    withdrawn = _locked(registration)
    _require_not_closed(withdrawn.campaign)
    if not Membership.objects.filter(team=withdrawn.team, user=actor).exists():
        raise ValidationError("Only a member can withdraw a team's registration.")
    if withdrawn.state == Registration.REFUSED:
        raise ValidationError("The team is refused: there is nothing to withdraw.")
    if _runs(withdrawn).exists():
        raise ValidationError("The team has submitted runs, so its registration stays. Withdraw the runs instead.")
    audit(actor, "withdraw registration", withdrawn.team, campaign=withdrawn.campaign, state=withdrawn.state)
    if withdrawn.state == Registration.REQUESTED and withdrawn.decided_at is not None:
        # Keep the row of a team that was refused before: else it could register at once where registration is open.
        Registration.objects.filter(pk=withdrawn.pk).update(state=Registration.REFUSED)
    else:
        withdrawn.delete()


def registration_lock(*, team_id: int, campaign_id: int) -> Registration | None:
    """Take the lock under which the runs of one team are counted, until the transaction ends; other teams go on."""
    registrations = Registration.objects.select_for_update(no_key=True)
    return registrations.filter(team=team_id, campaign=campaign_id).first()


def registrations_lock(campaign: Campaign) -> None:
    """Take this lock of every team, always in the same order, for work on the runs of many."""
    list(Registration.objects.select_for_update(no_key=True).filter(campaign=campaign).order_by("pk").values_list("pk"))


def _locked(registration: Registration) -> Registration:
    """Take the lock that a submission takes and return the current row, so that no run arrives between reading and deciding."""
    registrations = Registration.objects.select_for_update(of=("self",)).select_related(
        "team", "campaign", "registered_by"
    )
    locked = registrations.filter(pk=registration.pk).first()
    if locked is None:
        raise ValidationError("This registration was withdrawn a moment ago.")
    return locked


def _require_few_decisions(actor: User, registration: Registration) -> None:
    decided = AuditEvent.objects.filter(
        verb="decide", object_type=str(registration._meta.model_name), object_id=str(registration.pk)
    )
    what = "decisions about this team"
    require_few_rows(decided, "happened_at", {"actor": actor}, MOST_DECISIONS_A_DAY, what)


def _require_not_closed(campaign: Campaign) -> None:
    now = Campaign.objects.filter(pk=campaign.pk).first()
    if now is None or now.why_closed:
        raise ValidationError(now.why_closed if now else "This campaign was deleted.")


def _runs(registration: Registration) -> RunQuerySet:
    return Run.objects.filter(task__campaign=registration.campaign_id, team=registration.team_id)


def _ask_again(actor: User, registration: Registration) -> bool:
    changes = {"state": Registration.REQUESTED, "registered_by": actor, "registered_at": timezone.now()}
    refused = Registration.objects.filter(pk=registration.pk, state=Registration.REFUSED)
    if not refused.update(**changes):
        return False
    registration.refresh_from_db()
    return True


def _mail_organisers(registration: Registration, actor: User) -> None:
    team, campaign = registration.team, registration.campaign
    page = absolute(reverse("registration_list", kwargs={"campaign_slug": campaign.slug}))
    body = mail_text("registration_requested", team=team, campaign=campaign, actor=actor, page=page)
    for organiser in User.objects.filter(roles__campaign=campaign, roles__role=Role.ORGANISER):
        mail_user(user=organiser, subject=f"{team} asks to take part in {campaign}", body=body, campaign=campaign)


def _mail_team(registration: Registration) -> None:
    team, campaign = registration.team, registration.campaign
    page = absolute(reverse("campaign_register", kwargs={"campaign_slug": campaign.slug}))
    is_in = registration.state == Registration.APPROVED
    body = mail_text("registration_decided", registration=registration, is_in=is_in, page=page)
    subject = f"{team} takes part in {campaign}" if is_in else f"{team} does not take part in {campaign}"
    owners = User.objects.filter(memberships__team=team, memberships__is_owner=True)
    recipients = {user.pk: user for user in [*owners, registration.registered_by]}
    for user in recipients.values():
        mail_user(user=user, subject=subject, body=body, campaign=campaign)
