"""What nobody needs any more is removed once a day, with a report."""

import logging
from collections.abc import Callable
from datetime import timedelta
from functools import wraps
from typing import TypeVar

from django.conf import settings
from django.contrib.sessions.models import Session
from django.core.cache import caches
from django.core.cache.backends.db import DatabaseCache
from django.db import connection
from django.template.defaultfilters import filesizeformat
from django.utils import timezone

from campaign.database import clock
from campaign.models import Archive, Import, Job, Restoration
from campaign.queue.jobs import JobFailed, enqueue
from campaign.queue.open_jobs import superseded_jobs
from campaign.queue.periodic import each_by_itself
from campaign.setup.services.deletions import remove_for_good
from campaign.setup.services.people import expired_invitations_remove
from campaign.storage.inventory import remove_left_over, remove_unnamed, unnamed_files
from campaign.storage.owners import is_own, other_sites
from campaign.text.plurals import number_of
from campaign.web.links import absolute
from runpool.account_data.services.deletion import confirmations_forget
from runpool.account_data.services.exports import exports_forget
from runpool.operations.health import CLEAN
from runpool.operations.row_states import row_states_begin
from runpool.operations.tallies import storage_measure

EVERY = timedelta(days=1)
OLD_SECONDS = 24 * 3600.0
"""Younger files may belong to an upload whose row is not written yet."""
MOST_NAMED = 20
"""Files in one line of the log: of a damaged disk all may be refused."""
T = TypeVar("T")
logger = logging.getLogger(__name__)
CLEANINGS = (remove_for_good, expired_invitations_remove, confirmations_forget, exports_forget, row_states_begin)
"""Each returns what it removed or did, for the report."""


def clean_when_due() -> None:
    """Ask for the cleaning unless it was asked for within a day."""
    if not Job.objects.filter(clock.within("created_at", EVERY, clock.now()), name=CLEAN).exists():
        enqueue(CLEAN)


def clean_up() -> str:
    """Remove what nobody needs; the report says what that was. JobFailed with the report where a part of it failed."""
    if not is_own():
        raise JobFailed(
            "Nothing was removed: the storage is not that of this site, or was emptied. /readyz says what to do."
        )
    done, failed = each_by_itself(CLEANINGS)  # first: their files are then named no more
    failed += each_by_itself([forget_files])[1]
    left_over, failed_there = each_by_itself([_step(remove_left_over, OLD_SECONDS)])
    others, failed_to_tell = each_by_itself([_step(other_sites, absolute("/"))])
    removed, failed_files = _unnamed_removed() if others == [[]] else ([], [])
    done.append(f"files that no row names: {len(removed):,} ({filesizeformat(sum(removed))})")
    done += [f"broken-off uploads: {number:,}" for number in left_over]
    failed += [*failed_there, *failed_to_tell, *failed_files, *each_by_itself([storage_measure])[1]]
    more, failed_last = each_by_itself([_old_jobs_removed, _sessions_removed, _cache_rows_removed])
    failed += failed_last
    report = f"Removed: {'; '.join([*done, *more])}."
    logger.info("cleaning: %s", report)
    if failed:
        raise JobFailed(f"{report} Failed: {', '.join(failed)}; the log of the workers says why.")
    if any(others):
        raise JobFailed(
            f"{report} No file was removed, since other sites keep files in this storage: {', '.join(others[0])}. Give each site "
            "a storage of its own. Where such a site is no more, remove its file."
        )
    return report


def _step(act: Callable[..., T], *about: object) -> Callable[[], T]:
    """Under its own name, by which it is reported where it fails."""

    @wraps(act)
    def run() -> T:
        return act(*about)

    return run


def _unnamed_removed() -> tuple[list[int], list[str]]:
    """The sizes of the files that went, and the names of the steps that failed; the log names files that cannot be removed."""
    found, failed = each_by_itself([_step(unnamed_files, OLD_SECONDS)])
    kept = list[str]()

    @wraps(remove_unnamed)
    def remove(name: str) -> int | None:
        try:
            return remove_unnamed(name, OLD_SECONDS)
        except Exception:
            kept.append(name)
            raise

    try:
        sizes, failed_here = each_by_itself(_step(remove, name) for names in found for name in names)
    finally:
        if kept:
            more = f", and {len(kept) - MOST_NAMED:,} more" if len(kept) > MOST_NAMED else ""
            logger.error("%s not removed: %s%s", number_of(len(kept), "file"), ", ".join(kept[:MOST_NAMED]), more)
    return [size for size in sizes if size is not None], failed + failed_here


def forget_files() -> None:
    """Files of archives, and archives that were restored or refused, are named for some days; their rows stay.

    What was discarded, archives and imports, is named no more.
    """
    before = timezone.now() - timedelta(days=settings.KEEP_ARCHIVES_DAYS)
    Archive.objects.filter(made_at__lt=before).exclude(file="").update(file="")
    over = [Restoration.DONE, Restoration.BAD]
    Restoration.objects.filter(state__in=over, finished_at__lt=before).exclude(file="").update(file="")
    for model in (Import, Restoration):
        model.objects.filter(state=model.DISCARDED).exclude(file="").update(file="")


def _old_jobs_removed() -> str:
    """Failed jobs stay until their work was requested again: somebody has to look at them."""
    before = clock.now() - timedelta(days=settings.KEEP_JOBS_DAYS)
    done = Job.objects.filter(state=Job.DONE, finished_at__lt=before)
    removed = sum(old.delete()[0] for old in (superseded_jobs().filter(finished_at__lt=before), done))
    return f"jobs done more than {settings.KEEP_JOBS_DAYS} days ago: {removed:,}"


def _sessions_removed() -> str:
    return f"expired sessions: {Session.objects.filter(expire_date__lt=timezone.now()).delete()[0]:,}"


def _cache_rows_removed() -> str:
    """Where a table is the cache, or the one of limits beside Redis: it removes them itself only when there are too many."""
    removed = 0
    now = connection.ops.adapt_datetimefield_value(timezone.now())
    for table in {settings.CACHES[store]["LOCATION"] for store in caches if isinstance(caches[store], DatabaseCache)}:
        with connection.cursor() as cursor:
            name = connection.ops.quote_name(table)
            cursor.execute(f"DELETE FROM {name} WHERE expires < %s", [now])  # noqa: S608 - a name of the settings
            removed += cursor.rowcount
    return f"expired cache rows: {removed:,}"
