"""Teams and their members. Every change of the members holds the team's lock, so that changes do not interleave."""

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify

from campaign.accounts.selectors import confirmed_addresses, users_who_confirmed
from campaign.accounts.services.lookups import typed_address
from campaign.database import clock
from campaign.log.audit import apply_changes, audit
from campaign.mail.inboxes import INVITE_TO_TEAM, is_full_of
from campaign.mail.services import mail_address, mail_text, mail_user
from campaign.models import AuditEvent, Invitation, Membership, Role, Run, Team, User
from campaign.models.lookalikes import require_invites_without_link, tidy
from campaign.models.mail import MEMBER
from campaign.models.team import NAME_NOT_FREE, new_invitation_key
from campaign.setup.services.interests import conflicts_record
from campaign.teams.selectors.teams import invited_team
from campaign.web.daily_limits import DAY, require_few_changes, require_few_of_person
from campaign.web.links import absolute

MOST_TEAMS_A_DAY = 50
MOST_JOINED_A_DAY = 50
"""That one person founds; commands found as many as they are told."""
MOST_OPEN_INVITATIONS = 50
MOST_OF_ONE_INVITATION_A_DAY = 3
MOST_MAILS_A_DAY = 100
DEAD_KEY = "This invitation is not valid any more. Ask one of the team's owners for another."


@transaction.atomic
def team_found(*, actor: User, name: str, affiliation: str = "") -> Team:
    """Found a team by oneself, on a page or by the API."""
    team = team_create(actor=actor, name=name, affiliation=affiliation)
    require_few_of_person(actor, "teams", MOST_TEAMS_A_DAY)
    return team


@transaction.atomic
def team_create(*, actor: User, name: str, affiliation: str = "") -> Team:
    """Found a team; its founder owns it."""
    team = Team(name=tidy(name), slug=_free_slug(name), affiliation=affiliation.strip())
    team.full_clean()
    _save(team)
    Membership.objects.create(team=team, user=actor, is_owner=True)
    audit(actor, "found", team, campaign=None, name=team.name)
    return team


@transaction.atomic
def team_update(*, actor: User, team: Team, name: str, affiliation: str = "") -> Team:
    """Change name or affiliation. The slug stays, since links and papers may hold it."""
    changed = lock(team)
    require_owner(actor, changed)
    changes = apply_changes(changed, {"name": tidy(name), "affiliation": affiliation.strip()})
    if changes:
        changed.full_clean()
        _save(changed)
        audit(actor, "update", changed, campaign=None, **changes)
        require_few_changes(actor)
    return changed


@transaction.atomic
def team_join(*, actor: User, key: str) -> Team:
    """Join by the key of the team's link or of an invitation by mail; joining twice changes nothing."""
    team = invited_team(key)
    if team is None:
        raise ValidationError(DEAD_KEY)
    team = lock(team)
    if not Membership.objects.filter(team=team, user=actor).exists():
        _use_key(actor, team, key)
        require_few_of_person(actor, "teams that you joined", MOST_JOINED_A_DAY)
        Membership.objects.create(team=team, user=actor)
        audit(actor, "join", team, campaign=None)
        _tell_owners(team, f"{actor} has joined {team}", "team_joined", newcomer=actor)
        conflicts_record(Role.objects.filter(user=actor, campaign__archived_at=None, campaign__deleted_at=None))
    return team


@transaction.atomic
def team_leave(*, actor: User, team: Team) -> None:
    """Leave a team. The last owner cannot leave while others stay or runs stand in the team's name."""
    lock(team)  # two owners who leave at once must not both count the other
    membership = Membership.objects.filter(team=team, user=actor).first()
    if membership is None:
        raise ValidationError("You are no member of this team.")
    others = Membership.objects.filter(team=team).exclude(pk=membership.pk)
    if membership.is_owner and not others.filter(is_owner=True).exists():
        if others.exists():
            raise ValidationError("You are the only owner: make another member an owner first.")
        if Run.objects.filter(team=team).exists():
            raise ValidationError(
                "You are the last member and the team has runs: one member must stay to answer for them."
            )
    membership.delete()
    audit(actor, "leave", team, campaign=None)
    _tell_owners(team, f"{actor} has left {team}", "team_left", leaver=actor)


