"""Roles in a campaign: a person is invited, and has the role from when they accept it."""

from datetime import timedelta

from django.core.exceptions import ValidationError
from django.db import transaction
from django.urls import reverse
from django.utils import timezone

from campaign.addresses import absolute
from campaign.audit import audit
from campaign.mail.services import mail_text, mail_user
from campaign.models import AuditEvent, Campaign, Role, RoleInvitation, User
from campaign.permissions import is_organiser

INVITE = "invite to role"
MOST_INVITATIONS_A_DAY = 200
MOST_TO_A_PERSON_A_DAY = 3
NOT_OPEN = "This invitation is not open any more. Ask an organiser of the campaign for another."


@transaction.atomic
def role_grant(*, actor: User, campaign: Campaign, user: User, role: str) -> Role:
    """Give a role at once: to the founder of a campaign, to who accepted it, and by the operator's commands."""
    _lock(campaign)
    given = Role.objects.filter(campaign=campaign, user=user, role=role).first()
    if given is not None:
        return given
    given = Role(campaign=campaign, user=user, role=role)
    given.full_clean()
    given.save()
    RoleInvitation.objects.filter(campaign=campaign, user=user, role=role).delete()
    audit(actor, "grant", given, campaign=campaign, role=role, user=user.username)
    return given


@transaction.atomic
def role_revoke(*, actor: User, campaign: Campaign, user: User, role: str) -> None:
    _lock_as_organiser(actor, campaign)  # two organisers must not remove each other at once
    given = Role.objects.filter(campaign=campaign, user=user, role=role).first()
    if given is None:
        return
    others = Role.objects.filter(campaign=campaign, role=Role.ORGANISER).exclude(pk=given.pk)
    if role == Role.ORGANISER and not others.exists():
        raise ValidationError("A campaign needs an organiser. Make another person organiser first.")
    audit(actor, "revoke", given, campaign=campaign, role=role, user=user.username)
    given.delete()
    if role == Role.ORGANISER:  # nobody comes in by the hand of somebody who is out
        RoleInvitation.objects.filter(campaign=campaign, invited_by=user).delete()


@transaction.atomic
def role_invite(*, actor: User, campaign: Campaign, user: User, role: str) -> RoleInvitation:
    """Ask a person to take a role, by mail and on their home page; asking twice changes nothing and sends no second mail."""
    _lock_as_organiser(actor, campaign)
    if Role.objects.filter(campaign=campaign, user=user, role=role).exists():
        raise ValidationError(f"{user} ({user.username}) is {role} of this campaign already.")
    waiting = RoleInvitation.objects.filter(campaign=campaign, user=user, role=role).first()
    if waiting is not None:
        return waiting
    _require_few_mails(actor, user)
    invitation = RoleInvitation(campaign=campaign, user=user, role=role, invited_by=actor)
    invitation.full_clean()
    invitation.save()
    audit(actor, INVITE, invitation, campaign=campaign, role=role, user=user.username)
    page = absolute(reverse("role_answer", kwargs={"invitation_id": invitation.pk}))
    body = mail_text("role_invitation", campaign=campaign, inviter=actor, role=invitation.get_role_display(), page=page)
    mail_user(user=user, subject=f"Invitation to be {role} of {campaign}", body=body, campaign=campaign)
    return invitation


@transaction.atomic
def invitation_accept(*, actor: User, invitation: RoleInvitation) -> Role:
    """Take the role. An invitation that was withdrawn a moment ago gives none."""
    _use_up(actor, invitation)
    return role_grant(actor=actor, campaign=invitation.campaign, user=actor, role=invitation.role)


@transaction.atomic
def invitation_decline(*, actor: User, invitation: RoleInvitation) -> None:
    _use_up(actor, invitation)
    audit(actor, "decline role", invitation, campaign=invitation.campaign, role=invitation.role)
    body = mail_text("role_declined", campaign=invitation.campaign, invited=actor, role=invitation.get_role_display())
    subject = f"{actor} has declined to be {invitation.role} of {invitation.campaign}"
    mail_user(user=invitation.invited_by, subject=subject, body=body, campaign=invitation.campaign)


@transaction.atomic
def invitation_withdraw(*, actor: User, invitation: RoleInvitation) -> None:
    """Take an invitation back; ValidationError when it was answered or withdrawn already."""
    _lock_as_organiser(actor, invitation.campaign)
    removed, _ = RoleInvitation.objects.filter(pk=invitation.pk).delete()
    if not removed:
        raise ValidationError("This invitation was answered or withdrawn already.")
    who = {"role": invitation.role, "user": invitation.user.username}
    audit(actor, "withdraw role invitation", invitation, campaign=invitation.campaign, **who)


def _use_up(actor: User, invitation: RoleInvitation) -> None:
    _lock(invitation.campaign)
    used, _ = RoleInvitation.objects.filter(pk=invitation.pk, user=actor).delete()
    if not used:
        raise ValidationError(NOT_OPEN)


def _lock(campaign: Campaign) -> None:
    Campaign.objects.select_for_update().get(pk=campaign.pk)


def _lock_as_organiser(actor: User, campaign: Campaign) -> None:
    """Whoever was removed since the request began changes nothing any more."""
    _lock(campaign)
    if not is_organiser(actor, campaign):
        raise ValidationError("Only an organiser of this campaign can do this.")


def _require_few_mails(actor: User, user: User) -> None:
    """Withdrawn invitations count, so that withdrawing does not allow a flood of mails."""
    yesterday = timezone.now() - timedelta(days=1)
    today = AuditEvent.objects.filter(verb=INVITE, actor=actor, happened_at__gt=yesterday)
    if today.filter(data__user=user.username).count() >= MOST_TO_A_PERSON_A_DAY:
        raise ValidationError(f"You have invited {user} often enough for a day. Try again tomorrow.")
    if today.count() >= MOST_INVITATIONS_A_DAY:
        raise ValidationError("You have sent enough invitations for a day. Go on tomorrow.")
