from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Model

from campaign.models import AuditEvent, Campaign, User

AFTER_SCORES = "after_scores"
"""The entry of an event that holds changes of scores in words, if runs had been scored before."""
ARCHIVE, UNARCHIVE, ASK_FOR_ARCHIVE = "archive", "take out of the archive", "ask for an archive"
POSSIBLE_IN_THE_ARCHIVE = frozenset({ARCHIVE, UNARCHIVE, ASK_FOR_ARCHIVE, "decline role", "restore"})
ARCHIVED = "This campaign is archived: nothing in it changes. An organiser can take it out of the archive."


def audit(actor: User | None, verb: str, on: Model, *, campaign: Campaign | None, **data: Any) -> AuditEvent:
    """Record who did what; call it inside the transaction that does it.

    ValidationError, which undoes that transaction, where the campaign is archived. The insertion comes first: it waits for a
    transaction that archives the campaign just now.
    """
    event = AuditEvent.objects.create(
        actor=actor, verb=verb, object_type=str(on._meta.model_name), object_id=str(on.pk), campaign=campaign, data=data
    )
    if campaign is not None and verb not in POSSIBLE_IN_THE_ARCHIVE and _is_archived(campaign):
        raise ValidationError(ARCHIVED)
    return event


def _is_archived(campaign: Campaign) -> bool:
    return Campaign.objects.filter(pk=campaign.pk, archived_at__isnull=False).exists()


def apply_changes(instance: Model, fields: dict[str, Any]) -> dict[str, list[str]]:
    """Set the fields on the instance and return the changes, as name to [before, after], for the audit."""
    changes = {}
    for name, after in fields.items():
        before = getattr(instance, name)
        if before != after:
            setattr(instance, name, after)
            changes[name] = [as_text(before), as_text(after)]
    return changes


def as_text(value: object) -> str:
    """A value as the log of changes holds it."""
    return "" if value is None else str(value)


def last_editor(of: Model) -> str:
    """Who last did something to the object, for somebody whose page is out of date by that."""
    events = AuditEvent.objects.filter(object_type=str(of._meta.model_name), object_id=str(of.pk))
    last = events.order_by("-pk").select_related("actor").first()
    return str(last.actor) if last and last.actor else "Somebody"
