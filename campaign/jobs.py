"""The sweep, and the jobs of every room: what Celery imports of this app."""

from celery import shared_task  # noqa: TID251 - the sweep is what jobs rely on; it is no job itself

from campaign import tasking
from campaign.archive import jobs as archive_jobs
from campaign.collection import jobs as collection_jobs
from campaign.mail import jobs as mail_jobs
from campaign.mail.digests import digests_request
from campaign.news import jobs as news_jobs
from campaign.news.services.reminders import deadlines_remind
from campaign.operations import jobs as operation_jobs
from campaign.operations.cleaning import clean_when_due
from campaign.operations.services import sweep_record
from campaign.operations.slow_requests import slow_requests_forget
from campaign.operations.tallies import ended_jobs_tally, sweep_note
from campaign.people import jobs as people_jobs
from campaign.runs import jobs as run_jobs
from campaign.runs.services.rechecks import runs_check_forgotten
from campaign.sweeps import sweep_all

__all__ = [
    "archive_jobs",
    "collection_jobs",
    "mail_jobs",
    "news_jobs",
    "operation_jobs",
    "people_jobs",
    "run_jobs",
    "sweep",
]


@shared_task(name="sweep", ignore_result=True, time_limit=60)  # type: ignore[untyped-decorator]
def sweep() -> None:
    sweep_note(tasking.send_what_was_lost())
    runs_check_forgotten()
    deadlines_remind()
    digests_request()
    sweep_all()
    sweep_record()
    ended_jobs_tally()
    slow_requests_forget()
    clean_when_due()
