"""What others changed while a form was open. The form names the newest change that its page had read, from the log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.db.models import Max, Model, QuerySet
from django.forms import BaseForm
from django.http import QueryDict

from campaign.models import AuditEvent, Visitor
from campaign.text.numbers import whole_number

NO_TABLES: Mapping[str, str] = {}
LONGEST = 120
"""Characters of a value that the page shows."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One entry that somebody else changed, with its name in the form, and what it was before and is now; of a table nothing."""

    who: str
    name: str
    label: str
    before: str = ""
    after: str = ""


def newest_edit(instance: Model) -> int:
    """Names the newest change of the instance; 0 where there is none."""
    return _edits(instance).aggregate(newest=Max("pk"))["newest"] or 0


def edits_since(
    user: Visitor,
    instance: Model,
    seen: str,
    form: BaseForm,
    tables: Mapping[str, str] = NO_TABLES,
    *,
    own: bool = False,
) -> list[Edit]:
    """What others changed in entries of the form after `seen`; nothing for a program that does not say what it has seen.

    `tables`: labels of settings that the page shows as rows beside the form. `own`: also what the user changed in another window.
    """
    if (last := whole_number(seen)) is None:
        return []
    events = _edits(instance).filter(pk__gt=last).select_related("actor").order_by("pk")
    edits = []
    for event in events if own else events.exclude(actor=user.pk):
        who = str(event.actor or "the system")
        for name, change in event.data.items():
            if name in tables:
                edits.append(Edit(who, name, tables[name]))
            elif name in form.fields and isinstance(change, list) and len(change) == 2:
                edits.append(Edit(who, name, str(form[name].label), *map(_short, change)))
    return edits


def with_edits(sent: QueryDict, edits: Sequence[Edit], stored: BaseForm) -> QueryDict:
    """What was sent, with the stored values of the entries that others changed. `stored`: the form as it is stored."""
    data = sent.copy()
    for name in {edit.name for edit in edits} & stored.fields.keys():
        field, value = stored[name], stored[name].value()
        if isinstance(value, bool):
            data.setlist(name, ["on"] if value else [])
        else:
            shown = field.field.widget.format_value(value)
            data.setlist(name, [str(one) for one in (shown if isinstance(shown, list) else [shown or ""])])
    return data


def _edits(instance: Model) -> "QuerySet[AuditEvent]":
    name = str(instance._meta.model_name)
    return AuditEvent.objects.filter(object_type=name, object_id=str(instance.pk), verb="update")


def _short(value: Any) -> str:
    text = str(value)
    return text if len(text) <= LONGEST else f"{text[:LONGEST]} …"
