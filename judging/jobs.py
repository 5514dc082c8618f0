"""Jobs of the judging app."""

from campaign.models import Import
from campaign.tasking import Progress, job
from judging.services.imports import QRELS_JOBS, qrels_apply, qrels_check


@job(QRELS_JOBS.check)
def check_qrels(progress: Progress, *, import_id: str) -> None:
    import_ = _import(import_id)
    if import_.state == Import.CHECKING:
        progress.report(0, 0, "reading")
        qrels_check(import_)


@job(QRELS_JOBS.apply)
def apply_qrels(progress: Progress, *, import_id: str) -> None:
    import_ = _import(import_id)
    if import_.state == Import.APPLYING:
        progress.report(0, 0, "importing")
        qrels_apply(import_)


def _import(import_id: str) -> Import:
    return Import.objects.select_related("task__campaign", "created_by").get(pk=import_id, kind=Import.QRELS)
