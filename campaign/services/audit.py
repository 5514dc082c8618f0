from typing import Any

from django.db.models import Model

from campaign.models import AuditEvent, Campaign, User


def audit(actor: User | None, verb: str, on: Model, *, campaign: Campaign | None, **data: Any) -> AuditEvent:
    """Write down who did what; call it inside the transaction that does it."""
    return AuditEvent.objects.create(
        actor=actor, verb=verb, object_type=str(on._meta.model_name), object_id=str(on.pk), campaign=campaign, data=data
    )
