from typing import Any
from uuid import UUID

from django.template import Context, engines
from django.urls import reverse

from campaign import tasking
from campaign.addresses import absolute
from campaign.models import Campaign, Mail, User

SEND_MAIL, SEND_AND_FORGET = "send mail", "send mail and forget its text"
FORGOTTEN = "(This text was forgotten when it was sent.)"


def mail_user(*, user: User, subject: str, body: str, campaign: Campaign | None = None, **values: Any) -> Mail | None:
    """Have a mail sent to a user; None when no address is known. Call it inside the transaction that makes it necessary."""
    if not user.email:
        return None
    return mail_address(address=user.email, subject=subject, body=body, campaign=campaign, recipient=user, **values)


def mail_address(
    *,
    address: str,
    subject: str,
    body: str,
    campaign: Campaign | None = None,
    recipient: User | None = None,
    reply_to: str = "",
    batch: UUID | None = None,
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
    )
    tasking.enqueue_first(SEND_AND_FORGET if is_secret else SEND_MAIL, mail_id=mail.pk)
    return mail


def mail_text(name: str, **context: object) -> str:
    """The text of a mail, from templates/mail/<name>.txt: plain text, so nothing is escaped there."""
    template = engines["django"].engine.get_template(f"mail/{name}.txt")  # type: ignore[attr-defined]
    text: str = template.render(Context({**context, "site": absolute("")}, autoescape=False))
    return text
