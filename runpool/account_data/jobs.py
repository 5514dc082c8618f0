from campaign.models import DataExport
from campaign.permissions import get_or_404
from campaign.queue.jobs import Progress, job
from campaign.queues import REPORTS
from runpool.account_data.selectors import MAKE_EXPORT
from runpool.account_data.services.exports import export_make


@job(MAKE_EXPORT, queue=REPORTS)
def make_export(progress: Progress, *, export_id: int) -> None:
    """Safe to run twice: the first file stays. The row is gone where the account was deleted meanwhile."""
    export = get_or_404(DataExport.objects.select_related("user"), pk=export_id)
    export_make(export=export, report=progress.report)
