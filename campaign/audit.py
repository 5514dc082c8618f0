from typing import Any

from django.db.models import Model

from campaign.models import AuditEvent, Campaign, User


def audit(actor: User | None, verb: str, on: Model, *, campaign: Campaign | None, **data: Any) -> AuditEvent:
    """Record who did what; call it inside the transaction that does it."""
    return AuditEvent.objects.create(
        actor=actor, verb=verb, object_type=str(on._meta.model_name), object_id=str(on.pk), campaign=campaign, data=data
    )


def apply_changes(instance: Model, fields: dict[str, Any]) -> dict[str, list[str]]:
    """Set the fields on the instance and return the changes, as name to [before, after], for the audit."""
    changes = {}
    for name, after in fields.items():
        before = getattr(instance, name)
        if before != after:
            setattr(instance, name, after)
            changes[name] = [_as_text(before), _as_text(after)]
    return changes


def _as_text(value: object) -> str:
    return "" if value is None else str(value)
