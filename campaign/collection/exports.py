"""What teams take home of a collection: topics and documents as files, and the list of document numbers."""

import zlib
from collections.abc import Iterable, Iterator

from django.http import HttpResponse, StreamingHttpResponse

from campaign.collection.selectors.documents import docno_batches
from campaign.collection.selectors.texts import document_texts
from campaign.formats.document_files import DocumentFile
from campaign.formats.topics.drafts import SubtopicRecord, TopicRecord
from campaign.formats.topics.write import TopicFile
from campaign.models import Task, Topic

GZIP = 16 + zlib.MAX_WBITS
LEVEL = 6


def topic_file(task: Task, file: TopicFile) -> HttpResponse:
    """All topics of the task."""
    topics = topic_records(task)
    name = f"{task.campaign.slug}-{task.slug}-topics.{file.ending}"
    return HttpResponse("".join(file.lines(topics)), content_type=file.content_type, headers=_attached(name))


def topic_records(task: Task) -> Iterator[TopicRecord]:
    """In the order of the topic file that was imported."""
    return map(_record, task.topics.prefetch_related("subtopics").order_by("position"))


def docno_file(task: Task) -> StreamingHttpResponse:
    """The document numbers of the task's collection, one on each line."""
    lines = ("".join(f"{docno}\n" for docno in docnos) for docnos in docno_batches(task))
    return _zipped_file(f"{task.campaign.slug}-{task.slug}-docnos.txt.gz", lines)


def document_file(task: Task, collection_id: int, file: DocumentFile) -> StreamingHttpResponse:
    """All texts of the task's collection."""
    name = f"{task.campaign.slug}-{task.slug}-documents.{file.ending}"
    return _zipped_file(name, file.lines(document_texts(collection_id)))


def _zipped_file(name: str, parts: Iterable[str]) -> StreamingHttpResponse:
    """Text as gzip that is made while it is sent."""
    # A proxy that buffers it would need the disk space that streaming saves.
    headers = {**_attached(name), "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(_zipped(parts), content_type="application/gzip", headers=headers)


def _zipped(parts: Iterable[str]) -> Iterator[bytes]:
    packer = zlib.compressobj(LEVEL, wbits=GZIP)
    for part in parts:
        if packed := packer.compress(part.encode()):
            yield packed
    yield packer.flush()


def _attached(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def _record(topic: Topic) -> TopicRecord:
    subtopics = tuple(SubtopicRecord(subtopic.number, subtopic.text) for subtopic in topic.subtopics.all())
    return TopicRecord(topic.number, topic.title, topic.description, topic.narrative, subtopics, topic.position)
