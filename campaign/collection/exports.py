"""What teams take home of a collection: topics as files, and the list of document numbers."""

import zlib
from collections.abc import Iterable, Iterator

from django.http import HttpResponse, StreamingHttpResponse

from campaign.collection.selectors.documents import docno_batches
from campaign.formats.topics.drafts import SubtopicRecord, TopicRecord
from campaign.formats.topics.write import TopicFile
from campaign.models import Task, Topic

GZIP = 16 + zlib.MAX_WBITS
LEVEL = 6


def topic_file(task: Task, file: TopicFile) -> HttpResponse:
    """All topics of the task in the order of the topic file that was imported."""
    topics = map(_record, task.topics.prefetch_related("subtopics").order_by("position"))
    name = f"{task.campaign.slug}-{task.slug}-topics.{file.ending}"
    return HttpResponse("".join(file.lines(topics)), content_type=file.content_type, headers=_attached(name))


def docno_file(task: Task) -> StreamingHttpResponse:
    """The document numbers of the task's collection, one on each line, as gzip that is made while it is sent."""
    name = f"{task.campaign.slug}-{task.slug}-docnos.txt.gz"
    # A proxy that buffers it would need the disk space that streaming saves.
    headers = {**_attached(name), "X-Accel-Buffering": "no"}
    return StreamingHttpResponse(_zipped(docno_batches(task)), content_type="application/gzip", headers=headers)


def _zipped(batches: Iterable[list[str]]) -> Iterator[bytes]:
    packer = zlib.compressobj(LEVEL, wbits=GZIP)
    for docnos in batches:
        yield packer.compress("".join(f"{docno}\n" for docno in docnos).encode())
    yield packer.flush()


def _attached(name: str) -> dict[str, str]:
    return {"Content-Disposition": f'attachment; filename="{name}"'}


def _record(topic: Topic) -> TopicRecord:
    subtopics = tuple(SubtopicRecord(subtopic.number, subtopic.text) for subtopic in topic.subtopics.all())
    return TopicRecord(topic.number, topic.title, topic.description, topic.narrative, subtopics, topic.position)
