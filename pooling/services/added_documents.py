"""Documents found by hand: somebody searched the collection for a topic, and adds what no draw brought."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Max

from campaign.collection.selectors.missing_keys import missing_in
from campaign.formats.near_keys import OF_COLLECTION, hints
from campaign.log.audit import audit
from campaign.models import Document, Topic, User
from campaign.runs.selectors.residual import is_judged_before
from campaign.web.daily_limits import require_few_of_person
from pooling.models import Pool, PoolEntry, Search
from pooling.services.growth import topic_lock

MOST_SEARCHES_A_DAY = 5_000
"""Of one person: each other query is kept, since it tells how a document was found."""


@transaction.atomic
def document_add(*, actor: User, pool: Pool, topic: Topic, docno: str) -> PoolEntry:
    """Add a document of the collection behind the topic's last one; asked for twice by the same person, it is added once."""
    if topic.task_id != pool.task_id:
        raise ValidationError(f"Topic {topic.number} is not one of this task.")
    topic_lock(topic)
    entries = PoolEntry.objects.filter(pool=pool, topic=topic)
    there = entries.filter(docno=docno).first()
    if there is not None:
        if there.source == PoolEntry.FOUND and there.added_by_id == actor.pk:
            return there
        raise ValidationError(f"Document {docno} is in the pool of topic {topic.number} already.")
    if not Document.objects.filter(collection=pool.task.collection_id, docno=docno).exists():
        raise ValidationError(
            f"Document {docno} is not in the collection. Choose one of the results.{_near(pool, docno)}"
        )
    if is_judged_before(pool.task, topic.number, docno):
        raise ValidationError(f"Document {docno} was judged for topic {topic.number} in an earlier round.")
    last = entries.aggregate(last=Max("position"))["last"] or 0
    entry = PoolEntry.objects.create(
        pool=pool,
        topic=topic,
        docno=docno,
        position=last + 1,
        best_position=0,
        run_count=0,
        stratum=PoolEntry.FOUND_STRATUM,
        inclusion_probability=1.0,
        source=PoolEntry.FOUND,
        added_by=actor,
    )
    audit(
        actor,
        "add document found by hand",
        pool,
        campaign=pool.task.campaign,
        topic=topic.number,
        version=pool.version,
        docno=docno,
    )
    return entry


def search_log(*, actor: User, pool: Pool, topic: Topic, query: str, results: int) -> None:
    """Log a search; the same one again, such as by a reload of its page, is logged once. ValidationError beyond the limit."""
    last = Search.objects.filter(pool=pool, topic=topic, searched_by=actor).order_by("-pk").first()
    if last is None or last.query != query:
        require_few_of_person(actor, "searches", MOST_SEARCHES_A_DAY)
        Search.objects.create(pool=pool, topic=topic, searched_by=actor, query=query, results=results)


def _near(pool: Pool, docno: str) -> str:
    held = Document.objects.filter(collection=pool.task.collection_id)
    return hints([docno], missing_in(held, "docno"), OF_COLLECTION)
