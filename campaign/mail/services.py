from typing import Any
from uuid import UUID

from django.template import Context, engines
from django.urls import reverse

from campaign.mail.choices import choice_of, switch_off_address
from campaign.models import Campaign, DigestEntry, Mail, MailChoice, User
from campaign.models.mail import KINDS
from campaign.queue.jobs import enqueue_first
from campaign.web.links import absolute

SEND_MAIL, SEND_AND_FORGET, SEND_DIGEST = "send mail", "send mail and forget its text", "send mail of the day"
"""Done by campaign/mail/jobs.py."""
FORGOTTEN = "(This text was forgotten when it was sent.)"


def mail_user(
    *,
    user: User,
    subject: str,
    body: str,
    campaign: Campaign | None = None,
    kind: str = "",
    in_digest: str = "",
    **values: Any,
) -> Mail | None:
    """Have a mail sent to a user; None when there is none. Call it inside the transaction that makes it necessary.

    There is none without an address, and where the user has switched off mails of this `kind`. Who chose one mail a day for
    the kind gets the text `in_digest` in that one.
    """
    choice = choice_of(user, kind) if kind else MailChoice.EACH
    if not user.email or choice == MailChoice.OFF:
        return None
    if choice == MailChoice.DAILY and in_digest:
        DigestEntry.objects.create(user=user, text=in_digest)
        return None
    if kind:
        switch = mail_text("_switch", reason=KINDS[kind], address=switch_off_address(user, kind))
        body = f"{body.rstrip()}\n\n{switch}"
    values |= {"campaign": campaign, "recipient": user, "kind": kind}
    return mail_address(address=user.email, subject=subject, body=body, **values)


def mail_address(
    *,
    address: str,
    subject: str,
    body: str,
    campaign: Campaign | None = None,
    recipient: User | None = None,
    reply_to: str = "",
    batch: UUID | None = None,
    kind: str = "",
    is_secret: bool = False,
) -> Mail:
    """`is_secret`: the text opens something for whoever reads it, and is kept no longer than until it is sent."""
    mail = Mail.objects.create(
        recipient=recipient,
        address=address,
        subject=" ".join(subject.split())[:200],
        body=f"{body.rstrip()}\n\n-- \n{absolute(reverse('home'))}\n",
        campaign=campaign,
        reply_to=reply_to,
        batch=batch,
        kind=kind,
    )
    enqueue_first(SEND_AND_FORGET if is_secret else SEND_MAIL, mail_id=mail.pk)
    return mail


def mail_text(name: str, **context: object) -> str:
    """The text of a mail, from templates/mail/<name>.txt: plain text, so nothing is escaped there."""
    template = engines["django"].engine.get_template(f"mail/{name}.txt")  # type: ignore[attr-defined]
    text: str = template.render(Context({**context, "site": absolute("")}, autoescape=False))
    return text + ""  # a plain text: what templates render is marked as safe for pages, and a preview shows it on one
