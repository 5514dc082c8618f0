"""The checksum of a collection's texts, by which a copy of the downloaded file is known to be whole: computed when asked for."""

from collections.abc import Callable

from campaign.collection.selectors.texts import digest_of_texts
from campaign.models import Collection, Job, job_key
from campaign.queue.jobs import enqueue

HASH_TEXTS = "compute checksum of texts"
"""Done by campaign/collection/jobs.py."""
Report = Callable[[int, int, str], None]


def texts_checksum_request(collection: Collection) -> Job:
    """Return the job that computes it of the documents as they are now; a failed one is tried again."""
    arguments = {"collection_id": collection.pk, "version": collection.documents_version}
    job = Job.objects.filter(name=HASH_TEXTS, key=job_key(arguments)).order_by("-pk").first()
    if job is None or not job.is_unfinished:
        return enqueue(HASH_TEXTS, **arguments)
    return job


def texts_checksum_compute(*, collection_id: int, version: int, report: Report) -> None:
    """Compute it if the documents are still of this version; what comes in meanwhile makes it worthless, and it is not kept."""
    now = Collection.objects.filter(pk=collection_id, documents_version=version)
    if not now.exists() or now.filter(texts_version=version).exists():
        return
    total = now.values_list("text_count", flat=True).first() or 0
    digest = digest_of_texts(collection_id, lambda done: report(done, total, "texts read"))
    now.update(texts_sha256=digest, texts_version=version)
