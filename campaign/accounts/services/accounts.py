from django.db import transaction

from campaign.audit import apply_changes, audit
from campaign.models import User


@transaction.atomic
def account_update(*, actor: User, display_name: str, time_zone: str, single_keys: bool) -> None:
    fields = {"display_name": display_name.strip(), "time_zone": time_zone, "single_keys": single_keys}
    changes = apply_changes(actor, fields)
    if not changes:
        return
    # A user name or address from before a rule came is no reason to refuse another zone of time.
    actor.clean_fields(exclude={field.name for field in actor._meta.fields} - changes.keys())
    actor.save(update_fields=list(changes))
    audit(actor, "update", actor, campaign=None, **changes)
