"""Qrels of others on their way in: received and checked, then confirmed and released, by the house's import steps."""

from django.db import transaction

from campaign import tasking
from campaign.audit import audit
from campaign.collection.services.imports import Upload, import_claim_apply, import_is_stuck, import_store
from campaign.models import Import, Task, User

CHECK_QRELS, APPLY_QRELS = "check qrels", "apply qrels"


@transaction.atomic
def qrels_receive(
    *, actor: User, task: Task, file: Upload, file_name: str, subtopics: bool = False, note: str = ""
) -> Import:
    """Store a qrels file and have it checked; nothing is released before `qrels_confirm`."""
    options = {"subtopics": subtopics, "note": note}
    received = import_store(actor=actor, task=task, kind=Import.QRELS, file=file, file_name=file_name, options=options)
    tasking.enqueue(CHECK_QRELS, import_id=str(received.pk))
    return received


@transaction.atomic
def qrels_confirm(*, actor: User, import_: Import) -> None:
    """Have checked qrels released; confirming twice releases once."""
    if import_claim_apply(import_):
        audit(actor, "confirm", import_, campaign=import_.task.campaign, records=import_.records)
    elif not import_is_stuck(import_, Import.APPLYING):
        return
    tasking.enqueue(APPLY_QRELS, import_id=str(import_.pk))
