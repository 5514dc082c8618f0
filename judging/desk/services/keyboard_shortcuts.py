from collections.abc import Mapping

from django.db import transaction

from campaign.log.audit import apply_changes, audit
from campaign.models import User
from campaign.web.daily_limits import require_few_changes


@transaction.atomic
def desk_keys_update(*, actor: User, keys: Mapping[str, str]) -> None:
    """Store the keys that differ from the usual ones, by the name of the command; DeskKeysForm has checked them."""
    if changes := apply_changes(actor, {"desk_keys": dict(keys)}):
        actor.save(update_fields=["desk_keys"])
        audit(actor, "update", actor, campaign=None, **changes)
        require_few_changes(actor)
