"""Roles in a campaign: a person is invited, and has the role from when they accept it."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Q
from django.urls import reverse
from django.utils import timezone

from campaign.accounts.selectors import confirmed_addresses, users_who_confirmed
from campaign.accounts.services.lookups import typed_address
from campaign.database import clock
from campaign.log.audit import audit
from campaign.log.redaction import former_names_keep
from campaign.mail.inboxes import INVITE_TO_ROLE, is_full_of
from campaign.mail.services import mail_address, mail_text, mail_user
from campaign.models import AuditEvent, Campaign, Role, RoleInvitation, User
from campaign.models.lookalikes import require_invites_without_link
from campaign.models.mail import ROLE
from campaign.models.role_invitation import INVITED_FOR
from campaign.models.team import new_invitation_key
from campaign.permissions import locked_campaign_or_404, locked_organised_campaign_or_404
from campaign.setup.services.interests import conflicts_record
from campaign.text.plurals import number_of
from campaign.web.daily_limits import DAY
from campaign.web.links import absolute

MOST_INVITATIONS_A_DAY = 200
MOST_OF_ONE_INVITATION_A_DAY = 3
NOT_OPEN = "This invitation is not open any more. Ask an organiser of the campaign for another."


@transaction.atomic
def role_grant(*, actor: User, campaign: Campaign, user: User, role: str) -> Role:
    """Give a role at once: to the founder of a campaign, to who accepted it, and by the operator's commands."""
    locked_campaign_or_404(campaign, with_key=True)
    given = Role.objects.filter(campaign=campaign, user=user, role=role).first()
    if given is not None:
        return given
    given = Role(campaign=campaign, user=user, role=role)
    given.full_clean()
    given.save()
    RoleInvitation.objects.filter(campaign=campaign, user=user, role=role).delete()
    audit(actor, "grant", given, campaign=campaign, role=role, user=user.username)
    conflicts_record(Role.objects.filter(pk=given.pk))
    _tell(actor, given, is_given=True)
    return given


@transaction.atomic
def role_revoke(*, actor: User, campaign: Campaign, user: User, role: str) -> None:
    # Two organisers must not remove each other at once.
    locked_organised_campaign_or_404(actor, campaign, with_key=True)
    given = Role.objects.filter(campaign=campaign, user=user, role=role).first()
    if given is None:
        return
    others = Role.objects.filter(campaign=campaign, role=Role.ORGANISER).exclude(pk=given.pk)
    if role == Role.ORGANISER and not others.exists():
        raise ValidationError("A campaign needs an organiser. Make another person organiser first.")
    audit(actor, "revoke", given, campaign=campaign, role=role, user=user.username)
    _tell(actor, given, is_given=False)
    given.delete()
    if role == Role.ORGANISER:  # nobody comes in by the hand of somebody who is out
        RoleInvitation.objects.filter(campaign=campaign, invited_by=user).delete()


@transaction.atomic
def role_invite(
    *, actor: User, campaign: Campaign, role: str, user: User | None = None, email: str = "", in_place: bool = False
) -> RoleInvitation:
    """Ask a person, or whoever reads the mail at an address, to take a role; asking a user twice sends no second mail.

    An invitation that nobody can accept, as whoever invited organises no more, becomes one of the actor, and is sent. Whether an
    address belongs to an account is not looked up, so that nobody can find that out here. `in_place`: the actor steps down as an
    organiser when the invitation is accepted.
    """
    locked_organised_campaign_or_404(actor, campaign, with_key=True)
    who = {"user": user} if user is not None else {"email": typed_address(email, field="person")}
    _require_no_role(campaign, role, **who)
    same = RoleInvitation.objects.filter(campaign=campaign, role=role, **who)
    same.filter(invited_at__lte=timezone.now() - INVITED_FOR).delete()
    waiting = same.first()
    if user is not None and waiting is not None and waiting.in_place == in_place and _is_of_organiser(waiting):
        return waiting
    key = "" if user is not None else new_invitation_key()
    invitation = waiting or RoleInvitation(campaign=campaign, role=role, invited_by=actor, key=key, **who)
    invitation.invited_by, invitation.in_place = actor, in_place
    _send(actor, invitation)
    return invitation


