from campaign.collection.counts import count_anew
from campaign.collection.docno_index import INDEX_DOCNOS, docno_index
from campaign.collection.selectors.search import INDEX_TEXTS
from campaign.collection.services.document_imports import documents_apply, documents_check
from campaign.collection.services.imports import APPLY_IMPORT, CHECK_IMPORT
from campaign.collection.services.search_index import TooMuchTextError, texts_index
from campaign.collection.services.texts_checksum import HASH_TEXTS, texts_checksum_compute
from campaign.collection.services.topic_imports import topics_apply, topics_check
from campaign.models import Collection, Import
from campaign.permissions import get_or_404
from campaign.queue import jobs  # noqa: F401 - discovered with this module
from campaign.queue.jobs import JobFailed, Progress, job
from campaign.queues import LARGE, REPORTS, queue_for_file

TWO_HOURS = 7200


def _queue(*, import_id: str) -> str:
    return queue_for_file(Import.objects.filter(pk=import_id).values_list("size", flat=True).first())


@job(CHECK_IMPORT, queue=_queue)
def check_import(progress: Progress, *, import_id: str) -> None:
    import_ = _import(import_id)
    if import_.state != Import.CHECKING:
        return
    if import_.kind == Import.TOPICS:
        topics_check(import_)
    else:
        documents_check(import_, progress.report)


@job(APPLY_IMPORT, queue=_queue)
def apply_import(progress: Progress, *, import_id: str) -> None:
    import_ = _import(import_id)
    if import_.state != Import.APPLYING:
        return
    if import_.kind == Import.TOPICS:
        topics_apply(import_)
    else:
        documents_apply(import_, progress.report)


@job(INDEX_DOCNOS, queue=LARGE)
def index_docnos(progress: Progress, *, collection_id: int) -> None:
    """Make the index ahead of the first check of a run, which would make it otherwise; numbers gone wrong become right."""
    if Collection.objects.filter(pk=collection_id).exists():
        docno_index(collection_id)
        count_anew(collection_id)


@job(INDEX_TEXTS, queue=REPORTS, limit_seconds=TWO_HOURS)
def index_texts(progress: Progress, *, collection_id: int, version: int) -> None:
    """Safe to run twice: an index that is there already is left alone."""
    try:
        texts_index(collection_id=collection_id, version=version, report=progress.report)
    except TooMuchTextError as problem:
        raise JobFailed(str(problem)) from problem


@job(HASH_TEXTS, queue=REPORTS, limit_seconds=TWO_HOURS)
def hash_texts(progress: Progress, *, collection_id: int, version: int) -> None:
    """Safe to run twice: a checksum that is there already stays."""
    texts_checksum_compute(collection_id=collection_id, version=version, report=progress.report)


def _import(import_id: str) -> Import:
    return get_or_404(Import.objects.select_related("task__campaign", "created_by"), pk=import_id)
