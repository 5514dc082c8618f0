"""Adding a document found by hand to a topic that is being judged: its assignments have work again."""

from django.core.exceptions import PermissionDenied
from django.db import transaction

from campaign.models import Topic, User
from judging.checkouts.selectors import free_entries
from judging.checkouts.services import claim_entries, close_or_reopen
from judging.models import Assignment
from pooling.models import Pool, PoolEntry
from pooling.services.added_documents import document_add
from pooling.services.growth import topic_lock


@transaction.atomic
def document_found(*, actor: User, pool: Pool, topic: Topic, docno: str) -> PoolEntry:
    """As an organiser: whoever judges the topic gets the document."""
    topic_lock(topic)
    entry = document_add(actor=actor, pool=pool, topic=topic, docno=docno)
    close_or_reopen(
        Assignment.objects.select_for_update(of=("self",))
        .select_related("pool__task", "topic")
        .filter(pool=pool, topic=topic)
        .order_by("pk")
    )
    return entry


@transaction.atomic
def document_found_at_the_desk(*, assignment: Assignment, docno: str) -> PoolEntry:
    """As the assessor of the assignment, who judges the document next."""
    if not assignment.pool.task.assessors_add_documents:
        raise PermissionDenied("In this task only organisers add documents to the pool.")
    if Assignment.objects.filter(pk=assignment.pk, handed_over_at__isnull=False).exists():
        raise PermissionDenied("The topic was handed over to another assessor, who would have to judge the document.")
    if not assignment.is_whole:
        raise PermissionDenied("Documents are added where one assessor has the whole topic: tell the organisers of it.")
    entry = document_found(actor=assignment.assessor, pool=assignment.pool, topic=assignment.topic, docno=docno)
    if assignment.pool.grows:
        claim_entries(assignment, free_entries(assignment).filter(docno=docno).values_list("docno", flat=True))
    return entry
