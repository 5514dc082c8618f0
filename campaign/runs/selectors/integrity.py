"""Whether runs are those that were received: what `manage.py verify` compares of runs with the log, which is sealed."""

from collections.abc import Iterator
from datetime import UTC
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from campaign.database.readable import Unreadable, readable_rows
from campaign.integrity import MEND, Extent, Finding, each_by_itself
from campaign.models import AuditEvent, Run, Task
from campaign.text.numbers import whole_number

AT_ONCE = 1000
REMEDY = "The database was changed behind the site's back: restore it from a backup of before the change."
IN_WORDS = {
    "sha256": "SHA-256",
    "size": "size",
    "tag": "tag",
    "attempt": "attempt",
    "task_id": "task",
    "team_id": "team",
    "received_at": "time of receipt",
}


def receipt_of(run: Run) -> dict[str, Any]:
    """What never changes of a run, as the log keeps it."""
    received_at = run.submitted_at.astimezone(UTC).isoformat()
    names = ("sha256", "size", "attempt", "task_id", "team_id")
    return {**{name: getattr(run, name) for name in names}, "received_at": received_at}


def submissions() -> "QuerySet[AuditEvent]":
    """The entries of runs that were received here.

    An archive brings its entries in one transaction that ends with “restore”. They tell of the keys of another site, and of
    whatever somebody wrote into the archive.
    """
    restored_later = AuditEvent.objects.filter(
        campaign=OuterRef("campaign"), verb="restore", object_type="restoration", pk__gt=OuterRef("pk")
    )
    own = AuditEvent.objects.filter(verb="submit", object_type="run", campaign__isnull=False)
    return own.exclude(Exists(restored_later))


class _Runs:
    """The runs of many entries, which are asked for in the order of their keys."""

    def __init__(self) -> None:
        self._through = 0
        self._runs = dict[int, Run | Unreadable]()

    def of(self, event: AuditEvent) -> Run | Unreadable | None:
        if event.pk > self._through:
            following = submissions().filter(pk__gte=event.pk).order_by("pk").values_list("pk", "object_id")
            entries = list(following[:AT_ONCE]) or [(event.pk, event.object_id)]
            keys = [key for _, object_id in entries if (key := whole_number(object_id)) is not None]
            rows = Run.objects.filter(pk__in=keys).select_related("task__campaign")
            self._runs = {row.pk: row for row in readable_rows(rows)}
            self._through = entries[-1][0]
        key = whole_number(event.object_id)
        return None if key is None else self._runs.get(key)


def verify_receipts(extent: Extent) -> Iterator[Finding]:
    """Every run that was received here. Of those that the log of an earlier version tells of, it knows less."""
    runs = _Runs()

    def compare(event: AuditEvent) -> Iterator[Finding]:
        run, data = runs.of(event), event.data if isinstance(event.data, dict) else {}
        extent.looked["receipts of runs"] += 1
        if isinstance(run, Unreadable):
            yield Finding("runs", run.name, f"It cannot be read: {run.problem}", MEND)
        elif run is None:
            task_id = data.get("task_id")
            if type(task_id) is int and Task.everything.filter(pk=task_id).exists():
                yield Finding(
                    "runs", f"run {data.get('tag')}", f"It was deleted; entry {event.pk} tells of it.", REMEDY
                )
        elif data.get("tag") is not None and (others := _others(run, event, data)):
            text = f"Of what entry {event.pk} of the log says of it, these are others now: {', '.join(others)}."
            yield Finding("runs", f"run {run} of {run.task}, of campaign {run.task.campaign.slug}", text, REMEDY)

    return each_by_itself("runs", submissions(), compare)


def _others(run: Run, event: AuditEvent, data: dict[str, Any]) -> list[str]:
    """In words, what the run has otherwise than the entry says."""
    now = {**receipt_of(run), "tag": run.tag}
    others = [words for name, words in IN_WORDS.items() if name in data and data[name] != now[name]]
    return others + (["sender"] if event.actor_id != run.submitted_by_id else [])
