"""The jobs of this app: what Celery imports of it. Rooms with several jobs have them in a `jobs.py` of their own."""

from campaign.collection import jobs as collection_jobs
from campaign.mail import jobs as mail_jobs
from campaign.news.services.notices import MAIL_NOTICE, notice_mail
from campaign.queue.jobs import Progress, job
from campaign.queues import MAIL
from campaign.runs import jobs as run_jobs

__all__ = ["collection_jobs", "mail_jobs", "run_jobs"]


@job(MAIL_NOTICE, queue=MAIL)
def mail_notice(progress: Progress, *, notice_id: int) -> None:
    notice_mail(notice_id)
