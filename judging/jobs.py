"""Jobs of the judging app."""

from campaign.models import Import, Topic
from campaign.tasking import JobFailed, Progress, job
from judging.services.claims import topic_advance
from judging.services.imports import QRELS_JOBS, qrels_apply, qrels_check
from pooling.models import Pool
from pooling.selectors.growth import CHOOSE_DOCUMENTS, UnusablePoolError


@job(CHOOSE_DOCUMENTS)
def choose_documents(progress: Progress, *, pool_id: int, topic_id: int) -> None:
    pool = Pool.objects.select_related("task__campaign").get(pk=pool_id)
    try:
        topic_advance(pool=pool, topic=Topic.objects.get(pk=topic_id))
    except UnusablePoolError as problem:
        raise JobFailed(str(problem)) from problem


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
