"""The checksum of a collection's texts, by which a copy of the downloaded file is known to be whole: computed when asked for."""

from collections.abc import Callable
from datetime import timedelta

from django.utils import timezone

from campaign.collection.selectors.texts import digest_of_texts
from campaign.database import clock
from campaign.models import Collection, Job, job_key
from campaign.queue.jobs import enqueue

HASH_TEXTS = "compute checksum of texts"
"""Done by campaign/collection/jobs.py."""
PAUSE_AFTER_FAILURE = timedelta(hours=1)
"""Every reader of qrels asks by downloading a file: each would else have all texts read once more, in vain."""
Report = Callable[[int, int, str], None]


def texts_checksum_request(collection: Collection) -> Job:
    """Return the job that computes it of the documents as they are now; one that failed is tried again after a pause."""
    arguments = {"collection_id": collection.pk, "version": collection.documents_version}
    asked = Job.objects.filter(name=HASH_TEXTS, key=job_key(arguments))
    job = asked.order_by("-pk").first()
    failed_lately = asked.filter(clock.within("finished_at", PAUSE_AFTER_FAILURE, timezone.now()), state=Job.FAILED)
    if job is not None and (job.is_unfinished or failed_lately.filter(pk=job.pk).exists()):
        return job
    return enqueue(HASH_TEXTS, **arguments)


def texts_checksum_compute(*, collection_id: int, version: int, report: Report) -> None:
    """Compute it if the documents are still of this version; what comes in meanwhile makes it worthless, and it is not kept."""
    now = Collection.objects.filter(pk=collection_id, documents_version=version)
    if not now.exists() or now.filter(texts_version=version).exists():
        return
    total = now.values_list("text_count", flat=True).first() or 0
    digest = digest_of_texts(collection_id, lambda done: report(done, total, "texts read"))
    now.update(texts_sha256=digest, texts_version=version)
