"""Topics and documents in the line of a task's rooms."""

from django.core.cache import caches

from campaign.models import Document, Task, Topic
from campaign.permissions import Reader
from campaign.rooms import Room, in_thousands, number_of_rows


def topics_room(reader: Reader, task: Task) -> Room:
    below = ("topics/", "topic-files/", "import/topics/")
    return Room("Topics", "topic_list", below, number_of_rows(Topic.objects.all()))


def documents_room(reader: Reader, task: Task) -> Room | None:
    if not reader.reads_documents:
        return None
    below = ("documents/", "docnos/", "import/documents/")
    return Room("Documents", "document_list", below, in_thousands(_document_count(task)))


def _document_count(task: Task) -> int:
    """Kept: to count the rows of a large collection on every page would take longer than the rest of the page."""
    collection = task.collection
    if collection is None:
        return 0
    count = Document.objects.filter(collection=collection).count
    if not collection.documents_version:
        return count()
    key = f"campaign:documents:{collection.pk}:{collection.created_at.timestamp()}:{collection.documents_version}"
    return caches["bulk"].get_or_set(key, count) or 0
