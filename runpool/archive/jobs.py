from campaign.models import Archive, Restoration
from campaign.permissions import get_or_404
from campaign.queue.jobs import Progress, job
from campaign.queues import REPORTS
from runpool.archive.selectors import MAKE_ARCHIVE
from runpool.archive.services.checking import restoration_check
from runpool.archive.services.requests import CHECK_ARCHIVE, RESTORE_ARCHIVE, archive_make
from runpool.archive.services.restored_runs import tables_make
from runpool.archive.services.restored_scores import scores_restore
from runpool.archive.services.restoring import restoration_apply

FOUR_HOURS = 4 * 3600


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
