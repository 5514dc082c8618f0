"""Handing out the documents of growing pools, and what has to be done after judgments of them."""

import logging
from collections.abc import Callable, Iterable

from django.db import transaction

from campaign.database import clock
from campaign.log.audit import audit
from campaign.models import Topic, User
from campaign.permissions import held_organised_campaign_or_404
from campaign.queue.jobs import enqueue
from campaign.web.daily_limits import require_few_changes
from judging.checkouts.selectors import (
    LOOK_AHEAD,
    failed_choosings,
    free_entries,
    is_finished,
    is_forgotten,
    shortage,
    stale_claims,
)
from judging.judgments.selectors.own_documents import own_current, unjudged, why_not_judging
from judging.models import Assignment, Claim, Judgment
from judging.selectors.judged_documents import relevance_of
from pooling.core.strategies.adaptive.lists import TopicLists
from pooling.models import Pool
from pooling.selectors.growth import topic_lists_of
from pooling.services.growth import choosing_request, documents_choose, topic_lock

logger = logging.getLogger(__name__)


@transaction.atomic
def claims_take(assignment: Assignment) -> None:
    """Fill up what the assessor holds to `LOOK_AHEAD` documents, and have more chosen where few are left.

    Does nothing for a pool that does not grow: there the whole topic is the assessor's. Who lost the role holds nothing.
    """
    if not assignment.pool.grows:
        return
    topic_lock(assignment.topic_id)
    if why_not_judging(assignment):
        assignment.claims.all().delete()
        return
    now = clock.now()
    stale_claims(assignment).delete()
    # Judged through another version of the pool, a document does not keep its place here.
    assignment.claims.exclude(docno__in=unjudged(assignment).order_by().values("docno")).delete()
    missing = LOOK_AHEAD - assignment.claims.update(claimed_at=now)
    free = free_entries(assignment).values_list("docno", flat=True)[: max(missing, 0)]
    if claim_entries(assignment, free):
        _request_if_short(assignment.pool, assignment.topic_id)
    elif missing > 0 and is_forgotten(assignment.pool, assignment.topic_id):
        choosing_request(assignment.pool, assignment.topic_id)


def claims_settle(assignment: Assignment, docnos: Iterable[str]) -> None:
    """After judgments of these documents: a judged one is held by nobody, one that was taken back by its assessor again.

    The caller holds the topic's lock.
    """
    if not assignment.pool.grows:
        return
    judged = own_current(assignment).filter(docno__in=set(docnos)).filter(verdict__in=Judgment.JUDGED)
    done = set(judged.values_list("docno", flat=True))
    Claim.objects.filter(topic=assignment.topic_id, pass_number=assignment.pass_number, docno__in=done).delete()
    free = free_entries(assignment).filter(docno__in=set(docnos) - done).values_list("docno", flat=True)
    claim_entries(assignment, free)
    _request_if_short(assignment.pool, assignment.topic_id)


def claim_entries(assignment: Assignment, docnos: Iterable[str]) -> int:
    """Hand these free documents to the assessor; the caller holds the topic's lock. Returns how many."""
    now = clock.now()
    claims = Claim.objects.bulk_create(
        Claim(
            assignment=assignment,
            pool_id=assignment.pool_id,
            topic_id=assignment.topic_id,
            pass_number=assignment.pass_number,
            docno=docno,
            claimed_at=now,
        )
        for docno in docnos
    )
    return len(claims)


@transaction.atomic
def claims_free(*, actor: User, assignment: Assignment) -> int:
    """Let others have at once what the assessor holds; what the assessor still sends of it is kept. Returns how many."""
    held_organised_campaign_or_404(actor, assignment.pool.task.campaign)
    topic_lock(assignment.topic_id)
    count, _ = assignment.claims.all().delete()
    if count:
        require_few_changes(actor)
        task, facts = assignment.pool.task, {"topic": assignment.topic.number, "pass": assignment.pass_number}
        audit(actor, "free held documents", assignment.assessor, campaign=task.campaign, documents=count, **facts)
    return count


def _request_if_short(pool: Pool, topic_id: int) -> None:
    if shortage(pool, topic_id) > 0:
        choosing_request(pool, topic_id)


def topic_advance(*, pool: Pool, topic: Topic) -> None:
    """Choose further documents of the topic by its judgments, and finish its assignments where it has stopped.

    Steps are written once: whoever comes second finds them under the lock. Run twice, it does nothing more.
    """
    if pool.task.campaign.archived_at is not None:  # assessors who go on after it ask again
        return
    lists = topic_lists_of(pool, topic)  # before the lock: the first time it reads the runs
    # What is judged already, in an earlier pool, waits for nobody: more is chosen until something does.
    while _chosen_once(pool, topic, lists) and shortage(pool, topic) > 0:
        continue


@transaction.atomic
def _chosen_once(pool: Pool, topic: Topic, lists: TopicLists) -> int:
    """Returns how many documents were added."""
    topic_lock(topic)
    relevant, wanted = relevance_of(pool, topic), shortage(pool, topic)
    added = documents_choose(pool=pool, topic=topic, lists=lists, relevant=relevant, wanted=wanted)
    close_or_reopen(
        Assignment.objects.select_for_update(of=("self",))
        .select_related("pool__task", "topic")
        .filter(pool=pool, topic=topic)
        .order_by("pk")
    )
    return added


def close_or_reopen(assignments: Iterable[Assignment], is_finished: Callable[[Assignment], bool] = is_finished) -> None:
    """Set when each assignment was finished; the caller has locked them."""
    for assignment in assignments:
        finished = is_finished(assignment)
        if finished != (assignment.finished_at is not None):
            finished_at = clock.now() if finished else None
            Assignment.objects.filter(pk=assignment.pk).update(finished_at=finished_at)


def choosing_forgotten() -> int:
    """Ask again for the choosing of topics whose last job failed: part of the sweep."""
    failed = failed_choosings()
    for job in failed:
        logger.warning("%s failed: it is enqueued again", job)
        enqueue(job.name, **job.arguments)
    return len(failed)
