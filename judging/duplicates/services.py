"""The organiser decides how near-identical documents of a pool are judged. Nothing that was judged is lost by it."""

from django.core.exceptions import ValidationError
from django.db import transaction
from django.db.models import Exists, OuterRef

from campaign.log.audit import audit
from campaign.models import Topic, User
from campaign.permissions import held_organised_campaign_or_404
from campaign.web.daily_limits import require_few_changes
from judging.checkouts.services import close_or_reopen
from judging.models import Assignment, Claim
from pooling.models import DuplicateSearch, Pool
from pooling.selectors.duplicates import latest_search, stood_for
from pooling.selectors.growth import open_topics
from pooling.services.growth import choosing_request, topic_lock


@transaction.atomic
def handling_choose(*, actor: User, pool: Pool, handling: str) -> DuplicateSearch:
    """Set how the pool's near-identical documents are judged; assignments are finished or open again by what is left."""
    if handling not in DuplicateSearch.HANDLINGS:
        raise ValidationError(f"There is no handling “{handling}”: use {', '.join(DuplicateSearch.HANDLINGS)}.")
    held_organised_campaign_or_404(actor, pool.task.campaign)
    growing = list(Topic.objects.filter(pool_entries__pool=pool).distinct().order_by("pk")) if pool.grows else []
    for topic in growing:
        topic_lock(topic)
    search = DuplicateSearch.objects.select_for_update().filter(pool=pool).first()
    if search is None:
        raise ValidationError("Near-duplicates of this pool are not found yet. Wait for the search, or start it again.")
    if search.handling == handling:
        return search
    if handling == DuplicateSearch.ONE:
        _require_no_search(pool)
    before, search.handling, search.changed_by = search.handling, handling, actor
    search.full_clean()
    search.save()
    require_few_changes(actor)
    audit(
        actor,
        "handled near-duplicates",
        search,
        campaign=pool.task.campaign,
        pool=pool.version,
        handling=[before, handling],
    )
    _hand_back(pool)
    close_or_reopen(
        Assignment.objects.select_for_update(of=("self",))
        .select_related("pool__task", "topic")
        .filter(pool=pool)
        .order_by("pk")
    )
    for _, topic_id in open_topics([pool]):
        choosing_request(pool, topic_id)
    return search


def _require_no_search(pool: Pool) -> None:
    job = latest_search(pool)
    if job is not None and job.is_unfinished:
        raise ValidationError("Near-duplicates are being looked for. Wait until that is done, then choose again.")


def _hand_back(pool: Pool) -> None:
    """Nobody holds a document of a growing pool that is left to another one."""
    led = stood_for([pool]).filter(topic=OuterRef("topic"), docno=OuterRef("docno"))
    Claim.objects.filter(Exists(led), pool=pool).delete()
