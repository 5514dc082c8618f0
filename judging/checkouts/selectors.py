"""Documents of growing pools, which are handed out while they are judged: who holds which, and when more must be chosen."""

from datetime import timedelta

from django.db.models import Exists, OuterRef, Q, QuerySet

from campaign.database import clock
from campaign.models import Job, Role, Topic, job_key
from judging.judgments.selectors.own_documents import JUDGED, unjudged
from judging.models import Assignment, Claim, Judgment
from judging.progress.selectors.progress_counts import own_counts
from pooling.models import Pool, PoolEntry
from pooling.selectors.duplicates import stood_for
from pooling.selectors.growth import CHOOSE_DOCUMENTS, is_open

TRIED_AGAIN_AFTER = timedelta(minutes=10)
LOOK_AHEAD = 5
"""Documents that an assessor holds, and that wait behind them for each assessor at work."""
CLAIM_LASTS = timedelta(minutes=30)


def free_entries(assignment: Assignment) -> "QuerySet[PoolEntry]":
    """What the assessor could judge next and nobody holds, in judging order."""
    held = Claim.objects.filter(
        pool=assignment.pool_id,
        topic=assignment.topic_id,
        pass_number=assignment.pass_number,
        docno=OuterRef("docno"),
    )
    return unjudged(assignment).filter(~Exists(held))


def stale_claims(assignment: Assignment) -> "QuerySet[Claim]":
    """The claims on documents in the topic and pass of this assignment that others made, and that lasted for `CLAIM_LASTS`, or
    whose assessor is none any more.
    """
    same_pass = Claim.objects.filter(
        pool=assignment.pool_id, topic=assignment.topic_id, pass_number=assignment.pass_number
    )
    roles = Role.objects.filter(role=Role.ASSESSOR, campaign=assignment.pool.task.campaign_id)
    may_judge = Exists(roles.filter(user=OuterRef("assignment__assessor")))
    at_work = clock.within("claimed_at", CLAIM_LASTS, clock.now()) & Q(may_judge)
    return same_pass.exclude(at_work).exclude(assignment=assignment)


def shortage(pool: Pool, topic: Topic | int) -> int:
    """How many documents must be chosen so that enough wait in every pass; 0 or less: enough do."""
    passes = Assignment.objects.filter(pool=pool, topic=topic).order_by().values_list("pass_number", flat=True)
    return max((_shortage_in(pool, topic, number) for number in set(passes)), default=0)


def _shortage_in(pool: Pool, topic: Topic | int, pass_number: int) -> int:
    claims = Claim.objects.filter(pool=pool, topic=topic, pass_number=pass_number)
    judged = Judgment.objects.filter(topic=topic, pass_number=pass_number, is_current=True, verdict__in=JUDGED)
    waiting = PoolEntry.objects.filter(
        ~Exists(claims.filter(docno=OuterRef("docno"))),
        ~Exists(judged.filter(docno=OuterRef("docno"))),
        ~Exists(stood_for([pool]).filter(topic=topic, docno=OuterRef("docno"))),
        pool=pool,
        topic=topic,
    )
    at_work = claims.order_by().values("assignment").distinct().count()
    return LOOK_AHEAD * max(at_work, 1) - waiting.count()


def is_finished(assignment: Assignment) -> bool:
    """Whether nothing is left to judge in the topic and nothing more will be chosen."""
    return not unjudged(assignment).exists() and not is_open(assignment.pool, assignment.topic_id)


def is_finished_by_counts(assignment: Assignment) -> bool:
    """The same by what is kept of its topic, for a save, which must not look at every document of the assignment."""
    return is_finished(assignment) if assignment.pool.grows else own_counts(assignment).left == 0


def held_by_others(assignment: Assignment) -> bool:
    """Whether others are about to judge documents that this assessor could judge."""
    held = Claim.objects.filter(
        pool=assignment.pool_id, topic=assignment.topic_id, pass_number=assignment.pass_number
    ).exclude(assignment=assignment)
    return unjudged(assignment).filter(docno__in=held.values("docno")).exists()


def is_forgotten(pool: Pool, topic_id: int) -> bool:
    """Whether documents should be chosen for the topic and no job has done it or will, since its last judgment."""
    last = _last_choosing(pool, topic_id)
    if last is None:
        return shortage(pool, topic_id) > 0
    if last.is_unfinished:
        return False
    now = clock.now()
    if last.state == Job.FAILED:
        return last.finished_at is None or not now - TRIED_AGAIN_AFTER <= last.finished_at <= now + TRIED_AGAIN_AFTER
    if last.sent_at > now + TRIED_AGAIN_AFTER:  # by a clock that was set back since
        return shortage(pool, topic_id) > 0
    # One that came while the job ran may have come too late for it: through another pool it does not wait for the lock.
    return Judgment.objects.filter(topic=topic_id, received_at__gt=last.sent_at).exists()


def is_being_chosen(pool: Pool, topic_id: int) -> bool:
    """Whether a job chooses for the topic, or will when it is tried again."""
    last = _last_choosing(pool, topic_id)
    return last is not None and last.state != Job.DONE


def _last_choosing(pool: Pool, topic_id: int) -> Job | None:
    key = job_key({"pool_id": pool.pk, "topic_id": topic_id})
    return Job.objects.filter(name=CHOOSE_DOCUMENTS, key=key).order_by("-pk").first()


def failed_choosings() -> list[Job]:
    """Failed jobs that nobody has asked for again, tried some minutes ago."""
    jobs = Job.objects.filter(name=CHOOSE_DOCUMENTS)
    later = jobs.filter(key=OuterRef("key"), pk__gt=OuterRef("pk"))
    failed = jobs.filter(~Exists(later), state=Job.FAILED, finished_at__isnull=False)
    return list(
        failed.exclude(clock.within("finished_at", TRIED_AGAIN_AFTER, clock.now())).only("name", "key", "arguments")
    )
