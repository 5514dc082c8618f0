"""The sweep, and the jobs of the site: what Celery imports of this app."""

from celery import shared_task  # noqa: TID251 - the sweep is what jobs rely on; it is no job itself

from campaign.mail.digests import digests_request
from campaign.models import Archive, DataExport, Restoration
from campaign.news.services.reminders import deadlines_remind
from campaign.permissions import get_or_404
from campaign.queue.jobs import Progress, job, requeue_lost_jobs
from campaign.queue.periodic import each_by_itself
from campaign.queue.workers import dead_workers_forget
from campaign.queues import REPORTS
from campaign.runs.services.rechecks import runs_check_forgotten
from campaign.text.plurals import number_of
from judging.assigning.services.reminders import reminders_forgotten
from judging.checkouts.services import choosing_forgotten
from runpool.account_data.selectors import MAKE_EXPORT
from runpool.account_data.services.exports import export_make
from runpool.archive.selectors import MAKE_ARCHIVE
from runpool.archive.services.checking import restoration_check
from runpool.archive.services.requests import CHECK_ARCHIVE, RESTORE_ARCHIVE
from runpool.archive.services.restored_runs import tables_make
from runpool.archive.services.restored_scores import scores_restore
from runpool.archive.services.restoring import restoration_apply
from runpool.archive.services.writing import archive_make
from runpool.operations.cleaning import clean_up, clean_when_due
from runpool.operations.health import CLEAN, VERIFY
from runpool.operations.row_states import kept_tables_note
from runpool.operations.seals import rows_seal
from runpool.operations.services import sweep_record
from runpool.operations.slow_requests import slow_requests_forget
from runpool.operations.tallies import StepRun, ended_jobs_tally, steps_note, sweep_note, timed
from runpool.operations.verifications import verification_make, verify_when_due

FOUR_HOURS = 4 * 3600


def lost_jobs_send() -> None:
    sweep_note(requeue_lost_jobs())


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
    kept_tables_note,
    clean_when_due,
)
"""What the sweep does every half minute, in this order."""


@shared_task(name="sweep", ignore_result=True, time_limit=60)  # type: ignore[untyped-decorator]
def sweep() -> None:
    """Every step stands alone: what one campaign holds must not keep the others waiting.

    A step that hangs ends the whole sweep at its time limit: lost jobs come first, and need nothing that later steps record.
    """
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


@job(CLEAN)
def clean(progress: Progress) -> None:
    """Its message, the report, stands on the operations page."""
    progress.report(0, 1, "removing what nobody needs")
    progress.report(1, 1, clean_up())


@job(VERIFY, queue=REPORTS, limit_seconds=FOUR_HOURS)
def verify(progress: Progress) -> None:
    """Safe to run twice: what is found is stored at its end only. While a state of the database is read nothing is reported."""
    progress.report(0, 1, "comparing what is stored with what it rests on")
    verification = verification_make()
    progress.report(1, 1, f"{number_of(verification.found, 'finding')}.")


@job(MAKE_EXPORT, queue=REPORTS)
def make_export(progress: Progress, *, export_id: int) -> None:
    """Safe to run twice: the first file stays. The row is gone where the account was deleted meanwhile."""
    export = get_or_404(DataExport.objects.select_related("user"), pk=export_id)
    export_make(export=export, report=progress.report)


@job(MAKE_ARCHIVE, queue=REPORTS, limit_seconds=FOUR_HOURS)
def make_archive(progress: Progress, *, archive_id: int) -> None:
    """Safe to run twice: a second run that was under way writes the same content, and the first file stays."""
    archive = get_or_404(Archive.objects.select_related("campaign", "task"), pk=archive_id)
    archive_make(archive=archive, report=progress.report)


@job(CHECK_ARCHIVE, queue=REPORTS, limit_seconds=FOUR_HOURS)
def check_archive(progress: Progress, *, restoration_id: str) -> None:
    restoration = get_or_404(Restoration.objects.all(), pk=restoration_id)
    if restoration.state == Restoration.CHECKING:
        restoration_check(restoration, progress.report)


@job(RESTORE_ARCHIVE, queue=REPORTS, limit_seconds=FOUR_HOURS)
def restore_archive(progress: Progress, *, restoration_id: str) -> None:
    """Safe to run twice: what was begun is removed and begun again; what is restored stays."""
    restoration = get_or_404(Restoration.objects.select_related("created_by"), pk=restoration_id)
    if restoration.state == Restoration.RESTORING:
        restoration_apply(restoration, progress.report)
    tables_make(restoration, progress.report)
    scores_restore(restoration, progress.report)
