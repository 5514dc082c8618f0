"""What a task left unjudged when it went on."""

from campaign.models import Task
from judging.core.set_names import DEFAULT
from judging.models import Qrels
from judging.progress.selectors.progress import pool_numbered
from judging.progress.selectors.shares import shares_of
from pooling.models import Pool
from pooling.selectors.sizes import topic_sizes


def judging_left_open(task: Task) -> str:
    """Pairs of the latest pool without a grade: those of its release, or those of today where it has none."""
    pool = pool_numbered(task)
    if pool is None:
        return ""
    released = (
        task.qrels.filter(pool=pool, set_name=DEFAULT).exclude(source=Qrels.IMPORTED).order_by("-version").first()
    )
    count = _not_judged(pool) if released is None else released.unjudged_count
    return f"{count:,} without a grade" if count else ""


def _not_judged(pool: Pool) -> int:
    sizes, shares = topic_sizes(pool), shares_of([pool])
    assigned = {topic for _, topic, number in shares if number == 1}
    unassigned = sum(size for topic, size in sizes.items() if topic not in assigned)
    return unassigned + sum(share.left for (_, _, number), share in shares.items() if number == 1)
