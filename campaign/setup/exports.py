"""The audit log of a campaign as CSV, for spreadsheets and records."""

from collections.abc import Iterable, Iterator

from campaign.formats.spreadsheet import csv_lines
from campaign.models import AuditEvent
from campaign.setup.log_words import actor_of, deed_of, details_of

HEAD = ["id", "happened_at", "user", "name", "verb", "object", "object_id", "what", "details"]


def log_csv(events: Iterable[tuple[AuditEvent, str]]) -> Iterator[str]:
    """Each event with the name of its object."""
    return csv_lines(HEAD, (_row(event, name) for event, name in events))


def _row(event: AuditEvent, name: str) -> list[object]:
    user = event.actor.username if event.actor is not None else ""
    about = [event.verb, event.object_type, event.object_id]
    return [
        event.pk,
        event.happened_at,
        user,
        actor_of(event),
        *about,
        deed_of(event, name),
        "; ".join(details_of(event)),
    ]
