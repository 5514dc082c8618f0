from collections.abc import Collection
from uuid import UUID

from django.core.exceptions import ValidationError
from django.db import transaction

from campaign import lengths
from campaign.accounts.selectors import reply_address
from campaign.audit import audit
from campaign.formats.markup import one_line
from campaign.mail.services import mail_text, mail_user
from campaign.models import Campaign, Mail, Registration, User
from campaign.models.fields import require_length
from campaign.teams.selectors.team_table import recipients


@transaction.atomic
def teams_mail(
    *,
    actor: User,
    campaign: Campaign,
    registrations: Collection[Registration],
    owners_only: bool,
    subject: str,
    text: str,
    batch: UUID,
) -> int:
    """Send each person of these teams one mail and return their number. The same batch is sent once only."""
    Campaign.objects.select_for_update(no_key=True).get(pk=campaign.pk)  # a double click waits here for the first one
    body = mail_text("to_teams", actor=actor, campaign=campaign, text=text)
    sent = Mail.objects.filter(batch=batch, campaign=campaign)
    if first := sent.first():
        if first.subject != one_line(subject) or not first.body.startswith(body.rstrip()):
            raise ValidationError("Another mail was sent from this form already. Start again in the table of teams.")
        return sent.count()
    if any(registration.campaign_id != campaign.pk for registration in registrations):
        raise ValidationError("Some of these teams are not registered for this campaign.")
    if not subject.strip() or not text.strip():
        raise ValidationError("Write a subject and a text.")
    require_length("text", text, lengths.MAIL_TEXT)
    people = {user.email.lower(): user for user in recipients(registrations, owners_only=owners_only)}
    if not people:
        raise ValidationError("No member of these teams has a mail address.")
    answers_go_to = reply_address(actor)
    for user in people.values():
        mail_user(
            user=user, subject=one_line(subject), body=body, campaign=campaign, reply_to=answers_go_to, batch=batch
        )
    teams = [registration.team_id for registration in registrations]
    audit(
        actor, "mail teams", campaign, campaign=campaign, subject=subject, teams=teams, mails=len(people),
        owners_only=owners_only, batch=str(batch),
    )  # fmt: skip
    return len(people)