@transaction.atomic
def team_remove_member(*, actor: User, team: Team, user: User) -> None:
    """Remove a member. The team gets another link, since the member knows the old one; the member's invitations end as well."""
    locked = lock(team)
    require_owner(actor, locked)
    if user == actor:
        raise ValidationError("You cannot remove yourself; leave the team instead.")
    removed, _ = Membership.objects.filter(team=team, user=user).delete()
    if not removed:
        raise ValidationError(f"{user} is no member of this team.")
    theirs = Q(email__iexact=user.email) | Q(email__in=confirmed_addresses(user))
    sent = Q(invited_by=user)  # perhaps to another address of their own
    locked.invitations.filter(theirs | sent, accepted_at__isnull=True).delete()
    audit(actor, "remove member", team, campaign=None, user=user.username)
    body = mail_text("team_removed", team=team, actor=actor)
    mail_user(user=user, subject=f"You are no longer a member of {team}", body=body, kind=MEMBER)
    _renew_key(locked)


@transaction.atomic
def team_invite(*, actor: User, team: Team, email: str) -> Invitation:
    """Send a place in the team to an address; an invitation that still waits there is sent once more.

    Whether the address belongs to an account is not looked up, so that nobody can find that out here.
    """
    locked = lock(team)
    require_owner(actor, locked)
    email = typed_address(email, field="email")
    if locked.memberships.filter(user__in=users_who_confirmed(email)).exists():
        raise ValidationError({"email": "A member of the team has this address."})
    waiting = locked.invitations.filter(accepted_at__isnull=True)
    invitation = waiting.filter(email=email).first()
    if invitation is None:
        if waiting.count() >= MOST_OPEN_INVITATIONS:
            raise ValidationError(f"{MOST_OPEN_INVITATIONS} invitations are open. Withdraw some, or give out the link.")
        invitation = Invitation(team=locked, email=email, invited_by=actor)
        invitation.full_clean(exclude=["accepted_by", "accepted_at"])
        invitation.save()
    _send(actor, invitation)
    return invitation


@transaction.atomic
def invitation_send_again(*, actor: User, invitation: Invitation) -> None:
    require_owner(actor, lock(invitation.team))
    if not Invitation.objects.filter(pk=invitation.pk, accepted_at__isnull=True).exists():
        raise ValidationError("This invitation is not open any more.")
    _send(actor, invitation)


@transaction.atomic
def invitation_withdraw(*, actor: User, invitation: Invitation) -> None:
    """The link in the mail stops working."""
    require_owner(actor, lock(invitation.team))
    withdrawn, _ = Invitation.objects.filter(pk=invitation.pk, accepted_at__isnull=True).delete()
    if not withdrawn:
        raise ValidationError("This invitation is not open any more.")
    audit(actor, "withdraw invitation", invitation.team, campaign=None, email=invitation.email)


@transaction.atomic
def team_make_owner(*, actor: User, team: Team, user: User) -> None:
    require_owner(actor, lock(team))
    membership = Membership.objects.filter(team=team, user=user).first()
    if membership is None:
        raise ValidationError(f"{user} is no member of this team.")
    if not membership.is_owner:
        require_few_changes(actor)
        membership.is_owner = True
        membership.save(update_fields=["is_owner"])
        audit(actor, "make owner", team, campaign=None, user=user.username)


@transaction.atomic
def team_give_up_ownership(*, actor: User, team: Team) -> None:
    """Stay as a plain member, where another owner is there."""
    require_owner(actor, lock(team))
    if not Membership.objects.filter(team=team, is_owner=True).exclude(user=actor).exists():
        raise ValidationError("You are the only owner: make another member an owner first.")
    Membership.objects.filter(team=team, user=actor).update(is_owner=False)
    audit(actor, "give up ownership", team, campaign=None)


