from typing import Any

from django.db.models import Model


def apply_changes(instance: Model, fields: dict[str, Any]) -> dict[str, list[str]]:
    """Set the fields on the instance; what differs, as name to [before, after], for the audit."""
    changes = {}
    for name, after in fields.items():
        before = getattr(instance, name)
        if before != after:
            setattr(instance, name, after)
            changes[name] = [_told(before), _told(after)]
    return changes


def _told(value: object) -> str:
    return "" if value is None else str(value)
