"""Whether runs are those that were received: what `manage.py verify` compares of runs with the log, which is sealed."""

from collections.abc import Iterator
from datetime import UTC
from typing import Any

from django.db.models import QuerySet

from campaign.integrity import Extent, Finding, each_by_itself
from campaign.models import AuditEvent, Run, Task

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
    return AuditEvent.objects.filter(verb="submit", object_type="run")


def verify_receipts(extent: Extent) -> Iterator[Finding]:
    """Every run that was received here. Of those that the log of an earlier version tells of, it knows less."""

    def compare(event: AuditEvent) -> Iterator[Finding]:
        run = Run.objects.filter(pk=event.object_id).first() if event.object_id.isdigit() else None
        extent.looked["receipts of runs"] += 1
        if run is None:
            if Task.everything.filter(pk=event.data.get("task_id")).exists():
                yield Finding(
                    "runs", f"run {event.data.get('tag')}", f"It was deleted; entry {event.pk} tells of it.", REMEDY
                )
            return
        if event.data.get("tag") is None:
            return
        now = {**receipt_of(run), "tag": run.tag}
        others = [words for name, words in IN_WORDS.items() if name in event.data and event.data[name] != now[name]]
        others += ["sender"] if event.actor_id != run.submitted_by_id else []
        if others:
            text = f"Of what entry {event.pk} of the log says of it, these are others now: {', '.join(others)}."
            yield Finding("runs", f"run {run} of {run.task}, of campaign {run.task.campaign.slug}", text, REMEDY)

    return each_by_itself("runs", submissions(), compare)
