from datetime import timedelta
from smtplib import SMTPRecipientsRefused

from django.core.mail import EmailMessage
from django.utils import timezone

from campaign.mail.choices import switch_off_address
from campaign.mail.digests import digest_send
from campaign.mail.services import FORGOTTEN, SEND_AND_FORGET, SEND_DIGEST, SEND_MAIL
from campaign.models import Mail
from campaign.permissions import get_or_404
from campaign.queue.jobs import JobFailed, JobPostponed, Progress, job
from campaign.queues import MAIL

TRIED_FOR = timedelta(days=2)


@job(SEND_MAIL, queue=MAIL)
def send_mail(progress: Progress, *, mail_id: int) -> None:
    """A worker killed between sending the mail and recording that sends it twice: better than not at all."""
    mail = get_or_404(Mail.objects.select_related("recipient"), pk=mail_id)
    if mail.sent_at is None:
        _send(mail)
        Mail.objects.filter(pk=mail.pk).update(sent_at=timezone.now())


@job(SEND_AND_FORGET, queue=MAIL)
def send_and_forget(progress: Progress, *, mail_id: int) -> None:
    """For texts that open an account: who reads the database or a copy of it later must not find them."""
    mail = get_or_404(Mail.objects.select_related("recipient"), pk=mail_id)
    if mail.sent_at is None:
        _send(mail)
        Mail.objects.filter(pk=mail.pk).update(sent_at=timezone.now(), body=FORGOTTEN)


@job(SEND_DIGEST, queue=MAIL)
def send_digest(progress: Progress, *, user_id: int) -> None:
    digest_send(user_id)


def _send(mail: Mail) -> None:
    message_id = f"<runpool-mail-{mail.pk}@runpool>"  # the same for every attempt: mailboxes recognise a second copy
    reply_to = [mail.reply_to] if mail.reply_to else None
    headers = {"Message-ID": message_id}
    if mail.kind and mail.recipient is not None:
        headers["List-Unsubscribe"] = f"<{switch_off_address(mail.recipient, mail.kind)}>"
    try:
        EmailMessage(mail.subject, mail.body, to=[mail.address], reply_to=reply_to, headers=headers).send()
    except SMTPRecipientsRefused as problem:
        raise JobFailed(f"The mail server refuses the address {mail.address}.") from problem
    except OSError as problem:  # also what smtplib raises
        if timezone.now() - mail.created_at > TRIED_FOR:
            raise JobFailed(f"The mail could not be sent for two days: {problem}") from problem
        raise JobPostponed(
            f"The mail server did not take this mail. It is tried again within minutes: {problem}"
        ) from problem
