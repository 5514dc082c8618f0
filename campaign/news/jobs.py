from campaign.news.services.notices import MAIL_NOTICE, notice_mail
from campaign.queue.jobs import Progress, job
from campaign.queues import MAIL


@job(MAIL_NOTICE, queue=MAIL)
def mail_notice(progress: Progress, *, notice_id: int) -> None:
    notice_mail(notice_id)
