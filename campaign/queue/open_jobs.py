"""Jobs that are not done, and those that ended last: each query is served by an index, however many jobs are done."""

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Count, Exists, Max, Min, OuterRef, Q, QuerySet

from campaign import queues
from campaign.database import clock
from campaign.formats.moments import EARLIEST, LATEST
from campaign.models import Job
from campaign.queue.locks import STALE_AFTER
from campaign.queues import GENERAL

NO_WORKER_AFTER = timedelta(minutes=5)
"""Jobs that wait this long while none is taken: no worker runs, or it cannot reach the queue."""
MOST_COUNTED = 10_000
OPEN = (Job.QUEUED, Job.WORKING)
FOR_PARTS = Q(state=Job.QUEUED, total__gt=0)
"""These wait for their own parts and not for a worker: their parts are late, if any are."""
IN_TIME = Q(created_at__range=(EARLIEST, LATEST))
"""Of others nobody can say how long they wait: one whose moment cannot be read must not hide the rest."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Jobs of one name, queue and state. `oldest_at` is None where all of them wait for their parts."""

    queue: str
    name: str
    state: str
    number: int
    oldest_at: datetime | None


def standing_jobs() -> list[Standing]:
    """Of all states but done."""
    jobs = Job.objects.filter(state__in=[*OPEN, Job.FAILED]).order_by().values("queue", "name", "state")
    oldest = Min("created_at", filter=IN_TIME & ~FOR_PARTS)
    return [Standing(**group) for group in jobs.annotate(number=Count("pk"), oldest_at=oldest)]


@dataclass(slots=True)
class QueueLine:
    """A queue as operators see it; `silent` where no worker has taken from it for minutes."""

    name: str
    waiting: int = 0
    working: int = 0
    failed: int = 0
    oldest_at: datetime | None = None
    silent: bool = False


def queue_lines() -> list[QueueLine]:
    """Of all queues, and of those in which jobs of other versions stand."""
    lines = {name: QueueLine(name) for name in queues.ALL}
    for group in standing_jobs():
        line = lines.setdefault(group.queue, QueueLine(group.queue))
        if group.state == Job.QUEUED:
            line.waiting += group.number
            line.oldest_at = min(filter(None, (line.oldest_at, group.oldest_at)), default=None)
        elif group.state == Job.WORKING:
            line.working += group.number
        else:
            line.failed += group.number
    for name, since in silences().items():
        lines[name].silent = since >= NO_WORKER_AFTER
    return list(lines.values())


def jobs_without_heartbeat() -> int:
    """Those whose worker died: the sweep sends them again."""
    return Job.objects.filter(state=Job.WORKING, heartbeat_at__lt=clock.now() - STALE_AFTER).count()


def jobs_in(state: str) -> QuerySet[Job]:
    """Newest first; `is_superseded` marks failed jobs whose work was requested again since."""
    return Job.objects.filter(state=state).annotate(is_superseded=Exists(_newer())).order_by("-pk")


def superseded_jobs() -> QuerySet[Job]:
    """Failed jobs whose work was requested again since."""
    return Job.objects.filter(Exists(_newer()), state=Job.FAILED)


def _newer() -> QuerySet[Job]:
    return Job.objects.filter(name=OuterRef("name"), key=OuterRef("key"), pk__gt=OuterRef("pk"))


def count_up_to(state: str, most: int = MOST_COUNTED) -> int:
    """How many jobs are in the state; one above `most` where they are more."""
    return Job.objects.filter(state=state).order_by()[: most + 1].count()


@dataclass(frozen=True, slots=True)
class Place:
    """Where a job stands. `ahead`: jobs at work or waiting longer; `oldest_at`: since when the oldest of them is there."""

    ahead: int
    oldest_at: datetime | None


def place_in_queue(job: Job) -> Place:
    """Jobs of other queues stand in nobody's way: workers take from each in turn."""
    ahead = Job.objects.filter(Q(state=Job.WORKING) | Q(state=Job.QUEUED, pk__lt=job.pk), queue=job.queue)
    place = (
        ahead.exclude(pk=job.pk).order_by().aggregate(ahead=Count("pk"), oldest_at=Min("created_at", filter=IN_TIME))
    )
    return Place(**place)


def no_worker(queue: str = "") -> str:
    """A sentence if jobs of the queue, or of any, wait and no worker has taken or continued one of it for minutes."""
    silent = {name: since for name, since in silences(queue).items() if since >= NO_WORKER_AFTER}
    if not silent:
        return ""
    names = (
        ""
        if queue or set(silent) == {GENERAL}
        else f" of the queue{'s' if len(silent) > 1 else ''} {' and '.join(sorted(silent))}"
    )
    return f"no worker has taken a job{names} for {minutes(max(silent.values()))} minutes"


def silences(queue: str = "") -> dict[str, timedelta]:
    """By queue in which jobs wait: for how long they have been waiting with no worker to be seen."""
    waiting = Job.objects.filter(IN_TIME, ~FOR_PARTS, state=Job.QUEUED, **({"queue": queue} if queue else {}))
    since = dict(waiting.order_by().values_list("queue").annotate(Min("created_at")))
    now = clock.now()
    return {
        name: now - (oldest if now - oldest < NO_WORKER_AFTER else max(oldest, _worker_seen(name, now) or oldest))
        for name, oldest in since.items()
    }


def _worker_seen(queue: str, now: datetime) -> datetime | None:
    """Not in the future: a clock that was set back since says nothing of the workers of now."""
    latest, jobs = now + NO_WORKER_AFTER, Job.objects.filter(queue=queue)
    beat = jobs.filter(state__in=OPEN, heartbeat_at__lte=latest).aggregate(at=Max("heartbeat_at"))["at"]
    ended = jobs.filter(finished_at__lte=latest).aggregate(at=Max("finished_at"))["at"]
    return max((at for at in (beat, ended) if at is not None), default=None)


def minutes(time: timedelta) -> str:
    return f"{int(time.total_seconds() // 60):,}"


def oldest_waiting_job_seconds() -> int | None:
    oldest = Job.objects.filter(IN_TIME, ~FOR_PARTS, state=Job.QUEUED).aggregate(at=Min("created_at"))["at"]
    return None if oldest is None else max(0, int((clock.now() - oldest).total_seconds()))
