"""Verifying the site: what is found is kept as rows, which the operations page and /health/ show."""

import secrets
from collections.abc import Callable, Sequence
from datetime import timedelta

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from campaign.database import clock
from campaign.integrity import SAMPLE, Extent, Finding
from campaign.log.audit import audit
from campaign.models import Job, User, Verification, VerificationFinding
from campaign.queue.jobs import enqueue
from campaign.web.daily_limits import require_few_changes
from runpool.operations.health import VERIFY
from runpool.operations.integrity import SECTIONS, verify_sections

MOST_KEPT = 500
"""Findings of one verification that are kept one by one; the others are counted."""
KEPT_VERIFICATIONS = 20


def new_seed() -> int:
    return secrets.randbelow(2**31)


def verification_make(
    *,
    sections: Sequence[str] = tuple(SECTIONS),
    sample: int | None = SAMPLE,
    seed: int | None = None,
    report: Callable[[str], None] = lambda words: None,
    tell: Callable[[Finding], None] = lambda finding: None,
) -> Verification:
    """Verify these sections and keep what is found; `tell` gets each finding at once. `sample`: of scores, None for all."""
    started, extent = timezone.now(), Extent(sample, new_seed() if seed is None else seed, report)
    kept: list[Finding] = []
    found = 0
    for finding in verify_sections(sections, extent):
        tell(finding)
        found += 1
        if len(kept) < MOST_KEPT:
            kept.append(finding)
    return _stored(sections, extent, kept, found, started_at=started)


@transaction.atomic
def _stored(
    sections: Sequence[str], extent: Extent, kept: Sequence[Finding], found: int, **values: object
) -> Verification:
    verification = Verification.objects.create(
        sections=list(sections),
        looked=dict(extent.looked),
        notes=extent.notes[:MOST_KEPT],
        seed=extent.seed,
        found=found,
        **values,
    )
    VerificationFinding.objects.bulk_create(
        VerificationFinding(
            verification=verification,
            section=one.section,
            subject=one.subject[:300],
            text=one.text[:5000],
            remedy=one.remedy[:5000],
        )
        for one in kept
    )
    newest = Verification.objects.order_by("-pk").values_list("pk", flat=True)[:KEPT_VERIFICATIONS]
    Verification.objects.exclude(pk__in=list(newest)).delete()
    return verification


@transaction.atomic
def verification_request(*, actor: User) -> Job:
    """Have the whole site verified by a job; one that waits already is not asked for twice."""
    require_few_changes(actor)
    job = enqueue(VERIFY)
    audit(actor, "ask for a verification", job, campaign=None)
    return job


def verify_when_due() -> int:
    """Ask for a verification when the last one that was asked for is `VERIFY_DAYS` ago; never where that is 0."""
    if not settings.VERIFY_DAYS:
        return 0
    now, pause = timezone.now(), timedelta(days=settings.VERIFY_DAYS)
    asked = Job.objects.filter(clock.within("created_at", pause, now), name=VERIFY).exists()
    if asked or Verification.objects.filter(clock.within("finished_at", pause, now)).exists():
        return 0
    enqueue(VERIFY)
    return 1
