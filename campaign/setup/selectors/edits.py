"""What was changed while a form was open. The form names the newest change that its page had read, from the log."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models import Max, Model, QuerySet
from django.forms import BaseForm
from django.http import QueryDict
from django.utils.datastructures import MultiValueDict
from django.utils.dateparse import parse_datetime

from campaign.log.audit import as_text
from campaign.models import AuditEvent, Visitor
from campaign.text.numbers import whole_number

NO_TABLES: Mapping[str, str] = {}
LONGEST = 120
"""Characters of a value that the page shows."""


@dataclass(frozen=True, slots=True)
class Edit:
    """One entry that was changed, with its name in the form, and what it was before and is now; of a table nothing."""

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
    sent: QueryDict,
    form: BaseForm,
    tables: Mapping[str, str] = NO_TABLES,
    *,
    own: bool = False,
) -> list[Edit]:
    """What changed in entries of the form after the page was read; nothing for a program that does not say what it has seen.

    `tables`: labels of settings that the page shows as rows beside the form, of those that are not stored as they were shown or
    sent. What the user changed in another window counts of these, of entries where `own` says so, and where the entry was sent
    with the value of before: the change would be lost otherwise. What has its value of before again is no change; what was sent
    as it is stored is no conflict.
    """
    if (last := whole_number(sent.get("seen", ""))) is None:
        return []
    edits: dict[str, Edit] = {}
    befores: dict[str, Any] = {}
    now: dict[str, Any] = {}
    for event in _edits(instance).filter(pk__gt=last).select_related("actor").order_by("pk"):
        who, counts = str(event.actor or "the system"), own or event.actor_id != user.pk
        for name, change in event.data.items():
            if name in tables:
                edits[name] = Edit(who, name, tables[name])
            elif name in form.fields and isinstance(change, list) and len(change) == 2:
                before, now[name] = befores.setdefault(name, change[0]), change[1]
                if change[1] == before:
                    edits.pop(name, None)
                elif name in edits or counts or _is_sent_as(before, form, name, sent):
                    edits[name] = Edit(who, name, str(form[name].label), _short(before), _short(change[1]))
    return [edit for name, edit in edits.items() if name in tables or not _is_sent_as(now[name], form, name, sent)]


def _is_sent_as(value: Any, form: BaseForm, name: str, sent: QueryDict) -> bool:
    """Whether the entry was sent with this value, which stands in the log as text."""
    field = form.fields[name]
    given = field.widget.value_from_datadict(sent, MultiValueDict(), form.add_prefix(name))
    if isinstance(given, str):
        given = given.replace("\r\n", "\n")
    try:
        if as_text(field.clean(given)) == value:  # lists and rows that a field names stand in the log as words
            return True
        value = (parse_datetime(value) if isinstance(value, str) else None) or value
        shown = field.widget.format_value(field.prepare_value(value))  # of a moment, the form shows no seconds
        return given == shown or not field.has_changed(value, given)
    except (AttributeError, TypeError, ValueError, ValidationError):  # a value of another version's form
        return False


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
