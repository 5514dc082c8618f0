"""Whether frozen pools are what their records say: what `manage.py verify` compares of this app."""

import hashlib
from collections.abc import Iterator

from django.db.models import F

from campaign.integrity import Extent, Finding, each_by_itself
from campaign.text.plurals import number_of
from pooling.models import Pool, PoolEntry, PoolRun
from pooling.selectors.pools import pool_text

REMEDY = "The database was changed behind the site's back: restore it from a backup of before the change."


def verify_pools(extent: Extent) -> Iterator[Finding]:
    """Every pool: the entries that were drawn give its file, and its runs have the bytes that they had."""

    def compare(pool: Pool) -> Iterator[Finding]:
        extent.looked["pools"] += 1
        for text in _differences(pool):
            yield Finding("pools", str(pool), text, REMEDY)

    return each_by_itself("pools", Pool.objects.select_related("task__campaign"), compare)


def _differences(pool: Pool) -> Iterator[str]:
    drawn = PoolEntry.objects.filter(pool=pool, source=PoolEntry.DRAWN).count()
    if drawn != pool.size:
        yield f"It was frozen with {number_of(pool.size, 'document')} and has {drawn:,}."
    elif hashlib.sha256(pool_text(pool)).hexdigest() != pool.sha256:
        yield "Its documents do not give the SHA-256 that was recorded when it was frozen."
    changed = PoolRun.objects.filter(pool=pool).exclude(sha256=F("run__sha256")).values_list("run__tag", flat=True)
    tags = ", ".join(changed[:20])
    if tags:
        yield f"It was drawn from other bytes than are now recorded of the runs {tags}."
