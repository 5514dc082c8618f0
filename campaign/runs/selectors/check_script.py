from dataclasses import replace

from django.conf import settings

from campaign.collection.selectors.documents import document_count, may_read_documents
from campaign.formats.check_script.make import PACKED_DOCNOS, ScriptTask
from campaign.formats.runs.check import RUN_LIMITS
from campaign.models import Document, Task, Visitor
from campaign.runs.selectors.reading import rules_of_task
from campaign.web.links import absolute


def script_task(user: Visitor, task: Task) -> ScriptTask:
    """The data of the task's check script for this user: with document numbers only if they may read the documents."""
    documents = Document.objects.filter(collection=task.collection_id)
    count = document_count(task) if has_docno_list(task) else 0
    may_hold = 0 < count <= PACKED_DOCNOS and may_read_documents(user, task.campaign)
    return ScriptTask(
        campaign=task.campaign.slug,
        task=task.slug,
        title=task.title,
        site=absolute(""),
        rules=rules_of_task(task),
        limits=replace(RUN_LIMITS, max_bytes=settings.UPLOAD_LIMIT_BYTES),
        docnos=list(documents.order_by("pk").values_list("docno", flat=True)) if may_hold else [],
        docno_count=count,
        questions=task.questions,
    )


def has_docno_list(task: Task) -> bool:
    return task.docno_policy == Task.KNOWN and task.collection_id is not None