@transaction.atomic
def invitation_send_again(*, actor: User, invitation: RoleInvitation) -> None:
    """The same link once more, for thirty days from now on.

    Where whoever invited could not do so any more, the actor invites, and hands nothing over.
    """
    locked_organised_campaign_or_404(actor, invitation.campaign, with_key=True)
    again = RoleInvitation.objects.filter(pk=invitation.pk).first()
    if again is None:
        raise ValidationError("This invitation was answered or withdrawn already.")
    if not _is_of_organiser(again):
        again.invited_by, again.in_place = actor, False
    _send(actor, again)


@transaction.atomic
def invitation_accept(*, actor: User, invitation: RoleInvitation, key: str = "") -> Role:
    """Take the role. An invitation that was withdrawn a moment ago gives none. `key`: of the link that brought them here."""
    _use_up(actor, invitation, key)
    given = role_grant(actor=actor, campaign=invitation.campaign, user=actor, role=invitation.role)
    if invitation.in_place and invitation.invited_by != actor:
        _step_down(invitation.campaign, invitation.invited_by, successor=actor)
    return given


def _step_down(campaign: Campaign, before: User, successor: User) -> None:
    """End a hand-over. An operator who began it may have had no role that could end."""
    removed, _ = Role.objects.filter(campaign=campaign, user=before, role=Role.ORGANISER).delete()
    if not removed:
        return
    RoleInvitation.objects.filter(campaign=campaign, invited_by=before).delete()
    audit(successor, "take over", campaign, campaign=campaign, user=before.username)
    page = absolute(campaign.get_absolute_url())
    body = mail_text("role_taken_over", campaign=campaign, successor=successor, page=page)
    mail_user(user=before, subject=f"{successor} organises {campaign} in your place", body=body, campaign=campaign)


@transaction.atomic
def invitation_decline(*, actor: User, invitation: RoleInvitation, key: str = "") -> None:
    _use_up(actor, invitation, key)
    audit(actor, "decline role", invitation, campaign=invitation.campaign, role=invitation.role)
    body = mail_text("role_declined", campaign=invitation.campaign, invited=actor, role=invitation.get_role_display())
    subject = f"{actor} has declined to be {invitation.role} of {invitation.campaign}"
    mail_user(user=invitation.invited_by, subject=subject, body=body, campaign=invitation.campaign)


@transaction.atomic
def invitation_withdraw(*, actor: User, invitation: RoleInvitation) -> None:
    """Take an invitation back; ValidationError when it was answered or withdrawn already."""
    locked_organised_campaign_or_404(actor, invitation.campaign, with_key=True)
    removed, _ = RoleInvitation.objects.filter(pk=invitation.pk).delete()
    if not removed:
        raise ValidationError("This invitation was answered or withdrawn already.")
    about = {"role": invitation.role, **_named(invitation)}
    audit(actor, "withdraw role invitation", invitation, campaign=invitation.campaign, **about)


def _tell(actor: User, given: Role, *, is_given: bool) -> None:
    """Nobody is told of what they did themselves."""
    if actor == given.user:
        return
    campaign, role = given.campaign, given.get_role_display()
    page = absolute(campaign.get_absolute_url())
    body = mail_text("role_changed", actor=actor, campaign=campaign, role=role, is_given=is_given, page=page)
    subject = f"You are {role} of {campaign}" if is_given else f"You are no longer {role} of {campaign}"
    mail_user(user=given.user, subject=subject, body=body, campaign=campaign, kind=ROLE)


