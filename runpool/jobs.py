"""The sweep, and the jobs of the site: what Celery imports of this app."""

from celery import shared_task  # noqa: TID251 - the sweep is what jobs rely on; it is no job itself

from campaign.mail.digests import digests_request
from campaign.news.services.reminders import deadlines_remind
from campaign.queue.jobs import send_what_was_lost
from campaign.queue.periodic import each_by_itself
from campaign.queue.workers import dead_workers_forget
from campaign.runs.services.rechecks import runs_check_forgotten
from judging.assigning.services.reminders import reminders_forgotten
from judging.checkouts.services import choosing_forgotten
from runpool.account_data import jobs as account_data_jobs
from runpool.archive import jobs as archive_jobs
from runpool.operations import jobs as operation_jobs
from runpool.operations.cleaning import clean_when_due
from runpool.operations.seals import rows_seal
from runpool.operations.services import sweep_record
from runpool.operations.slow_requests import slow_requests_forget
from runpool.operations.tallies import StepRun, ended_jobs_tally, steps_note, sweep_note, timed
from runpool.operations.verifications import verify_when_due

__all__ = ["account_data_jobs", "archive_jobs", "operation_jobs", "sweep"]


def lost_jobs_send() -> None:
    sweep_note(send_what_was_lost())


PERIODIC = (
    lost_jobs_send,
    runs_check_forgotten,
    deadlines_remind,
    digests_request,
    verify_when_due,
    choosing_forgotten,
    reminders_forgotten,
    ended_jobs_tally,
    slow_requests_forget,
    dead_workers_forget,
    clean_when_due,
)
"""What the sweep does every half minute, in this order."""


@shared_task(name="sweep", ignore_result=True, time_limit=60)  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Every step stands alone: what one campaign holds must not keep the others waiting."""
    runs: list[StepRun] = []
    failed = each_by_itself([timed(step, runs.append) for step in PERIODIC])[1]

    def record_sweep() -> None:
        sweep_record(failed)

    def note_steps() -> None:
        steps_note(runs)

    each_by_itself([record_sweep, note_steps])  # while the database is away, these are the steps that fail each time
    if without_seals := each_by_itself([rows_seal])[1]:  # afterwards: it takes longest, and nobody waits for it
        failed += without_seals
        each_by_itself([record_sweep])
