from smtplib import SMTPException, SMTPRecipientsRefused

from django.core.mail import EmailMessage
from django.utils import timezone

from campaign.mail.services import SEND_MAIL
from campaign.models import Mail
from campaign.queues import MAIL
from campaign.tasking import JobFailed, Progress, job


@job(SEND_MAIL, queue=MAIL)
def send_mail(progress: Progress, *, mail_id: int) -> None:
    """A worker killed between sending the mail and recording that sends it twice: better than not at all."""
    mail = Mail.objects.get(pk=mail_id)
    if mail.sent_at is not None:
        return
    message_id = f"<runpool-mail-{mail.pk}@runpool>"  # the same for every attempt: mailboxes recognise a second copy
    reply_to = [mail.reply_to] if mail.reply_to else None
    headers = {"Message-ID": message_id}
    try:
        EmailMessage(mail.subject, mail.body, to=[mail.address], reply_to=reply_to, headers=headers).send()
    except SMTPRecipientsRefused as problem:
        raise JobFailed(f"The mail server refuses the address {mail.address}.") from problem
    except SMTPException as problem:
        raise ConnectionError(str(problem)) from problem
    Mail.objects.filter(pk=mail.pk).update(sent_at=timezone.now())
