"""The number of documents of a collection, kept beside it: whoever adds documents tells it in the same transaction."""

from django.db import transaction
from django.db.models import Count, F, Q

from campaign.models import Collection, Document


def documents_added(collection_id: int, *, documents: int, texts: int) -> None:
    """`texts`: how many documents have a text now that had none, or were not there."""
    counts = {"document_count": F("document_count") + documents, "text_count": F("text_count") + texts}
    Collection.objects.filter(pk=collection_id).update(**counts)


def counted(collection_id: int) -> dict[str, int]:
    """Both numbers by the rows themselves, which takes seconds for millions of documents."""
    rows = Document.objects.filter(collection=collection_id)
    return rows.aggregate(document_count=Count("pk"), text_count=Count("pk", filter=Q(has_text=True)))


@transaction.atomic
def count_anew(collection_id: int) -> None:
    """For documents that came by another way than an import, which holds the same lock while it adds some."""
    if Collection.objects.select_for_update().filter(pk=collection_id).exists():
        Collection.objects.filter(pk=collection_id).update(**counted(collection_id))