def expired_invitations_remove() -> str:
    """Part of the daily cleaning: they cannot be accepted any more."""
    removed, _ = RoleInvitation.objects.filter(invited_at__lte=timezone.now() - INVITED_FOR).delete()
    return f"expired invitations: {number_of(removed, 'invitation')}"


def _use_up(actor: User, invitation: RoleInvitation, key: str) -> None:
    locked_campaign_or_404(invitation.campaign, with_key=True)
    theirs = Q(user=actor) | Q(email__in=confirmed_addresses(actor))
    if key:
        theirs |= Q(key=key)
    used, _ = RoleInvitation.objects.waiting().filter(theirs, pk=invitation.pk).delete()
    if not used:
        raise ValidationError(NOT_OPEN)
    if not users_who_confirmed(invitation.email).exclude(pk=actor.pk).exists():  # they read its mails
        former_names_keep(actor, {invitation.email})


def _is_of_organiser(invitation: RoleInvitation) -> bool:
    return RoleInvitation.objects.filter(RoleInvitation.objects.inviter_organises(), pk=invitation.pk).exists()


def _require_no_role(campaign: Campaign, role: str, user: User | None = None, email: str = "") -> None:
    """Members of the campaign's staff are known to its organisers, by their addresses as well."""
    people = Q(user=user) if user is not None else Q(user__in=users_who_confirmed(email))
    given = Role.objects.filter(people, campaign=campaign, role=role).select_related("user").first()
    if given is not None:
        raise ValidationError(f"{given.user} ({given.user.username}) is {role} of this campaign already.")


def _send(actor: User, invitation: RoleInvitation) -> None:
    require_invites_without_link(actor, actor.username, invitation.campaign)
    is_without_mail = _has_many_mails(actor, invitation)
    invitation.invited_at = timezone.now()
    invitation.full_clean()
    invitation.save()
    campaign, role = invitation.campaign, invitation.role
    audit(actor, INVITE_TO_ROLE, invitation, campaign=campaign, role=role, **_named(invitation))
    if is_without_mail:
        return
    page = reverse("role_answer", kwargs={"invitation_id": invitation.pk})
    if invitation.key:
        page = reverse("role_key", kwargs={"key": invitation.key})
    body = mail_text("role_invitation", invitation=invitation, campaign=campaign, inviter=actor, page=absolute(page))
    subject = f"Invitation to be {role} of {campaign}"
    if invitation.user is not None:
        mail_user(user=invitation.user, subject=subject, body=body, campaign=campaign)
    else:
        mail_address(address=invitation.email, subject=subject, body=body, campaign=campaign, is_secret=True)


def _named(invitation: RoleInvitation) -> dict[str, str]:
    return {"user": invitation.user.username} if invitation.user is not None else {"email": invitation.email}


def _has_many_mails(actor: User, invitation: RoleInvitation) -> bool:
    """Whether the inviter sends this person no further mail today; ValidationError where nothing can be sent.

    A further invitation waits on the pages of a user; an address has no page, and gets none. Invitations are counted by the log:
    those that were withdrawn count, so that withdrawing does not allow a flood of mails.
    """
    today = AuditEvent.objects.filter(clock.within("happened_at", DAY, timezone.now()), verb=INVITE_TO_ROLE)
    if today.filter(actor=actor).count() >= MOST_INVITATIONS_A_DAY:
        raise ValidationError("You have sent enough invitations for a day. Go on tomorrow.")
    named = {f"data__{name}": value for name, value in _named(invitation).items()}
    same = today.filter(campaign=invitation.campaign, data__role=invitation.role, **named)
    if same.count() >= MOST_OF_ONE_INVITATION_A_DAY:
        who, role = invitation.invited, invitation.role
        raise ValidationError(f"{who} was invited to be {role} here often enough for a day. Try again tomorrow.")
    if invitation.user is not None:
        return is_full_of(actor, invitation.user.email)
    if is_full_of(actor, invitation.email):
        raise ValidationError(f"You have sent {invitation.email} enough invitations for a day. Try again tomorrow.")
    return False
