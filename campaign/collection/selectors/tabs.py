"""Topics and documents among the tabs of a task."""

from campaign.collection.selectors.documents import document_count
from campaign.models import Task, Topic
from campaign.navigation import Tab, in_thousands, number_of_rows
from campaign.permissions import Reader


def topics_tab(reader: Reader, task: Task) -> Tab:
    below = ("topics/", "topic-files/", "import/topics/")
    return Tab("Topics", "topic_list", below, number_of_rows(Topic.objects.all()))


def documents_tab(reader: Reader, task: Task) -> Tab | None:
    if not reader.reads_documents:
        return None
    below = ("documents/", "docnos/", "import/documents/")
    return Tab("Documents", "document_list", below, in_thousands(document_count(task)))
