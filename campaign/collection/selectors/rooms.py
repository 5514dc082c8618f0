"""Topics and documents in the line of a task's rooms."""

from campaign.collection.selectors.documents import document_count
from campaign.models import Task, Topic
from campaign.permissions import Reader
from campaign.rooms import Room, in_thousands, number_of_rows


def topics_room(reader: Reader, task: Task) -> Room:
    below = ("topics/", "topic-files/", "import/topics/")
    return Room("Topics", "topic_list", below, number_of_rows(Topic.objects.all()))


def documents_room(reader: Reader, task: Task) -> Room | None:
    if not reader.reads_documents:
        return None
    below = ("documents/", "docnos/", "import/documents/")
    return Room("Documents", "document_list", below, in_thousands(document_count(task)))
