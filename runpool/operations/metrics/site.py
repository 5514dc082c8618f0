"""The figures of the whole site as families of Prometheus. Nothing here reads rows that grow with what is done."""

from collections.abc import Iterator, Mapping

from django.db import DatabaseError, transaction
from django.db.models import Max, Model
from prometheus_client.core import (
    CounterMetricFamily,
    GaugeMetricFamily,
    HistogramMetricFamily,
    Metric,
    SummaryMetricFamily,
)

from campaign import queues
from campaign.database import clock
from campaign.models import Job, Run, SiteFigures
from campaign.queue.open_jobs import jobs_without_heartbeat, silences, standing_jobs
from campaign.queue.workers import workers_seen
from judging.models import Judgment
from runpool.operations import readiness
from runpool.operations.health import Health, database_bytes
from runpool.operations.metrics.buckets import JOB_BOUNDS, Durations
from runpool.operations.tallies import tally

LEVELS = {readiness.OK: 0, readiness.DEGRADED: 1, readiness.FAILING: 2}
ENDS = (Job.DONE, Job.FAILED)


def site_families(health: Health) -> Iterator[Metric]:
    yield _gauge(
        "part",
        "State of each part of the site: 0 well, 1 degraded, 2 failing. As under /readyz.",
        ["part"],
        {(part.name,): LEVELS[part.status] for part in readiness.parts(health)},
    )
    if health.free_bytes is not None:
        yield _gauge(
            "free_bytes", "Bytes free on the disk of stored files or of the data folder.", [], health.free_bytes
        )
    yield _gauge("takes_uploads", "1 while there is room for uploads.", [], int(health.takes_uploads))
    if health.tables:
        yield from _told_by_the_database(health)


def _told_by_the_database(health: Health) -> list[Metric]:
    try:
        with transaction.atomic():
            return [*_queues(), *_ended_jobs(), *_stored(), *_sizes(), *_watched(health)]
    except DatabaseError:  # it went away a moment ago; the next look finds the part “database” failing
        return []


def _queues() -> Iterator[Metric]:
    standing, now = standing_jobs(), clock.now()
    numbers: dict[tuple[str, ...], float] = {}
    oldest: dict[tuple[str, ...], float] = {(queue,): 0.0 for queue in queues.ALL}
    for group in standing:
        numbers[group.name, group.queue, group.state] = group.number
        if group.state == Job.QUEUED and group.oldest_at is not None:
            oldest[group.queue,] = max(oldest.get((group.queue,), 0.0), (now - group.oldest_at).total_seconds())
    yield _gauge("jobs", "Jobs that wait, are at work, or failed.", ["job", "queue", "state"], numbers)
    yield _gauge("queue_oldest_seconds", "Age of the oldest waiting job.", ["queue"], oldest)
    silent: dict[tuple[str, ...], float] = {(queue,): 0.0 for queue in queues.ALL}
    silent |= {(queue,): since.total_seconds() for queue, since in silences().items()}
    text = "For how long jobs have been waiting in the queue with no worker to be seen."
    yield _gauge("queue_silent_seconds", text, ["queue"], silent)
    workers = workers_seen(now)
    living: dict[tuple[str, ...], float] = {(queue,): number for queue, number in workers.by_queue.items()}
    yield _gauge("queue_workers", "Workers that take from the queue and gave a sign of life.", ["queue"], living)
    yield _gauge("workers_missed", "Workers that died within the last minutes.", [], len(workers.missed))
    text = "Jobs at work whose worker gives no sign of life."
    yield _gauge("jobs_without_heartbeat", text, [], jobs_without_heartbeat())


def _ended_jobs() -> Iterator[Metric]:
    ended = CounterMetricFamily("runpool_jobs_ended", "Jobs that ended, by how.", labels=["job", "state"])
    worked = HistogramMetricFamily("runpool_job_seconds", "How long workers worked on a job.", labels=["job"])
    waited = SummaryMetricFamily("runpool_job_wait_seconds", "How long jobs waited for a worker.", labels=["job"])
    for name, found in sorted(tally(SiteFigures.JOBS).items()):
        for state in ENDS:
            ended.add_metric([name, state], found.get(state, 0))
        durations = Durations.from_json(JOB_BOUNDS, found.get("worked"))
        worked.add_metric([name], durations.cumulated(), durations.seconds)
        waited.add_metric([name], durations.number, found.get("waited", 0.0))
    yield from (ended, worked, waited)


def _stored() -> Iterator[Metric]:
    folders = tally(SiteFigures.STORAGE).get("folders", {})
    text = "Stored {}, by folder, as the last daily cleaning found them."
    for place, what in ((1, "bytes"), (0, "files")):
        values: dict[tuple[str, ...], float] = {(name,): sizes[place] for name, sizes in folders.items()}
        yield _gauge(f"storage_{what}", text.format(what), ["folder"], values)


def _sizes() -> Iterator[Metric]:
    """By the number of the newest row: rows are never deleted one by one, and to count them would read them all."""
    yield _counter("runs_received", "Runs received: the number of the newest.", _newest_number(Run))
    acts = "Acts of judging: the number of the newest."
    yield _counter("judgment_acts", acts, _newest_number(Judgment))
    size = database_bytes()
    if size is not None:
        yield _gauge("database_bytes", "Size of the database.", [], size)


def _newest_number(model: type[Model]) -> int:
    """Of rows that are never deleted one by one: how many there have been, without reading them."""
    return int(model._base_manager.aggregate(newest=Max("pk"))["newest"] or 0)


def _watched(health: Health) -> Iterator[Metric]:
    if health.beat is not None:
        yield _gauge("sweep_age_seconds", "Seconds since the last sweep, which beat starts.", [], health.beat)
    yield _counter("jobs_sent_again", "Jobs that the sweep sent again.", tally(SiteFigures.SWEEPS).get("sent", 0))
    yield _gauge("damaged_files", "Stored files that are damaged or missing.", [], health.damaged_files or 0)
    if health.backup is not None:
        yield _gauge("backup_age_seconds", "Seconds since the last whole backup.", [], health.backup.age_seconds)
        yield _gauge("backup_seconds", "How long the last whole backup took.", [], health.backup.seconds)
    yield _gauge(
        "backup_failed", "1 while the last backup was not made, or lacks files.", [], int(bool(health.failed_backup))
    )
    yield _gauge("findings", "Findings of the last verification.", [], health.findings or 0)


def _gauge(name: str, text: str, labels: list[str], values: "float | Mapping[tuple[str, ...], float]") -> Metric:
    family = GaugeMetricFamily(f"runpool_{name}", text, labels=labels)
    for key, value in (values if isinstance(values, Mapping) else {(): values}).items():
        family.add_metric(list(key), value)
    return family


def _counter(name: str, text: str, value: float) -> Metric:
    return CounterMetricFamily(f"runpool_{name}", text, value=value)
