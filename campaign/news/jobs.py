from campaign.news.services.notices import MAIL_NOTICE, notice_mail
from campaign.queues import MAIL
from campaign.tasking import Progress, job


@job(MAIL_NOTICE, queue=MAIL)
def mail_notice(progress: Progress, *, notice_id: int) -> None:
    notice_mail(notice_id)