@transaction.atomic
def team_renew_invitation(*, actor: User, team: Team) -> Team:
    """Replace the invitation link, for instance when it reached the wrong people."""
    locked = lock(team)
    require_owner(actor, locked)
    require_few_changes(actor)
    team.invitation_key = _renew_key(locked)
    audit(actor, "renew invitation", team, campaign=None)
    return team


def lock(team: Team) -> Team:
    """Lock the team's current row until the end of the transaction and return it; runs of the team may still arrive."""
    return Team.objects.select_for_update(no_key=True).get(pk=team.pk)


def require_owner(actor: User, team: Team) -> None:
    """Require an owner. Call this under the lock: an owner may have been removed since the request began."""
    if not Membership.objects.filter(team=team, user=actor, is_owner=True).exists():
        raise ValidationError("Only an owner of the team can do this.")


def _use_key(actor: User, team: Team, key: str) -> None:
    """Use up the key. Call this under the lock: the key may have been used, withdrawn or renewed since it was looked up."""
    now = timezone.now()
    waiting = team.invitations.filter(accepted_at__isnull=True)
    used = waiting.filter(key=key).update(accepted_by=actor, accepted_at=now)
    if not used and team.invitation_key != key:
        raise ValidationError(DEAD_KEY)
    # A person invited by mail may join by the link: that closes the invitation as well.
    waiting.filter(email__in=confirmed_addresses(actor)).update(accepted_by=actor, accepted_at=now)


def _tell_owners(team: Team, subject: str, text: str, **who: User) -> None:
    body = mail_text(text, team=team, page=absolute(team.get_absolute_url()), **who)
    for owner in User.objects.filter(memberships__team=team, memberships__is_owner=True):
        mail_user(user=owner, subject=subject, body=body, kind=MEMBER)


def _send(actor: User, invitation: Invitation) -> None:
    require_invites_without_link(actor, invitation.team, invitation.team.affiliation)
    today = AuditEvent.objects.filter(
        clock.within("happened_at", DAY, timezone.now()), verb=INVITE_TO_TEAM, actor=actor
    )
    same = today.filter(object_id=str(invitation.team_id), data__email=invitation.email)
    if same.count() >= MOST_OF_ONE_INVITATION_A_DAY or is_full_of(actor, invitation.email):
        raise ValidationError({"email": "You have sent this address enough mails for a day. Try again tomorrow."})
    if (
        today.count() >= MOST_MAILS_A_DAY
    ):  # withdrawn invitations count here, so that withdrawing does not allow a flood
        raise ValidationError(
            "You have sent enough invitations for a day. Give out the team's link, or go on tomorrow."
        )
    invitation.invited_at = timezone.now()
    Invitation.objects.filter(pk=invitation.pk).update(invited_at=invitation.invited_at)
    audit(actor, INVITE_TO_TEAM, invitation.team, campaign=None, email=invitation.email)
    page = absolute(reverse("team_join", kwargs={"key": invitation.key}))
    body = mail_text("team_invitation", team=invitation.team, inviter=actor, page=page)
    subject = f"{actor} invites you to the team {invitation.team}"
    mail_address(address=invitation.email, subject=subject, body=body, is_secret=True)


def _renew_key(team: Team) -> str:
    team.invitation_key = new_invitation_key()
    team.save(update_fields=["invitation_key"])
    return team.invitation_key


def _save(team: Team) -> None:
    try:
        with transaction.atomic():
            team.save()
    except IntegrityError as problem:  # another request took the name a moment ago
        raise ValidationError({"name": NAME_NOT_FREE}) from problem


def _free_slug(name: str) -> str:
    stem = slugify(name).replace("_", "-")[:40].strip("-") or "team"
    if stem in {"new", "join", "import", "edit"}:
        stem = f"team-{stem}"
    taken = set(Team.objects.filter(slug__startswith=stem).values_list("slug", flat=True))
    numbered = (f"{stem}-{number}" for number in range(2, len(taken) + 3))
    return stem if stem not in taken else next(slug for slug in numbered if slug not in taken)
